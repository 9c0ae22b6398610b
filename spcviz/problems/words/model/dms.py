"""Dynamic model selection on handwriting: thesis Fig. 6.1 and the stopping points of Fig. 6.4."""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.learning.budgets import batch_selection, selector
from spcviz.learning.budgets.batch_selection import Looked, Variant
from spcviz.learning.budgets.chains.meta import META, chain_meta
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.words.model import folds
from spcviz.problems.words.model.folds import N_TIERS

COSTS = np.ones(N_TIERS - 1)
"""Incremental cost of a word's next model in units (thesis 6.3.1: 0, 1, 1)."""

ETAS = tuple(np.geomspace(0.01, 3.0, 25))
"""Prices of a unit that the imitation baseline is trained for."""


COLUMNS = (*META, "a new 3-gram", "a new 4-gram", "a new 5-gram")
"""The selector's meta-features: those of the papers, and whether there is any new n-gram at all."""

_SURENESS, _N_GRAMS = list(range(4)), list(range(4, len(COLUMNS)))


def look(fold: folds.Fold, half_name: str) -> Looked:
    """Meta-features and losses of a fold's "train" or "test" words."""
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    meta = np.zeros((len(half.words), N_TIERS, len(META)))
    losses = np.zeros((len(half.words), N_TIERS), dtype=np.int64)
    labels = np.zeros((N_TIERS, len(half.labels)), dtype=np.int64)
    seen = getattr(fold, f"seen_{half_name}")
    for p in range(len(pairs)):
        words, rows = folds.rows_of_part(half, p)
        first = np.concatenate([[0], np.cumsum(half.lengths[words])])[:-1]
        for t in range(N_TIERS):
            unary = np.ascontiguousarray(half.plain[rows, t], dtype=np.float64)
            labels[t, rows], meta[words, t] = chain_meta(unary, half.lengths[words], pairs[p, t], seen)
            losses[words, t] = np.add.reduceat(labels[t, rows] != half.labels[rows], first)
    meta = np.concatenate([meta, meta[:, :, 4:] > 0], axis=2)
    return Looked(selector.with_differences(meta[:, :-1]), losses, labels)


def model_curves(fold: folds.Fold, rng: np.random.Generator, us: ArrayLike) -> list[dict]:
    """Curves of all word-level methods, in units per word and percent of letters; `us`: a letter's tiers."""
    train, test = look(fold, "train"), look(fold, "test")
    per = tuple(half.lengths[:, None] * np.asarray(us) for half in (fold.train, fold.test))
    name = {key: method.name for key, method in METHODS.items()}
    variants = [Variant(name["dms"], train, test), Variant(name["dms_per_cost"], train, test, per)]
    for key, columns in (("dms_no_n_grams", _SURENESS), ("dms_n_grams_only", _N_GRAMS)):
        keep = np.array([*columns, *(len(COLUMNS) + np.array(columns))])
        variants.append(
            Variant(name[key], *(half._replace(meta=half.meta[:, :, keep]) for half in (train, test)))
        )
    lengths = fold.test.lengths
    return batch_selection.curves(variants, (COSTS, COSTS), test.losses, lengths, rng, etas=ETAS)
