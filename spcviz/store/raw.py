"""Serialise nested values as raw bytes, for pipes between processes and files of one machine.

    length of the head (8 bytes, little-endian), head, arrays     each at a multiple of its item size

The head is JSON: the skeleton of `spcviz.store.tree`, and name, dtype and shape of each array. A hundred
arrays are read in a millisecond, without a copy.
"""

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from spcviz.store.archive import ALLOWED_KINDS
from spcviz.store.errors import DamagedError
from spcviz.store.tree import flatten, rebuild

_LENGTH = 8


def pieces_of(value: Any, types: type | Iterable[type]) -> list[bytes]:
    """The bytes of a nested value, in pieces; allowed content and errors as in `tree.flatten`.

    >>> value_of(b"".join(pieces_of(("a", np.arange(2)), ())), ())
    ('a', array([0, 1]))
    """
    arrays, skeleton = flatten(value, types)
    names = sorted(arrays, key=lambda name: -arrays[name].itemsize)
    about = [[name, arrays[name].dtype.str, arrays[name].shape] for name in names]
    head = json.dumps({"skeleton": skeleton, "arrays": about}).encode()
    head += b" " * (-(_LENGTH + len(head)) % 8)
    return [len(head).to_bytes(_LENGTH, "little"), head, *(arrays[name].tobytes() for name in names)]


def value_of(data: bytes | memoryview, types: type | Iterable[type]) -> Any:
    """The value that `pieces_of` wrote; its arrays are views of `data`.

    `DamagedError` unless the bytes have exactly this format, whoever wrote them.
    """
    data = memoryview(data)
    at, arrays = _LENGTH + int.from_bytes(data[:_LENGTH], "little"), {}
    try:
        head = json.loads(bytes(data[_LENGTH:at]))
        skeleton = head["skeleton"]
        for name, kind, shape in head["arrays"]:
            dtype = np.dtype(kind)
            if dtype.kind not in ALLOWED_KINDS or any(type(n) is not int or n < 0 for n in shape):
                raise DamagedError(f"must hold arrays of numbers, got {kind!r:.20} and {shape!r:.60}")
            arrays[str(name)] = np.frombuffer(data, dtype, math.prod(shape), at).reshape(shape)
            at += arrays[name].nbytes
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError) as error:
        raise DamagedError(f"cannot be read: {error}") from error
    if at != len(data):
        raise DamagedError(f"has {len(data)} bytes, must have {at}")
    return rebuild(arrays, skeleton, types)
