"""Joint learning over time: training and test persons, learned weights, rows of a fold."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from experiments.pose import clip_sets, ensemble, joint_learning
from spcviz.problems.pose.data import render, signs
from spcviz.problems.pose.model import cascade, features, levels
from spcviz.problems.pose.model import detectors as part_detectors
from spcviz.problems.pose.paper import tables

SETTINGS = replace(joint_learning.SETTINGS, n_frames=3, n_clips=2, step=0.1)
CUT = joint_learning.Cut(2, 1, 1)


@pytest.fixture(scope="module")
def clips():
    """Two frames of one clip of each person."""
    names = [fold.test[0] for fold in signs.folds()]
    out = {}
    for clip in signs.load_signs(names, every=20):
        cells = np.stack([features.histograms(image).astype(np.float16) for image in clip.images[:2]])
        out[clip.name] = part_detectors.Clip(clip.name, cells, clip.limbs[:2], clip.is_seen[:2], 1.0)
    return out


@pytest.fixture(scope="module")
def model(clips):
    rng = np.random.default_rng(0)
    shapes = {part: (len(features.sample_points(part)), features.N_CHANNELS) for part in (0, 1)}
    detectors = {part: rng.normal(size=shape) for part, shape in shapes.items()}
    limbs = np.concatenate([clip.limbs for clip in clips.values()])
    numbers = np.repeat(np.arange(len(clips)), 2)
    cells = next(iter(clips.values())).cells
    return part_detectors.set_by_hand(detectors, cells, limbs, numbers, SETTINGS)


@pytest.fixture(scope="module")
def learnt(clips, model):
    """Models trained on two clips, with thresholds tuned on one."""
    names = list(clips)
    teach, dev = ([clips[name] for name in part] for part in (names[1:3], names[4:5]))
    return joint_learning.learn(model, teach, dev, CUT, SETTINGS)


def test_the_left_out_person_neither_teaches_nor_holds_thresholds():
    of = dict(zip(signs.load_reference().clips, signs.load_reference().persons))
    for fold in signs.folds():
        teach, dev = clip_sets.teachers(fold)
        assert sorted(teach + dev) == sorted(fold.train)
        assert not set(teach) & set(dev)
        others = set(signs.PERSONS) - {fold.person}
        assert {of[name] for name in teach} == {of[name] for name in dev} == others


def test_there_are_sixty_pieces_and_no_frame_is_in_two():
    frames = np.diff(signs.load_reference().start)
    sizes, cut = [len(range(0, n, part_detectors.EVERY)) for n in frames], clip_sets.CUTS["signs"]
    blank = [
        part_detectors.Clip(str(i), np.empty((n, 0)), np.empty((n, 0)), np.ones((n, 5), bool), 0.0)
        for i, n in enumerate(sizes)
    ]
    parts = joint_learning.pieces_of(blank, cut)
    assert len(parts) >= 60
    assert max(part.stop - part.start for _, part in parts) == cut.piece
    for clip in blank:
        covered = [f for other, part in parts if other is clip for f in range(part.start, part.stop)]
        assert covered == sorted(set(covered))
        assert covered[-1] < len(clip.cells)
    is_seen = np.ones((sizes[0], 5), bool)
    is_seen[1, 0] = is_seen[cut.piece * cut.every, 4] = False  # a hidden torso; a hidden lower arm is allowed
    hidden = joint_learning.pieces_of([blank[0]._replace(is_seen=is_seen)], cut)
    left = joint_learning.sure(hidden, 100, np.random.default_rng(0))
    assert [part.start for _, part in left] == [part.start for _, part in hidden][1:]


def test_frames_far_apart_are_every_other_one_of_all_that_is_known_of_them(clips):
    clip = next(iter(clips.values()))
    apart = clip_sets.thin_clip(clip, 2)
    assert len(apart.cells) == len(apart.limbs) == len(apart.is_seen) == 1
    assert clip_sets.thin_clip(clip, 1).limbs.tolist() == clip.limbs.tolist()


def test_rendered_clips_of_teachers_and_tests_are_others_and_something_hides_a_limb():
    ends = [(first, first + 10 * n) for first, n in clip_sets.SEEDS.values()]
    assert all(a[1] < b[0] or b[1] < a[0] for a, b in combinations(ends, 2))
    (clip,) = clip_sets.render_clips(clip_sets.SEEDS["test"][0], 1)
    whole = render.render_clip(int(clip.name), clip_sets.N_FRAMES * clip_sets.STRIDE)
    assert whole.is_hidden[:: clip_sets.STRIDE, :3].any()
    np.testing.assert_array_equal(clip.limbs, whole.limbs[:: clip_sets.STRIDE])


def test_joint_learning_moves_all_sub_models_and_only_by_clips_moves_ties(learnt):
    assert set(learnt) == {("single", "none"), *joint_learning.RUNS}
    single = learnt["single", "none"].weights["single"]
    for method, ties, n, scale in (
        ("torso", "hand-set", 1, 1), ("ensemble", "hand-set", 3, 1), ("ensemble", "scaled", 3, 3)
    ):  # fmt: skip
        learned_ties = next(name for name, before in joint_learning.TIES.items() if before == ties)
        hand, learned = (learnt[method, kind].weights[method] for kind in (ties, learned_ties))
        assert hand.shape == learned.shape == (7, n, 24)
        assert (hand[..., :15] == np.repeat(single, n, axis=1)[..., :15]).all()
        assert (hand[..., 15:] == scale).all()
        assert (np.abs(learned - hand).max(axis=(0, 2)) > 0).all()  # each sub-model
        over_time = learned.reshape(7, n, 8, 3)[:, :, 5:]
        for sub, limb in enumerate(cascade.SUB_MODELS[method]):
            tie = ("torso", "left upper arm", "right upper arm").index(limb)
            moved = np.abs(over_time[:, sub] - scale).max(axis=(0, 2)) > 0
            assert moved[tie]
            assert moved.sum() == 1  # a sub-model learns only its own limb's ties


def test_geometry_and_weights_do_not_tell_left_from_right(learnt):
    model = learnt["ensemble", "learned"]
    place = model.geometry.place_mean
    np.testing.assert_allclose(place[1] * (-1, 1) + (240, 0), place[2])
    weights = model.weights["ensemble"]
    for level in range(7):
        np.testing.assert_allclose(
            weights[level], levels.symmetric(weights[level], cascade.SUB_MODELS["ensemble"], 3)
        )


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")  # no quartiles of 2 frames
def test_rows_of_a_fold(clips, learnt):
    made = joint_learning.measure_model(learnt, list(clips.values())[:1], CUT)
    rows = ensemble.rows_of("signs, A", made)
    assert [(row["method"], row["ties"]) for row in rows] == list(learnt)
    for row in rows:
        assert row["data"] == "signs"
        assert (row["n_clips"], row["n_pieces"], row["n_frames"]) == (1, 1, 2)
        assert not any("ms" in key.split("_") for key in row)  # rows of folds hold no times
        assert ("elbow_gain_over_unlearned" in row) == ("learned" in row["ties"])
    joined = ensemble._join_runs([made, made])
    both = ensemble.rows_of("signs", joined)
    assert [row["n_pieces"] for row in both] == [2] * len(learnt)
    assert [row["elbow_error"] for row in both] == [row["elbow_error"] for row in rows]


def test_folds_are_persons_and_sets():
    kinds = ["signs"] * 5 + ["signs, far apart"] * 5 + ["rendered"] * clip_sets.N_PARTS + ["buffy"]
    assert [ensemble.kind_of(fold) for fold in ensemble.FOLDS] == kinds


def test_tables_name_the_ties_that_there_are():
    assert set(joint_learning.TIES) == set(tables.TIES)
