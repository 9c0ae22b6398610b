"""Guarantees of filters against simulation over exchangeable draws, and where they promise nothing."""

import math

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.thresholds import filtering, guarantees, rules

N_DRAWS = 1000


def points(rng, kind):
    """Break points of a large population: alphas, margins with ties, some lost from the start or never."""
    if kind == "alphas":
        return np.where(rng.random(20_000) < 0.6, np.inf, rng.normal(0.5, 0.4, 20_000))
    values = -rng.integers(1, 30, 20_000).astype(float)
    values[rng.random(20_000) < 0.7] = np.inf
    values[rng.random(20_000) < 0.01] = -np.inf
    return values


@pytest.mark.parametrize(("kind", "rule"), [("alphas", "mean_max"), ("margins", "margin")])
@pytest.mark.parametrize(("n", "tolerance"), [(60, 0.05), (400, 0.03)])
def test_promises_hold_over_a_thousand_draws(kind, rule, n, tolerance):
    rng = np.random.default_rng(3)
    every = points(rng, kind)
    lost = {"mean": [], 0.9: []}
    for _ in range(N_DRAWS):
        drawn = rng.choice(every, n)
        for guarantee, losses in lost.items():
            setting = _tuned(rule, drawn, tolerance, guarantee)
            losses.append((every <= setting).mean() if setting is not None else 0.0)
    mean, error = np.mean(lost["mean"]), np.std(lost["mean"]) / math.sqrt(N_DRAWS)
    assert mean <= tolerance + 3 * error
    assert mean >= tolerance - 2.5 / n - 3 * error  # no more conservative than necessary
    broken = np.mean(np.array(lost[0.9]) > tolerance)
    assert broken <= 0.1 + 3 * math.sqrt(0.09 / N_DRAWS)
    # A setting tuned without a promise often loses more than it seems to.
    plain = [(every <= _tuned(rule, rng.choice(every, n), tolerance, None)).mean() for _ in range(N_DRAWS)]
    assert np.mean(np.array(plain) > tolerance) > 0.3


def _tuned(rule, drawn, tolerance, guarantee):
    """The setting; None where a promise could not be kept: then nothing is pruned."""
    try:
        return rules.tune_setting(rule, drawn, tolerance, guarantee)
    except InfeasibleError:
        return None


def binomial_tail(n, p, k):
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


@pytest.mark.parametrize("n", [1, 22, 45, 99, 230, 1000])
@pytest.mark.parametrize("tolerance", [0.01, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("certainty", [0.5, 0.9, 0.99])
def test_how_many_may_be_lost_is_the_largest_number_that_keeps_the_promise(n, tolerance, certainty):
    if binomial_tail(n, tolerance, 0) > 1 - certainty:
        with pytest.raises(InfeasibleError, match=r"takes at least \d+ calibration examples, got"):
            guarantees.n_allowed(n, tolerance, certainty)
        return
    k = guarantees.n_allowed(n, tolerance, certainty)
    assert binomial_tail(n, tolerance, k) <= (1 - certainty) * (1 + 1e-9)
    assert k == n or binomial_tail(n, tolerance, k + 1) > (1 - certainty) * (1 - 1e-9)


@pytest.mark.parametrize("guarantee", ["mean", 0.9, 0.5])
@pytest.mark.parametrize("tolerance", [0.01, 0.035, 0.2])
def test_examples_needed_are_just_enough(tolerance, guarantee):
    needed = guarantees.examples_needed(tolerance, guarantee)
    assert guarantees.n_allowed(needed, tolerance, guarantee) >= 0
    if needed > 1:
        with pytest.raises(InfeasibleError, match=f"takes at least {needed} calibration examples"):
            guarantees.n_allowed(needed - 1, tolerance, guarantee)
    never = np.full(needed, np.inf)
    assert filtering.largest_alpha(never, tolerance, guarantee=guarantee) > 0.99


def test_more_lost_from_the_start_than_a_promise_allows_is_refused():
    fallen = np.r_[np.full(10, -np.inf), np.linspace(0, 1, 90)]
    assert filtering.largest_alpha(fallen, 0.05) < 1e-6  # as tuned: no other falls
    with pytest.raises(InfeasibleError, match="10 of 100 calibration examples are lost at any threshold"):
        filtering.largest_alpha(fallen, 0.05, guarantee="mean")


@pytest.mark.parametrize("guarantee", ["Mean", "0.9", 0, 1, 1.0, -0.1, True, float("nan"), [0.9]])
def test_bad_guarantees_are_named(guarantee):
    with pytest.raises(ArgumentError, match=r'guarantee must be None, "mean" or a number over 0 and below 1'):
        filtering.largest_alpha(np.array([0.5]), 0.1, guarantee=guarantee)


def test_nothing_can_be_promised_of_no_loss():
    with pytest.raises(InfeasibleError, match="the tolerance must be over 0"):
        guarantees.n_allowed(10_000, 0.0, "mean")
