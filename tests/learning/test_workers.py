"""Threads of a tagger alongside those of the library that multiplies matrices."""

import numpy as np
from threadpoolctl import threadpool_info

from spcviz.learning.estimators import in_threads


def _blas_threads(*_):
    np.ones((2, 2)) @ np.ones((2, 2))
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_each_thread_multiplies_matrices_alone_and_afterwards_all_is_as_before():
    before = _blas_threads()
    inside = in_threads(_blas_threads, [(0,), (1,)], 2)
    assert inside == [[1] * len(before)] * 2
    assert _blas_threads() == before


def test_alone_it_leaves_the_library_as_it_was():
    assert in_threads(_blas_threads, [(0,), (1,)], 1) == [_blas_threads()] * 2
