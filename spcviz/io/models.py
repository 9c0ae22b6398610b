"""Save estimators to a folder and load them: arrays and a manifest (`spcviz.store`), never pickle."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.io.estimators import KIND, VERSION, contents, estimator_of
from spcviz.io.zipped import MAX_PACKED, of_zip
from spcviz.store.errors import OWN_MODEL, StoreError
from spcviz.store.models import load_model, save_model


def save(model: Any, folder: str | Path) -> Path:
    """Write a trained estimator to its own folder; returns the path of ``estimator.json`` in it.

    Parameters
    ----------
    model : estimator
        One of `spcviz.io.estimators.ESTIMATORS`, or any with ``to_state``, ``State`` and ``from_state``.
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
