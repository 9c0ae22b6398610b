"""Unpack zip archives that may be hostile: everything they declare is checked before anything is written."""

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath, PureWindowsPath

from tqdm import tqdm

from spcviz.shared.bring.original import SumError
from spcviz.shared.bring.place import room

MOST_FILES = 100_000
"""Files in one archive; the prepared sets together have some 5,000."""
MOST_BYTES = 4 << 30
"""Bytes of one archive, unpacked; the prepared sets together have some 100 MB."""
UNPACKED_CHUNK = 1 << 20


def unpack(path: Path) -> None:
    """Unpack a zip file into its own folder.

    Raises `SumError`, and writes nothing, if it has more files or bytes than any original, or an entry is not
    a plain file or folder below its own; damage may be found only while unpacking. Raises `NoRoomError` if
    the disk is full.
    """
    try:
        with zipfile.ZipFile(path) as archive, room(path.parent):
            entries = archive.infolist()
            _check(path, entries)
            left = MOST_BYTES
            for entry in tqdm(entries, desc=path.name, unit="file", leave=False):
                left -= _extract(path, archive, entry, left)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise SumError(f"{path} is damaged: {error}; delete it and get it again") from error


def _check(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse an archive by what it declares."""
    if len(entries) > MOST_FILES:
        raise SumError(f"{path} must hold at most {MOST_FILES:,} files, got {len(entries):,}")
    if (n_bytes := sum(entry.file_size for entry in entries)) > MOST_BYTES:
        raise SumError(f"{path} must unpack to at most {MOST_BYTES:,} bytes, got {n_bytes:,}")
    for entry in entries:
        if not is_below(entry.orig_filename) or not _is_plain(entry):
            name = f"{entry.orig_filename!r:.80}"
            raise SumError(f"{path} must hold plain files below its own folder, got {name}; unpacked nothing")


def is_below(name: str) -> bool:
    """Whether a name in an archive is a path below the folder it is unpacked in, on any system.

    >>> [is_below(name) for name in ("a/b.txt", "../a", "/a", "C:\\\\a", "a/..\\\\b", "a\\0b", "")]
    [True, False, False, False, False, False, False]
    """
    parts = name.replace("\\", "/").split("/")
    is_absolute = PurePosixPath(name).is_absolute() or bool(PureWindowsPath(name).anchor)
    return bool(name.strip()) and not is_absolute and ".." not in parts and "\0" not in name


def _is_plain(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a file or a folder, not a link or device; many archives do not record it."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    return kind in (0, stat.S_IFREG, stat.S_IFDIR)


def _extract(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> int:
    """Write one entry; returns the number of bytes, at most `left`."""
    place = path.parent.joinpath(*PurePosixPath(entry.filename).parts)
    if entry.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        return 0
    place.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with archive.open(entry) as packed, open(place, "wb") as file:
        while chunk := packed.read(UNPACKED_CHUNK):
            written += len(chunk)
            if written > min(left, entry.file_size):
                raise SumError(f"{path} is damaged: {entry.filename!r:.80} is longer than it says")
            file.write(chunk)
    return written
