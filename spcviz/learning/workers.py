"""Run a tagger on several cores, in threads because kernels release the interpreter's lock."""

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
    """``function(*job)`` for every job, in order, in as many threads as scikit-learn's `n_jobs` gives."""
    if checked_jobs(n_jobs) == 1 or len(jobs) < 2 or is_alone(n_jobs):
        return [function(*job) for job in jobs]
    # Two threads whose matrix products started their own threads were slower than one.
    with _blas().limit(limits=1, user_api="blas"):
        return Parallel(checked_jobs(n_jobs), require="sharedmem")(delayed(function)(*job) for job in jobs)


@cache
def _blas() -> ThreadpoolController:
    """The libraries that multiply matrices for numpy and scipy; finding them takes 1 to 3 ms."""
    return ThreadpoolController()


def spread(function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], n_jobs: int | None) -> list[Any]:
    """Like `in_threads`, by threads or by the backend of joblib's ``parallel_config``, such as a cluster.

    A cluster sends copies of `function` and of the jobs to its workers.
    """
    return Parallel(checked_jobs(n_jobs), prefer="threads")(delayed(function)(*job) for job in jobs)


def is_alone(n_jobs: int | None) -> bool:
    """Whether `spread` runs one job after another, given `n_jobs` and joblib's context.

    Examples
    --------
    >>> is_alone(None), is_alone(2)
    (True, False)
    """
    return bool(Parallel(checked_jobs(n_jobs)).n_jobs == 1)


def checked_jobs(n_jobs: Any) -> int | None:
    """`n_jobs` as scikit-learn takes it: None (1, or the context's number), a count, or -1 and below."""
    if n_jobs is None:
        return None
    n_jobs = checks.integer("n_jobs", n_jobs, -1000, 1000)
    if n_jobs == 0:
        raise ArgumentError("n_jobs must be None, a number of threads or, for all processors, -1, got 0")
    return n_jobs
