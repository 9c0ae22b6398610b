"""Real stereo pairs with measured disparities (Middlebury), shrunk so that inference takes about a second.

Shrinking by s averages s x s pixels and takes the median of their known disparities, divided by s. A pixel
(r, c) of the left image at disparity d is seen at (r, c - d) in the right one; NaN where it was not measured.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import skimage
from skimage.io import imread

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.registry.problem import DataSet


class RealPair(NamedTuple):
    """Two photographs of one scene, H x W pixels after shrinking."""

    left: np.ndarray  # left, right, each (H, W, 3): colours, 0 .. 1
    right: np.ndarray
    disparity: np.ndarray  # (H, W): of the left image, in pixels after shrinking; NaN = unknown
    n_disparities: int  # enough for the largest one: 0 .. n_disparities - 1.


class Source(NamedTuple):
    """A pair's title, how much it is shrunk, and its origin."""

    title: str
    shrink: int
    origin: str


PAIRS = {
    "motorcycle": Source("Motorcycle", 4, "Scharstein et al. 2014 (comes with scikit-image)"),
    "cones": Source("Cones", 3, "Scharstein and Szeliski 2003"),
    "adirondack": Source("Adirondack", 4, "Scharstein et al. 2014"),
}
_PACKAGED = Path(skimage.__file__).parent / "data"


def _files(name, folder):
    """Paths of left, right, disparity: in the data folder or in scikit-image; None if in neither."""
    places = [Path(folder) / "stereo" / name] if folder is not None else []
    candidates = [[place / file for file in ("left.png", "right.png", "disparity.npz")] for place in places]
    candidates.append([_PACKAGED / f"{name}_{part}" for part in ("left.png", "right.png", "disp.npz")])
    return next((files for files in candidates if all(file.is_file() for file in files)), None)


def available(folder: str | Path | None = None) -> list[str]:
    """Names of the pairs in the data folder (see `spcviz.shared.folders.data_folder`) or scikit-image."""
    return [name for name in PAIRS if _files(name, folder) is not None]


def load_pair(name: str, folder: str | Path | None = None) -> RealPair:
    """Read one of `PAIRS` and shrink it; raises `ArgumentError` if it is missing or damaged."""
    if name not in PAIRS:
        raise ArgumentError(f"name must be one of {', '.join(PAIRS)}, got {name!r}")
    files = _files(name, folder)
    if files is None:
        here = ", ".join(available(folder))
        raise ArgumentError(f"name must be a pair that is here ({here}), got {name!r}")
    try:
        left, right = (_photograph(file) for file in files[:2])
        with np.load(files[2], allow_pickle=False) as stored:
            disparity = stored["disparity" if "disparity" in stored.files else "arr_0"].astype(float)
    except (OSError, ValueError, KeyError, IndexError, EOFError) as error:
        raise ArgumentError(f"name must be a pair whose files can be read, got {name!r}: {error}") from error
    return shrunk(left, right, disparity, PAIRS[name].shrink)


def _photograph(file):
    """A PNG's colours, 0 .. 1; nothing else reaches the image library's other readers."""
    if file.read_bytes()[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{file.name} is no PNG")
    return imread(file)[..., :3] / 255.0


def shrunk(left: np.ndarray, right: np.ndarray, disparity: np.ndarray, shrink: int) -> RealPair:
    """A pair shrunk to 1 / `shrink` (1 .. 64) of its size; disparities that are not finite are unknown.

    >>> small = shrunk(np.ones((4, 6, 3)), np.ones((4, 6, 3)), np.full((4, 6), 4.0), 2)
    >>> small.left.shape, small.disparity, small.n_disparities
    ((2, 3, 3), array([[2., 2., 2.],
           [2., 2., 2.]]), 3)
    """
    shrink = checks.integer("shrink", shrink, 1, 64)
    if left.shape != right.shape or left.shape[:2] != disparity.shape:
        raise ShapeError(f"disparity has shape {disparity.shape}; left {left.shape} needs {left.shape[:2]}")
    rows, columns = disparity.shape[0] // shrink, disparity.shape[1] // shrink
    if not (rows and columns):
        raise ShapeError(f"left has shape {left.shape}; shrink {shrink} needs as many rows and columns")

    def blocks(image):
        image = image[: rows * shrink, : columns * shrink].reshape(rows, shrink, columns, shrink, -1)
        return image.swapaxes(1, 2).reshape(rows, columns, shrink**2, -1)

    known = np.where(np.isfinite(disparity), disparity, np.nan)
    patches = blocks(known)[..., 0]
    small = np.full((rows, columns), np.nan)
    seen = np.isfinite(patches).any(axis=-1)
    small[seen] = np.nanmedian(patches[seen], axis=-1) / shrink
    if not seen.any():
        raise ArgumentError("disparity must hold at least one finite number, got none")
    n_disparities = int(np.ceil(np.nanmax(small))) + 1
    return RealPair(blocks(left).mean(axis=2), blocks(right).mean(axis=2), small, n_disparities)


DATA_SETS = (
    DataSet(
        "stereo",
        "Middlebury stereo pairs with true disparity: Motorcycle, Cones, Adirondack; see "
        "spcviz/problems/pictures/data/stereo_pairs.py. Motorcycle also comes with scikit-image",
        "https://vision.middlebury.edu/stereo/data/ (Scharstein and Szeliski 2003, Scharstein et al. 2014)",
        "stereo",
        licence="none stated by Middlebury: cite the makers",
        sources="spcviz.problems.pictures.data.prepare:SOURCES",
        prepare="spcviz.problems.pictures.data.prepare:stereo",
    ),
)
