"""A cache of finished work on disk, keyed by settings, data and a digest of the code that made it.

    file = name - digest(key, code of the modules named, versions of the libraries)

If any of these changes, the file name changes: a stale file is never found, and no version has to be raised
by hand. Comments, docstrings and layout are not code (`spcviz.engine.kernels.sources`).

Code of a module means its own and that of everything it imports inside the package, at any depth: a list
written by hand would omit a module one day, and stale work would be used. The price is that an edit in the
engine may invalidate work that did not depend on it. Two kinds of files are left out, because no number can
come from them and they change for other reasons (`LEFT_OUT`): the problems' declarations (titles, pages, the
list of problems), and the code that locates and stores files. So name the modules that compute, not the one
that assembles the table and holds its prose, and keep ``make`` in one of them.
"""

import contextlib
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.engine.kernels import sources
from spcviz.shared.work import ledger
from spcviz.store.archive import DAMAGE, pack, portable
from spcviz.store.atomic import json_bytes, write_bytes_atomic, write_json_atomic
from spcviz.store.errors import DamagedError
from spcviz.store.tree import pack_tree, unpack_tree

LEFT_OUT = (
    "spcviz/problems/__init__.py",
    "spcviz/problems/*/__init__.py",
    "spcviz/registry/__init__.py",
    "spcviz/registry/problem.py",
    "spcviz/shared/folders.py",
    "spcviz/shared/work/disk_cache.py",
    "spcviz/shared/work/ledger.py",
    "spcviz/store/*.py",
)
"""Files that computing code imports but that are no part of the computation."""

LIBRARIES = ("numba", "numpy", "scikit-image", "scikit-learn", "scipy")
"""Libraries whose versions count, because they compute too."""

UNREADABLE = (*DAMAGE, OSError, LookupError, TypeError, SpcvizError)
"""Exceptions that reading a missing or damaged file may raise."""

TEXTS = {path: path.read_bytes() for path in sources.files()}
"""All files of the package, and of the code next to it in a clone, when the process began. This is the code
that runs here, even if the files change during a long run; workers compare theirs with it (`processes`)."""


def is_replaced() -> bool:
    """Whether a file of the package has changed since this process began."""
    try:
        return any(path.read_bytes() != text for path, text in TEXTS.items())
    except OSError:
        return True


class Form(NamedTuple):
    """A format in which values are stored."""

    suffix: str  # of the file
    write: Callable[[Path, Any], Any]  # write(path, value): atomically, so that an existing file is complete
    # read(path) -> value; raises one of `UNREADABLE` unless the file is exactly what was written
    read: Callable[[Path], Any]
    plain: Callable[[Any], Any]  # plain(value) -> the value as `read` will return it


def _write_json(path: Path, value: Any) -> None:
    write_json_atomic(path, {"sha256": _sha256_of_json(value), "value": value})


def _read_json(path: Path) -> Any:
    stored = json.loads(path.read_bytes())
    if stored["sha256"] != _sha256_of_json(stored["value"]):
        raise DamagedError("does not have its SHA-256")
    return stored["value"]


def _plain_json(value: Any) -> Any:
    return json.loads(json_bytes(value, "what is kept"))


def _sha256_of_json(value: Any) -> str:
    return hashlib.sha256(json_bytes(value, "what is kept")).hexdigest()


def _write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    data = pack(arrays)
    write_bytes_atomic(path, data + hashlib.sha256(data).digest())  # readers of zip files ignore the digest


def _read_arrays(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    if hashlib.sha256(memoryview(data)[:-32]).digest() != data[-32:]:
        raise DamagedError("does not have its SHA-256")
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)


def _plain_arrays(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: portable(array, name) for name, array in arrays.items()}


JSON = Form(".json", _write_json, _read_json, _plain_json)
"""Dicts, lists, texts, numbers, None; numpy's arrays and scalars become lists and numbers."""

ARRAYS = Form(".npz", _write_arrays, _read_arrays, _plain_arrays)
"""A dict of arrays of bool, integer or float; `numpy.load` reads the file too."""


def tree_of(types: type | tuple[type, ...]) -> Form:
    """The form for nested values made of some record types: see `spcviz.store.tree`."""

    return Form(
        ".npz",
        lambda path, value: _write_arrays(path, pack_tree(value, types)),
        lambda path: unpack_tree(_read_arrays(path), types),
        lambda value: unpack_tree(pack_tree(value, types), types),
    )


