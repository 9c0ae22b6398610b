"""Rows of features with values: scores and gradients are matrix products, and bad arrays are named."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.rows import CsrRows, add_gradient, check_rows, emissions, observed_pairs, part


def both_layouts(rng, n=7, f=6):
    matrix = sparse.random_array((n, f), density=0.4, rng=rng, format="csr")
    return matrix.toarray(), CsrRows(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, f
    )


def test_scores_and_gradients_are_products():
    rng = np.random.default_rng(0)
    values, rows = both_layouts(rng)
    weights, amounts = rng.normal(size=(6, 3)), rng.normal(size=(7, 3))
    for layout in (check_rows(rows), check_rows(DenseRows(values))):
        gradient = np.ones((6, 3))
        add_gradient(layout, amounts, gradient)
        assert_allclose(emissions(layout, weights), values @ weights, atol=1e-12)
        assert_allclose(gradient, 1.0 + values.T @ amounts, atol=1e-12)
        assert_allclose(emissions(part(layout, 2, 5), weights), values[2:5] @ weights, atol=1e-12)


def test_what_occurs_together():
    rng = np.random.default_rng(1)
    values, rows = both_layouts(rng)
    labels = rng.integers(-1, 3, 7)
    wanted = np.zeros((6, 3), dtype=bool)
    for row, label in zip(values, labels):
        wanted[row != 0, slice(None) if label < 0 else label] = True
    for layout in (rows, DenseRows(values)):
        assert observed_pairs(layout, labels, 3).tolist() == np.flatnonzero(wanted).tolist()


@pytest.mark.parametrize(
    ("rows", "kind", "message"),
    [
        (CsrRows([0, 1], [2], [1.0], 2), ArgumentError, r"index\[0\] must be from 0 to 1, got 2"),
        (CsrRows([0, 1], [-1], [1.0], 2), ArgumentError, r"index\[0\] must be from 0 to 1, got -1"),
        (CsrRows([0, 2], [0], [1.0], 2), ArgumentError, "start"),
        (CsrRows([0, 1], [0], [1.0, 2.0], 2), ShapeError, "values has shape"),
        (CsrRows([0, 1], [0], [np.inf], 2), ScoreError, r"values\[0\] must be finite"),
    ],
)
def test_bad_rows_are_named(rows, kind, message):
    with pytest.raises(kind, match=message):
        check_rows(rows)
