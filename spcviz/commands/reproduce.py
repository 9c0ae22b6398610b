"""``reproduce``: repeat a table or figure of a paper."""

import argparse
import contextlib
import itertools
import json
import sys
import threading
import time
from pathlib import Path

from tqdm import tqdm

from spcviz import registry
from spcviz.commands import cluster
from spcviz.engine.errors import SpcvizError
from spcviz.registry.problem import Run
from spcviz.shared import folders, outputs
from spcviz.shared.folders import RESULTS, WORK, shipped_path
from spcviz.shared.work.jobs import Progress

HELP = "repeat a table or figure of a paper"
SECONDS_BETWEEN = 2.0
"""Time between two checks of the work folder for finished parts."""

SECONDS_STILL = 60.0
"""Time without a finished part after which the bar says what it is waiting for."""


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("name", choices=sorted(registry.results()))
    several = "some sets of features only, where a result has several; no rows of others are lost"
    add("--features", nargs="+", help=several)
    twin = "which words, where a result has a twin on others: budget-ocr --data open is budget-ocr-open"
    add("--data", metavar="WORDS", help=twin)
    few = "how many of the test folds, or random partitions; fewer than all go to the work folder"
    add("--folds", type=int, help=few)
    add("--quick", action="store_true", help="few passes over the data")
    add("--workers", type=int, default=2, help="processes on this machine (default: 2)")
    own = "a Dask scheduler of your own, not local processes: whoever runs it can run code here"
    add("--scheduler", metavar="ADDRESS", help=own)
    usual = "default: cache/results/NAME.json, with --quick the work folder"
    add("--json", type=Path, metavar="FILE", help=usual)
    check = "write nothing; compare with the result that stands, fold by fold (--folds 1: the first only)"
    add("--check", action="store_true", help=check)
    add("--work", type=Path, metavar="DIR", default=WORK, help="keeps finished parts")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.shared import report
    from spcviz.shared.work import ledger
    from spcviz.store import write_json_atomic

    folders.require("reproduce")
    options.name = _twin(options.name, options.data)
    row = registry.results()[options.name]
    path = _result_path(options, row)
    outputs.folder("--work", options.work, is_own=options.work == WORK)
    if not options.check:
        outputs.file("--json", path, project_folders=(RESULTS, WORK))
    earlier = _earlier(path) if row.in_parts and options.features and not options.quick else None
    if options.features and not (row.in_parts or options.check):
        _refuse_to_lose(options, path, set(options.features))
    standing = _standing(options) if options.check else None
    progress = Progress(tqdm(desc=options.name, unit="part"))
    with _executor(options) as executor, progress.bar, _watching(progress, options.work):
        run = Run(
            options.name,
            quick=options.quick,
            folds=options.folds,
            features=tuple(options.features or ()),
            work=options.work,
            executor=executor,
            tick=progress,
            earlier=earlier,
        )
        with ledger.collecting() as costs, ledger.spending("putting it together"):
            result = registry.load(row.make)(run)
    if options.check:
        return _check(result, standing)
    if options.features:
        _refuse_to_lose(options, path, _features_in(result))
    models = {name: run.models / f"{name}.json" for name in row.models}
    about = {"command": _command(options)} | report.provenance(row.make, models, costs.parts)
    before = (earlier or {}).get("provenance", [])
    result["provenance"] = [*(run for run in before if _is_needed(run["command"], about["command"])), about]
    result["command"] = "; ".join(run["command"] for run in result["provenance"])
    result["seconds"] = round(sum(run["cpu_seconds"] for run in result["provenance"]), 3)
    result["looks_at_test"] = looks_at_test(_earlier(path), result)
    write_json_atomic(path, result)
    print(f"{path}: {len(result['rows'])} rows, made in {result['seconds']} CPU seconds")


def looks_at_test(standing: dict | None, result: dict) -> int:
    """How often a result has been made from the same data and stored; a result without a count counts once.

    >>> looks_at_test(None, {"data_digests": {}}), looks_at_test({"data_digests": {}}, {"data_digests": {}})
    (1, 2)
    """
    if standing is None or standing.get("data_digests") != result["data_digests"]:
        return 1
    return 1 + standing.get("looks_at_test", 1)


def _twin(name, data):
    """The name of the same result on other data."""
    if data is None:
        return name
    every = [result.partition(f"{name}-") for result in registry.results()]
    twins = [other for before, is_twin, other in every if is_twin and not before]
    if data not in twins:
        raise SpcvizError(f"--data: {name} has {', '.join(twins) or 'no other data'}, got {data!r:.60}")
    return f"{name}-{data}"


