"""Kernels of the best labelling and of max-marginals of a chain, one and many at once."""

from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.inputs import aligned, is_wrong, longest_of, table_rows
from spcviz.engine.kernels.jit import bare_kernel, kernel
from spcviz.engine.kernels.semirings import MAX_PLUS, Semiring, combine, multiply, total
from spcviz.engine.kernels.vectors import copy

LONG = 16
"""Positions from which on a copy of the transitions costs less than rows across cache lines."""

# Of numba's type int64, so that the two directions are one kernel: literal whole numbers are compiled in.
_AHEAD: Any = np.int64(1)


@bare_kernel
def messages(
    sr: Semiring,
    unary: np.ndarray,
    pairwise: np.ndarray,
    out: np.ndarray,
    step: int,
    product: np.ndarray,
) -> None:
    """Messages along a chain, shape (L, K), walking by `step` (1: from the left, -1: from the right).

    `pairwise` is indexed [edge, from, to] in walking direction, so the walk from the right wants
    it transposed; `product` (K,) is scratch memory. A semiring of scores: sums of products need rescaling.
    """
    length = len(unary)
    i = 0 if step == 1 else length - 1
    out[i] = sr.one
    for _ in range(length - 1):
        multiply(sr, out[i], unary[i], product)
        edge = min(i if step == 1 else i - 1, len(pairwise) - 1)  # one table may serve all steps
        i += step
        combine(sr, product, pairwise[edge], out[i])


@bare_kernel
def decode_into(unary: np.ndarray, pairwise: np.ndarray, left: np.ndarray, labels: np.ndarray) -> float:
    """`decode` for other kernels: pairwise (1 or L - 1, K, K); fills labels, returns the score.

    left : (L + 1 or more, K), scratch memory: the messages, and a row for their products. Its rows, and the
    transitions', may be longer: see `aligned`.

    No back-pointers: on the way back the first state that attains the message is looked for; the same sums
    round in the same way.
    """
    length, n = unary.shape
    messages(MAX_PLUS, unary, pairwise, left, _AHEAD, left[length, :n])
    best, state = -np.inf, 0
    for k in range(n):
        v = left[length - 1, k] + unary[length - 1, k]
        if v > best:
            best, state = v, k
    labels[length - 1] = state
    for i in range(length - 2, -1, -1):
        edge, wanted = min(i, len(pairwise) - 1), left[i + 1, state]
        arg = 0
        for k in range(n):
            if left[i, k] + unary[i, k] + pairwise[edge, k, state] == wanted:
                arg = k
                break
        labels[i] = arg
        state = arg
    return best


@bare_kernel
def is_worth_a_copy(unary: np.ndarray, pairwise: np.ndarray) -> bool:
    """Whether a chain is so long that one table for all its steps had better lie in `aligned` rows."""
    return len(pairwise) == 1 and len(unary) >= LONG


@kernel
def decode_chain(unary: np.ndarray, pairwise: np.ndarray, labels: np.ndarray) -> float:
    """Best score, and fills labels; -inf if anything is wrong or nothing is feasible: then look closer."""
    if is_wrong(unary, pairwise):
        return -np.inf
    left = aligned((len(unary) + 1, unary.shape[1]), unary)
    if is_worth_a_copy(unary, pairwise):
        return decode_into(unary, table_rows(pairwise, -np.inf, False), left, labels)
    return decode_into(unary, pairwise, left, labels)


@kernel
def fill_max_marginals(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """Best score; fills the node table (L, K) and, unless it is empty, the edge table (L - 1, K, K).

    -inf as of `decode_chain`.
    """
    if is_wrong(unary, pairwise):
        return -np.inf
    work, back = aligned((2, unary.shape[1]), unary), table_rows(pairwise, -np.inf, True)
    if is_worth_a_copy(unary, pairwise):
        return max_tables(unary, table_rows(pairwise, -np.inf, False), back, work, node, edge)
    return max_tables(unary, pairwise, back, work, node, edge)


@bare_kernel
def max_tables(
    unary: np.ndarray,
    pairwise: np.ndarray,
    back: np.ndarray,
    work: np.ndarray,
    node: np.ndarray,
    edge: np.ndarray,
) -> float:
    """As `fill_max_marginals`, with `table_rows` from right to left.

    work : (2, K), `aligned` scratch memory: a message, and its product with a row of scores. On the way there
    the node table holds products of messages from the left.
    """
    length, n = unary.shape
    message, product = work[0], work[1, :n]
    copy(unary[0], node[0])
    for i in range(1, length):
        combine(MAX_PLUS, node[i - 1], pairwise[min(i, len(pairwise)) - 1], message)
        multiply(MAX_PLUS, message, unary[i], node[i])
    copy(unary[length - 1], product)
    for i in range(length - 2, -1, -1):
        t = min(i, len(pairwise) - 1)
        combine(MAX_PLUS, product, back[t], message)
        if len(edge):
            for j in range(n):
                before = node[i, j]
                row, out = pairwise[t, j], edge[i, j]
                for k in range(n):
                    out[k] = before + row[k] + product[k]
        multiply(MAX_PLUS, node[i], message, node[i])
        multiply(MAX_PLUS, message, unary[i], product)
    return total(MAX_PLUS, node[0])


@kernel
def decode_chains(
    unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray, scores: np.ndarray, labels: np.ndarray
) -> bool:
    """Fills scores (N,) and labels (R,); False if an argument is wrong: then look closer."""
    longest = longest_of(unary, lengths, pairwise)
    if longest < 0:
        return False
    table = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, False)
    left = aligned((longest + 1, unary.shape[1]), unary)
    return _decode_all(unary, lengths, table, left, scores, labels)


@bare_kernel
def _decode_all(
    unary: np.ndarray,
    lengths: np.ndarray,
    table: np.ndarray,
    left: np.ndarray,
    scores: np.ndarray,
    labels: np.ndarray,
) -> bool:
    b = 0
    for w in range(len(scores)):
        a, b = b, b + lengths[w]
        if checks.first_bad(unary[a:b].reshape(-1)) >= 0:
            return False
        scores[w] = decode_into(unary[a:b], table, left, labels[a:b])
        if scores[w] == -np.inf:
            labels[a:b] = 0
    return True


@kernel
def fill_node_tables(
    unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray, best: np.ndarray, node: np.ndarray
) -> bool:
    """Fills best (N,) and node (R, K); False if an argument is wrong: then look closer."""
    longest = longest_of(unary, lengths, pairwise)
    if longest < 0:
        return False
    table = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, False)
    back = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, True)
    work = aligned((2, unary.shape[1]), unary)
    return _node_tables_all(unary, lengths, table, back, work, best, node)


@bare_kernel
def _node_tables_all(
    unary: np.ndarray,
    lengths: np.ndarray,
    table: np.ndarray,
    back: np.ndarray,
    work: np.ndarray,
    best: np.ndarray,
    node: np.ndarray,
) -> bool:
    b = 0
    for w in range(len(best)):
        a, b = b, b + lengths[w]
        if checks.first_bad(unary[a:b].reshape(-1)) >= 0:
            return False
        best[w] = max_tables(unary[a:b], table, back, work, node[a:b], table[:0])
    return True
