r"""Gibbs sampling: labellings drawn from p(y) proportional to exp(psi(y)) on any pairwise graph.

A sweep visits the nodes in order and draws each from its distribution given its neighbours,

.. math:: p(y_i = k \mid y_{-i}) \propto \exp\Big( u_i(k) + \sum_{j \sim i} p_{ij}(k, y_j) \Big)

Every sample starts its own chain afresh and takes its last state, so samples are independent given the
number of sweeps (which must be enough to mix). Random numbers come from one 64-bit seed per sample, through
SplitMix64:

.. math:: s \leftarrow s + \gamma, \quad z = \operatorname{mix}(s), \quad
   \text{uniform} = \lfloor z / 2^{11} \rfloor 2^{-53}

so a sample depends on its seed alone, however the samples are divided among calls and threads.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.graphs import graph
from spcviz.engine.graphs.tree_messages import is_tame
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import Width
from spcviz.engine.kernels.widths import pad_states, width_of

_LANES = 8
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)


class _Products(NamedTuple):
    """Exponentials for graphs of at most four neighbours per node, states padded to a width W.

    `unary` (N, W). ``tables[d, neighbour's state, own state]`` (2 E + 1, W, W), d leaving the node; the last
    table changes nothing. `other`, `which` (N, 4), int64: each node's neighbours and their tables; the last
    table where there are fewer than four.
    """

    unary: np.ndarray
    tables: np.ndarray
    other: np.ndarray
    which: np.ndarray


def seeds(rng: np.random.Generator, n_samples: int) -> np.ndarray:
    """One seed per sample, (n_samples,) uint64; `ArgumentError` unless `n_samples` is 0 .. 10,000,000.

    >>> seeds(np.random.default_rng(0), 3).dtype
    dtype('uint64')
    """
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    return rng.integers(0, 2**64, checks.integer("n_samples", n_samples, 0, 10_000_000), dtype=np.uint64)


def sample(
    unary: ArrayLike,
    edges: ArrayLike,
    pairwise: ArrayLike,
    seeds: ArrayLike,
    n_sweeps: int,
    start: ArrayLike | None = None,
) -> np.ndarray:
    """Draw one labelling per seed, each from its own chain of `n_sweeps` sweeps.

    Returns (S, N), int64. Raises `ShapeError`, `ScoreError`, `ArgumentError`; `InfeasibleError` if a node has
    no state of finite score, or a chain reaches a node whose states are all forbidden by its neighbours'
    (possible with -inf scores; then pass a `start` of finite score). With -inf scores a chain may be unable
    to leave a part of the labellings, since moves change a single site. Weiss (2013), thesis, section 5.5.1:
    1000 samples, each from a chain restarted for 1000 iterations.

    Parameters
    ----------
    unary : array_like, shape (N, K)
    edges : array_like of int, shape (E, 2)
        Cycles are allowed; no two edges between the same nodes.
    pairwise : array_like, shape (E, K, K) or (K, K)
        ``[e, state of edges[e, 0], state of edges[e, 1]]``; a (K, K) array serves every edge.
    seeds : array_like of uint64, shape (S,)
        As from `seeds`.
    n_sweeps : int
        0 .. 10,000,000 sweeps over all nodes; 0 returns the start.
    start : array_like of int, shape (N,) or (S, N), optional
        The states in which chains start; each uniform at random by default.

    Examples
    --------
    >>> samples = sample([[0.0, 50.0]], [], np.zeros((2, 2)), seeds(np.random.default_rng(0), 2), 1)
    >>> samples.tolist()
    [[1], [1]]
    """
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise)
    n_nodes, n = unary.shape
    seeds = checks.typed_array("seeds", seeds, "iuf", "whole numbers")
    if seeds.ndim != 1 or (seeds.size and seeds.dtype != np.uint64):
        raise ShapeError(f"seeds has shape {seeds.shape} and dtype {seeds.dtype}; it needs (S,) of uint64")
    n_sweeps = checks.integer("n_sweeps", n_sweeps, 0, 10_000_000)
    dead = np.flatnonzero(np.isneginf(unary).all(axis=1))
    if len(dead):
        raise InfeasibleError(f"every labelling has score -inf: all {n} states are dead at node {dead[0]}")
    labels = _starts(start, len(seeds), n_nodes, n)
    table = graph.adjacency(n_nodes, edges)
    degree = int(np.diff(table.start).max())
    state = seeds.astype(np.uint64)
    width = width_of(n)
    if degree <= 4 and width is not None and is_tame(unary, pairwise, degree):
        products = _pad_weights(unary, pairwise, table, width)
        stuck = _sample_products(width, n, products, state, n_sweeps, labels, start is None)
    else:
        tables = np.empty((2 * len(pairwise), n, n))
        tables[::2], tables[1::2] = pairwise.transpose(0, 2, 1), pairwise
        stuck = _sample_logs(unary, tables, table, state, n_sweeps, labels, start is None)
    if stuck >= 0:
        raise InfeasibleError(
            f"start must leave every node a state of finite score, got a chain stuck at node {stuck}"
        )
    return labels


def _starts(start: ArrayLike | None, n_samples: int, n_nodes: int, n: int) -> np.ndarray:
    if start is None:
        return np.zeros((n_samples, n_nodes), dtype=np.int64)
    start = checks.typed_array("start", start, "iu", "whole numbers")
    if start.shape not in ((n_nodes,), (n_samples, n_nodes)):
        raise ShapeError(f"start has shape {start.shape}; it needs {(n_nodes,)} or {(n_samples, n_nodes)}")
    flat = checks.states("start", start.reshape(-1), start.size, n)
    return np.broadcast_to(flat.reshape(start.shape), (n_samples, n_nodes)).copy()  # a writable copy


def _pad_weights(unary: np.ndarray, pairwise: np.ndarray, table: graph.Adjacency, width: Width) -> _Products:
    """Exponentials, with states of weight 0 up to a width."""
    n = unary.shape[1]
    weights = pad_states(np.exp(unary - unary.max(axis=1, keepdims=True)), width, 1, 0.0)
    tables = np.zeros((2 * len(pairwise) + 1, len(width), len(width)))
    tables[-1] = 1.0
    if pairwise.size:
        factors = np.exp(pairwise - pairwise.max())
        tables[:-1:2, :n, :n], tables[1:-1:2, :n, :n] = factors.transpose(0, 2, 1), factors
    other, which = _fours(*table, max(len(tables) - 1, 1), len(tables) - 1)
    return _Products(weights, tables, other, which)


@kernel
def _uniform(state: np.ndarray, s: int) -> float:
    """A double in [0, 1) from lane s, whose state advances."""
    state[s] += _GAMMA
    z = state[s]
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    z = z ^ (z >> _S31)
    return float(z >> _S11) * (1.0 / 9007199254740992.0)


@kernel
def _fours(
    start: np.ndarray, neighbour: np.ndarray, outgoing: np.ndarray, n_tables: int, blank: int
) -> tuple[np.ndarray, np.ndarray]:
    """Each node's at most four neighbours and their tables, padded with the table `blank`, all ones."""
    n_nodes = len(start) - 1
    other, which = np.zeros((n_nodes, 4), dtype=np.int64), np.full((n_nodes, 4), blank)
    for i in range(n_nodes):
        for q in range(start[i], start[i + 1]):
            other[i, q - start[i]], which[i, q - start[i]] = neighbour[q], outgoing[q] % n_tables
    return other, which


@kernel
def _sample_products(
    width: Width,
    n_states: int,
    products: _Products,
    state: np.ndarray,
    n_sweeps: int,
    labels: np.ndarray,
    is_fresh: bool,
) -> int:
    """Fill labels (S, N) by multiplying exponentials, at most four neighbours per node.

    `width` is a tuple as long as the padded number of states: its length is known to the compiler, which then
    keeps a node's whole distribution in registers: 3.8 times as fast as `_sample_logs` on 11 x 11 x 8. Lanes
    are chains run side by side, so that the arithmetic of one hides the latency of another.
    """
    unary, tables, other, which = products
    n_nodes, n = len(unary), len(width)
    out = np.empty(n)
    y = np.zeros((n_nodes, _LANES), dtype=np.int64)
    for begin in range(0, len(labels), _LANES):
        lanes = min(_LANES, len(labels) - begin)
        for s in range(lanes):
            for i in range(n_nodes):
                y[i, s] = int(_uniform(state, begin + s) * n_states) if is_fresh else labels[begin + s, i]
        for _ in range(n_sweeps):
            for i in range(n_nodes):
                t0, t1, t2, t3 = which[i, 0], which[i, 1], which[i, 2], which[i, 3]
                j0, j1, j2, j3 = other[i, 0], other[i, 1], other[i, 2], other[i, 3]
                for s in range(lanes):
                    y0, y1, y2, y3 = y[j0, s], y[j1, s], y[j2, s], y[j3, s]
                    for k in range(n):
                        pair = tables[t0, y0, k] * tables[t1, y1, k]
                        out[k] = unary[i, k] * pair * (tables[t2, y2, k] * tables[t3, y3, k])
                    acc = 0.0
                    for k in range(n):
                        acc += out[k]
                        out[k] = acc
                    target = _uniform(state, begin + s) * acc
                    k = 0
                    # Counted, not searched: a search ends at random, which no processor can predict.
                    for q in range(n):
                        k += out[q] <= target
                    # The target may round up to the whole sum; then the last state of any weight is drawn.
                    if k == n:
                        k = _last_possible(out)
                    y[i, s] = k
        for s in range(lanes):
            for i in range(n_nodes):
                labels[begin + s, i] = y[i, s]
    return -1


@kernel
def _sample_logs(
    unary: np.ndarray,
    tables: np.ndarray,
    table: graph.Adjacency,
    state: np.ndarray,
    n_sweeps: int,
    labels: np.ndarray,
    is_fresh: bool,
) -> int:
    """Fill labels (S, N) at any scale and degree; returns -1, or the node at which a chain is stuck."""
    start, neighbour, outgoing = table
    n_nodes, n_states = unary.shape
    out = np.empty(n_states)
    for s in range(len(labels)):
        if is_fresh:
            for i in range(n_nodes):
                labels[s, i] = int(_uniform(state, s) * n_states)
        for _ in range(n_sweeps):
            for i in range(n_nodes):
                out[:] = unary[i]
                for q in range(start[i], start[i + 1]):
                    t, j = outgoing[q] % len(tables), labels[s, neighbour[q]]
                    for k in range(n_states):
                        out[k] += tables[t, j, k]
                top, acc = out.max(), 0.0
                if top == -np.inf:
                    return i
                for k in range(n_states):
                    acc += np.exp(out[k] - top)
                    out[k] = acc
                target = _uniform(state, s) * acc
                k = 0
                while k < n_states and out[k] <= target:
                    k += 1
                labels[s, i] = k if k < n_states else _last_possible(out)
    return -1


@kernel
def _last_possible(cumulated: np.ndarray) -> int:
    """The last state of positive weight, for a target that rounding has moved past the end."""
    k = len(cumulated) - 1
    while k > 0 and cumulated[k - 1] == cumulated[k]:
        k -= 1
    return k
