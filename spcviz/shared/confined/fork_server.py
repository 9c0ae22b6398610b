"""Fork servers: processes that have loaded a kind of work and fork for each task, so that it starts at once.

Starting Python, importing the library and loading kernels takes two of the three seconds of a small training.
A fork server does it once, on what is the app's own: what visitors bring goes to its children alone, each of
which keeps the limits of its task. It has one thread (whoever is forked beside another thread may wait for
ever for a lock which that one held), ends with the app, or after `IDLE` seconds without a task. Where a
process cannot be forked, each task starts a Python of its own, as do those that want nothing beside them.

Run as ``python -P -m spcviz.shared.confined.fork_server DESCRIPTOR``, the number of a socket.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple

from spcviz.shared.confined import child
from spcviz.shared.confined.limits import Task
from spcviz.shared.folders import ROOT

IDLE = 300.0
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "SYSTEMROOT")
_KEPT_IN_SERVERS = ("HOME", "SPCVIZ_JIT_DIR", "XDG_CACHE_HOME", "SPCVIZ_CACHE", "SPCVIZ_DATA", "TMPDIR")
# Where compiled kernels lie, stored models and data.
_GLANCE = 0.02
_MOST = 8192  # bytes of what is asked for
_CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")
_ARROW = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
# Scikit-learn imports pandas, and that pyarrow where it is installed: it begins a thread, beside which a
# fork server would fork.
_LOCKS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
"""One a fork server, by its name: while one of them loads, nobody waits for another."""


class Request(NamedTuple):
    """A task, as a fork server is asked for it; `warm` are the arguments of what makes it ready."""

    task: Task
    warm: tuple[Any, ...] = ()

    @property
    def kind(self) -> tuple[Any, ...]:
        """What a fork server has loaded after it: the same for all tasks that are made ready alike."""
        return self.task.ready, *self.warm


class _Running(NamedTuple):
    """A fork server of this process."""

    process: subprocess.Popen[Any]
    link: socket.socket
    loaded: set[tuple[Any, ...]]  # kinds of requests that it was handed


_RUNNING: dict[str, _Running] = {}
"""By their names."""


class Forked:
    """A child of a fork server, with as much of `subprocess.Popen` as a task needs."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO, stderr: BinaryIO, status: int) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.returncode: int | None = None
        self._status, self._told, self._is_unwanted = status, b"", False
        self._polling = threading.Lock()

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        os.close(self._status)

    def poll(self) -> int | None:
        """How it ended, None while it runs."""
        with self._polling:
            while self.returncode is None and select.select([self._status], [], [], 0)[0]:
                if not (chunk := os.read(self._status, 64)):
                    self.returncode = -signal.SIGKILL  # the fork server itself is gone
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


