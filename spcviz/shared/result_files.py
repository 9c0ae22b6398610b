"""Read stored results; a damaged one raises an error with the command that repairs it (`reading`)."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spcviz.engine.errors import SpcvizError

_OBJECTS = ("settings", "machine", "data_digests")


class ResultError(SpcvizError, ValueError):
    """A stored result is not what its command writes; the message ends with the command that repairs it."""

    def __init__(self, name: str, what: str) -> None:
        self.name, self.what = name, f"{name}.json {what}"
        super().__init__(f"{self.what}; make it again with: {repair_command(name)}")


def repair_command(name: str) -> str:
    """The command that makes a result again.

    >>> repair_command("ocr-orders"), repair_command("bench-app")
    ('python -m spcviz reproduce ocr-orders', 'python -m spcviz bench app --json')
    """
    kind, _, rest = name.partition("-")
    return f"python -m spcviz {f'bench {rest} --json' if kind == 'bench' else f'reproduce {name}'}"


def read(folder: Path, name: str) -> dict[Any, Any] | None:
    """A stored result by name, None if it has not been made; `ResultError` if it is damaged."""
    try:
        result = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise ResultError(name, f"cannot be read ({type(error).__name__})") from error
    if not isinstance(result, dict):
        raise ResultError(name, f"must hold an object, got {type(result).__name__}")
    if wrong := [key for key in _OBJECTS if not isinstance(result.get(key, {}), dict)]:
        raise ResultError(name, f"must have an object as {wrong[0]!r}, got {result[wrong[0]]!r:.40}")
    rows = result.get("rows")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ResultError(name, f"must have a list of objects as 'rows', got {rows!r:.40}")
    return result


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Wrap the use of a stored result: an exception that its content causes becomes a `ResultError`."""
    try:
        yield
    except ResultError:
        raise
    except Exception as error:  # a value of another type or size may raise any of them
        cause = f"{type(error).__name__}: {error}".replace("\n", " ")
        raise ResultError(name, f"does not hold what is shown of it ({cause:.100})") from error
