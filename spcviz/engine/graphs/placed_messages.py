"""Kernels of pictorial structures: messages between placed states, and counts of their use in witnesses."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.graphs import graph
from spcviz.engine.kernels.jit import kernel


class Places(NamedTuple):
    """States of N variables, one after another.

    `start` (N + 1,), int64: states of variable v are ``start[v] : start[v + 1]``. `x`, `y` (S,), float64.
    `angle` (S,), int64: 0 .. A - 1.
    """

    start: np.ndarray
    x: np.ndarray
    y: np.ndarray
    angle: np.ndarray


class Joints(NamedTuple):
    """Parameters of the scores of edges; an edge names its row.

    `reach` (J, 2): distance from place to joint along the (first, second) variable's direction. `mean`
    (J, 2): expected gap, along and across the first. `weight` (J, 2) is at least 0. `table` (J, A), by turn
    from first to second.
    """

    reach: np.ndarray
    mean: np.ndarray
    weight: np.ndarray
    table: np.ndarray


class Edge(NamedTuple):
    """One edge as a message sees it.

    `source`, `target`: begin and end of the two variables' states. `own`, `other`: distance of the joint from
    the sender and from the receiver. `mean`, `weight` (2,), `table` (A,). `to_first`: the target is the
    first.
    """

    source: tuple[int, int]
    target: tuple[int, int]
    own: float
    other: float
    mean: np.ndarray
    weight: np.ndarray
    table: np.ndarray
    to_first: bool


class PlacedMessages(NamedTuple):
    """Both passes over a forest.

    - `below`, `down` (S,): scores of the subtree of each state, itself included, and of the rest of its tree
    - `up_start` (N + 1,): start of each variable's message to its parent, one entry per state of the parent
    - `up_arg`, `down_arg`, int64: the sender's state behind each entry of the messages up, and (S,) down
    """

    best: float
    below: np.ndarray
    down: np.ndarray
    up_start: np.ndarray
    up_arg: np.ndarray
    down_arg: np.ndarray


@kernel
def up_starts(start: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Starts of the messages of each variable to its parent."""
    out = np.zeros(len(parent) + 1, dtype=np.int64)
    for v in range(len(parent)):
        p = parent[v]
        out[v + 1] = out[v] + (start[p + 1] - start[p] if p >= 0 else 0)
    return out


@kernel
def _send(scores: np.ndarray, places: Places, edge: Edge, out: np.ndarray, arg: np.ndarray) -> None:
    """out[t] = max over s of scores[s] + p, arg[t] = that s; s of the edge's source, t of its target."""
    source, target, reach, other, mean, weight, table, to_first = edge
    n_angles = len(table)
    begin, n = source[0], source[1] - source[0]
    order = np.argsort(-scores, kind="mergesort")
    first_of = np.zeros(n_angles + 1, dtype=np.int64)
    for s in range(n):
        first_of[places.angle[begin + s] + 1] += 1
    for a in range(n_angles):
        first_of[a + 1] += first_of[a]
    fill = first_of[:-1].copy()
    by, qx, qy, value = np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n)
    cos, sin = np.empty(n_angles), np.empty(n_angles)
    for a in range(n_angles):
        cos[a], sin[a] = np.cos(2 * np.pi * a / n_angles), np.sin(2 * np.pi * a / n_angles)
    for s in order:  # senders by angle, best first
        a = places.angle[begin + s]
        at = fill[a]
        fill[a] += 1
        by[at], value[at] = s, scores[s]
        qx[at], qy[at] = places.x[begin + s] + reach * cos[a], places.y[begin + s] + reach * sin[a]
    turns, most = np.argsort(-table, kind="mergesort"), scores.max()
    for t in range(target[1] - target[0]):
        b = places.angle[target[0] + t]
        px = places.x[target[0] + t] + other * cos[b]
        py = places.y[target[0] + t] + other * sin[b]
        best, sender = -np.inf, -1
        for turn in turns:  # the likely ones first
            extra = table[turn]
            if extra + most <= best:
                break
            a = (b + turn) % n_angles if to_first else (b - turn) % n_angles
            f = b if to_first else a
            c, d = cos[f], sin[f]
            for at in range(first_of[a], first_of[a + 1]):
                top = value[at] + extra
                if top <= best:
                    break
                dx, dy = qx[at] - px, qy[at] - py
                if not to_first:
                    dx, dy = -dx, -dy
                along, across = c * dx + d * dy - mean[0], c * dy - d * dx - mean[1]
                got = top - weight[0] * along * along - weight[1] * across * across
                if got > best:
                    best, sender = got, by[at]
        out[t], arg[t] = best, begin + sender


