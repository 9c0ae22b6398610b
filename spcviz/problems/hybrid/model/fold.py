"""Train one fold of orders and features bought together: all that is learned from its training words.

Policies' discounts and shapes are chosen on the development words of the fold.
"""

from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import part_policy
from spcviz.learning.hybrid import adaptive, policy
from spcviz.learning.hybrid.adaptive import AdaptivePart, AdaptiveSettings
from spcviz.learning.hybrid.policy import ActionPrices, Reach
from spcviz.learning.hybrid.records import AdaptiveModel
from spcviz.problems.hybrid.model import parents, worlds
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as open_data
from spcviz.problems.words.model.folds import N_TIERS, data_digest
from spcviz.shared.work.disk_cache import load_or_compute, tree_of
from spcviz.store import digest_of_arrays

RANDOM_STATE = 29
CODE = ("spcviz.problems.hybrid.model.fold",)
REACHES = {
    "spc_pi": Reach(worlds.N_ORDERS, N_TIERS),
    "order_only": Reach(worlds.N_ORDERS, 1),
}
"""Controllers that are learned; spc_pi's learning begins with the greedy one."""


@dataclass(frozen=True)
class HybridSettings:
    """Settings of everything that is learned; the result's ``chosen_on`` states how they were chosen."""

    tiers: worlds.TierSettings = field(default_factory=worlds.TierSettings)
    adaptive: AdaptiveSettings = field(default_factory=AdaptiveSettings)
    prices: ActionPrices = field(default_factory=ActionPrices)
    # of filters; the one whose policy wastes least on development words is used
    tolerances: tuple = (0.001, 0.003)
    n_adapt: int = 1200  # training words to learn weights and alphas on; n-grams are counted on all
    n_learn: int = 900  # training words to learn policies on
    n_dev: int = 400  # development words to judge them on


SHARES = (0.8, 0.6, 0.4, 0.25, 0.1)
"""Candidates for the share that rounds use (`LearnedFold.together`)."""


class LearnedFold(NamedTuple):
    """What a fold has learned."""

    model: AdaptiveModel  # one model filters and predicts
    two: AdaptiveModel  # two: a filter trained only to filter, and a predictor trained to follow it
    # greedy, spc_pi, order_only (blocks, D): policies: of the next action alone with both channels, and the
    # two of `REACHES`
    greedy: np.ndarray
    spc_pi: np.ndarray
    order_only: np.ndarray
    # SPC-pi in rounds: the least share of the best value, the one of `SHARES` that wastes least on
    # development words
    together: float
    chains: np.ndarray  # (T - 1, D'): DMS-pi's policy


class StoredFold(NamedTuple):
    """The contents of a `LearnedFold` without counted n-grams; weights of states are as from `theta_of`."""

    theta: np.ndarray
    theta_filters: np.ndarray
    theta_predicts: np.ndarray
    tolerance: float
    alphas: np.ndarray
    first_alpha: float
    two_alphas: np.ndarray
    two_first_alpha: float
    spc_pi: np.ndarray
    greedy: np.ndarray
    order_only: np.ndarray
    together: float
    chains: np.ndarray


def world_of(data, fold, settings, folder=None, tick=None):
    """The `WordSplits` of a data set ("ocr", "open") and fold; the open vocabulary has only fold 0."""
    scores = worlds.scores_of_fold(fold if data == "ocr" else 0, settings.tiers, folder, tick)["scores"]
    return worlds.ocr(fold, scores) if data == "ocr" else worlds.open_words(scores)


def key_of(data, fold, settings):
    """Everything except code that a fold's cached work depends on."""
    key = {"data": data, "fold": fold, "settings": asdict(settings), "random_state": RANDOM_STATE}
    key["words"] = data_digest("ocr")
    if data == "open":
        key["open"] = digest_of_arrays(open_data.arrays_of(open_data.load_composed()))
    return key


def learn(data, fold, settings, world, folder=None, tick=None):
    """Train what a fold learns, or find it in the work folder: a `LearnedFold`."""
    return learned_of(stored_of(data, fold, settings, world, folder, tick), world.weights)


def stored_of(data, fold, settings, world, folder=None, tick=None):
    """The same in its stored form."""
    key, form = key_of(data, fold, settings), tree_of(StoredFold)
    make = partial(_learn, fold, settings, world, tick)
    return load_or_compute(folder, f"hybrid-{data}{fold}-learned", key, CODE, make, form)


def learned_of(stored, weights):
    """A `LearnedFold` from its stored form and the counted n-grams."""
    one, filters, predicts = (_with(weights, np.array(theta)) for theta in stored[:3])
    alphas, two_alphas = np.array(stored.alphas), np.array(stored.two_alphas)
    return LearnedFold(
        AdaptiveModel(one, one, True, alphas, stored.first_alpha),
        AdaptiveModel(filters, predicts, False, two_alphas, stored.two_first_alpha),
        *(np.array(beta) for beta in (stored.greedy, stored.spc_pi, stored.order_only)),
        stored.together,
        np.array(stored.chains),
    )


