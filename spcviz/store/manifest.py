"""Write and check a model's manifest: a file that disagrees with it is refused.

``sha256`` is the digest of all other entries, serialised on one line with sorted keys, except ``licence``,
which has its own digest: a model whose licence is reworded is still the same model.
"""

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.store.archive import ALLOWED_KINDS, describe, portable
from spcviz.store.atomic import json_bytes
from spcviz.store.errors import DamagedError

FORMAT = "spcviz model 1"
FIELDS = {
    "kind": str,
    "version": int,
    "settings": dict,
    "data_digest": str,
    "random_state": int,
    "metrics": dict,
}
MAX_MANIFEST_BYTES = 4 << 20
MAX_ARRAY_BYTES = 1 << 30  # all arrays of a model together, unpacked
MAX_ARRAYS = 1000
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")  # no capitals: some file systems do not tell them apart
ARRAY_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def check_name(name: Any) -> None:
    """Raise ArgumentError unless `name` is safe as a file name everywhere."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ArgumentError(f"name must match {NAME.pattern}, got {name!r}")


def check_arrays(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays in the form in which they are stored, sorted by name, or ArgumentError."""
    _check_type("arrays", arrays, dict)
    if len(arrays) > MAX_ARRAYS:
        raise ArgumentError(f"arrays must be at most {MAX_ARRAYS}, got {len(arrays)}")
    for name in arrays:
        if not isinstance(name, str) or not ARRAY_NAME.fullmatch(name):
            raise ArgumentError(f"names in arrays must match {ARRAY_NAME.pattern}, got {name!r}")
    n_bytes = sum(np.asarray(array).nbytes for array in arrays.values())  # before anything is copied
    if n_bytes > MAX_ARRAY_BYTES:
        raise ArgumentError(f"arrays must hold at most {MAX_ARRAY_BYTES} bytes, got {n_bytes}")
    return {name: portable(arrays[name], name) for name in sorted(arrays)}


def make_manifest(
    name: str, about: dict[str, Any], arrays: dict[str, np.ndarray], npz: bytes
) -> dict[str, Any]:
    """Build a model's manifest.

    `about` has one entry for each of `FIELDS`, `arrays` come from `check_arrays`, `npz` from
    `spcviz.store.archive.pack`. `ArgumentError` if an entry has the wrong type, is not JSON, or the whole is
    too large.
    """
    for key, wanted in FIELDS.items():
        _check_type(key, about[key], wanted)
    if not about["kind"]:
        raise ArgumentError("kind must not be empty, got ''")
    if about["version"] < 1:
        raise ArgumentError(f"version must be at least 1, got {about['version']!r}")
    manifest = {
        "format": FORMAT,
        "name": name,
        **about,
        "arrays": {key: describe(array) for key, array in arrays.items()},
        "npz": {"sha256": hashlib.sha256(npz).hexdigest(), "bytes": len(npz)},
    }
    # Through JSON and back, so that the digest covers what a reader will see: lists for tuples and arrays.
    manifest = json.loads(json_bytes(manifest, "settings and metrics"))
    manifest["sha256"] = _digest(manifest)
    n_bytes = len(manifest_bytes(manifest))
    if n_bytes > MAX_MANIFEST_BYTES:
        raise ArgumentError(
            f"settings and metrics must fit in {MAX_MANIFEST_BYTES} bytes, got a manifest of {n_bytes}"
        )
    return manifest


def with_licence(manifest: dict[str, Any], licence: Any) -> dict[str, Any]:
    """A manifest that states its model's obligations from others' data.

    `licence` is plain JSON, a dict that is not empty; its own digest is added to its entries, under
    ``sha256``.
    """
    if not isinstance(licence, dict) or not licence:
        raise ArgumentError(f"licence must be a dict that is not empty, got {licence!r:.80}")
    licence = json.loads(json_bytes(licence, "licence"))
    return manifest | {"licence": licence | {"sha256": _digest(licence)}}


