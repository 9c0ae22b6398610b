"""What takes long: in turn, behind the pages, and without waiting for itself."""

import logging
import os
import sys
import threading
import time

import pytest

from spcviz.web.cached import side_by_side
from spcviz.web.cached.side_by_side import N_THREADS, apart, run


def test_in_order_and_not_in_the_callers_thread():
    answers = list(run(lambda n: (n, threading.current_thread().name), range(20)))
    assert [n for n, _ in answers] == list(range(20))
    assert all(name.startswith("spcviz frames") for _, name in answers)


def test_who_asks_for_much_lets_others_in_between():
    begun, has_begun = [], threading.Event()

    def piece(n):
        begun.append(n)
        has_begun.set()
        time.sleep(0.02)

    greedy = threading.Thread(target=lambda: list(run(piece, range(60))))
    greedy.start()
    has_begun.wait(10)
    assert apart(lambda: len(begun)) < 30
    greedy.join()
    assert len(begun) == 60


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux")
def test_it_steps_back_behind_the_threads_of_pages():
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert apart(priority) == side_by_side.NICE
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


def test_an_error_comes_where_its_turn_is_and_nothing_more_is_begun():
    begun = []

    def piece(n):
        begun.append(n)
        if n == 3:
            raise ValueError("three")
        return n

    answers = run(piece, range(100))
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(answers)
    assert len(begun) <= 4 + N_THREADS


def test_work_that_sets_work_apart_does_not_wait_for_itself():
    assert list(run(lambda n: apart(lambda: 2 * n), range(3 * N_THREADS))) == [
        2 * n for n in range(3 * N_THREADS)
    ]


def test_without_a_visitor_streamlit_has_nothing_to_complain_of(caplog, monkeypatch):
    complains = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    monkeypatch.setattr(complains, "handlers", [caplog.handler])
    monkeypatch.setattr(complains, "level", logging.DEBUG)
    assert list(run(str, [1, 2])) == ["1", "2"]
    assert "ScriptRunContext" not in caplog.text
