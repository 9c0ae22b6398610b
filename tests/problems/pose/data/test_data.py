"""The Buffy loader, on the real files where they exist."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body, buffy


def test_splits_share_no_clip_and_sticks_are_oriented(shared_data):
    splits = {name: buffy.load_buffy(shared_data, name) for name in ("train", "dev", "test")}
    assert [len(s.clips) for s in splits.values()] == [356, 116, 276]
    clips = [set(s.clips.tolist()) for s in splits.values()]
    assert sum(map(len, clips)) == len(set.union(*clips))
    test = splits["test"]
    assert test.images.shape == (276, 240, 240, 3)
    assert {name[:4] for name in test.names} == {"s5e2", "s5e5", "s5e6"}
    torso = test.limbs[:, 0]
    assert (torso[:, 0, 1] < torso[:, 1, 1]).all()  # the neck is above the hips
    left, right = test.limbs[:, 1, 0, 0], test.limbs[:, 2, 0, 0]
    assert (left < right).mean() > 0.95  # the picture's left
    elbows = np.linalg.norm(test.limbs[:, 1, 1] - test.limbs[:, 3, 0], axis=1)
    assert np.median(elbows) < 8


def test_mirrors_and_jitter_move_pictures_and_limbs_together(shared_data):
    some = buffy.load_buffy(shared_data, "test").pick(np.arange(3))
    twice = buffy.mirror_clips(buffy.mirror_clips(some))
    assert (twice.images == some.images).all()
    np.testing.assert_allclose(twice.limbs, some.limbs)
    moved = buffy.jitter_clips(some, np.random.default_rng(0), shift=12.0, scale=0.0)
    shift = np.rint(moved.limbs[0, 0, 0] - some.limbs[0, 0, 0]).astype(int)
    wanted = np.roll(some.images[0].astype(int), shift[::-1], axis=(0, 1))[60:180, 60:180]
    assert np.abs(wanted - moved.images[0][60:180, 60:180]).mean() < 8
    same = buffy.jitter_clips(some, np.random.default_rng(0), shift=0.0, scale=0.0)
    assert (same.images == some.images).all()
    assert body.is_correct(moved.limbs - (moved.limbs - some.limbs), some.limbs, 0.01).all()


def test_missing_data_say_where_to_get_them(tmp_path):
    with pytest.raises(ArgumentError, match="get it from https://"):
        buffy.load_buffy(tmp_path, "train")
    with pytest.raises(ArgumentError, match="split must be train, dev or test, got 'all'"):
        buffy.load_buffy(tmp_path, "all")
