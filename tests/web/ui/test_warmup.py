"""Warm-up happens once, in the background, and never takes the app down."""

import sys
import threading
import time
import types

import pytest

import spcviz.web.cached
from spcviz.web.cached import memory, sharing
from spcviz.web.ui import warmup


@pytest.fixture
def calls(monkeypatch):
    """Calls of warm-up, in order, with a cache that only records them."""
    made = []
    ahead = types.ModuleType("spcviz.web.cached.ahead")

    def compile_ahead(state):
        state.known.set()
        made.append("compile")
        yield "a folder is full"

    ahead.compile_ahead = compile_ahead
    ahead.load_rest = lambda state, more: made.append(f"load the rest and {', '.join(more)}")
    monkeypatch.setitem(sys.modules, "spcviz.web.cached.ahead", ahead)
    monkeypatch.setattr(spcviz.web.cached, "ahead", ahead, raising=False)
    monkeypatch.setattr(memory.gc, "collect", lambda: made.append("collect"))
    monkeypatch.setattr(memory.gc, "freeze", lambda: made.append("freeze"))
    monkeypatch.setattr(memory, "give_back", lambda: made.append("give back"))
    monkeypatch.setattr(warmup, "STATE", warmup.WarmupProgress())
    warmup.STATE.wanted.set()
    return made


def test_in_the_background_and_with_a_word_about_what_went_wrong(calls, caplog, capsys):
    thread = warmup.start()
    assert thread.daemon
    settled = ["collect", "freeze", "give back"]
    thread.join(timeout=0.5)
    assert calls == ["compile", *settled]  # no visitor yet: an unused server stays small
    assert warmup.seconds_until(["letters"]) is None
    thread.join(timeout=10)
    assert calls == ["compile", *settled, "load the rest and results", *settled]
    assert "a folder is full" in caplog.text
    assert capsys.readouterr().err.count("spcviz: ready\n") == 1


def test_a_broken_compiler_is_logged_and_survived(calls, monkeypatch, caplog):
    def fail(_state):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(spcviz.web.cached.ahead, "compile_ahead", fail)
    warmup.start().join(timeout=10)
    assert calls == ["collect", "freeze", "give back"]
    assert "warm-up failed" in caplog.text
    assert "no compiler" in caplog.text
    assert warmup.seconds_until(["letters"]) is None


def test_a_page_waits_until_it_is_known_what_is_compiled_and_then_for_its_own_stories(calls, monkeypatch):
    monkeypatch.setattr("spcviz.registry.warmup.is_compiled", lambda name: name == "tagging")
    state = warmup.STATE
    state.pending, state.lanes = {"letters", "tagging"}, [["tagging", "letters"]]
    state.seconds, state.begun = {"letters": 1e4, "tagging": 1.0}, warmup.time.monotonic()
    assert warmup.seconds_until([]) is None  # a page without kernels waits for nothing
    threading.Timer(0.2, state.known.set).start()
    assert 9e3 < warmup.seconds_until(["letters", "exact"]) <= 10_001
    assert state.known.is_set()
    assert warmup.seconds_until(["tagging"]) is None  # its note exists before the thread has looked
    assert warmup.seconds_until(["exact"]) is None


@pytest.mark.parametrize("jump", [-1e8, -3600, 3600, 1e8])
def test_a_clock_that_is_set_does_not_change_the_estimate(calls, monkeypatch, jump):
    monkeypatch.setattr("spcviz.registry.warmup.is_compiled", lambda name: False)
    state, real = warmup.STATE, warmup.time.time
    state.known.set()
    state.pending, state.lanes, state.seconds = {"letters"}, [["letters"]], {"letters": 1e4}
    state.begun = warmup.time.monotonic()
    monkeypatch.setattr(warmup.time, "time", lambda: real() + jump)
    assert 9e3 < warmup.seconds_until(["letters"]) <= 10_000


def test_loading_makes_room_for_a_page_but_not_for_ever(calls, monkeypatch):
    state = warmup.STATE
    state.wanted.clear()
    with warmup.visit():
        assert not state.wanted.is_set()
    assert state.wanted.is_set()
    begun = warmup.time.monotonic()
    state.let_visitors_first()
    assert 0.3 < warmup.time.monotonic() - begun < 3
    state.visited = warmup.time.monotonic() + 1e6
    monkeypatch.setattr(warmup, "_PATIENCE", 0.2)
    state.let_visitors_first()
    assert warmup.time.monotonic() - begun < 5
    monkeypatch.setattr(warmup, "_QUIET", 0.4)
    state.visited = begun = warmup.time.monotonic()
    state.let_visitors_first(forever=True)  # work that can wait for ever
    assert 0.3 < warmup.time.monotonic() - begun < 3


def test_what_a_visitor_waits_for_is_made_at_once(calls, monkeypatch):
    """A value computed ahead must not wait for a page that meanwhile requests that very value."""
    begun, may_end = threading.Event(), threading.Event()

    @sharing.share(1, kernels=False)
    def value_of():
        begun.set()
        may_end.wait(30)
        return 7

    state, read = warmup.WarmupProgress(), []
    state.running = 1  # the page that waits
    maker = threading.Thread(target=value_of)
    waiter = threading.Thread(target=lambda: read.append(value_of()), name="visit")
    of_visit = {"visit": object()}
    monkeypatch.setattr(
        sharing, "get_script_run_ctx", lambda **_: of_visit.get(threading.current_thread().name)
    )
    maker.start()
    assert begun.wait(30)
    waiter.start()
    end = time.monotonic() + 30
    while not sharing.WAITING["n"] and time.monotonic() < end:
        time.sleep(0.01)
    since = time.monotonic()
    state.let_visitors_first(forever=True)
    assert time.monotonic() - since < 15, "it waits for the page, which waits for it: 30 s"
    may_end.set()
    maker.join(30)
    waiter.join(30)
    assert read == [7]
    assert sharing.WAITING["n"] == 0


def test_loading_makes_room_for_a_part_that_reruns_by_itself(calls, monkeypatch):
    """Of a fragment only its function runs: only its requests to the cache reveal it."""
    value_of = sharing.share(1, kernels=False)(lambda: 1)
    monkeypatch.setattr(warmup, "_QUIET", 0.4)
    monkeypatch.setitem(sharing.ASKED, "at", 0.0)

    def waited():
        value_of()
        begun = warmup.time.monotonic()
        warmup.WarmupProgress().let_visitors_first(forever=True)
        return warmup.time.monotonic() - begun

    assert waited() < 0.2  # this thread runs no page
    monkeypatch.setattr(sharing, "get_script_run_ctx", lambda **_: object())
    assert 0.3 < waited() < 3


def test_the_terminal_hears_how_long_the_longest_lane_takes(calls, capsys):
    state = warmup.STATE
    state.seconds = {"letters": 20.0, "tagging": 5.0, "pose": 8.0}
    state.lanes = [["letters", "tagging"], ["pose", "new"]]
    warmup._open_terminal()
    state.tell_how_long()
    assert capsys.readouterr().err == "spcviz: compiling for this machine, about 25 s; pages work meanwhile\n"


def test_a_page_with_kernels_wakes_the_background_and_waits_for_nothing(calls):
    state = warmup.STATE
    warmup.note_opening([])
    assert not state.opened.is_set()
    warmup.note_opening(["letters"])
    assert state.opened.is_set()
    assert not state.known.is_set()


def test_cached_calls_name_the_group_of_their_problem():
    assert warmup._groups_of("spcviz.problems.letters.page.cached") == ("letters",)
    assert warmup._groups_of("spcviz.problems.budgets.page.cached") == ()
