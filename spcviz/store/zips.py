"""Open zip files from strangers: members are unpacked in pieces, against a bound.

Python's `zipfile` bounds what it unpacks of DEFLATE alone: of a member packed by bzip2, LZMA or Zstandard
all that it has just read is unpacked at once, so that 1 kB takes gigabytes whatever the member declares. Here
only stored and deflated members are opened at all. That is all that `numpy.savez`, `spcviz.save` and the
usual tools write.
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
"""Of a zip file: a model has at most 1,000 arrays."""

PIECE = 1 << 20
"""Bytes that are unpacked at a time."""

DAMAGE = (
    ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, struct.error,
    OSError, KeyError, IndexError, OverflowError,
)  # fmt: skip
"""What `zipfile` raises of a file that is none."""

_ENTRY = b"PK\x01\x02"
_KINDS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_NAMES = {12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "XZ", 9: "DEFLATE64"}


class Zip:
    """What a zip file holds; `DamagedError` if it is none, or holds more than `most_members`.

    Nothing is unpacked before it is asked for. `sizes` are the members' names and the bytes that each
    declares. If `is_tidy`, names have / between folders, as Windows PowerShell 5 does not write them, and
    what systems add (``__MACOSX``, ``Thumbs.db``, hidden files) and folders are none; if `is_flat`, names are
    without the folders that members lie in, too.

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
        # Each entry of the directory begins so; `zipfile` makes an object of each before it says how many.
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
        """A member, unpacked; `DamagedError` if there is none, it is damaged, or longer than `most` bytes."""
        with self.open(name, most) as file:
            return exactly(file, self.sizes[name])

    @contextlib.contextmanager
    def open(self, name: str, most: int) -> Iterator[IO[bytes]]:
        """A member to read from, in pieces; errors as of `read`, of reading too."""
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
    """Whether a path in an archive is what a system adds beside the files.

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
    """The next `n` bytes of a member, its last ones; `DamagedError` if it has fewer or more."""
    pieces, left = [], n
    while left and (piece := file.read(min(left, PIECE))):
        pieces.append(piece)
        left -= len(piece)
    if left or file.read(1):  # at its end `zipfile` compares the check sum
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
