"""Both layouts against one matrix product; what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.cascade import features as subject
from spcviz.learning.cascade.features import DenseRows, SparseRows, unary_scores


@kernel
def _score_row(features, row, weights, out):
    subject.score_row(features, row, weights, out)


@kernel
def _add_row(features, row, amount, weights):
    subject.add_row(features, row, amount, weights)


BOTH = pytest.mark.parametrize(
    ("score_row", "add_row"),
    [(_score_row, _add_row), (subject.score_row, subject.add_row)],
    ids=["jit", "plain"],
)


@st.composite
def tables(draw):
    """(features, the same as a dense matrix)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    rows, n = draw(st.integers(0, 5)), draw(st.integers(1, 6))
    if draw(st.booleans()):
        dense = (rng.normal(size=(rows, n)) * (rng.random((rows, n)) < 0.5)).astype(np.float32)
        return DenseRows(dense), dense.astype(np.float64)
    lists = [rng.integers(-1, n, size=rng.integers(0, 5)) for _ in range(rows)]
    dense = np.zeros((rows, n))
    for r, row in enumerate(lists):
        np.add.at(dense[r], row[row >= 0], 1.0)
    start = np.cumsum([0, *map(len, lists)])
    return SparseRows(start, np.concatenate([[], *lists]).astype(np.int32), n), dense


@given(table=tables(), n_states=st.integers(1, 5))
def test_scores_are_a_matrix_product(table, n_states):
    features, dense = table
    weights = np.random.default_rng(0).normal(size=(dense.shape[1], n_states))
    assert_allclose(unary_scores(features, weights), dense @ weights, rtol=1e-9, atol=1e-9)
    assert (subject.n_rows(features), subject.n_features(features)) == dense.shape
    if isinstance(features, DenseRows):
        want = (dense**2).sum() / max(len(dense), 1)
    else:
        want = (features.index >= 0).sum() / max(len(dense), 1)
    assert_allclose(subject.mean_squared_norm(features), want, rtol=1e-6)


@BOTH
@given(table=tables(), n_states=st.integers(1, 4))
def test_rows_one_by_one(score_row, add_row, table, n_states):
    features, dense = table
    rng = np.random.default_rng(0)
    weights, amount = rng.normal(size=(dense.shape[1], n_states)), rng.normal(size=n_states)
    for r in range(len(dense)):
        out, moved = np.full(n_states, 9.0), weights.copy()
        score_row(features, r, weights, out)
        assert_allclose(out, dense[r] @ weights, rtol=1e-9, atol=1e-9)
        add_row(features, r, amount, moved)
        assert_allclose(moved, weights + np.outer(dense[r], amount), rtol=1e-9, atol=1e-9)


def test_lists_and_other_number_types_will_do():
    want = [[3.0], [0.0]]
    assert unary_scores(DenseRows([[1, 1], [0, 0]]), [[1.0], [2.0]]).tolist() == want
    assert unary_scores(DenseRows(np.array([[1, 1], [0, 0]], dtype=bool)), [[1], [2]]).tolist() == want
    assert unary_scores(SparseRows([0, 2, 3], [0, 1, -1], 2), [[1], [2]]).tolist() == want
    assert_array_equal(unary_scores(SparseRows([0], [], 2), [[1], [2]]), np.zeros((0, 1)))


@pytest.mark.parametrize(
    ("features", "weights", "error", "message"),
    [
        (
            DenseRows(np.eye(2)),
            np.zeros((3, 2)),
            ShapeError,
            r"weights has shape \(3, 2\); the features need 2",
        ),
        (DenseRows(np.eye(2)), np.zeros(2), ShapeError, r"weights has shape \(2,\); it needs 2 dimensions"),
        (DenseRows(np.eye(2)), [[0.0], [np.nan]], ScoreError, r"weights\[1, 0\] .* got nan"),
        (DenseRows(np.eye(2)), "ß", ArgumentError, "weights must be an array of numbers, got 'ß'"),
        (DenseRows(np.zeros(3)), np.zeros((3, 1)), ShapeError, r"features has shape \(3,\); it needs 2"),
        (DenseRows([[0.0, np.nan]]), np.zeros((2, 1)), ScoreError, "features must be finite, got nan"),
        (DenseRows([[np.inf, -np.inf]]), np.zeros((2, 1)), ScoreError, "features must be finite, got inf"),
        (
            DenseRows([["a"]]),
            np.zeros((1, 1)),
            ArgumentError,
            r"features must be an array of numbers, got \[\[",
        ),
        (np.eye(2), np.zeros((2, 1)), ArgumentError, "features must be DenseRows or SparseRows, got array"),
        (None, np.zeros((2, 1)), ArgumentError, "features must be DenseRows or SparseRows, got None"),
        (SparseRows([0, 1], [2], 2), np.zeros((2, 1)), ArgumentError, r"index\[0\] must be below 2, got 2"),
        (
            SparseRows([0, 1], [0.0], 2),
            np.zeros((2, 1)),
            ArgumentError,
            "index must be an array of whole numb",
        ),
        (SparseRows([0, 1], [[0]], 2), np.zeros((2, 1)), ShapeError, r"index has shape \(1, 1\); it needs 1"),
        (
            SparseRows([0, 2], [0], 2),
            np.zeros((2, 1)),
            ArgumentError,
            r"start\[1\] must be from 0 to 1, got 2",
        ),
        (
            SparseRows([1, 0], [0], 2),
            np.zeros((2, 1)),
            ArgumentError,
            r"start must rise from 0 to 1, got \[1, 0",
        ),
        (
            SparseRows([0, 1], [0], -1),
            np.zeros((2, 1)),
            ArgumentError,
            "n_features must be a whole .* got -1",
        ),
    ],
)
def test_bad_arguments_are_named(features, weights, error, message):
    with pytest.raises(error, match=message):
        unary_scores(features, weights)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_rows", "n_states"), [(1, 8), (3, 9), (4, 16), (6, 15), (9, 26), (8, 33)])
def test_many_rows_at_a_time_round_as_each_by_itself(n_rows, n_states, dtype):
    rng = np.random.default_rng(n_states)
    values = rng.normal(size=(n_rows, 37)).astype(np.float32) * (rng.random((n_rows, 37)) < 0.5)
    weights = rng.normal(size=(37, n_states)).astype(dtype)
    by_blocks, by_rows = np.full((n_rows, n_states), 99.0), np.empty((n_rows, n_states))
    assert subject._scores_by_blocks(values, weights, by_blocks)
    subject.scores_by_rows(DenseRows(values), weights, by_rows)
    assert np.array_equal(by_blocks, by_rows)


def test_a_forbidden_state_is_not_multiplied_by_nothing():
    weights = np.ones((2, 9))
    weights[1, 3] = -np.inf
    scores = unary_scores(DenseRows(np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)), weights)
    assert scores[0].tolist() == [1.0] * 9
    assert scores[1].tolist() == [1.0] * 3 + [-np.inf] + [1.0] * 5


def test_large_features_are_finite_too():
    values = np.full((1, 2), 3e38, np.float32)
    assert np.isfinite(unary_scores(DenseRows(values), np.zeros((2, 1)))).all()
