"""Microseconds of every kind of action, by the process's own clock, in tight loops.

Features and scores are timed by themselves. What the lattice costs is found from whole courses: each is timed
on the same words, and the least non-negative squares of

    us = letters * a + actions * b + arcs made * c + arcs that messages went over * d + actions valued * e

are the costs of a kind. A controller pays e for every action that it values; what goes by chance does not.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from spcviz.learning.hybrid import policy as policies
from spcviz.problems.common.clock import median_us
from spcviz.problems.letters import data as letters
from spcviz.problems.letters.hog import batch_hog
from spcviz.problems.words.folds import N_TIERS, tier_edges

N_LETTERS, N_WORDS, REPEATS = 200, 40, 5
CAPS = (0, 3, 10, None)
"""Courses of at most so many actions a word are timed."""


class Clock(NamedTuple):
    """Microseconds.

    Attributes
    ----------
    feature, score : list of float, length T
        A letter's features of a tier (tier 0 is free), and its 26 scores from all features up to the tier.
    letter, action, made, passed, valued : float
        See the module; `letter` is a letter's share of a word's beginning and of reading it at the end.
    """

    feature: list
    score: list
    letter: float
    action: float
    made: float
    passed: float
    valued: float


def measure(batch, model, rules):
    """Time everything.

    Parameters
    ----------
    batch : Batch
        The first `N_WORDS` of its words are timed.
    model : Model
    rules : sequence of (Rule, bool)
        Controllers, and whether they value actions.

    Returns
    -------
    Clock
    """
    some = batch.some(np.arange(min(N_WORDS, len(batch.starts) - 1)))[0]
    rows, taken = [], []
    for rule, is_valuing in rules:
        rule = rule._replace(fixed=rule.fixed[: len(some.labels)])
        for cap in CAPS:
            found = policies.course(some, model, rule, most=cap)
            valued = found.begun[:, 1].sum() + found.work[:, 2].sum() if is_valuing else 0
            rows.append([len(some.labels), len(found.row), *found.work[:, :2].sum(axis=0), valued])
            call = _call(some, model, rule, cap)
            taken.append(median_us(call, REPEATS))
    rows, taken = np.array(rows, dtype=float), np.array(taken)
    found, _ = nnls(rows / taken[:, None], np.ones(len(taken)))  # every course counts alike
    return Clock(*_features(), *found.tolist())


def _call(batch, model, rule, cap):
    return lambda: policies.course(batch, model, rule, most=cap, keep_labels=False)


def _features():
    pixels = letters.load_words().pixels[:N_LETTERS].astype(np.float64)
    border = np.pad(pixels, ((0, 0), (1, 1), (1, 1)))
    feature = [0.0] + [
        median_us(lambda i=images, c=cell: batch_hog(i, c), REPEATS) / N_LETTERS
        for images, cell in ((border, 3), (pixels, 2))
    ]
    rng, score = np.random.default_rng(0), []
    for edge in tier_edges():
        inputs = rng.random((N_LETTERS, edge), dtype=np.float32)
        weights = rng.random((edge, letters.N_STATES), dtype=np.float32)
        score.append(median_us(lambda x=inputs, w=weights: [row @ w for row in x], REPEATS) / N_LETTERS)
    return feature, score


def begun_us(clock, batch, found, is_valuing):
    """Microseconds of a whole batch before the first action."""
    n = len(batch.labels)
    valued = clock.valued * found.begun[:, 1].sum() if is_valuing else 0.0
    return n * (clock.score[0] + clock.letter) + valued


def action_us(clock, found, n_orders, is_valuing):
    """Microseconds of each action of a course, shape (S,)."""
    us = clock.action + clock.made * found.work[:, 0] + clock.passed * found.work[:, 1]
    if is_valuing:
        us = us + clock.valued * found.work[:, 2]
    return us + bought_us(clock)[np.maximum(found.block - n_orders + 2, 0)]


def bought_us(clock):
    """Microseconds of lifting a letter to each tier, shape (T,): features and scores; 0 for tier 0."""
    return np.array([0.0, *(clock.feature[t] + clock.score[t] for t in range(1, N_TIERS))])
