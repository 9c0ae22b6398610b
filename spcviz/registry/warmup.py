"""Compile the kernels of all pages ahead of need, in child processes, in the order of the side bar.

A warm-up group is the set of kernels that one problem compiles by running once on a small input
(`Problem.warmup`). Numba's output is stored in the folder of `spcviz.engine.kernels.kernel_cache`, where a
file ``<group>.ready`` marks a compiled group. Groups of one family share kernels, so one process compiles a
family; the two families take about equally long, one core each. Compiling takes some hundred megabytes that a
process never gives back, so the server starts child processes and loads their output.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from spcviz import registry
from spcviz.engine.kernels import carrying, kernel_cache
from spcviz.registry.problem import Problem
from spcviz.shared.folders import CACHE, ROOT

MEASURED = CACHE / "warmup.json"
"""CPU seconds to compile every group into an empty folder, written by ``warmup --json``."""


@cache
def families() -> dict[str, list[str]]:
    """Groups of each family in the order of the side bar: {family: list of names}."""
    sections = {name: place for place, name in enumerate(registry.SECTIONS)}

    def place(problem: Problem) -> int:
        return min((sections.get(page.section, len(sections)) for page in problem.pages), default=99)

    every = [problem for problem in registry.problems() if problem.warmup]
    # A family takes the position of its first problem.
    by_family: dict[str, list[str]] = {problem.family: [] for problem in every}
    for problem in sorted(every, key=place):
        by_family[problem.family].append(problem.name)
    return by_family


def groups() -> list[str]:
    """Names of all groups, alternating between families: what a visitor may open first comes first."""
    lanes = list(families().values())
    longest = max(map(len, lanes))
    return [lane[i] for i in range(longest) for lane in lanes if i < len(lane)]


def note(name: str) -> Path | None:
    """The file that marks a group as compiled, or None where nothing can be stored."""
    folder = kernel_cache.folder()
    return None if folder is None else folder / f"{name}.ready"


def is_compiled(name: str) -> bool:
    """Whether a group's kernels are in the folder."""
    return (path := note(name)) is not None and path.is_file()


def compile_here(names: Sequence[str], models: Path) -> Iterator[tuple[str, float]]:
    """Compile groups in this process, or load compiled ones; yields each with its CPU seconds."""
    for name in names:
        start = time.process_time()
        registry.load_kernels(models, [name])
        seconds = time.process_time() - start
        kernel_cache.settle()
        if (path := note(name)) is not None and not path.is_file():
            try:
                path.write_text(json.dumps(seconds), encoding="ascii")
            except OSError as error:
                kernel_cache.complain(f"{path}: {error.strerror}; it will be compiled once more")
        yield name, seconds


class Child:
    """A process that compiles the missing groups of one family."""

    def __init__(self, names: list[str]) -> None:
        command = [sys.executable, "-m", "spcviz", "warmup", "--behind", "--only", *names]
        self.names = names
        native = os.environ | {carrying.CARRIED: ""}  # the image's own kernels exist already
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env=native)

    def is_busy(self) -> bool:
        """Whether it is still running."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Terminate it, as a server does on shutdown."""
        if self.is_busy():
            self.process.terminate()


def start_children() -> list[Child]:
    """A `Child` for every family with something left to compile; none where nothing can be stored."""
    own = kernel_cache.own_folder()
    if kernel_cache.folder() is None or own is None:
        return []
    missing = ([n for n in names if not (own / f"{n}.ready").is_file()] for names in families().values())
    return [Child(names) for names in missing if names]


def read_notes() -> dict[str, float]:
    """CPU seconds that each compiled group took, from the notes: {group: seconds}."""
    paths = {name: note(name) for name in groups()}
    return {
        name: round(json.loads(path.read_text()), 1)
        for name, path in paths.items()
        if path is not None and path.is_file()
    }


def read_measured() -> dict[str, float]:
    """The content of `MEASURED`: {group: seconds}; empty if it is missing or damaged."""
    try:
        by_group = json.loads(MEASURED.read_text(encoding="utf-8"))
        return {str(name): float(seconds) for name, seconds in by_group.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def seconds_left(
    names: Collection[str], done: Mapping[str, float], begun: float, now: float, table: Mapping[str, float]
) -> float:
    """Seconds that a family's process still needs, at least 1.

    It compiles `names` in turn, up to the group that the caller is waiting for; `done` has the time at which
    each was compiled, `table` the seconds of each (see `read_measured`): the finished groups give this
    machine's pace.

    >>> table = {"letters": 10.0, "tagging": 5.0}
    >>> seconds_left(["letters", "tagging"], {}, 100.0, 104.0, table)
    11.0
    >>> seconds_left(["letters", "tagging"], {"letters": 120.0}, 100.0, 122.0, table)
    8.0
    """
    through = [name for name in names if name in done]
    latest = max([begun, *(done[name] for name in through)])
    planned = sum(table.get(name, 0.0) for name in through)
    pace = (latest - begun) / planned if planned else 1.0
    left = sum(table.get(name, 0.0) for name in names if name not in done)
    waited = now - latest
    return max(pace * left - waited, waited / 4, 1.0)  # one that is already late takes a while longer
