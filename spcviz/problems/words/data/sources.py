"""Two sources of words to spend budgets on: the 55 handwritten words, and an open vocabulary.

The latter's folds are disjoint (each has every third training and unseen word) and show how far chance goes.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters.data import handwriting as letters
from spcviz.problems.open_words.data import word_images as open_words
from spcviz.problems.open_words.data.compose import N_PARTS


class Source(NamedTuple):
    """Words with folds."""

    name: str  # {"ocr", "open"}
    words: letters.Words  # its folds are test folds, 0 .. n_folds - 1
    images: np.ndarray  # (R,), int64: each letter's row among the shipped handwritten letters
    # (W,), int64: for words used only for training; words of different parts share neither a type nor an
    # image. -1 for words used for both training and testing, whose parts are drawn at random
    part: np.ndarray
    is_test: np.ndarray  # (W,): words that are never trained on; if there are none, all folds but one train
    n_folds: int
    origin: str

    def halves(self, fold: int):
        """Words to "train" on and words to "test" on; raises `ArgumentError` if there is no such fold."""
        fold = checks.integer("fold", fold, 0, self.n_folds - 1)
        is_in_fold = self.words.folds == fold
        train, test = ~is_in_fold, is_in_fold
        if self.is_test.any():
            train, test = is_in_fold & ~self.is_test, is_in_fold & self.is_test
        return {"train": np.flatnonzero(train), "test": np.flatnonzero(test)}

    def letters_of(self, chosen):
        """(labels, rows of shipped images, lengths) of some words."""
        rows, lengths = letters.rows_of(self.words, chosen)
        return self.words.labels[rows], self.images[rows], lengths

    def arrays(self):
        """The arrays that its digest covers."""
        return self.words._asdict() | ({"images": self.images} if self.name == "open" else {})


OPEN_FOLDS = 3
SOURCE_NAMES = ("ocr", "open")


def load_source(name: str):
    """One of the sources, "ocr" or "open"; `ArgumentError` for another.

    >>> [len(load_source("open").halves(fold)["test"]) for fold in range(3)]
    [667, 667, 666]
    """
    if name not in SOURCE_NAMES:
        raise ArgumentError(f"data must be one of {', '.join(SOURCE_NAMES)}, got {name!r:.60}")
    if name == "ocr":
        words, n = letters.load_words(), len(letters.load_words().lengths)
        images = np.arange(len(words.labels))
        return Source(name, words, images, np.full(n, -1), np.zeros(n, bool), letters.N_FOLDS, letters.ORIGIN)
    train, unseen = open_words.load_set("train"), open_words.load_set("unseen")
    n, m = len(train.types), len(unseen.types)
    words = letters.Words(*map(np.concatenate, zip(train.words, unseen.words)))
    words = words._replace(folds=np.concatenate([np.arange(n) % OPEN_FOLDS, np.arange(m) % OPEN_FOLDS]))
    images = np.concatenate([train.rows, unseen.rows])
    part, is_test = np.concatenate([train.words.folds, np.full(m, -1)]), np.arange(n + m) >= n
    return Source(name, words, images, part, is_test, OPEN_FOLDS, open_words.ORIGIN)


def drawn_parts(source, chosen, n_parts, rng):
    """The part of each of some training words: its own, or a random one if it has none."""
    parts = source.part[chosen]
    if len(parts) and (parts >= 0).all():
        if n_parts != N_PARTS:
            raise ArgumentError(f"n_parts must be {N_PARTS}, the parts of the open vocabulary, got {n_parts}")
        return parts
    return rng.permutation(np.arange(len(chosen)) % n_parts)
