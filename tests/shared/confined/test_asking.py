"""A process for a visitor's files: its limits, and that whatever it does ends in one of a few faults."""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from spcviz.shared.confined import fork_server
from spcviz.shared.confined.asking import REPLACED, ask
from spcviz.shared.confined.limits import Task
from spcviz.shared.work import disk_cache
from tests.shared.confined import works

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems need not have these limits")
SERVERS = ["", "testing"]
SMALL = {"memory": 256 << 20, "cpu_seconds": 1, "seconds": 60, "most_out": 8 << 20}


def task(name, server, **more):
    return Task(f"tests.shared.confined.works:{name}", server=server, **(SMALL | more))


@pytest.fixture(autouse=True)
def found_by_children(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))


@pytest.mark.parametrize("server", SERVERS)
def test_what_is_asked_comes_back(server):
    answer = ask(task("double", server), {"n": 3}, b"ab")
    assert (answer.head, bytes(answer.body), answer.problem, answer.fault) == ({"n": 6}, b"abab", "", "")


FAULTS = {
    "stumble": "damaged", "spin": "long", "grow": "memory", "talk": "large", "die": "ended",
    "write": "damaged", "open_many": "damaged", "nothing": "ended",
}  # fmt: skip


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("name", FAULTS)
def test_whatever_it_does_is_one_of_a_few_faults(name, server):
    before = psutil.Process().memory_info().rss
    answer = ask(task(name, server), {"n": 3}, b"ab")
    assert (answer.fault, answer.problem, answer.head) == (FAULTS[name], "", {})
    assert psutil.Process().memory_info().rss - before < 100 << 20


def test_code_that_was_replaced_under_a_running_server_is_said(monkeypatch, tmp_path):
    path = tmp_path / "reader.py"
    path.write_bytes(b"old")
    monkeypatch.setattr(disk_cache, "TEXTS", {path: b"old"})
    assert ask(task("stumble", ""), {}, b"").fault == "damaged"
    path.write_bytes(b"new")
    for name in ("stumble", "die"):
        answer = ask(task(name, ""), {}, b"")
        assert (answer.problem, answer.fault) == (REPLACED, "")
    assert ask(task("double", ""), {"n": 3}, b"ab").head == {"n": 6}  # working code is unaffected
    assert ask(task("spin", ""), {}, b"").fault == "long"
    path.unlink()
    assert ask(task("stumble", ""), {}, b"").problem == REPLACED


@pytest.mark.parametrize("server", SERVERS)
def test_a_sentence_comes_back_as_it_is(server):
    assert ask(task("refuse", server), {}, b"abc").problem == "file: is of 3 bytes"


@pytest.mark.parametrize("server", SERVERS)
def test_who_waits_no_longer_takes_the_process_along(server):
    class Left(Exception):
        pass

    def glance():
        raise Left

    with pytest.raises(Left):
        ask(task("sleep", server), {}, glance=glance)
    begun = time.monotonic()
    assert ask(task("sleep", server), {}, seconds=0.5).fault == "long"
    assert time.monotonic() - begun < 30
    parents = [psutil.Process(process.pid) for process, *_ in fork_server._RUNNING.values()]
    end = time.monotonic() + 10
    while any(parent.children(recursive=True) for parent in parents) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(parent.children(recursive=True) for parent in parents)


def test_nothing_is_left_behind_and_nobody_stays_as_a_zombie():
    before = set(os.listdir(tempfile.gettempdir()))
    ask(task("die", "testing"), {})
    process = fork_server._RUNNING["testing"].process
    process.kill()
    end = time.monotonic() + 10
    while psutil.pid_exists(process.pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not psutil.pid_exists(process.pid)
    assert ask(task("double", "testing"), {"n": 1}).head == {"n": 2}  # and another one has started
    assert not [name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith("spcviz")]


def awake(server):
    """The process of a fork server that has been woken; None if there is none after 30 seconds."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        running = fork_server._RUNNING.get(server)
        if running is not None and running.process.poll() is None and running.loaded:
            return running.process
        time.sleep(0.02)
    return None


def test_one_that_has_ended_is_woken_again_and_one_that_is_there_is_not():
    request = fork_server.Request(task("double", "waking"))
    fork_server.wake(request)
    first = awake("waking")
    fork_server.wake(request)
    assert awake("waking") is first
    first.kill()
    first.wait()
    fork_server.wake(request)
    assert awake("waking") not in (None, first)
    assert ask(task("double", "waking"), {"n": 2}).head == {"n": 4}


def test_nobody_waits_while_another_fork_server_loads():
    lazy = Task(**task("double", "lazy")._asdict() | {"ready": f"{works.__name__}:load_slowly"})
    ask(lazy, {"n": 1})  # it runs, and has not loaded this
    other = fork_server.Request(lazy, ("for another",))
    fork_server.wake(other)
    waiting = threading.Thread(target=ask, args=(lazy, {"n": 1}))  # waits behind the loading
    time.sleep(0.2)
    waiting.start()
    time.sleep(0.2)
    begun = time.monotonic()
    assert ask(task("double", "testing"), {"n": 3}).head == {"n": 6}
    assert time.monotonic() - begun < works.SLOWLY / 2
    assert waiting.is_alive()
    waiting.join()


def test_a_child_that_ends_while_its_server_loads_is_reported_at_once():
    lazy = Task(**task("nap", "reporting")._asdict() | {"ready": f"{works.__name__}:load_slowly"})
    ask(lazy, {"seconds": 0.0})
    told = {}

    def nap():
        told["answer"] = ask(lazy, {"seconds": 1.0})
        told["ended"] = time.monotonic()

    napping, begun = threading.Thread(target=nap), time.monotonic()
    napping.start()
    time.sleep(0.3)
    fork_server.wake(fork_server.Request(lazy, ("for another",)))
    napping.join()
    assert told["ended"] - begun < works.SLOWLY
    assert told["answer"].head == {"parent": fork_server._RUNNING["reporting"].process.pid}


def test_children_at_the_same_time_do_not_inherit_each_other():
    """Otherwise one that hangs would hold what the others wait for."""
    alone = ask(task("descriptors", "testing"), {}).head
    naps = [threading.Thread(target=ask, args=(task("nap", "testing"), {"seconds": 2.0})) for _ in range(3)]
    for one in naps:
        one.start()
    time.sleep(0.5)
    assert ask(task("descriptors", "testing"), {}).head == alone
    for one in naps:
        one.join()
    server = psutil.Process(fork_server._RUNNING["testing"].process.pid)
    assert not server.children()
