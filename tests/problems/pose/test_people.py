"""Joint learning on signing clips: who teaches whom, what is learned, what a fold says."""

from dataclasses import replace

import numpy as np
import pytest

from spcviz.problems.pose.data import signs
from spcviz.problems.pose.model import cascade, features, levels, seen
from spcviz.problems.pose.model import detectors as pose_detectors
from spcviz.problems.pose.paper import ensemble, joint_signers

SETTINGS = replace(joint_signers.SETTINGS, n_frames=3, n_clips=2)


@pytest.fixture(scope="module")
def clips():
    """Two frames of one clip of each person."""
    names = [fold.test[0] for fold in signs.folds()]
    out = {}
    for clip in signs.load_signs(names, every=20):
        cells = np.stack([features.histograms(image).astype(np.float16) for image in clip.images[:2]])
        out[clip.name] = seen.Clip(clip.name, cells, clip.limbs[:2], clip.is_seen[:2], 1.0)
    return out


@pytest.fixture(scope="module")
def model(clips):
    rng = np.random.default_rng(0)
    shapes = {part: (len(features.sample_points(part)), features.N_CHANNELS) for part in (0, 1)}
    detectors = {part: rng.normal(size=shape) for part, shape in shapes.items()}
    limbs = np.concatenate([clip.limbs for clip in clips.values()])
    numbers = np.repeat(np.arange(len(clips)), 2)
    cells = next(iter(clips.values())).cells
    return pose_detectors.untrained(detectors, cells, limbs, numbers, SETTINGS)


@pytest.fixture(scope="module")
def learnt(clips, model):
    """Person A left out; one clip holds the thresholds, two teach."""
    patch = pytest.MonkeyPatch()
    names = list(clips)
    patch.setattr(joint_signers, "teachers", lambda fold: (names[1:3], names[4:5]))
    patch.setattr(joint_signers, "STEP_OVER_TIME", 0.05)
    yield joint_signers.learn(model, "A", clips, SETTINGS)
    patch.undo()


def test_the_left_out_person_neither_teaches_nor_holds_thresholds():
    of = dict(zip(signs.load_reference().clips, signs.load_reference().persons))
    for fold in signs.folds():
        teach, dev = joint_signers.teachers(fold)
        assert sorted(teach + dev) == sorted(fold.train)
        assert not set(teach) & set(dev)
        others = set(signs.PERSONS) - {fold.person}
        assert {of[name] for name in teach} == {of[name] for name in dev} == others


def test_there_are_sixty_pieces_and_no_frame_is_in_two():
    frames = np.diff(signs.load_reference().start)
    sizes = [len(range(0, n, seen.EVERY)) for n in frames]
    blank = [
        seen.Clip(str(i), np.empty((n, 0)), np.empty((n, 0)), np.ones((n, 5), bool), 0.0)
        for i, n in enumerate(sizes)
    ]
    parts = joint_signers.cut(blank)
    assert len(parts) >= 60
    assert max(part.stop - part.start for _, part in parts) == joint_signers.PIECE
    for clip in blank:
        own = [f for other, part in parts if other is clip for f in range(part.start, part.stop)]
        assert own == sorted(set(own))
        assert own[-1] < len(clip.cells)
    is_seen = np.ones((sizes[0], 5), bool)
    is_seen[1, 0] = is_seen[joint_signers.PIECE * joint_signers.EVERY_PIECE, 4] = (
        False  # a torso; a lower arm, which may be
    )
    left = joint_signers.sure(
        joint_signers.cut([blank[0]._replace(is_seen=is_seen)]), 100, np.random.default_rng(0)
    )
    assert [part.start for _, part in left] == [part.start for _, part in joint_signers.cut(blank[:1])][1:]


def test_joint_learning_moves_all_sub_models_and_only_by_clips_moves_ties(learnt):
    assert set(learnt) == {
        ("single", "none"), ("torso", "hand-set"), ("torso", "learned"), ("ensemble", "hand-set"),
        ("ensemble", "learned"),
    }  # fmt: skip
    single = learnt["single", "none"].weights["single"]
    for method, ties in ((1, "torso"), (3, "ensemble")):
        hand, learned = (learnt[ties, how].weights[ties] for how in ("hand-set", "learned"))
        assert (hand == np.repeat(single, method, axis=1)).all()
        assert hand.shape == learned.shape == (7, method, 24)
        assert (np.abs(learned - hand).max(axis=(0, 2)) > 0).all()  # each sub-model
        over_time = learned.reshape(7, method, 8, 3)[:, :, 5:]
        for sub, limb in enumerate(cascade.SUB_MODELS[ties]):
            own = ("torso", "left upper arm", "right upper arm").index(limb)
            moved = np.abs(over_time[:, sub] - 1).max(axis=(0, 2)) > 0
            assert moved[own]
            assert moved.sum() == 1  # a sub-model has no ties of another's limb to learn


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
    made = joint_signers.measured(learnt, clips, list(clips)[:1])
    rows = ensemble.rows_of("signs, A", made)
    assert [(row["method"], row["ties"]) for row in rows] == list(learnt)
    for row in rows:
        assert row["data"] == "signs"
        assert (row["n_clips"], row["n_pieces"], row["n_frames"]) == (1, 1, 2)
        assert not any("ms" in key.split("_") for key in row)  # rows of folds hold no times
        assert ("elbow_gain_over_hand_set" in row) == (row["ties"] == "learned")
    joined = ensemble._joined([made, made])
    both = ensemble.rows_of("signs", joined)
    assert [row["n_pieces"] for row in both] == [2] * 5
    assert [row["elbow_error"] for row in both] == [row["elbow_error"] for row in rows]


def test_folds_are_persons_and_sets():
    assert [ensemble.kind_of(fold) for fold in ensemble.FOLDS] == ["signs"] * 5 + ["rendered", "buffy"]
