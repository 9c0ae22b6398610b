"""The rules of statements: a direction, a level, a margin, and the combined verdict of parts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.statements.rules import (
    ALL,
    BESIDE,
    FAILS,
    HOLDS,
    MOST,
    OPEN,
    SMALLER,
    Estimate,
    Part,
    Rules,
    direction,
    faster,
    level,
    no_loss,
    over_folds,
    verdict,
)

NUMBER = st.floats(-1e6, 1e6)
STATE = st.sampled_from((HOLDS, OPEN, FAILS))


def test_the_rules_are_frozen():
    assert Rules() == Rules(shares=(10, 20, 50), margin=0.5, ratio=1.25, errors=2.0)


@given(NUMBER, st.floats(0, 1e6))
def test_a_direction_holds_beyond_its_spread_and_fails_below_it(value, half):
    state = direction("a", Estimate(value, value - half, value + half)).state
    assert state == (HOLDS if value - half > 0 else FAILS if value + half < 0 else OPEN)
    opposite = direction("a", -Estimate(value, value - half, value + half)).state
    assert {state, opposite} in ({OPEN}, {HOLDS, FAILS})
    assert direction("a", Estimate(value)).state == OPEN  # no spread, no verdict


def test_no_loss_wants_the_whole_interval_above_the_margin():
    ends = [((-0.5, 0.1), HOLDS), ((-0.51, 0.1), OPEN), ((-0.87, -0.5), FAILS), ((0.2, 0.9), HOLDS)]
    for (low, high), state in ends:
        assert no_loss("a", Estimate(0.0, low, high), 0.5).state == state
    assert no_loss("a", Estimate(0.0), 0.5).state == OPEN


def test_a_level_is_reached_within_its_spread_or_better():
    assert level("a", Estimate(98.4, 98.2, 98.6), 98.54).state == HOLDS
    assert level("a", Estimate(98.4, 98.3, 98.5), 98.54).state == FAILS
    assert level("a", Estimate(99.4, 99.3, 99.5), 98.54).state == HOLDS
    assert level("a", Estimate(80, 60, 100), 73, lower_is_better=True).state == HOLDS
    assert level("a", Estimate(80, 75, 85), 73, lower_is_better=True).state == FAILS
    assert level("a", Estimate(80), 73).state == OPEN


def test_times_near_each_other_decide_nothing_and_less_than_printed_is_smaller():
    assert [faster("a", Estimate(ratio), Rules()).state for ratio in (1.25, 1.24, 0.81, 0.8)] == [
        HOLDS,
        OPEN,
        OPEN,
        FAILS,
    ]
    assert faster("a", Estimate(16.8), Rules(), 100) == Part("a", HOLDS, True)
    assert direction("a", Estimate(1.0, 0.5, 1.5), 2.5, 2.0).is_smaller
    assert not direction("a", Estimate(1.0, 0.5, 1.5), 2.5, 2.5).is_smaller
    assert not direction("a", Estimate(0.0, -0.5, 0.5), 2.5, 2.0).is_smaller


def of(*states, smaller=False):
    return [Part(str(i), state, smaller) for i, state in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "all_", "most"),
    [
        ((HOLDS, HOLDS), HOLDS, HOLDS),
        ((HOLDS, OPEN), SMALLER, HOLDS),
        ((HOLDS, OPEN, OPEN), OPEN, OPEN),
        ((OPEN, OPEN), OPEN, OPEN),
        ((HOLDS, HOLDS, FAILS), FAILS, SMALLER),
        ((HOLDS, FAILS), FAILS, FAILS),
        ((OPEN, OPEN, FAILS), FAILS, OPEN),
        ((FAILS,), FAILS, FAILS),
        ((BESIDE, BESIDE), BESIDE, BESIDE),
    ],
)
def test_parts_come_to_a_verdict(states, all_, most):
    assert (verdict(of(*states), ALL), verdict(of(*states), MOST)) == (all_, most)
    for needs in (ALL, MOST):
        if verdict(of(*states), needs) == HOLDS:
            assert verdict(of(*states, smaller=True), needs) == SMALLER


RANK = (FAILS, OPEN, SMALLER, HOLDS)


@given(st.lists(STATE, min_size=1, max_size=6), st.integers(0, 5), st.sampled_from((ALL, MOST)))
def test_a_part_that_holds_instead_never_makes_a_verdict_worse(states, at, needs):
    better = [HOLDS if i == at % len(states) else state for i, state in enumerate(states)]
    assert RANK.index(verdict(of(*better), needs)) >= RANK.index(verdict(of(*states), needs))


def test_what_a_sentence_needs_is_named():
    with pytest.raises(ValueError, match="needs must be 'all' or 'most', got 'some'"):
        verdict(of(HOLDS), "some")


def test_the_spread_over_folds_is_two_standard_errors_of_the_mean():
    one = over_folds([1.0, 2.0, 3.0, 6.0], Rules())
    assert one.half == pytest.approx(2 * math.sqrt(14 / 3 / 4))
    assert over_folds([1.0], Rules()) == Estimate(1.0)


# ---- rows ------------------------------------------------------------------------------------------------
