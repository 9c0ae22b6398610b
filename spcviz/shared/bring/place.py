"""Write a prepared data set completely or not at all."""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from spcviz.engine.errors import ArgumentError
from spcviz.shared.bring.original import DataSetLike, NoRoomError


def prepare(
    entry: DataSetLike, make: Callable[[Path, Path], Iterator[str]], folder: Path, data: Path
) -> Iterator[str]:
    """Convert an original to the loaders' format, completely or not at all; yields lines for the user."""
    place = data / entry.folder
    if not folder.is_dir():
        raise ArgumentError(f"FOLDER must be a folder with the original of {entry.name}, got {str(folder)!r}")
    if place.exists():
        raise ArgumentError(f"{place} is there already; move it away to have {entry.name} prepared anew")
    with fill_place(place) as work:
        yield from make(folder, work)
    yield f"{place}: ready"


@contextlib.contextmanager
def fill_place(place: Path) -> Iterator[Path]:
    """A folder next to `place` to fill: it is renamed to `place` at the end, and removed on an error."""
    work = place.with_name(f".{place.name}.unfinished-{os.getpid()}")
    with room(place.parent):
        shutil.rmtree(work, ignore_errors=True)  # left by a killed process with the same id
        work.mkdir(parents=True)
        try:
            yield work
            os.rename(work, place)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise


@contextlib.contextmanager
def room(folder: Path) -> Iterator[None]:
    """Raise `NoRoomError` if the disk of `folder`, which need not exist yet, is full."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise NoRoomError(f"no room left on the disk of {folder}; make some and run it again") from error
