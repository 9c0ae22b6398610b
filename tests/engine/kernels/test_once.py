"""Kernels' stand-ins for numba's max, min, zeros and full: equal results, compiled once for all callers."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.testing import assert_array_equal

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, by_type, kernel, strict_kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of

ROOT = Path(__file__).parents[3]
NUMBERS = [
    (2, 3),
    (3, 2),
    (-1, -1),
    (2, 2.5),
    (0.0, -0.0),
    (-0.0, 0.0),
    (-np.inf, 1.0),
    (np.inf, -np.inf),
    (1e300, 7),
]


@kernel
def _extremes(a, b):
    return larger_of(a, b), smaller_of(a, b)


@bare_inlined_kernel
def _bare_extremes(a, b):
    return larger_of(a, b), smaller_of(a, b)


@pytest.mark.parametrize(
    "extremes", [_extremes, _bare_extremes, lambda a, b: (larger_of(a, b), smaller_of(a, b))]
)
@pytest.mark.parametrize(("a", "b"), NUMBERS)
def test_the_larger_and_the_smaller_are_those_of_python(extremes, a, b):
    for found, wanted in zip(extremes(a, b), (max(a, b), min(a, b))):
        assert found == wanted
        assert math.copysign(1, found) == math.copysign(1, wanted), "of equals the first"


@kernel
def _beside_literals(n):
    return larger_of(n, 1), smaller_of(0, n), larger_of(np.float32(n), 2.0)


def test_numbers_that_are_written_out():
    assert _beside_literals(5) == (5, 0, 5.0)
    assert _beside_literals(-3) == (1, -3, 2.0)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Python compares anything")
@pytest.mark.parametrize(("a", "b"), [(np.uint64(1), np.uint64(3)), (1, "text"), (1, 1j)])
def test_what_they_do_not_compare_is_refused(a, b):
    with pytest.raises(TypingError):
        _extremes(a, b)


@kernel
def _arrays(n):
    return (
        fill_new(n, np.int64, 0),
        fill_new((n, 2), np.float64, -np.inf),
        fill_new(n, np.bool_, False),
        fill_new(n, np.int32, n),
    )


@pytest.mark.parametrize("n", [0, 3])
def test_arrays_are_filled(n):
    wanted = np.zeros(n, np.int64), np.full((n, 2), -np.inf), np.zeros(n, bool), np.full(n, n, np.int32)
    for found, array in zip(_arrays(n), wanted, strict=True):
        assert found.dtype == array.dtype
        assert_array_equal(found, array)


def _doubled(values):
    """Twice the values: one kernel doubles rows, another a number."""
    return values * 2 if np.ndim(values) == 0 else _doubled_rows(values)


@bare_kernel
def _doubled_rows(values):
    total = 0.0
    for v in values:
        total += 2 * v
    return total


@bare_kernel
def _doubled_number(value):
    return value * 2


by_type(_doubled, lambda values: _doubled_number if isinstance(values, numba.types.Number) else _doubled_rows)


@kernel
def _from_a_kernel(values, number):
    return _doubled(values), _doubled(number), _doubled(3)


@strict_kernel
def _from_a_strict_one(values, number):
    return _doubled(values), _doubled(number), _doubled(4)


@bare_inlined_kernel
def _from_an_inlined_one(values, number):
    return _doubled(values), _doubled(number), _doubled(5)


def test_a_call_is_that_of_the_kernel_for_its_types():
    values = np.array([1.0, 2.5])
    assert _from_a_kernel(values, 1.5) == (7.0, 3.0, 6)
    assert _from_a_strict_one(values, 1.5) == (7.0, 3.0, 8)
    assert _from_an_inlined_one(values, 1.5) == (7.0, 3.0, 10)
    assert _doubled(1.5) == 3.0, "and in Python it is what it was"


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_kernel_is_compiled_once_for_callers_of_all_kinds(tmp_path):
    code = f"""
from {__name__} import _doubled_number, _doubled_rows, test_a_call_is_that_of_the_kernel_for_its_types
test_a_call_is_that_of_the_kernel_for_its_types()
print(len(_doubled_rows.signatures), len(_doubled_number.signatures))
"""
    fresh = os.environ | {"SPCVIZ_JIT_DIR": str(tmp_path)}  # a kernel already on disk is not compiled
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=fresh, capture_output=True, text=True, timeout=200
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1", "2"], "rows; whole numbers and others, whatever was written out"


def _failing(n):
    return _failing_kernel(n)


@kernel
def _failing_kernel(n):
    if n > 2:
        raise ValueError("too many")
    return fill_new(n, np.float64, 1.0)


by_type(_failing, lambda n: _failing_kernel)


@kernel
def _ask(n):
    return _failing(n)


def test_errors_and_arrays_come_back_from_it():
    for _ in range(100):
        assert _ask(2).sum() == 2.0
    with pytest.raises(ValueError, match="too many"):
        _ask(3)
