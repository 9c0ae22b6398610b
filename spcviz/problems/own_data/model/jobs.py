"""Run visitors' jobs in child processes, two at a time; the others queue with an estimate of their wait.

A job belongs to one visitor. It checks ten times a second whether the visitor is still there; when the
visitor leaves or cancels, the process is ended. However a job ends, it reports how.
"""

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from spcviz.engine.errors import SpcvizError
from spcviz.problems.own_data.model.works import CPU_SECONDS, WORKS
from spcviz.shared.confined.asking import Answer, EndedError, Line, ask
from spcviz.store.errors import DamagedError
from spcviz.store.raw import value_of

LOG = logging.getLogger(__name__)
N_AT_ONCE = 2
_GUESS = 12.0  # seconds that a job is assumed to take until one has ended
_DONE = re.compile(rb"(\d+)(?:/\d+|it) \[")

LINE = Line(N_AT_ONCE)
_TOOK: deque[float] = deque(maxlen=8)
"""Seconds that the last completed jobs took."""

NO_PROCESS = "No process can be started just now; try again in a minute."
TOO_LONG = (
    f"Training took longer than {CPU_SECONDS} s of a core: take fewer sentences, a lower order or fewer "
    "features."
)
_SAYS = {
    "long": TOO_LONG,
    "memory": "Training needs more memory than it may use here: take fewer sentences.",
    "large": "What training made is larger than what is kept here: take fewer sentences or fewer features.",
}
_EARLY = "Training ended before its time; try fewer sentences or fewer features."


class JobError(SpcvizError):
    """The work could not be done; the message is for the visitor."""


class Job:
    """One visitor's work: waits its turn, runs, and has an outcome or a problem."""

    def __init__(
        self, work: str, wanted: dict[str, Any], data: bytes = b"", *, n_steps: int,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        self.work, self.n_steps, self.is_wanted = work, n_steps, is_wanted
        self.outcome: Any = None
        self.problem, self.n_done, self.state = "", 0, "waiting"
        self._given: tuple[dict[str, Any], bytes] = wanted, data
        self._warm = wanted["settings"]["method"], wanted["settings"]["order"]
        self._bars = 0, 0  # steps of earlier progress bars, and of the last one
        self._cancelled = threading.Event()
        self.ended = threading.Event()
        self._place = LINE.join()
        try:
            threading.Thread(target=self._run, name="spcviz training", daemon=True).start()
        except RuntimeError:  # no thread: the queue must not wait for a job that never runs
            self._end("failed", NO_PROCESS)

    @property
    def progress(self) -> float:
        """Share of the steps that are done, at most 0.99."""
        return min(self.n_done / max(self.n_steps, 1), 0.99)

    def ahead(self) -> int:
        """How many other jobs have to end before this one begins."""
        return self._place.n_before()

    def seconds_to_wait(self) -> float:
        """Estimated seconds until it begins, from the times of the last jobs."""
        usual = sum(_TOOK) / len(_TOOK) if _TOOK else _GUESS
        return usual * self.ahead() / N_AT_ONCE

    def cancel(self) -> None:
        """End the job, whether it waits or runs."""
        self._cancelled.set()

    def _end(self, state: str, problem: str = "") -> None:
        self.state, self.problem = state, problem
        self._place.leave()
        self._given = {}, b""
        self.ended.set()

    def _glance(self) -> None:
        if self._cancelled.is_set() or not self.is_wanted():
            raise EndedError("cancelled")

    def _run(self) -> None:
        state, problem = "failed", _EARLY
        try:
            self._place.wait(self._glance)
            self._glance()
            self.state, begun = "running", time.monotonic()
            self.outcome = _outcome(self._answer(), self.work)
            self._glance()
            state, problem = "done", ""
            _TOOK.append(time.monotonic() - begun)
        except EndedError:
            state, problem, self.outcome = "cancelled", "", None
        except JobError as error:
            problem = str(error)
        except (OSError, RuntimeError):  # no process, no descriptor, no thread
            problem = NO_PROCESS
        except Exception as error:  # our fault; only its type is logged: its text may quote the visitor
            LOG.error("a job failed: %s", type(error).__name__)
        finally:
            self._end(state, problem)

    def _answer(self) -> Answer:
        about, data = self._given
        return ask(WORKS[self.work].task, about, data, warm=self._warm, glance=self._glance, hear=self._hear)

    def _hear(self, chunk: bytes) -> None:
        """Count the steps that progress bars report; each bar starts again."""
        before, last = self._bars
        for done in _DONE.finditer(chunk):
            now = int(done[1])
            before, last = (before + last, now) if now < last else (before, now)
        self._bars, self.n_done = (before, last), before + last


def _outcome(answer: Answer, work: str) -> Any:
    """The record that a process returned; raises `JobError` with its message, or with how it ended."""
    if answer.problem:
        raise JobError(answer.problem)
    if answer.fault:
        raise JobError(_SAYS.get(answer.fault, _EARLY))
    try:
        return value_of(answer.body, WORKS[work].kind)
    except DamagedError:
        raise JobError(_EARLY) from None
