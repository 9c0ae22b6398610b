r"""A cascade's levels from the first lattice to the labels, many examples in a call: `lattice` without arcs.

In a lattice that `bigrams` lays out and `extend` lets grow, the arcs that leave a node lie together and lead
to neighbours: node g of the new level is an n-gram, its arcs lead to the surviving n-grams that begin where
it ends, and those are neighbours too. So a node needs its first arc, their number and the first head, and an
arc needs nothing but its score; its symbol is its head's. A *fan* is such a lattice.

`advance` scores, passes messages, filters and grows, example by example, so that all of an example stays in
the processor's first cache. It keeps what `prune` keeps and gives up where `prune` has more to say (a cap on
arcs that is passed, an example with no path). `finish` predicts as `lattice.decode` does.

Weights are looked up a row at a time: `gram_rows` turns a table so that all n-grams with the same first n - 1
symbols lie together.

Legend: W examples, N nodes, A arcs, R rows, K states.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, kernel, strict_kernel
from spcviz.engine.ngrams.table import MAX_BITS, Code, NgramTable, find, slot_of
from spcviz.engine.thresholds import rule


class Fan(NamedTuple):
    """Valid n-grams of many examples; the first fields are those of `space.Lattice`.

    Attributes
    ----------
    order : ndarray, shape (W,), int64
    row_start : ndarray, shape (W + 1,), int64
    col_start : ndarray, shape (W + 1,), int64
    node_start : ndarray, shape (node columns + 1,), int64
    key : ndarray, shape (N,), int64
        The node's code; of a node of order 1, that of its last symbol.
    symbol : ndarray, shape (N,), int64
        Its last state.
    arc : ndarray, shape (N + 1,), int64
        Arcs ``arc[v] : arc[v + 1]`` leave node v ...
    head : ndarray, shape (N,), int64
        ... and lead to nodes ``head[v]``, ``head[v] + 1`` and so on.
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
    """An `NgramTable` turned to rows of the last symbol; made by `gram_rows`.

    Attributes
    ----------
    n_states, bits, n_dense : int
        As of the table.
    has_end : bool
    flat : ndarray
        Rows of 2^bits sums each: those of short codes as in the table's `dense`, then one for each `prefix`.
    prefix : ndarray, shape (a power of two,), int64
        Codes of first symbols; 0 = free.
    place : ndarray, same shape, int64
        Where the prefix's row begins in `flat`.
    dense, keys, values : ndarray
        The table's own.
    """

    n_states: int
    bits: int
    n_dense: int
    has_end: bool
    flat: np.ndarray
    prefix: np.ndarray
    place: np.ndarray
    dense: np.ndarray
    keys: np.ndarray
    values: np.ndarray


def gram_rows(table: NgramTable) -> GramRows:
    """Rows for `advance` from an `NgramTable`."""
    prefixes = np.unique(table.keys[table.keys > 0] >> table.bits)
    size = 1 << max(int(np.ceil(np.log2(2 * len(prefixes) + 2))), 1)
    prefix, place = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    width = 1 << table.bits
    flat = np.zeros(len(table.dense) + len(prefixes) * width)
    flat[: len(table.dense)] = table.dense
    _fill_rows(table, prefixes, flat, prefix, place)
    return GramRows(
        table.n_states,
        table.bits,
        table.n_dense,
        table.has_end,
        flat,
        prefix,
        place,
        table.dense,
        table.keys,
        table.values,
    )


def first_fan(row_start: np.ndarray, allowed: np.ndarray) -> Fan:
    """The fan of order 2 over allowed states: `space.bigrams` of the same mask.

    `row_start` (W + 1,): each example has at least one row; `allowed` (R, K): at least one state a row.

    Examples
    --------
    >>> int(first_fan(np.array([0, 2]), np.array([[True, False, True], [True, True, False]])).arc[-1])
    4
    """
    return Fan(*_first_fan(row_start, allowed))


def advance(
    fan: Fan, unary: np.ndarray, rows: GramRows, alpha: float, max_arcs: int, left: np.ndarray
) -> Fan | None:
    """One level: score, filter, grow.

    Returns the fan as `space.extend` of what `prune.prune` keeps; None where `prune` must look: an example
    would have more than `max_arcs` arcs, or has no path. `unary` (R, K) is checked, `alpha` 0 to 1. `left`,
    (R, K) bool, is set where a surviving n-gram has a state; (0, K) if nobody asks.

    Weiss (2013), thesis, Algorithm 1.
    """
    is_done, *fields = _advance(fan, unary, rows, rule.capped(alpha), max_arcs, left)
    return Fan(*fields) if is_done else None