def _standing(options):
    """The committed result, to check another run against."""
    standing = _earlier(path := shipped_path(RESULTS) / f"{options.name}.json")
    if standing is None:
        raise SpcvizError(f"--check needs the result that stands, and {path} is missing or damaged")
    return standing


def _check(result, standing):
    """Print whether a result repeats the stored one; returns the exit status."""
    from spcviz.shared import result_files

    with result_files.reading(result["name"]):
        compared, differing = result_files.differences(result, standing)
    for line in differing[:20]:
        print(line, file=sys.stderr)
    if len(differing) > 20:
        print(f"... and {len(differing) - 20} more", file=sys.stderr)
    print(f"{compared} values of {len(result['fold_rows'])} folds compared, {len(differing)} differ")
    return int(bool(differing) or not compared)


def _is_needed(command, newer):
    """Whether an earlier command has made rows that a newer one has not made again.

    >>> _is_needed("reproduce ocr-orders --features raw --folds 3", "reproduce ocr-orders --features hog raw")
    False
    >>> _is_needed("reproduce ocr-orders", "reproduce ocr-orders --features hog")
    True
    """
    sets, made = _sets_of(command), _sets_of(newer)
    return command != newer and (not sets or not sets <= made)


def _sets_of(command):
    """The names after ``--features`` in a command."""
    words = command.partition("--features")[2].split()
    return set(itertools.takewhile(lambda word: not word.startswith("--"), words))


def _command(options):
    """The command that repeats a result, or this part of it."""
    words = ["python -m spcviz reproduce", options.name]
    if options.features:
        words += ["--features", *options.features]
    if options.folds is not None:
        words += ["--folds", str(options.folds)]
    if options.quick:
        words += ["--quick"]
    return " ".join(words)


def _result_path(options, row):
    """The path of the result; neither a quick run nor one with fewer folds replaces a full result."""
    is_part = options.quick or (options.folds is not None and options.folds < row.folds)
    folder = options.work if is_part else RESULTS
    return options.json or shipped_path(folder) / f"{options.name}.json"


def _refuse_to_lose(options, path, features):
    """Raise `SpcvizError` if the file has rows of other features: they cannot be merged with this run's.

    A file in the work folder is a trial, and may be overwritten.
    """
    lost = _features_in(_earlier(path) or {}) - features
    if lost and not path.is_relative_to(options.work):
        raise SpcvizError(
            f"{path} has rows of {', '.join(sorted(lost))} that would be lost: they cannot be put beside "
            "those of this run; name them behind --features too, or another file with --json"
        )


def _features_in(result):
    """The feature sets named in the rows of a result, or of any JSON object."""
    rows = result.get("rows")
    names = [row.get("features") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {name for name in names if isinstance(name, str)}


def _earlier(path):
    """The result stored at a path, or None."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


@contextlib.contextmanager
def _executor(options):
    """Processes on this machine, or a Dask cluster's executor."""
    if options.scheduler is None:
        from spcviz.engine import checks
        from spcviz.shared.work import processes

        checks.integer("--workers", options.workers, 1, 1000)
        with processes.pool(options.workers) as executor:
            yield executor
        return
    with cluster.executor(options.scheduler, options.work) as executor:
        yield executor


@contextlib.contextmanager
def _watching(progress: Progress, work: Path):
    """Show next to the bar how many steps of its parts are stored, or what it has long been waiting for."""
    done = threading.Event()
    before = _n_kept(work)

    def watch():
        seen, since = None, time.monotonic()
        while not done.wait(SECONDS_BETWEEN):
            n = _n_kept(work) - before
            if (now := (n, progress.bar.n)) != seen:
                seen, since = now, time.monotonic()
            still = time.monotonic() - since
            if still >= SECONDS_STILL and (labels := progress.waited_for()):
                progress.bar.set_postfix_str(f"nothing finished for {still / 60:.0f} min: {_list(labels)}")
            elif n > 0:
                progress.bar.set_postfix_str(f"{n} of its steps kept")

    watcher = threading.Thread(target=watch, name="spcviz progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _list(labels):
    """A short list of the parts in progress.

    >>> _list(["raw 0", "raw 1"]), _list(["raw 0", "raw 1", "hog 0", "hog 1"])
    ('waiting for raw 0, raw 1', 'waiting for raw 0, raw 1 and 2 more')
    """
    more = f" and {len(labels) - 2} more" if len(labels) > 2 else ""
    return f"waiting for {', '.join(labels[:2])}{more}"


def _n_kept(work):
    """The number of finished parts in the work folder."""
    return sum(1 for _ in work.glob("*.json")) if work.is_dir() else 0
