"""Prepare a data set from its original distribution: find and read its files, write all or nothing."""

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeVar, overload

import numpy as np
import scipy.io
from PIL import Image
from tqdm import tqdm

from spcviz.engine.errors import ArgumentError, SpcvizError


class Source(NamedTuple):
    """One file of an original distribution."""

    file: str  # its name below the folder of originals, with slashes
    url: str  # at its source
    sha256: str = ""  # empty if the authors could not know it: then the user has to trust the download
    is_packed: bool = False  # whether it is a zip file to be unpacked


class DataSetLike(Protocol):
    """The fields used here of `spcviz.registry.problem.DataSet`, which belongs to a layer above."""

    @property
    def name(self) -> str: ...

    @property
    def what(self) -> str: ...

    @property
    def origin(self) -> str: ...

    @property
    def licence(self) -> str: ...

    @property
    def folder(self) -> str: ...


class DownloadError(SpcvizError, OSError):
    """A server does not answer, refuses, or breaks off."""


class SumError(SpcvizError):
    """A file does not have the expected bytes."""


class UntrustedError(SpcvizError):
    """No checksum is known here, and the user has not said that the file may be trusted."""


class OriginalError(ArgumentError):
    """A folder does not hold the original distribution that it should."""


class DiskFullError(SpcvizError, OSError):
    """The disk is full."""


T = TypeVar("T")
_PICTURES = ("JPEG", "PNG", "PPM")  # the image library's other readers are never tried


@overload
def root_of(folder: Path, anchor: str, *, is_needed: Literal[True] = True) -> Path: ...
@overload
def root_of(folder: Path, anchor: str, *, is_needed: bool) -> Path | None: ...
def root_of(folder: Path, anchor: str, *, is_needed: bool = True) -> Path | None:
    """The folder, `folder` or one below it, that holds the file `anchor`; None if missing and not needed."""
    if (folder / anchor).is_file():
        return folder
    paths = sorted(path for path in folder.rglob(anchor) if path.is_file())
    if paths:
        return paths[0].parents[anchor.count("/")]
    if not is_needed:
        return None
    packed = sorted(path.name for path in folder.glob("*") if path.suffix in (".zip", ".tgz", ".gz", ".tar"))
    raise _missing(folder, anchor, f" (unpack {', '.join(packed)} first)" if packed else "")


def _missing(folder: Path, name: str, hint: str) -> OriginalError:
    got = f"got {str(folder)!r}: {name} is missing{hint}"
    return OriginalError(f"FOLDER must be the original distribution, {got}")


def all_there(root: Path, names: Sequence[str]) -> list[Path]:
    """Paths of files that the original must have; `OriginalError` names the first that is missing."""
    missing = [name for name in names if not (root / name).is_file()]
    if missing:
        raise _missing(root, missing[0], f", and {len(missing) - 1} more" if len(missing) > 1 else "")
    return [root / name for name in names]


def steps(items: Iterable[T], label: str) -> Iterable[T]:
    """The items, with a progress bar."""
    return tqdm(items, desc=label, unit="file", leave=False)


def picture(path: Path) -> Image.Image:
    """An image as RGB; raises `OriginalError` if it is not a JPEG, PNG or PPM, or is damaged."""
    return open_image(path).convert("RGB")


def open_image(path: Path) -> Image.Image:
    """An image as it is stored, in memory; errors as in `picture`."""
    try:
        with Image.open(path, formats=_PICTURES) as image:
            image.load()
            return image
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise OriginalError(f"{path} must be a picture, got one that cannot be read: {error}") from error


def matrix(path: Path, name: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """One float array of a MATLAB file, `shape` with None for any length; no code in the file is run."""
    try:
        arrays = scipy.io.loadmat(path, variable_names=[name])
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        raise OriginalError(f"{path} must be a MATLAB file, got one that cannot be read: {error}") from error
    array = arrays.get(name)
    if array is not None and array.ndim == len(shape) - 1:
        array = array[..., None]  # MATLAB drops a last axis of length 1
    got = () if array is None else array.shape
    if array is None or len(got) != len(shape) or any(n not in (None, m) for n, m in zip(shape, got)):
        got = "none" if array is None else got
        raise OriginalError(f"{path} must hold an array {name} of shape {shape}, got {got}")
    return np.asarray(array, dtype=float)


def copy_file(path: Path, place: Path) -> str:
    """Copy a file as it is; returns its SHA-256."""
    shutil.copyfile(path, place)
    return hashlib.sha256(place.read_bytes()).hexdigest()


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
    """Raise `DiskFullError` if the disk of `folder`, which need not exist yet, is full."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise DiskFullError(f"no room left on the disk of {folder}; make some and run it again") from error
