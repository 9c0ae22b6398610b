"""Placed states against enumeration: the engine forms no pairs, the oracle forms all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError, CycleError, ShapeError
from spcviz.engine.graphs import placed
from tests.oracles import placed as oracle


def problem(seed, n_variables, most, n_angles, whole):
    """A random forest; with `whole`, small integers, so that there are ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, n_variables)
    start = np.concatenate([[0], np.cumsum(sizes)])
    total = start[-1]
    draw = (
        (lambda *shape: rng.integers(-2, 3, shape).astype(float))
        if whole
        else (lambda *shape: rng.standard_normal(shape))
    )
    places = placed.Places(start, draw(total), draw(total), rng.integers(0, n_angles, total))
    joints = placed.Joints(draw(2, 2), draw(2, 2), np.abs(draw(2, 2)), draw(2, n_angles))
    edges = []
    for v in range(1, n_variables):
        if rng.random() < 0.8:
            pair = [int(rng.integers(0, v)), v]
            edges.append(pair if rng.random() < 0.5 else pair[::-1])
    edges = np.array(edges, dtype=int).reshape(-1, 2)
    return draw(total), places, edges, rng.integers(0, 2, len(edges)), joints


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 5), st.integers(1, 6), st.booleans())
def test_against_enumeration(seed, n_variables, most, n_angles, whole):
    arguments = problem(seed, n_variables, most, n_angles, whole)
    best, table, score = oracle.enumerate_all(*arguments)
    maxima = placed.max_marginals(*arguments)
    np.testing.assert_allclose(maxima.best, best, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(maxima.max_marginals, table, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(score(maxima.labels), best, rtol=1e-9, atol=1e-9)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 5), st.integers(1, 6))
def test_witness_counts_add_up_to_max_marginals(seed, n_variables, most, n_angles):
    """The counted features, scored, are the sum of all witnesses' scores: of all max-marginals."""
    unary, places, edges, kinds, joints = problem(seed, n_variables, most, n_angles, False)
    maxima, counts = placed.witness_counts(unary, places, edges, kinds, joints)
    total = counts.states @ unary
    for e in range(len(edges)):
        at = counts.edge == e
        pair = counts.first[at], counts.second[at]
        score = oracle.pair_scores(places, joints, kinds[e])[pair[0], pair[1]]
        total += counts.amount[at] @ score
        assert counts.amount[at].sum() == pytest.approx(len(unary))
    assert total == pytest.approx(maxima.max_marginals.sum(), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(np.add.reduceat(counts.states, places.start[:-1]), len(unary))


def test_bad_arguments_are_named():
    unary, places, edges, kinds, joints = problem(3, 3, 4, 4, False)
    with pytest.raises(ArgumentError, match=r"joints\.weight must be at least 0"):
        placed.max_marginals(unary, places, edges, kinds, joints._replace(weight=-1 - joints.weight))
    with pytest.raises(ArgumentError, match="leave pruned states out"):
        placed.max_marginals(np.where(unary == unary.max(), -np.inf, unary), places, edges, kinds, joints)
    with pytest.raises(ArgumentError, match=r"unary\[0\] must be a finite score"):
        placed.max_marginals(np.full(len(unary), np.nan), places, edges, kinds, joints)
    with pytest.raises(ShapeError, match="unary has shape"):
        placed.max_marginals(unary[1:], places, edges, kinds, joints)
    with pytest.raises(CycleError, match="cycle"):
        placed.max_marginals(unary, places, [[0, 1], [1, 2], [2, 0]], [0, 0, 0], joints)
    empty = places._replace(start=np.concatenate([places.start[:1], places.start]))
    with pytest.raises(ArgumentError, match="every variable needs a state"):
        placed.max_marginals(unary, empty, edges, kinds, joints)
