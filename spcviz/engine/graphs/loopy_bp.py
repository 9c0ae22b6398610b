r"""Loopy belief propagation: sum- or max-product message passing on a graph with cycles.

A message travels along every directed edge d = (i to j), one number per state of j, largest entry one:

.. math:: m_{i \to j}(y_j) \propto \bigoplus_{y_i} \Big[ p_{ij}(y_i, y_j) \otimes u_i(y_i) \otimes
   \bigotimes_{l \ne j} m_{l \to i}(y_i) \Big]

and a node's belief is its unary times all messages it receives. On a forest this converges to the exact
marginals (sum) or max-marginals minus the best score (max). With cycles it need not converge at all; each
variable's convergence is part of the result. The receiver's own message is left out by products over the
others (never by division), so -inf stays -inf. Directed edges are numbered as in `graph`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.graphs import graph
from spcviz.engine.graphs.loopy_bp_wide import propagate_wide
from spcviz.engine.graphs.tree_messages import is_tame
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.semirings import (
    LOG_PLUS,
    MAX_PLUS,
    SUM_TIMES,
    LogPlus,
    Semiring,
    combine,
    multiply,
    settle,
    total,
)
from spcviz.engine.kernels.vectors import ARE_COMPILED
from spcviz.engine.kernels.widths import pad_states, width_of

_FEW = 8  # neighbours up to which products over the others are formed one by one
_MAX_HISTORY = 32_000_000  # doubles: 256 MB


class Beliefs(NamedTuple):
    """The state in which message passing ended.

    - `unary` (N, K): for kind "sum" probabilities, rows sum to 1; for "max" in logs, each row's largest is 0
    - `labels` (N,), int64: each variable's best state on its own; ties go to the smallest
    - `converged` (N,), bool: every message into the node changed by at most `tolerance` in the last iteration
    - `residual` (n_iterations, N): largest change of a message into each node, iteration by iteration: of log
      messages (max), relative change of probabilities (sum), so that even unlikely states count as much
    - `messages` (n_iterations or 0, 2 E, K): after each iteration if requested, in logs, largest entry 0
    """

    unary: np.ndarray
    labels: np.ndarray
    n_iterations: int
    converged: np.ndarray
    residual: np.ndarray
    messages: np.ndarray


class Schedule(NamedTuple):
    """How messages are updated: see `propagate`; `in_turn` means sequentially."""

    damping: float
    tolerance: float
    max_iterations: int
    in_turn: bool


def propagate(
    unary: ArrayLike,
    edges: ArrayLike,
    pairwise: ArrayLike,
    kind: str = "sum",
    *,
    max_iterations: int = 100,
    damping: float = 0.0,
    tolerance: float = 1e-6,
    schedule: str = "parallel",
    history: bool = False,
) -> Beliefs:
    """Run loopy belief propagation from uniform messages.

    Raises `ShapeError`, `ScoreError`, `ArgumentError`; `InfeasibleError` if a variable's belief is -inf for
    all states; then the graph has no labelling of finite score. Weiss (2013), thesis, equations (3.2), (3.3)
    and section 5.5.1.

    Parameters
    ----------
    unary : array_like, shape (N, K)
    edges : array_like of int, shape (E, 2)
        Cycles, several components and lone nodes are fine; no two edges between the same nodes.
    pairwise : array_like, shape (E, K, K) or (K, K)
        ``[e, state of edges[e, 0], state of edges[e, 1]]``; a (K, K) array serves every edge.
    kind : {"sum", "max"}
        Beliefs are approximate marginals, or approximate max-marginals.
    max_iterations : int
        1 .. 100,000. One iteration updates all 2 E messages.
    damping : float
        0 <= damping < 1: share of the old log message in the new one. A forbidden state stays forbidden.
    tolerance : float
        At least 0. Iterations end when no message changes by more, as in `Beliefs.residual`.
    schedule : {"parallel", "sequential"}
        All messages at once from the old ones, or node by node with the newest.
    history : bool
        Keep the messages of every iteration.

    Examples
    --------
    >>> ring = [[0, 1], [1, 2], [0, 2]]
    >>> beliefs = propagate([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]], ring, [[1.0, 0.0], [0.0, 1.0]])
    >>> beliefs.unary.argmax(axis=1), bool(beliefs.converged.all())
    (array([1, 1, 1]), True)
    """
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise)
    checks.one_of("kind", kind, ("sum", "max"))
    checks.one_of("schedule", schedule, ("parallel", "sequential"))
    max_iterations = checks.integer("max_iterations", max_iterations, 1, 100_000)
    damping = checks.fraction("damping", damping, below_one=True)
    tolerance = float(checks.scores("tolerance", [tolerance], 1)[0])
    if tolerance < 0:
        raise ArgumentError(f"tolerance must be at least 0, got {tolerance}")
    if history and max_iterations * 2 * len(edges) * unary.shape[1] > _MAX_HISTORY:
        size = max_iterations * 2 * len(edges) * unary.shape[1]
        raise ArgumentError(
            f"history must have at most {_MAX_HISTORY} numbers, got max_iterations for {size}"
        )
    table = graph.Adjacency(*graph.build_adjacency(len(unary), edges))
    most = int(np.diff(table.start).max())  # neighbours of a node
    semiring, u, tables = _prepare_tables(kind, unary, pairwise, most)
    kept = np.empty((max_iterations if history else 0, 2 * len(edges), unary.shape[1]))
    width = width_of(unary.shape[1])
    how = Schedule(damping, tolerance, max_iterations, schedule == "sequential")
    log_domain = semiring.one == 0.0
    if ARE_COMPILED and width is not None and not isinstance(semiring, LogPlus) and most <= _FEW:
        zero = -np.inf if log_domain else 0.0
        u, tables = pad_states(u, width, 1, zero), pad_states(tables, width, 2, zero)
        beliefs, residual = propagate_wide(width, () if kind == "max" else (0,), u, tables, table, how, kept)
        beliefs = beliefs[:, : unary.shape[1]]
    else:
        beliefs, residual = _propagate(semiring, kind == "max", u, tables, table, how, kept)
    best = beliefs.max(axis=1, keepdims=True)
    is_dead = ~(best[:, 0] > (-np.inf if log_domain else 0.0))
    if is_dead.any():
        dead = np.flatnonzero(is_dead)
        raise InfeasibleError(
            f"every labelling has score -inf: all {unary.shape[1]} states are dead at node {dead[0]}"
        )
    labels = beliefs.argmax(axis=1)
    if log_domain:
        beliefs -= best
    if kind == "sum":
        beliefs = np.exp(beliefs) if log_domain else beliefs
        beliefs /= beliefs.sum(axis=1, keepdims=True)
    kept = kept[: len(residual)]
    if not log_domain:
        with np.errstate(divide="ignore"):
            np.log(kept, out=kept)
    return Beliefs(beliefs, labels, len(residual), residual[-1] <= tolerance, residual, kept)


def _prepare_tables(
    kind: str, unary: np.ndarray, pairwise: np.ndarray, most: int
) -> tuple[Semiring, np.ndarray, np.ndarray]:
    """(semiring, unary, tables by directed edge) in the semiring's own terms."""
    semiring: Semiring = MAX_PLUS if kind == "max" else LOG_PLUS
    u = unary
    if kind == "sum" and is_tame(unary, pairwise, most + 1):
        top = unary.max(axis=1, keepdims=True)
        semiring, u = SUM_TIMES, np.exp(unary - top)
        pairwise = np.exp(pairwise - pairwise.max()) if pairwise.size else pairwise
    tables = np.empty((2 * len(pairwise), *pairwise.shape[1:]))
    tables[::2], tables[1::2] = pairwise, pairwise.transpose(0, 2, 1)
    return semiring, u, tables


