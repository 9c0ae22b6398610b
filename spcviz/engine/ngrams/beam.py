r"""Beam search over n-gram models: the usual approximation that cascades are compared with.

Scores as in `lattice`. Left to right, the best `width` prefixes of a labelling are extended by each state;
every other prefix is dropped for good, with no bound on how good it could have become.
"""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import larger_of, smaller_of
from spcviz.engine.ngrams.table import NgramTable, begin_code, find


def beam_decode(
    table: NgramTable, unary: ArrayLike, lengths: ArrayLike, order: int, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """The best labelling of each chain that beam search finds.

    Returns scores (W,) and labels (R,), int64. Ties go to the prefix that was better before, then to the
    smaller state. `ShapeError`, `ScoreError`, `ArgumentError` if arguments do not fit each other or a score
    is NaN or +inf.

    Parameters
    ----------
    table : NgramTable
        Weights of 2-grams and longer; see `spcviz.engine.ngrams.table`.
    unary : array_like, shape (R, K)
        All chains one after the other.
    lengths : array_like of int, shape (W,)
    order : int
        n of the longest n-gram that is read, 1 to 8.
    width : int
        Prefixes that are kept at each position, 1 to 10000.

    Examples
    --------
    >>> from spcviz.engine.ngrams.table import encode, ngram_table
    >>> table = ngram_table(2, [encode(2, [1, 1])], [2.0])
    >>> beam_decode(table, [[1.0, 0.0], [0.0, 0.0]], [2], 2, 1)[1]
    array([0, 0])
    >>> beam_decode(table, [[1.0, 0.0], [0.0, 0.0]], [2], 2, 2)[1]
    array([1, 1])
    """
    table, unary = checks.of_own_type("table", table, NgramTable), checks.scores("unary", unary, 2)
    lengths = checks.lengths(lengths, len(unary))
    if lengths.sum() != len(unary) or unary.shape[1] != table.n_states:
        wanted = (int(lengths.sum()), table.n_states)
        raise ShapeError(f"unary has shape {unary.shape}; lengths and table need {wanted}")
    order, width = checks.integer("order", order, 1, 8), checks.integer("width", width, 1, 10_000)
    row_start = checks.starts(lengths)
    scores, labels = np.empty(len(lengths)), np.zeros(len(unary), dtype=np.int64)
    _beam_words(table, unary, row_start, order, width, scores, labels)
    return scores, labels


@kernel
def _beam_words(
    table: NgramTable,
    unary: np.ndarray,
    row_start: np.ndarray,
    order: int,
    width: int,
    scores: np.ndarray,
    labels: np.ndarray,
) -> None:
    longest = 0
    for w in range(len(row_start) - 1):
        longest = larger_of(longest, row_start[w + 1] - row_start[w])
    parent, state = np.empty((longest, width), np.int64), np.empty((longest, width), np.int64)
    keys, values = np.empty((2, width), np.int64), np.empty((2, width), np.float64)
    for w in range(len(row_start) - 1):
        first, last = row_start[w], row_start[w + 1]
        scores[w] = _beam(table, unary[first:last], order, keys, values, parent, state, labels[first:last])


@kernel
def _beam(
    table: NgramTable,
    unary: np.ndarray,
    order: int,
    keys: np.ndarray,
    values: np.ndarray,
    parent: np.ndarray,
    state: np.ndarray,
    labels: np.ndarray,
) -> float:
    """Fill one chain's labels; returns their score. `keys` and `values`: a row before a step, a row after."""
    dense, buckets, table_keys, sums = table.dense, table.first, table.keys, table.values
    bits, n_dense, has_begin, n_states = table.bits, table.n_dense, table.has_begin, table.n_states
    length, k = unary.shape
    mask, end = (np.int64(1) << (bits * order)) - 1, table.n_states + 1
    keys[0, 0], values[0, 0], count, now = 0, 0.0, 1, 0
    for i in range(length):
        m, new, size = smaller_of(i + 1, order), 1 - now, 0
        front = begin_code(has_begin and i < order, n_states, bits, m)
        n = m + (front > 0)
        is_last = i == length - 1 and table.has_end
        for h in range(count):
            before, so_far = (keys[now, h] << bits) & mask, values[now, h]
            for s in range(k):
                key = before + s + 1
                value = so_far + unary[i, s]
                if m > 1:
                    value += find(dense, buckets, table_keys, sums, bits, n_dense, front + key, n)
                if is_last:
                    value += find(dense, buckets, table_keys, sums, bits, n_dense, (key << bits) + end, m + 1)
                if size == values.shape[1] and value <= values[new, size - 1]:
                    continue
                at = smaller_of(size, values.shape[1] - 1)  # the worst is replaced
                while at > 0 and values[new, at - 1] < value:
                    values[new, at], keys[new, at] = values[new, at - 1], keys[new, at - 1]
                    parent[i, at], state[i, at] = parent[i, at - 1], state[i, at - 1]
                    at -= 1
                values[new, at], keys[new, at], parent[i, at], state[i, at] = value, key, h, s
                size = smaller_of(size + 1, values.shape[1])
        count, now = size, new
    h = 0
    for i in range(length - 1, -1, -1):
        labels[i] = state[i, h]
        h = parent[i, h]
    return values[now, 0]
