"""Stereo pairs from their originals: miniatures in Middlebury's formats, and the real ones here."""

from pathlib import Path

import numpy as np
import pytest
import skimage
from PIL import Image
from skimage.data import _registry

from spcviz.engine.errors import ArgumentError
from spcviz.problems.pictures.data import pictures, prepare
from spcviz.registry import catalogue
from spcviz.shared.bring.original import OriginalError

PACKAGED = Path(skimage.__file__).parent / "data"


def bring(folder, tmp_path):
    return list(catalogue.prepare("stereo", folder, tmp_path / "data"))


def colours(height, width, block=1):
    rng = np.random.default_rng(height)
    small = rng.integers(0, 256, (height // block, width // block, 3), dtype=np.uint8)
    return small.repeat(block, 0).repeat(block, 1)


def as_pfm(values, order="<"):
    scale = b"-1.0" if order == "<" else b"1"
    rows, columns = values.shape
    return b"Pf\n%d %d\n%s\n" % (columns, rows, scale) + values[::-1].astype(f"{order}f4").tobytes()


@pytest.fixture
def scene(tmp_path):
    """A scene of 2014: 24 x 32 pixels, disparities with holes."""
    folder = tmp_path / "original" / "Adirondack-perfect"
    folder.mkdir(parents=True)
    left = colours(24, 32, 4)
    Image.fromarray(left).save(folder / "im0.png")
    Image.fromarray(left[:, ::-1]).save(folder / "im1.png")
    disparity = np.arange(6 * 8).reshape(6, 8).repeat(4, 0).repeat(4, 1) * 4.0
    disparity[0, 0] = np.inf  # one of 16: the median is unchanged
    disparity[4:8, 4:8] = np.inf
    (folder / "disp0.pfm").write_bytes(as_pfm(disparity))
    return folder, left[::4, ::4]


def test_a_scene_of_2014_is_kept_at_a_quarter(scene, tmp_path):
    folder, small = scene
    lines = bring(folder.parent, tmp_path)
    assert "adirondack: 8 x 6 pixels" in lines
    assert any(line.startswith("cones: not in") for line in lines)
    place = tmp_path / "data" / "stereo" / "adirondack"
    with Image.open(place / "left.png") as left, Image.open(place / "right.png") as right:
        assert (np.asarray(left) == small).all()
        assert (np.asarray(right) == small[:, ::-1]).all()
    with np.load(place / "disparity.npz") as stored:
        disparity = stored["disparity"]
    truth = np.arange(48.0).reshape(6, 8)
    truth[1, 1] = np.nan
    assert disparity.dtype == np.float32
    np.testing.assert_array_equal(disparity, truth)
    pair = pictures.load_pair("adirondack", tmp_path / "data")
    assert pair.left.shape == (1, 2, 3)


@pytest.mark.parametrize("endings", [("png", "png"), ("ppm", "pgm")])
def test_cones_are_in_quarters_of_a_pixel(tmp_path, endings):
    folder = tmp_path / "original" / "cones"
    folder.mkdir(parents=True)
    left = colours(6, 9)
    Image.fromarray(left).save(folder / f"im2.{endings[0]}")
    Image.fromarray(left[::-1]).save(folder / f"im6.{endings[0]}")
    quarters = np.arange(54, dtype=np.uint8).reshape(6, 9)
    Image.fromarray(quarters).save(folder / f"disp2.{endings[1]}")
    bring(folder.parent, tmp_path)
    with np.load(tmp_path / "data" / "stereo" / "cones" / "disparity.npz") as stored:
        np.testing.assert_array_equal(
            stored["disparity"], np.where(quarters == 0, np.nan, quarters / 4).astype(np.float32)
        )
    pair = pictures.load_pair("cones", tmp_path / "data")
    assert pair.left.shape == (2, 3, 3)
    assert pair.n_disparities == np.ceil(43 / 4 / 3) + 1  # the largest median of nine is 43 quarters


def test_motorcycle_of_scikit_image_is_what_lies_in_the_data_folder(shared_data, tmp_path):
    bring(PACKAGED, tmp_path)
    prepared, kept = (folder / "stereo" / "motorcycle" for folder in (tmp_path / "data", shared_data))
    for name in ("left.png", "right.png"):
        with Image.open(prepared / name) as ours, Image.open(kept / name) as theirs:
            assert (np.asarray(ours) == np.asarray(theirs)).all()
    with np.load(prepared / "disparity.npz") as ours, np.load(kept / "disparity.npz") as theirs:
        np.testing.assert_array_equal(ours["disparity"], theirs["disparity"])


def test_cones_come_out_as_they_lie_in_the_data_folder(shared_data, tmp_path):
    """The original's three files, rebuilt from the data here: its map has one byte per pixel, in quarters."""
    kept, folder = shared_data / "stereo" / "cones", tmp_path / "original" / "cones"
    folder.mkdir(parents=True)
    for ours, theirs in (("im2.png", "left.png"), ("im6.png", "right.png")):
        (folder / ours).write_bytes((kept / theirs).read_bytes())
    with np.load(kept / "disparity.npz") as stored:
        disparity = stored["disparity"]
    quarters = np.where(np.isnan(disparity), 0, disparity * 4)
    assert (quarters == quarters.astype(np.uint8)).all()
    Image.fromarray(quarters.astype(np.uint8)).save(folder / "disp2.png")
    bring(folder.parent, tmp_path)
    ours = pictures.load_pair("cones", tmp_path / "data")
    for got, wanted in zip(ours, pictures.load_pair("cones", shared_data)):
        np.testing.assert_array_equal(got, wanted)


def test_the_known_sums_are_scikit_images():
    for name, sha256 in prepare._SKIMAGE_SUMS.items():
        assert _registry.registry[f"data/{name}"] == sha256
        assert _registry.registry_urls[f"data/{name}"] == f"{prepare._SKIMAGE}/{name}"


def test_no_pair_at_all(tmp_path):
    (tmp_path / "original").mkdir()
    with pytest.raises(OriginalError, match=r"must hold a stereo pair, got '.*': motorcycle_left\.png, "):
        bring(tmp_path / "original", tmp_path)


def test_a_pair_with_a_file_missing_or_of_another_size(scene, tmp_path):
    folder, _ = scene
    Image.fromarray(colours(24, 28)).save(folder / "im1.png")
    with pytest.raises(ArgumentError, match="adirondack must have two pictures and a map of one size, got"):
        bring(folder.parent, tmp_path)
    (folder / "im1.png").unlink()
    with pytest.raises(OriginalError, match=r"im1\.png is missing"):
        bring(folder.parent, tmp_path)
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize("order", ["<", ">"])
def test_pfm_begins_with_the_lowest_row(tmp_path, order):
    values = np.array([[1.0, 2.0, np.inf], [4.0, 5.0, 6.5]])
    (tmp_path / "a.pfm").write_bytes(as_pfm(values, order))
    disparity = prepare.read_pfm(tmp_path / "a.pfm")
    np.testing.assert_array_equal(disparity, np.where(np.isfinite(values), values, np.nan))


def test_other_bytes_are_no_pfm(tmp_path):
    path, good = tmp_path / "a.pfm", as_pfm(np.ones((2, 3)))
    path.write_bytes(good[:-1])
    with pytest.raises(OriginalError, match="must hold 24 bytes of pixels, got 23"):
        prepare.read_pfm(path)
    path.write_bytes(b"PF" + good[2:])
    with pytest.raises(OriginalError, match="a PFM file of one channel, got one that begins b'PF"):
        prepare.read_pfm(path)
