"""Work for visitors in processes of their own: two at once, the others in a line that says how long.

A job belongs to one visitor. Ten times a second it is asked whether he is still there; who leaves, or
cancels, takes his process along.
"""

import contextlib
import io
import json
import re
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from spcviz.engine.errors import SpcvizError
from spcviz.problems.own_data.model import nursery
from spcviz.problems.own_data.model.child import CPU_SECONDS, SECONDS
from spcviz.store.tree import unpacked

N_AT_ONCE = 2
_GLANCE = 0.1  # seconds between two looks at whether anybody still waits
_GUESS = 12.0  # seconds that a job takes as long as none has been seen
_DONE = re.compile(rb"(\d+)(?:/\d+|it) \[")

_LOCK = threading.Lock()
_LINE: list["Job"] = []
"""All that wait or run, first come first."""
_TOOK: deque[float] = deque(maxlen=8)
"""Seconds of the last jobs that ran to their end."""


class JobError(SpcvizError):
    """The work could not be done; the message is for the visitor."""


class Job:
    """One visitor's work: waits its turn, runs, and has an outcome or a problem."""

    def __init__(
        self, work: str, wanted: dict[str, Any], kind: type, *, n_steps: int,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        self.work, self.n_steps, self.is_wanted = work, n_steps, is_wanted
        self.outcome: Any = None
        self.problem, self.n_done, self.state = "", 0, "waiting"
        self._kind, self._data = kind, json.dumps(wanted).encode()
        self._model = wanted["settings"]["method"], wanted["settings"]["order"]
        self._cancelled = threading.Event()
        self.ended = threading.Event()
        with _LOCK:
            _LINE.append(self)
        threading.Thread(target=self._run, name="spcviz training", daemon=True).start()

    @property
    def progress(self) -> float:
        """Share of the steps that are done, below 1 until it has ended."""
        return min(self.n_done / max(self.n_steps, 1), 0.99)

    def ahead(self) -> int:
        """How many others wait before this one."""
        with _LOCK:
            place = _LINE.index(self) if self in _LINE else 0
        return max(0, place - N_AT_ONCE + 1)

    def seconds_to_wait(self) -> float:
        """About how long until it begins, by what the last jobs took."""
        usual = sum(_TOOK) / len(_TOOK) if _TOOK else _GUESS
        return usual * self.ahead() / N_AT_ONCE

    def cancel(self) -> None:
        """End it, wherever it stands."""
        self._cancelled.set()

    def _is_over(self) -> bool:
        return self._cancelled.is_set() or not self.is_wanted()

    def _run(self) -> None:
        try:
            while self.ahead():
                if self._is_over():
                    self.state = "cancelled"
                    return
                time.sleep(_GLANCE)
            self.state, begun = "running", time.monotonic()
            code, answer = self._child()
            if self._is_over():
                self.state = "cancelled"
                return
            self.outcome = _opened(code, answer, self._kind)
            self.state = "done"
            _TOOK.append(time.monotonic() - begun)
        except JobError as error:
            self.state, self.problem = "failed", str(error)
        except OSError:
            self.state, self.problem = "failed", "No process can be started just now; try again in a minute."
        finally:
            with _LOCK:
                _LINE.remove(self)
            self._data = b""
            self.ended.set()

    def _child(self) -> tuple[int, bytes]:
        """(how the process ended, what it wrote)."""
        with (
            tempfile.TemporaryDirectory(prefix="spcviz-train-") as folder,
            nursery.start(nursery.Asked(self.work, folder, *self._model)) as child,
        ):
            answer: list[bytes] = []
            talks = [
                threading.Thread(target=self._send, args=(child.stdin,), daemon=True),
                threading.Thread(target=lambda: answer.append(child.stdout.read()), daemon=True),
                threading.Thread(target=self._follow, args=(child.stderr,), daemon=True),
            ]
            try:
                for talk in talks:
                    talk.start()
                end = time.monotonic() + SECONDS
                while child.poll() is None and not self._is_over() and time.monotonic() < end:
                    talks[1].join(_GLANCE)
            finally:
                if child.poll() is None and (self._is_over() or time.monotonic() > end):
                    child.kill()
                for talk in talks:
                    talk.join()
                child.wait()
        return child.returncode, b"".join(answer)

    def _send(self, pipe) -> None:
        with contextlib.suppress(OSError):  # it may have ended
            pipe.write(self._data)
            pipe.close()

    def _follow(self, pipe) -> None:
        """Count the steps that a bar of progress tells of; each bar begins anew."""
        before, last = 0, 0
        while chunk := pipe.read1(4096):
            for done in _DONE.finditer(chunk):
                now = int(done[1])
                before, last = (before + last, now) if now < last else (before, now)
                self.n_done = before + last


def _opened(code: int, answer: bytes, kind: type) -> Any:
    """The record in what a process wrote; raises `JobError` with what it says, or how it ended."""
    head, _, body = answer.partition(b"\n")
    try:
        problem = json.loads(head if code == 0 else b"")["problem"]
    except (ValueError, LookupError, TypeError):
        if code in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGALRM", 0)) and code:
            raise JobError(
                f"Training took longer than {CPU_SECONDS} s of a core: take fewer sentences, a lower order "
                "or fewer features."
            ) from None
        raise JobError("Training ended before its time; try fewer sentences or fewer features.") from None
    if problem:
        raise JobError(problem)
    with np.load(io.BytesIO(body), allow_pickle=False) as file:
        return unpacked({name: file[name] for name in file.files}, kind)