def manifest_bytes(manifest: dict[str, Any]) -> bytes:
    """The content of the manifest file."""
    return json_bytes(manifest, "manifest", indent=1) + b"\n"


def parse_manifest(name: str, data: bytes) -> dict[str, Any]:
    """The manifest in the bytes of a file; `name` is the model that it must belong to.

    `DamagedError` unless it is one that `make_manifest` wrote and that this program can use.
    """
    try:
        manifest = json.loads(data.decode())
        digest = _digest(manifest)
    except (ValueError, AttributeError, RecursionError) as error:
        raise DamagedError(f"is not a JSON object: {error}") from error
    if manifest.get("sha256") != digest:
        raise DamagedError("is damaged: its digest of itself is wrong")
    if "licence" in manifest and not _is_whole(manifest["licence"]):
        raise DamagedError("is damaged: the digest of its licence is wrong")
    try:
        _check_manifest(manifest, name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedError(f"this program cannot use: {error!r}") from error
    return manifest


def npz_name(manifest: dict[str, Any]) -> str:
    """File name of the arrays that belong to a manifest; the manifest never supplies a path."""
    return f"{manifest['name']}.{manifest['npz']['sha256'][:16]}.npz"


def _is_whole(licence: Any) -> bool:
    return isinstance(licence, dict) and licence.get("sha256") == _digest(licence)


def _digest(manifest: dict[str, Any]) -> str:
    body = {key: value for key, value in manifest.items() if key not in ("sha256", "licence")}
    return hashlib.sha256(json_bytes(body, "manifest", sort_keys=True)).hexdigest()


def _check_type(argument: str, value: Any, wanted: type) -> None:
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise ArgumentError(f"{argument} must be of type {wanted.__name__}, got {value!r}")


def _check_manifest(manifest: dict[str, Any], name: str) -> None:
    """Refuse a manifest whose digest is right but which `make_manifest` would not have written."""
    if manifest["format"] != FORMAT:
        raise ValueError(f"format must be {FORMAT!r}, got {manifest['format']!r}")
    if manifest["name"] != name:
        raise ValueError(f"name must be {name!r}, got {manifest['name']!r}")
    for key, wanted in FIELDS.items():
        _check_type(key, manifest[key], wanted)
    if not re.fullmatch("[0-9a-f]{64}", manifest["npz"]["sha256"]):
        raise ValueError(f"npz sha256 must be 64 hexadecimal digits, got {manifest['npz']['sha256']!r}")
    _check_type("npz bytes", manifest["npz"]["bytes"], int)
    n_bytes = 0
    for key, about in manifest["arrays"].items():
        dtype, shape = np.dtype(about["dtype"]), about["shape"]
        if dtype.kind not in ALLOWED_KINDS or dtype.itemsize > 8 or not ARRAY_NAME.fullmatch(key):
            raise ValueError(f"array {key!r} must be a stored one, got dtype {dtype}")
        if not isinstance(shape, list) or any(type(n) is not int or n < 0 for n in shape):
            raise ValueError(f"array {key!r} must have a shape of sizes, got {shape!r}")
        n_bytes += dtype.itemsize * math.prod(shape)
    if n_bytes > MAX_ARRAY_BYTES or len(manifest["arrays"]) > MAX_ARRAYS:
        raise ValueError(f"arrays must hold at most {MAX_ARRAY_BYTES} bytes, got {n_bytes}")


def model_digest(folder: str | Path, name: str) -> str:
    """The digest that identifies a stored model; "" if none can be read.

    >>> model_digest("nowhere", "ocr")
    ''
    """
    try:
        return json.loads((Path(folder) / f"{name}.json").read_bytes())["sha256"]
    except (OSError, ValueError, KeyError):
        return ""


def made_with(folder: str | Path, *names: str) -> dict[str, str]:
    """Digests of stored models by name, as a value's `made_from`; see `spcviz.store.save_value`.

    >>> made_with("nowhere", "ocr")
    {'ocr': ''}
    """
    return {name: model_digest(folder, name) for name in names}
