"""One-shot and anytime policies on handwriting: resource-constrained prediction, Fig. 2 and 3."""

from functools import partial
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import classifiers, part_policy
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.constrained import (
    anytime_values,
    best_one_shot,
    buy_streaming,
    fit,
    labels_of,
    unsure_first,
)
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.letters import handwriting
from spcviz.problems.words.model import dms_pi
from spcviz.problems.words.model.folds import N_TIERS

N_STEPS = 8
"""Steps of an anytime policy that have their own classifier."""

SWEEP = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""lambda of the policies that decide word by word, one policy each."""

N_LEARN = 4000
"""Number of training words that searches run on; the others are for development."""


def simple_inputs(parts, pixels):
    """Part-level inputs: pixels and the uncertainty of the free scores, no inference: shape (R, 130)."""
    top = np.sort(parts.scores[:, 0], axis=1)
    doubt = np.exp(-(top[:, -1] - top[:, -2]) / parts.scale)
    return np.concatenate([handwriting.raw_features(pixels), doubt[:, None]], axis=1)


def complex_inputs(parts, pixels):
    """The same with the results of inference on free features around the letter, shape (R, 150)."""
    tiers = np.zeros(len(parts.scores), dtype=np.int64)
    return np.concatenate([simple_inputs(parts, pixels), parts.describe(tiers)], axis=1)


INPUTS = {"simple": simple_inputs, "complex": complex_inputs}
ONE_SHOT = tuple(key for key, method in METHODS.items() if method.rule.by == "one shot")
STREAMED = {key: method for key, method in METHODS.items() if method.rule.by == "one shot, streamed"}
UNIFORM = METHODS["random"].names[1]


def pixels_of(half, chosen=None):
    """Letter images of some of a half's words."""
    images = half.images
    if chosen is not None:
        images = np.concatenate([images[half.starts[w] : half.starts[w + 1]] for w in chosen])
    return handwriting.load_words().pixels[images]


class FoldPolicies(NamedTuple):
    """Policies of a fold."""

    policies: dict  # by key of the method
    about: dict  # settings that were chosen, by the method's name in results
    dev: np.ndarray  # training words held out for development
    sweeps: dict  # by key of a method that decides word by word: a policy for each price


def train(fold, rng, tick=None, *, with_sweeps=False):
    """One-shot and anytime policies of a fold, chosen on development words; with sweeps, word by word too."""
    every = dms_pi.parts_of(fold, "train")
    order = rng.permutation(len(every.starts) - 1)
    n_learn = min(N_LEARN, 2 * len(order) // 3)
    learn_words, dev_words = np.sort(order[:n_learn]), np.sort(order[n_learn:])
    (learn, _), (dev, _) = (every.some(chosen) for chosen in (learn_words, dev_words))
    pixels = {"learn": pixels_of(fold.train, learn_words), "dev": pixels_of(fold.train, dev_words)}
    trajectory = classifiers.greedy_trajectories(learn.losses_if, learn.starts, N_TIERS)
    policies, about, sweeps = {}, {}, {}
    inputs = {name: (make(learn, pixels["learn"]), make(dev, pixels["dev"])) for name, make in INPUTS.items()}
    for key in ONE_SHOT:
        method = METHODS[key]
        seen = inputs[method.rule.inputs]
        labels_at = partial(labels_of, method.rule.search, learn, trajectory)
        policies[key], about[method.name] = best_one_shot(labels_at, (learn, dev), seen)
    for key, method in STREAMED.items() if with_sweeps else ():
        seen = inputs[method.rule.inputs][0]
        sweeps[key] = {
            price: fit(learn, seen, labels_of(method.rule.search, learn, trajectory, price), price)
            for price in SWEEP
        }
    if tick is not None:
        tick("one shot")
    policies["anytime"] = classifiers.fit_anytime(
        learn.losses_if, learn.describe, learn.starts, N_TIERS, N_STEPS
    )
    return FoldPolicies(policies, about, dev_words, sweeps)


def all_values(policies, parts, pixels):
    """Priority (R, T - 1) of every purchase for Algorithm 5, by every policy and by "least sure"."""
    seen = {key: INPUTS[METHODS[key].rule.inputs](parts, pixels) for key in ONE_SHOT}
    out = {key: classifiers.odds(policies[key], inputs) for key, inputs in seen.items()}
    return out | {"anytime": anytime_values(policies["anytime"], parts), "myopic": myopic_values(parts)}


def myopic_values(parts):
    """Words of least confidence first, everything for all their letters (shape (R, T - 1))."""
    tiers = np.zeros(len(parts.scores), dtype=np.int64)
    close = parts.describe(tiers)[:, ACTION_FEATURES.index("margin small")]
    return unsure_first(close, parts.starts, N_TIERS)


def curves(fold, rng, tick=None) -> tuple[list[dict], dict]:
    """Curves of all constrained policies on the test words, as `dms_pi.curves`, and the settings chosen."""
    trained = train(fold, rng, tick, with_sweeps=True)
    train_parts = dms_pi.parts_of(fold, "train")
    dev, _ = train_parts.some(trained.dev)
    test = dms_pi.parts_of(fold, "test", train_parts.scale)
    pixels = pixels_of(fold.train, trained.dev), pixels_of(fold.test)
    fixed = all_values(trained.policies, test, pixels[1])
    on_dev = all_values(trained.policies, dev, pixels[0])
    out = []
    for key, values in fixed.items():
        chosen = part_policy.chosen_budgets(dev, part_policy.rule(fixed=on_dev[key]))
        out.append(_row(METHODS[key].name, test, values) | {"chosen": chosen})
    for key, policies in trained.sweeps.items():
        make = INPUTS[METHODS[key].rule.inputs]
        seen = make(dev, pixels[0]), make(test, pixels[1])
        row, alone = buy_streaming(policies, (dev, test), seen)
        out.append({"method": METHODS[key].name, "level": "letter", "q": 0.0} | row)
        trained.about[METHODS[key].name] = {"prices alone": alone}
        if tick is not None:
            tick(METHODS[key].name)
    out.append(_row(UNIFORM, test, rng.random((len(test.scores), N_TIERS - 1))))
    return out, trained.about


def _row(name, parts, fixed):
    trajectory = part_policy.spend(parts, part_policy.rule(fixed=fixed))
    return {"method": name, "level": "letter", "q": 0.0} | part_policy.points(parts, trajectory)
