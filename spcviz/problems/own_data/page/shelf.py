"""One visitor's data in the session: the file, the models trained on it, their runs, and the job under way.

All of it stays in this process's memory, among the visit's belongings (`spcviz.web.cached.ownership`).
"""

import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model.budget import Bought
from spcviz.problems.own_data.model.evaluation import PARTS
from spcviz.problems.own_data.model.files import FOUND_OUT, Brought, Columns, How
from spcviz.problems.own_data.model.jobs import Job
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.shown import LearningCurve, Trained

_MOST_KEPT = 12
MOST_RUNS = 30
"""Most runs that are kept; beyond that the oldest is dropped."""
CANCELLED = "What was under way was cancelled."
OTHER_SETTINGS = (
    "What was under way is done, with the settings that it was begun with. Those on screen are others now: "
    "choose the former again to see it."
)


class Own:
    """One visitor's data; results are stored by the file's digest and how it was read."""

    def __init__(self, brought: Brought, data: bytes = b"", example: str = "") -> None:
        self._brought: Brought | None = brought
        self.example = example
        self._data = zlib.compress(data)
        self.columns: Columns | None = None
        self.how = FOUND_OUT
        self.model: Brought | None = None
        self.job: Job | None = None
        self.asked: Hashable = None
        self.note = ""  # how the last job ended, if the visitor needs to know
        self.runs: list[Any] = []  # `TrainingRun`, kept whatever other results are evicted
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    @property
    def brought(self) -> Brought:
        """What was read. A run that still uses deleted data is started again with the current data."""
        if self._brought is None:
            st.rerun()
            st.stop()  # where no run can be started again
        return self._brought

    @property
    def is_gone(self) -> bool:
        """Whether the data are deleted: the visit, or half an hour without use, is over."""
        return self._brought is None

    @property
    def data(self) -> bytes:
        """The file."""
        return zlib.decompress(self._data)

    def of(self, *about: Hashable) -> Hashable:
        """The key of a result made from this file, as it is read now."""
        return self.brought.digest, self.columns, self.how, *about

    def read_anew(self, brought: Brought, columns: Columns | None, how: How) -> None:
        """Take the same text, read in another way; drop all results of the old reading and any job on it."""
        self.end_job("it was on what the file was read as before")
        self._brought, self.columns, self.how = brought, columns, how
        self._kept.clear()
        self.runs = []

    def keep(self, key: Hashable, value: Any) -> Any:
        """Store a result, evicting the least recently used ones."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return value

    def find(self, key: Hashable) -> Any:
        """A stored result, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """A result, stored before or made now; an `ArgumentError` is stored as well."""
        value = self.find(key)
        if value is None:
            try:
                value = make()
            except ArgumentError as error:
                value = error
            self.keep(key, value)
        if isinstance(value, ArgumentError):
            raise value
        return value

    def end_job(self, why: str = "") -> None:
        """Cancel the running job; `why` is the reason to report, if any."""
        if self.job is not None:
            self.job.cancel()
            self.note = f"What was under way was ended: {why}." if why else ""
        self.job = None

    def end(self) -> None:
        """Release everything at the end of the visit.

        Streamlit keeps the arguments of a widget's callback longer than the visit, and with them this object.
        """
        self.end_job()
        self._kept.clear()
        self._brought, self._data, self.model, self.asked = None, b"", None, None
        self.runs, self.note = [], ""


class TrainingRun(NamedTuple):
    """One training run: its number from 1, its key, its settings, its outcome."""

    number: int
    key: Hashable
    settings: Settings
    trained: Trained


def runs_of(visit: Any) -> list[TrainingRun]:
    """The runs on a visit's file, the oldest first."""
    return visit.runs


