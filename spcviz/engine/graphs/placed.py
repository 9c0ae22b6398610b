r"""Pictorial structures: max-product message passing between states that have a place and a direction.

State s of a variable stands at :math:`(x_s, y_s)` and points along angle :math:`\theta_s` (one of A). Two
variables of an edge should meet at a joint: with :math:`q_i` = the place of the first's state i moved
`reach_first` along it, :math:`q_j` likewise, and :math:`(d_1, d_2) = R(\theta_i)^\top (q_j - q_i) - \mu` the
joint's gap seen from the first, along and across it,

.. math:: p_e(i, j) = -w_1 d_1^2 - w_2 d_2^2 + t_e[(\theta_j - \theta_i) \bmod A], \qquad w \ge 0 .

Tables of all pairs are never formed and pruned states do not exist: variables have as many states as are
left. A message's maximum over j walks the senders of one angle after another in order of falling score, and
leaves an angle when its best possible sum, score + t, cannot beat what is found; exact, since the rest of p
is at most 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.graphs import graph
from spcviz.engine.kernels.jit import kernel


class Places(NamedTuple):
    """States of N variables, one after another.

    Attributes
    ----------
    start : ndarray, shape (N + 1,), int64
        States of variable v are ``start[v] : start[v + 1]``.
    x, y : ndarray, shape (S,), float64
    angle : ndarray, shape (S,), int64
        0 .. A - 1.
    """

    start: np.ndarray
    x: np.ndarray
    y: np.ndarray
    angle: np.ndarray


class Joints(NamedTuple):
    """What edges score; an edge names its row.

    Attributes
    ----------
    reach : ndarray, shape (J, 2)
        Distance from place to joint along the (first, second) variable's direction.
    mean : ndarray, shape (J, 2)
        Expected gap, along and across the first.
    weight : ndarray, shape (J, 2)
        At least 0.
    table : ndarray, shape (J, A)
        By turn from first to second.
    """

    reach: np.ndarray
    mean: np.ndarray
    weight: np.ndarray
    table: np.ndarray


class _Edge(NamedTuple):
    """One edge as a message sees it.

    Attributes
    ----------
    source, target : (int, int)
        Begin and end of the two variables' states.
    own, other : float
        How far the joint lies from the sender and from the receiver.
    mean, weight : ndarray, shape (2,)
    table : ndarray, shape (A,)
    to_first : bool
        The target is the edge's first.
    """

    source: tuple[int, int]
    target: tuple[int, int]
    own: float
    other: float
    mean: np.ndarray
    weight: np.ndarray
    table: np.ndarray
    to_first: bool


class _Messages(NamedTuple):
    """Both passes over a forest.

    Attributes
    ----------
    best : float
    below, down : ndarray, shape (S,)
        Scores of what hangs from each state, itself included, and of all else in its tree.
    up_start : ndarray, shape (N + 1,), int64
        Where each variable's message to its parent begins: one number for each of the parent's states.
    up_arg, down_arg : ndarray, int64
        The sender's state behind each entry of the messages up, and (S,) down.
    """

    best: float
    below: np.ndarray
    down: np.ndarray
    up_start: np.ndarray
    up_arg: np.ndarray
    down_arg: np.ndarray


class Found(NamedTuple):
    """Best labellings through every state.

    Attributes
    ----------
    best : float
    max_marginals : ndarray, shape (S,)
    labels : ndarray, shape (N,), int64
        A best labelling, as indices into the S states.
    """

    best: float
    max_marginals: np.ndarray
    labels: np.ndarray


class Counts(NamedTuple):
    """How often states and pairs occur in the witnesses of all states.

    Attributes
    ----------
    states : ndarray, shape (S,)
    edge, first, second : ndarray, shape (R,), int64
        Pairs that occur: edge number and the states of its two ends.
    amount : ndarray, shape (R,)
    """

    states: np.ndarray
    edge: np.ndarray
    first: np.ndarray
    second: np.ndarray
    amount: np.ndarray


def checked(
    unary: ArrayLike, places: Places, edges: ArrayLike, kinds: ArrayLike, joints: Joints
) -> tuple[np.ndarray, Places, np.ndarray, np.ndarray, Joints, graph.Rooted]:
    """The same as arrays that kernels may walk over, and the forest; errors as in `max_marginals`."""
    checks.made("places", places, Places)
    checks.made("joints", joints, Joints)
    x, y = checks.scores("places.x", places.x, 1), checks.scores("places.y", places.y, 1)
    start = checks.offsets("places.start", places.start, len(x))
    tables = [checks.scores(f"joints.{name}", table, 2) for name, table in zip(Joints._fields, joints)]
    n_joints, n_angles = tables[3].shape
    if any(t.shape != (n_joints, 2) for t in tables[:3]) or not n_angles:
        shapes = [t.shape for t in tables]
        raise ShapeError(f"joints have shapes {shapes}; they need (J, 2) three times and (J, A)")
    angle = checks.whole_numbers("places.angle", places.angle, 0, n_angles - 1)
    unary = checks.scores("unary", unary, 1)
    if not len(x) == len(y) == len(angle) == len(unary):
        raise ShapeError(
            f"unary has shape {unary.shape}; places need {x.shape}, {y.shape} and {angle.shape} alike"
        )
    if (np.diff(start) < 1).any():
        raise ArgumentError(f"every variable needs a state, got none for {int(np.diff(start).argmin())}")
    for name, table in [("unary", unary), ("places.x", x), ("places.y", y), *zip(Joints._fields, tables)]:
        if np.isneginf(table).any():
            raise ArgumentError(f"{name} must be finite, got -inf; leave pruned states out")
    if (tables[2] < 0).any():
        raise ArgumentError(f"joints.weight must be at least 0, got {tables[2].min()}")
    edges = graph.checked_edges(edges, len(start) - 1)
    kinds = checks.states("kinds", kinds, len(edges), n_joints)
    forest = graph.forest(len(start) - 1, edges)
    return unary, Places(start, x, y, angle), edges, kinds, Joints(*tables), forest


def max_marginals(
    unary: ArrayLike, places: Places, edges: ArrayLike, kinds: ArrayLike, joints: Joints
) -> Found:
    """Best score of a labelling through every state.

    Parameters
    ----------
    unary : array_like, shape (S,)
        Finite scores.
    places : Places
    edges : array_like of int, shape (E, 2)
        (first, second); no cycles.
    kinds : array_like of int, shape (E,)
        Row of `joints` that each edge uses.
    joints : Joints

    Returns
    -------
    Found

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, CycleError

    References
    ----------
    Weiss (2013), thesis, equations (3.2), (4.1); section 5.5.2.

    Examples
    --------
    >>> places = Places(np.array([0, 1, 3]), np.array([0.0, 1.0, 5.0]), np.zeros(3), np.zeros(3, int))
    >>> joints = Joints(*[np.zeros((1, 2))] * 2, np.ones((1, 2)), np.zeros((1, 4)))
    >>> max_marginals([0.0, 0.0, 2.0], places, [[0, 1]], [0], joints).max_marginals
    array([ -1.,  -1., -23.])
    """
    unary, places, edges, kinds, joints, forest = checked(unary, places, edges, kinds, joints)
    passed = _messages(unary, places, kinds, joints, forest)
    below, found = passed.below, passed.below + passed.down
    labels = _labels(passed, places.start, forest)
    roots = np.flatnonzero(forest.parent < 0)
    if len(roots) > 1:
        tops = np.array([below[places.start[v] : places.start[v + 1]].max() for v in range(len(labels))])
        found += np.repeat(tops[roots].sum() - tops[forest.root], np.diff(places.start))
    return Found(float(passed.best), found, labels)


def witness_counts(
    unary: ArrayLike, places: Places, edges: ArrayLike, kinds: ArrayLike, joints: Joints
) -> tuple[Found, Counts]:
    """Sums over the witnesses of all states; counts travel along back-pointers, never one witness at a time.

    Parameters
    ----------
    unary, places, edges, kinds, joints
        As in `max_marginals`.

    Returns
    -------
    found : Found
    counts : Counts

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, CycleError

    References
    ----------
    The mean's sub-gradient in Weiss (2013), thesis, equation (5.6).

    Examples
    --------
    >>> places = Places(np.array([0, 1, 3]), np.array([0.0, 1.0, 5.0]), np.zeros(3), np.zeros(3, int))
    >>> joints = Joints(*[np.zeros((1, 2))] * 2, np.ones((1, 2)), np.zeros((1, 4)))
    >>> witness_counts([0.0, 0.0, 2.0], places, [[0, 1]], [0], joints)[1].states
    array([3., 2., 1.])
    """
    arguments = checked(unary, places, edges, kinds, joints)
    unary, places, edges, kinds, joints, forest = arguments
    found = max_marginals(unary, places, edges, kinds, joints)
    passed = _messages(unary, places, kinds, joints, forest)
    up_start, up_arg, down_arg = passed.up_start, passed.up_arg, passed.down_arg
    states, going, coming = _counts(passed, places.start, forest)
    rows = []
    for v in np.flatnonzero(forest.parent >= 0):
        p, own = forest.parent[v], slice(places.start[v], places.start[v + 1])
        edge, first_is_parent = forest.towards[v] >> 1, not forest.towards[v] & 1
        at = np.arange(places.start[p], places.start[p + 1])
        link = up_arg[up_start[v] : up_start[v] + len(at)]
        parents = np.concatenate([down_arg[own], at])
        children = np.concatenate([np.arange(own.start, own.stop), link])
        amount = np.concatenate([going[own], coming[up_start[v] : up_start[v] + len(at)]])
        used = amount != 0
        pair = (parents[used], children[used]) if first_is_parent else (children[used], parents[used])
        rows.append((np.full(used.sum(), edge), *pair, amount[used]))
    empty = [(np.zeros(0, np.int64),) * 3 + (np.zeros(0),)]
    return found, Counts(states, *(np.concatenate(c) for c in zip(*(rows or empty))))


def gaps(
    places: Places, joints: Joints, kind: int, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(along, across, turn) of R pairs: the joint's gap seen from the first, and the angle from it.

    `kind` is the joint's row; `first` and `second` are indices into the states. All of shape (R,).
    """
    n_angles = joints.table.shape[1]
    a, b = places.angle[first], places.angle[second]
    cos, sin = np.cos(2 * np.pi * a / n_angles), np.sin(2 * np.pi * a / n_angles)
    cos2, sin2 = np.cos(2 * np.pi * b / n_angles), np.sin(2 * np.pi * b / n_angles)
    own, other = joints.reach[kind]
    dx = places.x[second] + other * cos2 - places.x[first] - own * cos
    dy = places.y[second] + other * sin2 - places.y[first] - own * sin
    mean = joints.mean[kind]
    return cos * dx + sin * dy - mean[0], cos * dy - sin * dx - mean[1], (b - a) % n_angles


