"""reproduce says what it waits for, ends at once when interrupted, and continues where it stopped."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import psutil
import pytest

from experiments.letters import reproduce as letter_tables
from spcviz import cli
from spcviz.commands import reproduce
from spcviz.problems.letters.model import cascade as experiment
from spcviz.shared.work.jobs import Progress, run_all
from tests.commands.short import KEPT, check_table, orders
from tests.shared.work import parts

ROOT = Path(__file__).parents[2]


class Bar:
    """A progress bar that records its messages."""

    n = 0

    def __init__(self, said, heard):
        self._said, self._heard = said, heard

    def set_postfix_str(self, text):
        self._said.append(text)
        self._heard.set()


def test_steps_that_are_kept_move_the_progress(tmp_path, monkeypatch):
    """A fold is many steps: the files they leave in the work folder are counted next to the bar."""
    said, heard = [], threading.Event()

    monkeypatch.setattr(reproduce, "SECONDS_BETWEEN", 0.01)
    (tmp_path / "before.json").write_text("{}")
    with reproduce._watching(Progress(Bar(said, heard)), tmp_path):
        (tmp_path / "raw-0.json").write_text("{}")
        assert heard.wait(10)
    assert set(said) == {"1 of its steps kept"}


def test_where_nothing_moves_the_progress_says_what_is_waited_for(tmp_path, monkeypatch):
    said, heard = [], threading.Event()
    monkeypatch.setattr(reproduce, "SECONDS_BETWEEN", 0.01)
    monkeypatch.setattr(reproduce, "SECONDS_STILL", 0.1)
    progress, running = Progress(Bar(said, heard)), Future()
    running.set_running_or_notify_cancel()
    progress.watch({running: "raw 3", Future(): "raw 4"})
    with reproduce._watching(progress, tmp_path):
        assert heard.wait(10)
    assert set(said) == {"nothing finished for 0 min: waiting for raw 3"}


def test_an_interrupted_reproduction_goes_on_where_it_stopped(
    words, here, shorter, tmp_path, capsys, monkeypatch
):
    real = experiment.train

    def first_only(settings, fold, *arguments, **options):
        if fold == 1:
            raise KeyboardInterrupt
        return real(settings, fold, *arguments, **options)

    def others_only(settings, fold, *arguments, **options):
        assert fold == 1, "trained again"
        return real(settings, fold, *arguments, **options)

    both = [*orders(tmp_path), "--folds", "2"]
    monkeypatch.setattr(experiment, "train", first_only)
    assert cli.main(both) == 130
    assert capsys.readouterr().err.endswith("spcviz: interrupted; what was finished has been kept\n")
    assert not (tmp_path / "table.json").exists()
    assert len(list((tmp_path / "work").glob("ocr-*.json"))) == KEPT
    monkeypatch.setattr(experiment, "train", others_only)
    assert cli.main(both) == 0
    assert {row["folds"] for row in check_table(tmp_path / "table.json", words, n_orders=3)["rows"]} == {2}


def test_a_worker_that_dies(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(letter_tables, "orders", lambda run: run_all(run.executor, parts.dies, [("raw",)]))
    assert cli.main(orders(tmp_path)) == 1
    assert "spcviz: a worker process died (out of memory?)" in capsys.readouterr().err


CTRL_C = """
import faulthandler, signal, sys
from spcviz import cli
from spcviz.shared.work.jobs import run_all
from experiments.letters import reproduce
from tests.shared.work import parts

def orders(run):
    jobs = [(f"part {i}", run.work) for i in range(2)]
    return {"rows": run_all(run.executor, parts.kept_or_waits, jobs, run.tick)}

faulthandler.register(signal.SIGUSR1)
# A shell starts what runs in its background with the signal ignored, tests too, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
reproduce.orders = orders
sys.exit(cli.main(sys.argv[1:]))
"""


def cpu_seconds(process):
    """CPU seconds of a process, its living children and those that it has outlived."""
    times = process.cpu_times()
    living = sum(map(cpu_seconds, process.children()))
    return times.user + times.system + times.children_user + times.children_system + living


def ended(process, said, seconds):
    """CPU seconds of an ended process and its workers alone; if it still runs, fail with their tracebacks."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGUSR1)
    time.sleep(1)
    pytest.fail(f"still there after {seconds} s:\n{said.read_text()}")


@pytest.mark.parametrize("to_all", [True, False], ids=["terminal", "kill"])
def test_a_real_ctrl_c(to_all, tmp_path):
    """The terminal signals every process, `kill -INT` only one: all end at once, and finished parts are kept.

    The time this takes depends on what else the machine does. So the part that is waited for takes an hour,
    and the test measures the work that is still done.
    """
    said = tmp_path / "stderr"
    with said.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-c", CTRL_C, *orders(tmp_path), "--folds", "2"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        give_up = time.monotonic() + 180
        while not (tmp_path / "work" / "part 1 has begun").exists():
            assert time.monotonic() < give_up
            time.sleep(0.1)
        worked = cpu_seconds(psutil.Process(process.pid))
        (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
        all_in_all = ended(process, said, 180)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert process.returncode == 130, said.read_text()
    assert all_in_all - worked < 3
    assert "spcviz: interrupted; what was finished has been kept" in said.read_text()
    assert len(list((tmp_path / "work").glob("part 0-*.json"))) == 1
