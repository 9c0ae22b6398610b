"""Catalogue of data sets: where each comes from, whether it is here, and how to get it.

The handwritten words ship with the project. Other sets are looked up in the folder that the
environment variable SPCVIZ_DATA names; nothing is downloaded automatically.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from spcviz import registry
from spcviz.engine.errors import ArgumentError
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import data_folder, state_of_data

OF_NO_PROBLEM: tuple[DataSet, ...] = ()
"""Sets (`DataSet`) that can be downloaded or prepared but that no problem reads yet: currently none."""


def data_sets() -> list[DataSet]:
    """Every `DataSet`: those of the problems, then `OF_NO_PROBLEM`."""
    return [*registry.data_sets(), *OF_NO_PROBLEM]


def is_intact(entry: DataSet) -> bool:
    """Whether the file of a data set that ships is present, byte for byte."""
    if entry.shipped is None:
        return False
    try:
        return hashlib.sha256(entry.shipped.read_bytes()).hexdigest() == entry.sha256
    except OSError:
        return False


def describe() -> Iterator[str]:
    """Lines for the user: each set, its source, and whether it is here."""
    folder, entries = data_folder(), data_sets()
    yield f"SPCVIZ_DATA: {folder}" if folder else f"{state_of_data()}; only shipped data is used"
    for entry in entries:
        yield f"{entry.name}: {entry.what}"
        yield f"  from {entry.origin}"
        if entry.shipped is None:
            yield f"  {_place(entry, folder)}"
        else:
            state = "shipped, intact" if is_intact(entry) else "missing or damaged: check out cache/data anew"
            yield f"  {entry.shipped}: {state}"


def _place(entry: DataSet, folder: Path | None) -> str:
    """Whether a set that does not ship is here, or how to get it."""
    if folder is not None and (folder / entry.folder).is_dir():
        return "found"
    if entry.sources:
        return f"not found; bring it with: python -m spcviz data get {entry.name}"
    return f"not found; put it in $SPCVIZ_DATA/{entry.folder}"


def get(name: str, folder: Path | None = None, *, is_trusted: bool = False) -> Iterator[str]:
    """Download the original of a data set into `folder`, ``originals/<name>`` below SPCVIZ_DATA by default.

    Yields lines for the user; `is_trusted` accepts files whose SHA-256 is not known here. See
    `spcviz.shared.bring.get.get`.
    """
    from spcviz.shared.bring import get as bring

    entry = _find_row(name)
    if not entry.sources:
        raise ArgumentError(f"NAME must be a set that is downloaded; {name} is made by: data prepare {name}")
    folder = folder or _needed_folder() / "originals" / name
    yield from bring.get(entry, registry.load(entry.sources), folder, is_trusted)


def prepare(name: str, folder: Path, data: Path | None = None) -> Iterator[str]:
    """Convert an unpacked original to the loaders' format, in `data`, by default SPCVIZ_DATA.

    Yields lines for the user; see `spcviz.shared.bring.original.prepare`.
    """
    from spcviz.shared.bring import original

    entry = _find_row(name)
    yield from original.prepare(entry, registry.load(entry.prepare), folder, data or _needed_folder())


def _find_row(name: str) -> DataSet:
    """The `DataSet` of this name that can be downloaded or prepared."""
    known = {entry.name: entry for entry in data_sets() if entry.prepare}
    if name not in known:
        raise ArgumentError(f"NAME must be one of {', '.join(known)}, got {name!r}")
    return known[name]


def _needed_folder() -> Path:
    folder = data_folder()
    if folder is None:
        raise ArgumentError(f"{state_of_data()}; let it name a folder, or give one with --to")
    return folder
