r"""Cascades on row-compressed lattices, many examples per call: `lattice` without an array entry per arc.

In a lattice that `bigrams` lays out and `extend` grows, the arcs that leave a node are contiguous and lead to
adjacent nodes: node g of the new level is an n-gram, its arcs lead to the surviving n-grams that begin where
it ends, and those are adjacent too. So a node needs its first arc, their number and the first head, and an
arc needs only its score; its symbol is its head's. A *fan* is such a lattice.

`advance` scores, passes messages, filters and grows, example by example, so that all of an example stays in
the processor's first-level cache. It keeps what `prune` keeps and gives up where only `prune` can decide (an
example with no path, a cap that is exceeded on nodes). `finish` predicts as `lattice.decode` does. Batches of
64 handwritten words run 2.2, 2.9 and 2.6 times as fast at orders 2, 3 and 4 as with `prune` and `decode`.

Weights are looked up a row at a time: `gram_rows` rearranges a table so that all n-grams with the same first
n - 1 symbols are contiguous.

Legend: W examples, N nodes, A arcs, R rows, K states.
"""

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of
from spcviz.engine.ngrams.row_compressed_growth import prune_and_grow
from spcviz.engine.ngrams.row_compressed_paths import Fan, GramRows, decode_paths
from spcviz.engine.ngrams.table import NgramTable, lookup, slot_of
from spcviz.engine.thresholds import filtering, rules


def gram_rows(table: NgramTable) -> GramRows:
    """Rows for `advance` from an `NgramTable`."""
    prefixes = np.unique(table.keys >> table.bits)
    size = 1 << max(int(np.ceil(np.log2(2 * len(prefixes) + 2))), 1)
    prefix = np.zeros((size, 2), dtype=np.int64)
    width = 1 << table.bits
    flat = np.zeros(len(table.dense) + len(prefixes) * width)
    flat[: len(table.dense)] = table.dense
    _fill_rows(table, prefixes, flat, prefix)
    about = table.n_states, table.bits, table.n_dense, table.has_end, table.has_begin
    return GramRows(*about, flat, prefix, table)


def first_fan(row_start: np.ndarray, allowed: np.ndarray) -> Fan:
    """The fan of order 2 over allowed states: `space.bigrams` of the same mask.

    `row_start` (W + 1,): each example has at least one row; `allowed` (R, K): at least one state per row.

    >>> int(first_fan(np.array([0, 2]), np.array([[True, False, True], [True, True, False]])).arc[-1])
    4
    """
    return Fan(*_first_fan(row_start, allowed))


def advance(
    fan: Fan,
    unary: np.ndarray,
    rows: GramRows,
    alpha: float,
    max_arcs: int,
    left: np.ndarray,
    *,
    on_nodes: bool = False,
    rule: str = "mean_max",
    first_gap: np.ndarray | None = None,
) -> Fan | None:
    """One level: score, filter, grow.

    Returns the fan as `space.extend` of what `prune.prune` keeps; None where `prune` must decide: an example
    has no path or, with `on_nodes`, more than `max_arcs` arcs or a best path that loses a node. `unary` (R,
    K) is checked, `alpha` at most 1. `left`, (R, K) bool, is set where a surviving n-gram has a state; (0, K)
    if not needed. `on_nodes`, `rule` (not "probability"), `first_gap`: as in `prune`.

    Weiss (2013), thesis, Algorithm 1.
    """
    way = rules.way_of(rule, alpha, first_gap)
    given = filtering.checked_yardsticks(way.yardstick, len(fan.order))
    is_done, *fields = prune_and_grow(fan, unary, rows, float(way.alpha), given, max_arcs, left, on_nodes)
    return Fan(*fields) if is_done else None


def finish(fan: Fan, unary: np.ndarray, rows: GramRows) -> tuple[np.ndarray, np.ndarray]:
    """Best path of every example: (scores (W,), labels (R,) int64), as `lattice.decode`.

    -inf and -1 for an example without a feasible path.
    """
    return decode_paths(fan, unary, rows)


@kernel
def _fill_rows(table: NgramTable, prefixes: np.ndarray, flat: np.ndarray, prefix: np.ndarray) -> None:
    width, size = 1 << table.bits, len(prefix)
    at = len(table.dense)
    for i in range(len(prefixes)):
        code, n = prefixes[i], 1
        while code >> (table.bits * n) > 0:
            n += 1
        slot = slot_of(code, size)
        while prefix[slot, 0] != 0:
            slot = (slot + 1) & (size - 1)
        prefix[slot, 0], prefix[slot, 1] = code, at
        for s in range(1, table.n_states + 2):
            key = (code << table.bits) + s
            flat[at + s] = lookup(table, key, n + 1)
        at += width


@kernel
def _first_fan(row_start: np.ndarray, allowed: np.ndarray) -> tuple[np.ndarray, ...]:
    n_examples, n_states = len(row_start) - 1, allowed.shape[1]
    order, col_start = np.empty(n_examples, np.int64), fill_new(n_examples + 1, np.int64, 0)
    most = 1
    for w in range(n_examples):
        length = row_start[w + 1] - row_start[w]
        order[w] = smaller_of(length, 2)
        col_start[w + 1] = col_start[w] + larger_of(length - 1, 1)
        most += n_states * larger_of(length, 2)
    node_start = fill_new(col_start[-1] + n_examples + 1, np.int64, 0)
    key, symbol = np.empty(most, np.int64), np.empty(most, np.int64)
    node = 0
    for w in range(n_examples):
        c = col_start[w] + w
        if order[w] == 1:  # each state is a separate arc, from an empty context
            node_start[c] = node
            for s in range(n_states):
                key[node], symbol[node] = 0, -1
                node += allowed[row_start[w], s]
            c += 1
        for r in range(row_start[w], row_start[w + 1]):
            node_start[c + r - row_start[w]] = node
            for s in range(n_states):
                key[node], symbol[node] = s + 1, s
                node += allowed[r, s]
    node_start[-1] = node
    arc, head = np.empty(node + 1, np.int64), np.empty(node, np.int64)
    at = 0
    for w in range(n_examples):
        c, last = col_start[w] + w, col_start[w + 1] + w
        for i in range(c, last + 1):
            here, there = node_start[i], node_start[i + 1]
            for v in range(here, there):
                arc[v], head[v] = at, there
                if order[w] == 1:
                    head[v] += v - here
                    at += i < last
                elif i < last:
                    at += node_start[i + 2] - there
    arc[node] = at
    return order, row_start, col_start, node_start, key[:node], symbol[:node], arc, head
