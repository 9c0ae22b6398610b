r"""Pictures to label: Middlebury's stereo pairs with their disparities, and noisy ones with exact truth.

Shrinking a pair by s averages s x s pixels and takes the median of their known disparities, divided by s. A
pixel (r, c) of the left image at disparity d is seen at (r, c - d) in the right one; NaN where it was not
measured.

In a noisy picture every pixel is replaced with probability p by another class drawn uniformly. With K
classes, a pixel seen as x scores

.. math:: f(y) = \log (1 - p) \text{ if } y = x, \quad \log \frac{p}{K - 1} \text{ otherwise}

and neighbours score -lambda min(\|y_i - y_j\|, 2), as in `spcviz.problems.pictures.stereo.smoothness`.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import skimage
import skimage.data
from skimage.color import rgb2gray
from skimage.io import imread

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.problems.letters import handwriting
from spcviz.registry.problem import DataSet


class RealPair(NamedTuple):
    """Two photographs of one scene, H x W pixels after shrinking."""

    left: np.ndarray  # left, right, each (H, W, 3): colours, 0 .. 1
    right: np.ndarray
    disparity: np.ndarray  # (H, W): of the left image, in pixels after shrinking; NaN = unknown
    n_disparities: int  # enough for the largest one: 0 .. n_disparities - 1.


class StereoSource(NamedTuple):
    """A pair's title, how much it is shrunk, and its origin."""

    title: str
    shrink: int
    origin: str


PAIRS = {
    "motorcycle": StereoSource("Motorcycle", 4, "Scharstein et al. 2014 (comes with scikit-image)"),
    "cones": StereoSource("Cones", 3, "Scharstein and Szeliski 2003"),
    "adirondack": StereoSource("Adirondack", 4, "Scharstein et al. 2014"),
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
        "spcviz/problems/pictures/data/pictures.py. Motorcycle also comes with scikit-image",
        "https://vision.middlebury.edu/stereo/data/ (Scharstein and Szeliski 2003, Scharstein et al. 2014)",
        "stereo",
        licence="none stated by Middlebury: cite the makers",
        sources="spcviz.problems.pictures.data.prepare:SOURCES",
        prepare="spcviz.problems.pictures.data.prepare:stereo",
    ),
)


_LEAST = 0.001  # with no noise at all every other class would score -inf


class Picture(NamedTuple):
    """A picture's title, its number of classes, and the smoothness that suits it."""

    title: str
    n_classes: int
    weight: float


PICTURES = {  # weights were chosen on noise of seed 0 at 0.2; the pages draw other noise
    "horse": Picture("A silhouette", 2, 1.0),
    "astronaut": Picture("A photograph", 8, 0.8),
    "word": Picture("A written word", 2, 0.6),
}
WORD = 6320  # isqualified


def load_picture(name: str) -> np.ndarray:
    """Classes (H, W) of one of `PICTURES`, 0 = darkest, from scikit-image or this project's words.

    >>> load_picture("horse").shape
    (109, 133)
    """
    if name not in PICTURES:
        raise ArgumentError(f"name must be one of {', '.join(PICTURES)}, got {name!r}")
    if name == "horse":
        return (_shrunk_image(skimage.data.horse() > 0, 3) > 0.5).astype(np.int64)
    if name == "astronaut":
        grey = _shrunk_image(rgb2gray(skimage.data.astronaut()), 4)
        return np.minimum((grey * 8).astype(np.int64), 7)
    words = handwriting.load_words()
    letters = words.pixels[words.starts[WORD] : words.starts[WORD + 1]].reshape(-1, 16, 8)
    ink = np.concatenate([np.pad(letter, ((2, 2), (0, 1))) for letter in letters], axis=1)
    return 1 - np.pad(ink, ((0, 0), (1, 0))).astype(np.int64)


def _shrunk_image(image, by):
    rows, columns = image.shape[0] // by, image.shape[1] // by
    return image[: rows * by, : columns * by].reshape(rows, by, columns, by).mean(axis=(1, 3))


def spoil(truth: np.ndarray, n_classes: int, noise: float, rng: np.random.Generator) -> np.ndarray:
    """Replace a share `noise` of the pixels by another of 2 .. 256 classes; raises `ArgumentError`.

    >>> spoil(np.array([[0, 1]]), 2, 1.0, np.random.default_rng(0))
    array([[1, 0]])
    """
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    n = checks.integer("n_classes", n_classes, 2, 256)
    truth = checks.whole_numbers("truth", np.ravel(truth), 0, n - 1).reshape(np.shape(truth))
    is_hit = rng.random(truth.shape) < checks.fraction("noise", noise)
    return np.where(is_hit, (truth + rng.integers(1, n, truth.shape)) % n, truth)


def seen_scores(seen: np.ndarray, n_classes: int, noise: float) -> np.ndarray:
    """Scores (H, W, K) of classes given the one seen; noise is clipped to 0.001 .. 0.999 to forbid none.

    >>> seen_scores(np.array([[1]]), 2, 0.5)
    array([[[-0.69314718, -0.69314718]]])
    """
    n = checks.integer("n_classes", n_classes, 2, 256)
    seen = checks.whole_numbers("seen", np.ravel(seen), 0, n - 1).reshape(np.shape(seen))
    p = float(np.clip(checks.fraction("noise", noise), _LEAST, 1 - _LEAST))
    return np.where(seen[..., None] == np.arange(n), np.log1p(-p), np.log(p / (n - 1)))
