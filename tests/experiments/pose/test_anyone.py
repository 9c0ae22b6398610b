"""The table of people never trained on: its figures from known arrays."""

import numpy as np
import pytest

from experiments.pose import anyone
from spcviz.problems.pose.data import body

TRUTH = np.array(
    [[[100.0, 60.0], [100.0, 140.0]], [[80.0, 60.0], [80.0, 100.0]], [[120.0, 60.0], [120.0, 100.0]]]
)


def part(n, move=0.0, shift=0.0):
    """Frames whose best guess is off by `move` and whose truth lies `shift` away from `TRUTH`."""
    measures = np.ones((n, 7, 7, 3))
    measures[0, -1, 1:3, 0] = 0  # the first frame's torso: pruned, and so not among the top 4
    limbs = np.tile(TRUTH + np.array([shift, 0.0]), (n, 1, 1, 1))
    clips, names = np.arange(n), tuple(f"frame {i}" for i in range(n))
    return {
        "found": measures,
        "best": limbs + np.array([move, 0.0]),
        "limbs": limbs,
        "clips": clips,
        "names": names,
    }


def test_a_row_counts_limbs_and_stands_beside_two_mean_poses():
    parts = {"signs, A": part(2, shift=0.0), "signs, B": part(2, move=30.0, shift=60.0)}
    row = anyone._row("signs", parts, TRUTH)
    assert row["n_pictures"] == row["n_clips"] == 4
    assert row["survivors_pcp25"] == row["top4_pcp25"] == pytest.approx(100 * 10 / 12, abs=0.01)
    assert row["best_pcp50"] == pytest.approx(100 * 8 / 12, abs=0.01)  # 30 px: right for a torso of 80
    assert row["mean_pose_pcp50"] == 50.0  # right for A, 60 px away from B
    assert row["mean_pose_of_others_pcp50"] == 0.0
    assert "mean_pose_of_others_pcp50" not in anyone._row("lspet", {"lspet": part(2)}, TRUTH)


def test_without_a_truth_there_are_no_figures_and_no_failures():
    frames = part(2) | {"limbs": np.full((2, 3, 2, 2), np.nan)}
    row = anyone._row("astronaut", {"astronaut": frames}, TRUTH)
    assert row["best_pcp50"] is row["survivors_pcp25"] is row["best_pcp50_stderr"] is None
    assert anyone._failures("astronaut", frames) == []


def test_the_gallery_shows_the_worst_and_says_why():
    frames = part(4)
    frames["best"] = frames["best"].copy()
    frames["best"][2, 1] += (0.0, 50.0)
    worst, *_ = anyone._failures("buffy", frames)
    assert (worst["picture"], len(anyone._failures("buffy", frames))) == ("frame 2", anyone.N_GALLERY)
    assert worst["said"].startswith("The left upper arm is 50 pixels off, though one of the four best")
    none = np.ones((7, 7))
    none[-1, 1:5] = 0
    assert anyone.failure("torso", 9.0, none).endswith("none of this length is near the truth.")


def test_lspet_is_chosen_by_a_rule_from_the_joints(monkeypatch):
    from spcviz.problems.pose.data.buffy import PoseClips

    limbs = np.tile(np.concatenate([TRUTH, TRUTH[1:]]), (4, 1, 1, 1))
    limbs[1, 2, 0, 0] = 90.0  # shoulders 10 px apart: seen from the side
    limbs[2, 1] = np.nan  # an arm that is not seen
    names = ("d.jpg", "b.jpg", "c.jpg", "a.jpg")
    clips = PoseClips(np.zeros((4, 1, 1, 3), np.uint8), limbs, np.arange(4), names)
    monkeypatch.setattr(anyone.pictures, "load_pictures", lambda data, name: clips)
    assert anyone.face_on("anywhere").names == ("a.jpg", "d.jpg")
    monkeypatch.setattr(anyone, "N_LSPET", 1)
    assert anyone.face_on("anywhere").names == ("a.jpg",)
    assert body.NEAR == 0.25
