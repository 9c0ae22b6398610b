"""Save and load models so that each is read completely or refused, never in part.

A model ``ocr`` is two files in one folder::

    ocr.json                     manifest: what it is, how it was made, SHA-256 of everything
    ocr.<16 hex digits>.npz      the arrays; the digits are the first of its own SHA-256

The manifest is replaced last and is the only way to the arrays, so at every instant the folder holds
the old model or the new one. Reading checks, in this order: the manifest's digest of itself, the npz
file's SHA-256 before anything in it is parsed, sizes before anything is unpacked, and each array.
The same arrays always give the same bytes. No pickle: dtypes are bool, integer and float only.

A model's name begins with the argument of ``python -m spcviz train`` that rebuilds it:
``ocr`` and ``ocr-hog`` are both repaired by ``python -m spcviz train ocr``.
"""

import contextlib
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.store.archive import pack, unpack
from spcviz.store.atomic import TEMPORARY_SUFFIX, write_bytes_atomic, writing
from spcviz.store.errors import DamagedError, StoreError, refusal
from spcviz.store.manifest import (
    FIELDS,
    MAX_MANIFEST_BYTES,
    NAME,
    check_arrays,
    check_name,
    make_manifest,
    manifest_bytes,
    npz_name,
    parse_manifest,
    with_licence,
)

MAX_NPZ_BYTES = 256 << 20
READ_ATTEMPTS = 5


class StoredModel(NamedTuple):
    """The result of `load_model`.

    The arrays are read-only, little-endian, in C order. The manifest has ``kind``, ``version``, ``settings``,
    ``data_digest``, ``random_state``, ``metrics``; ``arrays`` (dtype, shape and sha256 of each) and ``npz``
    (sha256 and bytes); ``sha256`` of all of it; ``licence``, once `set_licence` has been called.
    """

    name: str
    arrays: dict[str, np.ndarray]
    manifest: dict[str, Any]


class ModelStatus(NamedTuple):
    """One line of `list_models`: the size is that of the npz file.

    If the manifest cannot be read, `problem` has the reason and the repair command; kind, version and size
    are empty or 0.
    """

    name: str
    kind: str
    version: int
    n_bytes: int
    problem: str


def save_model(
    folder: str | Path,
    name: str,
    arrays: dict[str, np.ndarray],
    *,
    kind: str,
    version: int,
    settings: dict[str, Any],
    data_digest: str,
    random_state: int,
    metrics: dict[str, Any],
) -> Path:
    """Write a model, atomically: after a crash or a full disk the previous version is intact.

    `name` has at most 64 lower-case letters, digits, ``_`` and ``-``, and begins with the training that makes
    it. The arrays are bool, integer or float of at most 8 bytes, 1 GiB together. `kind` says what the program
    must be able to do with them, such as ``"cascade"``; raise `version` when their meaning changes.
    `settings` and `metrics` are plain JSON, `data_digest` comes from `digest_of_arrays`. Returns the
    manifest's path; `ArgumentError` if an argument cannot be stored (nothing has been written then),
    `StoreError` if the disk is full or the folder is not writable.

    >>> import tempfile
    >>> import numpy as np
    >>> about = dict(kind="cascade", settings={"order": 3}, data_digest="", random_state=0, metrics={})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_model(folder, "ocr", {"w": np.arange(3.0)}, version=1, **about)
    ...     load_model(folder, "ocr", kind="cascade", version=1).arrays["w"]
    array([0., 1., 2.])
    """
    folder = Path(folder)
    check_name(name)
    stored = check_arrays(arrays)
    npz = pack(stored)
    if len(npz) > MAX_NPZ_BYTES:
        raise ArgumentError(f"arrays must pack into at most {MAX_NPZ_BYTES} bytes, got {len(npz)}")
    about = zip(FIELDS, (kind, version, settings, data_digest, random_state, metrics), strict=True)
    manifest = make_manifest(name, dict(about), stored, npz)
    npz_path = folder / npz_name(manifest)
    try:
        with writing(folder):
            write_bytes_atomic(npz_path, npz)
            path = write_bytes_atomic(folder / f"{name}.json", manifest_bytes(manifest))
            _remove_leftovers(folder, name, keep=npz_path.name)
    except OSError as error:
        raise refusal(
            folder, name, f"cannot be written ({error.strerror or error}); no whole version was lost"
        ) from error
    return path


