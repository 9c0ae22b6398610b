"""Compare a reproduction of some folds with the stored result (``reproduce --check``)."""

import math
from typing import Any

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
