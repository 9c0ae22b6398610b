r"""A letter n-gram model counted from words, as weights that a cascade can begin with.

Interpolated with absolute discounting: with c the letters before, c' the same without their first,
N(c) occurrences, N(c y) followed by y (a state or the end mark #), T(c) different followers,

.. math:: p(y \mid c) = \frac{\max(N(c y) - D, 0) + D \, T(c) \, p(y \mid c')}{N(c)}

and p(y | c) = p(y | c') where c was seen less than `least` times. In the form of
`spcviz.engine.ngrams.table` the n-gram (c, y) weighs log p(y | c) - log p(y | c'): their sum over all
suffixes is log p(y | c) once log p(y) is added, which is a unary weight. So a longer context costs weights
only where it was seen.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.engine.ngrams.table import MAX_BITS, symbol_bits


class Counted(NamedTuple):
    """Log probabilities of an n-gram model, as differences to the shorter context.

    Attributes
    ----------
    n_states : int
        K.
    single, first : ndarray, shape (K,)
        log p(y) anywhere, and as the first of a word.
    size : ndarray, shape (G,), int64
        Symbols of each n-gram, the end mark included: 2 and more.
    is_end : ndarray of bool, shape (G,)
    keys : ndarray, shape (G,), int64
        Their codes, rising within a size; see `spcviz.engine.ngrams.table`.
    values : ndarray, shape (G,)
    """

    n_states: int
    single: np.ndarray
    first: np.ndarray
    size: np.ndarray
    is_end: np.ndarray
    keys: np.ndarray
    values: np.ndarray


def count(
    n_states: int,
    labels: np.ndarray,
    lengths: np.ndarray,
    weights: np.ndarray,
    longest: int,
    *,
    discount: float = 0.75,
    least: float = 2.0,
) -> Counted:
    """Count a list of words.

    Parameters
    ----------
    n_states : int
        K, 1 to 200.
    labels : array_like of int, shape (sum of lengths,)
        The words, one after the other.
    lengths : array_like of int, shape (W,)
    weights : array_like, shape (W,)
        How often each word counts, at least `discount`.
    longest : int
        Symbols of the longest n-gram, the end mark included; at least 2.
    discount : float
        D, 0 < D < 1.
    least : float
        Contexts of two and more letters that are seen less often are left out.

    Returns
    -------
    Counted

    Raises
    ------
    ShapeError, ArgumentError
        If arguments do not fit each other or are out of range.

    References
    ----------
    Ney, Essen and Kneser (1994), On structuring probabilistic dependences in stochastic language modelling.

    Examples
    --------
    >>> found = count(2, [0, 1, 0, 1, 0, 0], [2, 2, 2], [1, 1, 1], 2)
    >>> [int(key) for key in found.keys]
    [5, 6, 7, 9, 10, 11]
    >>> bool(found.values[1] > found.values[0])  # "ab" beside "aa"
    True
    """
    n_states = checks.integer("n_states", n_states, 1, 200)
    bits = symbol_bits(n_states)
    longest = checks.integer("longest", longest, 2, MAX_BITS // bits)
    discount = checks.number("discount", discount, 1e-9)
    lengths = checks.lengths(lengths, 2**31 - 1)
    labels = checks.states("labels", labels, int(lengths.sum()), n_states)
    weights = checks.scores("weights", weights, 1)
    if len(weights) != len(lengths):
        raise ShapeError(f"weights has shape {weights.shape}; lengths needs {(len(lengths),)}")
    followers, place, weight = _with_ends(labels, lengths, weights, n_states)
    table = _singles(followers, weight, discount)
    is_first = place == 0
    counted = np.bincount(followers[is_first], weight[is_first], n_states + 1)[:-1]
    first = counted + discount * n_states * table[:-1]
    contexts, lower = np.zeros(1, dtype=np.int64), table[None]
    sizes, keys, values = [], [], []
    code = np.zeros(len(followers), dtype=np.int64)  # of the m - 1 letters before
    for m in range(2, longest + 1):
        code = _longer(code, followers, m, bits)
        here = np.flatnonzero(place >= m - 1)
        found, at = np.unique(code[here], return_inverse=True)
        n = np.bincount(at * (n_states + 1) + followers[here], weight[here], len(found) * (n_states + 1))
        n = n.reshape(len(found), n_states + 1)
        if m > 2:
            enough = n.sum(axis=1) >= least
            found, n = found[enough], n[enough]
        below = lower[np.searchsorted(contexts, found & ((np.int64(1) << bits * (m - 2)) - 1))]
        share = discount * (n > 0).sum(axis=1, keepdims=True)
        upper = (np.maximum(n - discount, 0) + share * below) / n.sum(axis=1, keepdims=True)
        keys.append(((found[:, None] << bits) + np.arange(1, n_states + 2)).ravel())
        values.append(np.log(upper / below).ravel())
        sizes.append(np.full(len(keys[-1]), m))
        contexts, lower = found, upper
    every = np.concatenate(keys)
    return Counted(
        n_states,
        np.log(table[:-1]),
        np.log(first / first.sum()),
        np.concatenate(sizes),
        every & ((1 << bits) - 1) == n_states + 1,
        every,
        np.concatenate(values),
    )


def _with_ends(
    labels: np.ndarray, lengths: np.ndarray, weights: np.ndarray, n_states: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(symbols, their places, their weights): every word with the end mark behind it."""
    ends = np.cumsum(lengths)
    symbols = np.insert(labels, ends, n_states)
    starts = np.concatenate([[0], ends[:-1]]) + np.arange(len(lengths))
    place = np.arange(len(symbols)) - np.repeat(starts, lengths + 1)
    return symbols, place, np.repeat(weights, lengths + 1)


def _singles(symbols: np.ndarray, weight: np.ndarray, discount: float) -> np.ndarray:
    """p(y) of single symbols, smoothed towards all alike, shape (K + 1,)."""
    size = int(symbols.max(initial=0)) + 1
    n = np.bincount(symbols, weight, size)
    return (np.maximum(n - discount, 0) + discount * (n > 0).sum() / size) / n.sum()


def _longer(code: np.ndarray, symbols: np.ndarray, m: int, bits: int) -> np.ndarray:
    """Codes of the m - 1 symbols before each place, from those of the m - 2."""
    before = np.concatenate([np.zeros(m - 1, dtype=np.int64), symbols[: len(symbols) - m + 1] + 1])
    return code + (before << bits * (m - 2))
