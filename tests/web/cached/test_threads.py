"""The thread pool: long jobs take turns, yield to pages and never wait for themselves.

Slots of visitors' runs: a limited number at once, and nobody waits for a run that takes long.
"""

import logging
import os
import sys
import threading
import time
import weakref
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import SCRIPT_RUN_CONTEXT_ATTR_NAME as NAME

from spcviz.web.cached import threads
from spcviz.web.cached.sharing import share
from spcviz.web.cached.threads import LONG_SLOT, N_THREADS, SLOTS, Slots, map_in_pool, run_in_pool
from tests.heap import collect
from tests.waiting import wait_until


def test_in_order_and_not_in_the_callers_thread():
    answers = list(map_in_pool(lambda n: (n, threading.current_thread().name), range(20)))
    assert [n for n, _ in answers] == list(range(20))
    assert all(name.startswith("spcviz frames") for _, name in answers)


def test_who_asks_for_much_lets_others_in_between():
    begun, has_begun = [], threading.Event()

    def piece(n):
        begun.append(n)
        has_begun.set()
        time.sleep(0.02)

    greedy = threading.Thread(target=lambda: list(map_in_pool(piece, range(60))))
    greedy.start()
    has_begun.wait(10)
    assert run_in_pool(lambda: len(begun)) < 30
    greedy.join()
    assert len(begun) == 60


def test_what_no_visitor_asked_for_lets_them_go_first_between_its_pieces(monkeypatch):
    waits = []
    monkeypatch.setitem(threads.BETWEEN, "of", lambda: waits.append(1))
    assert list(map_in_pool(str, range(5))) == list("01234")
    assert len(waits) == 5
    monkeypatch.setattr(threads, "get_script_run_ctx", lambda **_: SimpleNamespace())
    monkeypatch.setattr(threads, "add_script_run_ctx", lambda thread, of: setattr(thread, NAME, of))
    assert list(map_in_pool(str, range(5))) == list("01234")
    assert len(waits) == 5  # a visitor's own pieces wait for nobody


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux")
def test_it_steps_back_behind_the_threads_of_pages():
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert run_in_pool(priority) == threads.NICE
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def test_an_error_comes_where_its_turn_is_and_nothing_more_is_begun():
    begun = []

    def piece(n):
        begun.append(n)
        if n == 3:
            raise ValueError("three")
        return n

    answers = map_in_pool(piece, range(100))
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(answers)
    assert len(begun) <= 4 + N_THREADS


def test_work_that_sets_work_apart_does_not_wait_for_itself():
    assert list(map_in_pool(lambda n: run_in_pool(lambda: 2 * n), range(3 * N_THREADS))) == [
        2 * n for n in range(3 * N_THREADS)
    ]


def test_without_a_visitor_streamlit_has_nothing_to_complain_of(caplog, monkeypatch):
    complains = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    monkeypatch.setattr(complains, "handlers", [caplog.handler])
    monkeypatch.setattr(complains, "level", logging.DEBUG)
    assert list(map_in_pool(str, [1, 2])) == ["1", "2"]
    assert "ScriptRunContext" not in caplog.text


class Visit:
    """The part of a run's context that Streamlit reads."""

    pages_manager = SimpleNamespace(main_script_hash="")


@pytest.mark.parametrize("fails", [False, True])
def test_no_thread_keeps_a_visit_once_its_work_is_done(fails):
    """On a quiet server no other work would come for hours, and the visit's files would stay until then."""
    seen = []

    def piece(n):
        seen.append(type(get_script_run_ctx(suppress_warning=True)))
        time.sleep(0.1 if n > 1 else 0)  # still running when another has failed
        return 1 // (1 - n) if fails else n

    def ask():
        visit = Visit()
        thread = threading.Thread(target=lambda: outcome.extend(_tried(piece)))
        add_script_run_ctx(thread, visit)
        thread.start()
        thread.join()
        return weakref.ref(visit)

    outcome = []
    visit = ask()
    wait_until(lambda: collect() or visit() is None)  # pieces running when one failed end later
    assert seen
    assert set(seen) == {Visit}
    assert outcome == [fails]


def _tried(piece):
    try:
        list(map_in_pool(piece, range(3 * N_THREADS)))
    except ZeroDivisionError:
        return [True]
    return [False]


class Runs:
    """Threads that each acquire a slot and hold it until they are released."""

    def __init__(self, slots, n):
        self.slots, self.go, self.inside, self.lock = slots, threading.Event(), [], threading.Lock()
        self.threads = [threading.Thread(target=self._run, args=[i], daemon=True) for i in range(n)]
        for thread in self.threads:
            thread.start()

    def _run(self, i):
        with self.slots.acquire():
            with self.lock:
                self.inside.append(i)
            assert self.go.wait(30)

    def wait_for(self, n):
        """Wait until `n` threads are inside; returns how many are inside a moment later."""
        until = time.monotonic() + 10
        while len(self.inside) < n and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(0.05)
        return len(self.inside)

    def end(self):
        self.go.set()
        for thread in self.threads:
            thread.join(10)
            assert not thread.is_alive()


def test_so_many_at_a_time_and_the_rest_after_them():
    runs = Runs(slots := Slots(2, 60.0), 6)
    assert runs.wait_for(2) == 2
    assert slots.n_running == 2
    runs.end()
    assert sorted(runs.inside) == list(range(6))
    assert slots.n_running == 0


def test_one_that_takes_long_keeps_nobody_waiting():
    begun = time.monotonic()
    runs = Runs(slots := Slots(1, 0.1), 4)
    assert runs.wait_for(4) == 4
    assert 0.3 <= time.monotonic() - begun < 5
    assert slots.n_running == 1  # the last; the others are not counted any more
    runs.end()
    assert slots.n_running == 0


def test_a_part_of_a_run_has_its_turn():
    slots, seen = Slots(1, 60.0), []

    def run():
        with slots.acquire(), slots.acquire():
            seen.append(slots.n_running)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert seen == [1]
    assert slots.n_running == 0


def test_a_turn_is_given_back_after_an_error():
    slots = Slots(1, 60.0)
    with pytest.raises(KeyError), slots.acquire():
        raise KeyError
    with slots.acquire():
        assert slots.n_running == 1


def test_visitors_run_in_turn_and_long_computations_one_by_one(monkeypatch):
    """The page and its computations: a call declared as long waits for other long calls."""
    from streamlit.testing.v1 import AppTest

    counted = []

    @share(4, kernels=False)
    def short(n):
        counted.append(("short", SLOTS.n_running, LONG_SLOT.n_running))

    @share(4, "Takes long ...", kernels=False)
    def long(n):
        counted.append(("long", SLOTS.n_running, LONG_SLOT.n_running))

    def page(short, long):
        from spcviz.web.cached.common import tells_of_damage

        tells_of_damage(lambda: (short(1), long(1)))()

    app = AppTest.from_function(page, kwargs={"short": short, "long": long}).run()
    assert not app.exception
    assert counted == [("short", 1, 0), ("long", 1, 1)]
    assert (SLOTS.n_running, LONG_SLOT.n_running) == (0, 0)
    long(2)  # not for a visitor: ahead of visits, in a script
    assert counted[-1] == ("long", 0, 0)
