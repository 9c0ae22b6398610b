"""Write named arrays as the bytes of an ``.npz`` file and read them; SHA-256 of arrays.

The bytes depend only on the arrays: entries are sorted by name, with one fixed time, and headers are
written here because numpy's own padding has changed between versions. `numpy.load` reads them too. A digest
is of an array's dtype, shape and little-endian bytes in row order, nothing else.
"""

import hashlib
import io
import math
import struct
import zipfile
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.store.errors import DamagedError
from spcviz.store.zips import DAMAGE as DAMAGE
from spcviz.store.zips import Zip, exactly

ALLOWED_KINDS = "biuf"
ALLOWED_DTYPES = "bool, integer or float of at most 8 bytes"

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip entry can carry


def pack(arrays: dict[str, np.ndarray]) -> bytes:
    """Bytes of an npz file; the arrays are in `portable` form.

    >>> float(np.load(io.BytesIO(pack({"w": np.ones(2)})))["w"].sum())
    2.0
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # otherwise Windows and Unix differ in one byte
            array = arrays[name]
            archive.writestr(entry, _npy_header(array.dtype, array.shape) + array.tobytes())
    return buffer.getvalue()


def describe(array: np.ndarray) -> dict[str, Any]:
    """The manifest's description of one array: dtype, shape and sha256."""
    return {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": digest_of_array(array)}


def unpack(npz: bytes, described: dict[str, dict[Any, Any]]) -> dict[str, np.ndarray]:
    """Permanently read-only arrays from the bytes of an npz file; unpacks no more than `described` says.

    `described` has the result of `describe` for each array, with acceptable sizes; `DamagedError` unless the
    arrays are exactly those.
    """
    try:
        archive, names = Zip(npz), sorted(described)
        if archive.names != [f"{name}.npy" for name in names]:
            raise DamagedError(f"must hold {names}, got {archive.names}")
        return {name: _read(archive, name, described[name]) for name in names}
    except DamagedError as error:
        raise DamagedError(f"its npz file {error}") from error


def _read(archive: Zip, name: str, about: dict[str, Any]) -> np.ndarray:
    dtype, shape = np.dtype(about["dtype"]), tuple(about["shape"])
    head, file_name = _npy_header(dtype, shape), f"{name}.npy"
    size = len(head) + dtype.itemsize * math.prod(shape)
    if archive.sizes[file_name] != size:
        raise DamagedError(
            f"has an array {name!r} that unpacks to {archive.sizes[file_name]} bytes, must be {size}"
        )
    with archive.open(file_name, size) as file:
        if file.read(len(head)) != head:
            raise DamagedError(f"has an array {name!r} that is not of dtype {dtype} and shape {shape}")
        data = exactly(file, size - len(head))
    # A view of immutable bytes: it cannot be made writable again.
    array = np.frombuffer(data, dtype).reshape(shape)
    if digest_of_array(array) != about["sha256"]:
        raise DamagedError(f"has an array {name!r} without the SHA-256 of the manifest")
    return array


def _npy_header(dtype: np.dtype, shape: tuple[int, ...]) -> bytes:
    """The header of a .npy file of version 1.0, padded so that elements start at a multiple of 64."""
    text = repr({"descr": np.dtype(dtype).str, "fortran_order": False, "shape": tuple(shape)})
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("ascii")


def portable(array: Any, name: str) -> np.ndarray:
    """`array` with its axes in C order and little-endian elements; same shape.

    `ArgumentError` if its dtype cannot be read back on every platform: objects, strings, records, complex,
    long double.
    """
    array = np.asarray(array)
    if array.dtype.kind not in ALLOWED_KINDS or array.dtype.itemsize > 8:
        raise ArgumentError(f"array {name!r} must be {ALLOWED_DTYPES}, got dtype {array.dtype}")
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def digest_of_array(array: np.ndarray) -> str:
    """SHA-256 of one array in `portable` form, 64 hexadecimal digits."""
    head = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + b"\n" + array.tobytes()).hexdigest()


def digest_of_arrays(arrays: dict[str, np.ndarray]) -> str:
    """One digest (64 hexadecimal digits) for a set of named arrays, for instance a model's training data.

    Equal iff names, dtypes, shapes and all bytes are equal, whatever the order of the names. Dtypes as in
    `portable`.

    >>> a, b = np.arange(3), np.ones(2)
    >>> digest_of_arrays({"a": a, "b": b}) == digest_of_arrays({"b": b, "a": a})
    True
    >>> digest_of_arrays({"a": a}) == digest_of_arrays({"a": a.astype(np.int8)})
    False
    """
    total = hashlib.sha256()
    for name in sorted(arrays):
        total.update(f"{name!r} {digest_of_array(portable(arrays[name], name))}\n".encode())
    return total.hexdigest()
