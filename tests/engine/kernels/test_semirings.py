"""The operations of every semiring against plain numpy; the three readings of one recursion agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.kernels import lattice_steps, semirings
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.semirings import LOG_PLUS, MAX_PLUS, SUM_TIMES
from tests.oracles.chain import log_sum
from tests.strategies import random_scores

ALL = (MAX_PLUS, LOG_PLUS, SUM_TIMES)
SUMS = {  # by type: as tuples, MAX_PLUS == LOG_PLUS
    semirings.MaxPlus: lambda v: v.max(initial=-np.inf),
    semirings.LogPlus: log_sum,
    semirings.SumTimes: lambda v: v.sum(),
}
READINGS = pytest.mark.parametrize("sr", ALL, ids=lambda sr: type(sr).__name__)
SEEDS, WIDTHS = st.integers(0, 2**31), st.integers(1, 13)


@kernel
def _combine(sr, vector, matrix, out):
    semirings.combine(sr, vector, matrix, out)


@kernel
def _multiply(sr, vector, other, out):
    semirings.multiply(sr, vector, other, out)


@kernel
def _settle(sr, vector):
    return semirings.settle(sr, vector)


@kernel
def _total(sr, vector):
    return semirings.total(sr, vector)


@kernel
def _forth(sr, run, runs, score, message, nodes):
    lattice_steps.forth(sr, run, runs, score, message, nodes)


@kernel
def _back(sr, run, runs, score, message, nodes):
    lattice_steps.back(sr, run, runs, score, message, nodes)


@kernel
def _back_through(sr, run, runs, score, message, nodes, before, out):
    lattice_steps.back_through(sr, run, runs, score, message, nodes, before, out)


def draw(sr, rng, shape):
    return rng.random(shape) if sr is SUM_TIMES else random_scores(rng, shape, scale=3.0)


def times(sr, a, b):
    return a * b if sr is SUM_TIMES else a + b


@kernel
def _combine_plain(sr, vector, matrix, out):
    semirings.combine_plain(sr, vector, matrix, out)


# Few columns, one block of eight, of sixteen, of thirty-two, and overlapping blocks.
@READINGS
@pytest.mark.parametrize("m", [1, 7, 8, 9, 15, 16, 26, 31, 32, 33, 45, 50, 64, 101])
def test_explicit_vectors_compute_what_the_plain_loop_does(sr, m):
    rng = np.random.default_rng(m)
    for n in (1, 2, 3, 4, 5, 8, 26):
        vector, matrix = draw(sr, rng, n), draw(sr, rng, (n, m))
        wide, plain, around = np.full(m, 99.0), np.full(m, 99.0), np.full(m + 2, 99.0)
        _combine(sr, vector, matrix, wide)
        _combine_plain(sr, vector, matrix, plain)
        _combine(sr, vector, matrix, around[1:-1])
        if sr is SUM_TIMES:
            assert_allclose(wide, plain, rtol=1e-15)
        else:
            assert_array_equal(wide, plain)
        assert_array_equal(around, [99.0, *wide, 99.0])


def test_a_matrix_that_is_not_contiguous_is_combined_too():
    rng = np.random.default_rng(0)
    vector, matrix, out, want = rng.random(9), rng.random((20, 9)).T, np.empty(20), np.empty(20)
    _combine(MAX_PLUS, vector, matrix, out)
    _combine(MAX_PLUS, vector, np.ascontiguousarray(matrix), want)
    assert_array_equal(out, want)


@READINGS
@pytest.mark.parametrize("combine", [_combine, semirings.combine], ids=["compiled", "plain"])
@given(seed=SEEDS, n=WIDTHS, m=WIDTHS)
def test_combine(sr, combine, seed, n, m):
    rng = np.random.default_rng(seed)
    vector, matrix, out = draw(sr, rng, n), draw(sr, rng, (n, m)), np.full(m, 99.0)
    combine(sr, vector, matrix, out)
    want = [SUMS[type(sr)](times(sr, vector, matrix[:, j])) for j in range(m)]
    assert_allclose(out, want, rtol=1e-12, atol=1e-12)


@READINGS
@pytest.mark.parametrize(
    ("multiply", "total"), [(_multiply, _total), (semirings.multiply, semirings.total)], ids=["jit", "plain"]
)
@given(seed=SEEDS, n=WIDTHS)
def test_multiply_and_total(sr, multiply, total, seed, n):
    rng = np.random.default_rng(seed)
    vector, other, out = draw(sr, rng, n), draw(sr, rng, n), np.full(n, 99.0)
    multiply(sr, vector, other, out)
    assert_array_equal(out, times(sr, vector, other))
    want = SUMS[type(sr)](vector)
    assert_allclose(total(sr, vector), np.log(want) if sr is SUM_TIMES else want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("settle", [_settle, semirings.settle], ids=["jit", "plain"])
@given(seed=SEEDS, n=WIDTHS)
def test_settle_takes_a_factor_out_and_hands_back_its_log(settle, seed, n):
    rng = np.random.default_rng(seed)
    vector = rng.random(n) * 1e-200
    before = vector.copy()
    factor = settle(SUM_TIMES, vector)
    assert_allclose(vector.max(), 1.0, rtol=1e-12)
    assert_allclose(np.log(vector) + factor, np.log(before), rtol=1e-12)
    for sr in (MAX_PLUS, LOG_PLUS):
        scores = rng.normal(size=n)
        before = scores.copy()
        assert settle(sr, scores) == 0.0
        assert_array_equal(scores, before)


def test_nothing_to_settle_in_a_dead_column():
    vector = np.zeros(3)
    assert _settle(SUM_TIMES, vector) == 0.0
    assert_array_equal(vector, 0.0)


@pytest.mark.parametrize("sr", [MAX_PLUS, LOG_PLUS], ids=["max", "log"])
@pytest.mark.parametrize("is_compiled", [True, False], ids=["compiled", "plain"])
@given(seed=SEEDS, n=WIDTHS, m=st.integers(1, 25), longest=st.integers(1, 25))
def test_runs_of_a_full_column_are_combine(sr, is_compiled, seed, n, m, longest):
    """Runs in any order, among the arcs and nodes of other columns that must stay as they are."""
    rng = np.random.default_rng(seed)
    vector, behind, matrix = draw(sr, rng, n), draw(sr, rng, m), draw(sr, rng, (n, m))
    pieces = [(i, j, min(j + longest, m)) for i in range(n) for j in range(0, m, longest)]
    pieces = [pieces[p] for p in rng.permutation(len(pieces))]
    sizes = [end - begin for _, begin, end in pieces]
    starts = 2 + np.cumsum([0, *sizes])
    run = [(0, 0, 0), *((at, 3 + i, 3 + n + j) for at, (i, j, _) in zip(starts, pieces)), (starts[-1], 0, 0)]
    score = np.concatenate([[50.0] * 2, *(matrix[i, begin:end] for i, begin, end in pieces), [50.0]])
    forth, back = (_forth, _back) if is_compiled else (lattice_steps.forth, lattice_steps.back)
    for go, source, other, table in (
        (forth, slice(3, 3 + n), slice(3 + n, 3 + n + m), matrix),
        (back, slice(3 + n, 3 + n + m), slice(3, 3 + n), matrix.T),
    ):
        message = np.concatenate([[7.0] * 3, np.full(n, 99.0), np.full(m, 99.0), [8.0]])
        message[source] = vector if go is forth else behind
        go(sr, np.array(run), (1, 1 + len(pieces)), score, message, (other.start, other.stop))
        want = np.empty(other.stop - other.start)
        semirings.combine(sr, message[source], table, want)
        if sr is MAX_PLUS:
            assert_array_equal(message[other], want)
        assert_allclose(message[other], want, rtol=1e-12, atol=1e-12)
        assert message[[0, 1, 2, -1]].tolist() == [7.0, 7.0, 7.0, 8.0]
        assert_array_equal(message[source], vector if go is forth else behind)
    message, through = np.full(3 + n + m, 99.0), np.full(len(score), 99.0)
    message[3 + n :] = behind
    arguments = np.array(run), (1, 1 + len(pieces)), score, message, (3, 3 + n)
    before = np.concatenate([[9.0] * 3, vector])
    (_back_through if is_compiled else lattice_steps.back_through)(sr, *arguments, before, through)
    assert_allclose(message[3 : 3 + n], want, rtol=1e-12, atol=1e-12)
    every = (vector[:, None] + matrix) + behind
    assert_array_equal(through[2:-1], np.concatenate([every[i, begin:end] for i, begin, end in pieces]))
    assert through[[0, 1, -1]].tolist() == [99.0] * 3


def test_a_node_that_no_arc_enters_or_leaves_is_dead():
    none = np.zeros((1, 3), dtype=np.int64)
    for sr in (MAX_PLUS, LOG_PLUS):
        for go in (_forth, _back):
            message = np.array([0.0, 5.0])
            go(sr, none, (0, 0), np.zeros(0), message, (1, 2))
            assert message.tolist() == [0.0, -np.inf]


@READINGS
@pytest.mark.parametrize("n", [1, 7, 8, 15, 16, 23, 24, 26, 33, 45])
def test_times_of_whole_vectors_and_of_what_is_left(sr, n):
    rng = np.random.default_rng(n)
    vector, other, out = draw(sr, rng, n), draw(sr, rng, n), np.full(n + 2, 99.0)
    _multiply(sr, vector, other, out[1:-1])
    assert_array_equal(out, [99.0, *times(sr, vector, other), 99.0])
    _multiply(sr, vector, other, vector)  # in place
    assert_array_equal(vector, out[1:-1])


@given(seed=SEEDS, n=WIDTHS, m=WIDTHS)
def test_readings_agree(seed, n, m):
    """log of SumTimes on exponentials = LogPlus; LogPlus at low temperature tends to MaxPlus."""
    rng = np.random.default_rng(seed)
    vector, matrix = rng.normal(size=n), rng.normal(size=(n, m))
    sums, logs, best, cold = (np.empty(m) for _ in range(4))
    _combine(SUM_TIMES, np.exp(vector), np.exp(matrix), sums)
    _combine(LOG_PLUS, vector, matrix, logs)
    _combine(MAX_PLUS, vector, matrix, best)
    _combine(LOG_PLUS, 1e6 * vector, 1e6 * matrix, cold)
    assert_allclose(np.log(sums), logs, rtol=1e-9, atol=1e-9)
    assert_allclose(cold / 1e6, best, atol=1e-5)
    assert (logs >= best - 1e-12).all()
    assert (logs <= best + np.log(n) + 1e-12).all()


def test_doing_nothing():
    for sr in ALL:
        assert times(sr, sr.one, 0.3) == 0.3
