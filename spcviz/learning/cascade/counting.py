r"""Count a letter n-gram model from words, as weights that a cascade can start from.

Interpolated with absolute discounting: with c the letters before, c' the same without their first,
N(c) occurrences, N(c y) followed by y (a state or the end mark #), T(c) different followers,

.. math:: p(y \mid c) = \frac{\max(N(c y) - D, 0) + D \, T(c) \, p(y \mid c')}{N(c)}

and p(y | c) = p(y | c') where c was seen fewer than `least` times. Kneser and Ney count the followers of
shorter contexts differently: N(c y) is the number of different symbols (a state, or the begin mark ^) that
precede c y, because a shorter context is used only where a longer one has no information. The longest
contexts keep plain counts, and so do those that begin with ^, which nothing precedes.

With `has_begin` contexts know where words begin: c may be ^ followed by all letters before y.

In the form of `spcviz.engine.ngrams.table` the n-gram (c, y) weighs log p(y | c) - log p(y | c'): their sum
over all suffixes is log p(y | c) once log p(y) is added, which is a unary weight. So a longer context costs
weights only where it was seen.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.table import MAX_BITS, symbol_bits

Smoothing = Literal["absolute", "kneser_ney"]


class Counted(NamedTuple):
    """Log probabilities of an n-gram model, as differences to the shorter context."""

    n_states: int  # K
    # single, first (K,): log p(y) anywhere, and as the first of a word
    single: np.ndarray
    first: np.ndarray
    size: np.ndarray  # (G,) int64: symbols of each n-gram, marks included: 2 and more
    # is_end, is_begin (G,) bool: whether it ends in #; whether it begins with ^
    is_end: np.ndarray
    is_begin: np.ndarray
    keys: np.ndarray  # (G,) int64: their codes, rising within a size; see `spcviz.engine.ngrams.table`
    values: np.ndarray  # (G,)


def count(
    n_states: int,
    labels: np.ndarray,
    lengths: np.ndarray,
    weights: np.ndarray,
    longest: int,
    *,
    discount: float = 0.75,
    least: float = 2.0,
    smoothing: Smoothing = "absolute",
    plain_from: int | None = None,
    has_begin: bool = False,
) -> Counted:
    """Count a list of words.

    Parameters
    ----------
    n_states : int
        K, 1 to 200.
    labels : array_like of int, shape (sum of lengths,)
        The words, one after another.
    lengths, weights : array_like, shape (W,)
        A word's weight, the number of times it counts, is at least `discount`.
    longest : int
        Symbols of the longest n-gram, marks included; at least 2.
    discount : float
        D, 0 < D < 1.
    least : float
        Contexts of two or more symbols that are seen less often are left out.
    smoothing : {"absolute", "kneser_ney"}
        How followers of shorter contexts are counted.
    plain_from : int, optional
        Kneser and Ney: symbols of the shortest n-grams that keep plain counts; `longest` by default.
    has_begin : bool
        Whether n-grams may begin with ^; `Counted.first` describes the beginnings of words in any case.

    Raises
    ------
    ShapeError, ArgumentError
        If arguments do not fit each other or are out of range.

    References
    ----------
    Ney, Essen and Kneser (1994), On structuring probabilistic dependences in stochastic language modelling;
    Kneser and Ney (1995), Improved backing-off for m-gram language modeling.

    Examples
    --------
    >>> counts = count(2, [0, 1, 0, 1, 0, 0], [2, 2, 2], [1, 1, 1], 2)
    >>> [int(key) for key in counts.keys]
    [5, 6, 7, 9, 10, 11]
    >>> bool(counts.values[1] > counts.values[0])  # "ab" beside "aa"
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
    if smoothing not in get_args(Smoothing):
        raise ArgumentError(f"smoothing must be {' or '.join(get_args(Smoothing))}, got {smoothing!r}")
    plain_from = checks.integer("plain_from", longest if plain_from is None else plain_from, 1, longest)
    if smoothing == "absolute":
        plain_from = 1
    if has_begin and n_states + 2 >= 1 << bits:
        raise ArgumentError(f"has_begin must be False: {n_states} states leave no symbol for ^, got True")
    text = _text(labels, lengths, weights, n_states, longest)
    single = _singles(text, discount, plain_from == 1)
    is_first = text.place == 0
    counted = np.bincount(text.symbols[is_first], text.weight[is_first], n_states + 1)[:-1]
    first = counted + discount * n_states * single[:-1]
    contexts, lower = np.zeros(1, dtype=np.int64), single[None]
    sizes, keys, values = [], [], []
    for m in range(2, longest + 1):
        longer, n, total = _followers(text, m, has_begin and m > 2, m >= plain_from)
        if m > 2:
            is_enough = total >= least
            longer, n = longer[is_enough], n[is_enough]
        below = lower[np.searchsorted(contexts, longer & ((np.int64(1) << bits * (m - 2)) - 1))]
        share = discount * (n > 0).sum(axis=1, keepdims=True)
        upper = (np.maximum(n - discount, 0) + share * below) / n.sum(axis=1, keepdims=True)
        keys.append(((longer[:, None] << bits) + np.arange(1, n_states + 2)).ravel())
        values.append(np.log(upper / below).ravel())
        sizes.append(np.full(len(keys[-1]), m))
        contexts, lower = longer, upper
    every, size = np.concatenate(keys), np.concatenate(sizes)
    return Counted(
        n_states,
        np.log(single[:-1]),
        np.log(first / first.sum()),
        size,
        every & ((1 << bits) - 1) == n_states + 1,
        every >> bits * (size - 1) == n_states + 2,
        every,
        np.concatenate(values),
    )