@kernel
def _normalise(sr: Semiring, vector: np.ndarray) -> None:
    """Scale the largest entry to one, in place; a vector of semiring zeros stays as it is."""
    if sr.one == 1.0:
        settle(sr, vector)
        return
    top = total(MAX_PLUS, vector)
    if top > -np.inf:
        for k in range(len(vector)):
            vector[k] -= top


@kernel
def _damp(sr: Semiring, share: float, old: np.ndarray, new: np.ndarray) -> None:
    """log new = share of log old + the rest of log new; forbidden states stay forbidden."""
    for k in range(len(new)):
        if sr.one == 0.0:
            if new[k] > -np.inf:
                new[k] = share * old[k] + (1.0 - share) * new[k]
        elif new[k] > 0.0:
            new[k] = np.exp(share * np.log(old[k]) + (1.0 - share) * np.log(new[k]))
    _normalise(sr, new)


@kernel
def _change(sr: Semiring, is_max: bool, old: np.ndarray, new: np.ndarray) -> float:
    """Largest change of an entry: of its log (max), relative to the larger of the two (sum)."""
    most = 0.0
    for k in range(len(new)):
        a, b = old[k], new[k]
        if a == b:  # also -inf and -inf, whose difference is NaN
            continue
        if sr.one == 1.0:
            change = abs(a - b) / max(a, b)
        else:
            change = abs(a - b) if is_max else 1.0 - np.exp(-abs(a - b))
        most = max(most, change)
    return most


