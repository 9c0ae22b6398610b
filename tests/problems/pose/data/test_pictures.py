"""Windows, and the two sets of single pictures, on the real files where they exist."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body, pictures
from spcviz.problems.pose.data import buffy as data

SIDE = 100.0


def joints(**moved):
    """One upright person; y points down."""
    places = {
        "head_top": (50, 15), "neck": (50, 32), "l_hip": (40, 65), "r_hip": (60, 65),
        "l_shoulder": (62, 35), "l_elbow": (66, 50), "l_wrist": (60, 60),
        "r_shoulder": (38, 35), "r_elbow": (33, 50), "r_wrist": (38, 62),
    } | moved  # fmt: skip
    return {name: np.array([place], dtype=float) for name, place in places.items()}


def test_a_window_is_buffys():
    window, is_upright = pictures._windows(joints(), pictures.MAX_LEAN)
    assert is_upright.tolist() == [True]
    np.testing.assert_allclose(window, [[0.0, 0.0, SIDE]])  # head's top 15 % down; side 2 x head to hips


@pytest.mark.parametrize(
    "moved",
    [
        {"l_hip": (110, 40), "r_hip": (110, 60)},  # lying down
        {"head_top": (50, 60)},  # upside down
        {"l_hip": (40, 45), "r_hip": (60, 45), "head_top": (50, 25)},  # small
        {"r_hip": (np.nan, np.nan)},
    ],
)
def test_who_lies_or_is_small_or_has_no_hips_is_left_out(moved):
    assert not pictures._windows(joints(**moved), pictures.MAX_LEAN)[1].any()


def test_left_is_the_pictures_left():
    facing, away = pictures._limbs(joints())[0], joints()
    away |= {
        f"{a}_{what}": joints()[f"{b}_{what}"]
        for a, b in ("lr", "rl")
        for what in ("shoulder", "elbow", "wrist")
    }
    np.testing.assert_allclose(pictures._limbs(away)[0], facing)
    assert facing[1].tolist() == [[38, 35], [33, 50]]
    assert facing[3].tolist() == [[33, 50], [38, 62]]
    assert facing[0].tolist() == [[50, 32], [50, 65]]


def test_the_sets_look_like_buffy(shared_data):
    buffy = data.load_buffy(shared_data, "train")
    for name, least in (("pose_parse", 200), ("pose_lspet", 500)):
        clips = pictures.load_pictures(shared_data, name)
        n = len(clips.clips)
        assert n > least
        assert clips.images.shape == (n, 240, 240, 3)
        assert clips.limbs.shape == (n, 5, 2, 2)
        is_known = np.isfinite(clips.limbs).all(axis=(2, 3))
        assert is_known[:, :3].mean() > 0.98
        assert is_known[:, 3:].mean() > 0.8
        assert np.isnan(clips.limbs[~is_known]).all()
        torso = clips.limbs[is_known[:, 0], 0]
        lean = np.arctan2(*(torso[:, 1] - torso[:, 0]).T)
        assert np.abs(lean).max() <= pictures.MAX_LEAN + 1e-9
        off = np.median(torso, axis=0) - np.median(buffy.limbs[:, 0], axis=0)
        assert np.abs(off).max() < 15
        lengths = np.nanmedian(np.linalg.norm(clips.limbs[:, :, 1] - clips.limbs[:, :, 0], axis=-1), axis=0)
        np.testing.assert_allclose(lengths, body.LENGTHS, rtol=0.35)


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(ArgumentError, match="get it from http"):
        pictures.load_pictures(tmp_path, "pose_parse")
    with pytest.raises(ArgumentError, match="name must be one of pose_parse, pose_lspet, got 'coco'"):
        pictures.load_pictures(tmp_path, "coco")
    with pytest.raises(ArgumentError, match="max_lean must be a number from"):
        pictures.load_pictures(tmp_path, "pose_parse", max_lean=-1)
