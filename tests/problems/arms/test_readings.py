"""dms-pose and policy-pose end to end on a few made-up chains; what the tallies and times say."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from experiments.arms import dms_pi, reproduce
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets.batch_selection import Looked
from spcviz.learning.budgets.expansion import expand
from spcviz.problems.arms.data.proposals import N_MODES, N_TIERS, ArmClips
from spcviz.problems.arms.model import dms as dms_pose
from spcviz.problems.arms.model import fit
from spcviz.problems.arms.model import readings as pose_budgets
from spcviz.problems.arms.model.features import LADDER, STATE_EDGES, STEP_EDGES
from spcviz.problems.arms.model.readings import GRID
from spcviz.problems.arms.model.tallies import Tally, gain_kept, gap, ratio_error
from spcviz.problems.arms.page.shown import (
    ANY_SPANS,
    EITHER,
    EVERYONE,
    SPAN_LENGTHS,
    SPANS,
    TIERS,
    WHOLE_SPANS,
    spans_of,
)
from spcviz.problems.pose.data import signs
from spcviz.registry.problem import Run

MS = np.array([9.0, 30.0, 70.0])
SETTINGS = replace(fit.ArmSettings(), epochs=2)


@pytest.fixture(scope="module")
def clips():
    """Ten clips of two arms whose second tier tells which proposal is right; other features are noise."""
    rng = np.random.default_rng(0)
    lengths = np.repeat(rng.integers(2, 6, 10), 2)
    n = lengths.sum()
    truth = rng.uniform(60, 180, (n, 3, 2))
    joints = truth[:, None] + rng.normal(0, 30, (n, N_MODES, 3, 2))
    off = np.linalg.norm(joints[:, :, 1:] - truth[:, None, 1:], axis=-1).sum(axis=2)
    state = rng.normal(size=(n, N_MODES, STATE_EDGES[-1]))
    state[..., STATE_EDGES[1]] = -off / 20
    step = rng.normal(size=(n, N_MODES, 5, STEP_EDGES[-1]))
    before = np.stack([rng.permutation(N_MODES)[:5] for _ in range(n * N_MODES)]).reshape(n, N_MODES, 5)
    looks = rng.dirichlet(np.ones(8), (n, N_MODES))
    return ArmClips(
        np.repeat(np.arange(10), 2), np.tile([0, 1], 10), np.concatenate([[0], np.cumsum(lengths)]),
        joints.astype(np.float32), truth, before, state.astype(np.float32), step.astype(np.float32),
        looks.astype(np.float32), np.tile(MS / 1e3, (n, 1)),
    )  # fmt: skip


@pytest.fixture(scope="module")
def dms(clips):
    return dms_pose.measure(trial(clips, (0.6, 0.2, 0.2)), SETTINGS)


@pytest.fixture(scope="module")
def policy(clips):
    return dms_pi.measure(trial(clips, (0.7, 0.3)), SETTINGS)


@pytest.fixture(scope="module")
def of_people(clips):
    """policy-pose of ten clips of three persons: entries of the result."""
    people = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    measured = dms_pi.measure(trial(clips, (0.7, 0.3))._replace(people=people), SETTINGS)
    return people, measured, reproduce.policy_result(measured)


def trial(clips, shares):
    splits = [partial(fit.partition, clips, i, shares) for i in range(2)]
    return fit.Trial(splits, ["first", "second"], MS, fit.draw_parts)


def wrong_by_hand(clips, splits, read):
    """Share of wrong elbows and wrists, percent, of a reader of test chains."""
    wrong, n = np.zeros(2), 0
    for split in splits:
        labels, test = read(split), split[-1]
        wrong += (test.errors[np.arange(len(labels)), labels] > 20).sum(axis=0)
        n += len(labels)
    return 100 * wrong / n


def test_every_method_ends_where_everything_is_bought(dms, policy):
    for measured in (dms, policy):
        early = () if measured is policy else ("imitation", EVERYONE)
        assert EITHER in measured.tallies
        whole = [t for name, t in measured.tallies.items() if name not in early]
        for tally in whole:
            assert tally.error[-1] == pytest.approx(whole[0].error[-1])
            # Of single frames the first ones have no flow to pay for: some are lifted at 0.
            if measured is dms:
                assert tally.error[0] == pytest.approx(whole[0].error[0])
            assert (np.diff(tally.mean("ms_per_frame")) > -1e-9).all()
            assert (tally.mean("budget_share") <= 100 * GRID + 1e-6).all() or measured is dms
            assert tally.mean("features_share")[-1] == pytest.approx(100.0)
            assert tally.mean("features_share")[0] < 40.0  # first frames have no flow to pay for
    assert policy.fixed.error[-1] == pytest.approx(policy.tallies["greedy"].error[-1])
    assert dms.stops[0].tolist() == [1, 0, 0]
    assert dms.stops[-1] == pytest.approx([0, 0, 1])
    assert dms.stops.sum(axis=1) == pytest.approx(1.0)


def test_errors_are_those_of_the_readers(clips, dms):
    splits = [fit.partition(clips, i, (0.6, 0.2, 0.2)) for i in range(2)]
    best = wrong_by_hand(clips, splits, lambda split: fit.find_nearest_paths(split[-1], SETTINGS))
    at_20 = dms_pose.RADII.index(20)
    assert 100 - dms.within[-1, at_20] == pytest.approx(best)
    plain = 100 - dms.within[1 : 1 + N_TIERS, at_20]
    assert plain[0] == pytest.approx(dms.tallies["fixed"].error[0])
    assert plain[-1] == pytest.approx(dms.tallies["fixed"].error[-1])
    assert plain[2].sum() < plain[0].sum()  # full detectors tell the truth here


def test_budgets_in_time_are_kept_overhead_and_all(policy):
    for tally in policy.targets.values():
        limit = (policy.base_ms + policy.full_ms) / np.array(pose_budgets.TARGETS)
        # A split's own frames may have flow more or less often than all frames.
        assert (tally.mean("ms_per_frame") <= 1.1 * limit + tally.mean("overhead_ms")[-1]).all()
    assert policy.full_ms == pytest.approx(100.5 - 70.5 * 20 / 68, rel=0.2)
    assert policy.fixed.mean("ms_per_frame")[0] == policy.base_ms == MS[0]


def test_results_have_the_promised_rows(clips, dms, policy):
    promised = {"method", "ms_per_frame", "features_share", "elbow_error", "wrist_error", "opponent"}
    for result in (reproduce.dms_result(dms, clips), reproduce.policy_result(policy)):
        json.dumps(result, allow_nan=False)
        assert all(promised <= row.keys() for row in result["rows"])
        assert {tuple(row["tiers"]) for row in result["rows"]} == {tuple(tier.name for tier in TIERS)}
        assert {row["detectors_ms"] for row in result["rows"]} == {MS[0]}
        assert all(row["ms_per_frame"] >= MS[0] for row in result["rows"])
        named = {row["opponent"] for row in result["rows"]} - {None}
        assert named >= {"random clips, at once to the useful tier", "random tier by tier", "oracle"}
    assert {row["method"] for row in result["table"]} >= {*dms_pi.FIXED, "q-learning", "oracle"}
    ours = [row for row in result["table"] if row["method"] == "q-learning"]
    beyond = [row for row in ours if row.get("is_beyond")]
    assert [row["target"] for row in ours if row not in beyond] == list(pose_budgets.TARGETS)
    assert [row["target"] for row in beyond] == [row["paper"]["speedup"] for row in ours if "paper" in row]
    assert [row["target"] for row in beyond] == list(dms_pi.THESIS_TARGETS)
    free = policy.base_ms + policy.full_ms / np.array(dms_pi.THESIS_TARGETS)
    assert all(row["ms_per_frame"] <= 1.1 * limit for row, limit in zip(beyond, free))


def test_frames_spans_and_whole_arms_are_measured_alike(policy):
    names = {SPANS, ANY_SPANS, WHOLE_SPANS, *map(spans_of, SPAN_LENGTHS)}
    assert names < policy.tallies.keys()
    assert names < policy.targets.keys()
    assert names < policy.beyond.keys()
    assert list(policy.lengths[SPANS]) == ["4", "6", "8"]
    assert list(policy.lengths[ANY_SPANS]) == ["1", "4", "6", "8", "all", "clips"]
    assert [sum(counted.values()) for counted in policy.lengths.values()] == [2, 2]
    # Chains of at most five frames: spans of 6 and 8 are whole arms, to the last purchase.
    for name in (spans_of(6), spans_of(8)):
        assert (policy.tallies[name].wrong == policy.tallies[WHOLE_SPANS].wrong).all()
        assert (policy.tallies[name].mean("ms_per_frame") > 0).all()
    # What is bought at once comes later: the first purchase of a whole arm is its dearest.
    shares = [policy.tallies[name].mean("features_share") for name in ("q-learning", WHOLE_SPANS)]
    assert shares[0][1] > shares[1][1]


def test_the_length_that_wastes_least_on_held_out_clips_is_what_is_reported(clips, monkeypatch):
    train = dms_pi.best_queue

    def only_spans_of_four_are_good(learn, *rest):
        is_four = np.diff(learn.first).max() == 4
        return train(learn, *rest)._replace(badness=-1.0 if is_four else 1e9)

    monkeypatch.setattr(dms_pi, "best_queue", only_spans_of_four_are_good)
    measured = dms_pi.measure(trial(clips, (0.7, 0.3)), SETTINGS)
    assert measured.lengths[SPANS] == {"4": 2, "6": 0, "8": 0}
    assert measured.lengths[ANY_SPANS] == {"1": 0, "4": 2, "6": 0, "8": 0, "all": 0, "clips": 0}
    for name in (SPANS, ANY_SPANS):
        assert (measured.tallies[name].wrong == measured.tallies[spans_of(4)].wrong).all()
    assert (measured.tallies[SPANS].wrong != measured.tallies[WHOLE_SPANS].wrong).any()
    monkeypatch.setattr(dms_pi, "_wasted_by_clips", lambda *rest: -2.0)
    measured = dms_pi.measure(trial(clips, (0.7, 0.3)), SETTINGS)
    assert measured.lengths[ANY_SPANS]["clips"] == 2
    whole = measured.tallies[dms_pi.LENGTHS[1]]
    assert dms_pi.LENGTHS[1] == "q-learning, whole clips"
    assert (measured.tallies[ANY_SPANS].wrong == whole.wrong).all()
    assert measured.lengths[SPANS] == {"4": 2, "6": 0, "8": 0}


def test_whole_clips_are_judged_on_held_out_chains_by_selectors_that_have_not_seen_them():
    """Two chains a clip; what their first meta-feature tells of the gain wastes less than noise does."""
    knows = made_up(0)._replace(group=np.repeat(np.arange(60), 2))
    blind = knows._replace(meta=np.random.default_rng(1).normal(size=knows.meta.shape))
    costs, held = np.ones((120, 2)), np.arange(0, 120, 3)
    told, guessed = (
        dms_pi._wasted_by_clips(of, costs, True, held, np.random.default_rng(0)) for of in (knows, blind)
    )
    assert knows.losses[held, 2].sum() < told < guessed < knows.losses[held, 0].sum()


def test_lines_say_what_is_kept_on_both_clocks(of_people):
    people, measured, result = of_people
    json.dumps(result, allow_nan=False)
    assert {row["clock"] for row in result["rows"]} == {"with detectors"}
    for row in result["table"]:
        assert row["clock"] == ("without detectors" if row.get("is_beyond") else "with detectors")
        assert row["n_clips"] == measured.fixed.n_tested
        assert row["n_people"] == len(set(people[measured.fixed.frames > 0]))
        assert {"improvement", "improvement_stderr", "improvement_stderr_people"} <= row.keys()
    lines = {(row["method"], row["target"], row["clock"]): row for row in result["table"] if "target" in row}
    compared = 0
    for (_, *where), row in lines.items():
        for rival, (more, over_clips, over_people) in row.get("improvement_minus", {}).items():
            apart = row["improvement"] - lines[rival, *where]["improvement"]
            assert more == pytest.approx(apart, abs=0.05)  # of errors that are rounded
            assert (more == 0) or min(over_clips, over_people) > 0
            compared += 1
    assert compared == 10 * (len(pose_budgets.TARGETS) + len(dms_pi.THESIS_TARGETS))
    over_people = result["summary"]["q_learning_minus_people"]
    assert over_people.keys() == result["summary"]["q_learning_minus"].keys()
    by_hand = [measured.targets[name].by(people) for name in ("q-learning", "greedy")]
    assert over_people["greedy"]["2"] == pytest.approx(gap(*by_hand, 0)[1].tolist(), abs=1e-3)
    assert result["summary"]["people"] == {"n": 3, "two_stderr_hold": pytest.approx(81.65, abs=0.01)}
    all_tiers = next(row for row in result["table"] if row["method"] == "All")
    assert (all_tiers["improvement"], all_tiers["improvement_stderr"]) == (100.0, 0.0)


def test_where_every_clip_is_someone_elses_there_is_no_other_spread(policy):
    result = reproduce.policy_result(policy)
    assert result["summary"]["people"] is None
    for row in result["table"]:
        assert row["n_people"] is row["improvement_stderr_people"] is row["error_stderr_people"] is None
        assert all(len(minus) == 2 for minus in row.get("improvement_minus", {}).values())
    drawn = {row["method"] for row in result["rows"]}
    assert {SPANS, ANY_SPANS, WHOLE_SPANS} < drawn
    assert not drawn & set(map(spans_of, SPAN_LENGTHS))
    assert set(map(spans_of, SPAN_LENGTHS)) < {row["method"] for row in result["table"]}


def test_a_person_is_one_however_many_clips():
    frames = np.array([4.0, 4.0, 2.0, 6.0, 0.0])
    fixed, ours, other = Tally(2, 5), Tally(1, 5), Tally(1, 5)
    fixed.add(
        np.repeat([[[4.0], [2.0], [2.0], [5.0], [0.0]], [[1.0], [1.0], [0.0], [3.0], [0.0]]], 2, axis=2),
        frames,
    )
    ours.add(np.repeat([[[2.0], [1.0], [1.0], [3.0], [0.0]]], 2, axis=2), frames, ms=[7.0])
    other.add(np.repeat([[[3.0], [2.0], [1.0], [4.0], [0.0]]], 2, axis=2), frames)
    people = np.array([8, 8, 3, 3, 5])
    together = ours.by(people)
    assert together.wrong[0, :, 0].tolist() == [4.0, 0.0, 3.0]  # persons 3, 5, 8
    assert together.frames.tolist() == [8.0, 0.0, 8.0]
    assert together.n_tested == 2
    assert ours.n_tested == 4
    assert together.error.tolist() == ours.error.tolist()
    assert together.mean("ms").tolist() == [7.0]
    # By hand: gained of possible 2/3, 1/1, 1/2, 2/2 by clip; 3/4, 3/4 by person; the other 1, 0, 1, 1.
    share, spread = gain_kept(ours, fixed, 0)
    gained, possible = np.array([2.0, 1.0, 1.0, 2.0]), np.array([3.0, 1.0, 2.0, 2.0])
    assert share == pytest.approx(75.0)
    assert spread == pytest.approx(100 * np.sqrt(4 / 3 * ((gained - 0.75 * possible) ** 2).sum()) / 8)
    assert gain_kept(together, fixed.by(people), 0) == (pytest.approx(75.0), pytest.approx(0.0))
    more, apart = gain_kept(ours, fixed, 0, other)
    assert more == pytest.approx(100 * (6 - 3) / 8)
    assert apart == pytest.approx(
        100 * np.sqrt(4 / 3 * ((np.array([1.0, 1.0, 0.0, 1.0]) - 3 / 8 * possible) ** 2).sum()) / 8
    )
    assert np.isnan(gain_kept(ours, ours, 0)).all()  # nothing can be gained


def test_methods_are_compared_at_equal_milliseconds(dms):
    limit = (dms.base_ms + dms.full_ms) / np.array(pose_budgets.TARGETS)
    for name, tally in dms.equal.items():
        spent = tally.mean("ms_per_frame")
        assert (spent <= 1.1 * limit).all(), name  # a split's own frames may have more flow
    assert (dms.equal["dms"].mean("ms_per_frame") > 0.5 * limit)[:3].all()
    imitation, ours = (dms.equal[key].mean("ms_per_frame") for key in ("imitation", dms_pose.AS_IMITATION))
    assert (ours <= imitation + 1e-9).all()
    assert (ours <= dms.equal["dms"].mean("ms_per_frame") + 1e-9).all()


def test_the_selector_predicts_what_can_be_predicted():
    train, test = made_up(0), made_up(1)
    errors = dms_pose._value_errors(train, test, np.random.default_rng(0))
    r2 = dms_pose._r2(errors)
    assert r2[0] > 0.9  # the first model's gain stands in a meta-feature
    assert abs(r2[1]) < 0.2  # the second's does not
    gains = (test.losses[:, 1:2] - test.losses[:, 2:]) / 10
    mean = ((train.losses[:, 1] - train.losses[:, 2]) / 10).mean()
    assert errors[1, 1] == pytest.approx(((gains - mean) ** 2).sum())


def made_up(seed):
    """120 chains of ten parts, three models, one meta-feature that tells the first one's gain."""
    rng = np.random.default_rng(seed)
    gains = rng.integers(0, 10, (120, 2))
    losses = 20 - np.concatenate([np.zeros((120, 1), dtype=int), np.cumsum(gains, axis=1)], axis=1)
    meta = np.repeat(gains[:, :1, None] + rng.normal(0, 0.1, (120, 1, 1)), 2, axis=1).astype(float)
    return Looked(meta, losses, np.zeros((3, 1200), dtype=np.int64), np.arange(120), np.full(120, 10))


