"""Where a command will write: tried before it works for minutes, and no folder made without a word."""

import contextlib
import tempfile

from spcviz.engine.errors import SpcvizError


class OutputError(SpcvizError, OSError):
    """A command could not write what it would make."""


def file(option, path, own=()):
    """A file to be written: its folder must exist and take files.

    Parameters
    ----------
    option : str
        What the command line calls it.
    path : Path
    own : sequence of Path
        Folders of this project's own choice, which are made.

    Returns
    -------
    Path
        The same.

    Raises
    ------
    OutputError

    Examples
    --------
    >>> from pathlib import Path
    >>> file("--json", Path("/nonexistent/dir/x.json"))
    Traceback (most recent call last):
    ...
    spcviz.problems.common.outputs.OutputError: --json must lie in a folder that is there, got
    '/nonexistent/dir/x.json'; make the folder or name another
    """
    if path.is_dir():
        raise OutputError(f"{option} must be a file, got the folder {str(path)!r}")
    if path.parent in own:
        folder(option, path.parent, is_own=True)
    if not path.parent.is_dir():
        raise OutputError(
            f"{option} must lie in a folder that is there, got {str(path)!r}; make the folder or name another"
        )
    _try(option, path, path.parent)
    return path


def folder(option, path, *, is_own=False):
    """A folder to write to: it, or the one that it lies in, must exist.

    Parameters
    ----------
    option : str
    path : Path
    is_own : bool
        One of this project's own choice, not of whoever runs the command: all of its path is made.

    Returns
    -------
    Path
        The same; the folder is there.

    Raises
    ------
    OutputError
    """
    if not is_own and not path.parent.is_dir():
        raise OutputError(
            f"{option} must be a folder, or lie in one that is there, got {str(path)!r}; make the folder "
            "that it is to lie in or name another"
        )
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


def _try(option, path, folder):
    """Write a file of no name."""
    try:
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(b"x")
    except OSError as error:
        raise OutputError(f"{option} must be where one can write, got {str(path)!r}: {error}") from error
