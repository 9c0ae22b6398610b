"""Rows of features with values: scores and gradients are matrix products, and bad arrays are named.

Columns for every position, the first and the last: rows of both layouts, scores, tables that grow.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.rows import (
    N_EDGES,
    CsrRows,
    add_edges,
    add_gradient,
    check_rows,
    emissions,
    observed_pairs,
    part,
    split,
    widen_table,
    with_edges,
)
from tests.learning.chains.test_crf import csr


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


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_columns_score_what_adding_adds(seed, kind, is_sparse):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 4, 6)
    values = (rng.normal(size=(lengths.sum(), 3)) * (rng.random((lengths.sum(), 3)) < 0.5)).astype(kind)
    rows = csr(values) if is_sparse else DenseRows(values)
    weights = rng.normal(size=(3 + N_EDGES, 2))
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    wanted, at = emissions(rows, weights[:3]), 0
    for length in lengths:  # by hand, sequence by sequence
        if length:
            wanted[at : at + length] += weights[3]
            wanted[at] += weights[4]
            wanted[at + length - 1] += weights[5]
        at += length
    wider = with_edges(rows, lengths)
    assert type(wider) is type(rows)
    assert wider.values.dtype == rows.values.dtype
    assert_allclose(emissions(wider, weights), wanted, atol=1e-6 if kind is np.float32 else 1e-12)
    added = emissions(rows, weights[:3])
    add_edges(added, row_start, weights[3:])
    assert_allclose(added, wanted, atol=1e-12)
    if is_sparse:
        CsrRows(*wider)
        assert (np.diff(wider.start) == np.diff(rows.start) + 1 + _ends(lengths)).all()


def _ends(lengths):
    ends = np.zeros(lengths.sum(), int)
    for first, length in zip(np.cumsum(lengths) - lengths, lengths):
        if length:
            ends[first] += 1
            ends[first + length - 1] += 1
    return ends


def test_no_edges_add_nothing():
    unary = np.ones((2, 2))
    add_edges(unary, np.array([0, 2]), np.zeros((0, 2)))
    assert unary.tolist() == [[1, 1], [1, 1]]


def test_new_features_go_before_edges():
    table = np.arange(10.0).reshape(5, 2)
    wider = widen_table(table, 7, N_EDGES)
    features, edges = split(wider, N_EDGES)
    assert features.tolist() == [[0, 1], [2, 3], [0, 0], [0, 0]]
    assert edges.tolist() == table[2:].tolist()
    assert np.array_equal(widen_table(table, 5, N_EDGES), table)
