"""Unpack files from strangers within bounds: gzip, zip, and the arrays of an ``.npz`` file.

Arrays are read without pickle. `ArgumentError` names the file that is damaged or too large.
"""

import math
import zlib
from collections.abc import Collection, Sequence
from typing import IO

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.store.errors import DamagedError
from spcviz.store.zips import DAMAGE, Zip, exactly

MAX_ARRAYS = 64
"""Most arrays of an ``.npz`` file."""

MAX_ENTRY_BYTES = 1 << 30
"""Most bytes of all arrays that are read, unpacked."""

_KINDS = "biufU"

_MOST_HEAD = 1 << 16

_LAST_SIGN, _SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)


def gunzip(name: str, data: bytes, most: int) -> bytes:
    """Unpack gzip, with concatenated members; `ArgumentError` beyond `most` bytes."""
    out, left = [], most
    while data:
        unpack = zlib.decompressobj(wbits=31)
        try:
            piece = unpack.decompress(data, left + 1)
        except zlib.error as error:
            raise ArgumentError(f"{name}: is gzip that cannot be unpacked: {error}") from None
        left -= len(piece)
        if left < 0:
            raise ArgumentError(
                f"{name}: is gzip that unpacks to more than {most >> 20} MB; unpack a part of it"
            )
        if not unpack.eof:
            raise ArgumentError(f"{name}: is gzip that is cut off")
        out.append(piece)
        data = unpack.unused_data.lstrip(b"\0")
    return b"".join(out)


def opened_zip(name: str, data: bytes) -> Zip:
    """Open a zip file, with its files by path; `ArgumentError` if it cannot be opened."""
    try:
        return Zip(data, is_tidy=True)
    except DamagedError as error:
        raise ArgumentError(f"{name}: must be an .npz or .zip that can be unpacked: it {error}") from None


def unzip(name: str, archive: Zip, path: str, most: int) -> bytes:
    """Unpack one file of a zip, up to `most` bytes whatever it declares, or raise `ArgumentError`."""
    try:
        return archive.read(path, most)
    except DamagedError as error:
        raise ArgumentError(f"{name}: {error}") from None


def text_in(name: str, paths: Collection[str]) -> str:
    """The path of the file to read in a zip: the only one, or the only one with "train" in its name.

    `ArgumentError`, with the names of some, if there are several or none.
    """
    if len(paths) == 1:
        return next(iter(paths))
    trained = [path for path in paths if "train" in path.rpartition("/")[2].lower()]
    if len(trained) == 1:
        return trained[0]
    shown = ", ".join(path.rpartition("/")[2] for path in sorted(paths)[:4])[:100] or "nothing"
    raise ArgumentError(
        f"{name}: is a zip of {len(paths):,} files ({shown}); bring the one that is to be read"
    )


def arrays_of(
    name: str, data: bytes, wanted: Sequence[str] | None = None, *, most: int | None = None
) -> dict[str, np.ndarray]:
    """The arrays whose names are wanted and exist, or all arrays.

    The size in an array's header is compared with the size its member declares, and both with the bound,
    before anything else of it is unpacked: a file of a few kilobytes may claim to hold terabytes.
    `ArgumentError` if it is no ``.npz`` file, is damaged, unpacks to more than `most` bytes (default 1 GiB),
    is packed by a method without bounds, or holds arrays of objects.
    """
    out, left = {}, MAX_ENTRY_BYTES if most is None else most
    try:
        archive = Zip(data)
        if len(archive.names) > MAX_ARRAYS:
            raise ArgumentError(f"{name}: must hold at most {MAX_ARRAYS} arrays, got {len(archive.names)}")
        keys = [file.removesuffix(".npy") for file in archive.names] if wanted is None else wanted
        for key in keys:
            if (size := archive.sizes.get(f"{key}.npy")) is None:
                continue
            with archive.open(f"{key}.npy", left) as file:
                out[key] = _array(name, key, file, size)
            left -= size
    except ArgumentError:
        raise
    except DamagedError as error:
        raise ArgumentError(f"{name}: must be an .npz file that can be unpacked: it {error}") from None
    except DAMAGE as error:
        raise ArgumentError(f"{name}: must be an .npz file that can be unpacked: {error}") from None
    return out


def _array(name: str, key: str, file: IO[bytes], size: int) -> np.ndarray:
    """One array of an ``.npy`` member that declares `size` bytes."""
    head = _Counted(file)
    version = np.lib.format.read_magic(head)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{key} is of .npy version {version}")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, is_fortran, dtype = read(head)
    if dtype.kind not in _KINDS:
        raise ArgumentError(f"{name}: {key} must be of numbers or texts, got dtype {dtype}")
    if dtype.itemsize * math.prod(shape) != size - head.n_read:
        raise ValueError(f"{key} has {size - head.n_read} bytes, not those of {dtype} and shape {shape}")
    array = np.frombuffer(exactly(file, size - head.n_read), dtype)
    if dtype.kind == "U":
        _check_signs(name, key, array)
    return array.reshape(shape, order="F" if is_fortran else "C")


class _Counted:
    """A member whose header is being read, limited to the length that a header can have."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.n_read = file, 0

    def read(self, n: int = -1) -> bytes:
        if not 0 <= n <= _MOST_HEAD - self.n_read:
            raise ValueError(f"an array has a header of more than {_MOST_HEAD} bytes")
        data = self._file.read(n)
        self.n_read += len(data)
        return data


def _check_signs(name: str, key: str, array: np.ndarray) -> None:
    """Raise `ArgumentError` unless a text array has only code points that Python can turn into text."""
    if not array.size or not array.dtype.itemsize:
        return
    codes = array.view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    odd = (codes > _LAST_SIGN) | ((codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1]))
    if odd.any():
        code = int(codes[odd][0])
        raise ArgumentError(f"{name}: {key} must be of characters of Unicode, got the number 0x{code:x}")
