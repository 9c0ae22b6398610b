"""Kernels of a lattice's scores: of arcs and labellings under an n-gram model; normalisation of logs."""

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new, smaller_of
from spcviz.engine.kernels.semirings import LOG_PLUS, MAX_PLUS, total
from spcviz.engine.ngrams.space import Lattice
from spcviz.engine.ngrams.table import NgramTable, begin_code, find, lookup

# Arrays are taken out of their tuples before inner loops: at each step that costs more than the step.


@kernel
def fill_arc_scores(lattice: Lattice, unary: np.ndarray, table: NgramTable, out: np.ndarray) -> None:
    dense, buckets, keys, values = table.dense, table.first, table.keys, table.values
    arc_key = lattice.arc_key
    bits, n_dense, end = table.bits, table.n_dense, table.n_states + 1
    mask, has_begin, n_states = (1 << bits) - 1, table.has_begin, table.n_states
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        for c in range(first, last):
            start, stop = lattice.arc_start[c], lattice.arc_start[c + 1]
            row = lattice.row_start[w] + c - first + n - 1  # of the arc's last symbol
            local = unary[row]
            front = begin_code(has_begin and c == first, n_states, bits, n)
            for a in range(start, stop):
                key = arc_key[a]
                value = local[(key & mask) - 1]
                if n > 1:
                    value += find(dense, buckets, keys, values, bits, n_dense, front + key, n + (front > 0))
                out[a] = value
            if c == first:
                for a in range(start, stop):
                    prefix = arc_key[a]
                    for m in range(n - 1, 0, -1):
                        prefix >>= bits
                        out[a] += unary[row - n + m, (prefix & mask) - 1]
                        if m > 1:
                            ahead = begin_code(has_begin, n_states, bits, m)
                            out[a] += find(
                                dense, buckets, keys, values, bits, n_dense, ahead + prefix, m + (ahead > 0)
                            )
            if c == last - 1 and table.has_end:
                for a in range(start, stop):
                    out[a] += find(
                        dense, buckets, keys, values, bits, n_dense, (arc_key[a] << bits) + end, n + 1
                    )


@kernel
def label_scores(lattice: Lattice, unary: np.ndarray, table: NgramTable, labels: np.ndarray) -> np.ndarray:
    scores = fill_new(len(lattice.order), np.float64, 0.0)
    for w in range(len(scores)):
        start, stop = lattice.row_start[w], lattice.row_start[w + 1]
        n, key = lattice.order[w], 0
        for i in range(start, stop):
            m = smaller_of(i - start + 1, n)
            key = ((key << table.bits) + labels[i] + 1) & ((np.int64(1) << (table.bits * n)) - 1)
            scores[w] += unary[i, labels[i]]
            if m > 1:
                front = begin_code(table.has_begin and i - start < n, table.n_states, table.bits, m)
                scores[w] += lookup(table, front + key, m + (front > 0))
        if table.has_end:
            scores[w] += lookup(table, (key << table.bits) + table.n_states + 1, n + 1)
    return scores


@kernel
def largest_finite(values: np.ndarray) -> float:
    """The largest magnitude of the values that are not -inf."""
    most = 0.0
    for v in values:
        size = abs(v) if v > -np.inf else 0.0
        most = size if size > most else most
    return most


@kernel
def level_sums(logs: np.ndarray, starts: np.ndarray) -> None:
    """Make exp of each part sum to 1 separately; a part with no finite value stays as it is."""
    for c in range(len(starts) - 1):
        part = logs[starts[c] : starts[c + 1]]
        norm = total(LOG_PLUS, part)
        if norm > -np.inf:
            top = total(MAX_PLUS, part)  # separate: next to a large number the log of a sum is lost
            for a in range(len(part)):
                part[a] -= top
            norm = total(LOG_PLUS, part)
            for a in range(len(part)):
                part[a] -= norm
