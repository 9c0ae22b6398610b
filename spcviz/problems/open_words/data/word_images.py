"""Load the composed words of an open vocabulary: a shipped list of words and rows of images."""

from typing import Literal, NamedTuple

import numpy as np
from cachetools.func import lru_cache

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters.data import handwriting as letters
from spcviz.problems.open_words.data.compose import SETS, Composed
from spcviz.problems.tagging.data.corpora import EWT_ORIGIN
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import CACHE, shipped_path

ORIGIN = (
    f"list of words and their counts: {EWT_ORIGIN}; letter images: {letters.ORIGIN}; composed by: "
    "python -m spcviz data prepare open_words"
)
SHIPPED = CACHE / "data" / "open_words.npz"
SHIPPED_SHA256 = "e001a999c68045330d63c94a5bf981275a5efc0ce781ca870f75325ed1b1222c"


class OpenWords(NamedTuple):
    """One of the composed sets."""

    # as the handwritten words: pixels, labels, lengths; `folds` holds a training word's part, else 0
    words: letters.Words
    rows: np.ndarray  # (R,) int64: of each letter image among the shipped handwritten words
    types: np.ndarray  # (W,) int64: each word's place in the list of words


@lru_cache(maxsize=1)
def load_composed():
    """The shipped list and numbers, read-only; raises `NoCacheError` in a package installed by pip.

    >>> composed = load_composed()
    >>> [len(composed.words[name]) for name in SETS]
    [20000, 1500, 2000, 2000]
    """
    return read(shipped_path(SHIPPED))


def arrays_of(composed):
    """A `Composed` as named arrays of small unsigned integers; words as rows of letters' codes."""
    arrays = {
        "types": composed.types.view(np.uint8).reshape(len(composed.types), -1),
        "counts": composed.counts.astype(np.uint32),
        "share": composed.share.astype(np.uint8),
        "part": composed.part.astype(np.uint8),
    }
    for name in SETS:
        arrays[f"{name}_words"] = composed.words[name].astype(np.uint16)
        arrays[f"{name}_rows"] = composed.rows[name].astype(np.uint16)
    return arrays


def write(path, composed):
    """Write a `Composed` as `read` reads it; the same one always gives the same bytes."""
    with path.open("wb") as file:
        np.savez_compressed(file, **(arrays_of(composed) | {"types": composed.types}))


def read(path):
    """A `Composed` from its file; its arrays are read-only."""
    with np.load(path, allow_pickle=False) as data:
        arrays = {name: data[name] for name in data.files}
    arrays = {name: a if name == "types" else a.astype(np.int64) for name, a in arrays.items()}
    for array in arrays.values():
        array.flags.writeable = False
    words, rows = ({name: arrays[f"{name}_{what}"] for name in SETS} for what in ("words", "rows"))
    return Composed(*(arrays[name] for name in ("types", "counts", "share", "part")), words, rows)


def load_set(name: Literal["train", "dev", "unseen", "natural"]) -> OpenWords:
    """One composed set, read-only; `ArgumentError` if there is no such set."""
    if name not in SETS:
        raise ArgumentError(f"name must be one of {', '.join(SETS)}, got {name!r}")
    if name == "train":  # 20 MB that a server needs once
        return take(load_composed(), letters.load_words(), name)
    return _kept_set(name)


@lru_cache(maxsize=3)
def _kept_set(name):
    return take(load_composed(), letters.load_words(), name)


def take(composed, images, name):
    """A set of a `Composed` with its letter images; see `load_set`."""
    types, rows = composed.words[name], composed.rows[name]
    labels, lengths = encode_words(composed.types[types])
    folds = composed.part[types] if name == "train" else np.zeros_like(types)
    words = letters.Words(images.pixels[rows], labels, lengths, folds)
    for array in words:
        array.flags.writeable = False
    return OpenWords(words, rows, types)


def encode_words(types):
    """Words as states, one after the other, and their lengths.

    >>> encode_words(np.array([b"abc", b"zoo"]))
    (array([ 0,  1,  2, 25, 14, 14]), array([3, 3]))
    """
    lengths = np.char.str_len(types).astype(np.int64)
    return np.frombuffer(b"".join(types), dtype=np.uint8).astype(np.int64) - ord("a"), lengths


DATA_SETS = (
    DataSet(
        "open_words",
        "25500 words of 16528 types composed from real letter images; test words of unseen types",
        ORIGIN,
        "open_words",
        shipped=SHIPPED,
        sha256=SHIPPED_SHA256,
        licence="list of words: CC BY-SA 4.0; letter images: see ocr",
        prepare="spcviz.problems.open_words.data.prepare:prepare",
        weights="share-alike",
    ),
)
