"""Clips as the pose detectors see them; signing clips are computed once and cached in the work folder."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.problems.pose.data import signs
from spcviz.problems.pose.model import features
from spcviz.shared.work.disk_cache import load_or_compute, tree_of

EVERY = 3  # step in frames of the video, which leaves 10 a second
CLIP_CODE = ("spcviz.problems.pose.model.clip_views",)


class Clip(NamedTuple):
    """A clip as detectors see it."""

    name: str
    cells: np.ndarray  # (N, 80, 80, 14), float16
    limbs: np.ndarray  # (N, 5, 2, 2)
    is_seen: np.ndarray  # (N, 5)
    ms: float  # processor milliseconds a frame for `cells`, when they were made


def load_clips(work: str | Path | None, names: Sequence[str] | None = None) -> dict[str, Clip]:
    """Some signing clips, all by default, as detectors see them; cached in the folder `work`."""
    out = {}
    for name in signs.load_reference().clips if names is None else names:
        key = {"clip": name, "every": EVERY, "data": signs.SHIPPED_SHA256}
        made = partial(_view_sign, name)
        out[name] = load_or_compute(work, f"pose-cells-{name}", key, CLIP_CODE, made, tree_of(Clip))
    return out


def _view_sign(name):
    (clip,) = signs.load_signs([name], every=EVERY)
    return of_pictures(name, clip.images, clip.limbs, clip.is_seen)


def of_pictures(name: str, images: Sequence[np.ndarray], limbs: np.ndarray, is_seen: np.ndarray) -> Clip:
    """A clip of pictures (240, 240, 3) as detectors see it."""
    began = time.process_time()
    cells = np.stack([features.histograms(image).astype(np.float16) for image in images])
    return Clip(name, cells, limbs, is_seen, 1e3 * (time.process_time() - began) / len(cells))
