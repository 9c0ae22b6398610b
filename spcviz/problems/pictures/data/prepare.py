"""Prepare Middlebury's stereo pairs for `spcviz.problems.pictures.data.pictures` (``data prepare``).

Scenes of 2014 (im0.png, im1.png, disp0.pfm) come at full size and are kept at a quarter: the mean of 4 x 4
pixels, the median of their disparities divided by 4. Cones (2003) has the right size; its disparities are in
quarters of a pixel, 0 where unknown. Motorcycle may also be the one that comes with scikit-image.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from spcviz.problems.pictures.data.pictures import shrunk
from spcviz.shared.bring import original
from spcviz.shared.bring.original import OriginalError, Source

_MIDDLEBURY = "https://vision.middlebury.edu/stereo/data"
_CONES = f"{_MIDDLEBURY}/scenes2003/newdata/cones"
_SKIMAGE = "https://gitlab.com/scikit-image/data/-/raw/5c090b56df3988d988ff97928e2ef2d2cbe38e1b"
_SKIMAGE_SUMS = {
    "motorcycle_left.png": "db18e9c4157617403c3537a6ba355dfeafe9a7eabb6b9b94cb33f6525dd49179",
    "motorcycle_right.png": "5fc913ae870e42a4b662314bc904d1786bcad8e2f0b9b67dba5a229406357797",
    "motorcycle_disp.npz": "2e49c8cebff3fa20359a0cc6880c82e1c03bbb106da81a177218281bc2f113d7",
}
SOURCES = (
    *(Source(file, f"{_SKIMAGE}/{file}", sha256) for file, sha256 in _SKIMAGE_SUMS.items()),
    *(Source(f"cones/{file}", f"{_CONES}/{file}") for file in ("im2.png", "im6.png", "disp2.png")),
    Source("Adirondack-perfect.zip", f"{_MIDDLEBURY}/scenes2014/zip/Adirondack-perfect.zip", is_packed=True),
)
QUARTER = 4
_CONES_FILES = [["im2.png", "im6.png", "disp2.png"], ["im2.ppm", "im6.ppm", "disp2.pgm"]]
_PFM = re.compile(rb"Pf\s+(\d{1,5})\s+(\d{1,5})\s+(-?[\d.eE+-]+)\n")


def stereo(folder: Path, place: Path) -> Iterator[str]:
    """Prepare the pairs in motorcycle_left.png and its companions, Motorcycle-perfect, Adirondack-perfect
    (2014) or cones (2003); see `DataSet.prepare`.
    """
    pairs = []
    for name, places in _PLACES.items():
        read = _reader(folder, places)
        if read is None:
            yield f"{name}: not in {folder}"
            continue
        left, right, disparity = read()
        _check(name, left, right, disparity)
        if read.func is _scene:
            left, right, disparity = _quarter(left, right, disparity)
        (place / name).mkdir()
        Image.fromarray(left).save(place / name / "left.png")
        Image.fromarray(right).save(place / name / "right.png")
        np.savez_compressed(place / name / "disparity.npz", disparity=disparity.astype(np.float32))
        yield f"{name}: {left.shape[1]} x {left.shape[0]} pixels"
        pairs.append(name)
    if not pairs:
        raise OriginalError(
            f"FOLDER must hold a stereo pair, got {str(folder)!r}: motorcycle_left.png, "
            "Motorcycle-perfect/im0.png, cones/im2.png, Adirondack-perfect/im0.png are all missing"
        )


def _read_packaged(left, right, disparity):
    """Motorcycle as scikit-image has it: already at a quarter of the size."""
    try:
        with np.load(disparity, allow_pickle=False) as stored:
            known = stored["arr_0"].astype(float)
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise OriginalError(f"{disparity} must hold an array arr_0, got no such thing: {error}") from error
    return _pixels(left), _pixels(right), np.where(np.isfinite(known), known, np.nan)


def _cones(left, right, disparity):
    quarters = np.asarray(original.open_image(disparity).convert("L"), dtype=float)
    return _pixels(left), _pixels(right), np.where(quarters == 0, np.nan, quarters / 4)


def _scene(left, right, disparity):
    return _pixels(left), _pixels(right), read_pfm(disparity)


_FULL = "im0.png", "im1.png", "disp0.pfm"
# For each pair its possible places: folder, files, and a reader of these at the size that they have there.
_PLACES = {
    "motorcycle": (
        ("", tuple(_SKIMAGE_SUMS), _read_packaged),
        ("Motorcycle-perfect", _FULL, _scene),
        ("Motorcycle", _FULL, _scene),
    ),
    "cones": tuple(("cones", files, _cones) for files in _CONES_FILES),
    "adirondack": (("Adirondack-perfect", _FULL, _scene), ("Adirondack", _FULL, _scene)),
}


def _reader(folder, places):
    """The reader of a pair in the first place where it exists, or None."""
    for below, names, read in places:
        root = original.root_of(folder, f"{below}/{names[0]}".lstrip("/"), is_needed=False)
        if root is not None:
            return partial(read, *original.all_there(root / below, list(names)))
    return None


def _pixels(path):
    return np.asarray(original.picture(path))


def _quarter(left, right, disparity):
    small = shrunk(left.astype(float), right.astype(float), disparity, QUARTER)
    return np.rint(small.left).astype(np.uint8), np.rint(small.right).astype(np.uint8), small.disparity


def _check(name, left, right, disparity):
    if left.shape != right.shape or left.shape[:2] != disparity.shape:
        raise OriginalError(
            f"{name} must have two pictures and a map of one size, got {left.shape[:2]}, {right.shape[:2]}, "
            f"{disparity.shape}"
        )
    if not np.isfinite(disparity).any():
        raise OriginalError(f"{name} must have a known disparity, got none")


def read_pfm(path: Path) -> np.ndarray:
    """One channel of a Portable Float Map, top row first (in the file: bottom row); +inf becomes NaN."""
    data = path.read_bytes()
    head = _PFM.match(data)
    if head is None:
        raise OriginalError(f"{path} must be a PFM file of one channel, got one that begins {data[:12]!r}")
    columns, rows = int(head[1]), int(head[2])
    body = data[head.end() :]
    if len(body) != 4 * rows * columns:
        raise OriginalError(f"{path} must hold {4 * rows * columns} bytes of pixels, got {len(body)}")
    order = "<f4" if float(head[3]) < 0 else ">f4"  # a negative scale means little-endian
    values = np.frombuffer(body, dtype=order).reshape(rows, columns)[::-1].astype(float)
    return np.where(np.isfinite(values), values, np.nan)
