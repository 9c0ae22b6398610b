"""A factor graph, and the results of searching it or eliminating its variables."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError

Scope = tuple[int, ...]
"""A restriction set: the variables of a table."""


class FactorGraph(NamedTuple):
    """A score as a sum of tables.

    `n_states` of each of D variables; `scopes`, the restriction sets: variables of each table, all different;
    ``tables[r][states of scopes[r]]``: scores; -inf forbids.
    """

    n_states: tuple[int, ...]
    scopes: tuple[Scope, ...]
    tables: tuple[np.ndarray, ...]


class Found(NamedTuple):
    """The result of exhaustive search: labels (D,), int64; ties go to the first in dictionary order.

    `n_configurations` were visited: the product of the numbers of states.
    """

    score: float
    labels: np.ndarray
    n_configurations: int


class Step(NamedTuple):
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

    `n_entries` candidates were compared: the sum of the sizes of all `Step.candidates`.
    """

    score: float
    labels: np.ndarray
    steps: tuple[Step, ...]
    n_entries: int


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