def test_rows_of_a_split_do_not_depend_on_the_clock(dms, policy):
    assert (
        [fold["fold"] for fold in dms.folds] == [fold["fold"] for fold in policy.folds] == ["first", "second"]
    )
    rows = [row for fold in dms.folds for row in fold["rows"] if row.get("model") == 2]
    by_split = np.array([[row["elbow_error"], row["wrist_error"]] for row in rows])
    assert by_split.shape == (2, 2)
    assert {"model", "elbow_error", "wrist_error"} == rows[0].keys()
    last = [fold["rows"][-1] for fold in policy.folds]
    assert [row["tier"] for row in last] == [N_TIERS - 1] * 2
    assert {line["fold"] for line in dms.by_fold} == {"first", "second"}


def test_frames_without_truth_cost_but_do_not_count(clips):
    truth = clips.truth.copy()
    truth[::3] = np.nan
    some = clips._replace(truth=truth)
    known = np.arange(len(truth)) % 3 != 0
    assert (some.is_known == known).all()
    numbers = np.unique(clips.clip)
    assert pose_budgets.frames_by_clip(some, numbers).sum() == known.sum()
    assert pose_budgets.near_share(some)[0] == pytest.approx(
        100 * (clips.loss.min(axis=1) == 0)[known].mean()
    )
    measured = dms_pose.measure(trial(some, (0.6, 0.2, 0.2)), SETTINGS)
    splits = [fit.partition(some, i, (0.6, 0.2, 0.2)) for i in range(2)]
    n = sum(split[-1].is_known.sum() for split in splits)
    assert measured.tallies["dms"].frames.sum() == n
    best = [fit.find_nearest_paths(split[-1], SETTINGS) for split in splits]
    near = [split[-1].errors[np.arange(len(b)), b] <= 20 for split, b in zip(splits, best, strict=True)]
    assert measured.within[-1, dms_pose.RADII.index(20)] == pytest.approx(
        100 * sum(hits.sum(axis=0) for hits in near) / n
    )
    assert measured.full_ms == pytest.approx(fit.costs_of(clips, MS[1:]).sum() / len(clips.joints))


