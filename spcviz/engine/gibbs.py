r"""Gibbs sampling: labellings drawn from p(y) proportional to exp(psi(y)) on any pairwise graph.

A sweep visits the nodes in order and draws each from its distribution given its neighbours,

.. math:: p(y_i = k \mid y_{-i}) \propto \exp\Big( u_i(k) + \sum_{j \sim i} p_{ij}(k, y_j) \Big)

Every sample starts its own chain afresh and takes its last state, so samples are independent given the
number of sweeps (which must be enough to mix). Random numbers come from one 64-bit seed a sample, through
SplitMix64:

.. math:: s \leftarrow s + \gamma, \quad z = \operatorname{mix}(s), \quad u = \lfloor z / 2^{11} \rfloor 2^{-53}

so a sample depends on its seed alone, however the samples are divided among calls and threads.
"""

import numpy as np

from spcviz.engine import checks, graph, tree
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.jit import kernel

_LANES = 8  # chains walked side by side, so that one's arithmetic hides another's latency
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)


def seeds(rng, n_samples):
    """One seed a sample.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_samples : int
        0 .. 10,000,000.

    Returns
    -------
    ndarray, shape (n_samples,), uint64

    Raises
    ------
    ArgumentError

    Examples
    --------
    >>> seeds(np.random.default_rng(0), 3).dtype
    dtype('uint64')
    """
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    return rng.integers(0, 2**64, checks.integer("n_samples", n_samples, 0, 10_000_000), dtype=np.uint64)


def sample(unary, edges, pairwise, seeds, n_sweeps, start=None):
    """Draw one labelling a seed, each from its own chain of `n_sweeps` sweeps.

    Parameters
    ----------
    unary : array_like, shape (N, K)
    edges : array_like of int, shape (E, 2)
        Cycles welcome; no two edges between the same nodes.
    pairwise : array_like, shape (E, K, K) or (K, K)
        ``[e, state of edges[e, 0], state of edges[e, 1]]``; a (K, K) array serves every edge.
    seeds : array_like of uint64, shape (S,)
        As from `seeds`.
    n_sweeps : int
        0 .. 10,000,000 sweeps over all nodes; 0 returns the start.
    start : array_like of int, shape (N,) or (S, N), optional
        Where the chains start; each state uniform at random by default.

    Returns
    -------
    ndarray, shape (S, N), int64

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
    InfeasibleError
        If a node has no state of finite score, or a chain reaches a node whose states are all forbidden
        by its neighbours' (possible with -inf scores; pass a `start` of finite score then).

    Notes
    -----
    With -inf scores a chain may be unable to leave a part of the labellings: single-site moves only.

    References
    ----------
    Weiss (2013), thesis, section 5.5.1: 1000 samples, each from a chain restarted for 1000 iterations.

    Examples
    --------
    >>> found = sample([[0.0, 50.0]], [], np.zeros((2, 2)), seeds(np.random.default_rng(0), 2), 1)
    >>> found.tolist()
    [[1], [1]]
    """
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise)
    n_nodes, n = unary.shape
    seeds = np.asarray(seeds)
    if seeds.ndim != 1 or (seeds.size and seeds.dtype != np.uint64):
        raise ShapeError(f"seeds has shape {seeds.shape} and dtype {seeds.dtype}; it needs (S,) of uint64")
    n_sweeps = checks.integer("n_sweeps", n_sweeps, 0, 10_000_000)
    dead = np.flatnonzero(np.isneginf(unary).all(axis=1))
    if len(dead):
        raise InfeasibleError(f"every labelling has score -inf: all {n} states are dead at node {dead[0]}")
    labels = _starts(start, len(seeds), n_nodes, n)
    table = graph.adjacency(n_nodes, edges)
    tame = tree.is_tame(unary, pairwise, int(np.diff(table.start).max()))
    if tame:
        unary = np.exp(unary - unary.max(axis=1, keepdims=True))
        pairwise = np.exp(pairwise - pairwise.max()) if pairwise.size else pairwise
    tables = np.empty((2 * len(pairwise), n, n))  # [d, neighbour's state, own state], d leaving the node
    tables[::2], tables[1::2] = pairwise.transpose(0, 2, 1), pairwise
    state = seeds.astype(np.uint64)
    stuck = _sample(unary, tables, *table, state, n_sweeps, labels, start is None, tame)
    if stuck >= 0:
        raise InfeasibleError(
            f"start must leave every node a state of finite score, got a chain stuck at node {stuck}"
        )
    return labels


def _starts(start, n_samples, n_nodes, n):
    if start is None:
        return np.zeros((n_samples, n_nodes), dtype=np.int64)
    start = np.asarray(start)
    if start.shape not in ((n_nodes,), (n_samples, n_nodes)):
        raise ShapeError(f"start has shape {start.shape}; it needs {(n_nodes,)} or {(n_samples, n_nodes)}")
    flat = checks.states("start", start.reshape(-1), start.size, n)
    return np.ascontiguousarray(np.broadcast_to(flat.reshape(start.shape), (n_samples, n_nodes)))


@kernel
def _uniform(state, s):
    """A double in [0, 1) from lane s, which moves on."""
    state[s] += _GAMMA
    z = state[s]
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    z = z ^ (z >> _S31)
    return float(z >> _S11) * (1.0 / 9007199254740992.0)


@kernel
def _weights(i, y, unary, tables, start, neighbour, outgoing, tame, out):
    """Fill `out` with the unnormalised conditional of node i; returns its sum."""
    n = len(out)
    for k in range(n):
        out[k] = unary[i, k]
    for q in range(start[i], start[i + 1]):
        row = tables[outgoing[q] % len(tables), y[neighbour[q]]]
        if tame:
            for k in range(n):
                out[k] *= row[k]
        else:
            for k in range(n):
                out[k] += row[k]
    if not tame:
        top = out.max()
        for k in range(n):
            out[k] = np.exp(out[k] - top) if top > -np.inf else 0.0
    acc = 0.0
    for k in range(n):
        acc += out[k]
    return acc


@kernel
def _sample(unary, tables, start, neighbour, outgoing, state, n_sweeps, labels, is_fresh, tame):
    """Fill labels (S, N); returns -1, or the node at which a chain is stuck."""
    n_nodes, n = unary.shape
    out = np.empty((_LANES, n))
    for first in range(0, len(labels), _LANES):
        last = min(first + _LANES, len(labels))
        if is_fresh:
            for s in range(first, last):
                for i in range(n_nodes):
                    labels[s, i] = int(_uniform(state, s) * n)
        for _ in range(n_sweeps):
            for i in range(n_nodes):
                for s in range(first, last):
                    row = out[s - first]
                    acc = _weights(i, labels[s], unary, tables, start, neighbour, outgoing, tame, row)
                    if not acc > 0.0:
                        return i
                    left = _uniform(state, s) * acc
                    k = 0
                    while left >= row[k] and k < n - 1:
                        left -= row[k]
                        k += 1
                    while row[k] == 0.0:  # rounding ran past the last possible state
                        k -= 1
                    labels[s, i] = k
    return -1
