import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.witnesses import witness_counts
from tests.engine.test_tree import forests
from tests.oracles import graph as oracle

many = settings(deadline=None, max_examples=150)


@many
@given(args=st.one_of(forests(), forests(forbid=True)), seed=st.integers(0, 99), whole=st.booleans())
def test_witness_counts_are_the_sum_of_all_witnesses(args, seed, whole):
    """Q10 for trees; continuous random scores, so that witnesses are unique."""
    if max(oracle.all_scores(*args).values()) == -np.inf:
        return
    rng = np.random.default_rng(seed)
    weights = np.ones_like(args[0]) if whole else rng.random(args[0].shape)
    nodes, pairs = oracle.witness_counts(*args, weights)
    found = witness_counts(*args, None if whole else weights)
    assert_allclose(found.unary, nodes, atol=1e-9)
    assert_allclose(found.pairwise, pairs, atol=1e-9)
    assert_allclose(found.unary.sum(axis=1), found.total)


def test_bad_arguments_are_refused_by_name():
    flat, ones = np.zeros((3, 2)), np.zeros((2, 2))
    with pytest.raises(ArgumentError, match="weights must be finite"):
        witness_counts(flat, [], ones, np.full((3, 2), -np.inf))
    with pytest.raises(ShapeError, match=r"weights has shape \(1, 2\)"):
        witness_counts(flat, [], ones, np.zeros((1, 2)))
