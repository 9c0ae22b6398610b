"""Run a tagger on several cores: threads, since kernels release the interpreter's lock."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError


def in_threads(
    function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> list[Any]:
    """``function(*job)`` of every job, in order, by as many threads as scikit-learn's `n_jobs` says."""
    if checked_jobs(n_jobs) == 1 or len(jobs) < 2 or is_alone(n_jobs):
        return [function(*job) for job in jobs]
    # Two threads whose matrix products had threads of their own were slower than one.
    with _blas().limit(limits=1, user_api="blas"):
        return Parallel(checked_jobs(n_jobs), require="sharedmem")(delayed(function)(*job) for job in jobs)


@cache
def _blas() -> ThreadpoolController:
    """What numpy and scipy multiply matrices with; looking for it takes 1 to 3 ms."""
    return ThreadpoolController()


def spread(function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], n_jobs: int | None) -> list[Any]:
    """The same, by threads or by whatever joblib's ``parallel_config`` names: a cluster, say.

    A cluster has a copy of `function` and of the jobs sent to its workers.
    """
    return Parallel(checked_jobs(n_jobs), prefer="threads")(delayed(function)(*job) for job in jobs)


def is_alone(n_jobs: int | None) -> bool:
    """Whether `spread` does one job after the other: by `n_jobs` or joblib's context.

    Examples
    --------
    >>> is_alone(None), is_alone(2)
    (True, False)
    """
    return bool(Parallel(checked_jobs(n_jobs)).n_jobs == 1)


def checked_jobs(n_jobs: Any) -> int | None:
    """`n_jobs` as scikit-learn takes it: None (1, or what the context says), a count, or from -1 down."""
    if n_jobs is None:
        return None
    n_jobs = checks.integer("n_jobs", n_jobs, -1000, 1000)
    if n_jobs == 0:
        raise ArgumentError("n_jobs must be None, a number of threads or, for all processors, -1, got 0")
    return n_jobs
