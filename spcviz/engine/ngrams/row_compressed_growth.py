"""Kernels of one level on a row-compressed lattice: max-marginals, survivors, the next level's arcs."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_kernel, kernel, strict_kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of
from spcviz.engine.ngrams.row_compressed_paths import Fan, GramRows, largest_example, score_fan, trace_fan
from spcviz.engine.ngrams.table import MAX_BITS
from spcviz.engine.thresholds import rule


@strict_kernel
def _gap(values: np.ndarray, n: int, best: float) -> float:
    """Distance of the mean of n values below the largest, `best`."""
    below, count = 0.0, 0
    for a in range(n):
        if values[a] > -np.inf:
            below += best - values[a]
            count += 1
    return below / larger_of(count, 1)


@strict_kernel
def _limit(best: float, gap: float, alpha: float, given: float) -> float:
    """The threshold, equal to that of `filtering.threshold_batch` to the last bit."""
    if not rule.has_spread(best, gap):
        return -np.inf
    mean = best - gap
    return rule.threshold(best, rule.yardstick(best, best - mean, given), rule.cap_alpha(alpha))


@bare_kernel
def _through(
    fan: Fan, w: int, score: np.ndarray, forward: np.ndarray, backward: np.ndarray, value: np.ndarray
) -> float:
    """Max-marginals of example w's arcs by scores and forward messages, from index 0; returns the largest."""
    arc, head = fan.arc, fan.head
    first, last = fan.col_start[w] + w, fan.col_start[w + 1] + w
    v0, end, stop = fan.node_start[first], fan.node_start[last], fan.node_start[last + 1]
    a0 = arc[v0]
    for v in range(end, stop):
        backward[v - v0] = 0.0
    best = -np.inf
    for v in range(end - 1, v0 - 1, -1):
        top, message, a = -np.inf, forward[v - v0], arc[v] - a0
        behind, scores, out = backward[head[v] - v0 :], score[a:], value[a:]
        for i in range(arc[v + 1] - arc[v]):
            through = scores[i] + behind[i]
            top = through if through > top else top
            through = message + scores[i] + behind[i]
            out[i] = through
            best = through if through > best else best
        backward[v - v0] = top
    return best


@bare_kernel
def _at_nodes(
    fan: Fan, w: int, forward: np.ndarray, backward: np.ndarray, node: np.ndarray, value: np.ndarray
) -> float:
    """Max-marginals of example w's nodes, and in `value` the lesser of each arc's; returns the largest."""
    arc, head = fan.arc, fan.head
    first, last = fan.col_start[w] + w, fan.col_start[w + 1] + w
    v0, end, stop = fan.node_start[first], fan.node_start[last], fan.node_start[last + 1]
    best = -np.inf
    for v in range(stop - v0):
        node[v] = forward[v] + backward[v]
        best = node[v] if node[v] > best else best
    for v in range(v0, end):
        tail, heads, out = node[v - v0], node[head[v] - v0 :], value[arc[v] - arc[v0] :]
        for i in range(arc[v + 1] - arc[v]):
            out[i] = smaller_of(tail, heads[i])
    return best


class _Made(NamedTuple):
    """Arrays that `prune_and_grow` fills: the next fan's columns and nodes."""

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
                # Always written, kept only if the next line counts it: a branch would often be mispredicted.
                new_key[node], new_symbol[node], new_head[node] = code + s + 1, s, h + j
                node += rule.survives(through[j], limit) | kept[j]
    before[fan.node_start[last + 1] - v0] = node - begin
    return node


@bare_kernel
def _n_arcs(made: _Made, begin: int, node: int, before: np.ndarray, grows: bool) -> int:
    """Number of arcs that survivors begin .. node - 1 grow into; whole examples stay what they are."""
    if not grows:
        return node - begin
    n = 0
    for g in range(begin, node):
        h = made.head[g]
        n += before[h + 1] - before[h]
    return n


@bare_kernel
def _survive_raised(
    fan: Fan,
    w: int,
    value: np.ndarray,
    is_best: np.ndarray,
    made: _Made,
    c: int,
    begin: int,
    before: np.ndarray,
    bits: int,
    spread: tuple[float, float, float],
    alpha: float,
    max_arcs: int,
    node: int,
    grows: bool,
) -> int:
    """`_survive` with alpha raised just enough for `max_arcs`; before that, survivors ended at `node`.

    `spread`: largest value, gap and given yardstick. Where no alpha separates equals, only the best path
    survives.
    """
    best, gap, given = spread
    low, high, fewest = alpha, 1.0, begin
    for _ in range(40):
        middle = (low + high) / 2
        at = _survive(fan, w, value, _limit(best, gap, middle, given), is_best, made, c, begin, before, bits)
        if _n_arcs(made, begin, at, before, grows) <= max_arcs:
            high, fewest = middle, at
        else:
            low, node = middle, at
        if node - fewest <= 1:  # nothing lies between
            break
    node = _survive(fan, w, value, _limit(best, gap, high, given), is_best, made, c, begin, before, bits)
    if _n_arcs(made, begin, node, before, grows) > max_arcs:
        node = _survive(fan, w, value, np.inf, is_best, made, c, begin, before, bits)
    return node


