"""One-shot and anytime policies on handwriting: resource-constrained prediction, Fig. 2 and 3."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import anytime, one_shot, part_policy
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.letters import data
from spcviz.problems.words import dms_pi
from spcviz.problems.words.folds import N_TIERS

PRICES = (0.05, 0.3)
"""lambda: loss that one tier of one letter must save."""

N_STEPS = 8
"""Steps of an anytime policy that have a classifier of their own."""

N_LEARN = 4000
"""Training words that searches are run on; the others are for development."""


def simple_inputs(parts, pixels):
    """Part-level inputs: pixels and how decided the free scores are, no inference: shape (R, 130)."""
    top = np.sort(parts.scores[:, 0], axis=1)
    own = np.exp(-(top[:, -1] - top[:, -2]) / parts.scale)
    return np.concatenate([data.raw_features(pixels), own[:, None]], axis=1)


def complex_inputs(parts, pixels):
    """The same with what inference on free features says around the letter, shape (R, 150)."""
    tiers = np.zeros(len(parts.scores), dtype=np.int64)
    return np.concatenate([simple_inputs(parts, pixels), parts.describe(tiers)], axis=1)


INPUTS = {"simple": simple_inputs, "complex": complex_inputs}
ONE_SHOT = tuple(key for key, method in METHODS.items() if method.rule.by == "one shot")
UNIFORM = METHODS["random"].names[1]


def pixels_of(half, chosen=None):
    """Letter images of some of a half's words."""
    words = data.load_words()
    indices = half.words if chosen is None else half.words[chosen]
    return words.pixels[data.rows_of(words, indices)[0]]


class Trained(NamedTuple):
    """Policies of a fold.

    Attributes
    ----------
    policies : dict of str to (OneShot or Anytime)
        By key of the method.
    about : dict of str to dict
        Settings that were chosen, by the method's name in results.
    dev : ndarray
        Training words left for development.
    """

    policies: dict
    about: dict
    dev: np.ndarray


def train(fold, rng, tick=None):
    """One-shot and anytime policies of a fold, their settings chosen on development words: a `Trained`."""
    every = dms_pi.parts_of(fold, "train")
    order = rng.permutation(len(every.starts) - 1)
    n_learn = min(N_LEARN, 2 * len(order) // 3)
    learn_words, dev_words = np.sort(order[:n_learn]), np.sort(order[n_learn:])
    (learn, _), (dev, _) = (every.some(chosen) for chosen in (learn_words, dev_words))
    pixels = {"learn": pixels_of(fold.train, learn_words), "dev": pixels_of(fold.train, dev_words)}
    trajectory = one_shot.greedy_trajectories(learn.losses_if, learn.starts, N_TIERS)
    policies, about = {}, {}
    for key in ONE_SHOT:
        method = METHODS[key]
        make = INPUTS[method.rule.inputs]
        inputs = make(learn, pixels["learn"]), make(dev, pixels["dev"])
        policies[key], about[method.name] = _best_one_shot(method, learn, dev, inputs, trajectory)
        if tick is not None:
            tick(method.name)
    policies["anytime"] = anytime.fit_anytime(learn.losses_if, learn.describe, learn.starts, N_TIERS, N_STEPS)
    return Trained(policies, about, dev_words)


def _best_one_shot(method, learn, dev, inputs, trajectory):
    """(policy, settings) that waste least on development words; `inputs` of both halves."""
    best, n, loss = None, learn.shape[0], learn.losses_if
    for price in PRICES:
        if method.rule.search == "trajectory":
            labels = one_shot.trajectory_labels(trajectory, n, price)
        else:
            labels = one_shot.parsimonious_labels(loss, n, N_TIERS, price, learn.starts)
        weight = one_shot.importance(loss, labels, N_TIERS, price, learn.starts) + 0.05
        for is_weighted in (True, False):
            policy = one_shot.fit_one_shot(
                inputs[0], labels, N_TIERS, weights=weight if is_weighted else None
            )
            bad = part_policy.badness(_curve(dev, one_shot.odds(policy, inputs[1])))
            if best is None or bad < best[0]:
                best = bad, policy, {"price": price, "importance weights": is_weighted}
    return best[1:]


def all_values(policies, parts, pixels):
    """Priority of every purchase by every policy and by "least sure": {key: ndarray, shape (R, T - 1)}.

    Algorithm 5 spends a budget by them.
    """
    out = {key: one_shot.odds(policies[key], _inputs(key, parts, pixels)) for key in ONE_SHOT}
    return out | {"anytime": anytime_values(policies["anytime"], parts), "myopic": myopic_values(parts)}


def _inputs(key, parts, pixels):
    return INPUTS[METHODS[key].rule.inputs](parts, pixels)


def anytime_values(policy, parts):
    """Earlier steps before later ones, within a step the higher score: shape (R, T - 1)."""
    out, at = np.zeros((len(parts.scores), N_TIERS - 1)), np.zeros(len(parts.scores), dtype=np.int64)
    rank = 0.0
    for bought, _ in anytime.roll_out(policy, parts.describe, parts.starts, N_TIERS):
        out[bought, at[bought]] = rank - np.arange(len(bought))
        at[bought] += 1
        rank -= len(bought)
    return out


def myopic_values(parts):
    """Words of least confidence first, everything for all their letters (shape (R, T - 1))."""
    tiers = np.zeros(len(parts.scores), dtype=np.int64)
    close = parts.describe(tiers)[:, ACTION_FEATURES.index("margin small")]
    lengths = np.diff(parts.starts)
    unsure = np.add.reduceat(close, parts.starts[:-1]) / lengths
    # Rank words so that no value of one lies between another's.
    rank = np.argsort(np.argsort(unsure, kind="stable"), kind="stable").astype(float)
    return np.repeat(rank[:, None], N_TIERS - 1, axis=1).repeat(lengths, axis=0)


def curves(fold, rng, tick=None):
    """Curves of all constrained policies on the test words of a fold.

    Returns
    -------
    rows : list of dict
        As in `dms_pi.curves`, without ``q`` below 0.
    about : dict
        Settings chosen.
    """
    trained = train(fold, rng, tick)
    train_parts = dms_pi.parts_of(fold, "train")
    dev, _ = train_parts.some(trained.dev)
    test = dms_pi.parts_of(fold, "test", train_parts.scale)
    fixed = all_values(trained.policies, test, pixels_of(fold.test))
    on_dev = all_values(trained.policies, dev, pixels_of(fold.train, trained.dev))
    out = [_row(METHODS[key].name, test, fixed[key]) | {"chosen": _chosen(dev, on_dev[key])} for key in fixed]
    out.append(_row(UNIFORM, test, rng.random((len(test.scores), N_TIERS - 1))))
    return out, trained.about


def _curve(parts, fixed):
    return part_policy.curve(parts, part_policy.spend(parts, part_policy.rule(fixed=fixed)))


def _chosen(parts, fixed):
    return part_policy.chosen_budgets(parts, part_policy.rule(fixed=fixed))


def _row(name, parts, fixed):
    course = part_policy.spend(parts, part_policy.rule(fixed=fixed))
    return {"method": name, "level": "letter", "q": 0.0} | part_policy.points(parts, course)
