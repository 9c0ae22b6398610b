"""Train policies that choose which words get full features, with `spcviz.learning.budgets`.

One-shot policies see either "simple" inputs, the tags around a word before anything is scored, or "complex"
ones, the first parse.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import classifiers, constrained, part_policy
from spcviz.learning.budgets.classifiers import OneShot
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model import world as worlds
from spcviz.problems.parsing.model.features import BEYOND, TEMPLATES
from spcviz.problems.parsing.shown import ONE_SHOT

N_TIERS = len(TEMPLATES)
N_TAGS = 64
N_STEPS = 8
"""Steps of an anytime policy that have their own classifier."""


class Policies(NamedTuple):
    """What is learned in addition to the parser."""

    one_shot: dict[str, OneShot]  # by key of `METHODS`
    anytime: classifiers.Anytime
    # beta, greedy (1, D): weights that value purchases by whole trajectories (DMS-pi), by the next one alone
    beta: np.ndarray
    greedy: np.ndarray
    scale: float  # see `spcviz.problems.parsing.model.world.Sentences`
    about: dict  # settings that were chosen, by key


def simple_inputs(world):
    """Indicators of the tags of each word and of its neighbours, shape (R, 192): no arc is scored."""
    out = np.zeros((world.shape[0], 3 * N_TAGS))
    rows = np.arange(len(out))
    for k, tags in enumerate(tags_around(world)):
        out[rows, k * N_TAGS + tags] = 1.0
    return out


def tags_around(world):
    """Tag codes of each word, of the one before it and of the one after it, (R,) each."""
    before, behind = np.roll(world.tags, 1), np.roll(world.tags, -1)
    before[world.starts[:-1]] = BEYOND
    behind[world.starts[1:] - 1] = BEYOND
    return world.tags, before, behind


def complex_inputs(world):
    """What the first parse says around each word, shape (R, D)."""
    return world.describe(np.zeros(world.shape[0], dtype=np.int64))


INPUTS = {"simple": simple_inputs, "complex": complex_inputs}


def train(
    learn: worlds.Sentences, dev: worlds.Sentences, rng: np.random.Generator, tick: Callable | None = None
) -> Policies:
    """All policies; sentences must be scored by parsers that have not seen them."""
    trajectory = classifiers.greedy_trajectories(learn.losses_if, learn.starts, N_TIERS)
    inputs = {name: (make(learn), make(dev)) for name, make in INPUTS.items()}
    fitted, about = {}, {}
    for key in ONE_SHOT:
        rule = METHODS[key].rule
        labels_at = partial(constrained.labels_of, rule.search, learn, trajectory)
        if rule.by == "contrast":
            labels = contrast_labels(learn)
            labels_at = lambda _price, labels=labels: labels  # noqa: E731
        fitted[key], about[key] = constrained.best_one_shot(labels_at, (learn, dev), inputs[rule.inputs])
    if tick is not None:
        tick("one shot")
    steps = classifiers.fit_anytime(learn.losses_if, learn.describe, learn.starts, N_TIERS, N_STEPS)
    learned, _, _ = part_policy.train(learn, rng)
    about["dms_pi"] = {"gamma": learned.gamma, "alpha": learned.alpha, "penalty": learned.penalty}
    return Policies(fitted, steps, learned.beta, learned.myopic, learn.scale, about)


def contrast_labels(world):
    """Pseudo-labels: words that are wrong if all are parsed by tags, right if all by everything."""
    n = world.shape[0]
    by_tags, by_all = (world.read(np.full(n, tier)) for tier in range(N_TIERS))
    return ((by_tags != world.heads) & (by_all == world.heads)).astype(np.int64)


def fixed_values(policies, world, rng):
    """Priority of every word under each policy with fixed priorities: {key: ndarray, shape (R, 1)}."""
    inputs = {key: INPUTS[METHODS[key].rule.inputs](world) for key in ONE_SHOT}
    out = {key: classifiers.odds(policies.one_shot[key], seen) for key, seen in inputs.items()}
    out["anytime"] = constrained.anytime_values(policies.anytime, world)
    out["myopic"] = constrained.unsure_first(world.closeness(), world.starts, N_TIERS)
    out["uniform"] = rng.random((world.shape[0], 1))
    out["uniform_sentences"] = rng.random((len(world.starts) - 1, 1)).repeat(np.diff(world.starts), axis=0)
    return out


def rules(policies, world, rng):
    """The rule of Algorithm 5 for every policy: {key: Rule}."""
    out = {key: part_policy.rule(fixed=values) for key, values in fixed_values(policies, world, rng).items()}
    out["dms_pi"] = part_policy.rule(policies.beta)
    out["greedy"] = part_policy.rule(policies.greedy)
    return out


def orders(rules, world):
    """The order in which each policy buys: {key: ndarray of int, shape (R,)}."""
    return {key: part_policy.spend(world, how).part for key, how in rules.items()}


def world_of(parser, sentences, scale=None):
    """Sentences scored by a parser, as a world."""
    return worlds.sentences_of(parsers.score(parser, sentences), sentences, scale)


def first_weights(policy):
    """(weights, constant) of a one-shot policy as one linear function of its inputs."""
    weights = policy.weights[0] / policy.scale
    return weights, float(policy.constant[0] - weights @ policy.mean)


def quick_odds(policy, world):
    """Log odds of a "simple" policy, shape (R,): three look-ups per word, nothing scored."""
    weights, constant = first_weights(policy)
    tags, before, behind = tags_around(world)
    return weights[tags] + weights[N_TAGS + before] + weights[2 * N_TAGS + behind] + constant
