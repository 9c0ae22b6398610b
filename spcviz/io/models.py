"""Save estimators to a folder and load them: arrays and a manifest (`spcviz.store`), never pickle.

An estimator's ``to_state()`` returns a NamedTuple of its parameters and what it has learned, of class
``type(estimator).State``; ``type(estimator).from_state(state)`` restores the estimator. A folder stores its
class as a name, which is looked up in `ESTIMATORS` and among the caller's classes: nothing is imported
because a file says so.
"""

import hashlib
from collections.abc import Iterable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.store.digests import digest_of_arrays
from spcviz.store.errors import OWN_MODEL, DamagedError, StoreError
from spcviz.store.models import StoredModel, load_model, save_model
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


def save(model: Any, folder: str | Path) -> Path:
    """Write a trained estimator to its own folder; returns the path of ``estimator.json`` in it.

    Parameters
    ----------
    model : estimator
        One of `ESTIMATORS`, or any with ``to_state``, ``State`` and ``from_state``.
    folder : str or Path
        Created if it does not exist. An existing model is replaced; a crash leaves the old or the new one.

    Raises
    ------
    ArgumentError
        If it is not such an estimator, is not trained, or holds what cannot be stored (1 GiB at most).
    StoreError
        If the folder cannot be written.
    """
    folder = _check_path(folder)
    arrays, about = contents(model)
    return save_model(folder, OWN_MODEL, arrays, **about)


def _check_path(folder: Any) -> Path:
    if not isinstance(folder, str | PathLike) or not folder:  # "" would be the current folder
        raise ArgumentError(f"folder must be a path, got {folder!r:.60}")
    return Path(folder)


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


def load(folder: str | Path, *, types: Iterable[type] = ()) -> Any:
    """Read an estimator that `save` wrote, and verify every byte of it.

    `folder` may also be a zip file of it, from the page "Your data" or packed by any tool. `types` are the
    caller's own estimator classes that it may contain. `StoreError`, which says what to do, if there is no
    model, or it is damaged or of an unknown class.
    """
    if (path := _check_path(folder)).is_file():
        return _load_zip(path, types)
    stored = load_model(folder, OWN_MODEL, kind=KIND, version=VERSION)
    return estimator_of(folder, stored, {estimator.__name__: estimator for estimator in types})


def _load_zip(path: Path, types: Iterable[type]) -> Any:
    from spcviz.io.zipped import MAX_PACKED, of_zip

    try:
        with path.open("rb") as file:
            data = file.read(MAX_PACKED + 1)
        if not data.startswith(b"PK"):
            raise StoreError(f"model in {path} must be a folder that spcviz.save wrote, or a .zip of it")
        if len(data) > MAX_PACKED:
            raise StoreError(
                f"model in {path} has more than {MAX_PACKED >> 20} MB; unpack it and load the folder"
            )
        return of_zip(data, str(path), types=types)
    except ArgumentError as error:
        raise StoreError(str(error)) from None
    except OSError as error:
        raise StoreError(f"model in {path} cannot be read: {error.strerror}") from None


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
