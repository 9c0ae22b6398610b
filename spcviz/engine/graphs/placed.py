r"""Pictorial structures: max-product message passing between states that have a place and a direction.

State s of a variable stands at :math:`(x_s, y_s)` and points along angle :math:`\theta_s` (one of A). Two
variables of an edge should meet at a joint: with :math:`q_i` = the place of the first's state i moved
`reach_first` along its direction, :math:`q_j` likewise, and
:math:`(d_1, d_2) = R(\theta_i)^\top (q_j - q_i) - \mu` the gap seen from the first, along and across it,

.. math:: p_e(i, j) = -w_1 d_1^2 - w_2 d_2^2 + t_e[(\theta_j - \theta_i) \bmod A], \qquad w \ge 0 .

Tables of all pairs are never formed and pruned states do not exist: variables have only the states that are
left. A message's maximum over j walks the senders of one angle after another in order of falling score, and
leaves an angle when its best possible sum, score + t, cannot beat the best found; this is exact, since the
rest of p is at most 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.graphs import graph
from spcviz.engine.graphs.placed_messages import Joints as Joints
from spcviz.engine.graphs.placed_messages import PlacedMessages, count_witnesses, pass_messages
from spcviz.engine.graphs.placed_messages import Places as Places


class PlacedMaxMarginals(NamedTuple):
    """Max-marginals (S,) and a best labelling (N,), int64, as indices into the S states."""

    best: float
    max_marginals: np.ndarray
    labels: np.ndarray


class WitnessCounts(NamedTuple):
    """Counts of states and pairs in the witnesses of all states.

    `states` (S,). For the R pairs that occur: `edge`, its number, `first` and `second`, the states of its two
    ends, int64, and `amount`.
    """

    states: np.ndarray
    edge: np.ndarray
    first: np.ndarray
    second: np.ndarray
    amount: np.ndarray


def check_problem(
    unary: ArrayLike, places: Places, edges: ArrayLike, kinds: ArrayLike, joints: Joints
) -> tuple[np.ndarray, Places, np.ndarray, np.ndarray, Joints, graph.Rooted]:
    """The arguments as checked arrays for kernels, and the forest; errors as in `max_marginals`."""
    checks.of_own_type("places", places, Places)
    checks.of_own_type("joints", joints, Joints)
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
) -> PlacedMaxMarginals:
    """Best score of a labelling through every state.

    Raises `ShapeError`, `ScoreError`, `ArgumentError`, `CycleError`. Weiss (2013), thesis, equations (3.2),
    (4.1); section 5.5.2.

    Parameters
    ----------
    unary : array_like, shape (S,)
        Finite scores.
    edges : array_like of int, shape (E, 2)
        (first, second); no cycles.
    kinds : array_like of int, shape (E,)
        Row of `joints` that each edge uses.

    Examples
    --------
    >>> places = Places(np.array([0, 1, 3]), np.array([0.0, 1.0, 5.0]), np.zeros(3), np.zeros(3, int))
    >>> joints = Joints(*[np.zeros((1, 2))] * 2, np.ones((1, 2)), np.zeros((1, 4)))
    >>> max_marginals([0.0, 0.0, 2.0], places, [[0, 1]], [0], joints).max_marginals
    array([ -1.,  -1., -23.])
    """
    unary, places, edges, kinds, joints, forest = check_problem(unary, places, edges, kinds, joints)
    passed = pass_messages(unary, places, kinds, joints, forest)
    below, maxima = passed.below, passed.below + passed.down
    labels = _labels(passed, places.start, forest)
    roots = np.flatnonzero(forest.parent < 0)
    if len(roots) > 1:
        tops = np.array([below[places.start[v] : places.start[v + 1]].max() for v in range(len(labels))])
        maxima += np.repeat(tops[roots].sum() - tops[forest.root], np.diff(places.start))
    return PlacedMaxMarginals(float(passed.best), maxima, labels)


def witness_counts(
    unary: ArrayLike, places: Places, edges: ArrayLike, kinds: ArrayLike, joints: Joints
) -> tuple[PlacedMaxMarginals, WitnessCounts]:
    """Sums over the witnesses of all states; counts travel along back-pointers, never one witness at a time.

    Arguments and errors as in `max_marginals`. The mean's sub-gradient in Weiss (2013), thesis, equation
    (5.6).

    >>> places = Places(np.array([0, 1, 3]), np.array([0.0, 1.0, 5.0]), np.zeros(3), np.zeros(3, int))
    >>> joints = Joints(*[np.zeros((1, 2))] * 2, np.ones((1, 2)), np.zeros((1, 4)))
    >>> witness_counts([0.0, 0.0, 2.0], places, [[0, 1]], [0], joints)[1].states
    array([3., 2., 1.])
    """
    arguments = check_problem(unary, places, edges, kinds, joints)
    unary, places, edges, kinds, joints, forest = arguments
    best = max_marginals(unary, places, edges, kinds, joints)
    passed = pass_messages(unary, places, kinds, joints, forest)
    up_start, up_arg, down_arg = passed.up_start, passed.up_arg, passed.down_arg
    states, going, coming = count_witnesses(passed, places.start, forest)
    rows = []
    for v in np.flatnonzero(forest.parent >= 0):
        p, span = forest.parent[v], slice(places.start[v], places.start[v + 1])
        edge, first_is_parent = forest.towards[v] >> 1, not forest.towards[v] & 1
        at = np.arange(places.start[p], places.start[p + 1])
        link = up_arg[up_start[v] : up_start[v] + len(at)]
        parents = np.concatenate([down_arg[span], at])
        children = np.concatenate([np.arange(span.start, span.stop), link])
        amount = np.concatenate([going[span], coming[up_start[v] : up_start[v] + len(at)]])
        used = amount != 0
        pair = (parents[used], children[used]) if first_is_parent else (children[used], parents[used])
        rows.append((np.full(used.sum(), edge), *pair, amount[used]))
    empty = [(np.zeros(0, np.int64),) * 3 + (np.zeros(0),)]
    return best, WitnessCounts(states, *(np.concatenate(c) for c in zip(*(rows or empty))))


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
    reach, other = joints.reach[kind]
    dx = places.x[second] + other * cos2 - places.x[first] - reach * cos
    dy = places.y[second] + other * sin2 - places.y[first] - reach * sin
    mean = joints.mean[kind]
    return cos * dx + sin * dy - mean[0], cos * dy - sin * dx - mean[1], (b - a) % n_angles


def _labels(passed: PlacedMessages, start: np.ndarray, forest: graph.Rooted) -> np.ndarray:
    below, up_start, up_arg = passed.below, passed.up_start, passed.up_arg
    labels = np.empty(len(forest.parent), dtype=np.int64)
    for v in forest.order:
        p = forest.parent[v]
        if p < 0:
            labels[v] = start[v] + below[start[v] : start[v + 1]].argmax()
        else:
            labels[v] = up_arg[up_start[v] + labels[p] - start[p]]
    return labels
