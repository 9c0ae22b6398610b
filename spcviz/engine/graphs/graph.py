r"""Graphs as arrays: checked edges, neighbours, rooted forests, and the edges of a grid.

A graph on nodes 0 .. N - 1 is its ``edges``, shape (E, 2). Edge e = (a, b) stands for two *directed*
edges: ``2 e`` from a to b and ``2 e + 1`` from b to a, so ``d ^ 1`` reverses d and ``d >> 1`` is its
edge. Neighbours are a compressed table: node i's are ``neighbour[start[i] : start[i + 1]]``, reached
from i by the directed edges ``outgoing[start[i] : start[i + 1]]``, in the order of the edges.

A grid of R x C nodes numbers node (r, c) as ``r C + c`` and its edges the R (C - 1) horizontal ones
first, row by row, then the (R - 1) C vertical ones, row by row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, CycleError, ShapeError
from spcviz.engine.kernels.jit import kernel


class Adjacency(NamedTuple):
    """Neighbours of every node; see the module's opening.

    `start` (N + 1,), `neighbour` (2 E,), `outgoing` (2 E,): the directed edge to the neighbour at the same
    index; int64.
    """

    start: np.ndarray
    neighbour: np.ndarray
    outgoing: np.ndarray


class Rooted(NamedTuple):
    """A forest with parents: breadth first, so the children of a node are adjacent in `order`.

    All (N,), int64. `order`: nodes, every parent before its children, trees one after the other. `parent`: -1
    at a root. `towards`: directed edge from the parent to the node, -1 at a root. `root` of the node's tree.
    """

    order: np.ndarray
    parent: np.ndarray
    towards: np.ndarray
    root: np.ndarray


def checked_edges(edges: ArrayLike, n_nodes: int) -> np.ndarray:
    """`edges` as an int64 array (E, 2) without self-loops, all ends from 0 to n_nodes - 1.

    `ShapeError` if not of this shape; `ArgumentError` if not whole numbers, an end is out of range, or both
    ends are the same.

    >>> checked_edges([[0, 1], [1, 2]], 3).shape
    (2, 2)
    """
    n_nodes = checks.integer("n_nodes", n_nodes, 0, 2**31)
    array = checks.typed_array("edges", edges, "iu", "whole numbers")
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ShapeError(f"edges has shape {array.shape}; it needs (E, 2)")
    array = np.ascontiguousarray(array, dtype=np.int64)
    bad = _first_bad_edge(array, n_nodes)
    if bad >= 0:
        pair = tuple(int(i) for i in array[bad])
        raise ArgumentError(f"edges[{bad}] must join two different nodes from 0 to {n_nodes - 1}, got {pair}")
    return array


def checked_graph(
    unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike, *, cycles: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three arrays of a pairwise graph, checked and converted: (unary, edges, pairwise).

    Returns `pairwise` (E, K, K), or (1, K, K) when one table serves all. Raises `ShapeError`, `ScoreError`,
    `ArgumentError`.

    Parameters
    ----------
    unary : array_like, shape (N, K)
    edges : array_like of int, shape (E, 2)
    pairwise : array_like, shape (E, K, K) or (K, K)
        ``[e, state of edges[e, 0], state of edges[e, 1]]``; (K, K) serves every edge.
    cycles : bool
        True: cycles are allowed but two edges must not join the same nodes.

    Examples
    --------
    >>> [a.shape for a in checked_graph(np.zeros((2, 3)), [[0, 1]], np.zeros((3, 3)))]
    [(2, 3), (1, 2), (1, 3, 3)]
    """
    unary = checks.scores("unary", unary, 2)
    if 0 in unary.shape:
        raise ShapeError(f"unary has shape {unary.shape}; it needs at least one node and one state")
    edges = checked_edges(edges, len(unary))
    pairwise = checks.scores("pairwise", pairwise, (2, 3))
    n = unary.shape[1]
    shape = pairwise.shape
    pairwise = pairwise[None] if pairwise.ndim == 2 else pairwise
    if pairwise.shape not in ((1, n, n), (len(edges), n, n)):
        raise ShapeError(
            f"pairwise has shape {shape}; unary {unary.shape} and edges {edges.shape} need "
            f"{(len(edges), n, n)} or {(n, n)}"
        )
    if cycles:
        twin = _first_twin(build_adjacency(len(unary), edges))
        if twin >= 0:
            pair = tuple(int(i) for i in edges[twin])
            raise ArgumentError(f"edges[{twin}] must not join nodes already joined, got {pair} again")
    return unary, edges, pairwise


def adjacency(n_nodes: int, edges: ArrayLike) -> Adjacency:
    """Neighbours of every node; `edges` and errors as in `checked_edges`.

    >>> table = adjacency(3, [[0, 1], [1, 2]])
    >>> table.neighbour[table.start[1] : table.start[2]]
    array([0, 2])
    """
    n_nodes = checks.integer("n_nodes", n_nodes, 1, 2**31)
    return Adjacency(*build_adjacency(n_nodes, checked_edges(edges, n_nodes)))