def environment(*more: str) -> dict[str, str]:
    """What a child's Python needs to find the same packages, with the variables `more` and nothing else."""
    kept = {name: os.environ[name] for name in (*_KEPT, *more) if name in os.environ}
    paths = [str(ROOT), *(os.path.abspath(path) for path in sys.path if path)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # each reserves memory
    return kept | threads | _ARROW | {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def start(request: Request) -> "Forked | subprocess.Popen[bytes]":
    """A process for a task; raises `OSError` where none can be started."""
    if not (_CAN_FORK and request.task.server):
        command = [sys.executable, "-P", "-m", child.__name__, json.dumps(request.task)]
        more = _KEPT_IN_SERVERS if request.task.server else ()
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=os.sep, env=environment(*more), stdin=pipe, stdout=pipe, stderr=pipe
        )
    ours: list[int] = []
    theirs: list[int] = []
    try:
        for is_read_there in (True, False, False, False):
            read, write = os.pipe()
            theirs.append(read if is_read_there else write)
            ours.append(write if is_read_there else read)
        _hand_over(request, theirs)
    except OSError:
        for descriptor in ours:
            os.close(descriptor)
        raise
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    return Forked(os.fdopen(ours[0], "wb"), os.fdopen(ours[1], "rb"), os.fdopen(ours[2], "rb"), ours[3])


def wake(request: Request) -> None:
    """Let a fork server load what a task needs, if there is none that has, without waiting for it."""
    running = _RUNNING.get(request.task.server)
    is_awake = running is not None and running.process.poll() is None and request.kind in running.loaded
    if not _CAN_FORK or is_awake:
        return
    with contextlib.suppress(OSError, RuntimeError):  # whoever needs it says so
        threading.Thread(target=_wake, args=(request,), name="spcviz fork server", daemon=True).start()


def _wake(request: Request) -> None:
    with contextlib.suppress(OSError):
        _hand_over(request, ())


def _hand_over(request: Request, descriptors: Sequence[int]) -> None:
    """Hand a task to its fork server, which is started if there is none, and wait until it has been taken."""
    with _LOCKS[request.task.server]:
        try:
            _send(request, descriptors)
        except OSError:  # it had ended, perhaps just now
            _end(request.task.server)
            _send(request, descriptors)


def _send(request: Request, descriptors: Sequence[int]) -> None:
    name = request.task.server
    if name not in _RUNNING:
        here, there = socket.socketpair()
        with there:
            command = [sys.executable, "-P", "-m", __name__, str(there.fileno())]
            try:
                process = subprocess.Popen(
                    command, cwd=os.sep, env=environment(*_KEPT_IN_SERVERS), pass_fds=[there.fileno()],
                    stdin=subprocess.DEVNULL,
                )  # fmt: skip
            except OSError:
                here.close()
                raise
        # Somebody has to wait for it, whenever it ends: else what is left of it stays.
        threading.Thread(target=process.wait, name="spcviz fork server", daemon=True).start()
        _RUNNING[name] = _Running(process, here, set())
    running = _RUNNING[name]
    link = running.link
    socket.send_fds(link, [json.dumps(request).encode()], list(descriptors))
    if not link.recv(1):
        raise OSError("the fork server has ended")
    running.loaded.add(request.kind)


def _end(name: str) -> None:
    if name in _RUNNING:
        running = _RUNNING.pop(name)
        running.link.close()
        running.process.wait()


def main() -> None:
    """Take tasks until the app has ended or nobody has asked for long."""
    link = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for tasks
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread that watches bars: the next fork would be beside it
    loaded: set[tuple[Any, ...]] = set()
    while select.select([link], [], [], IDLE)[0]:
        data, descriptors, _, _ = socket.recv_fds(link, _MOST, 4)
        if not data:
            return
        task, warm = json.loads(data)
        request = Request(Task(*task), tuple(warm))
        link.send(b".")
        _load(request, loaded)
        if descriptors and os.fork() == 0:
            link.close()
            _attend(request.task, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _load(request: Request, loaded: set[tuple[Any, ...]]) -> None:
    """Make ready for a task, once for each kind of it; what it raises is the task's own to say."""
    if request.kind in loaded:
        return
    loaded.add(request.kind)
    with contextlib.suppress(Exception):
        child.import_function(request.task.work)
        if request.task.ready:
            child.import_function(request.task.ready)(*request.warm)


def _attend(task: Task, descriptors: Sequence[int]) -> None:
    """Fork a child, say its number and wait for its end; does not return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *pipes, status = descriptors
    try:
        if (job := os.fork()) == 0:
            _be_child(task, pipes, status)
        for pipe in pipes:
            os.close(pipe)
        os.write(status, b"%d\n" % job)
        code = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
        with contextlib.suppress(OSError):
            os.write(status, b"%d\n" % code)
    finally:
        os._exit(0)


def _be_child(task: Task, pipes: Sequence[int], status: int) -> None:
    """Become what `child` is when it is started alone; does not return."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
            os.close(pipe)
        os.close(status)
        child.run(task, is_ready=True)
        code = 0
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(code)  # the fork server's own end is not ours


if __name__ == "__main__":
    main()
