"""The lecture's (1) against all labellings, its four named corners, and its gradient."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.loss_family import loss_family
from tests.oracles import chain as oracle
from tests.strategies import chains

EPSILONS = [5.0, 1.0, 0.1, 1e-3]


@st.composite
def examples(draw):
    unary, pairwise = draw(chains())
    truth = draw(st.lists(st.integers(0, unary.shape[1] - 1), min_size=len(unary), max_size=len(unary)))
    return unary, pairwise, np.array(truth)


def scored(unary, pairwise, truth):
    """(all labellings, their scores, their number of wrong letters, the truth's score)."""
    every = oracle.labellings(*unary.shape)
    value = oracle.scores(unary, pairwise, every)
    return every, value, (every != truth).sum(axis=1), oracle.scores(unary, pairwise, truth[None])[0]


@given(examples(), st.sampled_from([0.0, 1.0, 2.5]))
def test_against_the_formula_written_out(example, cost):
    _, value, wrong, true_value = scored(*example)
    family = loss_family(*example, [*EPSILONS, 0.0], cost=cost)
    for e, epsilon in enumerate(EPSILONS):
        want = epsilon * oracle.log_sum((cost * wrong + value) / epsilon) - true_value
        assert family.value[e] == pytest.approx(want, abs=1e-9)
    assert family.value[-1] == pytest.approx((cost * wrong + value).max() - true_value, abs=1e-9)
    assert (family.value >= 0).all()


@given(examples())
def test_the_corners_are_log_loss_and_hinge(example):
    every, value, wrong, true_value = scored(*example)
    log_loss = loss_family(*example, [1.0], cost=0.0)
    assert np.exp(-log_loss.value[0]) == pytest.approx(np.exp(true_value - oracle.log_sum(value)), abs=1e-9)
    hinge = loss_family(*example, [0.0], cost=1.0)
    if hinge.value[0] < 1e-9:  # the truth beats every labelling by that one's number of wrong letters
        assert (true_value - value >= wrong - 1e-9).all()
    violator = hinge.weights[0].argmax(axis=1)
    at = (every == violator).all(axis=1)
    assert (wrong + value)[at] == pytest.approx((wrong + value).max(), abs=1e-9)
    assert_allclose(loss_family(*example, [1e-7], cost=1.0).value, hinge.value, atol=1e-5)


@given(examples())
def test_hinge_and_log_loss_bound_the_mistakes_they_stand_for(example):
    """The hinge is at least the wrong letters of the decoded labelling."""
    wrong = (chain.decode(*example[:2]).labels != example[2]).sum()
    assert loss_family(*example, [0.0], cost=1.0).value[0] >= wrong - 1e-9


def test_the_gradient():
    rng = np.random.default_rng(5)
    unary, pairwise, truth, h = rng.normal(size=(3, 3)), rng.normal(size=(2, 3, 3)), [0, 2, 1], 1e-5
    family = loss_family(unary, pairwise, truth, [0.4])
    for table, gradient in ((unary, family.unary[0]), (pairwise, family.pairwise[0])):
        for at in np.ndindex(table.shape):
            kept, ends = table[at], []
            for table[at] in (kept + h, kept - h):
                ends.append(loss_family(unary, pairwise, truth, [0.4]).value[0])
            table[at] = kept
            assert gradient[at] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8)
    assert_array_equal(family.weights[0] - np.eye(3)[truth], family.unary[0])


def test_how_many_readings_count():
    even = loss_family(np.zeros((3, 4)), np.zeros((4, 4)), [0, 0, 0], [1.0, 0.0], cost=0.0)
    assert_allclose(even.n_readings, [64.0, 1.0])
    assert even.value[0] == pytest.approx(np.log(64))


def test_bad_arguments():
    unary, pairwise = np.zeros((2, 2)), np.zeros((2, 2))
    with pytest.raises(ArgumentError, match="cost must be a number from 0"):
        loss_family(unary, pairwise, [0, 0], [1.0], cost=-1.0)
    with pytest.raises(ShapeError, match="truth has shape"):
        loss_family(unary, pairwise, [0], [1.0])
    with pytest.raises(ArgumentError, match=r"truth\[1\] must be from 0 to 1"):
        loss_family(unary, pairwise, [0, 2], [1.0])
    unary[0, 0] = -np.inf
    with pytest.raises(ArgumentError, match="score of the truth must be a number"):
        loss_family(unary, pairwise, [0, 0], [1.0])
