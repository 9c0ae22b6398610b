"""Write files atomically: the old or the new version remains, whatever happens in between.

The bytes go to a temporary file in the same folder, which is flushed to the disk and then renamed over
the target; the folder is flushed last, so that the rename itself survives a power cut.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: the user must not write one model from two processes at the same time
    fcntl = None

TEMPORARY_SUFFIX = ".tmp"
ROW_LENGTH = 1000
"""Longest row of a result that stays on one line: most rows with one number per order fit."""


def write_bytes_atomic(path: str | Path, data: bytes) -> Path:
    """Write `data` to `path`, atomically: a reader sees all of it or the previous file.

    The folder is created if needed. After an OSError (a full disk, say) `path` holds the old bytes or, if
    only flushing the folder failed, the new ones.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes_atomic(Path(folder, "a.bin"), b"12").read_bytes()
    b'12'
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=TEMPORARY_SUFFIX, dir=path.parent)
    try:
        try:
            _write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.chmod(temporary, 0o644)  # mkstemp makes files that only their owner can read
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(path.parent)
    return path


def write_json_atomic(path: str | Path, obj: Any) -> Path:
    """Write `obj` as JSON with one row per line, atomically; for results.

    A value without lists or dicts inside is written on one line, and so is a row (an item of a list) of at
    most `ROW_LENGTH` characters: a diff shows the rows that changed, and a file takes three quarters of the
    space of one number per line. Numpy scalars and arrays become numbers and lists; the order of keys is
    kept. `ArgumentError` if something is not JSON, NaN and infinities included; OSError as in
    `write_bytes_atomic`.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = [{"order": np.int64(2), "kept": [5, 3]}]
    ...     print(write_json_atomic(Path(folder, "a.json"), {"rows": rows}).read_text())
    {
     "rows": [
      {"order": 2, "kept": [5, 3]}
     ]
    }
    """
    plain = json.loads(json_bytes(obj, "obj"))
    return write_bytes_atomic(path, _in_lines(plain, "\n").encode() + b"\n")


def json_bytes(obj: Any, argument: str, **options: Any) -> bytes:
    """`obj` as strict JSON in UTF-8; `argument` names it in the error."""
    try:
        return json.dumps(obj, default=_plain, allow_nan=False, ensure_ascii=False, **options).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"{argument} must be plain JSON without NaN or infinities: {error}") from error


@contextlib.contextmanager
def writing(folder: str | Path) -> Iterator[None]:
    """Lock the folder for one writer at a time. The lock is released with its process, also on kill -9."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _in_lines(plain: Any, end: str) -> str:
    """JSON of a value that is already plain; `end` ends a line and indents the next."""
    parts = plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ()
    if not any(isinstance(part, dict | list) for part in parts):
        return json.dumps(plain, ensure_ascii=False)
    more, is_dict = f"{end} ", isinstance(plain, dict)
    if is_dict:
        lines = [
            f"{json.dumps(name, ensure_ascii=False)}: {_in_lines(part, more)}" for name, part in plain.items()
        ]
    else:
        rows = [json.dumps(part, ensure_ascii=False) for part in plain]
        lines = [row if len(row) <= ROW_LENGTH else _in_lines(part, more) for row, part in zip(rows, plain)]
    first, last = "{}" if is_dict else "[]"
    return f"{first}{more}{f',{more}'.join(lines)}{end}{last}"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} {value!r} is not JSON")


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:  # os.write may write less than it was given
        view = view[os.write(handle, view) :]


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # Windows cannot open a folder
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
