"""Kernels that lay out a lattice's arcs and grow its survivors by one symbol."""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new, larger_of

MOST_ARCS = 2**31 - 1  # nodes are numbered in 32 bits


class LatticeArrays(NamedTuple):
    """The arrays of a `spcviz.engine.ngrams.space.Lattice`, as kernels take them: explained there."""

    n_states: int
    bits: int
    order: np.ndarray
    row_start: np.ndarray
    col_start: np.ndarray
    arc_start: np.ndarray
    node_start: np.ndarray
    arc_tail: np.ndarray
    arc_head: np.ndarray
    arc_key: np.ndarray


@kernel
def lay_out_bigrams(
    row_start: np.ndarray, first: np.ndarray, states: np.ndarray, bits: int
) -> tuple[np.ndarray, ...]:
    n_examples = len(row_start) - 1
    order, col_start = np.empty(n_examples, np.int64), fill_new(n_examples + 1, np.int64, 0)
    # Counted first, so that every array is made once, at its size.
    n_arcs, n_nodes = 0, 0
    for w in range(n_examples):
        begin, end = row_start[w], row_start[w + 1]
        # A single position has no pair: there its states are the arcs.
        order[w] = 1 if end - begin == 1 else 2
        col_start[w + 1] = col_start[w] + larger_of(end - begin - 1, 1)
        if end - begin == 1:
            n_arcs, n_nodes = n_arcs + first[end] - first[begin], n_nodes + 2
        else:
            n_nodes += first[end] - first[begin]
            for r in range(begin, end - 1):
                n_arcs += (first[r + 1] - first[r]) * (first[r + 2] - first[r + 1])
    arc_start = fill_new(col_start[-1] + 1, np.int64, 0)
    node_start = fill_new(col_start[-1] + n_examples + 1, np.int64, 0)
    tail, head, key = np.empty(n_arcs, np.int32), np.empty(n_arcs, np.int32), np.empty(n_arcs, np.int64)
    at, node = 0, 0
    for w in range(n_examples):
        begin, end, c = row_start[w], row_start[w + 1], col_start[w]
        if end - begin == 1:
            for i in range(first[begin], first[end]):
                tail[at], head[at], key[at] = node, node + 1, states[i] + 1
                at += 1
            node_start[c + w], node_start[c + w + 1] = node, node + 1
            node += 2
            arc_start[c + 1] = at
            continue
        shift = node - first[begin]
        for r in range(begin, end):
            node_start[c + w + r - begin] = first[r] + shift
        node += first[end] - first[begin]
        for r in range(begin, end - 1):
            for i in range(first[r], first[r + 1]):
                code = (states[i] + 1) << bits
                for j in range(first[r + 1], first[r + 2]):
                    tail[at], head[at], key[at] = i + shift, j + shift, code + states[j] + 1
                    at += 1
            arc_start[c + r - begin + 1] = at
    node_start[-1] = node
    return order, row_start, col_start, arc_start, node_start, tail, head, key


@kernel
def allowed_arcs(allowed: np.ndarray, row_start: np.ndarray, n_arcs: int) -> tuple[np.ndarray, np.ndarray]:
    """(tail, code) of the unigrams that a mask allows; one empty context per node column."""
    tail, key = np.empty(n_arcs, np.int32), np.empty(n_arcs, np.int64)
    at = 0
    for w in range(len(row_start) - 1):
        for row in range(row_start[w], row_start[w + 1]):
            for s in range(allowed.shape[1]):
                if allowed[row, s]:
                    tail[at], key[at] = row + w, s + 1
                    at += 1
    return tail, key


@kernel
def _kept_leaving(lattice: LatticeArrays, keep: np.ndarray) -> np.ndarray:
    """Number of kept arcs that leave each node."""
    out = fill_new(lattice.node_start[-1], np.int64, 0)
    arc_tail = lattice.arc_tail
    for a in range(len(keep)):
        out[arc_tail[a]] += keep[a]
    return out


