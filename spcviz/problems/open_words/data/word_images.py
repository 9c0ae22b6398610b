"""Words of an open vocabulary composed of real letter images: chosen by a seed, stored and loaded.

- word types: all words of a to z, 3 to 14 letters, of a text (the English Web Treebank), with their counts
- a seed splits the types into three disjoint shares: to train on, to develop on, to test on
- letter images: training words take them from folds 2 to 9 of the handwritten words, development words from
  fold 1, test words from fold 0. The data does not say who wrote what, so letters are drawn independently:
  neighbours are mostly by different hands
- training types have a part, 0 to 2, and take letters of that part's folds only: a model learned without a
  part has seen neither its words nor its ink

Only the words, their counts and the drawn numbers are stored; no sentence can be reconstructed from them.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from cachetools.func import lru_cache

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.tagging.data.corpora import EWT_ORIGIN, SPLITS, read_columns
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import CACHE, shipped_path

WORD = re.compile(r"[a-z]{3,14}")
LONGEST = 14
SHARES = (0.75, 0.10, 0.15)
"""Shares of the types: to train on, to develop on, to test on."""

N_PARTS = 3
TEST_FOLD, DEV_FOLD = 0, 1
SETS = ("train", "dev", "unseen", "natural")
SIZES = {"train": 20_000, "dev": 1500, "unseen": 2000, "natural": 2000}
SEED = 15

ORIGIN = (
    f"list of words and their counts: {EWT_ORIGIN}; letter images: {letters.ORIGIN}; composed by: "
    "python -m spcviz data prepare open_words"
)
SHIPPED = CACHE / "data" / "open_words.npz"
SHIPPED_SHA256 = "e001a999c68045330d63c94a5bf981275a5efc0ce781ca870f75325ed1b1222c"

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


class Composed(NamedTuple):
    """Words as numbers."""

    types: np.ndarray  # (T,) bytes: in alphabetical order
    counts: np.ndarray  # (T,) int64: how often each occurs in the text
    share: np.ndarray  # (T,) int64: 0 to train on, 1 to develop on, 2 to test on
    part: np.ndarray  # (T,) int64: 0 .. 2; of training types only
    words: dict  # (W,): by `SETS`: the type of each word
    # (letters,): by `SETS`: the letter image of each letter, as a row of the shipped handwritten words
    rows: dict


def count_words(folder: Path) -> Counter:
    """How often each word of a to z occurs in the English Web Treebank, in lower case."""
    counts = Counter()
    for split in SPLITS:
        text = (folder / f"en_ewt-ud-{split}.conllu").read_text(encoding="utf-8")
        tokens = (word.lower() for sentence in read_columns(text, 1, 4) for word, _ in sentence)
        counts.update(word for word in tokens if WORD.fullmatch(word))
    return counts


def part_of_fold(fold):
    """The part whose words may use the images of a training fold.

    >>> [part_of_fold(fold) for fold in range(2, 10)]
    [2, 0, 1, 2, 0, 1, 2, 0]
    """
    return fold % N_PARTS


def compose(
    counts: dict[str, int], images: letters.Words, seed: int = SEED, sizes: dict[str, int] = SIZES
) -> Composed:
    """Split the types, draw `sizes` words of each of `SETS`, draw an image for each letter; or
    `ArgumentError`.

    Training words: each type once, the rest by frequency. Development and unseen words: types of their
    share by frequency, none twice. Natural words: by frequency from all types.
    """
    for word in counts:
        if not WORD.fullmatch(word):
            raise ArgumentError(f"counts must be of words of 3 to 14 letters a to z, got {word!r:.40}")
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**40))
    types = np.array(sorted(counts), dtype=f"S{LONGEST}")
    n = np.array([counts[word.decode()] for word in types], dtype=np.int64)
    at = (np.cumsum(SHARES)[:2] * len(types)).round().astype(int)
    share = np.empty(len(types), dtype=np.int64)
    for value, chosen in enumerate(np.split(rng.permutation(len(types)), at)):
        share[chosen] = value
    part = rng.integers(0, N_PARTS, len(types))
    words = {
        "train": _each_once(np.flatnonzero(share == 0), n, sizes["train"], rng),
        "dev": _none_twice("dev", np.flatnonzero(share == 1), n, sizes["dev"], rng),
        "unseen": _none_twice("unseen", np.flatnonzero(share == 2), n, sizes["unseen"], rng),
        "natural": rng.choice(len(types), sizes["natural"], p=n / n.sum()),
    }
    folds = np.repeat(images.folds, images.lengths)
    of_test = _by_letter(images.labels, folds == TEST_FOLD)
    fits = {"dev": _by_letter(images.labels, folds == DEV_FOLD), "unseen": of_test, "natural": of_test}
    is_training = ~np.isin(folds, [TEST_FOLD, DEV_FOLD])
    of_part = [_by_letter(images.labels, is_training & (part_of_fold(folds) == p)) for p in range(N_PARTS)]
    rows = {"train": _draw_images(types, words["train"], [of_part[p] for p in part[words["train"]]], rng)}
    for name in SETS[1:]:
        rows[name] = _draw_images(types, words[name], [fits[name]] * len(words[name]), rng)
    return Composed(types, n, share, part, words, rows)


def _each_once(types, counts, size, rng):
    p = counts[types] / counts[types].sum()
    if size < len(types):
        return rng.choice(types, size, replace=False, p=p)
    return rng.permutation(np.concatenate([types, rng.choice(types, size - len(types), p=p)]))


def _none_twice(name, types, counts, size, rng):
    if size > len(types):
        raise ArgumentError(f"sizes[{name!r}] must be at most {len(types)} (the types there are), got {size}")
    return rng.choice(types, size, replace=False, p=counts[types] / counts[types].sum())


def _by_letter(labels, is_allowed):
    """The allowed images of each letter."""
    return [np.flatnonzero(is_allowed & (labels == k)) for k in range(letters.N_STATES)]


def _draw_images(types, words, images, rng):
    """An image for each letter of each word."""
    drawn = [rng.choice(choices[byte - 97]) for word, choices in zip(words, images) for byte in types[word]]
    return np.array(drawn, dtype=np.int64)


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
