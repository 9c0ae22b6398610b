r"""Merge the variables of an n-gram model until its factor graph is a chain without cycles.

Messages between variables of overlapping factors would run in cycles. So n - 1 neighbours are merged into
one variable :math:`z_j = (y_j, \ldots, y_{j+n-2})` with :math:`K^{n-1}` states (``states[s]``, in dictionary
order), and an n-gram's score becomes that of a transition: -inf where two states disagree about the n - 2
variables they share. Of :math:`K^{2(n-1)}` transitions :math:`K^n` remain, and every path is a labelling.
This module is for display and for checks: `spcviz.engine.ngrams.dense` and `lattice` never store the -inf.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError

MAX_STATES = 4096


class Agglomerated(NamedTuple):
    """A chain for `spcviz.engine.chains.chain`, M = L - n + 2 merged variables of S = K^(n - 1) states."""

    unary: np.ndarray  # (M, S)
    pairwise: np.ndarray  # (M - 1, S, S): -inf where two neighbours disagree
    states: np.ndarray  # (S, n - 1) int64: the old states behind each new one


def agglomerate(unary: ArrayLike, ngrams: ArrayLike) -> Agglomerated:
    """Merge n - 1 neighbours (thesis, 3.2 and 3.3, Fig. 3.2 and 3.3) of scores (L, K) and factors (L - n + 1,
    K, ..., K), ``[j, y_j, ..., y_{j+n-1}]``.

    >>> merged = agglomerate(np.zeros((3, 2)), np.ones((1, 2, 2, 2)))
    >>> merged.states.tolist(), merged.pairwise[0, 1].tolist()  # 01 goes on with 10 and 11 only
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [-inf, -inf, 1.0, 1.0])
    """
    unary = checks.scores("unary", unary, 2)
    ngrams = checks.typed_array("ngrams", ngrams, "biuf", "numbers")
    n, (length, k) = ngrams.ndim - 1, unary.shape
    wanted = (length - n + 1, *(k,) * n)
    if n < 2 or length < n or k < 1 or ngrams.shape != wanted:
        raise ShapeError(
            f"ngrams has shape {ngrams.shape}; unary {unary.shape} needs (L - n + 1, K, ..., K) with n from "
            f"2 to {length} axes of {k}"
        )
    if (size := k ** (n - 1)) > MAX_STATES:
        raise ArgumentError(
            f"{k} to the power {n - 1} is {size} merged states; at most {MAX_STATES} are stored"
        )
    ngrams = checks.scores("ngrams", ngrams.reshape(wanted[0], -1), 2).reshape(-1, size, k)
    states = np.indices((k,) * (n - 1)).reshape(n - 1, -1).T
    merged = np.zeros((length - n + 2, size))
    for i in range(n - 1):  # the first one scores all its variables; each later one what it adds
        merged[0] += unary[i, states[:, i]]
    merged[1:] = unary[n - 1 :, states[:, -1]]
    # (y_j .. y_{j+n-2}) followed by y_{j+n-1}: the first letter is dropped, the new one added at the end.
    goes_to = (np.arange(size)[:, None] * k + np.arange(k)) % size
    pairwise = np.full((len(ngrams), size, size), -np.inf)
    pairwise[:, np.arange(size)[:, None], goes_to] = ngrams
    return Agglomerated(merged, pairwise, states.astype(np.int64))


def separate(labels: ArrayLike, states: np.ndarray) -> np.ndarray:
    """Labels (M,) of the merged chain as (M + n - 2,) of the old one; `ArgumentError` where two disagree.

    >>> separate([1, 2], np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).tolist()
    [0, 1, 0]
    """
    states = checks.typed_array("states", states, "iu", "whole numbers")
    if states.ndim != 2 or 0 in states.shape:
        raise ShapeError(f"states has shape {states.shape}; it needs (S, n - 1), both over 0")
    if states.min() < 0 or states.max() >= MAX_STATES:
        raise ArgumentError(
            f"states must be from 0 to {MAX_STATES - 1}, got {states.min()} to {states.max()}"
        )
    tuples = states[checks.whole_numbers("labels", labels, 0, len(states) - 1)]
    if not len(tuples):
        raise ShapeError("labels has shape (0,); it needs at least one")
    for j, (a, b) in enumerate(itertools.pairwise(tuples)):
        if (a[1:] != b[:-1]).any():
            raise ArgumentError(f"labels {j} and {j + 1} disagree: {tuple(a.tolist())}, {tuple(b.tolist())}")
    return np.concatenate([tuples[0], tuples[1:, -1]])
