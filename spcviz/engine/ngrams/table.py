r"""N-gram weights, the potentials of n neighbours, with constant-time look-up of a whole family of terms.

An n-gram's contribution is the sum of its suffixes' weights,
:math:`v(y_{i-n+1} .. y_i) = \sum_{j=2}^{n} w_j(y_{i-j+1} .. y_i)`. Storing v instead of w makes the
common case one probe: v of an n-gram that was never seen equals v of its longest seen suffix,
because all missing weights are zero. Short codes (of three letters, of two tags) are in a dense array,
longer ones in a packed hash table: codes of the same bucket are contiguous, two to four on average, with no
free slots.

A symbol is state + 1, K + 1 for the end mark #, or K + 2 for the begin mark ^; an n-gram's code holds its
symbols in equal numbers of bits, the last symbol lowest, so that suffixes and prefixes are masks and shifts.
The mark ^ comes first or not at all, with two states or more behind it: the weight of a chain's first state
alone is a unary score.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import inlined_kernel, kernel, spliced_kernel

_DENSE_BITS = 18  # most bits of the codes that have an array, which two symbols have in any case
_IN_BUCKET = 2  # least average number of codes per bucket: more take less memory and more comparisons
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads neighbouring codes


class NgramTable(NamedTuple):
    """Summed n-gram weights; made by `ngram_table`.

    - `has_end`, `has_begin`: whether any weight is for an n-gram that ends in #, and that begins with ^
    - `bits`, `n_dense`: bits per symbol (see `symbol_bits`), and symbols of the longest codes in `dense`
    - `dense` (2^(bits * n_dense),): sums for short codes
    - `first` (B + 1,): the start in `keys` of each of B buckets, B a power of two; int32
    - `keys`, `values` (G,): codes of longer n-grams by bucket, int64, and their sums
    """

    n_states: int
    has_end: bool
    has_begin: bool
    bits: int
    n_dense: int
    dense: np.ndarray
    first: np.ndarray
    keys: np.ndarray
    values: np.ndarray


MAX_BITS = 62
"""Codes are non-negative int64."""

Code = int | np.signedinteger
"""An n-gram's code, or its number of symbols: in Python, and in kernels."""


def symbol_bits(n_states: int) -> int:
    """Bits that hold 1 .. K + 1: state + 1 and the end mark. For K = 2^b - 2 no code is left for ^.

    >>> symbol_bits(26), symbol_bits(30), symbol_bits(31)
    (5, 5, 6)
    """
    return (checks.integer("n_states", n_states, 1, 10_000) + 1).bit_length()


