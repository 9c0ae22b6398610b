"""The pose cascade as experiments run it: sub-models, levels, views, storing."""

import numpy as np
import pytest

from experiments.pose import follow, measure
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import tree
from spcviz.learning.ensemble import coarse_to_fine
from spcviz.problems.pose.data import body as pose
from spcviz.problems.pose.data import render
from spcviz.problems.pose.model import cascade, features
from spcviz.problems.pose.model import detectors as pose_detectors
from spcviz.problems.pose.model import levels as pose_training
from spcviz.problems.pose.model import stored as pose_models
from spcviz.problems.pose.page import live
from tests.oracles import placed as oracle

SETTINGS = pose_training.PoseSettings(n_parts=3, n_negatives=8, n_frames=4, n_clips=2, n_epochs=1)


@pytest.fixture(scope="module")
def clip():
    return render.render_clip(3, 2)


@pytest.fixture(scope="module")
def model(clip):
    """Detectors with random weights: the tests are about the use of their scores."""
    rng = np.random.default_rng(0)
    shapes = {part: (len(features.sample_points(part)), features.N_CHANNELS) for part in (0, 1)}
    detectors = {part: rng.normal(size=shape) for part, shape in shapes.items()}
    cells = np.stack([features.histograms(image) for image in clip.images])
    limbs = np.concatenate([render.render_clip(seed, 4).limbs for seed in range(3)])
    return pose_detectors.set_by_hand(detectors, cells, limbs, np.repeat(np.arange(3), 4), SETTINGS)


@pytest.fixture(scope="module")
def fine(model, clip):
    return list(cascade.detect(model, clip.images))


def test_every_method_leaves_states_for_every_limb_and_fewer_each_level(model, fine):
    for method in cascade.SUB_MODELS:
        levels = list(cascade.run_cascade(model, fine, method, np.full(7, 0.3)))
        shares = [level.keep.sum() / pose.grid(n).n_states / 6 for n, level in enumerate(levels)]
        assert (np.diff(shares) < 0).all()
        for number, level in enumerate(levels):
            assert all(level.keep[level.of(v)].any() for v in range(6))
            if number:
                before = levels[number - 1]
                kept = before.states[before.of(4)][before.keep[before.of(4)]]
                assert level.states[level.of(4)].tolist() == pose.children(number - 1, kept).tolist()


