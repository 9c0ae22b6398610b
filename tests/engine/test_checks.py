"""Argument checks of the engine: what is accepted, and the message of every refusal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError, SpcvizError


def refuses(call, *args, error=ArgumentError, match):
    with pytest.raises(error, match=match):
        call("x", *args)


@given(values=arrays(np.float64, (3, 4), elements=st.floats(-1e300, 1e300) | st.just(-np.inf)))
def test_scores_pass_unchanged(values):
    got = checks.scores("x", values, 2)
    assert got.dtype == np.float64
    assert got.flags.c_contiguous
    np.testing.assert_array_equal(got, values)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 2e300, -2e300])
@pytest.mark.parametrize("at", [(0, 0), (1, 2), (2, 3)])
def test_the_first_bad_score_is_named(bad, at):
    values = np.full((3, 4), -np.inf)
    values[at] = bad
    values[2, 3] = np.nan if at != (2, 3) else bad
    where = rf"x\[{at[0]}, {at[1]}\] must be a finite score or -inf, got {bad}".replace("+", r"\+")
    refuses(checks.scores, values, 2, error=ScoreError, match=where)


def test_scores_of_other_kinds():
    assert checks.scores("x", [], 1).shape == (0,)
    assert checks.scores("x", 3, 0).tolist() == [3.0]
    assert checks.scores("x", [True, False], 1).tolist() == [1.0, 0.0]
    assert checks.scores("x", np.float32([[1]]), (1, 2)).dtype == np.float64
    refuses(checks.scores, [[1.0]], 1, error=ShapeError, match=r"x has shape \(1, 1\); it needs 1 dimensions")
    refuses(checks.scores, 1.0, (2, 3), error=ShapeError, match=r"x has shape \(\); it needs 2 or 3 dim")
    for bad in ("1.0", ["1.0"], None, [None], [1j], {"a": 1}, [[1], [1, 2]], [2**80], object(), b"1"):
        refuses(checks.scores, bad, 1, match="x must be an array of numbers, got ")
    refuses(checks.scores, "ü" * 1000, 1, match=r"got 'ü{56}\.\.\.$")
    refuses(checks.scores, np.zeros(2, dtype="M8[s]"), 1, match="x must be an array of numbers, got array")


def test_masked_entries_are_refused_and_an_empty_mask_is_none():
    table = np.ma.array([[0.0, 9.0], [1.0, 0.0]], mask=[[0, 1], [0, 0]])
    said = r"x must have no masked entries \(-inf forbids a score\), got 1 masked"
    for bad in (table, list(table), [[table[0], table[1]]], (table[0],)):
        refuses(checks.typed_array, bad, "biuf", "numbers", match=said)
    refuses(checks.scores, table, 2, match=said)
    refuses(checks.sums, table, 2, match=said)
    refuses(checks.whole_numbers, np.ma.array([1, 2], mask=[1, 0]), 0, 3, match=said)
    refuses(checks.mask, np.ma.array([True, False], mask=[1, 0]), match=said)
    with pytest.raises(ArgumentError, match="lengths must have no masked entries"):
        checks.lengths(np.ma.array([1, 2], mask=[1, 0]), 5)
    whole = checks.scores("x", np.ma.array(table.data), 2)
    assert type(whole) is np.ndarray
    np.testing.assert_array_equal(whole, table.data)


def test_sums_may_be_larger_than_scores():
    assert checks.sums("x", [1e307, -np.inf, -2e300], 1).tolist() == [1e307, -np.inf, -2e300]
    assert checks.sums("x", 3, 0).tolist() == [3.0]
    refuses(checks.scores, [2e300], 1, error=ScoreError, match=r"x\[0\] must be a finite score")
    for bad in (np.nan, np.inf, 1e308, -1e308):
        values = [[0.0, bad], [np.nan, 0.0]]
        refuses(
            checks.sums,
            values,
            2,
            error=ScoreError,
            match=rf"x\[0, 1\] must be a finite .* got {bad}".replace("+", r"\+"),
        )
    refuses(checks.sums, [[1.0]], 1, error=ShapeError, match=r"x has shape \(1, 1\); it needs 1 dimensions")


def test_integers():
    for good in (0, 5, np.int8(3), np.uint64(4)):
        got = checks.integer("x", good, 0, 5)
        assert (got, type(got)) == (int(good), int)
    for bad in (-1, 6, 2.0, np.float64(2), "2", None, True, np.nan, np.inf, [2], 10**40, 2j):
        refuses(checks.integer, bad, 0, 5, match="x must be a whole number from 0 to 5, got ")


def test_fractions():
    for good in (0, 1, 0.5, np.float32(0.25), np.int64(1)):
        assert checks.fraction("x", good) == float(good)
    for bad in (-1e-9, 1.1, np.nan, np.inf, "0.5", None, True, [0.5], 1j):
        refuses(checks.fraction, bad, match="x must satisfy 0 <= x <= 1, got ")
    with pytest.raises(ArgumentError, match="x must satisfy 0 <= x < 1, got 1"):
        checks.fraction("x", 1, below_one=True)
    assert checks.fraction("x", 0.999, below_one=True) == 0.999


def test_numbers():
    assert checks.number("x", np.float32(0.5)) == 0.5
    assert checks.number("x", -3, -3, 3) == -3.0
    for bad in (-4, 4, np.nan, np.inf, "1", None, True, [1.0], 1j):
        refuses(checks.number, bad, -3, 3, match="x must be a number from -3 to 3, got ")
    refuses(checks.number, np.inf, match="x must be a number from -inf to inf, got inf")
    assert checks.number("x", 10**30) == 1e30
    refuses(checks.number, 10**400, match="x must be a number from -inf to inf, got 1000")


def test_what_training_multiplies_with():
    assert checks.strength("x", np.float32(0.5)) == 0.5
    assert checks.strength("x", 1e15, 1e-12) == 1e15
    for bad in (-1e-9, 1.1e15, 1e300, np.nan, np.inf, "1", None, True, [1.0], 10**400):
        refuses(checks.strength, bad, match=r"x must be a number from 0 to 1e\+15, got ")
    refuses(checks.strength, 0.0, 1e-12, match=r"x must be a number from 1e-12 to 1e\+15, got 0.0")
    assert checks.strengths("x", [0, 1, 1e15]).tolist() == [0.0, 1.0, 1e15]
    refuses(checks.strengths, [1.0, -2.0], match=r"x\[1\] must be at least 0, got -2.0")
    refuses(checks.strengths, [0.0, 1e16], match=r"x\[1\] must be at most 1e\+15, got 1e\+16")
    refuses(checks.strengths, [np.nan], error=ScoreError, match=r"x\[0\] must be a finite score")


@pytest.mark.parametrize("bad", [True, np.False_, [True, 0.5], (0.5, np.True_), np.ones(2, bool)], ids=str)
def test_yes_and_no_are_not_the_settings_1_and_0(bad):
    refuses(checks.settings, bad, match="x must be a number, or an array of numbers, got ")


def test_settings():
    assert checks.settings("x", 0.5).tolist() == [0.5]
    assert checks.settings("x", [1, 0.5]).tolist() == [1.0, 0.5]
    refuses(checks.settings, [[1.0]], error=ShapeError, match=r"x has shape \(1, 1\); it needs 0 or 1 dim")
    refuses(checks.settings, "x", match="x must be an array of numbers, got ")


def test_switches():
    for good in (True, False, np.True_, 1, 0, np.int8(1), None):
        assert checks.switch("x", good) == bool(good)
    for bad in ("False", 2, 0.0, np.nan, [], np.ones(1)):
        refuses(checks.switch, bad, match="x must be True or False, got ")


def test_whole_numbers():
    got = checks.whole_numbers("x", np.uint8([0, 3]), 0, 3)
    assert (got.tolist(), got.dtype) == ([0, 3], np.int64)
    assert checks.whole_numbers("x", [], 0, -1).tolist() == []
    refuses(checks.whole_numbers, [1, 4, 9], 0, 3, match=r"x\[1\] must be from 0 to 3, got 4")
    refuses(checks.whole_numbers, [-1], 0, 3, match=r"x\[0\] must be from 0 to 3, got -1")
    refuses(
        checks.whole_numbers, [[1]], 0, 3, error=ShapeError, match=r"x has shape \(1, 1\); it needs 1 dim"
    )
    refuses(
        checks.whole_numbers, np.uint64([2**64 - 1]), -1, 3, match="must be from -1 to 3, got 18446744073"
    )
    for bad in ([1.0], ["1"], [True], [2, True], [np.nan], None, [[1], [1, 2]], "ab"):
        refuses(checks.whole_numbers, bad, 0, 3, match="x must be an array of whole numbers, got ")


def test_offsets():
    assert checks.offsets("x", [0, 2, 2, 5], 5).tolist() == [0, 2, 2, 5]
    assert checks.offsets("x", [0], 0).tolist() == [0]
    for bad in ([], [0, 4], [1, 5], [0, 3, 2, 5]):
        refuses(checks.offsets, bad, 5, match="x must rise from 0 to 5, got ")
    refuses(checks.offsets, [0, 6], 5, match=r"x\[1\] must be from 0 to 5, got 6")


def test_lengths():
    assert checks.lengths([1, 5], 5).tolist() == [1, 5]
    assert checks.lengths([], 5).tolist() == []
    for bad, message in [
        ([1, 0], r"lengths\[1\] must be at least 1, got 0"),
        ([1, 6], r"lengths\[1\] must be at most 5, got 6"),
        ([2**63] * 2, "lengths.0. must be at most 5, got 9223372036854775808"),
        ([1.0], "lengths must be an array of whole numbers, got dtype float64"),
        (2, r"lengths has shape \(\); it needs \(N,\) integers"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            checks.lengths(bad, 5)


def test_states():
    assert checks.states("x", np.uint8([0, 2]), 2, 3).dtype == np.int64
    refuses(checks.states, [0], 2, 3, error=ShapeError, match=r"x has shape \(1,\); it needs \(2,\)")
    refuses(checks.states, [0, 3], 2, 3, match=r"x\[1\] must be from 0 to 2, got 3")
    refuses(checks.states, [0.0, 1.0], 2, 3, match="x must be an array of whole numbers, got dtype float64")


def test_every_error_is_one_of_ours_and_a_value_error():
    for error in (ArgumentError, ShapeError, ScoreError, InfeasibleError):
        assert issubclass(error, SpcvizError)
        assert issubclass(error, ValueError)
