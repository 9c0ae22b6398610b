"""Parts of a run that workers of other processes can find: they import this file by its name."""

import os
import threading
import time
from pathlib import Path

from spcviz.shared.work.disk_cache import load_or_compute

CODE = ("spcviz.engine.checks",)
LOCK = threading.Lock()
"""Each process has its own, unless it is forked."""


def kept_part(name, folder):
    """A part that is stored; its value is the id of the process that made it."""
    return load_or_compute(folder, name, {"part": name}, CODE, os.getpid)


def kept_or_waits(name, folder):
    """Store the first part; others report that they have begun and take an hour, or until ``go`` exists."""
    if name != "part 0":
        Path(folder, f"{name} has begun").write_text("")
        give_up = time.monotonic() + 3600
        while time.monotonic() < give_up and not Path(folder, "go").exists():
            time.sleep(0.05)
    return kept_part(name, folder)


def dies(_name):
    """Die, as if out of memory."""
    os._exit(9)


def takes_the_lock(seconds):
    """Whether `LOCK` is free in this process."""
    return LOCK.acquire(timeout=seconds)
