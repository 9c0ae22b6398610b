"""Meta-features of decoded chains: how much a better model is likely to help (thesis 6.3.1)."""

import numpy as np

from spcviz.engine.chain_summary import summarise_chains
from spcviz.engine.jit import kernel
from spcviz.learning.seen import count_unseen

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


def chain_meta(unary, lengths, pairwise, seen):
    """Labels and meta-features of many chains.

    Parameters
    ----------
    unary : array_like, shape (sum of lengths, K)
    lengths : array_like of int, shape (N,)
    pairwise : array_like, shape (K, K)
    seen : ndarray
        From `spcviz.learning.seen.seen_grams`.

    Returns
    -------
    labels : ndarray, shape (sum of lengths,), int64
    meta : ndarray, shape (N, 7)
        See `META`: (s1 - s2) / |s1| of the two best scores (1 if there is only one), entropies of
        sum-product marginals, numbers of 3-, 4- and 5-grams that were never seen in training.
    """
    found = summarise_chains(unary, lengths, pairwise)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    meta = np.empty((len(starts) - 1, len(META)))
    with np.errstate(invalid="ignore"):
        gap = (found.best - found.second) / np.maximum(np.abs(found.best), 1e-9)
    meta[:, 0] = np.where(np.isfinite(gap), np.minimum(gap, 1.0), 1.0)
    meta[:, 1] = np.add.reduceat(found.entropy, starts[:-1]) / lengths
    meta[:, 2] = np.minimum.reduceat(found.entropy, starts[:-1])
    meta[:, 3] = np.maximum.reduceat(found.entropy, starts[:-1])
    _unseen(seen, found.labels, starts, np.shape(unary)[1], meta)
    return found.labels, meta


@kernel
def _unseen(seen, labels, starts, n_states, meta):
    for w in range(len(starts) - 1):
        for n in range(3, 6):
            meta[w, n + 1] = count_unseen(seen, labels[starts[w] : starts[w + 1]], n_states, n)