def load_or_compute(
    folder: str | Path | None,
    name: str,
    key: dict[Any, Any] | list[Any],
    modules: Sequence[str],
    make: Callable[..., Any],
    form: Form = JSON,
) -> object:
    """The result of ``make()``, read from a folder if it was stored there before from the same inputs.

    `name` begins the file's name, for people; `key` is the plain JSON that ``make`` depends on besides the
    code of `modules` (see `digest_of_modules`). Without a folder nothing is stored. The value is the same
    whether computed or found: with `JSON`, tuples become lists. Raises `ArgumentError` for a wrong key,
    value or module, `OSError` if it cannot be written.

    >>> load_or_compute(None, "squares", {"n": 3}, ("spcviz.engine.checks",), lambda: np.arange(3) ** 2)
    [0, 1, 4]
    """
    if folder is None:
        return form.plain(make())
    path = path_of(folder, name, key, modules, form)
    with contextlib.suppress(*UNREADABLE):
        value = form.read(path)
        ledger.add(_costs_of(path))
        return value
    with ledger.spending(path.name) as costs:
        made = form.plain(make())
    form.write(path, made)
    write_json_atomic(_beside(path), costs.parts)
    return made


def _beside(path: Path) -> Path:
    """Path of the CPU seconds of a stored file and of all parts inside it."""
    return path.with_name(f"{path.name}.seconds")


def _costs_of(path: Path) -> dict[str, float | None]:
    """{part: CPU seconds, None if they were not recorded} of a stored file."""
    try:
        parts = json.loads(_beside(path).read_bytes())
    except (OSError, ValueError):
        return {path.name: None}
    known = isinstance(parts, dict) and all(isinstance(value, float | None) for value in parts.values())
    return parts if known else {path.name: None}


def path_of(
    folder: str | Path, name: str, key: dict[Any, Any] | list[Any], modules: Sequence[str], form: Form = JSON
) -> Path:
    """The path at which `load_or_compute` stores the value, whether or not the file exists."""
    about = json_bytes([key, digest_of_modules(tuple(modules))], "key", sort_keys=True)
    return Path(folder) / f"{name}-{hashlib.sha256(about).hexdigest()[:16]}{form.suffix}"


@cache
def digest_of_modules(modules: tuple[str, ...]) -> str:
    """Digest of modules' code when the process began, of their imports and of the libraries' versions.

    A named module counts even if it is one of `LEFT_OUT`.
    """
    digest = hashlib.sha256(repr([(name, version(name)) for name in LIBRARIES]).encode())
    return _digest(digest, files_of(modules))


@cache
def digest_of_code(modules: tuple[str, ...]) -> str:
    """`digest_of_modules` without libraries and drawing code: shipped files meet other versions of both."""
    return _digest(hashlib.sha256(), computing_files(modules))


def computing_files(modules: tuple[str, ...]) -> list[Path]:
    """Paths, from the project's root, of the files that count in `digest_of_code`."""
    return [path for path in files_of(modules) if not path.is_relative_to("spcviz/web")]


def _digest(digest: Any, files: Sequence[Path]) -> str:
    for relative in files:
        digest.update(f"{relative.as_posix()} {_code(sources.ROOT / relative)}\n".encode())
    return digest.hexdigest()


def files_of(modules: tuple[str, ...]) -> list[Path]:
    """Paths, from the project's root, of the files that count in a digest of modules."""
    named = {_file_of(module) for module in modules}
    paths = []
    for path in sorted(sources.with_imports(named) & TEXTS.keys()):
        relative = path.relative_to(sources.ROOT)
        if path in named or not any(relative.match(pattern) for pattern in LEFT_OUT):
            paths.append(relative)
    return paths


def text_of(relative: Path) -> bytes:
    """A file of the package as it was when the process began; raises `LookupError` if there was none."""
    return TEXTS[sources.ROOT / relative]


@cache
def _code(path: Path) -> str:
    return hashlib.sha256(sources.code_of(TEXTS[path]).encode()).hexdigest()


def _file_of(module: str) -> Path:
    path = sources.file_of(module)
    if path is None:
        raise ArgumentError(f"modules must be modules of this package, got {module!r}")
    return path
