"""Kernels of the best and the k best labellings of chains, and of their max-marginals."""

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.inputs import BACK, FORTH, align_rows, is_wrong, longest_of, table_rows
from spcviz.engine.chains.peaked import PAUSE, Tops, combine_best
from spcviz.engine.kernels.jit import bare_kernel, kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.semirings import MAX_PLUS, combine, multiply
from spcviz.engine.kernels.vectors import copy, largest

LONG = 16
"""Number of positions from which a copy of the transitions costs less than rows across cache lines."""


@bare_kernel
def decode_into(
    unary: np.ndarray, pairwise: np.ndarray, tops: Tops, left: np.ndarray, labels: np.ndarray
) -> float:
    """`decode` for other kernels: pairwise (1 or L - 1, K, K); fills labels, returns the score.

    tops : `tops_of` the one table, or None; each case is a separate kernel
    left : (L + 1 or more, K), scratch memory: the messages, and a row for their products. Its rows, and the
    transitions', may be longer: see `align_rows`.

    There are no back-pointers: the backward pass searches for the first state that attains the message; the
    same sums round in the same way.
    """
    length, n = unary.shape
    product, wait = left[length, :n], (0, PAUSE)
    left[0] = MAX_PLUS.one
    for i in range(1, length):
        multiply(MAX_PLUS, left[i - 1], unary[i - 1], product)
        table = pairwise[i - 1 if i < len(pairwise) else len(pairwise) - 1]
        if tops is None:
            combine(MAX_PLUS, product, table, left[i])
        else:
            wait = combine_best(product, table, tops, left[i], wait)
    best, state = -np.inf, 0
    for k in range(n):
        v = left[length - 1, k] + unary[length - 1, k]
        if v > best:
            best, state = v, k
    labels[length - 1] = state
    for i in range(length - 2, -1, -1):
        edge, wanted, arg = i if i < len(pairwise) else len(pairwise) - 1, left[i + 1, state], 0
        for k in range(n):
            v = left[i, k] + unary[i, k]
            if tops is not None and v + tops[k] < wanted:  # reading across rows costs a cache line each
                continue
            if v + pairwise[edge, k, state] == wanted:
                arg = k
                break
        labels[i] = state = arg
    return best


@bare_kernel
def is_worth_a_copy(unary: np.ndarray, pairwise: np.ndarray) -> bool:
    """Whether a chain is so long that its one table for all steps is better copied to `align_rows` rows."""
    return len(pairwise) == 1 and len(unary) >= LONG


@kernel
def decode_chain(unary: np.ndarray, pairwise: np.ndarray, labels: np.ndarray) -> float:
    """Best score, and fills labels; -inf if anything is wrong or nothing is feasible: the caller checks."""
    if is_wrong(unary, pairwise):
        return -np.inf
    left = align_rows((len(unary) + 1, unary.shape[1]), unary)
    if is_worth_a_copy(unary, pairwise):
        return decode_into(unary, table_rows(pairwise, -np.inf, FORTH), None, left, labels)
    return decode_into(unary, pairwise, None, left, labels)


@kernel
def fill_max_marginals(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """Best score; fills the node table (L, K) and, unless it is empty, the edge table (L - 1, K, K).

    -inf as in `decode_chain`.
    """
    if is_wrong(unary, pairwise):
        return -np.inf
    work, back = align_rows((np.int64(2), unary.shape[1]), unary), table_rows(pairwise, -np.inf, BACK)
    if is_worth_a_copy(unary, pairwise):
        return max_tables(unary, table_rows(pairwise, -np.inf, FORTH), back, None, None, work, node, edge)
    return max_tables(unary, pairwise, back, None, None, work, node, edge)


@bare_kernel
def max_tables(
    unary: np.ndarray,
    pairwise: np.ndarray,
    back: np.ndarray,
    tops: Tops,
    back_tops: Tops,
    work: np.ndarray,
    node: np.ndarray,
    edge: np.ndarray,
) -> float:
    """As `fill_max_marginals`, with `table_rows` from right to left.

    tops, back_tops : of both tables, as in `decode_into`
    work : (2, K), `align_rows` scratch memory: a message, and its product with a row of scores. During the
    forward pass the node table holds products of messages from the left.
    """
    length, n = unary.shape
    message, product, wait = work[0], work[1, :n], (0, PAUSE)
    copy(unary[0], node[0])
    for i in range(1, length):
        table = pairwise[i - 1 if i < len(pairwise) else len(pairwise) - 1]
        if tops is None:
            combine(MAX_PLUS, node[i - 1], table, message)
        else:
            wait = combine_best(node[i - 1], table, tops, message, wait)
        multiply(MAX_PLUS, message, unary[i], node[i])
    copy(unary[length - 1], product)
    wait = (0, PAUSE)
    for i in range(length - 2, -1, -1):
        t = i if i < len(pairwise) else len(pairwise) - 1
        if back_tops is None:
            combine(MAX_PLUS, product, back[t], message)
        else:
            wait = combine_best(product, back[t], back_tops, message, wait)
        if len(edge):
            for j in range(n):
                before = node[i, j]
                row, out = pairwise[t, j], edge[i, j]
                for k in range(n):
                    out[k] = before + row[k] + product[k]
        multiply(MAX_PLUS, node[i], message, node[i])
        multiply(MAX_PLUS, message, unary[i], product)
    return largest(node[0])


@kernel
def decode_chains(
    unary: np.ndarray,
    lengths: np.ndarray,
    pairwise: np.ndarray,
    tops: Tops,
    scores: np.ndarray,
    labels: np.ndarray,
) -> bool:
    """Fill scores (N,) and labels (R,); False if an argument is wrong: the caller checks.

    tops : as in `decode_into`
    """
    longest = longest_of(unary, lengths, pairwise)
    if longest < 0:
        return False
    table = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, FORTH)
    left = align_rows((longest + 1, unary.shape[1]), unary)
    return _decode_all(unary, lengths, table, tops, left, scores, labels)