def set_licence(folder: str | Path, name: str, licence: dict[str, Any]) -> bool:
    """Write the obligations from others' data into a stored model's manifest; the model stays the same.

    `licence` as in `spcviz.store.manifest.with_licence`. Returns whether something was written: False if the
    manifest already says exactly that.
    """
    folder = Path(folder)
    try:
        with writing(folder):
            manifest = _read_manifest(folder, name)
            wanted = with_licence(manifest, licence)
            if wanted == manifest:
                return False
            write_bytes_atomic(folder / f"{name}.json", manifest_bytes(wanted))
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise refusal(folder, name, f"cannot be written ({error.strerror or error})") from error
    return True


def load_model(folder: str | Path, name: str, *, kind: str, version: int) -> StoredModel:
    """Read a model and verify every byte of it.

    `StoreError`, ending with the repair command, if it is missing, damaged, too large, or not of this kind
    and version.
    """
    model = _read_model(Path(folder), name)
    saved = model.manifest["kind"], model.manifest["version"]
    if saved != (kind, version):
        raise refusal(
            folder, name, f"is {saved[0]!r} version {saved[1]}; this program needs {kind!r} version {version}"
        )
    return model


def verify_model(folder: str | Path, name: str) -> dict[str, Any]:
    """Read everything `load_model` reads, whatever its kind; return the manifest or raise its errors."""
    return _read_model(Path(folder), name).manifest


def list_models(folder: str | Path) -> list[ModelStatus]:
    """The models in a folder, sorted by name; empty if there is no folder.

    Manifests are checked, arrays are not (see `verify_model`).
    """
    folder = Path(folder)
    names = {path.name.split(".")[0] for pattern in ("*.json", "*.npz") for path in folder.glob(pattern)}
    return [_status(folder, name) for name in sorted(names) if NAME.fullmatch(name)]


def _status(folder: Path, name: str) -> ModelStatus:
    try:
        manifest = _read_manifest(folder, name)
    except StoreError as error:
        return ModelStatus(name, "", 0, 0, str(error))
    return ModelStatus(name, manifest["kind"], manifest["version"], manifest["npz"]["bytes"], "")


def _remove_leftovers(folder: Path, name: str, keep: str) -> None:
    """Remove older arrays, and temporary files of killed writers: the lock ensures that none is alive."""
    older = [path for path in folder.glob(f"{name}.*.npz") if path.name != keep]
    for path in [*older, *folder.glob(f".{name}.*{TEMPORARY_SUFFIX}")]:
        with contextlib.suppress(OSError):  # the model itself is written; the next writer tries again
            path.unlink()


def _read_model(folder: Path, name: str) -> StoredModel:
    check_name(name)
    for _ in range(READ_ATTEMPTS):
        manifest = _read_manifest(folder, name)
        try:
            npz = _read_bytes(folder, name, npz_name(manifest), MAX_NPZ_BYTES)
            break
        except StoreError:
            # A writer may have replaced the model since we read the manifest; then try again.
            if _read_manifest(folder, name)["sha256"] == manifest["sha256"]:
                raise
    else:
        raise refusal(folder, name, f"was replaced {READ_ATTEMPTS} times while it was being read")
    if hashlib.sha256(npz).hexdigest() != manifest["npz"]["sha256"]:
        raise refusal(folder, name, "is damaged: its npz file does not have the SHA-256 of the manifest")
    try:
        arrays = unpack(npz, manifest["arrays"])
    except DamagedError as error:
        raise refusal(folder, name, f"is damaged: {error}") from error
    return StoredModel(name, arrays, manifest)


def _read_bytes(folder: Path, name: str, file_name: str, limit: int) -> bytes:
    path = folder / file_name
    try:
        if not path.is_file():  # opening a named pipe would block forever
            raise refusal(folder, name, f"is incomplete: {file_name} is missing")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise refusal(folder, name, f"cannot be read: {file_name}: {error.strerror or error}") from error
    if len(data) > limit:
        raise refusal(folder, name, f"is too large: {file_name} has more than {limit} bytes")
    return data


def _read_manifest(folder: Path, name: str) -> dict[str, Any]:
    data = _read_bytes(folder, name, f"{name}.json", MAX_MANIFEST_BYTES)
    try:
        return parse_manifest(name, data)
    except DamagedError as error:
        raise refusal(folder, name, f"has a manifest that {error}") from error
