"""Unpack gzip and zip files from strangers within bounds: the only module that decompresses a text."""

import zlib
from collections.abc import Collection

from spcviz.engine.errors import ArgumentError
from spcviz.store.errors import DamagedError
from spcviz.store.zips import Zip


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
