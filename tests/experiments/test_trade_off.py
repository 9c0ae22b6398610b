"""The pages' functions on the committed model: budgets kept, courses, traces that replay, refusals."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.experiments import budget_models, trade_off
from spcviz.experiments.budget_ocr import N_TIERS

MODELS = Path(__file__).parents[2] / "cache" / "models"


@pytest.fixture(scope="module")
def model():
    return budget_models.load(MODELS)


WORDS = list(range(20, 60))


@pytest.mark.parametrize("method", trade_off.METHODS)
@pytest.mark.parametrize("cost_kind", budget_models.COST_KINDS)
def test_budget_is_kept_and_the_course_agrees(model, method, cost_kind):
    whole = trade_off.trade_off(model, method, np.inf, cost_kind, WORDS)
    assert whole.spent == pytest.approx(whole.all_cost)
    assert (whole.tiers == N_TIERS - 1).all()
    budget = 0.3 * whole.all_cost
    part = trade_off.trade_off(model, method, budget, cost_kind, WORDS)
    assert 0 < part.spent <= budget
    assert_allclose(part.word_cost.sum(), part.spent)
    again = trade_off.trade_off(model, method, budget, cost_kind, WORDS)
    assert_array_equal(part.tiers, again.tiers)
    assert_array_equal(part.labels, again.labels)
    curve = trade_off.trade_off_curve(model, method, cost_kind, WORDS)
    assert_allclose([curve.cost[0], curve.cost[-1]], [0, whole.all_cost])
    assert_allclose(curve.error[-1], whole.error)
    assert_allclose(curve.stopped.sum(axis=1), 100)
    if cost_kind == "units" and method in trade_off.LETTER_METHODS:  # equal costs: a budget cuts the course
        at = np.searchsorted(curve.cost, budget + 1e-9, side="right") - 1
        assert_allclose(curve.error[at], part.error)


def test_nothing_and_everything_by_hand(model):
    n = sum(model.fold.test.lengths[w] for w in WORDS)
    for level, method in (("word", "dms"), ("letter", "dms-pi")):
        for tier in (0, N_TIERS - 1):
            tiers = np.full(n if level == "letter" else len(WORDS), tier)
            mine = trade_off.by_hand(model, tiers, words=WORDS, level=level)
            theirs = trade_off.trade_off(model, method, np.inf if tier else 0, words=WORDS)
            assert_array_equal(mine.labels, theirs.labels)
            assert mine.spent == theirs.spent == tier * n


def test_policies_beat_chance_on_all_test_words(model):
    errors = {
        m: trade_off.trade_off(model, m, 1500).error for m in ("dms-pi", "greedy", "random", "dms", "fixed")
    }
    assert errors["dms-pi"] < 0.6 * errors["random"]
    assert errors["dms"] < errors["fixed"]


@pytest.mark.parametrize(
    "method", ["dms-pi", "dms-pi, as printed", "greedy", "anytime", "one-shot, trajectory, complex"]
)
def test_traces(model, method):
    word, length = 3, int(model.fold.test.lengths[3])
    trace = trade_off.trace_policy(model, word, method)
    assert trace.labels.shape == (len(trace.part) + 1, length) == trace.tiers.shape == trace.values.shape
    assert (trace.tiers[-1] == N_TIERS - 1).all()
    assert np.isnan(trace.values[-1]).all()
    for s, part in enumerate(trace.part):
        assert trace.values[s, part] == np.nanmax(trace.values[s])
        assert trace.tiers[s + 1, part] == trace.tiers[s, part] + 1
        assert trace.first[s] <= part <= trace.last[s]
        exact = trade_off.by_hand(model, trace.tiers[s + 1], words=[word])
        assert_array_equal(exact.labels, trace.labels[s + 1])  # q = 0 is exact
    short = trade_off.trace_policy(model, word, method, budget=4)
    assert short.cost[-1] == 4
    assert_array_equal(short.part, trace.part[:4])
    assert_array_equal(short.values, trace.values[:5])
    quiet = trade_off.trace_policy(model, word, method, q=0.5)
    assert quiet.messages.mean() <= trace.messages.mean() + 1


def test_refusals(model):
    bad = [
        ({"method": "telepathy"}, "method"), ({"budget": -1.0}, "budget"), ({"budget": np.nan}, "budget"),
        ({"cost_kind": "euro"}, "cost_kind"), ({"words": [10**6]}, "words"), ({"words": []}, "words"),
        ({"q": 1.0}, "q "), ({"scale": "wide"}, "scale"),
    ]  # fmt: skip
    for change, named in bad:
        with pytest.raises(ArgumentError, match=named):
            trade_off.trade_off(model, **({"method": "dms-pi", "budget": 5.0} | change))
    with pytest.raises(ArgumentError, match="method"):
        trade_off.trace_policy(model, 0, "dms")
    with pytest.raises(ArgumentError, match="tiers"):
        trade_off.by_hand(model, [0, 1], words=[3])
    with pytest.raises(ArgumentError, match="level"):
        trade_off.by_hand(model, [0], words=[3], level="page")
