"""A process that has loaded all that training needs and forks for each job, which then starts at once.

Starting Python, importing the library and loading kernels takes two of the three seconds of a small job. The
nursery does it once, on an example of the app's own: what visitors bring goes to its children alone, each of
which keeps the limits of `child`. It ends with the app, or after `IDLE` seconds without a job. Where a
process cannot be forked, each job starts a Python of its own.

Run as ``python -P -m spcviz.problems.own_data.model.nursery DESCRIPTOR``, the number of a socket.
"""

import contextlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any, BinaryIO, NamedTuple

from spcviz.engine.errors import SpcvizError
from spcviz.problems.own_data.model import child
from spcviz.shared.uploading.uploads import environment

IDLE = 300.0
_KEPT = ("HOME", "SPCVIZ_JIT_DIR", "XDG_CACHE_HOME")  # where compiled kernels lie
_GLANCE = 0.02
_MOST = 4096  # bytes of what is asked for
_CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")
_LOCK = threading.Lock()
_RUNNING: list[tuple[subprocess.Popen, socket.socket]] = []
"""The nursery of this process, if there is one."""


class Asked(NamedTuple):
    """A job, as the nursery is asked for it."""

    work: str
    folder: str  # where it runs
    method: str  # what it trains, so that its kernels can be loaded before
    order: int


class Forked:
    """A child of the nursery, with as much of `subprocess.Popen` as a job needs."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO, status: int) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.returncode: int | None = None
        self._status, self._told, self._is_unwanted = status, b"", False

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        os.close(self._status)

    def poll(self) -> int | None:
        """How it ended, None while it runs."""
        while self.returncode is None and select.select([self._status], [], [], 0)[0]:
            if not (chunk := os.read(self._status, 64)):
                self.returncode = -signal.SIGKILL  # the nursery itself is gone
            self._told += chunk
            if self._told.count(b"\n") == 2:
                self.returncode = int(self._told.split()[1])
        if self._is_unwanted and self.returncode is None and b"\n" in self._told:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(self._told.split()[0]), signal.SIGKILL)
        return self.returncode

    def kill(self) -> None:
        """End it, at once or as soon as it has begun."""
        self._is_unwanted = True
        self.poll()

    def wait(self) -> int:
        """How it ended, when it has."""
        while (code := self.poll()) is None:
            time.sleep(_GLANCE)
        return code


def start(asked: Asked) -> "Forked | subprocess.Popen":
    """A process for a job; raises `OSError` where none can be started."""
    if not _CAN_FORK:
        command = [sys.executable, "-P", "-m", child.__name__, asked.work]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(command, cwd=asked.folder, env=environment(*_KEPT), **pipes)
    ours, theirs = [], []
    for is_read_there in (True, False, False, False):
        read, write = os.pipe()
        theirs.append(read if is_read_there else write)
        ours.append(write if is_read_there else read)
    try:
        with _LOCK:
            try:
                _send(asked, theirs)
            except OSError:  # it had ended, perhaps just now
                _end()
                _send(asked, theirs)
    except OSError:
        for descriptor in ours:
            os.close(descriptor)
        raise
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    files = [os.fdopen(one, mode) for one, mode in zip(ours, ("wb", "rb", "rb"), strict=False)]
    return Forked(*files, ours[3])


def _send(asked, descriptors):
    """Hand a job to the nursery, which is started if there is none, and wait until it has been taken."""
    if not _RUNNING:
        here, there = socket.socketpair()
        with there:
            command = [sys.executable, "-P", "-m", __name__, str(there.fileno())]
            process = subprocess.Popen(
                command, env=environment(*_KEPT), pass_fds=[there.fileno()], stdin=subprocess.DEVNULL
            )
        _RUNNING.append((process, here))
    link = _RUNNING[0][1]
    socket.send_fds(link, [json.dumps(asked).encode()], descriptors)
    if not link.recv(1):
        raise OSError("the nursery has ended")


def _end():
    for process, link in _RUNNING:
        link.close()
        process.wait()
    _RUNNING.clear()


def main() -> None:
    """Take jobs until the app has ended or nobody has asked for long."""
    link = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for jobs
    loaded: set[tuple[str, int]] = set()
    while select.select([link], [], [], IDLE)[0]:
        data, descriptors, _, _ = socket.recv_fds(link, _MOST, 4)
        if not data:
            return
        asked = Asked(*json.loads(data))
        link.send(b".")
        _load(asked, loaded)
        if os.fork() == 0:
            link.close()
            _attend(asked.work, asked.folder, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _load(asked: Asked, loaded: set[tuple[str, int]]) -> None:
    """Train on a few sentences of the app's own, once for each kind of model."""
    from spcviz.problems.own_data.data.examples import read_example
    from spcviz.problems.own_data.model.settings import LEAST_SENTENCES, Settings

    if (kind := (asked.method, asked.order)) in loaded:
        return
    loaded.add(kind)
    example, n = read_example("ewt"), 2 * LEAST_SENTENCES
    settings = Settings(method=asked.method, order=asked.order)._asdict()
    wanted: dict[str, Any] = {"settings": settings}
    wanted |= {"sentences": example.sentences[:n], "labels": example.labels[:n]}
    nowhere = contextlib.redirect_stderr(io.StringIO())
    with nowhere, contextlib.suppress(SpcvizError, ValueError):  # the job itself says what is wrong
        child.answer("train", wanted)


def _attend(work: str, folder: str, descriptors: list[int]) -> None:
    """Fork a job, say its number and wait for its end; does not return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *pipes, status = descriptors
    try:
        if (job := os.fork()) == 0:
            _be_child(work, folder, pipes, status)
        for pipe in pipes:
            os.close(pipe)
        os.write(status, b"%d\n" % job)
        code = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
        with contextlib.suppress(OSError):
            os.write(status, b"%d\n" % code)
    finally:
        os._exit(0)


def _be_child(work: str, folder: str, pipes: list[int], status: int) -> None:
    """Become what `child` is when it is started alone; does not return."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
            os.close(pipe)
        os.close(status)
        os.chdir(folder)
        child.run(work)
        code = 0
    finally:
        sys.stdout.flush()
        os._exit(code)  # the nursery's own end is not ours


if __name__ == "__main__":
    main()
