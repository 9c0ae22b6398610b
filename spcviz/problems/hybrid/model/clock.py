"""Workloads on which SPC-pi's times are measured: controllers on lattices, fixed cascades on words."""

import numpy as np

from spcviz.learning.hybrid import policy
from spcviz.learning.hybrid.policy import Reach
from spcviz.problems.hybrid.data import worlds
from spcviz.problems.hybrid.model import fold as folds
from spcviz.problems.hybrid.model import parents, times, whole_words
from spcviz.problems.words.model.folds import N_TIERS
from spcviz.shared.work.disk_cache import load_or_compute

CLOCK_CODE = ("spcviz.problems.hybrid.model.times",)
BOTH = Reach(worlds.N_ORDERS, N_TIERS)


def clock_of(data, settings, folder):
    """Times on a data set, measured once on its fold 0."""

    def make():
        world = folds.world_of(data, 0, settings, folder)
        learned = folds.learn(data, 0, settings, world, folder)
        rules = [named[1:] for named in rules_of(world.test, learned, settings) if named[0] != "greedy"]
        fixed, read = whole_words_of(world, learned, ("dev",))
        how = learned.model, rules, learned.chains, settings.prices
        clock, of_parents = times.measure(world, *how, fixed, whole_words.fit(read["dev"]))
        return {"clock": clock._asdict(), "parents_us": of_parents}

    key = folds.key_of(data, 0, settings)
    return load_or_compute(folder, f"hybrid-{data}-clock", key, CLOCK_CODE, make)


def rules_of(batch, learned, settings):
    """(name, Rule, whether it values actions) of every controller of lattices."""
    model, prices = learned.model, settings.prices
    noise = np.random.default_rng(folds.RANDOM_STATE).random((len(batch.labels), len(model.alphas)))
    order_only = policy.rule_of(model, prices, folds.REACHES["order_only"], beta=learned.order_only)
    return [
        ("spc_pi", policy.rule_of(model, prices, BOTH, beta=learned.spc_pi), True),
        ("rounds", policy.rule_of(model, prices, BOTH, beta=learned.spc_pi, together=learned.together), True),
        ("order_only", order_only, True),
        ("greedy", policy.rule_of(model, prices, BOTH, beta=learned.greedy), True),
        ("random", policy.rule_of(model, prices, BOTH, noise=noise), False),
    ]


def whole_words_of(world, learned, splits):
    """Fixed cascades of each tier, and their readings of words: `whole_words.Read` by split."""
    theta = folds.theta_of(learned.model.filters)
    cascades = tuple(parents.cascade(world, theta, tier) for tier in range(N_TIERS))
    return cascades, {name: whole_words.read(world, theta, cascades, getattr(world, name)) for name in splits}
