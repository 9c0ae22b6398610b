"""One-shot and anytime policies on handwriting: resource-constrained prediction, Fig. 2 and 3."""

import numpy as np

from spcviz.learning.budgets import anytime, one_shot
from spcviz.learning.budgets.chains import part_policy
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.chains.search import describe_parts, losses_if
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
    return np.concatenate([simple_inputs(parts, pixels), describe_parts(parts, tiers)], axis=1)


INPUTS = {"simple": simple_inputs, "complex": complex_inputs}


def pixels_of(half, chosen=None):
    """Letter images of some of a half's words."""
    words = data.load_words()
    indices = half.words if chosen is None else half.words[chosen]
    return words.pixels[data.rows_of(words, indices)[0]]


def train(fold, rng, tick=None):
    """One-shot and anytime policies of a fold, their settings chosen on development words.

    Returns
    -------
    dict of str to object
        OneShot for "one-shot, <labels>, <inputs>"; Anytime for "anytime"; and "about", the settings.
    """
    every = dms_pi.parts_of(fold, "train")
    order = rng.permutation(len(every.starts) - 1)
    n_learn = min(N_LEARN, 2 * len(order) // 3)
    learn_words, dev_words = np.sort(order[:n_learn]), np.sort(order[n_learn:])
    (learn, _), (dev, _) = (part_policy.some_chains(every, chosen) for chosen in (learn_words, dev_words))
    pixels = {"learn": pixels_of(fold.train, learn_words), "dev": pixels_of(fold.train, dev_words)}

    def loss(tiers, targets):
        return losses_if(learn, tiers, targets)

    trajectory = one_shot.greedy_trajectories(loss, learn.starts, N_TIERS)
    out, about, n = {}, {}, len(learn.scores)
    for search in ("trajectory", "parsimonious"):
        for name, make in INPUTS.items():
            inputs, dev_inputs = make(learn, pixels["learn"]), make(dev, pixels["dev"])
            best = None
            for price in PRICES:
                if search == "trajectory":
                    labels = one_shot.trajectory_labels(trajectory, n, price)
                else:
                    labels = one_shot.parsimonious_labels(loss, n, N_TIERS, price, learn.starts)
                weight = one_shot.importance(loss, labels, N_TIERS, price, learn.starts) + 0.05
                for is_weighted in (True, False):
                    policy = one_shot.fit_one_shot(
                        inputs, labels, N_TIERS, weights=weight if is_weighted else None
                    )
                    bad = part_policy.badness(_curve(dev, one_shot.odds(policy, dev_inputs)))
                    if best is None or bad < best[0]:
                        best = bad, policy, {"price": price, "importance weights": is_weighted}
                if tick is not None:
                    tick(f"one-shot {search} {name}")
            out[f"one-shot, {search}, {name}"] = best[1]
            about[f"one-shot, {search}, {name}"] = best[2]

    def describe(tiers):
        return describe_parts(learn, tiers)

    out["anytime"] = anytime.fit_anytime(loss, describe, learn.starts, N_TIERS, N_STEPS)
    out["about"] = about
    out["dev"] = dev_words
    return out


def values(policy, parts, pixels, name):
    """Priority of every purchase, shape (R, T - 1), for Algorithm 5 to spend a budget by."""
    if isinstance(policy, one_shot.OneShot):
        return one_shot.odds(policy, INPUTS[name](parts, pixels))
    return anytime_values(policy, parts)


def anytime_values(policy, parts):
    """Earlier steps before later ones, within a step the higher score: shape (R, T - 1)."""

    def describe(tiers):
        return describe_parts(parts, tiers)

    out, at = np.zeros((len(parts.scores), N_TIERS - 1)), np.zeros(len(parts.scores), dtype=np.int64)
    rank = 0.0
    for bought, _ in anytime.roll_out(policy, describe, parts.starts, N_TIERS):
        out[bought, at[bought]] = rank - np.arange(len(bought))
        at[bought] += 1
        rank -= len(bought)
    return out


def myopic_values(parts):
    """Words of least confidence first, everything for all their letters (shape (R, T - 1))."""
    tiers = np.zeros(len(parts.scores), dtype=np.int64)
    close = describe_parts(parts, tiers)[:, ACTION_FEATURES.index("margin small")]
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
    policies = train(fold, rng, tick)
    train_parts = dms_pi.parts_of(fold, "train")
    dev, _ = part_policy.some_chains(train_parts, policies["dev"])
    test = dms_pi.parts_of(fold, "test", train_parts.scale)
    test_pixels, dev_pixels = pixels_of(fold.test), pixels_of(fold.train, policies["dev"])
    out = []
    for name, policy in policies.items():
        if name in ("about", "dev"):
            continue
        inputs = name.rsplit(", ", 1)[-1]
        fixed = values(policy, test, test_pixels, inputs)
        out.append(
            _row(name, test, fixed) | {"chosen": _chosen(dev, values(policy, dev, dev_pixels, inputs))}
        )
    out.append(_row("myopic", test, myopic_values(test)) | {"chosen": _chosen(dev, myopic_values(dev))})
    out.append(_row("uniform", test, rng.random((len(test.scores), N_TIERS - 1))))
    return out, policies["about"]


def _curve(parts, fixed):
    return part_policy.curve(parts, part_policy.spend(parts, part_policy.rule(fixed=fixed)))


def _chosen(parts, fixed):
    return part_policy.chosen_budgets(parts, part_policy.rule(fixed=fixed))


def _row(name, parts, fixed):
    course = part_policy.spend(parts, part_policy.rule(fixed=fixed))
    return {"method": name, "level": "letter", "q": 0.0} | part_policy.points(parts, course)