def test_without_development_chains_queues_are_chosen_by_cross_validation(clips):
    made = trial(clips, (0.7, 0.3))
    measured = dms_pose.measure(made, SETTINGS)
    assert sum(measured.queues.values()) == 2
    assert measured.tallies["dms"].frames.sum() == sum(len(draw()[-1].joints) for draw in made.splits)


def test_parts_replace_their_own_figures_only():
    def result(name, value):
        row = {"data": name, "method": "dms", "error": value}
        return {
            "name": "dms-pose", "rows": [row], "equal_ms": [row], "baselines": [], "summary": {name: value},
            "data_digests": {name: str(value)}, "fold_rows": [{"fold": f"{name} 1", "rows": [value]}],
            "settings": {"data": {name: value}, "quick": False},
        }  # fmt: skip

    both = reproduce.merge_results(result("rendered", 1), result("signs", 2))
    assert [row["data"] for row in both["rows"]] == ["signs", "rendered"]
    assert list(both["summary"]) == list(both["settings"]["data"]) == ["signs", "rendered"]
    again = reproduce.merge_results(both, result("rendered", 3))
    assert [row["error"] for row in again["equal_ms"]] == [2, 3]
    assert again["summary"] == {"signs": 2, "rendered": 3}
    assert again["data_digests"] == {"signs": "2", "rendered": "3"}
    assert sorted(fold["fold"] for fold in again["fold_rows"]) == ["rendered 1", "signs 1"]
    assert reproduce.merge_results({"settings": {}}, both) == both


