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

SWEEP = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""lambda of the policies that decide word by word, one policy each."""

N_THRESHOLDS = 25
"""Log odds from which on such a policy may buy, beside 0."""

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
STREAMED = {key: method for key, method in METHODS.items() if method.rule.by == "one shot, streamed"}
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
    sweeps : dict of str to (dict of float to OneShot)
        By key of a method that decides word by word: a policy for each price.
    """

    policies: dict
    about: dict
    dev: np.ndarray
    sweeps: dict


def train(fold, rng, tick=None, *, with_sweeps=False):
    """One-shot and anytime policies of a fold, their settings chosen on development words: a `Trained`.

    ``with_sweeps``: also the policies that decide word by word.
    """
    every = dms_pi.parts_of(fold, "train")
    order = rng.permutation(len(every.starts) - 1)
    n_learn = min(N_LEARN, 2 * len(order) // 3)
    learn_words, dev_words = np.sort(order[:n_learn]), np.sort(order[n_learn:])
    (learn, _), (dev, _) = (every.some(chosen) for chosen in (learn_words, dev_words))
    pixels = {"learn": pixels_of(fold.train, learn_words), "dev": pixels_of(fold.train, dev_words)}
    trajectory = one_shot.greedy_trajectories(learn.losses_if, learn.starts, N_TIERS)
    policies, about, sweeps = {}, {}, {}
    inputs = {name: (make(learn, pixels["learn"]), make(dev, pixels["dev"])) for name, make in INPUTS.items()}
    for key in ONE_SHOT:
        method = METHODS[key]
        seen = inputs[method.rule.inputs]
        policies[key], about[method.name] = _best_one_shot(method, learn, dev, seen, trajectory)
    for key, method in STREAMED.items() if with_sweeps else ():
        sweeps[key] = {
            price: _fit(method, learn, inputs[method.rule.inputs][0], trajectory, price) for price in SWEEP
        }
    if tick is not None:
        tick("one shot")
    policies["anytime"] = anytime.fit_anytime(learn.losses_if, learn.describe, learn.starts, N_TIERS, N_STEPS)
    return Trained(policies, about, dev_words, sweeps)


def _best_one_shot(method, learn, dev, inputs, trajectory):
    """(policy, settings) that waste least on development words; `inputs` of both halves."""
    best = None
    for price in PRICES:
        for is_weighted in (True, False):
            policy = _fit(method, learn, inputs[0], trajectory, price, is_weighted)
            bad = part_policy.badness(_curve(dev, one_shot.odds(policy, inputs[1])))
            if best is None or bad < best[0]:
                best = bad, policy, {"price": price, "importance weights": is_weighted}
    return best[1:]


def _fit(method, learn, inputs, trajectory, price, is_weighted=True):
    """A one-shot policy at one price."""
    n, loss = learn.shape[0], learn.losses_if
    if method.rule.search == "trajectory":
        labels = one_shot.trajectory_labels(trajectory, n, price)
    else:
        labels = one_shot.parsimonious_labels(loss, n, N_TIERS, price, learn.starts)
    weight = None
    if is_weighted:
        weight = one_shot.importance(loss, labels, N_TIERS, price, learn.starts) + 0.05
    return one_shot.fit_one_shot(inputs, labels, N_TIERS, weights=weight)


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
    trained = train(fold, rng, tick, with_sweeps=True)
    train_parts = dms_pi.parts_of(fold, "train")
    dev, _ = train_parts.some(trained.dev)
    test = dms_pi.parts_of(fold, "test", train_parts.scale)
    pixels = pixels_of(fold.train, trained.dev), pixels_of(fold.test)
    fixed = all_values(trained.policies, test, pixels[1])
    on_dev = all_values(trained.policies, dev, pixels[0])
    out = [_row(METHODS[key].name, test, fixed[key]) | {"chosen": _chosen(dev, on_dev[key])} for key in fixed]
    for key, policies in trained.sweeps.items():
        make = INPUTS[METHODS[key].rule.inputs]
        seen = make(dev, pixels[0]), make(test, pixels[1])
        row, alone = streamed(policies, (dev, test), seen)
        out.append({"method": METHODS[key].name} | row)
        trained.about[METHODS[key].name] = {"prices alone": alone}
        if tick is not None:
            tick(METHODS[key].name)
    out.append(_row(UNIFORM, test, rng.random((len(test.scores), N_TIERS - 1))))
    return out, trained.about


def streamed(policies, worlds, inputs):
    """Word by word: each letter is bought what has log odds above a threshold, whatever other words want.

    Which price and threshold serve a budget is chosen on development words: of all pairs those are kept that
    no other one beats in both share and loss.

    Parameters
    ----------
    policies : dict of float to OneShot
        By price.
    worlds : (Parts, Parts)
        Development and test words.
    inputs : (ndarray, ndarray)
        What the policies see of them.

    Returns
    -------
    row : dict
        As in `dms_pi.curves`; points are what the kept pairs come to on test words, by rising share.
    alone : list of dict
        ``price``, and at threshold 0 ``share`` and ``error`` on test words: the price alone, as the paper has
        it.
    """
    dev, test = worlds
    values = {price: [one_shot.odds(policy, own) for own in inputs] for price, policy in policies.items()}
    pairs, found = [], []
    for price, (on_dev, _) in values.items():
        levels = np.quantile(on_dev, np.linspace(0, 1, N_THRESHOLDS))
        for threshold in (0.0, *levels):
            pairs.append((price, threshold))
            found.append(_bought(dev, on_dev > threshold))
    nothing, everything = (np.full((len(dev.scores), N_TIERS - 1), is_bought) for is_bought in (False, True))
    final = _bought(dev, everything)[1]
    order = np.lexsort(([loss for _, loss, _ in found], [share for share, _, _ in found]))
    kept, least = [], _bought(dev, nothing)[1]
    for i in order:
        if found[i][1] < least:
            kept.append(i)
            least = found[i][1]
    chosen = {
        "final_error": next((i for i in kept if found[i][1] <= final), None),
        "least_error": kept[-1] if kept else None,
    }
    on_test = {i: _bought(test, values[pairs[i][0]][1] > pairs[i][1]) for i in kept}
    ends = [_bought(test, np.full((len(test.scores), N_TIERS - 1), is_bought)) for is_bought in (False, True)]
    points = sorted([*ends, *on_test.values()], key=lambda point: (point[0], -point[1]))
    row = {
        "level": "letter",
        "q": 0.0,
        "share": np.array([share for share, _, _ in points]),
        "error": 100 * np.array([loss for _, loss, _ in points]) / len(test.scores),
        "tiers": np.array([tiers for _, _, tiers in points]),
        "chosen": {key: 1.0 if i is None else on_test[i][0] for key, i in chosen.items()},
    }
    alone = []
    for price, (_, own) in values.items():
        share, loss, _ = _bought(test, own > 0)
        alone.append({"price": price, "share": 100 * share, "error": 100 * float(loss) / len(test.scores)})
    return row, alone


def _bought(parts, is_bought):
    """(share of all features, summed loss, share of parts at each tier) if what is_bought (R, T - 1) is."""
    tiers = is_bought.sum(axis=1)
    loss = parts.losses_if(tiers, tiers)[0].sum()
    return float(is_bought.mean()), int(loss), is_bought.mean(axis=0)


def _curve(parts, fixed):
    return part_policy.curve(parts, part_policy.spend(parts, part_policy.rule(fixed=fixed)))


def _chosen(parts, fixed):
    return part_policy.chosen_budgets(parts, part_policy.rule(fixed=fixed))


def _row(name, parts, fixed):
    course = part_policy.spend(parts, part_policy.rule(fixed=fixed))
    return {"method": name, "level": "letter", "q": 0.0} | part_policy.points(parts, course)