@bare_kernel
def _mark(made: _Made, row: int, n: int, c: int, columns: int, bits: int, left: np.ndarray) -> None:
    """Set in `left` the states of new n-grams, columns from c on; row: that of the first's last states."""
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
        else:  # an arc is a whole example: it keeps its order, and has its own head
            head[g] = g + n_kept
            key[g + n_kept], symbol[g + n_kept] = key[g] & ((np.int64(1) << bits * (n - 1)) - 1), symbol[g]
            key[g] >>= bits
            at += 1
    if grows:
        return end, at
    for g in range(end, end + n_kept):
        arc[g], head[g] = at, end + n_kept
    return end + n_kept, at


@bare_kernel
def _link_nodes(
    fan: Fan, w: int, node: np.ndarray, limit: float, made: _Made, begin: int, at: int, before: np.ndarray
) -> tuple[int, int, int]:
    """`_link` where arcs are whole examples and share the nodes that are filtered.

    Returns (nodes, arcs, first node of the second column) so far.
    """
    key, symbol, arc, head = made.key, made.symbol, made.arc, made.head
    first = fan.col_start[w] + w
    v0, end, stop = fan.node_start[first], fan.node_start[first + 1], fan.node_start[first + 2]
    to = begin
    for v in range(v0, stop):
        before[v - v0] = to
        to += rule.survives(node[v - v0], limit)
    before[stop - v0] = to
    for v in range(v0, stop):
        g = before[v - v0]
        if before[v - v0 + 1] == g:
            continue
        key[g], symbol[g], arc[g], head[g] = fan.key[v], fan.symbol[v], at, to
        if v < end:
            h = fan.head[v] - v0
            head[g] = before[h]
            at += before[h + fan.arc[v + 1] - fan.arc[v]] - before[h]
    return to, at, before[end - v0]


@kernel
def prune_and_grow(
    fan: Fan,
    unary: np.ndarray,
    rows: GramRows,
    alpha: float,
    given: np.ndarray,
    max_arcs: int,
    left: np.ndarray,
    on_nodes: bool,
) -> tuple[bool, *tuple[np.ndarray, ...]]:
    """(whether it was done, fields of the next fan). `given` (W,): see `rule.yardstick`."""
    n_examples = len(fan.order)
    arcs, nodes, columns = largest_example(fan)
    score, value = np.empty(arcs, np.float64), np.empty(arcs, np.float64)
    is_best, before = fill_new(arcs, np.bool_, False), np.empty(nodes + 1, np.int64)
    forward, backward = np.empty(nodes, np.float64), np.empty(nodes, np.float64)
    at_nodes = np.empty(nodes, np.float64)
    path, ends = np.empty(columns, np.int64), np.empty(columns, np.int64)
    terms = np.empty(2 * MAX_BITS, np.float64)
    # Survivors are at most all arcs, and twice those that are whole examples; one more place is written to.
    most = 1 + fan.arc[-1]
    for w in range(n_examples):
        first, last = fan.col_start[w] + w, fan.col_start[w + 1] + w
        if last - first == 1:
            most += fan.arc[fan.node_start[last]] - fan.arc[fan.node_start[first]]
    order, col_start = fan.order.copy(), fill_new(n_examples + 1, np.int64, 0)
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
        score_fan(fan, w, unary, rows, terms, score, forward)
        best = _through(fan, w, score, forward, backward, value)
        v0 = fan.node_start[fan.col_start[w] + w]
        size = fan.arc[fan.node_start[fan.col_start[w + 1] + w]] - fan.arc[v0]
        if best == -np.inf:
            is_done = False
            break
        by_nodes = on_nodes and n > 1  # one position has no smaller grams
        gap = 0.0
        if by_nodes:
            top = _at_nodes(fan, w, forward, backward, at_nodes, value)
            n_nodes = fan.node_start[fan.col_start[w + 1] + w + 1] - v0
            limit = _limit(top, _gap(at_nodes, n_nodes, top), alpha, given[w])
        else:
            gap = _gap(value, size, best)
            limit = _limit(best, gap, alpha, given[w])
        trace_fan(fan, w, score, forward, path, ends)
        for i in range(n_columns):
            is_best[path[i]] = True
        node = _survive(fan, w, value, limit, is_best, made, c, begin, before, rows.bits)
        grows = n_columns > 1
        # An arc grows into at most K, so they are counted only where that bound is over the cap.
        may_pass = not by_nodes and (node - begin) * rows.n_states > max_arcs
        if may_pass and _n_arcs(made, begin, node, before, grows) > max_arcs:
            spread = best, gap, given[w]
            more = spread, alpha, max_arcs, node, grows
            node = _survive_raised(fan, w, value, is_best, made, c, begin, before, rows.bits, *more)
        for i in range(n_columns):
            is_best[path[i]] = False
        if len(left):
            _mark(made, fan.row_start[w] + n - 1, n, c, n_columns, rows.bits, left)
        order[w] += grows
        col_start[w + 1] = col_start[w] + n_columns - grows
        if by_nodes and not grows:
            n_kept = node - begin
            node, at, second = _link_nodes(fan, w, at_nodes, limit, made, begin, at, before)
            made.node_start[col_start[w + 1] + w] = second
            is_done = at - first_arc == n_kept  # else the best path stays without one of its nodes
        else:
            node, at = _link(made, begin, node, grows, n, before, rows.bits, at)
        if not is_done or (by_nodes and at - first_arc > max_arcs):
            is_done = False
            break
    n_columns = col_start[-1] + n_examples
    made.node_start[n_columns] = node
    made.arc[node] = at
    starts = order, fan.row_start, col_start, made.node_start[: n_columns + 1]
    return is_done, *starts, made.key[:node], made.symbol[:node], made.arc[: node + 1], made.head[:node]
