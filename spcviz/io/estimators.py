"""Turn estimators into arrays with manifest entries about them, and back.

An estimator's ``to_state()`` returns a NamedTuple of its parameters and what it has learned, of class
``type(estimator).State``; ``type(estimator).from_state(state)`` restores the estimator. A folder stores its
class as a name, which is looked up in `ESTIMATORS` and among the caller's classes: nothing is imported
because a file says so.
"""

import hashlib
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.store.archive import digest_of_arrays
from spcviz.store.errors import DamagedError, StoreError
from spcviz.store.models import StoredModel
from spcviz.store.tree import pack_tree, unpack_tree

KIND, VERSION = "estimator", 1

_UNREAD = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""Errors that a caller's own class, which checks less, may raise on bad data."""

ESTIMATORS = {
    "StructuredPerceptron": "spcviz.sequences",
    "StructuredSVM": "spcviz.sequences",
    "ChainCRF": "spcviz.sequences",
    "CRF": "spcviz.sequences.crfsuite",
    "CascadeTagger": "spcviz.sequences",
    "BudgetedTagger": "spcviz.spending",
    "ModelSelector": "spcviz.spending",
    "EnvelopeTagger": "spcviz.spending",
}
"""The module of each estimator of this package."""


def contents(model: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """(arrays, manifest entries about them) of a trained estimator; raises `ArgumentError` as `save`."""
    kind = type(model)
    if isinstance(model, type) or not all(
        hasattr(kind, name) for name in ("to_state", "State", "from_state")
    ):
        raise ArgumentError(f"model must be an estimator of spcviz, got {model!r:.60}")
    state = model.to_state()
    if type(state) is not kind.State:
        raise ArgumentError(f"model must have a state of {kind.State.__name__}, got {type(state).__name__}")
    arrays = pack_tree(state, kind.State)
    seed = getattr(model, "random_state", None)
    about = {
        "kind": KIND,
        "version": VERSION,
        "settings": {"class": kind.__name__, "spcviz": _version(), "state": _digest(kind.__name__, arrays)},
        "data_digest": "",
        "random_state": int(seed) if isinstance(seed, int | np.integer) else 0,
        "metrics": {},
    }
    return arrays, about


def estimator_of(folder: str | Path, stored: StoredModel, classes: dict[str, type]) -> Any:
    """The estimator in verified arrays; `classes` are the caller's own, by name. Raises `StoreError`."""
    kind = _class_of(folder, stored, classes)
    settings = stored.manifest["settings"]
    try:
        # Models of earlier versions lack this digest; `from_state` checks their content in any case.
        if settings.get("state", digest := _digest(settings["class"], stored.arrays)) != digest:
            raise DamagedError("its arrays are not those that were saved")
        # The store's arrays are read-only, to numba another type, for which every kernel would recompile.
        state = unpack_tree({key: array.copy() for key, array in stored.arrays.items()}, kind.State)
        if type(state) is not kind.State:
            raise DamagedError(f"it holds a {type(state).__name__}, not a {kind.State.__name__}")
        return kind.from_state(state)
    except SpcvizError as error:
        raise _refusal(folder, kind, str(error)) from error
    except _UNREAD as error:
        raise _refusal(folder, kind, f"{type(error).__name__}: {error}") from error


def _refusal(folder: str | Path, kind: Any, why: str) -> StoreError:
    return StoreError(
        f"model in {folder} does not hold what {kind.__name__} reads: {why}; "
        "fit it again and write it with spcviz.save"
    )


def _digest(name: str, arrays: dict[str, np.ndarray]) -> str:
    """Digest of an estimator's class and its arrays, which the manifest has besides the arrays' own."""
    return hashlib.sha256(f"{name} {digest_of_arrays(arrays)}".encode()).hexdigest()


def _class_of(folder: str | Path, stored: StoredModel, classes: dict[str, type]) -> Any:
    name = stored.manifest["settings"].get("class")
    if name in classes:
        return classes[name]
    if name in ESTIMATORS:
        return getattr(import_module(ESTIMATORS[name]), name)
    known = ", ".join([*ESTIMATORS, *classes])
    raise StoreError(
        f"model in {folder} is of class {name!r:.60}, which is none of {known}; "
        "hand over a class of your own as load(folder, types=[...])"
    )


def _version() -> str:
    import spcviz

    return spcviz.__version__