@bare_kernel
def _decode_all(
    unary: np.ndarray,
    lengths: np.ndarray,
    table: np.ndarray,
    tops: Tops,
    left: np.ndarray,
    scores: np.ndarray,
    labels: np.ndarray,
) -> bool:
    b = 0
    for w in range(len(scores)):
        a, b = b, b + lengths[w]
        if checks.first_bad(unary[a:b].reshape(-1)) >= 0:
            return False
        scores[w] = decode_into(unary[a:b], table, tops, left, labels[a:b])
        if scores[w] == -np.inf:
            labels[a:b] = 0
    return True


@kernel
def fill_node_tables(
    unary: np.ndarray,
    lengths: np.ndarray,
    pairwise: np.ndarray,
    tops: Tops,
    back_tops: Tops,
    best: np.ndarray,
    node: np.ndarray,
) -> bool:
    """Fill best (N,) and node (R, K); False if an argument is wrong: the caller checks.

    tops, back_tops : as in `max_tables`
    """
    longest = longest_of(unary, lengths, pairwise)
    if longest < 0:
        return False
    table = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, FORTH)
    back = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, BACK)
    work = align_rows((np.int64(2), unary.shape[1]), unary)
    return _node_tables_all(unary, lengths, table, back, tops, back_tops, work, best, node)


@bare_kernel
def _node_tables_all(
    unary: np.ndarray,
    lengths: np.ndarray,
    table: np.ndarray,
    back: np.ndarray,
    tops: Tops,
    back_tops: Tops,
    work: np.ndarray,
    best: np.ndarray,
    node: np.ndarray,
) -> bool:
    b = 0
    for w in range(len(best)):
        a, b = b, b + lengths[w]
        if checks.first_bad(unary[a:b].reshape(-1)) >= 0:
            return False
        best[w] = max_tables(unary[a:b], table, back, tops, back_tops, work, node[a:b], table[:0])
    return True


@kernel
def best_labellings(unary: np.ndarray, pairwise: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(scores (m,), labels (m, L)): per state a sorted list of its k best prefixes."""
    length, n = unary.shape
    # One-dimensional first: numba compiles these again for each number of dimensions.
    value = fill_new(length * n * k, np.float64, -np.inf).reshape((length, n, k))
    back = fill_new(length * n * k, np.int64, 0).reshape((length, n, k))  # previous state * k + rank
    for s in range(n):
        value[0, s, 0] = unary[0, s]
    candidate = np.empty(n * k, np.float64)
    for i in range(1, length):
        step = pairwise[(i - 1) % len(pairwise)]
        for s in range(n):
            for r in range(n):
                for q in range(k):
                    candidate[r * k + q] = value[i - 1, r, q] + step[r, s]
            _fill_top(candidate, value[i, s], back[i, s])
            for q in range(k):
                value[i, s, q] += unary[i, s]
    final, origin = np.empty(k, np.float64), np.empty(k, np.int64)
    _fill_top(value[length - 1].copy().reshape(-1), final, origin)
    m = 0
    while m < k and final[m] > -np.inf:
        m += 1
    labels = np.empty(m * length, np.int64).reshape((m, length))
    for q in range(m):
        at = origin[q]
        for i in range(length - 1, -1, -1):
            labels[q, i] = at // k
            at = back[i, at // k, at % k]
    return final[:m].copy(), labels


@kernel
def _fill_top(candidate: np.ndarray, values: np.ndarray, origins: np.ndarray) -> None:
    """The len(values) largest candidates in falling order, the first of equals first."""
    k, size = len(values), 0
    for c in range(len(candidate)):
        v = candidate[c]
        if v == -np.inf or (size == k and v <= values[k - 1]):
            continue
        if size < k:
            size += 1
        at = size - 1
        while at > 0 and values[at - 1] < v:
            values[at], origins[at] = values[at - 1], origins[at - 1]
            at -= 1
        values[at], origins[at] = v, c
    for q in range(size, k):
        values[q], origins[q] = -np.inf, 0
