"""Stored first scenes: the return values of cached calls that pages and tours open with.

`python -m spcviz train first-scenes` stores one file per function: pairs of arguments and value, each packed
separately, so that a page unpacks only its own. A manifest names the digests of the code and of the stored
models. Values of other code or models, or damaged ones, are not used: the call computes, and the log says so.

    cache/first_scenes/first_scenes-<problem>-<function>.{json, npz}
    cache/first_scenes/code.json          digests of code by the bytes of its files, checked in milliseconds
"""

import contextlib
import hashlib
import io
import json
import logging
import threading
from collections.abc import Callable, Collection, Hashable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spcviz.shared.folders import CACHE, MODELS
from spcviz.shared.work import disk_cache
from spcviz.store import StoreError, load_value, save_value
from spcviz.store.archive import DAMAGE, pack
from spcviz.store.atomic import write_json_atomic
from spcviz.store.errors import DamagedError
from spcviz.store.tree import pack_tree, unpack_tree

LOG = logging.getLogger(__name__)
FOLDER = CACHE / "first_scenes"
MISSING = object()
"""What `Answers.get` returns where nothing is stored."""

FUNCTIONS: dict[str, "Answers"] = {}
"""Every function whose values are stored, by the names of their files; filled as modules are imported."""

_RECORDER: dict[str, dict[Any, Any]] = {}
_LOCK = threading.Lock()


class Entry(NamedTuple):
    """One call and what it returned."""

    key: tuple[Any, ...]  # the arguments
    data: bytes  # the value, by `pack_tree`, as an npz file


class Answers:
    """The stored answers of one function."""

    def __init__(self, function: Callable[..., Any], types: type | tuple[type, ...]) -> None:
        self.types, self.module = types, function.__module__
        problem = self.module.removeprefix("spcviz.problems.").partition(".")[0]
        self.name = f"first_scenes-{problem}-{function.__name__.lstrip('_')}"
        self._entries: dict[tuple[Any, ...], bytes] | None = None
        self._lock = threading.Lock()
        FUNCTIONS[self.name] = self

    def get(self, key: tuple[Hashable, ...]) -> Any:
        """The stored value for these arguments; `MISSING` if none is stored that can be used."""
        try:
            data = self.entries().get(key)
            return MISSING if data is None else self.read(data)
        except (StoreError, DamagedError, *DAMAGE) as error:
            LOG.warning("a stored first scene is not used, it is computed instead: %s", error)
            return MISSING

    def read(self, data: bytes) -> Any:
        """Unpack a value from its bytes."""
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            loaded = dict(arrays)
        for array in loaded.values():
            array.flags.writeable = False
        return unpack_tree(loaded, self.types)

    def entries(self) -> dict[tuple[Any, ...], bytes]:
        """The packed values by arguments, read once; raises `StoreError` once if they cannot be used."""
        with self._lock:
            if self._entries is None:
                self._entries = {}
                if (FOLDER / f"{self.name}.json").is_file():
                    made_from = self.made_from()
                    self._entries = dict(load_value(FOLDER, self.name, Entry, made_from=made_from))
            return self._entries

    def made_from(self) -> dict[str, str]:
        """What the stored values must have been made from."""
        return {"code": code_digest(self.module), "models": models_digest()}

    def pack(self, value: Any) -> bytes:
        """Pack a value for storage."""
        return pack(pack_tree(value, self.types))

    def save(self, entries: dict[tuple[Any, ...], bytes]) -> None:
        """Store packed values by arguments, in place of the earlier ones."""
        rows = tuple(Entry(key, entries[key]) for key in sorted(entries, key=repr))
        save_value(FOLDER, self.name, rows, Entry, made_from=self.made_from())
        with self._lock:
            self._entries = entries

    def forget(self) -> None:
        """Forget the values; the next call reads the files again."""
        with self._lock:
            self._entries = None


@contextlib.contextmanager
def recording() -> Iterator[dict[str, dict[Any, Any]]]:
    """Record the calls made meanwhile: {name of a function's file: {arguments: value}}."""
    _RECORDER.clear()
    RECORDS.set()
    try:
        yield _RECORDER
    finally:
        RECORDS.clear()


RECORDS = threading.Event()
"""Set while calls are recorded."""


def record(answers: Answers, key: tuple[Any, ...], value: Any) -> None:
    """Note a call that a page has made."""
    with _LOCK:
        _RECORDER.setdefault(answers.name, {})[key] = value


@cache
def models_digest() -> str:
    """Digest of the digests of all stored models."""
    digests = {}
    for path in sorted(MODELS.glob("*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError):
            digests[path.stem] = json.loads(path.read_bytes())["sha256"]
    return hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest()


@cache
def code_digest(module: str) -> str:
    """Digest of the code that a module of cached calls computes with, without sentences and pages.

    It takes half a second, unless the files equal those of ``code.json`` byte by byte.
    """
    try:
        noted = json.loads((FOLDER / "code.json").read_bytes())
        own = noted["modules"][module]
        if own["bytes"] == _bytes_of([noted["files"][k] for k in own["files"]]):
            return str(own["code"])
    except (OSError, ValueError, LookupError, TypeError):
        pass
    return disk_cache.digest_of_code((module,))


def note_code(modules: Collection[str]) -> None:
    """Write ``code.json``."""
    files_of = {
        module: [path.as_posix() for path in disk_cache.computing_files((module,))]
        for module in sorted(modules)
    }
    every = sorted({name for files in files_of.values() for name in files})
    place = {name: k for k, name in enumerate(every)}
    own = {}
    for module, files in files_of.items():
        code, numbers = disk_cache.digest_of_code((module,)), [place[name] for name in files]
        own[module] = {"code": code, "bytes": _bytes_of(files), "files": numbers}
    write_json_atomic(FOLDER / "code.json", {"files": every, "modules": own})


def _bytes_of(files: list[str]) -> str:
    digest = hashlib.sha256()
    for name in files:
        content = disk_cache.text_of(Path(name))
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def list_stored() -> set[str]:
    """Names of the functions that have stored values."""
    return {name for name in FUNCTIONS if (FOLDER / f"{name}.json").is_file()}


def stale() -> dict[str, str]:
    """Stored files that cannot be used, as {name of a file: why}; those of `FUNCTIONS` are checked."""
    faults: dict[str, str] = {}
    for name, answers in sorted(FUNCTIONS.items()):
        try:
            answers.forget()
            for data in answers.entries().values():
                answers.read(data)
        except (StoreError, DamagedError, *DAMAGE) as error:
            faults[name] = str(error)
    orphans = {path.stem for path in FOLDER.glob("first_scenes-*.json")} - FUNCTIONS.keys()
    faults |= dict.fromkeys(sorted(orphans), "belongs to no function")
    return faults if (FOLDER / "code.json").is_file() else faults | {"code.json": "the last run did not end"}