def add_run(visit: Any, key: Hashable, settings: Settings, trained: Trained) -> None:
    """Record a run; it replaces an older one with the same key."""
    runs = [run for run in runs_of(visit) if run.key != key]
    number = max((run.number for run in runs_of(visit)), default=0) + 1
    visit.runs = [*runs, TrainingRun(number, key, settings, trained)][-MOST_RUNS:]


def find_run(visit: Any, key: Hashable) -> Trained | None:
    """The outcome of the run with a key, or None."""
    return next((run.trained for run in runs_of(visit) if run.key == key), None)


def are_comparable(first: TrainingRun, second: TrainingRun) -> bool:
    """Whether two runs held out the same sentences."""
    one, other = first.trained.report, second.trained.report
    return np.array_equal(one.dev, other.dev) and np.array_equal(one.test, other.test)


def start_job(visit: Own | None, settings: Settings, work: str = "train") -> None:
    """Start to train, or to buy features, on a visitor's sentences in a separate process."""
    if visit is None or visit.is_gone:  # after half an hour without use
        return
    visit.end_job()
    visit.note, brought = "", visit.brought
    wanted = {"settings": settings._asdict(), "sentences": brought.sentences, "labels": brought.labels}
    data = visit.model.model if work == "read" else b""
    if work == "train":
        visit.model = None
    visit.asked = key_of(visit, settings, work)
    visit.job = Job(work, wanted, data, n_steps=_steps(settings, work))


def key_of(visit: Own, settings: Settings, work: str) -> tuple[Hashable, ...]:
    """The key of a job's outcome: file, columns, the settings it depends on, the model."""
    if work == "read":
        few = Settings(seed=settings.seed, tolerance=settings.tolerance)
        return visit.of(work, visit.model.digest, few)
    if work == "budget":
        return visit.of(work, Settings(template=settings.template, held=settings.held, seed=settings.seed))
    return visit.of(work, settings)


def get_purchases(visit: Own, settings: Settings) -> Bought | None:
    """What a budget buys on these sentences, if it has been computed."""
    return visit.find(key_of(visit, settings, "budget"))


def get_learning_curve(visit: Own, settings: Settings) -> LearningCurve | None:
    """The learning curve with these settings, if it has been computed."""
    return visit.find(key_of(visit, settings, "curve"))


def spent_on(visit: Own, settings: Settings) -> str:
    """The identity of a batch that features were bought for."""
    return f"{visit.brought.digest}|{key_of(visit, settings, 'budget')}"


def read_with_model(visit: Own, settings: Settings) -> None:
    """Let the uploaded model read the sentences, unless it has done so or is about to."""
    if visit.model is None or visit.job is not None:
        return
    key = key_of(visit, settings, "read")
    if visit.find(key) is None and visit.asked != key:  # a failed job is not restarted automatically
        start_job(visit, settings, "read")


def _steps(settings: Settings, work: str) -> int:
    """The approximate number of steps that the estimators' progress bars count."""
    if work not in ("train", "curve"):
        return 1
    if work == "curve":
        return len(PARTS) * _steps(settings, "train")
    if settings.method == "perceptron":
        return settings.passes
    return 50 if settings.method == "crf" else 120 + 4 * settings.passes * (settings.order - 2)


def collect_job(visit: Own, settings: Settings) -> str:
    """Collect a job's outcome, if it has ended; return what went wrong, or an empty string.

    A job that ended with settings other than the current ones leaves a note.
    """
    job = visit.job
    if job is None or not job.ended.is_set():
        return ""
    visit.job = None
    if job.state == "done":
        visit.keep(visit.asked, job.outcome)
        if job.work == "train":
            add_run(visit, visit.asked, visit.asked[-1], job.outcome)
        if job.work != "read" and visit.asked != key_of(visit, settings, job.work):
            visit.note = OTHER_SETTINGS
    elif job.state == "cancelled":
        visit.note = CANCELLED
    return job.problem


def cancel_job(visit: Own) -> None:
    """Cancel the running job at its visitor's request."""
    visit.end_job()
    visit.note = CANCELLED
