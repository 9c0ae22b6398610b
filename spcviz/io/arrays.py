"""Arrays of an ``.npz`` file of a stranger: no pickle, and never more memory than is allowed."""

import io
import math
import zipfile
import zlib

import numpy as np

from spcviz.engine.errors import ArgumentError

MAX_ARRAYS = 64
MAX_ENTRY_BYTES = 1 << 30
"""Of all arrays that are read, unpacked."""

_KINDS = "biufU"
_DAMAGE = (ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error)


def arrays_of(name: str, data: bytes, wanted: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The arrays of some names that are there.

    Sizes are checked before anything is unpacked, and the size that an array's header claims before anything
    is allocated: a file of some kilobytes may say that it holds terabytes. `ArgumentError` if it is no
    ``.npz`` file, is damaged, too large, or holds arrays of objects.
    """
    out, left = {}, MAX_ENTRY_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if len(entries) > MAX_ARRAYS:
                raise ArgumentError(f"{name}: must hold at most {MAX_ARRAYS} arrays, got {len(entries)}")
            for key in wanted:
                entry = entries.get(f"{key}.npy")
                if entry is None:
                    continue
                left -= entry.file_size
                if left < 0:
                    raise ArgumentError(f"{name}: {key} must unpack to at most {MAX_ENTRY_BYTES} bytes")
                with archive.open(entry) as file:
                    out[key] = _array(name, key, file.read(entry.file_size))
    except ArgumentError:
        raise
    except _DAMAGE as error:
        raise ArgumentError(f"{name}: must be an .npz file that can be unpacked: {error}") from None
    return out


def _array(name: str, key: str, data: bytes) -> np.ndarray:
    """One array of the bytes of an ``.npy`` file."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{key} is of .npy version {version}")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, dtype = read(file)
    if dtype.kind not in _KINDS:
        raise ArgumentError(f"{name}: {key} must be of numbers or texts, got dtype {dtype}")
    at = file.tell()
    if dtype.itemsize * math.prod(shape) != len(data) - at:
        raise ValueError(f"{key} has {len(data) - at} bytes, not those of {dtype} and shape {shape}")
    array = np.frombuffer(data, dtype, offset=at)
    return array.reshape(shape, order="F" if is_fortran else "C")
