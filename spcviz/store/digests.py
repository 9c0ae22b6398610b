"""SHA-256 of arrays: of their dtype, shape and little-endian bytes in row order, nothing else."""

import hashlib
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError

ALLOWED_KINDS = "biuf"
ALLOWED_DTYPES = "bool, integer or float of at most 8 bytes"


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
