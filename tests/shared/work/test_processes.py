"""Worker processes: none is forked from a process with threads, all end with the one that started them."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from spcviz.shared.work import processes
from spcviz.shared.work.jobs import Progress, run_all
from tests.shared.work import parts

ROOT = Path(__file__).parents[3]
SECONDS = 120


def until(is_true):
    give_up = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < give_up
        time.sleep(0.05)


def test_a_worker_is_born_without_the_locks_of_this_process():
    """A forked child would wait for a lock that a thread of this process never releases."""
    held, end = threading.Event(), threading.Event()

    def hold():
        with parts.LOCK:
            held.set()
            end.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        with processes.pool(1) as executor:
            assert executor.submit(parts.takes_the_lock, 1.0).result(SECONDS)
    finally:
        end.set()
        holder.join()


def test_results_come_in_order_and_are_kept_by_other_processes(tmp_path):
    jobs = [(f"part {i}", tmp_path) for i in range(4)]
    with processes.pool(2) as executor:
        made = run_all(executor, parts.kept_part, jobs)
        found = run_all(executor, parts.kept_part, jobs)
    assert made == found
    assert os.getpid() not in made
    assert not set(made) & {child.pid for child in psutil.Process().children(recursive=True)}


def test_what_ends_it_early_ends_the_workers(tmp_path):
    begun = []

    def interrupted():
        with processes.pool(2) as executor:
            futures = [executor.submit(parts.kept_or_waits, f"part {i}", tmp_path) for i in range(3)]
            until(lambda: futures[0].done() and (tmp_path / "part 1 has begun").exists())
            begun.extend(one for one in psutil.Process().children() if "spawn_main" in str(one.cmdline()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert begun
    assert not any(worker.is_running() for worker in begun)
    with processes.pool(1) as executor:
        kept = executor.submit(parts.kept_part, "part 0", tmp_path).result()
    assert kept in {worker.pid for worker in begun}, "what was finished is found"


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    code = (
        "import sys\nfrom spcviz.shared.work import processes\n"
        "from tests.shared.work import parts\n"
        "with processes.pool(1) as executor:\n"
        "    executor.submit(parts.kept_or_waits, 'part 1', sys.argv[1]).result()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT)
    until((tmp_path / "part 1 has begun").exists)
    workers = psutil.Process(parent.pid).children(recursive=True)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert workers
    until(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in workers))


def test_what_is_waited_for_has_a_name(tmp_path):
    class Bar:
        total = 0

        def refresh(self):
            pass

        def update(self):
            pass

        def set_postfix_str(self, text, refresh):
            pass

    progress, jobs = Progress(Bar()), [(f"part {i}", tmp_path) for i in range(2)]
    with processes.pool(1) as executor:
        run = threading.Thread(target=run_all, args=(executor, parts.kept_or_waits, jobs, progress))
        run.start()
        until((tmp_path / "part 1 has begun").exists)
        until(lambda: "part 0" not in " ".join(progress.waited_for()))
        assert progress.waited_for() == [f"part 1 {tmp_path}"]
        (tmp_path / "go").write_text("")
        run.join(SECONDS)
    assert progress.waited_for() == []