def _labels(passed: _Messages, start: np.ndarray, forest: graph.Rooted) -> np.ndarray:
    below, up_start, up_arg = passed.below, passed.up_start, passed.up_arg
    labels = np.empty(len(forest.parent), dtype=np.int64)
    for v in forest.order:
        p = forest.parent[v]
        if p < 0:
            labels[v] = start[v] + below[start[v] : start[v + 1]].argmax()
        else:
            labels[v] = up_arg[up_start[v] + labels[p] - start[p]]
    return labels


@kernel
def _up_start(start: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Where the message of each variable to its parent begins."""
    out = np.zeros(len(parent) + 1, dtype=np.int64)
    for v in range(len(parent)):
        p = parent[v]
        out[v + 1] = out[v] + (start[p + 1] - start[p] if p >= 0 else 0)
    return out


@kernel
def _send(scores: np.ndarray, places: Places, edge: _Edge, out: np.ndarray, arg: np.ndarray) -> None:
    """out[t] = max over s of scores[s] + p, arg[t] = that s; both as long as the edge's source and target."""
    source, target, own, other, mean, weight, table, to_first = edge
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
        qx[at], qy[at] = places.x[begin + s] + own * cos[a], places.y[begin + s] + own * sin[a]
    turns, most = np.argsort(-table, kind="mergesort"), scores.max()
    for t in range(target[1] - target[0]):
        b = places.angle[target[0] + t]
        px = places.x[target[0] + t] + other * cos[b]
        py = places.y[target[0] + t] + other * sin[b]
        best, found = -np.inf, -1
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
                    best, found = got, by[at]
        out[t], arg[t] = best, begin + found


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
    """Message on the edge between v and its parent: to the parent, or else from it."""
    p, directed = forest.parent[v], forest.towards[v]
    source, target = (v, p) if is_up else (p, v)
    k, to_first = kinds[directed >> 1], (directed & 1 == 1) != is_up  # even if the parent is the edge's first
    own, other = (
        (joints.reach[k, 1], joints.reach[k, 0]) if to_first else (joints.reach[k, 0], joints.reach[k, 1])
    )
    sender = places.start[source], places.start[source + 1]
    receiver = places.start[target], places.start[target + 1]
    edge = _Edge(sender, receiver, own, other, joints.mean[k], joints.weight[k], joints.table[k], to_first)
    _send(scores, places, edge, out, arg)


@kernel
def _messages(
    unary: np.ndarray, places: Places, kinds: np.ndarray, joints: Joints, forest: graph.Rooted
) -> _Messages:
    start, order, parent = places.start, forest.order, forest.parent
    up_start = _up_start(start, parent)
    up, up_arg = np.empty(up_start[-1]), np.empty(up_start[-1], dtype=np.int64)
    below, down = unary.copy(), np.zeros(len(unary))
    down_arg = np.full(len(unary), -1, dtype=np.int64)
    best = 0.0
    for at in range(len(order) - 1, -1, -1):
        v = order[at]
        p = parent[v]
        own = below[start[v] : start[v + 1]]
        if p < 0:
            best += own.max()
            continue
        message, arg = up[up_start[v] : up_start[v + 1]], up_arg[up_start[v] : up_start[v + 1]]
        _pass(v, True, own, places, kinds, joints, forest, message, arg)
        below[start[p] : start[p + 1]] += message
    for at in range(len(order)):
        v = order[at]
        p = parent[v]
        if p < 0:
            continue
        above = below[start[p] : start[p + 1]] + down[start[p] : start[p + 1]]
        above -= up[up_start[v] : up_start[v + 1]]  # all finite: nothing is lost but rounding
        message, arg = down[start[v] : start[v + 1]], down_arg[start[v] : start[v + 1]]
        _pass(v, False, above, places, kinds, joints, forest, message, arg)
    return _Messages(best, below, down, up_start, up_arg, down_arg)


@kernel
def _counts(
    passed: _Messages, start: np.ndarray, forest: graph.Rooted
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
