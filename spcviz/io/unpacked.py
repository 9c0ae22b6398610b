"""Packed files of a stranger, gzip and zip, opened with bounds: the one place that unpacks a text."""

import io
import zipfile
import zlib

from spcviz.engine.errors import ArgumentError

_PIECE = 1 << 16
_STORED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
MAX_ENTRIES = 10_000
_DAMAGE = (ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error)


def gunzipped(name: str, data: bytes, most: int) -> bytes:
    """What gzip has packed, several members one after the other; `ArgumentError` beyond `most` bytes."""
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


def entries_of(name: str, data: bytes) -> dict[str, zipfile.ZipInfo]:
    """Files in a zip by their paths, with / between folders; those that systems add are left out.

    Backslashes, as Windows PowerShell 5 writes them, part folders too; ``__MACOSX``, ``Thumbs.db`` and
    hidden files are none of the visitor's. `ArgumentError` if it cannot be opened or has too many.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except _DAMAGE as error:
        raise ArgumentError(f"{name}: must be an .npz or .zip that can be unpacked: {error}") from None
    if len(entries) > MAX_ENTRIES:
        raise ArgumentError(f"{name}: must hold at most {MAX_ENTRIES:,} files, got {len(entries):,}")
    paths = {entry.filename.replace("\\", "/"): entry for entry in entries}
    return {path: entry for path, entry in paths.items() if not path.endswith("/") and not is_of_system(path)}


def is_of_system(path: str) -> bool:
    """Whether a path in an archive is what a system adds beside the files.

    >>> is_of_system("__MACOSX/model/._a.json"), is_of_system("model/a.json")
    (True, False)
    """
    parts = path.split("/")
    return (
        "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1].lower() in ("thumbs.db", "desktop.ini")
    )


def unzipped(name: str, data: bytes, entry: zipfile.ZipInfo, most: int) -> bytes:
    """One file of a zip, at most so many bytes whatever it declares; stored or deflated, in pieces."""
    inside = entry.filename.replace("\\", "/").rpartition("/")[2][:60]
    if entry.compress_type not in _STORED or entry.flag_bits & 1:
        how = "with a password" if entry.flag_bits & 1 else "in another way than by deflate"
        raise ArgumentError(f"{name}: {inside} is packed {how}; pack it as an ordinary zip")
    if entry.file_size > most:
        raise ArgumentError(f"{name}: {inside} unpacks to more than {most >> 20} MB")
    out, n = [], 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(entry) as file:
            while piece := file.read(_PIECE):
                n += len(piece)
                if n > most:
                    raise ArgumentError(f"{name}: {inside} unpacks to more than {most >> 20} MB")
                out.append(piece)
    except ArgumentError:
        raise
    except _DAMAGE as error:
        raise ArgumentError(f"{name}: {inside} cannot be unpacked: {error}") from None
    return b"".join(out)


def text_in(name: str, entries: dict[str, zipfile.ZipInfo]) -> tuple[str, zipfile.ZipInfo]:
    """The one file of a zip that is read: the only one, or the only one with "train" in its name.

    `ArgumentError`, with the names of some, if there are several or none.
    """
    if len(entries) == 1:
        return next(iter(entries.items()))
    trained = [path for path in entries if "train" in path.rpartition("/")[2].lower()]
    if len(trained) == 1:
        return trained[0], entries[trained[0]]
    shown = ", ".join(path.rpartition("/")[2] for path in sorted(entries)[:4])[:100] or "nothing"
    raise ArgumentError(
        f"{name}: is a zip of {len(entries):,} files ({shown}); bring the one that is to be read"
    )
