"""Write a reproduced result in its common JSON form, with provenance: code, data, models, CPU time.

The command line adds ``provenance``, a row for each command that made a part, ``command`` and ``seconds``.
"""

import contextlib
import datetime
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from spcviz.shared.folders import ROOT
from spcviz.shared.work import ledger
from spcviz.shared.work.disk_cache import LIBRARIES, digest_of_modules
from spcviz.store import digest_of_arrays


def describe(
    name: str,
    source: str,
    rows: list[dict[Any, Any]],
    *,
    baselines: list[dict[Any, Any]],
    settings: dict[Any, Any],
    data: Mapping[str, dict[str, np.ndarray]],
    fold_rows: Sequence[dict[Any, Any]] = (),
    **more: Any,
) -> dict[Any, Any]:
    """Assemble a result for the JSON file.

    `rows` and `baselines` are measured figures, and a row's ``paper`` is the paper's figure. Of `data` (data
    set -> name -> array), the digests are written. `rows` are means of `fold_rows` (a ``fold`` and its
    ``rows``), which are stored so that a repeated fold can be checked (`spcviz.shared.result_files`).
    """
    return {
        "name": name,
        "source": source,
        "rows": rows,
        "baselines": baselines,
        "settings": settings,
        "data_digests": {key: digest_of_arrays(arrays) for key, arrays in data.items()},
        "machine": machine(),
        "fold_rows": [{"fold": str(fold["fold"]), "rows": fold["rows"]} for fold in fold_rows],
        **more,
    }


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of texts as a Markdown table.

    >>> print(markdown_table(("what", "measured"), [("reading", "0.2 s")]))
    | what | measured |
    |---|---|
    | reading | 0.2 s |
    """
    first, *others = (f"| {' | '.join(cells)} |" for cells in (head, *rows))
    return "\n".join([first, "|" + "---|" * len(head), *others])


def mean_and_sd(name: str, values: Sequence[float]) -> dict[str, float | None]:
    """Mean over folds, and the standard deviation where there is more than one.

    >>> mean_and_sd("us", [1.0, 3.0])["us"]
    2.0
    """
    return {name: float(np.mean(values)), f"{name}_sd": standard_deviation(values)}


def standard_deviation(values: Sequence[float]) -> float | None:
    """Standard deviation of one number a fold (n - 1 in the denominator); None for a single fold."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def standard_error(values: Sequence[float]) -> float | None:
    """Standard error of the mean of one number a fold; None for a single fold.

    >>> standard_error([1.0, 3.0]), standard_error([1.0])
    (1.0, None)
    """
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


def provenance(make: str, models: dict[str, Path], parts: dict[str, float]) -> dict[Any, Any]:
    """The provenance of a result: digests of code and models, libraries, CPU seconds of all `parts`, the date
    and the commit.
    """
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _commit(),
        "code": digest_of_modules((make.partition(":")[0],)),
        "libraries": {name: version(name) for name in LIBRARIES},
        "models": {name: json.loads(path.read_bytes())["sha256"] for name, path in models.items()},
        "cpu_seconds": round(ledger.total(parts), 3),
        "parts": {"all": len(parts), "seconds_unknown": sum(s is None for s in parts.values())},
    }


def _commit() -> str | None:
    """The clone's commit, or None where there is no git or no clone."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        command = ["git", "rev-parse", "--short=8", "HEAD"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=10, check=True)
        return run.stdout.strip()
    return None


def machine() -> dict[str, Any]:
    """The machine that times are measured on."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass  # not Linux
    about = {"python": platform.python_version(), "system": platform.system()}
    return {"cpu": model, "cores": os.cpu_count()} | about