@kernel
def _send(
    sr: Semiring,
    i: int,
    unary: np.ndarray,
    tables: np.ndarray,
    table: graph.Adjacency,
    messages: np.ndarray,
    out: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
) -> None:
    """Compute all messages that leave node i, from those that reach it, into `out`."""
    outgoing = table.outgoing
    first, last = table.start[i], table.start[i + 1]
    degree = last - first
    if degree == 0:
        return
    # A message leaves out what its receiver sent: by products from both sides, because dividing the product
    # of all by one of them would fail at 0 and -inf.
    before[0] = unary[i]
    for q in range(degree - 1):
        multiply(sr, before[q], messages[outgoing[first + q] ^ 1], before[q + 1])
        settle(sr, before[q + 1])
    after[degree - 1] = sr.one
    for q in range(degree - 1, -1, -1):
        d = outgoing[first + q]
        if q > 0:
            multiply(sr, after[q], messages[d ^ 1], after[q - 1])
            settle(sr, after[q - 1])
        multiply(sr, before[q], after[q], before[q])
        settle(sr, before[q])
        combine(sr, before[q], tables[d % len(tables)], out[d])
        _normalise(sr, out[d])


@kernel
def _propagate(
    sr: Semiring,
    is_max: bool,
    unary: np.ndarray,
    tables: np.ndarray,
    table: graph.Adjacency,
    how: Schedule,
    kept: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(beliefs (N, K), residual (T, N)): any semiring, any number of states and neighbours."""
    start, neighbour, outgoing = table
    share, tolerance, most, in_turn = how
    n_nodes, n = unary.shape
    n_directed = len(outgoing)
    messages, fresh = np.full((n_directed, n), sr.one), np.full((n_directed, n), sr.one)
    widest = 1
    for i in range(n_nodes):
        widest = max(widest, start[i + 1] - start[i])
    before, after = np.empty((widest, n)), np.empty((widest, n))
    residual = np.zeros((most, n_nodes))
    done = 0
    for t in range(most):
        worst = 0.0
        for i in range(n_nodes):
            _send(sr, i, unary, tables, table, messages, fresh, before, after)
            for q in range(start[i], start[i + 1]):
                d = outgoing[q]
                if share > 0.0:
                    _damp(sr, share, messages[d], fresh[d])
                change = _change(sr, is_max, messages[d], fresh[d])
                residual[t, neighbour[q]] = max(residual[t, neighbour[q]], change)
                worst = max(worst, change)
                if in_turn:
                    messages[d] = fresh[d]
        # All at once: each message was computed from the previous sweep's, so the two arrays are swapped.
        if not in_turn:
            messages, fresh = fresh, messages
        if t < len(kept):
            kept[t] = messages
        done = t + 1
        if worst <= tolerance:
            break
    beliefs = unary.copy()
    for i in range(n_nodes):
        for q in range(start[i], start[i + 1]):
            multiply(sr, beliefs[i], messages[outgoing[q] ^ 1], beliefs[i])
            settle(sr, beliefs[i])
    return beliefs, residual[:done].copy()
