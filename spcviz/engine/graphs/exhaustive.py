r"""Factor graphs: variable elimination and exhaustive search over their tables, with costs counted.

A score over D variables with K_d states each is a sum of tables over restriction sets (lecture 12, eq. 6),

.. math:: F(y) = \sum_{r \in R} f_r(y_r), \qquad y^* = \operatorname{argmax}_y F(y)

Exhaustive search visits all :math:`\prod_d K_d` configurations. Elimination takes one variable at a time:
it adds up the tables that hold it and maximises over it, which leaves a message, a table over the rest; the
variables of such a sum are a clique of a junction tree. On a tree, eliminated from the leaves, every such
clique has at most two variables: D K^2 entries in all.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.inputs import checked_chain
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import copy

Scope = tuple[int, ...]
"""A restriction set: the variables of a table."""

MAX_CONFIGURATIONS = 500_000_000
"""Most configurations that exhaustive search visits."""

_MAX_MESSAGE = 20_000_000
"""Most entries of a sum of tables in one elimination."""


class FactorGraph(NamedTuple):
    """A score as a sum of tables.

    `n_states` of each of D variables; `scopes`, the restriction sets: variables of each table, all different;
    ``tables[r][states of scopes[r]]``: scores; -inf forbids.
    """

    n_states: tuple[int, ...]
    scopes: tuple[Scope, ...]
    tables: tuple[np.ndarray, ...]


class BestConfiguration(NamedTuple):
    """The result of exhaustive search: labels (D,), int64; ties go to the first in dictionary order.

    `n_configurations` were visited: the product of the numbers of states.
    """

    score: float
    labels: np.ndarray
    n_configurations: int


class Elimination(NamedTuple):
    """One elimination, with every max that it takes.

    - `variable`: the one maximised over
    - `scope`: variables of the message that is left, in rising order
    - `joined`: scopes of the tables and messages that were added up
    - `candidates` (states of scope ..., K of variable): the sum, before the max
    - `message` (states of scope ...)
    - `choice` (states of scope ...), int64: the maximising state; ties go to the smallest
    """

    variable: int
    scope: Scope
    joined: tuple[Scope, ...]
    candidates: np.ndarray
    message: np.ndarray
    choice: np.ndarray


class Eliminated(NamedTuple):
    """The result of dynamic programming, labels (D,), int64, and its steps.

    `n_entries` candidates were compared: the sum of the sizes of all `Elimination.candidates`.
    """

    score: float
    labels: np.ndarray
    steps: tuple[Elimination, ...]
    n_entries: int


def factor_graph(
    n_states: Iterable[int], scopes: Iterable[Iterable[int]], tables: Iterable[ArrayLike]
) -> FactorGraph:
    """A checked factor graph.

    Raises `ShapeError`, `ScoreError`, `ArgumentError`. Lecture 12, equations (4), (6), (7).

    Parameters
    ----------
    n_states : sequence of int
        K_d of each variable, 1 .. 100,000.
    scopes : sequence of sequence of int
        Restriction sets. A variable in none of them is free: any state will do.
    tables : sequence of array_like
        One per scope, of shape ``[n_states[d] for d in scope]``.

    Examples
    --------
    >>> word = factor_graph([2, 2], [[0], [0, 1]], [[0.0, 1.0], np.eye(2)])
    >>> stored_entries(word.n_states, word.scopes)
    6
    """
    n_states = checked_states(n_states)
    scopes, tables = checked_scopes(scopes, len(n_states)), checks.as_tuple("tables", tables)
    if len(tables) != len(scopes):
        raise ShapeError(f"tables has length {len(tables)}; scopes needs {len(scopes)}")
    done = []
    for r, (scope, table) in enumerate(zip(scopes, tables)):
        table = checks.scores(f"tables[{r}]", table, len(scope))
        wanted = tuple(n_states[d] for d in scope)
        if table.shape != wanted:
            raise ShapeError(f"tables[{r}] has shape {table.shape}; scope {scope} needs {wanted}")
        done.append(table)
    return FactorGraph(n_states, scopes, tuple(done))


def chain_graph(unary: ArrayLike, pairwise: ArrayLike) -> FactorGraph:
    """A chain as restriction sets {0}, {1}, ..., {0, 1}, {1, 2}, ... Arguments as in `chain.decode`.

    >>> graph = chain_graph(np.zeros((4, 26)), np.zeros((26, 26)))
    >>> stored_entries(graph.n_states, graph.scopes), n_configurations(graph.n_states)
    (2132, 456976)
    """
    unary, pairwise = checked_chain(unary, pairwise)
    length, n = unary.shape
    scopes = [(i,) for i in range(length)] + [(i, i + 1) for i in range(length - 1)]
    steps = [pairwise[i % len(pairwise)] for i in range(length - 1)]
    return FactorGraph((n,) * length, tuple(scopes), (*unary, *steps))


def n_configurations(n_states: Iterable[int]) -> int:
    """The number of configurations, as an exact int of any size. Raises `ArgumentError`.

    >>> n_configurations([26] * 8)
    208827064576
    """
    return math.prod(checked_states(n_states))


def stored_entries(n_states: Iterable[int], scopes: Iterable[Iterable[int]]) -> int:
    """Numbers stored by a decomposition: the sum of the sizes of its tables.

    Raises `ArgumentError`. Lecture 12, section 3.3.3: 3 x 26^2 + 4 x 26 = 2132 against 26^4 = 456,976.

    >>> stored_entries([26] * 4, [[0], [1], [2], [3], [0, 1], [1, 2], [2, 3]])
    2132
    >>> stored_entries([26] * 4, [[0, 1, 2, 3]])
    456976
    """
    n_states = checked_states(n_states)
    return sum(math.prod(n_states[d] for d in scope) for scope in checked_scopes(scopes, len(n_states)))


def search(graph: FactorGraph, cap: int = 10_000_000) -> BestConfiguration:
    """Exhaustive search: every configuration visited, the best kept.

    `ArgumentError`, which gives their number, if there are more than `cap`, itself at most 500 million;
    `InfeasibleError` if every configuration scores -inf. Lecture 12, section 5.1.

    >>> search(factor_graph([2, 2], [[0], [0, 1]], [[0.0, 1.0], np.eye(2)]))
    BestConfiguration(score=2.0, labels=array([1, 1]), n_configurations=4)
    """
    checks.of_own_type("graph", graph, FactorGraph)
    cap = checks.integer("cap", cap, 1, MAX_CONFIGURATIONS)
    count = n_configurations(graph.n_states)
    if count > cap:
        shown = str(count) if count < 10**15 else f"about 10^{len(str(count)) - 1}"
        raise ArgumentError(f"cap must be at least the number of configurations {shown}, got {cap}")
    offsets, strides = _layout(graph)
    flat = np.concatenate([np.zeros(0), *(t.reshape(-1) for t in graph.tables)])
    labels = np.zeros(len(graph.n_states), dtype=np.int64)
    best, visited = _search(np.array(graph.n_states), flat, offsets, strides, labels)
    if best == -np.inf:
        raise InfeasibleError(f"every configuration of the {count} has score -inf")
    return BestConfiguration(float(best), labels, int(visited))


def eliminate(graph: FactorGraph, order: ArrayLike | None = None) -> Eliminated:
    """Dynamic programming: maximise over one variable after the other, then read the choices back.

    Lecture 12, section 5.2, equations (14) to (16).

    Parameters
    ----------
    order : sequence of int, optional
        Every variable once, in the order of elimination; 0, 1, 2, ... by default.

    Raises
    ------
    ArgumentError
        If `order` is not a permutation, or a step would need more than 20 million entries.
    InfeasibleError
        If every configuration scores -inf.

    Examples
    --------
    >>> graph = chain_graph([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]])
    >>> best = eliminate(graph)
    >>> best.score, best.labels, [step.scope for step in best.steps], best.n_entries
    (2.0, array([0, 0, 0]), [(1,), (2,), ()], 10)
    """
    n_variables = len(checks.of_own_type("graph", graph, FactorGraph).n_states)
    if order is None:
        order = range(n_variables)
    order = tuple(checks.whole_numbers("order", order, 0, n_variables - 1).tolist())
    if sorted(order) != list(range(n_variables)):
        raise ArgumentError(f"order must hold every variable 0 .. {n_variables - 1} once, got {order}")
    pool, steps = list(zip(graph.scopes, graph.tables)), []
    for variable in order:
        here = [(scope, table) for scope, table in pool if variable in scope]
        pool = [(scope, table) for scope, table in pool if variable not in scope]
        steps.append(_step(variable, here, graph.n_states))
        pool.append((steps[-1].scope, steps[-1].message))
    score = float(sum(table for _, table in pool))
    if score == -np.inf:
        raise InfeasibleError("every configuration has score -inf")
    labels = np.zeros(n_variables, dtype=np.int64)
    for step in reversed(steps):
        labels[step.variable] = step.choice[tuple(labels[list(step.scope)])]
    return Eliminated(score, labels, tuple(steps), sum(step.candidates.size for step in steps))


def scanlines(unary: ArrayLike, pairwise: ArrayLike) -> np.ndarray:
    """Stereo's dynamic programming: each row of an image as a separate chain.

    Returns (H, W), int64: best disparities, exact row by row. Raises `ShapeError`, `ScoreError`,
    `InfeasibleError`. Lecture 12, equation (11) and Fig. 8.

    Parameters
    ----------
    unary : array_like, shape (H, W, K)
        Matching score of each disparity at each pixel.
    pairwise : array_like, shape (K, K)
        Smoothness score of neighbouring disparities, left first.

    Examples
    --------
    >>> scanlines([[[0.0, 1.0], [0.5, 0.0]]], [[0.0, -1.0], [-1.0, 0.0]])
    array([[1, 1]])
    """
    unary = checks.scores("unary", unary, 3)
    rows, columns, n = unary.shape
    if 0 in unary.shape:
        raise ShapeError(f"unary has shape {unary.shape}; it needs at least one row, column and state")
    return chain.decode_batch(unary.reshape(-1, n), [columns] * rows, pairwise).labels.reshape(rows, columns)


def checked_states(n_states: Iterable[int]) -> tuple[int, ...]:
    n_states = checks.as_tuple("n_states", n_states)
    if not n_states:
        raise ArgumentError("n_states must name at least one variable, got ()")
    return tuple(checks.integer(f"n_states[{d}]", k, 1, 100_000) for d, k in enumerate(n_states))


def checked_scopes(scopes: Iterable[Iterable[int]], n_variables: int) -> tuple[Scope, ...]:
    done = []
    for r, scope in enumerate(checks.as_tuple("scopes", scopes)):
        scope = checks.as_tuple(f"scopes[{r}]", scope)
        scope = tuple(checks.integer(f"scopes[{r}]", d, 0, n_variables - 1) for d in scope)
        if not scope or len(set(scope)) != len(scope):
            raise ArgumentError(f"scopes[{r}] must hold different variables, got {scope}")
        done.append(scope)
    return tuple(done)


def _step(variable: int, here: list[tuple[Scope, np.ndarray]], n_states: tuple[int, ...]) -> Elimination:
    scope = tuple(sorted({d for s, _ in here for d in s} - {variable}))
    axes = (*scope, variable)
    shape = tuple(n_states[d] for d in axes)
    if math.prod(shape) > _MAX_MESSAGE:
        raise ArgumentError(
            f"order must keep every step under {_MAX_MESSAGE} entries, got {math.prod(shape)} for {variable}"
        )
    candidates = np.zeros(shape)
    for s, table in here:
        places = sorted(range(len(s)), key=lambda i: axes.index(s[i]))
        index = tuple(slice(None) if d in s else None for d in axes)
        candidates = candidates + table.transpose(places)[index]
    joined = tuple(s for s, _ in here)
    return Elimination(
        variable, scope, joined, candidates, candidates.max(axis=-1), candidates.argmax(axis=-1)
    )


def _layout(graph: FactorGraph) -> tuple[np.ndarray, np.ndarray]:
    """(offsets (R,), strides (R, D)): entry of table r is flat[offsets[r] + strides[r] . y]."""
    sizes = [table.size for table in graph.tables]
    offsets = np.concatenate([[0], np.cumsum(sizes)])[: len(sizes)].astype(np.int64)
    strides = np.zeros((len(sizes), len(graph.n_states)), dtype=np.int64)
    for r, scope in enumerate(graph.scopes):
        step = 1
        for d in reversed(scope):
            strides[r, d] = step
            step *= graph.n_states[d]
    return offsets, strides


@kernel
def _search(
    n_states: np.ndarray, flat: np.ndarray, offsets: np.ndarray, strides: np.ndarray, labels: np.ndarray
) -> tuple[float, int]:
    """(best, configurations visited); fills labels. The last variable changes fastest."""
    n_variables, n_tables = len(n_states), len(offsets)
    y = np.zeros(n_variables, dtype=np.int64)
    at = offsets.copy()
    best, visited = -np.inf, 0
    while True:
        value = 0.0
        for r in range(n_tables):
            value += flat[at[r]]
        visited += 1
        if value > best:
            best = value
            copy(y, labels)
        d = n_variables - 1
        # As in an odometer: only changed digits move `at`; most configurations cost one addition per table.
        while d >= 0 and y[d] == n_states[d] - 1:
            for r in range(n_tables):
                at[r] -= y[d] * strides[r, d]
            y[d] = 0
            d -= 1
        if d < 0:
            return best, visited
        y[d] += 1
        for r in range(n_tables):
            at[r] += strides[r, d]
