"""Location of a kernel's compiled form for numba: by the content of the code, not by its path.

Numba names a kernel's files after the absolute path of its source, so a second clone, environment or
container layer compiles the same code again. It lets a program choose another location
(``NUMBA_CACHE_LOCATOR_CLASSES``): here a folder that is named after the code (`kernel_cache`), under the name
of the module. The contents of the kernel's file need not be checked, since the folder's name depends on them.
Only the kernel of a module outside this package, which no digest covers, is identified by the bytes of its
file.
"""

import contextlib
import hashlib
import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numba

_PACKAGE = __name__.partition(".")[0]
_NAME = f"{__name__}.KernelLocator"
_SETTING = "CACHE_LOCATOR_CLASSES"


class KernelLocator:
    """The interface that numba requires of a class that finds the files of one function."""

    folder: Path | None = None
    """The folder of all kernels; `kernel_cache` sets it."""

    def __init__(self, path: Path, stamp: str) -> None:
        self._path, self._stamp = path, stamp

    def ensure_cache_path(self) -> None:
        """Make the folder of the module."""
        self._path.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """The folder of the module."""
        return str(self._path)

    def get_source_stamp(self) -> str:
        """The stamp that must match for a file to be used."""
        return self._stamp

    def get_disambiguator(self) -> str:
        """A constant: functions of one name in one module differ in their code, which numba compares."""
        return "kernel"

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Self | None:
        """The location of a function's files, None if there is none."""
        if cls.folder is None:
            return None
        module = function.__module__
        if module.partition(".")[0] == _PACKAGE:
            place = cls(cls.folder / module.rpartition(".")[0], "the folder's name")
        else:
            source = Path(inspect.getsourcefile(function) or file)
            text = source.read_bytes() if source.is_file() else os.fsencode(source)
            about = hashlib.sha256(os.fsencode(source.resolve())).hexdigest()[:16]
            place = cls(cls.folder / f"elsewhere-{about}", hashlib.sha256(text).hexdigest())
        place.ensure_cache_path()
        return place


def is_known() -> bool:
    """Whether this version of numba accepts a location for compiled kernels."""
    return hasattr(numba.config, _SETTING)


@contextlib.contextmanager
def place_kernels() -> Iterator[None]:
    """Applies while kernels are decorated: only their files are looked for here, not other packages'."""
    if not is_known() or KernelLocator.folder is None:
        yield
        return
    before = numba.config.CACHE_LOCATOR_CLASSES
    numba.config.CACHE_LOCATOR_CLASSES = _NAME
    try:
        yield
    finally:
        numba.config.CACHE_LOCATOR_CLASSES = before