def test_the_pruned_best_guess_is_the_exhaustive_one(model, fine):
    """At 10 x 10, with all tables of pairs written out and decoded by the tree engine."""
    start, states = cascade.first_states(3)
    keep = np.random.default_rng(1).choice(len(states) // 3, 40, replace=False)
    states = np.concatenate([np.sort(keep)] * 3)
    start = np.array([0, 40, 80, 120])
    (single,) = cascade.sub_models(model.geometry, fine[:1], 0, start, states, ("single",))
    pruned = single.max_marginals(model.weights["single"][0][0])
    unary, joints = single.scores(model.weights["single"][0][0])
    edges, kinds = cascade.edges_over_time(1, 3, "single")
    tables = [oracle.pair_scores(single.places, joints, kind) for kind in kinds]
    pairwise = np.stack(
        [t[start[i] : start[i + 1], start[j] : start[j + 1]] for t, (i, j) in zip(tables, edges)]
    )
    best, node = tree.node_max_marginals(unary.reshape(3, 40), edges, pairwise)
    np.testing.assert_allclose(pruned.max_marginals, node.ravel(), rtol=1e-9, atol=1e-9)
    assert pruned.best == pytest.approx(best)


def test_detectors_learn_from_known_limbs_of_the_sets_they_are_given(clip):
    cells, limbs = pose_detectors.cells_of(clip.images), clip.limbs.copy()
    settings = pose_training.PoseSettings(n_parts=5, n_negatives=8)

    def trained(*extra):
        examples = pose_detectors.DetectorExamples(cells, limbs)
        return pose_detectors.train_detectors([examples, *extra], settings, np.random.default_rng(0))

    alone = trained()
    unknown = pose_detectors.DetectorExamples(cells, np.full_like(limbs, np.nan))
    lower = pose_detectors.DetectorExamples(cells, limbs, 0.5, (3,))
    assert {
        part: (weights == alone[part]).all() for part, weights in trained(unknown).items()
    } == dict.fromkeys((0, 1, 3), True)
    assert {part: (weights == alone[part]).all() for part, weights in trained(lower).items()} == {
        0: True, 1: True, 3: False
    }  # fmt: skip


def test_alpha_for_keeps_the_number_asked_for(model, fine):
    start, states = cascade.first_states(3)
    models = cascade.sub_models(model.geometry, fine[:1], 0, start, states, ("single",))
    filtered = coarse_to_fine.filter_level(models, model.weights["single"][0], start, states, 0.0)
    alpha = pose_training.alpha_for([filtered], 300)
    assert 0 < alpha < 1
    again = pose_training.again(filtered, alpha)
    assert abs(int(again.keep.sum()) - 900) <= 1
    direct = coarse_to_fine.filter_level(models, model.weights["single"][0], start, states, alpha)
    assert (direct.keep == again.keep).all()


def test_learning_changes_weights_and_keeps_gaps_punished(model, clip, fine):
    problems = [pose_training.ClipProblem(fine, clip.limbs, 3)]
    held_out = [pose_training.ClipProblem(fine, clip.limbs, 3)]
    rng = np.random.default_rng(0)
    settings = pose_training.PoseSettings(n_parts=3, n_epochs=1, tolerance=None, n_kept=200)
    trained = pose_training.train_method(model, "torso", problems, held_out, settings, rng)
    weights = trained.weights["torso"]
    assert weights.shape == model.weights["torso"].shape
    assert np.isfinite(weights).all()
    assert (weights != model.weights["torso"]).any()
    pairs = weights[..., 9:].reshape(*weights.shape[:2], -1, 3)
    assert (pairs[..., :2] >= 0).all()
    assert ((trained.alphas["torso"] >= 0) & (trained.alphas["torso"] < 1)).all()


def test_left_and_right_are_learned_as_one():
    rng = np.random.default_rng(0)
    names = cascade.SUB_MODELS["ensemble"]
    weights = pose_training.symmetric(rng.normal(size=(3, 24)), names, 3).reshape(3, 8, 3)
    np.testing.assert_allclose(weights[0, 1], weights[0, 2])  # in the torso's sub-model: both arms
    np.testing.assert_allclose(weights[0, 3], weights[0, 4])  # both shoulders
    np.testing.assert_allclose(weights[1, 1], weights[2, 2])  # the left arm's sub-model and the right arm's
    np.testing.assert_allclose(weights[1, 6], weights[2, 7])  # and their ties over time
    again = pose_training.symmetric(weights.reshape(3, 24), names, 3)
    np.testing.assert_allclose(again, weights.reshape(3, 24))


def test_a_stored_model_is_the_rounded_one(model):
    again = pose_models.round_weights(pose_models.round_weights(model))
    once = pose_models.round_weights(model)
    assert all((once.weights[m] == again.weights[m]).all() for m in once.weights)
    np.testing.assert_allclose(once.geometry.joints.table, model.geometry.joints.table, rtol=1e-6)
    assert set(once.detectors) == {0, 1}


def test_a_tolerance_is_kept_and_the_next_alpha_would_break_it(model, clip, fine):
    """Definition 4 on frames where each level knows the truth; alpha is the largest possible one."""
    settings = pose_training.PoseSettings(n_parts=3, tolerance=0.5, tolerance_kind="score")

    def fresh():
        return [pose_training.ClipProblem([f], limbs[None], 3) for f, limbs in zip(fine, clip.limbs)]

    rng = np.random.default_rng(0)
    tuned = pose_training.train_method(model, "single", [], fresh(), settings, rng, learn=False)
    assert (tuned.weights["single"] == model.weights["single"]).all()
    rows = pose_training.losses(tuned, "single", fresh())
    assert rows[0]["n_given"] == 2
    problems, alphas = fresh(), tuned.alphas["single"]
    for number, row in enumerate(rows):
        lost, more = [], []
        for problem in problems:
            weights = tuned.weights["single"][number]
            subs = problem.models(model.geometry, number, ("single",))
            filtered = coarse_to_fine.filter_level(
                subs, weights, problem.start, problem.states, alphas[number]
            )
            if problem.truth_points(filtered, model.geometry, number, ("single",), weights)[1] > -np.inf:
                lost.append(cascade.is_lost(tuned, problem.fine, number, filtered, problem.limbs))
                higher = pose_training.again(filtered, alphas[number] + 1e-5)
                more.append(cascade.is_lost(tuned, problem.fine, number, higher, problem.limbs))
            problem.refine(number, filtered)
        assert len(lost) == row["n_given"]
        if not lost:
            assert row["lost"] is None
            continue
        assert 100 * np.mean(lost) == row["lost"]
        assert np.mean(lost) <= 0.5 < np.mean(more)
        assert (row["lost_at_zero"] > 50) == (alphas[number] < 0)


@pytest.mark.parametrize("tolerance", [0.0, 0.5])
def test_near_states_stand_for_the_truth_and_their_tolerance_is_kept(model, clip, fine, tolerance):
    settings = pose_training.PoseSettings(n_parts=3, tolerance=tolerance, tolerance_kind="near")

    def fresh():
        return [pose_training.ClipProblem([f], limbs[None], 3) for f, limbs in zip(fine, clip.limbs)]

    rng = np.random.default_rng(0)
    tuned = pose_training.train_method(model, "single", [], fresh(), settings, rng, learn=False)
    rows = pose_training.losses(tuned, "single", fresh(), "near")
    assert rows[0]["n_given"] == 2
    for problem in fresh():
        for number, row in enumerate(rows):
            subs, weights = (
                problem.models(model.geometry, number, ("single",)),
                tuned.weights["single"][number],
            )
            alpha = tuned.alphas["single"][number]
            filtered = coarse_to_fine.filter_level(subs, weights, problem.start, problem.states, alpha)
            left = [_near_or_true(problem, filtered, number, v, filtered.keep) for v in range(3)]
            given = [_near_or_true(problem, filtered, number, v, filtered.keep | True) for v in range(3)]
            assert row["lost"] is None or row["lost"] <= 100 * tolerance
            assert tolerance > 0 or all(left) or not all(given)
            falls = problem.near_points(filtered, number)[0]
            assert (falls > alpha) == all(left)
            assert (falls == -np.inf) == (not all(given))
            problem.refine(number, filtered)


def _near_or_true(problem, filtered, number, v, mask):
    """Whether a mask keeps a limb's true state or one within 25 % of it, checked one by one."""
    limb, at = problem.limbs[0, v], filtered.of(v)
    kept = filtered.states[at][mask[at]]
    near = pose.is_correct(pose.limbs_of(number, v, kept), limb, 0.25).any()
    return bool(near or (kept == pose.nearest_states(number, limb)).any())


def test_the_truth_falls_by_its_score_no_later_than_by_its_states(model, clip, fine):
    """Lemma 3; and a state that an earlier level lost is -inf for the event, never for the score."""
    problem = pose_training.ClipProblem(fine, clip.limbs, 3)
    names, weights = cascade.SUB_MODELS["ensemble"], model.weights["ensemble"][0]
    subs = problem.models(model.geometry, 0, names)
    filtered = coarse_to_fine.filter_level(subs, weights, problem.start, problem.states, 0.0)
    by_score, by_state = problem.truth_points(filtered, model.geometry, 0, names, weights)
    assert by_score <= by_state <= 1
    true = pose.nearest_states(0, clip.limbs[0, 0])
    gone = np.array([state != true or v > 0 for v in range(6) for state in filtered.states[filtered.of(v)]])
    sizes = [gone[filtered.of(v)].sum() for v in range(6)]
    less = filtered._replace(
        start=np.concatenate([[0], np.cumsum(sizes)]),
        states=filtered.states[gone],
        summed=filtered.summed[gone],
    )
    again = problem.truth_points(less, model.geometry, 0, names, weights)
    assert again == (by_score, -np.inf)


def test_variables_that_would_lose_everything_are_counted(model, fine):
    start, states = cascade.first_states(3)
    models = cascade.sub_models(model.geometry, fine[:1], 0, start, states, ("single",))
    filtered = coarse_to_fine.filter_level(models, model.weights["single"][0], start, states, 0.0)
    lifted = filtered._replace(summed=filtered.summed - np.repeat([0.0, 1e6, 1e6], np.diff(start)))
    broken = pose_training.again(lifted, 0.5)
    assert broken.n_rescued == 2
    assert [int(broken.keep[broken.of(v)].sum()) for v in (1, 2)] == [1, 1]
    assert pose_training.again(filtered, 0.5).n_rescued == 0


def test_measuring_counts_the_truth(model, clip):
    clips, model = np.arange(2), model._replace(alphas={"single": np.full(7, 0.4)})
    measured = measure.measure(model, clip.images, clip.limbs)
    rows = measure.rows(measured, clip.limbs, clips)
    assert [row["grid"] for row in rows][::6] == ["10x10x24", "80x80x24"]
    for row in rows:
        assert 0 <= row["oracle_pcp25_top4"] <= row["oracle_pcp25"] <= row["oracle_pcp25_unpruned"] <= 100
        assert row["efficiency"] <= row["efficiency_of_final"]
        assert set(row["pcp50"]) == set(pose.PARTS[:3])
        assert (row["n_broken"], row["n_variables"]) == (0, 6)
    assert "detect_ms" in rows[-1]
    fine = list(cascade.detect(model, clip.images))
    seen = measure.measure(model, clip.images, clip.limbs, fine)
    assert "detect_ms" not in measure.rows(seen, clip.limbs, clips)[-1]
    right = pose.is_correct(measured.best[:, -1], clip.limbs[:, :3], 0.5).mean(axis=0) * 100
    assert list(rows[-1]["pcp50"].values()) == pytest.approx(right.tolist())
    half = [measure.Measured(*(array[[f]] for array in measured)) for f in (0, 1)]
    assert measure.rows(measure.join_measured(half), clip.limbs, clips) == rows


@pytest.mark.parametrize("number", [0, 3, 6])
def test_what_a_grid_can_reach_is_what_a_search_through_all_of_it_finds(number):
    rng = np.random.default_rng(number)
    reachable = []
    for _ in range(12):
        angle, length = rng.uniform(0, 2 * np.pi), rng.uniform(25, 60)
        inner = rng.uniform(-10, 250, 2)
        limb = np.stack([inner, inner + length * np.array([np.cos(angle), np.sin(angle)])])
        everything = pose.limbs_of(number, 1, np.arange(pose.grid(number).n_states))
        wanted = pose.is_correct(everything, limb, 0.25).any()
        assert pose.is_reachable(number, 1, limb) == wanted
        reachable.append(wanted)
    assert not all(reachable)


def test_following_a_clip_says_how_near_it_comes(model, clip, fine):
    model = model._replace(alphas=dict.fromkeys(cascade.SUB_MODELS, np.full(7, 0.4)))
    for method, n_runs in (("single", 2), ("ensemble", 1)):
        followed = follow.follow(model, fine, clip.limbs, method)
        assert np.shape(followed["frames"]) == (2, len(follow.MEASURES))
        assert (followed["n_runs"], followed["n_variables"]) == (n_runs, 6 * 7)
        assert 0 <= followed["n_lost"] <= n_runs
        assert 1 <= followed["states_kept"] <= pose.grid(6).n_states
    alone = [follow.follow(model, fine[f : f + 1], clip.limbs[f : f + 1], "single") for f in (0, 1)]
    together = follow.follow(model, fine, clip.limbs, "single")
    assert together["frames"] == [piece["frames"][0] for piece in alone]


def test_rows_are_means_over_frames_with_the_spread_of_clips():
    def piece(clip, *elbows):
        frames = [[elbow, 1.0, 100.0, 50.0] for elbow in elbows]
        return {"clip": clip, "frames": frames, "states_kept": 10.0, "n_runs": 1, "n_lost": clip == "a",
                "n_broken": 1, "n_variables": 21}  # fmt: skip

    pieces = [piece("a", 4.0, 6.0), piece("a", 8.0), piece("b", 2.0, 2.0, 2.0)]
    other = [piece("a", 5.0, 7.0), piece("a", 9.0), piece("b", 3.0, 3.0, 3.0)]
    row = follow.row(pieces, other)
    assert (row["n_clips"], row["n_pieces"], row["n_frames"]) == (2, 3, 6)
    assert row["elbow_error"] == 4.0
    assert row["elbow_error_stderr"] == pytest.approx(
        follow.clip_error(np.array([4, 6, 8, 2, 2, 2.0]), np.array([0, 0, 0, 1, 1, 1])), abs=1e-3
    )
    assert (row["elbow_gain_over_single"], row["elbow_gain_stderr"]) == (1.0, 0.0)
    assert row["joint_loss"] == pytest.approx(66.667)
    assert (row["n_broken"], row["n_variables"]) == (3, 63)
    assert row["elbow_error_quartiles"] == pytest.approx((2 + 2 + 2 + 4) / 4)
    assert follow.row(pieces[2:], other[2:])["elbow_error_stderr"] is None


def test_clip_errors_see_clips_not_frames():
    rng = np.random.default_rng(0)
    values = rng.normal(size=50)
    wanted = values.std(ddof=1) / np.sqrt(50)
    assert follow.clip_error(values, np.arange(50)) == pytest.approx(wanted)
    assert follow.clip_error(np.repeat(values, 4), np.repeat(np.arange(50), 4)) == pytest.approx(wanted)
    assert np.isnan(follow.clip_error(values, np.zeros(50, int)))


def test_scenes(clip):
    scene = live.scene_of("rendered", 3, 2)
    assert (scene.images == clip.images).all()
    assert scene.pictures[0].startswith("data:image/jpeg;base64,")
    assert live.scene_of("astronaut", 0, 1).images.shape == (1, 240, 240, 3)
    frames = np.full((2, 50, 100, 3), 7, np.uint8)
    assert (live.upload_scene(frames, 0.5, 0.5, 0.5).images == 7).all()
    with pytest.raises(ArgumentError, match="size must be a number from"):
        live.upload_scene(frames, 0.5, 0.5, 0)


def test_geometry_of_time_links_the_same_limb(clip):
    fitted = cascade.fit_geometry(clip.limbs, np.zeros(2, int), 3)
    edges, kinds = cascade.edges_over_time(3, 3, "right upper arm")
    assert edges[-2:].tolist() == [[2, 5], [5, 8]]
    assert kinds[-2:].tolist() == [4, 4]
    assert len(fitted.joints.mean) == 5