@kernel
def _pass(
    v: int,
    is_up: bool,
    scores: np.ndarray,
    places: Places,
    kinds: np.ndarray,
    joints: Joints,
    forest: graph.Rooted,
    out: np.ndarray,
    arg: np.ndarray,
) -> None:
    """Message on the edge between v and its parent: to the parent if `is_up`, else from it."""
    p, directed = forest.parent[v], forest.towards[v]
    source, target = (v, p) if is_up else (p, v)
    k, to_first = kinds[directed >> 1], (directed & 1 == 1) != is_up  # even if the parent is the edge's first
    reach, other = (
        (joints.reach[k, 1], joints.reach[k, 0]) if to_first else (joints.reach[k, 0], joints.reach[k, 1])
    )
    sender = places.start[source], places.start[source + 1]
    receiver = places.start[target], places.start[target + 1]
    edge = Edge(sender, receiver, reach, other, joints.mean[k], joints.weight[k], joints.table[k], to_first)
    _send(scores, places, edge, out, arg)


@kernel
def pass_messages(
    unary: np.ndarray, places: Places, kinds: np.ndarray, joints: Joints, forest: graph.Rooted
) -> PlacedMessages:
    start, order, parent = places.start, forest.order, forest.parent
    up_start = up_starts(start, parent)
    up, up_arg = np.empty(up_start[-1]), np.empty(up_start[-1], dtype=np.int64)
    below, down = unary.copy(), np.zeros(len(unary))
    down_arg = np.full(len(unary), -1, dtype=np.int64)
    best = 0.0
    for at in range(len(order) - 1, -1, -1):
        v = order[at]
        p = parent[v]
        scores = below[start[v] : start[v + 1]]
        if p < 0:
            best += scores.max()
            continue
        message, arg = up[up_start[v] : up_start[v + 1]], up_arg[up_start[v] : up_start[v + 1]]
        _pass(v, True, scores, places, kinds, joints, forest, message, arg)
        below[start[p] : start[p + 1]] += message
    for at in range(len(order)):
        v = order[at]
        p = parent[v]
        if p < 0:
            continue
        above = below[start[p] : start[p + 1]] + down[start[p] : start[p + 1]]
        above -= up[up_start[v] : up_start[v + 1]]  # all finite: only rounding is lost
        message, arg = down[start[v] : start[v + 1]], down_arg[start[v] : start[v + 1]]
        _pass(v, False, above, places, kinds, joints, forest, message, arg)
    return PlacedMessages(best, below, down, up_start, up_arg, down_arg)


@kernel
def count_witnesses(
    passed: PlacedMessages, start: np.ndarray, forest: graph.Rooted
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(states (S,), going up (S,), coming down (as `up_arg`)): see `witness_counts`."""
    _, below, _, up_start, up_arg, down_arg = passed
    order, parent = forest.order, forest.parent
    counts = np.ones(len(below))
    going, coming = np.zeros(len(below)), np.zeros(len(up_arg))
    came = np.zeros(len(up_arg))
    for at in range(len(order) - 1, -1, -1):
        v = order[at]
        p = parent[v]
        if p < 0:
            continue
        for j in range(start[v], start[v + 1]):
            going[j] = counts[j]
            came[up_start[v] + down_arg[j] - start[p]] += counts[j]
        for i in range(start[p + 1] - start[p]):
            counts[start[p] + i] += came[up_start[v] + i]
    for at in range(len(order)):
        v = order[at]
        p = parent[v]
        if p < 0:
            top = start[v] + below[start[v] : start[v + 1]].argmax()
            counts[top] += len(below) - counts[start[v] : start[v + 1]].sum()
            continue
        for i in range(start[p + 1] - start[p]):
            rest = counts[start[p] + i] - came[up_start[v] + i]
            if rest != 0.0:
                coming[up_start[v] + i] = rest
                counts[up_arg[up_start[v] + i]] += rest
    return counts, going, coming
