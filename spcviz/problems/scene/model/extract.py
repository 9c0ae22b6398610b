"""Train codebooks, extract the features of all regions, and assemble pictures to train on from cached parts.

Stored are only the steps of means over regions (`features`), not pixels.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.learning.speedboost.structure import RegionLevel, Structure
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import descriptors, features, segments
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute, tree_of

N_FOR_BOOKS, N_SAMPLES = 48, 600  # pictures spread over the drives, and descriptors of each, for codebooks
RANDOM_STATE = 3
N_PER_PART = 40  # pictures that are cached together
_SPREAD = (0.2, 99.8)  # percentiles of values between which steps lie


def vocabulary(names: Sequence[str], work: Path | None):
    """A `PictureVocabulary` from pictures spread over the training set, cached in `work`."""
    chosen = [names[i] for i in np.linspace(0, len(names) - 1, min(N_FOR_BOOKS, len(names))).astype(int)]

    def make():
        rng = np.random.default_rng(RANDOM_STATE)
        pictures = [camvid.load("train", name).picture for name in chosen]
        books = {}
        for g, group in enumerate(descriptors.GROUPS):
            rows = []
            for picture in pictures:
                described = descriptors.describe(picture, group)
                rows.append(described[rng.choice(len(described), N_SAMPLES, replace=False)])
            books[group] = descriptors.learn_codebook(np.concatenate(rows), RANDOM_STATE + g)
        n = features.N_COLUMNS
        plain = features.Scales(np.zeros(n, np.float32), np.ones(n, np.float32))
        values = [_values(picture, features.PictureVocabulary(books, plain)) for picture in pictures]
        low, high = np.percentile(np.concatenate(values), _SPREAD, axis=0)
        low[features.N_SHAPE :] = 0
        arrays = {group: tuple(map(np.float32, (book.centres, book.scale))) for group, book in books.items()}
        return np.float32(low), np.float32(np.maximum(high - low, 1e-6)), arrays

    key = {"pictures": chosen, "samples": N_SAMPLES, "random_state": RANDOM_STATE}
    low, span, books = load_or_compute(work, "scene-codebooks", key, (__name__,), make, tree_of(()))
    books = {group: descriptors.Codebook(*arrays) for group, arrays in books.items()}
    return features.PictureVocabulary(books, features.Scales(low, span))


def _values(picture, vocabulary):
    """All columns of the regions of levels 0 and 3 of a picture, unscaled."""
    seen = features.LazyPicture(picture, vocabulary)
    sums, out = features.shapes_of_atoms(seen.hierarchy), []
    for level in (0, 3):
        raised = seen.codes(level, np.arange(features.N_SHAPE, features.N_COLUMNS))
        out.append(np.concatenate([features.shapes_of_level(sums, seen.hierarchy, level), raised], axis=1))
    return np.concatenate(out)


def part(split, names, vocabulary, work, at, mirrored=False):
    """Plain arrays of some pictures of a split, or of changed copies, cached under the number `at`."""
    digest = float(sum(np.abs(book.centres).sum(dtype=float) for book in vocabulary.books.values()))
    key = {"split": split, "names": list(names), "books": digest}
    if mirrored:
        key["mirrored"] = [camvid.POWER, camvid.FACTOR, camvid.TINT]

    def make():
        rng, scenes = np.random.default_rng((RANDOM_STATE, at)), (camvid.load(split, name) for name in names)
        if mirrored:
            scenes = (camvid.mirror_scene(scene, rng) for scene in scenes)
        return as_arrays([one(scene, vocabulary) for scene in scenes])

    return load_or_compute(
        work, f"scene-{split}{'-mirrored' * mirrored}-{at}", key, (__name__,), make, ARRAYS
    )


def one(scene, vocabulary):
    """(Hierarchy, steps of each level (R, 621), counts, sizes of the atoms) of a `StreetScene`."""
    seen = features.LazyPicture(scene.picture, vocabulary)
    columns = np.arange(features.N_COLUMNS)
    steps = [seen.steps(level, columns) for level in range(segments.N_LEVELS)]
    counts = camvid.counts_of(scene.truth, seen.hierarchy.atoms, len(seen.size))
    return seen.hierarchy, steps, counts, seen.size


def as_arrays(pictures):
    """Plain arrays of several pictures, concatenated."""
    out = {
        "example": np.repeat(np.arange(len(pictures)), [len(size) for *_, size in pictures]).astype(np.int32),
        "counts": np.concatenate([counts for _, _, counts, _ in pictures]).astype(np.uint16),
        "size": np.concatenate([size for *_, size in pictures]).astype(np.float32),
    }
    for level in range(segments.N_LEVELS):
        n = [hierarchy.n_regions(level) for hierarchy, *_ in pictures]
        start = np.concatenate([[0], np.cumsum(n)])
        borders = [hierarchy.borders[level] for hierarchy, *_ in pictures]
        out |= {
            f"member {level}": np.concatenate([h.member[level] + s for (h, *_), s in zip(pictures, start)]),
            f"steps {level}": np.concatenate([steps[level] for _, steps, *_ in pictures]),
            f"first {level}": np.concatenate([b.first + s for b, s in zip(borders, start)]),
            f"second {level}": np.concatenate([b.second + s for b, s in zip(borders, start)]),
            f"length {level}": np.concatenate([b.length for b in borders]),
        }
    return {name: a.astype(np.int32) if a.dtype == np.int64 else a for name, a in out.items()}


class Scenes(NamedTuple):
    """Pictures ready to learn from."""

    structure: Structure  # atoms of all pictures as elements, 7 levels of regions
    counts: np.ndarray  # (A, 11), float32: pixels of each class


def scenes(
    split: str,
    names: Sequence[str],
    vocabulary: features.PictureVocabulary,
    work: Path | None,
    tick: Callable | None = None,
    with_mirrored: bool = False,
) -> Scenes:
    """Features and truth of pictures, optionally with a changed copy of each; parts are cached in `work`."""
    parts = []
    for mirrored in (False, True)[: 1 + with_mirrored]:
        for at in range(0, len(names), N_PER_PART):
            parts.append(part(split, names[at : at + N_PER_PART], vocabulary, work, at, mirrored))
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
        levels.append(RegionLevel(**arrays))
    n = np.concatenate([[0], np.cumsum([part["example"][-1] + 1 for part in parts])])
    example = np.concatenate([part["example"] + s for part, s in zip(parts, n)]).astype(np.int32)
    size = np.concatenate([part["size"] for part in parts])
    counts = np.concatenate([part["counts"] for part in parts]).astype(np.float32)
    return Scenes(Structure(example, size, tuple(levels), camvid.N_CLASSES), counts)