def _with(weights, theta):
    return weights._replace(**dict(zip(("ink", "text", "letter"), theta)))


def _learn(fold, settings, world, tick):
    adapt, parts = (few(world.parts, n) for n in (settings.n_adapt, settings.n_learn))
    dev = world.dev.some(np.arange(min(settings.n_dev, len(world.dev.starts) - 1)))[0]
    tried = []
    for tolerance in settings.tolerances:
        learned = _with_policy(fold, adapt, parts, dev, world, settings, tolerance)
        tried.append((_measure_badness(dev, *learned, settings), tolerance, *learned))
    _, tolerance, model, learned = min(tried, key=lambda trial: trial[:2])
    _say(tick, "one model and its policy")
    rng = np.random.default_rng([RANDOM_STATE, fold, 1])
    two = separate(adapt, world.weights, replace(settings.adaptive, tolerance=tolerance), rng)
    _say(tick, "two models")
    reach = REACHES["spc_pi"]
    share = policy.best_share(dev, model, settings.prices, reach, learned.beta, SHARES)
    only = policy.train(parts, dev, model, settings.prices, REACHES["order_only"], rng)
    _say(tick, "order_only")
    theta = theta_of(model.filters)
    some = parents.all_chains(world, theta, settings.n_learn, rng)
    costs = np.tile(settings.prices.tiers, (some.shape[0], 1))
    chains = part_policy.train(some, rng, costs, per_cost=True)[0].beta
    _say(tick, "dms_pi")
    thetas = theta, theta_of(two.filters), theta_of(two.predicts)
    alphas = model.alphas, float(model.first_alpha), two.alphas, float(two.first_alpha)
    return StoredFold(*thetas, tolerance, *alphas, learned.beta, learned.myopic, only.beta, share, chains)


def _with_policy(fold, adapt, parts, dev, world, settings, tolerance):
    """(model, policy of both channels) with filters of a tolerance."""
    rng = np.random.default_rng([RANDOM_STATE, fold])
    model = adapt_model(adapt, world.weights, replace(settings.adaptive, tolerance=tolerance), rng)
    return model, policy.train(parts, dev, model, settings.prices, REACHES["spc_pi"], rng)


def _measure_badness(dev, model, learned, settings):
    rule = policy.rule_of(model, settings.prices, REACHES["spc_pi"], beta=learned.beta)
    return policy.badness(dev, model, settings.prices, rule, REACHES["spc_pi"])


def _say(tick, what):
    if tick is not None:
        tick(what)


def adapt_model(parts, weights, settings, rng):
    """The model of all states: alphas for the first weights, then its weights, then alphas for those."""
    model = adaptive.tune(parts, begin(weights), settings, rng)
    theta = adaptive.fit(parts, model, settings, rng, share=SHARE)
    return adaptive.tune(parts, adaptive.with_weights(model, *theta), settings, rng)


def separate(parts, weights, settings, rng):
    """Two models: one learned for filtering alone, and after it one for predicting alone."""
    model = adaptive.tune(parts, begin(weights), settings, rng)
    theta = adaptive.fit(parts, model, settings, rng, share=(1.0, 0.0))
    model = adaptive.tune(parts, adaptive.with_weights(model, *theta), settings, rng)
    theta = adaptive.fit(parts, model._replace(predicts=weights), settings, rng, share=(0.0, 1.0))
    return model._replace(predicts=_with(weights, theta), is_one=False)


def begin(weights):
    """The model that learning begins with: filters that keep most."""
    model = adaptive.start_model(weights)
    return model._replace(alphas=np.full_like(model.alphas, LOOSE), first_alpha=LOOSE)


LOOSE = 0.0
"""Alpha of the filters that learning begins with."""

SHARE = (0.25, 1.0)
"""Shares of the filter's hinge and of the predictor's in the one model."""


def theta_of(weights):
    """Weights of all states, (3, T, N)."""
    return np.stack([weights.ink, weights.text, weights.letter])


def few(parts, n_words):
    """The first words of each part, at most `n_words` in all."""
    counts = [min(n_words // len(parts), len(part.batch.starts) - 1) for part in parts]
    return [AdaptivePart(p.batch.some(np.arange(n))[0], p.weights) for p, n in zip(parts, counts)]


def settings_for(quick=False):
    """The chosen settings; if `quick`, few passes over few words."""
    if not quick:
        return HybridSettings()
    few_passes = worlds.TierSettings(epochs=1), AdaptiveSettings(epochs=1, rounds=1)
    return HybridSettings(*few_passes, n_adapt=150, n_learn=150, n_dev=60)


N_FOLDS = letters.N_FOLDS
