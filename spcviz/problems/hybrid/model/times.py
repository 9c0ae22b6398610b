"""Time every kind of action, and the parents' inference, by one clock in one run, on a data set's own words.

All calls are made in turn, round after round, and the least time of each counts (`least_us`), so that
other load on the machine spoils no comparison. Features and scores are timed separately. The lattice's costs
are estimated from whole trajectories, including the queue that orders them, as the non-negative least squares
solution of

    us = letters * a + sweeps * b + arcs made * c + arcs that messages went over * d + actions valued * e

A sweep is an action, or a round of them. A controller pays e for every action that it values; the random one
values none.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.factors import merge_queues
from spcviz.learning.hybrid import policy
from spcviz.learning.hybrid.policy import Reach
from spcviz.problems.hybrid.model import fold as folds
from spcviz.problems.hybrid.model import parents, whole_words, worlds
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.words.model.folds import N_TIERS, tier_edges
from spcviz.shared.clock import least_us
from spcviz.shared.work.disk_cache import load_or_compute

N_LETTERS, N_WORDS, ROUNDS, BATCH = 200, 128, 15, 64
CAPS = (0, 2, 5, 10, None)
"""Trajectories of at most this many actions per word are timed."""

BOTH = Reach(worlds.N_ORDERS, N_TIERS)
CLOCK_CODE = ("spcviz.problems.hybrid.model.times",)


class ActionTimes(NamedTuple):
    """Times in microseconds."""

    # feature, score (T): a letter's features of a tier (tier 0 is free), and its 26 scores from all features
    # up to the tier
    feature: list
    score: list
    # letter, action, made, passed, valued: see the module; `letter` is a letter's share of beginning a word
    # and of reading it at the end, `action` is per sweep
    letter: float
    action: float
    made: float
    passed: float
    valued: float
    misfit: float  # relative error of a trajectory's time predicted from these, root mean square


def clock_of(data, settings, folder):
    """Times on a data set, measured once on its fold 0."""

    def make():
        world = folds.world_of(data, 0, settings, folder)
        learned = folds.learn(data, 0, settings, world, folder)
        rules = [named[1:] for named in rules_of(world.test, learned, settings) if named[0] != "greedy"]
        fixed, read = whole_words_of(world, learned, ("dev",))
        how = learned.model, rules, learned.chains, settings.prices
        clock, of_parents = measure(world, *how, fixed, whole_words.fit(read["dev"]))
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
    """Fixed cascades of each tier, and their readings of words: `whole_words.CascadeReadings` by split."""
    theta = folds.theta_of(learned.model.filters)
    cascades = tuple(parents.cascade(world, theta, tier) for tier in range(N_TIERS))
    return cascades, {name: whole_words.read(world, theta, cascades, getattr(world, name)) for name in splits}


def measure(
    world: worlds.WordSplits,
    model,
    rules: Sequence,
    chains_beta: np.ndarray,
    prices: policy.ActionPrices,
    fixed: Sequence,
    predictor: whole_words.Predictor,
) -> tuple[ActionTimes, dict]:
    """Time everything on the first `N_WORDS` test words: the clock, and the parents' microseconds.

    `rules` are (controller, whether it values actions), `fixed` the cascades of each tier. ``spc`` is the
    time per word by tier and order, ``spc_hard`` that per letter in the half of the words that `predictor`
    would reread first.
    """
    some = world.test.some(np.arange(min(N_WORDS, len(world.test.starts) - 1)))[0]
    rows, courses = [], []
    for rule, is_valuing in rules:
        rule = rule._replace(fixed=rule.fixed[: len(some.labels)])
        for cap in CAPS:
            course = policy.course(some, model, rule, most=cap)
            work = course.work.sum(axis=0)
            valued = course.begun[:, 1].sum() + work[2] if is_valuing else 0
            rows.append([len(some.labels), work[4], *work[:2], valued])
            courses.append(_course(some, model, rule, cap))
    theta = np.stack([model.filters.ink, model.filters.text, model.filters.letter])
    chains = parents.chains(world, theta, some)
    mended = whole_words.predict_mended(predictor, whole_words.look(chains)).max(axis=1)
    hard = some.some(np.sort(np.argsort(-mended)[: len(mended) // 2]))[0]
    pixels, scores, cascades = _features(), _scores(), _cascades(fixed, some)
    on_hard = _cascades(fixed, hard)
    looks = [lambda: whole_words.predict_mended(predictor, whole_words.look(chains))]
    how = part_policy.rule(chains_beta, per_cost=True)
    spend = partial(part_policy.spend, chains, how, costs=np.tile(prices.tiers, (chains.shape[0], 1)))
    spends = [partial(spend, 0.0), spend]
    kinds = (courses, pixels, scores, cascades, spends, on_hard, looks)
    taken = iter(least_us([call for calls in kinds for call in calls], ROUNDS))
    us, pixels, scores, spc, (begin, whole), spc_hard, looks = (
        np.array([next(taken) for _ in calls]) for calls in kinds
    )
    fitted, rest = nnls(np.array(rows, dtype=float) / us[:, None], np.ones(len(us)))  # equal weights
    per_letter = [0.0, *(pixels / N_LETTERS).tolist()], (scores / N_LETTERS).tolist()
    clock = ActionTimes(*per_letter, *fitted.tolist(), float(rest / np.sqrt(len(us))))
    n_words, n_letters = len(some.starts) - 1, len(some.labels)
    action = max(whole - begin, 0.0) / (n_letters * (N_TIERS - 1))
    return clock, {
        "spc": (spc.reshape(N_TIERS, -1) / n_words).tolist(),
        "spc_hard": (spc_hard.reshape(N_TIERS, -1) / len(hard.labels)).tolist(),
        "dms_pi": {"letter": begin / n_letters, "action": action},
        "whole_words": float(looks[0] / n_letters),
    }


def _course(batch, model, rule, cap):
    def call():
        course = policy.course(batch, model, rule, most=cap, keep_labels=False)
        merge_queues(course.value, course.starts)

    return call


def _features():
    """Calls that compute the features of tiers 1 and 2 for `N_LETTERS` letters."""
    pixels = letters.load_words().pixels[:N_LETTERS].astype(np.float64)
    border = np.pad(pixels, ((0, 0), (1, 1), (1, 1)))
    return [lambda i=images, c=cell: letters.batch_hog(i, c) for images, cell in ((border, 3), (pixels, 2))]


def _scores():
    """Calls that score `N_LETTERS` letters one by one from all features up to each tier."""
    rng, calls = np.random.default_rng(0), []
    for edge in tier_edges():
        inputs = rng.random((N_LETTERS, edge), dtype=np.float32)
        weights = rng.random((edge, letters.N_STATES), dtype=np.float32)
        calls.append(lambda x=inputs, w=weights: [row @ w for row in x])
    return calls


def _cascades(fixed, batch):
    """Calls that read a batch with the cascades of each tier and order."""
    calls, n = [], len(batch.starts) - 1
    parts = [batch.some(np.arange(first, min(first + BATCH, n)))[0] for first in range(0, n, BATCH)]
    for tier, cascade in enumerate(fixed):
        batches = [(parents.features_of(some, tier), np.diff(some.starts)) for some in parts]
        for order in range(1, worlds.N_ORDERS + 1):
            calls.append(lambda c=cascade, n=order, b=batches: [parents.read(c, n, *one) for one in b])
    return calls


def begun_us(clock, batch, course, is_valuing):
    """Microseconds of a whole batch before the first action."""
    n = len(batch.labels)
    valued = clock.valued * course.begun[:, 1].sum() if is_valuing else 0.0
    return n * (clock.score[0] + clock.letter) + valued


def action_us(clock, course, n_orders, is_valuing):
    """Microseconds of each action of a trajectory, shape (S,)."""
    us = clock.action * course.work[:, 4] + clock.made * course.work[:, 0] + clock.passed * course.work[:, 1]
    if is_valuing:
        us = us + clock.valued * course.work[:, 2]
    return us + bought_us(clock)[np.maximum(course.block - n_orders + 2, 0)]


def bought_us(clock):
    """Microseconds of lifting a letter to each tier, shape (T,): features and scores; 0 for tier 0."""
    return np.array([0.0, *(clock.feature[t] + clock.score[t] for t in range(1, N_TIERS))])