@kernel
def count_extended(lattice: LatticeArrays, keep: np.ndarray) -> np.ndarray:
    out = fill_new(len(lattice.order), np.int64, 0)
    leaving, arc_head = _kept_leaving(lattice, keep), lattice.arc_head
    for w in range(len(out)):
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        size = 0
        for a in range(lattice.arc_start[first], lattice.arc_start[larger_of(last - 1, first + 1)]):
            if keep[a]:
                size += leaving[arc_head[a]] if last - first > 1 else 1
        out[w] = size
    return out


@kernel
def fill_extended(lattice: LatticeArrays, keep: np.ndarray, kept: np.ndarray, grow: bool) -> tuple[Any, ...]:
    """Fields of the next lattice. `kept[a]`: number of kept arcs before a."""
    n_examples = len(lattice.order)
    order, col_start = lattice.order.copy(), fill_new(n_examples + 1, np.int64, 0)
    leaving = _kept_leaving(lattice, keep)
    size = count_extended(lattice, keep)
    n_arcs = 0
    for w in range(n_examples):
        n_columns = lattice.col_start[w + 1] - lattice.col_start[w]
        grows = grow and n_columns > 1
        order[w] += grows
        col_start[w + 1] = col_start[w] + n_columns - grows
        if grows:
            n_arcs += size[w]
        else:
            first, last = lattice.col_start[w], lattice.col_start[w + 1]
            n_arcs += kept[lattice.arc_start[last]] - kept[lattice.arc_start[first]]

    survivor, g = np.empty(kept[len(keep)], np.int64), 0
    for a in range(len(keep)):
        if keep[a]:
            survivor[g] = a
            g += 1
    tails, heads, keys = lattice.arc_tail[survivor], lattice.arc_head[survivor], lattice.arc_key[survivor]
    first_out = fill_new(len(leaving), np.int64, 0)  # survivors that leave a node are contiguous
    for g in range(len(survivor) - 1, -1, -1):
        first_out[tails[g]] = g

    arc_start = fill_new(col_start[-1] + 1, np.int64, 0)
    node_start = fill_new(col_start[-1] + n_examples + 1, np.int64, 0)
    tail, head = np.empty(n_arcs, np.int32), np.empty(n_arcs, np.int32)
    key = np.empty(n_arcs, np.int64)
    bits, mask = lattice.bits, (1 << lattice.bits) - 1
    at, nodes = 0, 0
    for w in range(n_examples):
        first, n_columns = lattice.col_start[w], col_start[w + 1] - col_start[w]
        grows = order[w] > lattice.order[w]
        # Nodes of the new level: the surviving n-grams, or the old contexts where it does not grow.
        shift = nodes - (kept[lattice.arc_start[first]] if grows else lattice.node_start[first + w])
        for i in range(n_columns + 1):
            node_start[col_start[w] + w + i] = nodes
            if grows:
                nodes += kept[lattice.arc_start[first + i + 1]] - kept[lattice.arc_start[first + i]]
            else:
                nodes += lattice.node_start[first + w + i + 1] - lattice.node_start[first + w + i]
        for i in range(n_columns):
            arc_start[col_start[w] + i] = at
            for g in range(kept[lattice.arc_start[first + i]], kept[lattice.arc_start[first + i + 1]]):
                if not grows:
                    tail[at], head[at], key[at] = tails[g] + shift, heads[g] + shift, keys[g]
                    at += 1
                    continue
                begin = first_out[heads[g]]
                for h in range(begin, begin + leaving[heads[g]]):
                    tail[at], head[at] = g + shift, h + shift
                    key[at] = (keys[g] << bits) + (keys[h] & mask)
                    at += 1
    arc_start[-1] = at
    node_start[-1] = nodes
    return (
        lattice.n_states,
        lattice.bits,
        order,
        lattice.row_start,
        col_start,
        arc_start,
        node_start,
        tail,
        head,
        key,
    )
