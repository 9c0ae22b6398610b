"""Algorithm 4 against full max-marginals on 10,000 chains; what it counts; what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain, quiescent
from spcviz.engine.chains.quiescent import Quiet, quiet_messages, ripple
from spcviz.engine.errors import ArgumentError, ShapeError


def _chain(rng, per_step):
    length, n = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    shape = (max(length - 1, 0), n, n) if per_step else (n, n)
    return rng.normal(size=(length, n)), rng.normal(size=shape)


def check_exact(rng, per_step):
    """Two scores change, one after the other; with no tolerance the messages are those of the new chain."""
    unary, pairwise = _chain(rng, per_step)
    messages = quiet_messages(unary, pairwise)
    for _ in range(2):  # errors would add up over calls
        position = int(rng.integers(len(unary)))
        unary[position] += rng.normal(size=unary.shape[1])
        messages = ripple(messages, unary, pairwise, position).messages
    want = chain.max_marginals(unary, pairwise).unary
    assert_allclose(messages.forward + messages.backward, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("per_step", [False, True])
def test_zero_tolerance_is_exact_on_ten_thousand_chains(per_step):
    rng = np.random.default_rng(0)
    for _ in range(5_000):
        check_exact(rng, per_step)


def test_positions_outside_the_ripple_are_untouched():
    rng = np.random.default_rng(1)
    for _ in range(300):
        unary, pairwise = _chain(rng, per_step=False)
        before = quiet_messages(unary, pairwise)
        position = int(rng.integers(len(unary)))
        unary[position] += rng.normal(size=unary.shape[1])
        for scale in quiescent.SCALES:
            done = ripple(before, unary, pairwise, position, tolerance=0.3, scale=scale)
            old, new = before.forward + before.backward, done.messages.forward + done.messages.backward
            outside = np.r_[: done.first, done.last + 1 : len(unary)]
            assert_array_equal(old[outside], new[outside])
            assert done.first <= position <= done.last
            assert 1 <= done.n_messages <= len(unary)


def test_larger_tolerance_passes_fewer_messages():
    rng = np.random.default_rng(2)
    counts = {(scale, q): 0 for scale in quiescent.SCALES for q in (0.0, 0.1, 0.25, 0.5, 0.9)}
    for _ in range(200):
        unary, pairwise = rng.normal(size=(12, 8)), rng.normal(size=(8, 8))
        before = quiet_messages(unary, pairwise)
        unary[5] += rng.normal(size=8)
        for scale, q in counts:
            counts[scale, q] += ripple(before, unary, pairwise, 5, tolerance=q, scale=scale).n_messages
    for scale in quiescent.SCALES:
        passed = [counts[scale, q] for q in (0.0, 0.1, 0.25, 0.5, 0.9)]
        assert passed == sorted(passed, reverse=True)
        assert passed[0] > passed[-1]
    # The margin is never larger than the range, so a change looks larger against it.
    assert counts["margin", 0.25] >= counts["range", 0.25]


def test_a_changed_step_counts_as_a_change_of_its_right_end():
    rng = np.random.default_rng(3)
    unary, pairwise = rng.normal(size=(6, 3)), rng.normal(size=(5, 3, 3))
    before = quiet_messages(unary, pairwise)
    pairwise[2] += rng.normal(size=(3, 3))
    after = ripple(before, unary, pairwise, 3).messages
    want = chain.max_marginals(unary, pairwise).unary
    assert_allclose(after.forward + after.backward, want, rtol=1e-12)


@pytest.mark.parametrize("scale", quiescent.SCALES)
def test_no_spread_and_forbidden_states(scale):
    flat = np.zeros((4, 2))
    before = quiet_messages(flat, np.zeros((2, 2)))
    still = ripple(before, flat, np.zeros((2, 2)), 1, tolerance=0.9, scale=scale)
    assert still.n_messages == 2  # unchanged: one each way, then quiet
    flat[1] = [0.0, 3.0]
    moved = ripple(before, flat, np.zeros((2, 2)), 1, tolerance=0.9, scale=scale)
    assert moved.n_messages == 4  # any change of a flat message is infinite
    flat[2] = [-np.inf, 0.0]
    shut = ripple(moved.messages, flat, np.zeros((2, 2)), 2, scale=scale).messages
    assert_array_equal(shut.forward + shut.backward, chain.max_marginals(flat, np.zeros((2, 2))).unary)
    alone = ripple(quiet_messages([[1.0]], [[0.0]]), [[2.0]], [[0.0]], 0, scale=scale)
    assert alone.messages.forward.tolist() == [[2.0]]


@given(q=st.one_of(st.floats(max_value=-1e-9), st.floats(min_value=1.0), st.just(float("nan"))))
def test_tolerance_out_of_range(q):
    before = quiet_messages(np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ArgumentError, match="tolerance"):
        ripple(before, np.zeros((2, 2)), np.zeros((2, 2)), 0, tolerance=q)


def test_refusals_name_the_argument():
    unary, pairwise = np.zeros((2, 2)), np.zeros((2, 2))
    before = quiet_messages(unary, pairwise)
    with pytest.raises(ArgumentError, match="position"):
        ripple(before, unary, pairwise, 2)
    with pytest.raises(ArgumentError, match="scale"):
        ripple(before, unary, pairwise, 0, scale="wide")
    with pytest.raises(ShapeError, match="forward"):
        ripple(Quiet(np.zeros((3, 2)), before.backward), unary, pairwise, 0)


def anew(unary, steps):
    """Max-marginals, -inf where nothing is possible; steps[i] leads into i."""
    left, right = unary.copy(), np.zeros_like(unary)
    for i in range(1, len(unary)):
        left[i] += (left[i - 1][:, None] + steps[i]).max(axis=0)
        j = len(unary) - 1 - i
        right[j] = (steps[j + 1] + unary[j + 1] + right[j + 1]).max(axis=1)
    return left + right


@settings(max_examples=100)
@given(seed=st.integers(0, 2**31), length=st.integers(1, 7), n=st.integers(1, 5), gaps=st.floats(0, 0.5))
def test_tables_by_step_with_forbidden_steps(seed, length, n, gaps):
    """A position's scores and the step into it change together; tables are shared in any order."""
    rng = np.random.default_rng(seed)
    tables = rng.normal(size=(length + 2, n, n))
    tables[rng.random(tables.shape) < gaps] = -np.inf
    back, step = quiescent.transposed_tables(tables), rng.integers(0, len(tables), length)
    unary = rng.normal(size=(length, n))
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    quiescent.fill_messages(unary, tables, back, step, forward, backward)
    for _ in range(4):
        p = int(rng.integers(length))
        unary[p], step[p] = rng.normal(size=n), rng.integers(0, len(tables))
        unary[p, rng.random(n) < gaps] = -np.inf
        old = forward + backward
        lo, hi, _ = quiescent.pass_on(unary, tables, back, step, forward, backward, p, 0.0, False)
        assert_allclose(forward + backward, anew(unary, tables[step]), rtol=1e-9, atol=1e-9)
        outside = np.r_[:lo, hi + 1 : length]
        assert_array_equal((forward + backward)[outside], old[outside])


def test_a_forbidden_state_does_not_widen_the_range():
    unary = np.array([[0.0, 1.0, -np.inf], [2.0, 0.0, -np.inf]])
    before = quiet_messages(unary, np.zeros((3, 3)))
    unary[1, 1] += 0.4  # 0.4 of a range of 2
    small = ripple(before, unary, np.zeros((3, 3)), 1, tolerance=0.5)
    assert small.n_messages == 2
