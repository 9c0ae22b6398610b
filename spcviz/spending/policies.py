"""Policies that buy features position by position: how each is trained, and the rule by which it spends.

Their names are keys of `spcviz.learning.budgets.methods.METHODS`, which describes each of them.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains.chain import max_marginals_batch
from spcviz.engine.chains.quiescent import transposed_tables
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.budgets import classifiers, constrained, part_policy
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.chains.parts import Parts, no_looks, typical_margin
from spcviz.learning.budgets.classifiers import Anytime, OneShot
from spcviz.learning.budgets.methods import METHODS, PART
from spcviz.learning.budgets.world import Rule

POLICIES = (
    "dms_pi", "dms_pi_by_value", "dms_pi_per_cost", "greedy", "imitation_parts", "one_shot", "anytime",
    "myopic", "uniform", "random",
)  # fmt: skip
"""Policies of a `BudgetedTagger`. ``dms_pi``: the queue, by value or by value per cost, that wastes less on
development sequences."""

N_STEPS = 8
"""Steps of an anytime policy that have separate classifiers."""

MOST_LABELS = 4000
"""Codes of five labels must fit into 62 bits."""

_MARGIN = ACTION_FEATURES.index("margin small")


class Policy(NamedTuple):
    """The learned parameters of one of `POLICIES`."""

    key: str
    beta: np.ndarray | None  # (T - 1, D) weights of an action's features
    per_cost: bool  # the queue is ordered by value per cost
    one_shot: OneShot | None
    anytime: Anytime | None
    seed: int  # for the random numbers of random policies


def checked_policy(policy: str) -> str:
    """One of `POLICIES`, or ArgumentError."""
    if not isinstance(policy, str) or policy not in POLICIES or METHODS[policy].level != PART:
        raise ArgumentError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r:.60}")
    return policy


def world_of(
    scores: np.ndarray,
    pairwise: np.ndarray,
    model: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    seen: np.ndarray,
    margin: float,
) -> Parts:
    """Sequences in the form that `spcviz.learning.budgets` takes.

    Scores (R, T, K), pairwise (M, K, K) of each model; ``model`` (R,) is the model that reads each position,
    ``labels`` (R,) are the true ones, -1 where unknown, which counts as wrong.
    """
    n_rows, n_tiers, n = scores.shape
    return Parts(
        scores=np.ascontiguousarray(scores, dtype=np.float64),
        pairwise=np.ascontiguousarray(pairwise),
        transposed=transposed_tables(pairwise),
        step=np.ascontiguousarray(np.repeat(model[:, None], n_tiers, axis=1)),
        starts=starts,
        loss=(labels[:, None] != np.arange(n)).astype(np.int64),
        seen=seen,
        looks=no_looks(n_rows),
        places=no_looks(n_rows),
        scale=margin,
        bits=symbol_bits(n),
    )


def margin_of(scores: np.ndarray, pairwise: np.ndarray, fold: np.ndarray, lengths: np.ndarray) -> float:
    """The typical margin with free features, the scale for other margins; fold (W,): each chain's model."""
    tables = np.empty((len(scores), scores.shape[2]))
    for p in range(len(pairwise)):
        rows = np.repeat(fold == p, lengths)
        if rows.any():
            unary = np.ascontiguousarray(scores[rows, 0])
            tables[rows] = max_marginals_batch(unary, lengths[fold == p], pairwise[p]).unary
    return max(typical_margin(tables), 1e-9)


def fit_policy(key: str, world: Parts, costs: np.ndarray, rng: np.random.Generator) -> Policy:
    """Learn one of `POLICIES` on training sequences, read by models that have not seen them."""
    empty = Policy(key, None, False, None, None, int(rng.integers(2**32)))
    n_tiers = world.shape[1]
    if key in ("dms_pi", "dms_pi_by_value", "dms_pi_per_cost"):
        # If all tiers cost the same, both queues are the same.
        if key == "dms_pi" and len(set(costs.tolist())) > 1:
            best = min(part_policy.train_queues(world, rng, costs), key=lambda queue: queue.badness)
            return empty._replace(beta=_tiers(best.policy.beta, n_tiers), per_cost=best.per_cost)
        per_cost = key == "dms_pi_per_cost"
        learned, _, _ = part_policy.train(world, rng, costs, per_cost=per_cost)
        return empty._replace(beta=_tiers(learned.beta, n_tiers), per_cost=per_cost)
    if key in ("greedy", "imitation_parts"):
        learned, imitation, _ = part_policy.train(world, rng, costs)
        return empty._replace(beta=_tiers(learned.myopic if key == "greedy" else imitation, n_tiers))
    if key == "one_shot":
        return empty._replace(one_shot=_one_shot(world, rng))
    if key == "anytime":
        model = classifiers.fit_anytime(world.losses_if, world.describe, world.starts, n_tiers, N_STEPS)
        return empty._replace(anytime=model)
    return empty


def _tiers(beta: np.ndarray, n_tiers: int) -> np.ndarray:
    """Weights of all tiers: 0 for tiers that no trajectory reached."""
    out = np.zeros((n_tiers - 1, beta.shape[1]))
    out[: len(beta)] = beta
    return out


def _one_shot(world: Parts, rng: np.random.Generator) -> OneShot:
    order = rng.permutation(len(world.starts) - 1)
    n_learn = max(2 * len(order) // 3, 1)
    (learn, _), (dev, _) = (world.some(np.sort(chosen)) for chosen in (order[:n_learn], order[n_learn:]))
    n_parts, n_tiers = learn.shape

    def labels_at(price: float) -> np.ndarray:
        return classifiers.parsimonious_labels(learn.losses_if, n_parts, n_tiers, price, learn.starts)

    return constrained.best_one_shot(labels_at, (learn, dev), (_inputs(learn), _inputs(dev)))[0]


def _inputs(world: Parts) -> np.ndarray:
    """Inputs of a one-shot policy: free scores, and features of inference on them around the position."""
    free = world.scores[:, 0]
    return np.concatenate([free - free.max(axis=1, keepdims=True), _free(world)], axis=1)


def _free(world: Parts) -> np.ndarray:
    return world.describe(np.zeros(world.shape[0], dtype=np.int64))


def rule_of(policy: Policy, world: Parts, tolerance: float) -> Rule:
    """The rule by which a policy spends on some sequences."""
    n_parts, n_tiers = world.shape
    if policy.beta is not None:
        return part_policy.rule(policy.beta, per_cost=policy.per_cost, q=tolerance)
    if policy.one_shot is not None:
        fixed = classifiers.odds(policy.one_shot, _inputs(world))
    elif policy.anytime is not None:
        fixed = constrained.anytime_values(policy.anytime, world)
    elif policy.key == "myopic":
        fixed = constrained.unsure_first(_free(world)[:, _MARGIN], world.starts, n_tiers)
    else:
        noise = np.random.default_rng(policy.seed).random((n_parts, n_tiers - 1))
        fixed = noise - np.arange(n_tiers - 1) if policy.key == "uniform" else noise
    return part_policy.rule(fixed=fixed, q=tolerance)
