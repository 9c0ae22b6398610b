"""Base code of all estimators: random numbers, versioned pickles, renamed parameters, work in threads.

Threads are enough for several cores because kernels release the interpreter's lock.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError


def generator(random_state: Any, name: str = "random_state") -> np.random.Generator:
    """A generator from a seed, a generator (returned as it is) or None; `ArgumentError` for anything else.

    From a `numpy.random.RandomState`, scikit-learn's older kind, a seed is drawn.

    >>> int(generator(0).integers(10)) == int(generator(0).integers(10))
    True
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if hasattr(random_state, "randint") and hasattr(random_state, "get_state"):
        return np.random.default_rng(int(random_state.randint(2**31 - 1)))
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not is_whole or random_state < 0:
        raise ArgumentError(
            f"{name} must be None, a whole number from 0 or a numpy generator, got {random_state!r:.60}"
        )
    return np.random.default_rng(int(random_state))


_KEY = "_spcviz_version"


def _version() -> str:
    return str(import_module("spcviz").__version__)


class Versioned(BaseEstimator):
    """An estimator whose pickle records the version that wrote it; loading it in another version warns.

    Pickles are fine for caches, and for clusters that run one version. Across versions use `spcviz.save`:
    there every array is checked against the others, and earlier formats are known.
    """

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__()) | {_KEY: _version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written = state.pop(_KEY, "an earlier version")
        if written != _version():
            warnings.warn(
                f"this {type(self).__name__} was pickled by spcviz {written}, and this is {_version()}: it "
                "may read otherwise or not at all; write models with spcviz.save, which later versions read",
                stacklevel=2,
            )
        super().__setstate__(state)


Kind = TypeVar("Kind", bound=type)


def rename_parameters(**names: str) -> Callable[[Kind], Kind]:
    """A decorator for estimators: ``old="new"`` for each renamed parameter.

    The constructor, `set_params` and attribute access accept the old name with a FutureWarning; giving both
    names is a TypeError. `get_params` and parameter searches know only the new name.

    >>> @rename_parameters(passes="max_iter")
    ... class Estimator:
    ...     def __init__(self, *, max_iter=10):
    ...         self.max_iter = max_iter
    >>> Estimator(max_iter=3).max_iter, current_names(Estimator, {"passes": 5})
    (3, {'max_iter': 5})
    """

    def decorate(kind: Kind) -> Kind:
        known = {**getattr(kind, "former_names", {}), **names}
        kind.former_names = known  # type: ignore[attr-defined]
        for method in ("__init__", "set_params"):
            if hasattr(kind, method):
                setattr(kind, method, _translating(getattr(kind, method), kind.__name__, known))
        for old, new in names.items():
            setattr(kind, old, _attribute(old, new))
        return kind

    return decorate


def current_names(kind: type, params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a stored model under their current names."""
    known = getattr(kind, "former_names", {})
    return {known.get(name, name): value for name, value in params.items()}


def _translating(method: Callable[..., Any], owner: str, names: Mapping[str, str]) -> Callable[..., Any]:
    @wraps(method)  # scikit-learn reads the wrapped method's signature
    def translated(self: Any, *args: Any, **given: Any) -> Any:
        for old in names.keys() & given.keys():
            new = names[old]
            if new in given:
                raise TypeError(f"{owner} has {new}, which {old} was called before: give one of them")
            _warn(old, new, 3)
            given[new] = given.pop(old)
        return method(self, *args, **given)

    return translated


def _attribute(old: str, new: str) -> property:
    def read(self: Any) -> Any:
        _warn(old, new, 3)
        return getattr(self, new)

    def write(self: Any, value: Any) -> None:
        _warn(old, new, 3)
        setattr(self, new, value)

    return property(read, write, doc=f"What is called `{new}` now.")


def _warn(old: str, new: str, level: int) -> None:
    text = f"{old} is called {new} now, as in scikit-learn; the old name goes with the next version"
    warnings.warn(text, FutureWarning, stacklevel=level)


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
