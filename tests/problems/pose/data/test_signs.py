"""The shipped signing clips: complete, in Buffy's conventions, split by persons."""

import hashlib
import zipfile

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body, signs

REFERENCE = signs.load_reference()


@pytest.fixture(scope="module")
def clips():
    return signs.load_signs(every=20)


def test_what_ships_is_whole_and_names_its_origin():
    assert hashlib.sha256(signs.SHIPPED.read_bytes()).hexdigest() == signs.SHIPPED_SHA256
    said = (signs.SHIPPED.parent / "ATTRIBUTION.txt").read_text()
    for needed in (signs.ATTRIBUTION, "5797889", "Changes", "reference, not the truth"):
        assert needed in said
    row = next(entry for entry in signs.DATA_SETS if entry.name == "pose_signs")
    assert "CC BY 4.0" in row.origin
    assert row.shipped == signs.SHIPPED


def test_clips_are_the_originals_byte_for_byte(shared_data):
    folder = shared_data / "pose_signs"
    if not folder.is_dir():
        pytest.skip(f"SPCVIZ_DATA must hold pose_signs, got {shared_data}")
    with zipfile.ZipFile(signs.SHIPPED) as packed:
        assert sorted(packed.namelist()) == sorted(
            p.name for p in folder.iterdir() if p.suffix in (".mkv", ".npz")
        )
        for name in packed.namelist():
            assert packed.read(name) == (folder / name).read_bytes(), name


def test_every_frame_of_a_video_has_its_joints():
    (whole,) = signs.load_signs(["milk"])
    (some,) = signs.load_signs(["milk"], every=7)
    number = REFERENCE.clips.index("milk")
    assert len(whole.images) == np.diff(REFERENCE.start)[number]
    assert some.frames.tolist() == list(range(0, len(whole.images), 7))
    assert (some.images == whole.images[::7]).all()
    assert (some.limbs == whole.limbs[::7]).all()


def test_the_clips_and_their_persons(clips):
    assert (len(clips), len(REFERENCE.joints)) == (20, 1323)
    assert sum(len(clip.images) for clip in clips) == sum(-(-n // 20) for n in np.diff(REFERENCE.start))
    assert [clip.person for clip in clips] == list(REFERENCE.persons)
    for clip in clips:
        assert clip.images.shape == (len(clip.frames), 240, 240, 3)
        assert clip.images.dtype == np.uint8
        assert clip.limbs.shape == (len(clip.frames), 5, 2, 2)


def test_left_is_the_pictures_left_and_limbs_hang_together(clips):
    limbs = np.concatenate([clip.limbs for clip in clips])
    torso, left, right = limbs[:, 0], limbs[:, 1], limbs[:, 2]
    assert (left[:, 0, 0] < right[:, 0, 0]).all()  # everyone faces the camera
    assert (torso[:, 0, 1] < torso[:, 1, 1]).all()
    np.testing.assert_allclose(limbs[:, 1:3, 1], limbs[:, 3:5, 0])  # elbows
    np.testing.assert_allclose(torso[:, 0], (left[:, 0] + right[:, 0]) / 2)
    number = REFERENCE.clips.index("eat")
    at = REFERENCE.start[number]
    wrist = REFERENCE.joints[at, REFERENCE.joint_names.index("r_wrist")]  # the person's right
    clip = clips[number]
    x, y, side = clip.window
    np.testing.assert_allclose(clip.limbs[0, 3, 1] * side / body.SIDE + (x - side / 2, y - side / 2), wrist)


def test_windows_show_people_as_large_as_buffy(clips):
    for clip in clips:
        middle = clip.limbs[:, 1:3, 0].mean(axis=1)
        assert np.abs(np.median(middle, axis=0) - signs.SHOULDERS).max() < 4
        torso, left, right = np.median(
            np.linalg.norm(clip.limbs[:, :3, 1] - clip.limbs[:, :3, 0], axis=2), axis=0
        )
        assert 70 < torso < 100
        assert 35 < (left + right) / 2 < 52


def test_a_window_goes_with_the_person():
    limbs = signs.reference_limbs(REFERENCE, slice(0, 50))
    x, y, side = signs.window_of(limbs)
    assert signs.window_of(2 * limbs + (30, -10)) == pytest.approx((2 * x + 30, 2 * y - 10, 2 * side))


def test_a_limb_counts_if_all_its_joints_do():
    names = list(REFERENCE.joint_names)
    visibility = np.ones((3, 9))
    visibility[1, names.index("r_elbow")] = 0.49
    visibility[2, names.index("l_hip")] = 0.5
    made = REFERENCE._replace(visibility=visibility)
    assert signs.is_seen(made, slice(0, 3)).tolist() == [
        [True] * 5, [True, False, True, False, True], [True] * 5
    ]  # fmt: skip
    left = signs.joints_left()
    assert list(left) == names
    assert left["l_shoulder"] == (1323, 1323)
    assert left["l_wrist"][0] == (REFERENCE.visibility[:, names.index("l_wrist")] >= 0.5).sum() < 1323


def test_no_person_is_in_both_parts_of_a_fold():
    folds = signs.folds()
    assert [fold.person for fold in folds] == list(signs.PERSONS)
    of = dict(zip(REFERENCE.clips, REFERENCE.persons))
    for fold in folds:
        assert set(fold.train) | set(fold.test) == set(REFERENCE.clips)
        assert {of[name] for name in fold.test} == {fold.person}
        assert fold.person not in {of[name] for name in fold.train}
    tested = [name for fold in folds for name in fold.test]
    assert sorted(tested) == sorted(REFERENCE.clips)


def test_bad_names_are_said():
    with pytest.raises(ArgumentError, match=r"names must be of again, .*, got 'hello'"):
        signs.load_signs(["hello"])
    with pytest.raises(ArgumentError, match="every must be a whole number"):
        signs.load_signs(["eat"], every=0)
