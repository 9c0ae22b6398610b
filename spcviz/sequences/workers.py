"""Work of a tagger on several cores at once: threads, since kernels release the interpreter's lock."""

import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError


def in_threads(function: Callable, jobs: Sequence[tuple], n_jobs: int | None) -> list:
    """``function(*job)`` of every job, in order, by as many threads as scikit-learn's `n_jobs` says."""
    n_jobs = checked_jobs(n_jobs)
    if len(jobs) < 2 or n_jobs == 1:
        return [function(*job) for job in jobs]
    return Parallel(n_jobs, require="sharedmem")(delayed(function)(*job) for job in jobs)


def spread(function: Callable, jobs: Sequence[tuple], n_jobs: int | None) -> list:
    """The same, by threads or by whatever joblib's ``parallel_config`` names: a cluster, say.

    A cluster has a copy of `function` and of the jobs sent to its workers.
    """
    return Parallel(checked_jobs(n_jobs), prefer="threads")(delayed(function)(*job) for job in jobs)


def checked_jobs(n_jobs: Any) -> int | None:
    """`n_jobs` as scikit-learn takes it: None (1, or what the context says), a count, or from -1 down."""
    if n_jobs is None:
        return None
    n_jobs = checks.integer("n_jobs", n_jobs, -1000, 1000)
    if n_jobs == 0:
        raise ArgumentError("n_jobs must be None, a number of threads or, for all processors, -1, got 0")
    return n_jobs


def n_workers(n_jobs: int | None) -> int:
    """How many threads `n_jobs` comes to here."""
    n_jobs = checked_jobs(n_jobs) or 1
    return n_jobs if n_jobs > 0 else max((os.cpu_count() or 1) + 1 + n_jobs, 1)


def even_parts(lengths: np.ndarray, n_parts: int) -> list[tuple[int, int]]:
    """Runs of sequences with about as many tokens each; fewer than asked for where there are few.

    Examples
    --------
    >>> even_parts(np.array([2, 2, 4]), 2)
    [(0, 2), (2, 3)]
    """
    ends = np.cumsum(lengths)
    wanted = ends[-1] * np.arange(1, n_parts) / n_parts if len(ends) else np.zeros(0)
    stops = [0, *(np.searchsorted(ends, wanted) + 1).tolist(), len(lengths)]
    return [(a, b) for a, b in itertools.pairwise(stops) if a < b]
