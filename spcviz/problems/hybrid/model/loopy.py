r"""SPC-pi on loopy graphs (thesis 8.1.2): an ensemble that grows by one tree with each factor.

The grids are small, with pairwise scores. The cheapest model is one comb of `spcviz.engine.graphs.grid`: all
nodes, and just enough edges to connect them. A factor is a block of 2 x 2 nodes with the scores of its four
edges, taken together: K^4 assignments. Adding a factor adds a sub-model in which the block is one node, exact
inside, connected to all other nodes by edges that the model has already. Sub-models share the scores of the
model's edges, as in (5.1),

.. math:: \psi(x, y) = \sum_p \psi_p(x, y), \qquad \psi^*(x, y_j) \le \sum_p \psi^*_p(x, y_j)

so with all blocks the model has all edges. The next block is the one whose nodes are most in doubt, that is,
the two best of their summed max-marginals are closest to each other, or a random one. The baseline is all
combs of the grid together, which need no new kind of tree. Exact results are computed row by row, with a
row's K^C labellings as the states of a chain.
"""

import itertools
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine.chains import chain
from spcviz.engine.graphs import ensemble, graph, grid, tree
from spcviz.problems.grids.fields import random_grid

SIDE, N_STATES, STRENGTH, N_GRIDS = 5, 3, 3.0, 60
ADDED = (0, 1, 2, 4, 8, 16)
SEED = 17


class Sub(NamedTuple):
    """A sub-model: its edges of the grid, and the block that is one of its nodes (None: a comb)."""

    has: np.ndarray
    block: tuple | None


def blocks(side):
    """Nodes of every 2 x 2 block of a square grid, (upper left, upper right, lower left, lower right).

    >>> blocks(3)[:2]
    [(0, 1, 3, 4), (1, 2, 4, 5)]
    """
    firsts = [side * r + c for r in range(side - 1) for c in range(side - 1)]
    return [(i, i + 1, i + side, i + side + 1) for i in firsts]


def block_sub(side: int, block: tuple[int, ...], there: np.ndarray):
    """A block's sub-model: its four edges and, breadth first from it, edges that the model has (`there`)."""
    edges = graph.grid_edges(side, side)
    has, reached, is_grown = np.isin(edges, block).all(axis=1), set(block), True
    while is_grown:
        is_grown, begun = False, set(reached)
        for e, (i, j) in enumerate(edges.tolist()):
            if there[e] and (i in begun) != (j in begun) and not {i, j} <= reached:
                has[e], is_grown = True, True
                reached |= {i, j}
    return Sub(has, block)


def combs(side):
    """The combs of a grid as sub-models."""
    return [Sub(has, None) for has in grid.comb_membership(side, side)]


def max_marginals(subs: Sequence[Sub], unary: np.ndarray, pairwise: np.ndarray, side: int):
    """(best (P,), node max-marginals (P, N, K)) of sub-models that share a grid's scores."""
    edges, times = graph.grid_edges(side, side), np.sum([sub.has for sub in subs], axis=0)
    unary, pairwise = unary / len(subs), pairwise / np.maximum(times, 1)[:, None, None]
    bests, nodes = zip(*(_of_sub(sub, unary, edges, pairwise) for sub in subs))
    return np.array(bests), np.stack(nodes)


def _of_sub(sub, unary, edges, pairwise):
    """`tree.node_max_marginals` of a sub-model: a block's assignments are the states of one node."""
    (n, n_states), block = unary.shape, sub.block
    if block is None:
        return tree.node_max_marginals(unary, edges[sub.has], pairwise[sub.has])
    states = np.array(list(itertools.product(range(n_states), repeat=len(block))))
    others = [i for i in range(n) if i not in block]
    place = {node: 1 + i for i, node in enumerate(others)} | dict.fromkeys(block, 0)
    merged = np.full((len(others) + 1, len(states)), -np.inf)
    merged[0] = sum(unary[node][states[:, i]] for i, node in enumerate(block))
    merged[1:, :n_states] = unary[others]
    outside, tables = [], []
    for e in np.flatnonzero(sub.has):
        i, j = edges[e].tolist()
        if place[i] == place[j] == 0:
            merged[0] += pairwise[e][states[:, block.index(i)], states[:, block.index(j)]]
            continue
        table = np.zeros((len(states), len(states)))
        rows, columns = (
            np.arange(n_states) if place[node] else states[:, block.index(node)] for node in (i, j)
        )
        table[: len(rows), : len(columns)] = pairwise[e][np.ix_(rows, columns)]
        outside.append((place[i], place[j]))
        tables.append(table)
    best, marginals = tree.node_max_marginals(merged, np.array(outside), np.array(tables))
    node = np.empty((n, n_states))
    node[others] = marginals[1:, :n_states]
    for i, member in enumerate(block):
        node[member] = [marginals[0][states[:, i] == k].max() for k in range(n_states)]
    return best, node


