"""Augmented training pictures: mirrored, and in another light."""

import numpy as np

from spcviz.problems.scene.data import camvid


def test_a_copy_is_mirrored_and_of_other_light():
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (16, 20, 3), dtype=np.uint8)
    truth = rng.integers(0, 12, (16, 20), dtype=np.uint8)
    seen = []
    for seed in range(20):
        copy = camvid.mirror_scene(camvid.StreetScene("a", picture, truth), np.random.default_rng(seed))
        assert copy.name == "a"
        np.testing.assert_array_equal(copy.truth, truth[:, ::-1])
        back, relit = picture[:, ::-1], copy.picture
        for c in range(3):
            order = np.argsort(back[..., c], axis=None)
            assert (np.diff(relit[..., c].ravel()[order].astype(int)) >= 0).all()
            dark, mid = (relit[..., c][back[..., c] == level] for level in (64, 128))
            if len(dark) and len(mid) and mid[0] < 255:
                power = np.log(mid[0] / dark[0]) / np.log(2)
                assert np.exp(-camvid.POWER) - 0.05 < power < np.exp(camvid.POWER) + 0.05
        seen.append(relit.mean())
    assert min(seen) < 0.85 * picture.mean()
    assert max(seen) > 1.15 * picture.mean()
    again = camvid.mirror_scene(camvid.StreetScene("a", picture, truth), np.random.default_rng(19))
    np.testing.assert_array_equal(again.picture, copy.picture)