def test_tallies_add_up_and_their_errors_are_over_clips():
    tally = Tally(1, 3)
    tally.add(np.array([[[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]]), np.array([4.0, 4.0, 0.0]), ms_per_frame=[1.0])
    tally.add(np.array([[[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]]), np.array([4.0, 0.0, 0.0]), ms_per_frame=[3.0])
    assert tally.error.tolist() == [[25.0, pytest.approx(100 / 3)]]
    assert tally.mean("ms_per_frame").tolist() == [2.0]
    # By hand: clip 0 is 3 of 8 frames wrong, clip 1 is 0 of 4; ratio estimator over two clips.
    want = 100 * np.sqrt(2 * ((3 - 8 / 4) ** 2 + (0 - 4 / 4) ** 2)) / 12
    assert tally.stderr()[0, 0] == pytest.approx(want)
    assert np.isnan(ratio_error(np.ones((1, 1, 2)), np.ones(1))).all()
    apart, spread = gap(tally, tally, 0)
    assert apart.tolist() == [0, 0]
    assert spread.tolist() == [0, 0]


def test_first_frames_have_no_flow(clips):
    costs = fit.costs_of(clips, MS[1:])
    assert (costs[clips.starts[:-1]] == 0).all()
    sums = pose_budgets.chain_costs(clips, costs)
    lengths = np.diff(clips.starts)
    assert sums == pytest.approx(np.stack([30 * (lengths - 1), 70 * (lengths - 1)], axis=1))
    assert LADDER == tuple(tier.key for tier in TIERS) == ("detectors", "coarse_flow", "flow")


def test_the_useful_tier_is_the_first_that_comes_near_the_best():
    losses = np.array([[60, 50, 31, 30, 33]])
    looked = Looked(None, losses, None, None, np.array([100]))
    assert dms_pose.useful_tier(looked) == 2  # 0.5 points more than the least
    looked = looked._replace(sizes=np.array([10]))
    assert dms_pose.useful_tier(looked) == 3  # 5 points


def test_each_budget_gets_the_order_that_training_clips_prefer():
    ours, other = (
        {"method": name, "cost": np.array([0.0, 0.4, 1.0]), "share": curve[:, None], "words": curve[:, None],
         "error": np.stack([10 - curve, curve], axis=1)}
        for name, curve in (("dms", np.array([0.0, 1.0, 3.0])), ("uniform", np.array([0.0, 2.0, 3.0])))
    )  # fmt: skip
    is_other = pose_budgets.SHARES < 0.5
    row = dms_pose._either(ours, other, is_other)
    assert row["method"] == EITHER
    at = [np.searchsorted(pose_budgets.SHARES, share) for share in (0.1, 0.45, 0.55, 1.0)]
    assert row["share"][at, 0].tolist() == [0.0, 2.0, 1.0, 3.0]
    assert row["error"][at, 1].tolist() == [0.0, 2.0, 1.0, 3.0]


def test_random_clips_go_to_the_useful_tier_at_once():
    values = dms_pose.at_once(2, (6, 5), np.random.default_rng(0))
    bought = expand(values, np.ones(4))
    assert bought.tier.tolist() == [*(6 * [1, 2]), *(6 * [3]), *(6 * [4])]
    assert (bought.example[:12:2] == bought.example[1:12:2]).all()


def test_each_person_is_left_out_and_read_by_models_that_have_not_seen_it(clips, monkeypatch):
    persons = np.array(signs.load_reference().persons)
    every = clips.choose(np.arange(40) % 20)._replace(clip=np.repeat(np.arange(20), 2))
    monkeypatch.setattr(reproduce.proposals, "sign_clips", lambda *rest: every)
    monkeypatch.setattr(reproduce.proposals, "rendered_clips", lambda *rest: clips.choose([0, 1]))
    made = reproduce._signs(Run("dms-pose"), None, None)
    n_repeats = reproduce.N_REPEATS
    assert len(made.trial.splits) == len(made.trial.names) == 5 * n_repeats
    assert len(set(made.trial.names)) == 5 * n_repeats
    for draw, name in zip(made.trial.splits, made.trial.names, strict=True):
        train, test = draw()
        assert set(persons[test.clip]) == {name.split()[1]}
        assert set(persons[train.clip]) == set("ABCDE") - {name.split()[1]}
        assert len(train.clip) + len(test.clip) == len(every.clip)
        part = made.trial.part_of(train, SETTINGS, None)
        assert all(len(set(part[persons[train.clip] == person])) == 1 for person in set(persons[train.clip]))
        assert len(set(part)) == 4
    assert made.trial.medians == pytest.approx(MS)
    assert [signs.PERSONS[person] for person in made.trial.people] == list(persons)
    one = reproduce._signs(Run("dms-pose", folds=1), None, None)
    assert one.trial.names == made.trial.names[:n_repeats]  # so one fold can be checked
    assert one.tested is every


def test_predictors_learn_from_more_clips_where_there_are_more(clips, monkeypatch):
    seen, fit_readers = [], fit.fit_readers
    monkeypatch.setattr(
        fit, "fit_readers", lambda c, *rest: seen.append(len(c.clip)) or fit_readers(c, *rest)
    )
    more = clips.choose([0, 1, 2, 3])
    part = np.arange(len(clips.clip)) // 2 % 2
    fit.read_unseen(clips, SETTINGS, np.random.default_rng(0), part, more)
    assert seen == [10 + 4, 10 + 4]
    assert fit.with_more(clips, None) is clips


def test_unknown_sets_of_clips_are_refused():
    with pytest.raises(ArgumentError, match="features must be of signs, rendered"):
        reproduce.measure(Run("policy-pose", features=("buffy",)))
