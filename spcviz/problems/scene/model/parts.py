"""Assemble pictures to train on: features of all their regions, from parts that are cached on disk."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.learning.speedboost.structure import Level, Structure
from spcviz.problems.scene.data.camvid import N_CLASSES
from spcviz.problems.scene.model import extract, segments
from spcviz.problems.scene.model.features import Vocabulary

N_PER_PART = 40


class Scenes(NamedTuple):
    """Pictures ready to learn from."""

    structure: Structure  # atoms of all pictures as elements, 7 levels of regions
    counts: np.ndarray  # (A, 11), float32: pixels of each class


def scenes(
    split: str,
    names: Sequence[str],
    vocabulary: Vocabulary,
    work: Path | None,
    tick: Callable | None = None,
    with_mirrored: bool = False,
) -> Scenes:
    """Features and truth of pictures, optionally with a changed copy of each; parts are cached in `work`."""
    parts = []
    for mirrored in (False, True)[: 1 + with_mirrored]:
        for at in range(0, len(names), N_PER_PART):
            parts.append(extract.part(split, names[at : at + N_PER_PART], vocabulary, work, at, mirrored))
            if tick is not None:
                tick(f"{split} {at}{' mirrored' * mirrored}")
    return join_parts(parts)


def join_parts(parts):
    """`Scenes` from the concatenation of parts made by `as_arrays`."""
    levels = []
    for level in range(segments.N_LEVELS):
        start = np.concatenate([[0], np.cumsum([len(part[f"steps {level}"]) for part in parts])])
        arrays = {
            name: np.concatenate([part[f"{name} {level}"] + s for part, s in zip(parts, start)])
            for name in ("member", "first", "second")
        }
        arrays = {name: array.astype(np.int32) for name, array in arrays.items()}
        arrays |= {n: np.concatenate([part[f"{n} {level}"] for part in parts]) for n in ("steps", "length")}
        levels.append(Level(**arrays))
    n = np.concatenate([[0], np.cumsum([part["example"][-1] + 1 for part in parts])])
    example = np.concatenate([part["example"] + s for part, s in zip(parts, n)]).astype(np.int32)
    size = np.concatenate([part["size"] for part in parts])
    counts = np.concatenate([part["counts"] for part in parts]).astype(np.float32)
    return Scenes(Structure(example, size, tuple(levels), N_CLASSES), counts)
