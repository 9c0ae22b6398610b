"""Buffy Stickmen: 748 television frames with the sticks of an upper body, 187 clips of 4 frames.

Crops of 240 pixels follow the annotated head, neck and hips, so scale and position are given; after
`jitter_clips` they are as uncertain as a detector's. Sticks are oriented by the joints. Train: episodes 3
and 4, every fourth clip held out for development; test: 2, 5, 6.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image
from skimage import transform

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body
from spcviz.store import digest_of_arrays

FOLDER = "pose_buffy"
ORIGIN = "https://www.robots.ox.ac.uk/~vgg/data/stickmen/ (Ferrari, Eichner, Marin-Jimenez, Zisserman)"
_INNER = ("neck", "l_shoulder", "r_shoulder", "l_elbow", "r_elbow")
_STICKS = ("torso", "l_upper_arm", "r_upper_arm", "l_lower_arm", "r_lower_arm")
JITTER_PX, JITTER_SCALE = 10.0, 0.1


class PoseClips(NamedTuple):
    """Pictures with true limbs."""

    images: np.ndarray  # (N, 240, 240, 3), uint8
    limbs: np.ndarray  # (N, 5, 2, 2): ``[frame, part, inner or outer end, x or y]`` in pixels
    clips: np.ndarray  # (N,): frames of one clip are adjacent and share a number
    names: tuple

    def pick(self, which):
        """The frames selected by an index array or mask."""
        names = tuple(np.asarray(self.names)[which])
        return PoseClips(self.images[which], self.limbs[which], self.clips[which], names)

    def digest(self):
        """Digest of the pictures and limbs."""
        return digest_of_arrays({"images": self.images, "limbs": self.limbs})


def load_buffy(data: Path, split: str, number: int | None = None) -> PoseClips:
    """Frames of one split ("train", "dev" or "test"), or of its clip `number`; raises `ArgumentError`."""
    if split not in ("train", "dev", "test"):
        raise ArgumentError(f"split must be train, dev or test, got {split!r}")
    folder = Path(data) / FOLDER
    table = annotations(folder, ORIGIN)
    rows, clips = rows_of(table, split)
    rows = rows[np.argsort(clips[rows], kind="stable")]
    if number is not None:
        known = np.unique(clips[rows])
        rows = rows[clips[rows] == known[checks.integer("number", number, 0, len(known) - 1)]]
    images = np.stack([np.asarray(Image.open(folder / "crops" / table["files"][i])) for i in rows])
    limbs = oriented_sticks(table)[rows]
    return PoseClips(images, limbs, clips[rows], tuple(table["files"][rows].tolist()))


def annotations(folder, origin):
    """The arrays in a data set's annotations.npz; without it an `ArgumentError` says where to get it."""
    path = folder / "annotations.npz"
    if not path.is_file():
        raise ArgumentError(
            f"data holds no {folder.name}/{path.name}, got {str(folder.parent)!r}; get it from {origin}"
        )
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def rows_of(table, split):
    """(rows of a split, clip number of every row)."""
    _, clips = np.unique(table["clip"], return_inverse=True)
    is_train, is_dev = table["split"] == "train", clips % 4 == 1
    mask = {"train": is_train & ~is_dev, "dev": is_train & is_dev, "test": ~is_train}[split]
    return np.flatnonzero(mask), clips


def oriented_sticks(table):
    """Sticks of the five parts in crop pixels, inner end first."""
    joints = [str(name) for name in table["joint_names"]]
    inner = table["joints_original"][:, [joints.index(name) for name in _INNER]]
    names = [str(name) for name in table["stick_names"]]
    sticks = table["sticks_original"][:, [names.index(name) for name in _STICKS]]
    apart = np.linalg.norm(sticks - inner[:, :, None], axis=-1)
    swapped = apart[..., 1] < apart[..., 0]
    sticks = np.where(swapped[..., None, None], sticks[..., ::-1, :], sticks)
    window = table["crop_window_xys"][:, None, None]
    return (sticks - window[..., :2]) * (body.SIDE / window[..., 2:])


def mirror_clips(clips):
    """Every picture mirrored: left and right parts swap."""
    limbs = clips.limbs[:, list(body.MIRRORED)].copy()
    limbs[..., 0] = body.SIDE - limbs[..., 0]
    return clips._replace(images=clips.images[:, :, ::-1], limbs=limbs)


def jitter_clips(
    clips: PoseClips, rng: np.random.Generator, shift: float = JITTER_PX, scale: float = JITTER_SCALE
) -> PoseClips:
    """Clips randomly shifted by `shift` pixels, scaled by exp(`scale`) (std. deviations); black outside."""
    images, limbs = np.empty_like(clips.images), np.empty_like(clips.limbs)
    centre = body.SIDE / 2
    for i, image in enumerate(clips.images):
        size, move = np.exp(rng.normal(0, scale)), rng.normal(0, shift, 2)
        # new pixel p shows the old pixel (p - centre - move) / size + centre
        back = transform.AffineTransform(scale=1 / size, translation=centre - (centre + move) / size)
        turned = transform.warp(image, back, order=1, preserve_range=True)
        images[i] = np.clip(np.rint(turned), 0, 255)
        limbs[i] = (clips.limbs[i] - centre) * size + centre + move
    return clips._replace(images=images, limbs=limbs)