class _Text(NamedTuple):
    """Every word followed by #, one after another."""

    n_states: int
    bits: int
    symbols: np.ndarray  # states; K is #
    place: np.ndarray  # of each symbol within its word
    weight: np.ndarray
    before: list[np.ndarray]  # before[m]: codes of the m symbols before each, of other words too


def _text(labels: np.ndarray, lengths: np.ndarray, weights: np.ndarray, n_states: int, longest: int) -> _Text:
    ends, bits = np.cumsum(lengths), symbol_bits(n_states)
    symbols = np.insert(labels, ends, n_states)
    starts = np.concatenate([[0], ends[:-1]]) + np.arange(len(lengths))
    place = np.arange(len(symbols)) - np.repeat(starts, lengths + 1)
    before = [np.zeros(len(symbols), dtype=np.int64)]
    for m in range(1, longest + 1):
        earlier = np.concatenate([np.zeros(m, dtype=np.int64), symbols[: len(symbols) - m] + 1])
        before.append(before[-1] + (earlier[: len(symbols)] << bits * (m - 1)))
    return _Text(n_states, bits, symbols, place, np.repeat(weights, lengths + 1), before)


def _contexts(text: _Text, m: int, has_begin: bool) -> tuple[np.ndarray, np.ndarray]:
    """(symbols that have m symbols before them in their word, ^ included or not; codes of those m)."""
    inside = np.flatnonzero(text.place >= m)
    code = text.before[m][inside]
    if not has_begin:
        return inside, code
    early = np.flatnonzero(text.place == m - 1)
    marked = text.before[m - 1][early] + (np.int64(text.n_states + 2) << text.bits * (m - 1))
    return np.concatenate([inside, early]), np.concatenate([code, marked])


def _followers(
    text: _Text, m: int, has_begin: bool, is_plain: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Contexts of m - 1 symbols, rising; how often each symbol follows, (contexts, K + 1); plain sums."""
    k = text.n_states + 1
    at, code = _contexts(text, m - 1, has_begin)
    contexts, context = np.unique(code, return_inverse=True)
    n = np.bincount(context * k + text.symbols[at], text.weight[at], len(contexts) * k).reshape(-1, k)
    total = n.sum(axis=1)
    if not is_plain:
        at, longer = _contexts(text, m, True)
        different = np.unique((longer << text.bits) + text.symbols[at] + 1)
        mask = (np.int64(1) << text.bits * (m - 1)) - 1
        context = np.searchsorted(contexts, different >> text.bits & mask)
        follower = (different & (1 << text.bits) - 1) - 1
        kinds = np.bincount(context * k + follower, minlength=len(contexts) * k).reshape(-1, k)
        is_begin = contexts >> text.bits * max(m - 2, 0) == text.n_states + 2
        n = np.where(is_begin[:, None], n, kinds)
    return contexts, n, total


def _singles(text: _Text, discount: float, is_plain: bool) -> np.ndarray:
    """p(y) of single symbols, smoothed towards the uniform distribution, shape (K + 1,)."""
    size = int(text.symbols.max(initial=0)) + 1
    n = np.bincount(text.symbols, text.weight, size)
    if not is_plain:
        n = _followers(text, 1, False, False)[1][0, :size]
    return (np.maximum(n - discount, 0) + discount * (n > 0).sum() / size) / n.sum()
