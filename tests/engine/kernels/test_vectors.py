"""Vectors in kernels against numpy, lane by lane."""

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.kernels import vectors
from spcviz.engine.kernels.jit import kernel


@kernel
def _operations(width, array, other, out):
    a, b = vectors.load(width, array, (1, 2)), vectors.load(width, other, (0,))
    vectors.store(out, (0, 0), vectors.add(a, b))
    vectors.store(out, (1, 0), vectors.sub(a, b))
    vectors.store(out, (2, 0), vectors.mul(a, b))
    vectors.store(out, (3, 0), vectors.div(a, b))
    vectors.store(out, (4, 0), vectors.larger(a, b))
    vectors.store(out, (5, 0), vectors.smaller(a, b))
    vectors.store(out, (6, 0), vectors.splat(width, other[1]))
    return vectors.top(a), vectors.bottom(a)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [4, 8])
def test_each_operation(n, dtype):
    rng = np.random.default_rng(n)
    array, other = rng.normal(size=(3, n + 3)).astype(dtype), rng.normal(size=n).astype(dtype)
    out = np.full((7, n), 99, dtype)
    a = array[1, 2 : 2 + n]
    assert _operations((0,) * n, array, other, out) == (a.max(), a.min())
    larger, smaller = np.maximum(a, other), np.minimum(a, other)
    assert_array_equal(out[:6], [a + other, a - other, a * other, a / other, larger, smaller])
    assert_array_equal(out[6], other[1])


@kernel
def _widened(width, array, out):
    vectors.store(out, (0,), vectors.widen(vectors.load(width, array, (0,))))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_widened(dtype):
    array, out = np.array([0.1, -np.inf, 3.0, 4.0], dtype), np.empty(4)
    _widened((0,) * 4, array, out)
    assert_array_equal(out, array.astype(np.float64))


def test_of_nan_and_a_number_it_is_the_second():
    array = np.zeros((3, 6))
    array[1, 2:] = np.nan
    out = np.empty((7, 4))
    _operations((0,) * 4, array, np.array([1.0, -np.inf, 2.0, 3.0]), out)
    assert_array_equal(out[4], [1.0, -np.inf, 2.0, 3.0])
    assert_array_equal(out[5], [1.0, -np.inf, 2.0, 3.0])


@kernel
def _extremes(values):
    return vectors.largest(values), vectors.smallest(values)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 32, 33, 100])
def test_largest_and_smallest(n):
    values = np.random.default_rng(n).permutation(n).astype(np.float64)
    for at in range(n):  # at every position
        assert _extremes(np.roll(values, at)) == (n - 1, 0)
    want = values.max(initial=-np.inf), values.min(initial=np.inf)
    assert _extremes(values) == _extremes(np.repeat(values, 2)[::2]) == want
    assert (vectors.largest(values), vectors.smallest(values)) == want
    assert _extremes(np.full(n, -np.inf)) == (-np.inf, -np.inf if n else np.inf)


def test_a_row_must_lie_in_one_piece():
    with pytest.raises(TypingError):
        _operations((0,) * 4, np.zeros((8, 6))[::2], np.zeros(4), np.zeros((7, 4)))


@kernel
def _sum_of(values):
    return vectors.sum_of(values)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 31, 32, 50])
def test_a_sum_is_of_all_lanes_and_of_what_is_left(n):
    values = np.random.default_rng(n).normal(size=n)
    assert_allclose(_sum_of(values), values.sum(), rtol=1e-13, atol=1e-13)
    assert vectors.sum_of(values) == sum(values)


@kernel
def _exponentials(values, shift, factor, out):
    vectors.exponentials(values, shift, factor, out)


@kernel
def _stretch(values, factor):
    vectors.stretch(values, factor)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 7, 8, 9, 16, 26, 1000])
def test_exponentials_are_right_to_the_last_digits(n):
    values = np.random.default_rng(n).uniform(-700, 700, n)
    values[::5] /= 1000
    for shift in (0.0, values.max(initial=0.0)):
        out = np.full(n + 3, 99.0)
        kept = values[values - shift > -700]
        _exponentials(kept, shift, 0.75, out)
        want = 0.75 * np.exp(kept - shift)
        assert_allclose(out[: len(kept)], want, rtol=4e-16)
        assert_array_equal(out[len(kept) :], 99.0)
        vectors.exponentials(kept, shift, 0.75, out)
        assert_allclose(out[: len(kept)], want, rtol=4e-16)


@pytest.mark.skipif(not vectors.ARE_COMPILED, reason="without a compiler there are no vectors")
@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 13])
def test_few_exponentials_are_those_of_many_to_the_last_bit(n):
    values = np.random.default_rng(0).uniform(-30, 0, (50, n))
    many = np.empty(values.size)
    _exponentials(values.reshape(-1), 0.0, 1.0, many)
    for row, wanted in zip(values, many.reshape(values.shape)):
        out = np.empty(n)
        _exponentials(row, 0.0, 1.0, out)
        assert_array_equal(out, wanted)


def test_whole_powers_of_e_and_of_2():
    values, out = (
        np.array([0.0, 1.0, -1.0, np.log(2), 2 * np.log(2), -3 * np.log(2), 700.0, -700.0]),
        np.empty(8),
    )
    _exponentials(values, 0.0, 1.0, out)
    assert_allclose(out[:6], [1, np.e, 1 / np.e, 2, 4, 0.125], rtol=2.3e-16)
    assert_allclose(out[6:], np.exp(values[6:]), rtol=4e-16)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 15, 16, 17, 26])
def test_a_row_is_stretched_once(n):
    values = np.random.default_rng(n).normal(size=n)
    want, plain = values * 3.0, values.copy()
    strided = np.repeat(values, 2)[::2]
    for row in (values, strided):
        _stretch(row, 3.0)
        assert_array_equal(row, want)
    vectors.stretch(plain, 3.0)
    assert_array_equal(plain, want)
