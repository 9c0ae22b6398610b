"""Theorems 1 and 2 against their formulas written out, and the directions in which they must move (Q18)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError
from spcviz.learning.cascade.bounds import CONSTANT, margin_loss, theorem_1, theorem_2
from tests.oracles import chain as oracle

USUAL = {"n_samples": 6877, "n_assignments": 4940, "n_factors": 15, "norm": 2.0, "margin": 0.5, "delta": 0.1}
SETTINGS = st.fixed_dictionaries(
    {
        "n_samples": st.integers(1, 10**9),
        "n_assignments": st.floats(1, 1e6),
        "n_factors": st.floats(1, 1e4),
        "norm": st.floats(0, 1e3),
        "margin": st.floats(1e-3, 1e3),
        "delta": st.floats(1e-9, 0.999),
    }
)


@given(gap=st.floats(-1e6, 1e6), margin=st.floats(1e-3, 1e3))
def test_margin_loss_is_the_ramp(gap, margin):
    """(4.10): 1 below 0, 1 - z / gamma between, 0 above gamma; never under the loss it bounds."""
    loss = float(margin_loss(gap, margin))
    assert loss == pytest.approx(1.0 if gap < 0 else 0.0 if gap > margin else 1.0 - gap / margin, abs=1e-12)
    assert loss >= (gap <= 0)
    assert loss <= float(margin_loss(gap, 2 * margin))


def test_margin_loss_at_its_corners():
    assert margin_loss([-np.inf, -1.0, 0.0, 1.0, 2.0, 3.0, np.inf], 2.0).tolist() == [1, 1, 1, 0.5, 0, 0, 0]
    assert margin_loss(np.zeros((2, 3)), 1.0).shape == (2, 3)


@given(empirical=st.floats(0, 1), settings=SETTINGS)
def test_the_formula(empirical, settings):
    bound = theorem_1(empirical, **settings)
    n, m, factors = settings["n_samples"], settings["n_assignments"], settings["n_factors"]
    complexity = 4 * math.sqrt(math.pi) * m * settings["norm"] * math.sqrt(factors)
    complexity /= settings["margin"] * math.sqrt(n)
    confidence = math.sqrt(8 * math.log(2 / settings["delta"]) / n)
    assert bound.empirical == empirical
    assert_allclose([bound.complexity, bound.confidence], [complexity, confidence], rtol=1e-12)
    assert_allclose(bound.total, empirical + complexity + confidence, rtol=1e-12)
    assert bound.is_vacuous == (bound.total >= 1)
    assert all(type(field) is float for field in (*bound[1:4], bound.samples_needed))
    assert type(bound.is_vacuous) is bool


def test_a_case_by_hand():
    """m = 2, |F| = 4, gamma = 2, n = 100, delta = 2 / e^2: 4 sqrt(pi) 2 2 / (2 10) and sqrt(16) / 10."""
    settings = {"n_assignments": 2, "n_factors": 4, "margin": 2.0, "delta": 2 / math.e**2}
    bound = theorem_1(0.25, n_samples=100, **settings)
    assert_allclose(bound[:4], [0.25, 0.8 * math.sqrt(math.pi), 0.4, 0.65 + 0.8 * math.sqrt(math.pi)])
    assert bound.is_vacuous
    assert_allclose(CONSTANT, 4 * math.sqrt(math.pi))
    assert not theorem_1(0.25, n_samples=10_000, **settings).is_vacuous


@given(empirical=st.floats(0, 0.99), settings=SETTINGS, factor=st.floats(1.01, 100))
def test_the_bound_moves_as_it_must(empirical, settings, factor):
    bound = theorem_1(empirical, **settings)

    def changed(name, by):
        value = settings[name] * by
        return theorem_1(empirical, **settings | {name: math.ceil(value) if name == "n_samples" else value})

    more = changed("n_samples", 2)
    assert more.total < bound.total
    assert more.complexity <= bound.complexity
    assert more.confidence < bound.confidence
    for name in ("n_assignments", "norm", "n_factors"):
        assert changed(name, factor).complexity >= bound.complexity * (1 + 1e-4 * (settings["norm"] > 1e-300))
        assert changed(name, factor).confidence == bound.confidence
    assert changed("margin", factor).complexity <= bound.complexity
    assert changed("delta", 1 / factor).confidence > bound.confidence
    # In a bound of 1e14 or more, a hundredth is lost in rounding.
    assert theorem_1(empirical + 0.01, **settings).total > bound.total * (1 - 1e-15) + 0.009 * (
        bound.total < 1e9
    )


@given(empirical=st.floats(0, 0.99), settings=SETTINGS)
def test_samples_needed_brings_the_total_to_one(empirical, settings):
    needed = theorem_1(empirical, **settings).samples_needed
    if 1 <= needed < 2**59:
        exact = theorem_1(empirical, **settings | {"n_samples": max(round(needed), 1)})
        assert exact.total == pytest.approx(1, abs=0.5 / needed + 1e-9)
        assert not theorem_1(empirical, **settings | {"n_samples": math.ceil(1.01 * needed) + 1}).is_vacuous
        assert needed < 200 or theorem_1(empirical, **settings | {"n_samples": int(0.99 * needed)}).is_vacuous
    bound = theorem_1(empirical, **settings)
    assert bound.is_vacuous or settings["n_samples"] >= needed * (1 - 1e-9)


def test_a_sample_that_loses_everything_never_gets_better():
    bound = theorem_1(1.0, **USUAL)
    assert bound.is_vacuous
    assert bound.samples_needed == np.inf


def test_the_total_of_one_is_vacuous():
    """The losses are at most 1, so a bound of 1 says nothing."""
    bound = theorem_1(0.5, n_samples=2**50, n_assignments=1, n_factors=1, norm=0.0)
    assert not bound.is_vacuous
    assert theorem_1(1.0, n_samples=2**60, n_assignments=1, n_factors=1, norm=0.0, delta=0.999).is_vacuous


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("empirical", -0.1, "empirical must satisfy 0 <= empirical <= 1, got -0.1"),
        ("empirical", 1.1, "empirical must satisfy"),
        ("empirical", math.nan, "empirical must satisfy .* got nan"),
        ("n_samples", 0, "n_samples must be a whole number from 1 to .*, got 0"),
        ("n_samples", 2.5, "n_samples must be a whole number"),
        ("n_assignments", 0.5, "n_assignments must be a number from 1 to inf, got 0.5"),
        ("n_assignments", math.inf, "n_assignments must be a number"),
        ("n_factors", 0, "n_factors must be a number from 1"),
        ("norm", -1, "norm must be a number from 0"),
        ("norm", math.nan, "norm must be a number from 0 to inf, got nan"),
        ("margin", 0, "margin must be a number from 1e-300"),
        ("margin", "1", "margin must be a number"),
        ("delta", 0, "delta must be a number from 1e-300"),
        ("delta", 1, "delta must satisfy 0 <= delta < 1, got 1"),
    ],
)
def test_bad_arguments(name, value, message):
    with pytest.raises(ArgumentError, match=message):
        theorem_1(**{"empirical": 0.1} | USUAL | {name: value})


@pytest.mark.parametrize("margin", [0, -1.0, math.nan, math.inf, None])
def test_bad_margins(margin):
    with pytest.raises(ArgumentError, match="margin must be a number"):
        margin_loss(0.0, margin)


@given(empirical=st.floats(0, 1), settings=SETTINGS, n_models=st.integers(1, 1000))
def test_theorem_2_is_theorem_1_with_p_times_the_complexity(empirical, settings, n_models):
    one, printed = theorem_1(empirical, **settings), theorem_2(empirical, n_models=n_models, **settings)
    tight = theorem_2(empirical, n_models=n_models, is_tight=True, **settings)
    assert_allclose(printed.complexity, n_models * one.complexity, rtol=1e-12, atol=1e-300)
    assert_allclose(tight.complexity, math.sqrt(n_models) * one.complexity, rtol=1e-12, atol=1e-300)
    assert printed.empirical == tight.empirical == empirical
    assert printed.confidence == tight.confidence == one.confidence
    assert one.total <= tight.total <= printed.total
    assert n_models > 1 or printed == tight == one


def joint_lead(tables, truth, alpha):
    """Truth minus threshold, added over sub-models, by enumeration; tables (P, L, K), one factor per node."""
    lead = 0.0
    for unary in tables:
        length, k = unary.shape
        best, node, _ = oracle.tables(unary, np.zeros((k, k)), np.max)
        lead += unary[np.arange(length), truth].sum() - alpha * best - (1 - alpha) * node.mean()
    return lead


def test_the_joint_lead_changes_no_faster_than_theorem_2_says():
    """Lipschitz constants in the 2-norm of all scores: sqrt(2 |F|) sqrt(P), derived, is enough."""
    rng = np.random.default_rng(0)
    closest = 0.0
    for _ in range(300):
        shape = (rng.integers(1, 4), rng.integers(1, 4), 3)
        tables, truth, alpha = rng.normal(size=shape), rng.integers(0, 3, shape[1]), rng.random()
        step = rng.normal(size=shape) * 10 ** rng.uniform(-3, 1)
        if rng.random() < 0.5:  # the steepest direction: up at the truth of every sub-model, down at the best
            step = np.zeros(shape)
            for p in range(shape[0]):
                step[p, np.arange(shape[1]), truth] += 1
                step[p, np.arange(shape[1]), tables[p].argmax(axis=1)] -= 1
            step *= 1e-3
        change = abs(joint_lead(tables + step, truth, alpha) - joint_lead(tables, truth, alpha))
        allowed = np.sqrt(2 * shape[1]) * np.sqrt(shape[0]) * np.linalg.norm(step)
        assert change <= allowed + 1e-9
        closest = max(closest, change / allowed if allowed else 0.0)
    assert closest > 0.9  # the constant can nearly be reached


@pytest.mark.parametrize("n_models", [0, -1, 1.5, None])
def test_bad_numbers_of_models(n_models):
    with pytest.raises(ArgumentError, match="n_models must be a whole number from 1"):
        theorem_2(0.1, n_models=n_models, **USUAL)


def test_theorem_2_refuses_what_theorem_1_does():
    with pytest.raises(ArgumentError, match="norm must be a number from 0 to inf, got -1"):
        theorem_2(0.1, n_models=2, **USUAL | {"norm": -1})
    with pytest.raises(ArgumentError, match="margin must be a number"):
        theorem_2(0.1, n_models=2, **USUAL | {"margin": 0})
