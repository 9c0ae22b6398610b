"""A row-compressed lattice, n-gram scores as rows, and kernels of its scores and best paths."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, kernel
from spcviz.engine.kernels.once import fill_new, larger_of
from spcviz.engine.ngrams.table import MAX_BITS, Code, NgramTable, begin_code, find, slot_of


class Fan(NamedTuple):
    """Valid n-grams of many examples; the first fields are those of `space.Lattice`.

    `key` (N,): the node's code; of a node of order 1, that of its last symbol. `symbol` (N,): its last state.
    Arcs ``arc[v] : arc[v + 1]`` leave node v and lead to nodes ``head[v]``, ``head[v] + 1`` and so on. All
    int64.
    """

    order: np.ndarray
    row_start: np.ndarray
    col_start: np.ndarray
    node_start: np.ndarray
    key: np.ndarray
    symbol: np.ndarray
    arc: np.ndarray
    head: np.ndarray


class GramRows(NamedTuple):
    """An `NgramTable` rearranged as rows over the last symbol; made by `gram_rows`.

    `flat`: rows of 2^bits sums each: those of short codes as in the table's `dense`, then one for each
    `prefix`. `prefix` (a power of two, 2), int64: codes of first symbols, 0 = free, each next to the start of
    its row in `flat`: looked up together, they are in the cache together.
    """

    n_states: int
    bits: int
    n_dense: int
    has_end: bool
    has_begin: bool
    flat: np.ndarray
    prefix: np.ndarray
    table: NgramTable


@bare_inlined_kernel
def row_of(rows: GramRows, key: Code, n: int) -> Code:
    """Start in `flat` of the sums of the n-grams whose first n - 1 symbols have the code `key`."""
    m, size = n, len(rows.prefix)
    while m > rows.n_dense:
        slot = slot_of(key, size)
        while rows.prefix[slot, 0] != 0:
            if rows.prefix[slot, 0] == key:
                return rows.prefix[slot, 1]
            slot = (slot + 1) & (size - 1)
        m -= 1
        key &= (np.int64(1) << (rows.bits * (m - 1))) - 1
    return key << rows.bits


@bare_kernel
def score_fan(
    fan: Fan,
    w: int,
    unary: np.ndarray,
    rows: GramRows,
    terms: np.ndarray,
    score: np.ndarray,
    forward: np.ndarray,
) -> None:
    """Scores of example w's arcs and forward messages at its nodes, both from index 0.

    terms : (2 n,), scratch memory for those of the first column's contexts.
    """
    flat, bits, mask, table = rows.flat, rows.bits, (1 << rows.bits) - 1, rows.table
    dense, buckets, codes, sums, n_dense = table.dense, table.first, table.keys, table.values, table.n_dense
    arc, head, symbol, keys = fan.arc, fan.head, fan.symbol, fan.key
    n, first, last = fan.order[w], fan.col_start[w] + w, fan.col_start[w + 1] + w
    v0, v1 = fan.node_start[first], fan.node_start[last + 1]
    a0 = arc[v0]
    for v in range(v0, v1):
        forward[v - v0] = 0.0 if v < fan.node_start[first + 1] else -np.inf
    for c in range(first, last):
        row = fan.row_start[w] + c - first + n - 1  # of the arcs' last symbol
        local = unary[row]
        front = begin_code(rows.has_begin and c == first, rows.n_states, bits, n) >> bits
        is_plain = c > first and not (rows.has_end and c == last - 1)
        for v in range(fan.node_start[c], fan.node_start[c + 1]):
            base, message, q = row_of(rows, front + keys[v], n + (front > 0)) + 1, forward[v - v0], 0
            if is_plain:
                h0, n_arcs = head[v], arc[v + 1] - arc[v]
                states, scores, into = symbol[h0:], score[arc[v] - a0 :], forward[h0 - v0 :]
                for i in range(n_arcs):  # from 0: an index that could be negative costs as much as a sum
                    s = states[i]
                    value = local[s] + flat[base + s]
                    scores[i] = value
                    value += message
                    into[i] = value if value > into[i] else into[i]
                continue
            if c == first:
                prefix = keys[v]
                for m in range(n - 1, 0, -1):
                    terms[q] = unary[row - n + m, (prefix & mask) - 1]
                    q += 1
                    if m > 1:
                        ahead = begin_code(rows.has_begin, rows.n_states, bits, m)
                        key, size = ahead + prefix, m + (ahead > 0)
                        terms[q] = find(dense, buckets, codes, sums, bits, n_dense, key, size)
                        q += 1
                    prefix >>= bits
            shift = head[v] - arc[v]
            for a in range(arc[v], arc[v + 1]):
                h = a + shift
                s = symbol[h]
                value = local[s] + flat[base + s]
                for j in range(q):
                    value += terms[j]
                if rows.has_end and c == last - 1:
                    gram = (((keys[v] << bits) + s + 1) << bits) + rows.n_states + 1
                    value += find(dense, buckets, codes, sums, bits, n_dense, gram, n + 1)
                score[a - a0] = value
                value += message
                forward[h - v0] = value if value > forward[h - v0] else forward[h - v0]


@bare_kernel
def trace_fan(
    fan: Fan, w: int, score: np.ndarray, forward: np.ndarray, path: np.ndarray, ends: np.ndarray
) -> tuple[float, int]:
    """(best score of example w, its path's first node); fills the path's arcs, from index 0, and their heads.

    Ties go to the smallest arc, last column first.
    """
    arc, head, keys = fan.arc, fan.head, fan.key
    first, last = fan.col_start[w] + w, fan.col_start[w + 1] + w
    v0, n = fan.node_start[first], last - first
    best, node = -np.inf, -1
    for v in range(fan.node_start[last], fan.node_start[last + 1]):
        if forward[v - v0] > best:
            best, node = forward[v - v0], v
        elif n == 1 and node >= 0 and forward[v - v0] == best and keys[v] < keys[node]:
            node = v  # where arcs are whole examples their heads are in the arcs' order, not in their own
    for i in range(n - 1, -1, -1):
        if node < 0:
            break
        ends[i] = node
        top, tail = -np.inf, -1
        for v in range(fan.node_start[first + i], fan.node_start[first + i + 1]):
            a = arc[v] + node - head[v]
            if arc[v] <= a < arc[v + 1]:
                value = forward[v - v0] + score[a - arc[v0]]
                if value > top:
                    top, tail = value, v
                    path[i] = a - arc[v0]
        node = tail
    return best, node


@kernel
def decode_paths(fan: Fan, unary: np.ndarray, rows: GramRows) -> tuple[np.ndarray, np.ndarray]:
    arcs, nodes, columns = largest_example(fan)
    score, forward = np.empty(arcs, np.float64), np.empty(nodes, np.float64)
    path, ends = np.empty(columns, np.int64), np.empty(columns, np.int64)
    terms = np.empty(2 * MAX_BITS, np.float64)
    scores, labels = np.empty(len(fan.order), np.float64), fill_new(len(unary), np.int64, -1)
    for w in range(len(fan.order)):
        score_fan(fan, w, unary, rows, terms, score, forward)
        scores[w], node = trace_fan(fan, w, score, forward, path, ends)
        if node >= 0:
            row = fan.row_start[w] + fan.order[w] - 1
            for i in range(fan.col_start[w + 1] - fan.col_start[w]):
                labels[row + i] = fan.symbol[ends[i]]
            _spell(fan.key[node], rows.bits, labels[fan.row_start[w] : row])
    return scores, labels


@bare_inlined_kernel
def _spell(code: Code, bits: int, out: np.ndarray) -> None:
    """The symbols of a code, as states, into out; the last symbol last."""
    for i in range(len(out) - 1, -1, -1):
        out[i] = (code & ((1 << bits) - 1)) - 1
        code >>= bits


@kernel
def largest_example(fan: Fan) -> tuple[int, int, int]:
    """(most arcs, most nodes, most arc columns) of an example."""
    arcs, nodes, columns = 0, 0, 0
    for w in range(len(fan.order)):
        a, b = fan.node_start[fan.col_start[w] + w], fan.node_start[fan.col_start[w + 1] + w + 1]
        arcs, nodes = larger_of(arcs, fan.arc[b] - fan.arc[a]), larger_of(nodes, b - a)
        columns = larger_of(columns, fan.col_start[w + 1] - fan.col_start[w])
    return arcs, nodes, columns