def exact(instance):
    """(best score, node max-marginals (N, K), the best labelling) of a small grid."""
    _, columns, n_states = instance.unary.shape
    states = np.array(list(itertools.product(range(n_states), repeat=columns)))
    at, pairs = np.arange(columns), (states[:, None], states[None, :])
    steps = np.arange(columns - 1), states[:, :-1], states[:, 1:]
    by_row = zip(instance.unary, instance.across)
    unary = np.stack([row[at, states].sum(axis=1) + across[steps].sum(axis=1) for row, across in by_row])
    down = np.stack([scores[(at[None, None], *pairs)].sum(axis=2) for scores in instance.down])
    marginals = chain.max_marginals(unary, down, edges=False)
    is_at = [[states[:, c] == k for k in range(n_states)] for c in range(columns)]
    node = np.array([[row[is_k].max() for is_k in masks] for row in marginals.unary for masks in is_at])
    return float(marginals.best), node, states[marginals.unary.argmax(axis=1)].ravel()


def measure(seed):
    """Measure the ensemble on one grid after each number of added trees, in both orders, and all combs."""
    rng = np.random.default_rng([SEED, seed])
    instance = random_grid(rng, SIDE, SIDE, N_STATES, STRENGTH)
    _, _, labels = exact(instance)
    unary, _, pairwise = grid.as_graph(*instance)
    out = []
    for how in ("doubt", "chance"):
        subs, left = combs(SIDE)[:1], blocks(SIDE)
        for n in range(max(ADDED) + 1):
            bests, node, ms = _time_marginals(subs, unary, pairwise)
            if n in ADDED:
                out.append({"how": how, "added": n, "ms": ms} | _figures(bests, node, labels))
            if left:
                block = left.pop(_next(how, left, node, rng))
                subs.append(block_sub(SIDE, block, np.any([sub.has for sub in subs], axis=0)))
    bests, node, ms = _time_marginals(combs(SIDE), unary, pairwise)
    return [*out, {"how": "all combs", "added": 0, "ms": ms} | _figures(bests, node, labels)]


def _next(how, left, node, rng):
    """Index of the next block among those that are left."""
    if how == "chance":
        return int(rng.integers(len(left)))
    best = np.sort(node.sum(axis=0), axis=1)
    margin = best[:, -1] - best[:, -2]
    return int(np.argmin([sum(margin[i] for i in block) for block in left]))


def _time_marginals(subs, unary, pairwise):
    begun = time.process_time()
    bests, node = max_marginals(subs, unary, pairwise, SIDE)
    return bests, node, 1e3 * (time.process_time() - begun)


def _figures(bests, node, labels):
    """How near an ensemble comes to the grid's best labelling, and what a filter at the mean leaves."""
    kept = ensemble.filter_states(bests, node, 0.0).keep
    return {
        "right": 100 * float((node.sum(axis=0).argmax(axis=1) == labels).mean()),
        "kept": 100 * float(kept.mean()),
        "lost": 100 * float((~kept[np.arange(len(labels)), labels]).mean()),
    }


def table(n_grids: int = N_GRIDS) -> list[dict]:
    """Means over grids and their standard errors, in percent of nodes or states.

    ``right``: nodes whose best state is that of the grid's best labelling; ``kept``: states that a filter at
    the mean leaves; ``lost``: nodes whose state in the best labelling it prunes.
    """
    measure(0)  # compilation must not be timed
    done = [measure(seed) for seed in range(n_grids)]
    out = []
    for i, first in enumerate(done[0]):
        row = {"how": first["how"], "added": first["added"], "grids": n_grids}
        for name in ("right", "kept", "lost", "ms"):
            values = [grids[i][name] for grids in done]
            row |= {name: float(np.mean(values)), f"{name}_se": float(np.std(values) / np.sqrt(n_grids))}
        out.append(row)
    return out