def root_forest(n_nodes: int, edges: ArrayLike, root: int = 0) -> Rooted:
    """A forest as parents and children.

    `root` is the root of its own tree; the other trees are rooted at their smallest node. `CycleError`, which
    names the cycle, if the graph is not a forest; `edges` and other errors as in `checked_edges`.

    >>> root_forest(3, [[1, 0], [2, 1]]).parent
    array([-1,  0,  1])
    >>> root_forest(3, [[0, 1], [1, 2], [2, 0]])
    Traceback (most recent call last):
    spcviz.engine.errors.CycleError: edges must form a tree or forest, got the cycle 0 - 1 - 2 - 0
    """
    n_nodes = checks.integer("n_nodes", n_nodes, 1, 2**31)
    edges = checked_edges(edges, n_nodes)
    return forest(n_nodes, edges, checks.integer("root", root, 0, n_nodes - 1))


def forest(n_nodes: int, edges: np.ndarray, root: int = 0, name: str = "edges") -> Rooted:
    """`root_forest` for arguments that are already checked."""
    tree = Rooted(*_root_tree(n_nodes, edges, root))
    if len(edges) != n_nodes - np.count_nonzero(tree.parent == -1):
        raise CycleError(_cycle(edges, tree.parent, tree.towards), name)
    return tree


def grid_edges(rows: int, columns: int) -> np.ndarray:
    """Edges of an R x C grid, (R (C - 1) + (R - 1) C, 2) int64: horizontal ones first, then vertical ones.

    Left before right, upper before lower. `ArgumentError` unless both are 1 .. 10,000.

    >>> grid_edges(2, 2).tolist()
    [[0, 1], [2, 3], [0, 2], [1, 3]]
    """
    rows, columns = checks.integer("rows", rows, 1, 10_000), checks.integer("columns", columns, 1, 10_000)
    node = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    down = np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)
    return np.concatenate([across, down])


def _cycle(edges: np.ndarray, parent: np.ndarray, towards: np.ndarray) -> tuple[int, ...]:
    """Nodes of one cycle: the first edge outside the spanning forest, closed through the parents."""
    used = np.zeros(len(edges), dtype=bool)
    used[towards[towards >= 0] >> 1] = True
    a, b = (int(i) for i in edges[np.flatnonzero(~used)[0]])
    up = [a]
    while parent[up[-1]] >= 0:
        up.append(int(parent[up[-1]]))
    down = [b]
    while down[-1] not in up:
        down.append(int(parent[down[-1]]))
    ring = up[: up.index(down[-1])] + down[::-1]  # a .. meeting node .. b
    at = ring.index(min(ring))
    ring = ring[at:] + ring[:at]
    if len(ring) > 2 and ring[1] > ring[-1]:
        ring = ring[:1] + ring[:0:-1]
    return (*ring, ring[0])


@kernel
def _first_bad_edge(edges: np.ndarray, n_nodes: int) -> int:
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        if a == b or not (0 <= a < n_nodes and 0 <= b < n_nodes):
            return e
    return -1


@kernel
def build_adjacency(n_nodes: int, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    start = np.zeros(n_nodes + 1, dtype=np.int64)
    for e in range(len(edges)):
        start[edges[e, 0] + 1] += 1
        start[edges[e, 1] + 1] += 1
    for i in range(n_nodes):
        start[i + 1] += start[i]
    fill = start[:-1].copy()
    neighbour = np.empty(2 * len(edges), dtype=np.int64)
    outgoing = np.empty(2 * len(edges), dtype=np.int64)
    for e in range(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        neighbour[fill[a]], outgoing[fill[a]] = b, 2 * e
        neighbour[fill[b]], outgoing[fill[b]] = a, 2 * e + 1
        fill[a] += 1
        fill[b] += 1
    return start, neighbour, outgoing


@kernel
def _first_twin(table: tuple[np.ndarray, np.ndarray, np.ndarray]) -> int:
    """The first edge that joins two nodes already joined, or -1."""
    start, neighbour, outgoing = table
    n_nodes = len(start) - 1
    seen = np.full(n_nodes, -1, dtype=np.int64)
    for i in range(n_nodes):
        for q in range(start[i], start[i + 1]):
            if seen[neighbour[q]] == i:
                return outgoing[q] >> 1
            seen[neighbour[q]] = i
    return -1


@kernel
def _root_tree(
    n_nodes: int, edges: np.ndarray, root: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    start, neighbour, outgoing = build_adjacency(n_nodes, edges)
    order = np.empty(n_nodes, dtype=np.int64)
    parent = np.full(n_nodes, -2, dtype=np.int64)  # -2: not reached
    towards = np.full(n_nodes, -1, dtype=np.int64)
    roots = np.empty(n_nodes, dtype=np.int64)
    head, tail, following = 0, 0, -1
    while tail < n_nodes:
        new = root
        while parent[new] != -2:
            following += 1
            new = following
        parent[new], roots[new], order[tail] = -1, new, new
        tail += 1
        while head < tail:
            i = order[head]
            head += 1
            for q in range(start[i], start[i + 1]):
                j = neighbour[q]
                if parent[j] == -2:
                    parent[j], towards[j], roots[j], order[tail] = i, outgoing[q], roots[i], j
                    tail += 1
    return order, parent, towards, roots
