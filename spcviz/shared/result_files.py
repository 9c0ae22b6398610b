"""Read stored results, report damaged ones, and compare a reproduction with the stored result."""

import contextlib
import json
import math
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


TIMED = {"us", "ms", "s", "seconds", "faster", "speedup", "overhead"}
"""Words in keys whose values are times, or computed from times: no two runs agree on them."""

TOLERANCE = 1e-9


def differences(new: dict[str, Any], old: dict[str, Any]) -> tuple[int, list[str]]:
    """The number of values that two results' folds share, and a line for each that differs by more than 1e-9
    and is not a time.

    >>> old = {"data_digests": {}, "fold_rows": [{"fold": "0", "rows": [{"loss": 0.25, "us": 3.0}]}]}
    >>> new = {"data_digests": {}, "fold_rows": [{"fold": "0", "rows": [{"loss": 0.26, "us": 4.0}]}]}
    >>> differences(new, old)
    (1, ['fold 0, row 1, loss: 0.26, was 0.25'])
    """
    lines: list[str] = []
    compared = 0
    for name, digest in new["data_digests"].items():  # a partial result has only part of the data
        if digest != old["data_digests"].get(name):
            lines.append(f"data {name}: {digest}, was {old['data_digests'].get(name)}")
    standing = {fold["fold"]: fold["rows"] for fold in old.get("fold_rows", [])}
    for fold in new.get("fold_rows", []):
        name, rows = f"fold {fold['fold']}", fold["rows"]
        before = standing.get(fold["fold"])
        if before is None:
            lines.append(f"{name}: the result that stands has no such fold")
        elif len(rows) != len(before):
            lines.append(f"{name}: {len(rows)} rows, was {len(before)}")
        else:
            for number, (row, was) in enumerate(zip(rows, before, strict=True), 1):
                count, unlike = _compare(row, was, f"{name}, row {number}")
                compared += count
                lines += unlike
    return compared, lines


def _compare(new: object, old: object, where: str) -> tuple[int, list[str]]:
    """(values compared, lines) of two values of JSON."""
    if isinstance(new, dict) and isinstance(old, dict):
        keys = [key for key in new | old if not TIMED & set(str(key).split("_"))]
        pairs = [(new.get(key), old.get(key), f"{where}, {key}") for key in keys]
    elif isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        pairs = [(a, b, f"{where} [{i}]") for i, (a, b) in enumerate(zip(new, old, strict=True))]
    else:
        return 1, ([] if _is_same(new, old) else [f"{where}: {new!r}, was {old!r}"])
    parts = [_compare(*pair) for pair in pairs]
    return sum(count for count, _ in parts), [line for _, lines in parts for line in lines]


def _is_same(new: object, old: object) -> bool:
    if isinstance(new, int | float) and isinstance(old, int | float) and not isinstance(new, bool):
        return math.isclose(new, old, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return new == old