def finish(fan: Fan, unary: np.ndarray, rows: GramRows) -> tuple[np.ndarray, np.ndarray]:
    """Best path of every example: (scores (W,), labels (R,) int64), as `lattice.decode`.

    -inf and -1 for an example without a feasible path.
    """
    return _finish(fan, unary, rows)


@kernel
def _fill_rows(
    table: NgramTable, prefixes: np.ndarray, flat: np.ndarray, prefix: np.ndarray, place: np.ndarray
) -> None:
    width, size = 1 << table.bits, len(prefix)
    at = len(table.dense)
    for i in range(len(prefixes)):
        code, n = prefixes[i], 1
        while code >> (table.bits * n) > 0:
            n += 1
        slot = slot_of(code, size)
        while prefix[slot] != 0:
            slot = (slot + 1) & (size - 1)
        prefix[slot], place[slot] = code, at
        for s in range(1, table.n_states + 2):
            key = (code << table.bits) + s
            flat[at + s] = find(table.dense, table.keys, table.values, table.bits, table.n_dense, key, n + 1)
        at += width


@bare_inlined_kernel
def _row_of(rows: GramRows, key: Code, n: int) -> Code:
    """Where in `flat` the sums of the n-grams begin whose first n - 1 symbols have the code `key`."""
    m, size = n, len(rows.prefix)
    while m > rows.n_dense:
        slot = slot_of(key, size)
        while rows.prefix[slot] != 0:
            if rows.prefix[slot] == key:
                return rows.place[slot]
            slot = (slot + 1) & (size - 1)
        m -= 1
        key &= (np.int64(1) << (rows.bits * (m - 1))) - 1
    return key << rows.bits


@kernel
def _first_fan(row_start: np.ndarray, allowed: np.ndarray) -> tuple[np.ndarray, ...]:
    n_examples, n_states = len(row_start) - 1, allowed.shape[1]
    order, col_start = np.empty(n_examples, np.int64), np.zeros(n_examples + 1, np.int64)
    most = 1
    for w in range(n_examples):
        length = row_start[w + 1] - row_start[w]
        order[w] = min(length, 2)
        col_start[w + 1] = col_start[w] + max(length - 1, 1)
        most += n_states * max(length, 2)
    node_start = np.zeros(col_start[-1] + n_examples + 1, np.int64)
    key, symbol = np.empty(most, np.int64), np.empty(most, np.int64)
    node = 0
    for w in range(n_examples):
        c = col_start[w] + w
        if order[w] == 1:  # each state is an arc of its own, from an empty context
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


