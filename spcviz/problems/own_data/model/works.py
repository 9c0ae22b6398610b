"""Tasks that child processes do for Your data: the limits, function and type of the answer of each.

`confined` starts the process; a visitor's data are read, loaded and trained on nowhere else.
"""

import contextlib
import io
from collections.abc import Callable
from typing import Any, NamedTuple

from spcviz.engine.errors import SpcvizError
from spcviz.problems.own_data.model.budget import Bought, spend
from spcviz.problems.own_data.model.evaluation import learn_curve
from spcviz.problems.own_data.model.foreign import read_with
from spcviz.problems.own_data.model.training import LEAST_SENTENCES, Settings, train
from spcviz.problems.own_data.shown import LearningCurve, Trained
from spcviz.shared.confined.limits import Task
from spcviz.store.raw import pieces_of

CPU_SECONDS = 60
SECONDS = 300
"""Of wall-clock time: others may need the cores, too."""


class Work(NamedTuple):
    """One kind of work: the process for it, and the record that it returns."""

    task: Task
    kind: type


def _task(function: str) -> Task:
    return Task(
        work=f"{__name__}:{function}", ready=f"{__name__}:load", memory=1 << 30, cpu_seconds=CPU_SECONDS,
        seconds=SECONDS, descriptors=256, may_write=True, server="training",
    )  # fmt: skip


WORKS = {
    "train": Work(_task("train_here"), Trained),
    "read": Work(_task("read_here"), Trained),
    "budget": Work(_task("spend_here"), Bought),
    "curve": Work(_task("curve_here"), LearningCurve),
}


def train_here(about: dict[str, Any], _data: bytes) -> tuple[dict, list[bytes]]:
    """Train on sentences."""
    settings = Settings(**about["settings"])
    return _record(Trained, lambda: train(settings, about["sentences"], about["labels"], verbose=1))


def read_here(about: dict[str, Any], data: bytes) -> tuple[dict, list[bytes]]:
    """Let an uploaded model read sentences; `data` are the bytes of its file."""
    settings = Settings(**about["settings"])
    how = {"seed": settings.seed, "tolerance": settings.tolerance}
    return _record(Trained, lambda: read_with(data, about["sentences"], about["labels"], **how))


def spend_here(about: dict[str, Any], _data: bytes) -> tuple[dict, list[bytes]]:
    """Learn to buy features on sentences."""
    return _record(Bought, lambda: spend(Settings(**about["settings"]), about["sentences"], about["labels"]))


def curve_here(about: dict[str, Any], _data: bytes) -> tuple[dict, list[bytes]]:
    """Train on parts of the sentences."""
    settings = Settings(**about["settings"])
    return _record(
        LearningCurve, lambda: learn_curve(settings, about["sentences"], about["labels"], verbose=1)
    )


def _record(kind: type, make: Callable[[], Any]) -> tuple[dict, list[bytes]]:
    try:
        return {}, pieces_of(make(), kind)
    except SpcvizError:
        raise
    except ValueError as error:  # of the estimators: their messages are for the visitor who trains
        raise SpcvizError(str(error)) from error


def load(method: str | dict[str, Any], order: int = 0) -> None:
    """Train on a few of the app's own sentences, so that what this kind of model needs is loaded.

    A process for a single task passes its `about`, a dict: there the task itself loads what it needs.
    """
    if isinstance(method, dict):
        return
    from spcviz.problems.own_data.model.examples import read_example

    example, n = read_example("ewt"), 2 * LEAST_SENTENCES
    settings = Settings(method=method, order=order)
    with contextlib.redirect_stderr(io.StringIO()):
        train(settings, example.sentences[:n], example.labels[:n], verbose=1)
