"""Whole pictures with and without people, to train and test the person detector (`finder`).

Buffy's frames (240 x 135), the signing clips as they were filmed (640 x 480), and walls: parts of LSPET
pictures that hold no joint of the athlete.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from skimage import data as skimage_data

from spcviz.problems.pose.data import signs
from spcviz.problems.pose.data.buffy import FOLDER, ORIGIN, annotations, rows_of
from spcviz.problems.pose.data.pictures import ORIGINS

SIGNS_EVERY, BUFFY_EVERY, N_WALLS = 15, 2, 120
THINGS = (  # of scikit-image, shipped in the package; nobody is in them
    "brick", "cat", "clock", "coffee", "coins", "grass", "gravel", "moon", "page", "rocket", "text",
)  # fmt: skip
STREETS_EVERY, LEFT = 8, ("left",)
SMALLEST_PART = 0.6
LEAST_WALL, MARGIN = 28, 0.05  # least pixels of a wall's shorter side; gap to joints, a share of their spread


class WholePicture(NamedTuple):
    """A whole picture."""

    name: str
    image: np.ndarray  # (H, W, 3), uint8
    window: tuple | None  # (x, y, side) of the person; None: nobody is in it


def buffy(data, split, every=BUFFY_EVERY):
    """Whole frames of Buffy, a list of WholePicture; splits as in `data.load_buffy`."""
    folder, out = data / FOLDER, []
    table = annotations(folder, ORIGIN)
    for row in rows_of(table, split)[0][::every]:
        image = np.asarray(Image.open(folder / "frames" / table["files"][row]).convert("RGB"))
        share = image.shape[1] / table["original_size_wh"][row, 0]
        left, top, side = share * table["crop_window_xys"][row]
        out.append(WholePicture(str(table["files"][row]), image, (left + side / 2, top + side / 2, side)))
    return out


def signing(names, every=SIGNS_EVERY):
    """Whole frames of signing clips, each with its clip's window, a list of WholePicture."""
    out, reference = [], signs.load_reference()
    for name in names:
        window = signs.window_of(signs.reference_limbs(reference, signs.rows_of(name)))
        frames = enumerate(signs.read_frames(name, every))
        out += [WholePicture(f"{name} {every * at}", frame, window) for at, frame in frames]
    return out


def crop_pictures(pictures: Sequence[WholePicture], rng: np.random.Generator) -> list[WholePicture]:
    """Pictures cropped to at least `SMALLEST_PART` of each side, the window's centre in the middle 70 %."""
    out = []
    for name, image, (x, y, side) in pictures:
        share, place = rng.uniform(SMALLEST_PART, 1), rng.uniform(0.15, 0.85, 2)
        tall, wide = (round(share * n) for n in image.shape[:2])
        left, top = (
            int(np.clip(round(at - fraction * n), 0, whole - n))
            for at, fraction, n, whole in zip((x, y), place, (wide, tall), image.shape[1::-1])
        )
        out.append(WholePicture(name, image[top : top + tall, left : left + wide], (x - left, y - top, side)))
    return out


def walls(data: Path, half: int, most: int = N_WALLS):
    """At most `most` parts of LSPET pictures without joints, even (0) or odd (1) index: one half trains."""
    folder = data / "pose_lspet"
    table, out = annotations(folder, ORIGINS[folder.name]), []
    for name, joints in list(zip(table["files"], table["joints"]))[half::2]:
        image = np.asarray(Image.open(folder / "images" / name).convert("RGB"))
        part = _beside(image, joints)
        if min(part.shape[:2]) >= LEAST_WALL:
            out.append(WholePicture(str(name), part, None))
        if len(out) == most:
            break
    return out


def things(half: int):
    """Every second photograph of things in scikit-image and scikit-learn: one half trains."""
    from sklearn.datasets import load_sample_images  # a second to import

    images = [getattr(skimage_data, name)() for name in THINGS]
    images += load_sample_images().images
    colour = [
        np.repeat(image[..., None], 3, axis=2) if image.ndim == 2 else image[..., :3] for image in images
    ]
    names = (*THINGS, "china", "flower")
    return [WholePicture(*named, None) for named in list(zip(names, colour))[half::2]]


def strange(data):
    """CamVid's streets (distant passers-by) and Middlebury's rooms, never trained on, if installed."""
    sets = {
        "streets": sorted((data / "scene_camvid" / "test").glob("*"))[::STREETS_EVERY],
        "rooms": [path for path in sorted((data / "stereo").glob("*/*")) if path.stem in LEFT],
    }
    return {
        name: [WholePicture(path.name, np.asarray(Image.open(path).convert("RGB")), None) for path in paths]
        for name, paths in sets.items()
        if paths
    }


def _beside(image, joints):
    """The largest strip of a picture to one side of all joints, a head's size away from them."""
    low, high = np.nanmin(joints, axis=0), np.nanmax(joints, axis=0)
    away = MARGIN * (high - low).max()
    (left, top), (right, bottom) = np.maximum(low - away, 0).astype(int), np.ceil(high + away).astype(int)
    strips = [image[:, :left], image[:, right:], image[:top], image[bottom:]]
    return max(strips, key=lambda strip: min(strip.shape[:2]))
