"""Open zip files from strangers: members are unpacked in pieces, up to a bound.

Python's `zipfile` bounds its output only for DEFLATE: with bzip2, LZMA or Zstandard it unpacks everything it
has just read at once, so that 1 kB takes gigabytes whatever the member declares. Here only stored and
deflated members are opened at all. These are all that `numpy.savez`, `spcviz.save` and the usual tools write.
"""

import contextlib
import io
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import IO

from spcviz.engine.errors import SpcvizError
from spcviz.store.errors import DamagedError

MOST_MEMBERS = 1100
"""Most members of a zip file; a model has at most 1,000 arrays."""

PIECE = 1 << 20
"""Bytes unpacked at a time."""

DAMAGE = (
    ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, struct.error,
    OSError, KeyError, IndexError, OverflowError,
)  # fmt: skip
"""Errors that `zipfile` raises for a file that is no valid zip."""

_ENTRY = b"PK\x01\x02"
_KINDS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_NAMES = {12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "XZ", 9: "DEFLATE64"}


class Zip:
    """The members of a zip file; `DamagedError` if it is no zip file, or has more than `most_members`.

    Members are unpacked only on request. `sizes` has the members' names and the bytes that each declares.
    With `is_tidy`, names have / between folders, which Windows PowerShell 5 does not write, and folders and
    files that systems add (``__MACOSX``, ``Thumbs.db``, hidden files) are left out; with `is_flat`, names
    also lose their folders.

    >>> out = io.BytesIO()
    >>> with zipfile.ZipFile(out, "w") as file:
    ...     file.writestr("a/b.txt", "text")
    >>> opened = Zip(out.getvalue(), is_flat=True)
    >>> opened.sizes, opened.read("b.txt", 10)
    ({'b.txt': 4}, b'text')
    """

    def __init__(
        self, data: bytes, *, most_members: int = MOST_MEMBERS, is_flat: bool = False, is_tidy: bool = False
    ) -> None:
        # Each directory entry begins with it; `zipfile` makes an object for each before it can be counted.
        if (n := data.count(_ENTRY)) > most_members:
            raise DamagedError(f"holds {n:,} members; at most {most_members:,} are looked at")
        with _damage():
            self._file = zipfile.ZipFile(io.BytesIO(data))
            listed = [(_path(entry, is_tidy or is_flat), entry) for entry in self._file.infolist()]
        if is_tidy or is_flat:
            listed = [(path, entry) for path, entry in listed if path[-1:] != "/" and not is_of_system(path)]
        self._entries = {path.rpartition("/")[2] if is_flat else path: entry for path, entry in listed}
        self.names = [path for path, _ in listed]
        flat = [path.rpartition("/")[2] for path in self.names] if is_flat else self.names
        self._several = {name for name, n in Counter(flat).items() if n > 1}
        self.sizes = {name: entry.file_size for name, entry in self._entries.items()}

    def read(self, name: str, most: int) -> bytes:
        """Unpack a member; `DamagedError` if it is missing, damaged, or longer than `most` bytes."""
        with self.open(name, most) as file:
            return exactly(file, self.sizes[name])

    @contextlib.contextmanager
    def open(self, name: str, most: int) -> Iterator[IO[bytes]]:
        """Open a member to read it in pieces; errors as in `read`, also while reading."""
        if name not in self._entries:
            raise DamagedError(f"has no {name}")
        if name in self._several:
            raise DamagedError(f"has {name:.60} more than once: zip one of its folders alone")
        entry = self._entries[name]
        if entry.compress_type not in _KINDS:
            kind = _NAMES.get(entry.compress_type, f"method {entry.compress_type}")
            raise DamagedError(
                f"packs {name:.60} by {kind}; only stored and deflated members are read: zip it as usual"
            )
        if entry.flag_bits & 1:
            raise DamagedError(f"packs {name:.60} with a password; zip it without one")
        if entry.file_size > most:
            raise DamagedError(
                f"has {name:.60} with {entry.file_size:,} bytes; at most {most:,} are unpacked"
            )
        with _damage(), self._file.open(entry) as file:
            yield file


def is_of_system(path: str) -> bool:
    """Whether a path in an archive is one that operating systems add to the user's files.

    >>> is_of_system("__MACOSX/model/._a.json"), is_of_system("model/a.json")
    (True, False)
    """
    parts = path.split("/")
    return (
        "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1].lower() in ("thumbs.db", "desktop.ini")
    )


def _path(entry: zipfile.ZipInfo, is_tidy: bool) -> str:
    return entry.filename.replace("\\", "/") if is_tidy else entry.filename


def exactly(file: IO[bytes], n: int) -> bytes:
    """The last `n` bytes of a member, read from here; `DamagedError` if it has fewer or more."""
    pieces, left = [], n
    while left and (piece := file.read(min(left, PIECE))):
        pieces.append(piece)
        left -= len(piece)
    if left or file.read(1):  # at the end `zipfile` verifies the checksum
        raise DamagedError(f"a member must unpack to {n:,} bytes more, and has {'fewer' if left else 'more'}")
    return b"".join(pieces)


@contextlib.contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except SpcvizError:  # some are ValueErrors
        raise
    except DAMAGE as error:
        raise DamagedError(f"cannot be unpacked: {error}") from error
