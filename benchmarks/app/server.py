"""The app's server in a separate process, for load tests: started as users do, watched from outside."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

from spcviz.engine.errors import SpcvizError
from spcviz.shared.folders import ROOT, shipped_path

START_SECONDS = 120


class ServerError(SpcvizError):
    """The app's server did not start, or died."""


class Server:
    """``streamlit run app.py`` on a free port, with the user's own folder of kernels by default."""

    streamlit = ("-m", "streamlit")
    """Arguments of Python that start streamlit's command line."""

    def __init__(self, port: int | None = None, kernels: str | None = None):
        self.port = _free_port() if port is None else port
        self._environment = os.environ | ({"SPCVIZ_JIT_DIR": kernels} if kernels else {})

    def __enter__(self):
        shipped_path(ROOT / "cache")
        self._log = tempfile.NamedTemporaryFile(suffix=".log")
        self._process = self._start()
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        command = [sys.executable, *self.streamlit, "run", "app.py", "--server.port", str(self.port)]
        return subprocess.Popen(
            [*command, "--server.address", "127.0.0.1"], cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=subprocess.STDOUT, env=self._environment, start_new_session=True,
        )  # fmt: skip

    def __exit__(self, *_):
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        with contextlib.suppress(OSError, AttributeError):  # its compiling children, if any
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._log.close()

    def _wait(self):
        """Wait until it answers."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if not self.is_alive():
                raise ServerError(f"the app's server ended at once: {self.log()[-500:].strip()}")
            with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_stcore/health", timeout=5).close()
                return
            time.sleep(0.1)
        raise ServerError(f"the app's server did not answer on port {self.port} within {START_SECONDS} s")

    def is_alive(self):
        return self._process.poll() is None

    def log(self):
        """Its output so far."""
        return Path(self._log.name).read_text(encoding="utf-8", errors="replace")

    def tracebacks(self):
        """The number of tracebacks in the log."""
        return self.log().count("Traceback (most recent call last)")

    def memory_mb(self):
        """Resident memory, or None where the system does not report it."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1000

    def cpu_seconds(self):
        """CPU time so far, with the processes that it started; None where the system does not report it."""
        family = self._family()
        return sum(process.ticks for process in family) / os.sysconf("SC_CLK_TCK") if family else None

    def family_mb(self):
        """Resident memory with the processes that it started; None where the system does not report it."""
        family = self._family()
        return sum(process.pages for process in family) * os.sysconf("SC_PAGE_SIZE") / 1e6 if family else None

    def _family(self):
        known = _processes()
        family = [self._process.pid] if self._process.pid in known else []
        for pid in family:  # grows during the loop
            family += [child for child, process in known.items() if process.parent == pid]
        return [known[pid] for pid in family]


class _Process(NamedTuple):
    """The system's figures of a process: parent, its time with that of its ended children, memory."""

    parent: int
    ticks: int
    pages: int


def _processes():
    """{pid: _Process}; empty where there is no /proc."""
    processes = {}
    for pid in filter(str.isdigit, os.listdir("/proc") if Path("/proc").is_dir() else ()):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has just ended
            text = Path("/proc", pid, "stat").read_text(encoding="utf-8", errors="replace")
            fields = text.rpartition(")")[2].split()
            processes[int(pid)] = _Process(int(fields[1]), sum(map(int, fields[11:15])), int(fields[21]))
    return processes


def _free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
