"""Parameters of estimators by scikit-learn's names; the names that they had before work for one version.

>>> @rename_parameters(passes="max_iter")
... class Estimator:
...     def __init__(self, *, max_iter=10):
...         self.max_iter = max_iter
>>> Estimator(max_iter=3).max_iter, current_names(Estimator, {"passes": 5})
(3, {'max_iter': 5})
"""

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)


def rename_parameters(**names: str) -> Callable[[Kind], Kind]:
    """A decorator of estimators: ``old="new"`` for parameters that had another name.

    The old name is taken by the constructor, by `set_params` and as an attribute, with a FutureWarning; both
    names at once are a TypeError. `get_params` and searches know the new one only.
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
    """Parameters of a stored model, by the names that they have now."""
    known = getattr(kind, "former_names", {})
    return {known.get(name, name): value for name, value in params.items()}


def _translating(method: Callable, owner: str, names: Mapping[str, str]) -> Callable:
    @functools.wraps(method)  # scikit-learn reads the signature of what is wrapped
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
