"""Computations of the budget pages: purchases replay, never overspend, and end with everything bought."""

from pathlib import Path

import numpy as np
import pytest

from spcviz.engine.errors import SpcvizError
from spcviz.learning.budgets import part_policy
from spcviz.problems.words.model import stored
from spcviz.problems.words.model.folds import N_TIERS
from spcviz.problems.words.page import live
from spcviz.problems.words.shown import OFFERED
from tests.problems.budgets.purchases import assert_all_bought_in_order

CACHE = Path(__file__).parents[3] / "cache" / "models"


@pytest.fixture(scope="module")
def model():
    return stored.load(CACHE)


@pytest.fixture(scope="module")
def found(model):
    return live.compare(model, live.draw(model, 20, 3))


def wrong(readings, truths):
    return sum(a != b for r, t in zip(readings, truths) for a, b in zip(r, t))


def test_every_method_buys_everything_once(found):
    assert [m.name for m in found.methods] == list(OFFERED)
    for method in found.methods:
        assert_all_bought_in_order(found, method)
        assert (method.us > 0).all()


def test_words_read_by_plain_models_and_letters_by_the_tiered_one(model, found):
    words = live.draw(model, 20, 3)
    last = {m.name: dict(zip(m.chain, m.readings)) for m in found.methods}
    assert tuple(last["dms"][w] for w in range(20)) == found.hand_readings[-1]
    parts, _ = model.parts.some(words)
    course = part_policy.spend(parts, part_policy.rule(model.learned.policy))
    all_bought = live._spell_labels(course.labels, parts.starts)
    assert tuple(last["dms_pi"][w] for w in range(20)) == all_bought


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 1.0])
def test_a_prefix_is_what_algorithm_5_buys_with_that_budget(model, found, share):
    words = live.draw(model, 20, 3)
    parts, _ = model.parts.some(words)
    budget = np.floor(share * found.full_units)
    course = part_policy.spend(parts, part_policy.rule(model.learned.policy), budget)
    assert course.cost.sum() <= budget
    method = next(m for m in found.methods if m.name == "dms_pi")
    n = int((np.cumsum(method.units) <= budget).sum())
    readings = list(method.start_readings)
    for w, reading in zip(method.chain[:n], method.readings[:n]):
        readings[w] = reading
    assert tuple(readings) == live._spell_labels(course.labels, parts.starts)


def test_learned_spending_beats_random_spending(model):
    trade_off = live.compare(model, live.draw(model, 200, 0))
    errors = {}
    for method in trade_off.methods:
        n = int((np.cumsum(method.units) <= 0.1 * trade_off.full_units).sum())
        readings = list(method.start_readings)
        for w, reading in zip(method.chain[:n], method.readings[:n]):
            readings[w] = reading
        errors[method.name] = wrong(readings, trade_off.truths)
    assert errors["dms_pi"] < errors["uniform"]
    assert errors["dms"] < errors["fixed"]


@pytest.mark.parametrize("q", [0.0, 0.25, 0.75])
def test_a_trace_tells_one_word(model, q):
    word = live.trace_word(model, 7, q=q)
    length = len(word.truth)
    for trace in word.traces:
        n = len(trace.position)
        assert n == (N_TIERS - 1) * length
        assert trace.tiers.shape == trace.values.shape == (n + 1, length)
        assert (np.diff(trace.tiers, axis=0).sum(axis=1) == 1).all()
        assert (np.diff(trace.us) > 0).all()
        assert trace.units[-1] == word.full_units
        assert (trace.messages <= trace.full_messages).all()
        assert np.isnan(trace.values[-1]).all()
        for ends, direction in ((trace.forward, 1), (trace.backward, -1)):
            moved = ends[:, 0] >= 0
            assert (direction * (ends[moved, 1] - ends[moved, 0]) > 0).all()
            assert not moved[0]
    if q == 0.0:
        again = live.trace_word(model, 7, q=q)
        assert [t.readings for t in again.traces] == [t.readings for t in word.traces]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (([], "library"), "words"),
        (([0] * 201, "library"), "words"),
        (([-1], "library"), "words"),
        (([10**6], "library"), "words"),
        ((["x"], "library"), "words"),
        (([0], "télé"), "extractor.*télé"),
    ],
)
def test_bad_batches_are_refused(model, arguments, match):
    with pytest.raises(SpcvizError, match=match):
        live.compare(model, *arguments)


@pytest.mark.parametrize("q", [-0.1, 1.0, np.nan, "a"])
def test_bad_tolerances_are_refused(model, q):
    with pytest.raises(SpcvizError, match="q"):
        live.trace_word(model, 0, q=q)
