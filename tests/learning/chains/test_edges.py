"""Columns for every position, the first and the last: rows of both layouts, scores, tables that grow."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.rows import N_EDGES, CsrRows, add_edges, emissions, split, widen_table, with_edges
from tests.learning.chains.test_crf import csr


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
