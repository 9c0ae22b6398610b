r"""Bolukbasi et al.'s Theorems 2.1 to 2.3 checked by enumeration: every state and policy, in whole numbers.

An example i in state S costs :math:`C_i(S) = \mathrm{Loss}_i(S) + \lambda c(S)`; a policy chooses a state for
each. With whole-number costs all sums are exact, and a theorem holds or does not, without a tolerance.

.. math::
    (1) \quad & \sum_i C_i(\pi(x_i)) \\
    2.1 \quad & \sum_i \sum_S (\max C_i - C_i(S))\, 1[\pi(x_i) \ne S] \\
    (2) \quad & \sum_i \left( W_i\, 1[\pi(x_i) \ne S^*_i] + C_i(S^*_i) \right),
      \qquad W_i = \max C_i - C_i(S^*_i), \quad S^*_i = \arg\min C_i

Theorem 2.1: the second equals the first up to a constant. 2.2: (2) is at least (1). 2.3 is 2.1 for one step
of an anytime policy, with S among the states that have one more part (`allowed`).

States of n parts are numbered by their bits: part r is bought in S iff bit r of S is set. `chosen` is (P, N):
the state that policy p chooses for example i.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError

MAX_POLICIES = 1_000_000


class Checked(NamedTuple):
    """Results of checking the theorems on every policy of a class."""

    n_policies: int
    n_unequal: int  # policies at which 2.1 (or 2.3) is not (1) plus the constant
    n_below: int  # policies at which (2) is less than (1)
    # least, least_by_sum, least_by_bound: the least (1) of all; the least (1) among the policies that
    # minimise 2.1 (or 2.3); the least (1) among those that minimise (2). The last is larger than the first
    # where the bound misleads
    least: int
    least_by_sum: int
    least_by_bound: int


def all_policies(options: Sequence[Sequence[int] | np.ndarray], groups: Sequence[int]) -> np.ndarray:
    """Every policy that treats the examples of a group alike, shape (P, N), int64.

    ``options`` are the states to choose from, for each group; ``groups`` gives each example's, 0 .. G - 1. An
    ArgumentError if there are more than `MAX_POLICIES`.

    Examples
    --------
    >>> all_policies([[0, 1], [2]], [0, 0, 1]).tolist()
    [[0, 0, 2], [1, 1, 2]]
    """
    count = int(np.prod([len(states) for states in options], dtype=float))
    if count > MAX_POLICIES:
        raise ArgumentError(f"options give {count} policies; at most {MAX_POLICIES} are enumerated")
    every = np.array(list(itertools.product(*options)), dtype=np.int64).reshape(count, len(options))
    return every[:, np.asarray(groups, dtype=np.int64)]


def risk(costs: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """(1) of every policy, shape (P,)."""
    return costs[np.arange(len(costs)), chosen].sum(axis=1)


def every_state_risk(costs: np.ndarray, chosen: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """Theorem 2.1's objective (2.3's with `allowed`, a (N, S) mask) of every policy, shape (P,)."""
    allowed = np.ones(costs.shape, dtype=bool) if allowed is None else allowed
    total = np.zeros(len(chosen), dtype=np.int64)
    for i, (state_costs, may) in enumerate(zip(costs, allowed)):
        states = np.flatnonzero(may)
        weights = state_costs[states].max() - state_costs[states]
        total += (weights * (chosen[:, i, None] != states)).sum(axis=1)
    return total


def pseudo_label_risk(costs: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """(2) of every policy, shape (P,); the first of equal states is the pseudo-label."""
    label, least = costs.argmin(axis=1), costs.min(axis=1)
    weights = costs.max(axis=1) - least
    return (weights * (chosen != label) + least).sum(axis=1)


def check_one_shot(costs: np.ndarray, chosen: np.ndarray) -> Checked:
    """Theorems 2.1 and 2.2 on every policy (P, N), whole-number costs (N, S).

    An ArgumentError or ShapeError if costs are not whole numbers, or the shapes disagree.

    Examples
    --------
    >>> check_one_shot([[0, 3, 2], [3, 0, 2]], all_policies([range(3)], [0, 0]))  # both must choose alike
    Checked(n_policies=3, n_unequal=0, n_below=0, least=3, least_by_sum=3, least_by_bound=3)
    """
    costs = _whole(costs, chosen)
    bound, allowed = pseudo_label_risk(costs, chosen), np.ones(costs.shape, dtype=bool)
    checked, risks = _check_policies(costs, chosen, allowed)
    by_bound = int(risks[bound == bound.min()].min())
    return checked._replace(n_below=int((bound < risks).sum()), least_by_bound=by_bound)


def _check_policies(costs: np.ndarray, chosen: np.ndarray, allowed: np.ndarray) -> tuple[Checked, np.ndarray]:
    """(results for the sum over allowed states, (1) of every policy); the bound is not checked."""
    risks, by_all = risk(costs, chosen), every_state_risk(costs, chosen, allowed)
    constant = sum((c[m].max() - c[m]).sum() - c[m].max() for c, m in zip(costs, allowed))
    least, by_sum = int(risks.min()), int(risks[by_all == by_all.min()].min())
    return Checked(len(chosen), int((by_all != risks + constant).sum()), 0, least, by_sum, by_sum), risks


def check_step(costs: np.ndarray, reached: Sequence[int]) -> Checked:
    """Theorem 2.3 for one step: every policy that buys one more part for each example.

    Costs (N, S) are whole numbers, ``reached`` the state of each example, with a part still to buy. No bound
    is checked: `Checked.n_below` is 0, and its last two fields are equal.
    """
    costs = np.asarray(costs)
    allowed = np.array([[s in successors(state, costs.shape[1]) for s in range(costs.shape[1])]
                        for state in reached])  # fmt: skip
    chosen = all_policies([np.flatnonzero(may) for may in allowed], range(len(costs)))
    return _check_policies(_whole(costs, chosen), chosen, allowed)[0]


def successors(state: int, n_states: int) -> list[int]:
    """States with one more part.

    Examples
    --------
    >>> successors(0b001, 8)
    [3, 5]
    """
    return [state | 1 << r for r in range(n_states.bit_length() - 1) if not state >> r & 1]


def greedy_orders(costs: np.ndarray) -> np.ndarray:
    """Algorithm 1 with no limit on what a policy can distinguish: the cheapest part next, first of equals.

    From costs (N, 2^n), the states (N, n) of each example after one part, two, ...
    """
    n_parts = np.shape(costs)[1].bit_length() - 1
    out = np.zeros((len(costs), n_parts), dtype=np.int64)
    for i, state_costs in enumerate(costs):
        state = 0
        for t in range(n_parts):
            state = min(successors(state, len(state_costs)), key=state_costs.__getitem__)
            out[i, t] = state
    return out


def best_orders(costs: np.ndarray) -> np.ndarray:
    """Least (5), the sum of the costs along the way, over all orders of buying the parts, shape (N,)."""
    costs = np.asarray(costs)
    n_parts = costs.shape[1].bit_length() - 1
    orders = np.array(list(itertools.permutations(range(n_parts))))
    states = np.cumsum(1 << orders, axis=1)  # (n!, n)
    return costs[:, states].sum(axis=2).min(axis=1)


def _whole(costs: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    costs = checks.typed_array("costs", costs, "iu", "whole numbers")
    if costs.ndim != 2 or chosen.ndim != 2 or chosen.shape[1] != len(costs):
        raise ShapeError(
            f"chosen has shape {chosen.shape}; costs {costs.shape} needs (policies, {len(costs)})"
        )
    return costs.astype(np.int64)