def ngram_table(n_states: int, keys: ArrayLike, weights: ArrayLike) -> NgramTable:
    """Build a table from single weights.

    `ShapeError`, `ScoreError`, `ArgumentError` if shapes disagree, a weight is not finite, or a code is
    repeated or too small.

    Parameters
    ----------
    n_states : int
        K, 1 to 1000.
    keys : array_like of int, shape (G,)
        Distinct codes of n-grams with at least two symbols.
    weights : array_like, shape (G,)
        The weight w of each n-gram alone.

    Examples
    --------
    >>> table = ngram_table(26, [encode(26, "th"), encode(26, "the")], [1.0, 0.5])
    >>> lookup(table, encode(26, "the"), 3), lookup(table, encode(26, "ath"), 3)
    (0.5, 1.0)
    """
    n_states = checks.integer("n_states", n_states, 1, 1000)
    bits = symbol_bits(n_states)
    n_dense = max(_DENSE_BITS // bits, 2)
    keys = checks.whole_numbers("keys", keys, 1 << bits, 2 ** (MAX_BITS // bits * bits) - 1)
    weights = checks.scores("weights", weights, 1)
    if keys.shape != weights.shape:
        raise ShapeError(f"keys has shape {keys.shape}; weights needs {weights.shape}")
    order = np.argsort(keys)
    keys, weights = keys[order], weights[order]
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        raise ArgumentError(f"keys must be distinct, got {keys[twice[0]]} twice")
    if np.isneginf(weights).any():
        raise ArgumentError("weights must be finite, got -inf: forbid assignments in the lattice instead")
    dense = np.zeros(1 << bits * n_dense)
    short = keys < len(dense)
    dense[keys[short]] = weights[short]
    for m in range(3, n_dense + 1):  # a trigram's sum includes its bigram's
        shorter = 1 << bits * (m - 1)
        dense[shorter : shorter << bits] += np.tile(dense[:shorter], (1 << bits) - 1)
    has_end = bool((keys & (1 << bits) - 1 == n_states + 1).any())
    about = n_states, has_end, _has_begin(keys, n_states, bits), bits, n_dense
    table, at = _pack_table(about, dense, keys[~short])
    _fill(table, at, keys[~short], weights[~short])
    return table


def _pack_table(
    about: tuple[int, bool, bool, int, int], dense: np.ndarray, keys: np.ndarray
) -> tuple[NgramTable, np.ndarray]:
    """A table with its codes in their buckets and no sums yet; the place in it of each rising key."""
    n_buckets = 1 << max(len(keys) // _IN_BUCKET, 1).bit_length() - 1
    bucket = _buckets(keys, n_buckets)
    order = np.argsort(bucket, kind="stable")
    first = np.zeros(n_buckets + 1, dtype=np.int32)
    first[1:] = np.cumsum(np.bincount(bucket, minlength=n_buckets))
    at = np.empty(len(keys), dtype=np.int64)
    at[order] = np.arange(len(keys))
    return NgramTable(*about, dense, first, keys[order], np.zeros(len(keys))), at


@kernel
def _buckets(keys: np.ndarray, n_buckets: int) -> np.ndarray:
    bucket = np.empty(len(keys), np.int64)
    for g in range(len(keys)):
        bucket[g] = slot_of(keys[g], n_buckets)
    return bucket


def _has_begin(keys: np.ndarray, n_states: int, bits: int) -> bool:
    """Whether codes begin with ^; raises `ArgumentError` where ^ is elsewhere or before one symbol."""
    begin, mask = n_states + 2, (1 << bits) - 1
    top, rest = keys.copy(), keys.copy()
    n_symbols, n_marks = np.ones(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    while rest.any():
        is_longer = top > mask
        top = np.where(is_longer, top >> bits, top)
        n_symbols += is_longer
        n_marks += rest & mask == begin
        rest >>= bits
    is_begin = top == begin
    bad = np.flatnonzero((n_marks != is_begin) | (is_begin & (n_symbols < 3)))
    if len(bad):
        raise ArgumentError(f"keys must have ^ first, before two symbols or more, got {keys[bad[0]]}")
    return bool(is_begin.any())


def empty_table(n_states: int) -> NgramTable:
    """The table of a model without n-gram terms."""
    return ngram_table(n_states, np.zeros(0, dtype=np.int64), np.zeros(0))


def encode(n_states: int, states: Iterable[int | str]) -> int:
    """Code of an n-gram given as states, or as lower-case letters.

    "#" or state K is the end mark, "^" the begin mark, if the number of states leaves a code for it.

    >>> encode(26, [0, 1]), encode(26, "ab"), encode(26, "a#"), encode(26, "^ab")
    (34, 34, 59, 28706)
    """
    n_states, code = checks.integer("n_states", n_states, 1, 10_000), 0
    bits = symbol_bits(n_states)
    for i, s in enumerate(checks.as_tuple("states", states)):
        if i == 0 and isinstance(s, str) and s == "^" and n_states + 2 < 1 << bits:
            code = n_states + 2
            continue
        state = s
        if isinstance(s, str) and len(s) == 1:
            state = n_states if s == "#" else ord(s) - ord("a")
        code = (code << bits) + checks.integer("states", state, 0, n_states) + 1
    return code


@spliced_kernel
def begin_code(has_begin: bool, n_states: int, bits: int, n: int) -> Code:
    """The term that ^ in front adds to the code of a chain's first n symbols; 0 if not needed, or n is 1."""
    return np.int64(n_states + 2) << (bits * n) if has_begin and n > 1 else np.int64(0)


@kernel
def lookup(table: NgramTable, key: Code, n: Code) -> float:
    """Summed weight of the n-gram with code `key` (n symbols)."""
    return find(table.dense, table.first, table.keys, table.values, table.bits, table.n_dense, key, n)


@inlined_kernel
def find(
    dense: np.ndarray,
    first: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    bits: int,
    n_dense: int,
    key: Code,
    n: Code,
) -> float:
    """`lookup` for inner loops: taking arrays out of a tuple at each call costs more than the probe."""
    m = n
    n_buckets = len(first) - 1
    while m > n_dense:
        bucket = slot_of(key, n_buckets)
        for i in range(first[bucket], first[bucket + 1]):
            if keys[i] == key:
                return values[i]
        m -= 1
        key &= (np.int64(1) << (bits * m)) - 1
    return dense[key]


@spliced_kernel
def slot_of(key: Code, size: int) -> np.integer:
    """First slot to look for a code in, among `size` (a power of two)."""
    mixed = np.uint64(key) * _MULTIPLIER
    return np.int64(mixed >> np.uint64(20)) & (size - 1)


@kernel
def _fill(table: NgramTable, at: np.ndarray, keys: np.ndarray, weights: np.ndarray) -> None:
    """Sum up in rising order of code, so that every suffix is ready before the codes that extend it."""
    for g in range(len(keys)):
        key = keys[g]
        m = table.n_dense  # symbols of the longest proper suffix
        while key >> (table.bits * (m + 1)) > 0:
            m += 1
        table.values[at[g]] = weights[g] + lookup(table, key & ((np.int64(1) << (table.bits * m)) - 1), m)