@bare_kernel
def _score(
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
    flat, bits, mask = rows.flat, rows.bits, (1 << rows.bits) - 1
    arc, head, symbol, keys = fan.arc, fan.head, fan.symbol, fan.key
    n, first, last = fan.order[w], fan.col_start[w] + w, fan.col_start[w + 1] + w
    v0, v1 = fan.node_start[first], fan.node_start[last + 1]
    a0 = arc[v0]
    for v in range(v0, v1):
        forward[v - v0] = 0.0 if v < fan.node_start[first + 1] else -np.inf
    for c in range(first, last):
        row = fan.row_start[w] + c - first + n - 1  # of the arcs' last symbol
        local = unary[row]
        is_plain = c > first and not (rows.has_end and c == last - 1)
        for v in range(fan.node_start[c], fan.node_start[c + 1]):
            base, message, q = _row_of(rows, keys[v], n) + 1, forward[v - v0], 0
            if is_plain:
                h0, n_arcs = head[v], arc[v + 1] - arc[v]
                states, own, into = symbol[h0:], score[arc[v] - a0 :], forward[h0 - v0 :]
                for i in range(n_arcs):  # from 0: an index that could be negative costs as much as a sum
                    s = states[i]
                    value = local[s] + flat[base + s]
                    own[i] = value
                    value += message
                    into[i] = value if value > into[i] else into[i]
                continue
            if c == first:
                prefix = keys[v]
                for m in range(n - 1, 0, -1):
                    terms[q] = unary[row - n + m, (prefix & mask) - 1]
                    q += 1
                    if m > 1:
                        terms[q] = find(rows.dense, rows.keys, rows.values, bits, rows.n_dense, prefix, m)
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
                    value += find(rows.dense, rows.keys, rows.values, bits, rows.n_dense, gram, n + 1)
                score[a - a0] = value
                value += message
                forward[h - v0] = value if value > forward[h - v0] else forward[h - v0]


@bare_kernel
def _trace(
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
def _finish(fan: Fan, unary: np.ndarray, rows: GramRows) -> tuple[np.ndarray, np.ndarray]:
    arcs, nodes, columns = _largest_example(fan)
    score, forward = np.empty(arcs), np.empty(nodes)
    path, ends = np.empty(columns, np.int64), np.empty(columns, np.int64)
    terms = np.empty(2 * MAX_BITS)
    scores, labels = np.empty(len(fan.order)), np.full(len(unary), -1, dtype=np.int64)
    for w in range(len(fan.order)):
        _score(fan, w, unary, rows, terms, score, forward)
        scores[w], node = _trace(fan, w, score, forward, path, ends)
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


@strict_kernel
def _limit(values: np.ndarray, n: int, best: float, alpha: float) -> float:
    """Threshold of n values whose largest is `best`, to the last bit as `filtering.threshold_batch`."""
    below, count = 0.0, 0
    for a in range(n):
        if values[a] > -np.inf:
            below += best - values[a]
            count += 1
    gap = below / max(count, 1)
    if not rule.has_spread(best, gap):
        return -np.inf
    mean = best - gap
    return rule.threshold(best, best - mean, alpha)


@kernel
def _largest_example(fan: Fan) -> tuple[int, int, int]:
    """(most arcs, most nodes, most arc columns) of an example."""
    arcs, nodes, columns = 0, 0, 0
    for w in range(len(fan.order)):
        a, b = fan.node_start[fan.col_start[w] + w], fan.node_start[fan.col_start[w + 1] + w + 1]
        arcs, nodes = max(arcs, fan.arc[b] - fan.arc[a]), max(nodes, b - a)
        columns = max(columns, fan.col_start[w + 1] - fan.col_start[w])
    return arcs, nodes, columns


@bare_kernel
def _through(
    fan: Fan, w: int, score: np.ndarray, forward: np.ndarray, backward: np.ndarray, value: np.ndarray
) -> float:
    """Max-marginals of example w's arcs from scores and forward messages, all from index 0; the largest."""
    arc, head = fan.arc, fan.head
    first, last = fan.col_start[w] + w, fan.col_start[w + 1] + w
    v0, end, stop = fan.node_start[first], fan.node_start[last], fan.node_start[last + 1]
    a0 = arc[v0]
    for v in range(end, stop):
        backward[v - v0] = 0.0
    best = -np.inf
    for v in range(end - 1, v0 - 1, -1):
        top, message, a = -np.inf, forward[v - v0], arc[v] - a0
        behind, own, out = backward[head[v] - v0 :], score[a:], value[a:]
        for i in range(arc[v + 1] - arc[v]):
            through = own[i] + behind[i]
            top = through if through > top else top
            through = message + own[i] + behind[i]
            out[i] = through
            best = through if through > best else best
        backward[v - v0] = top
    return best


class _Made(NamedTuple):
    """What `_advance` fills: the next fan's columns and nodes."""

    node_start: np.ndarray
    key: np.ndarray
    symbol: np.ndarray
    arc: np.ndarray
    head: np.ndarray


@bare_kernel
def _survive(
    fan: Fan,
    w: int,
    value: np.ndarray,
    limit: float,
    is_best: np.ndarray,
    made: _Made,
    c: int,
    node: int,
    before: np.ndarray,
    bits: int,
) -> int:
    """Example w's survivors become nodes from `node` on, with heads as nodes of the old level from index 0.

    ``before[v]`` of them leave the old nodes before v. `c` is the new level's first node column.
    """
    arc, head, symbol, keys = fan.arc, fan.head, fan.symbol, fan.key
    new_key, new_symbol, new_head = made.key, made.symbol, made.head
    first, last = fan.col_start[w] + w, fan.col_start[w + 1] + w
    v0 = fan.node_start[first]
    a0, begin = arc[v0], node
    for i in range(first, last + 1):
        made.node_start[c + i - first] = node
        for v in range(fan.node_start[i], fan.node_start[i + 1]):
            before[v - v0] = node - begin
            code = keys[v] << bits
            states, through, kept = symbol[head[v] :], value[arc[v] - a0 :], is_best[arc[v] - a0 :]
            h = head[v] - v0
            for j in range(arc[v + 1] - arc[v]):
                s = states[j]
                new_key[node], new_symbol[node], new_head[node] = code + s + 1, s, h + j
                node += rule.survives(through[j], limit) | kept[j]
    before[fan.node_start[last + 1] - v0] = node - begin
    return node


@bare_kernel
def _mark(made: _Made, row: int, n: int, c: int, columns: int, bits: int, left: np.ndarray) -> None:
    """Set in `left` the states of new n-grams, of columns from c on; row: of the first's last states."""
    for i in range(columns):
        for g in range(made.node_start[c + i], made.node_start[c + i + 1]):
            left[row + i, made.symbol[g]] = True
            if i == 0:
                code = made.key[g] >> bits
                for m in range(1, n):
                    left[row - m, (code & ((1 << bits) - 1)) - 1] = True
                    code >>= bits


@bare_kernel
def _link(
    made: _Made, begin: int, end: int, grows: bool, n: int, before: np.ndarray, bits: int, at: int
) -> tuple[int, int]:
    """Arcs of new nodes begin .. end - 1; returns (nodes, arcs) so far."""
    key, symbol, arc, head = made.key, made.symbol, made.arc, made.head
    n_kept = end - begin
    for g in range(begin, end):
        arc[g] = at
        if grows:
            h = head[g]
            head[g] = begin + before[h]
            at += before[h + 1] - before[h]
        else:  # an arc is a whole example: it keeps its order, and a head of its own
            head[g] = g + n_kept
            key[g + n_kept], symbol[g + n_kept] = key[g] & ((np.int64(1) << bits * (n - 1)) - 1), symbol[g]
            key[g] >>= bits
            at += 1
    if grows:
        return end, at
    for g in range(end, end + n_kept):
        arc[g], head[g] = at, end + n_kept
    return end + n_kept, at


@kernel
def _advance(
    fan: Fan, unary: np.ndarray, rows: GramRows, alpha: float, max_arcs: int, left: np.ndarray
) -> tuple[bool, *tuple[np.ndarray, ...]]:
    """(whether it was done, fields of the next fan)."""
    n_examples = len(fan.order)
    arcs, nodes, columns = _largest_example(fan)
    score, value, is_best = np.empty(arcs), np.empty(arcs), np.zeros(arcs, np.bool_)
    forward, backward, before = np.empty(nodes), np.empty(nodes), np.empty(nodes + 1, np.int64)
    path, ends = np.empty(columns, np.int64), np.empty(columns, np.int64)
    terms = np.empty(2 * MAX_BITS)
    # Survivors are at most all arcs, and twice those that are whole examples; one place more is written to.
    most = 1 + fan.arc[-1]
    for w in range(n_examples):
        first, last = fan.col_start[w] + w, fan.col_start[w + 1] + w
        if last - first == 1:
            most += fan.arc[fan.node_start[last]] - fan.arc[fan.node_start[first]]
    order, col_start = fan.order.copy(), np.zeros(n_examples + 1, np.int64)
    made = _Made(
        np.empty(fan.col_start[-1] + n_examples + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )
    node, at, is_done = 0, 0, True
    for w in range(n_examples):
        n, n_columns = fan.order[w], fan.col_start[w + 1] - fan.col_start[w]
        begin, first_arc, c = node, at, col_start[w] + w
        _score(fan, w, unary, rows, terms, score, forward)
        best = _through(fan, w, score, forward, backward, value)
        v0 = fan.node_start[fan.col_start[w] + w]
        size = fan.arc[fan.node_start[fan.col_start[w + 1] + w]] - fan.arc[v0]
        if best == -np.inf:
            is_done = False
            break
        limit = _limit(value, size, best, alpha)
        _trace(fan, w, score, forward, path, ends)
        for i in range(n_columns):
            is_best[path[i]] = True
        node = _survive(fan, w, value, limit, is_best, made, c, begin, before, rows.bits)
        for i in range(n_columns):
            is_best[path[i]] = False
        if len(left):
            _mark(made, fan.row_start[w] + n - 1, n, c, n_columns, rows.bits, left)
        grows = n_columns > 1
        order[w] += grows
        col_start[w + 1] = col_start[w] + n_columns - grows
        node, at = _link(made, begin, node, grows, n, before, rows.bits, at)
        if at - first_arc > max_arcs:
            is_done = False
            break
    n_columns = col_start[-1] + n_examples
    made.node_start[n_columns] = node
    made.arc[node] = at
    starts = order, fan.row_start, col_start, made.node_start[: n_columns + 1]
    return is_done, *starts, made.key[:node], made.symbol[:node], made.arc[: node + 1], made.head[:node]
