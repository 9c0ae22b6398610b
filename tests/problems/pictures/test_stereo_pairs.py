"""Stereo pairs of a folder: found, shrunk, and named where they are damaged."""

import numpy as np
import pytest
from skimage.io import imsave

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.problems.pictures.data import pictures


def write_pair(folder, disparity, size=(8, 12)):
    place = folder / "stereo" / "cones"
    place.mkdir(parents=True)
    image = np.arange(size[0] * size[1] * 3, dtype=np.uint8).reshape(*size, 3)
    for side in ("left", "right"):
        imsave(place / f"{side}.png", image, check_contrast=False)
    np.savez(place / "disparity.npz", disparity=disparity.astype(np.float32))
    return place


def test_a_folder_s_pair_is_found_and_shrunk(tmp_path):
    assert "cones" not in pictures.available(tmp_path)
    disparity = np.full((8, 12), 6.0)
    disparity[:3, :3] = np.nan
    disparity[3:, 3:] = np.inf
    write_pair(tmp_path, disparity)
    assert "cones" in pictures.available(tmp_path)
    pair = pictures.load_pair("cones", tmp_path)
    assert pair.left.shape == (2, 4, 3)
    assert np.isnan(pair.disparity).tolist() == [[True, False, False, False], [False, True, True, True]]
    assert np.nanmax(pair.disparity) == 2.0
    assert pair.n_disparities == 3


@pytest.mark.parametrize("name", ["left.png", "disparity.npz"])
@pytest.mark.parametrize("content", [b"", b"nonsense"])
def test_damaged_files_are_named(tmp_path, name, content):
    place = write_pair(tmp_path, np.ones((8, 12)))
    (place / name).write_bytes(content)
    with pytest.raises(ArgumentError, match="files can be read, got 'cones'"):
        pictures.load_pair("cones", tmp_path)


def test_bad_arguments_are_refused_by_name(tmp_path):
    with pytest.raises(ArgumentError, match="name must be one of motorcycle, cones, adirondack, got 'x'"):
        pictures.load_pair("x")
    with pytest.raises(ArgumentError, match="name must be a pair that is here"):
        pictures.load_pair("cones", tmp_path)
    image = np.zeros((4, 4, 3))
    with pytest.raises(ShapeError, match=r"disparity has shape \(4, 5\)"):
        pictures.shrunk(image, image, np.zeros((4, 5)), 1)
    with pytest.raises(ShapeError, match="shrink 5 needs as many"):
        pictures.shrunk(image, image, np.zeros((4, 4)), 5)
    with pytest.raises(ArgumentError, match="disparity must hold at least one finite number"):
        pictures.shrunk(image, image, np.full((4, 4), np.nan), 2)
