"""Fork servers: processes that preload the code for a kind of task and fork for each, so it starts at once.

Starting Python, importing the library and loading kernels takes two of the three seconds of a small training.
A fork server does it once, using only the app's own data: visitors' data goes only to its children, each of
which runs under the limits of its task. It has one thread, because a process forked next to another thread
may wait forever for a lock that the thread held. It ends with the app, or after `IDLE` seconds without a
task. Where a process cannot be forked, each task starts its own Python, as do tasks that name no fork server.

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
# The latter locate compiled kernels, stored models and data.
_GLANCE = 0.02
_MOST = 8192  # bytes of a request
_CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")
_ARROW = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
# Scikit-learn imports pandas, which imports pyarrow where it is installed. Pyarrow starts a thread, and a
# fork server would fork next to it.
_MALLOC = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**30)}
# By default each large array comes from the system and goes back at once; a child ends with its task.
_LOCKS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
"""One per fork server, by its name: while one server loads, requests to another do not wait."""


class Request(NamedTuple):
    """A request to a fork server: a task, and the arguments `warm` of its function `ready`."""

    task: Task
    warm: tuple[Any, ...] = ()

    @property
    def kind(self) -> tuple[Any, ...]:
        """What a fork server loads for it: equal for all tasks with the same preparation."""
        return self.task.ready, *self.warm


class _Running(NamedTuple):
    """A fork server of this process."""

    process: subprocess.Popen[Any]
    link: socket.socket
    loaded: set[tuple[Any, ...]]  # kinds of requests that it has received


_RUNNING: dict[str, _Running] = {}
"""Fork servers by name."""


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
        """Its return code, None while it runs."""
        with self._polling:
            while self.returncode is None and select.select([self._status], [], [], 0)[0]:
                if not (chunk := os.read(self._status, 64)):
                    self.returncode = -signal.SIGKILL  # the fork server itself has ended
                self._told += chunk
                if self._told.count(b"\n") == 2:
                    self.returncode = int(self._told.split()[1])
            if self._is_unwanted and self.returncode is None and b"\n" in self._told:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(self._told.split()[0]), signal.SIGKILL)
            return self.returncode

    def kill(self) -> None:
        """Kill it, at once or as soon as it has started."""
        self._is_unwanted = True
        self.poll()

    def wait(self) -> int:
        """Wait for its end; returns its return code."""
        while (code := self.poll()) is None:
            time.sleep(_GLANCE)
        return code


def environment(*more: str) -> dict[str, str]:
    """The environment in which a child's Python finds the same packages, plus only the variables `more`."""
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
    """Let a fork server load what a task needs, unless one has already, without waiting for it."""
    running = _RUNNING.get(request.task.server)
    is_awake = running is not None and running.process.poll() is None and request.kind in running.loaded
    if not _CAN_FORK or is_awake:
        return
    with contextlib.suppress(OSError, RuntimeError):  # the task itself will report it
        threading.Thread(target=_wake, args=(request,), name="spcviz fork server", daemon=True).start()


def _wake(request: Request) -> None:
    with contextlib.suppress(OSError):
        _hand_over(request, ())


def _hand_over(request: Request, descriptors: Sequence[int]) -> None:
    """Send a task to its fork server, started if there is none, and wait until the server has received it."""
    with _LOCKS[request.task.server]:
        try:
            _send(request, descriptors)
        except OSError:  # the server had ended, perhaps just now
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
                    command, cwd=os.sep, env=environment(*_KEPT_IN_SERVERS) | _MALLOC,
                    pass_fds=[there.fileno()], stdin=subprocess.DEVNULL,
                )  # fmt: skip
            except OSError:
                here.close()
                raise
        # A thread must wait for its end, whenever that is: otherwise it stays as a zombie process.
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


_JOBS: dict[int, int] = {}
"""Of a fork server: children that have not ended, with the descriptors that their ends are reported to."""


def main() -> None:
    """Serve requests until the app has ended, or none has come for `IDLE` seconds and no child is left."""
    link = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, _report_ends)
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread that monitors progress bars: the next fork would be next to it
    loaded: set[tuple[Any, ...]] = set()
    while select.select([link], [], [], IDLE)[0] or _JOBS:
        if not select.select([link], [], [], 0)[0]:
            continue
        data, descriptors, _, _ = socket.recv_fds(link, _MOST, 4)
        if not data:
            return
        task, warm = json.loads(data)
        request = Request(Task(*task), tuple(warm))
        link.send(b".")
        _load(request, loaded)
        if descriptors:
            _fork(request.task, descriptors, link)


def _load(request: Request, loaded: set[tuple[Any, ...]]) -> None:
    """Load what a task needs, once for each kind; the task itself will report any exception."""
    if request.kind in loaded:
        return
    loaded.add(request.kind)
    with contextlib.suppress(Exception):
        child.import_function(request.task.work)
        if request.task.ready:
            child.import_function(request.task.ready)(*request.warm)


def _fork(task: Task, descriptors: Sequence[int], link: socket.socket) -> None:
    """Fork a child for a task and report its process id; `_report_ends` reports its end.

    A fork of hundreds of megabytes takes as long as a small task, so no process stands between the two.
    """
    *pipes, status = descriptors
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # it may end before it is noted
    try:
        if (job := os.fork()) == 0:
            _be_child(task, pipes, (status, link.fileno(), *_JOBS.values()))
        _JOBS[job] = status
        _report(status, job)
    except OSError:  # no process can be started: the caller reads the end of `status`
        os.close(status)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        for pipe in pipes:
            os.close(pipe)


def _report(status: int, number: int) -> None:
    with contextlib.suppress(OSError):  # nobody may read it any more
        os.write(status, b"%d\n" % number)


def _report_ends(*_: object) -> None:
    """Report the exit codes of children that have ended, while something is loaded as well."""
    for job, status in [*_JOBS.items()]:
        ended, code = os.waitpid(job, os.WNOHANG)
        if ended:
            del _JOBS[job]
            _report(status, os.waitstatus_to_exitcode(code))
            os.close(status)


def _be_child(task: Task, pipes: Sequence[int], others: Sequence[int]) -> None:
    """Run as `child` does when it is started on its own, without `others`; does not return."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
            os.close(pipe)
        for other in others:
            os.close(other)
        child.run(task, is_ready=True)
        code = 0
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(code)  # skips the fork server's own cleanup


if __name__ == "__main__":
    main()
