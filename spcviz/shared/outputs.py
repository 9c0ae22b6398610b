"""Check that a command can write its output files before it works for minutes."""

import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from spcviz.engine.errors import SpcvizError


class OutputError(SpcvizError, OSError):
    """A command could not write its output."""


def file(option: str, path: Path, project_folders: Sequence[Path] = ()) -> Path:
    """Check a file to be written: its folder must be writable, and is created if it is one of
    `project_folders`. Raises `OutputError`.

    >>> from pathlib import Path
    >>> file("--json", Path("/nonexistent/dir/x.json"))
    Traceback (most recent call last):
    ...
    spcviz.shared.outputs.OutputError: --json must lie in a folder that is there, got
    '/nonexistent/dir/x.json'; make the folder or name another
    """
    if path.is_dir():
        raise OutputError(f"{option} must be a file, got the folder {str(path)!r}")
    if path.parent in project_folders:
        folder(option, path.parent, is_own=True)
    if not path.parent.is_dir():
        got = f"got {str(path)!r}; make the folder or name another"
        raise OutputError(f"{option} must lie in a folder that is there, {got}")
    _try(option, path, path.parent)
    return path


def folder(option: str, path: Path, *, is_own: bool = False) -> Path:
    """A folder to write to, created if its parent exists (with `is_own`, in any case); or `OutputError`."""
    if not is_own and not path.parent.is_dir():
        got = f"got {str(path)!r}; make the folder that it is to lie in or name another"
        raise OutputError(f"{option} must be a folder, or lie in one that is there, {got}")
    is_new = not path.exists()
    try:
        path.mkdir(parents=is_own, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{option} must be a folder to write to, got {str(path)!r}: {error}") from error
    try:
        _try(option, path, path)
    except OutputError:
        if is_new:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise
    return path


def _try(option: str, path: Path, folder: Path) -> None:
    """Write a temporary file into a folder; `OutputError` if that fails."""
    try:
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(b"x")
    except OSError as error:
        raise OutputError(f"{option} must be where one can write, got {str(path)!r}: {error}") from error
