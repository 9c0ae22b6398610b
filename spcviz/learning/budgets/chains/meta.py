"""Meta-features of decoded chains: how much a better model is likely to help (thesis 6.3.1)."""

import numpy as np

from spcviz.engine.chains.batch import summarise_chains
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new, larger_of
from spcviz.learning.budgets.chains.actions import ODD, chi_squared
from spcviz.learning.budgets.chains.ngram_sets import count_unseen

META = (
    "gap of the best two",
    "mean entropy",
    "least entropy",
    "largest entropy",
    "new 3-grams",
    "new 4-grams",
    "new 5-grams",
)
"""Columns of `chain_meta`."""

_GAP = META.index("gap of the best two")
_MEAN, _LEAST, _LARGEST = (META.index(f"{which} entropy") for which in ("mean", "least", "largest"))
_NEW_3 = META.index("new 3-grams")  # those of 4 and 5 follow

REACHES = (1, 2, 3)
LOOKS_META = tuple(f"{what} change of looks within {k}" for k in REACHES for what in ("mean", "largest"))
"""Further columns where states have looks."""


def chain_meta(
    unary: np.ndarray,
    lengths: np.ndarray,
    pairwise: np.ndarray,
    seen: np.ndarray,
    looks: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Labels (R,) and meta-features (N, 7), or (N, 13) with looks, of many chains.

    Parameters
    ----------
    unary, lengths, pairwise
        As for `spcviz.engine.chains.batch.summarise_chains`.
    seen : ndarray
        From `spcviz.learning.budgets.chains.ngram_sets.seen_grams`.
    looks : ndarray, shape (R, K, B), optional
        A histogram of each state.

    Returns
    -------
    labels, meta
        See `META`: (s1 - s2) / |s1| of the two best scores (1 if there is only one), entropies of
        sum-product marginals, numbers of 3-, 4- and 5-grams that were never seen in training. Then
        `LOOKS_META`: shares of positions whose label differs in looks by a chi-squared distance of more
        than 0.5 from those up to k before and k after, on average and at most (thesis 6.3.2).
    """
    summary = summarise_chains(unary, lengths, pairwise)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    meta = np.empty((len(starts) - 1, len(META)))
    with np.errstate(invalid="ignore"):
        gap = (summary.best - summary.second) / np.maximum(np.abs(summary.best), 1e-9)
    meta[:, _GAP] = np.where(np.isfinite(gap), np.minimum(gap, 1.0), 1.0)
    meta[:, _MEAN] = np.add.reduceat(summary.entropy, starts[:-1]) / lengths
    meta[:, _LEAST] = np.minimum.reduceat(summary.entropy, starts[:-1])
    meta[:, _LARGEST] = np.maximum.reduceat(summary.entropy, starts[:-1])
    _unseen(seen, summary.labels, starts, np.shape(unary)[1], meta)
    if looks is not None:
        meta = np.concatenate([meta, _looks_change(looks, summary.labels, starts)], axis=1)
    return summary.labels, meta


@kernel
def _unseen(
    seen: np.ndarray, labels: np.ndarray, starts: np.ndarray, n_states: int, meta: np.ndarray
) -> None:
    for w in range(len(starts) - 1):
        for n in range(3, 6):
            meta[w, _NEW_3 + n - 3] = count_unseen(seen, labels[starts[w] : starts[w + 1]], n_states, n)


@kernel
def _looks_change(looks: np.ndarray, labels: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Columns `LOOKS_META`; at the ends of a chain a window holds only the positions that exist."""
    out = fill_new((len(starts) - 1, 2 * len(REACHES)), np.float64, 0.0)
    for w in range(len(starts) - 1):
        a, b = starts[w], starts[w + 1]
        for i in range(a, b):
            total, most, count = 0.0, 0.0, 0
            for c, k in enumerate(REACHES):
                for j in (i - k, i + k):  # reaches are 1, 2, 3: each adds two neighbours
                    if a <= j < b:
                        apart = chi_squared(looks[i, labels[i]], looks[j, labels[j]])
                        total, most, count = total + apart, larger_of(most, apart), count + 1
                if count and total / count > ODD:
                    out[w, 2 * c] += 1.0 / (b - a)
                if most > ODD:
                    out[w, 2 * c + 1] += 1.0 / (b - a)
    return out
