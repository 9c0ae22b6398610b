"""The training runs of a visit on one file, with their settings, kept until the visit ends."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from spcviz.problems.own_data.model.settings import Settings
from spcviz.problems.own_data.shown import Trained

MOST_RUNS = 30
"""Most runs that are kept; beyond that the oldest is dropped."""


class Run(NamedTuple):
    """One training run: its number from 1, its key, its settings, its outcome."""

    number: int
    key: Hashable
    settings: Settings
    trained: Trained


def runs_of(visit: Any) -> list[Run]:
    """The runs on a visit's file, the oldest first."""
    return visit.runs


def add_run(visit: Any, key: Hashable, settings: Settings, trained: Trained) -> None:
    """Record a run; it replaces an older one with the same key."""
    runs = [run for run in runs_of(visit) if run.key != key]
    number = max((run.number for run in runs_of(visit)), default=0) + 1
    visit.runs = [*runs, Run(number, key, settings, trained)][-MOST_RUNS:]


def find_run(visit: Any, key: Hashable) -> Trained | None:
    """The outcome of the run with a key, or None."""
    return next((run.trained for run in runs_of(visit) if run.key == key), None)


def are_comparable(first: Run, second: Run) -> bool:
    """Whether two runs held out the same sentences."""
    one, other = first.trained.report, second.trained.report
    return np.array_equal(one.dev, other.dev) and np.array_equal(one.test, other.test)
