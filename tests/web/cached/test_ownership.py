"""Visitors' values: dropped when their visit ends, kept while a connection is lost for a moment."""

import gc
import time
import weakref
from types import SimpleNamespace

import pytest
from streamlit import config, runtime

from spcviz.web.cached import ownership
from spcviz.web.transport import leaving
from tests.waiting import wait_until


class Server:
    """Streamlit's runtime, as far as it is used: visits and their connections."""

    def __init__(self):
        self.connections = {}
        self.uploaded_file_mgr = self.media_file_mgr = self
        self.files = set()

    def get_client(self, name):
        if name not in self.connections:
            return None
        headers = [("host", "a"), (leaving.NUMBER.decode(), self.connections[name])]
        return SimpleNamespace(client_context=SimpleNamespace(headers=headers))

    def remove_session_files(self, name):
        self.files.discard(name)

    def clear_session_refs(self, name):
        pass

    def remove_orphaned_files(self):
        pass


class State(dict):
    """Streamlit's state of a visit's widgets."""

    @property
    def filtered_state(self):
        return dict(self)


@pytest.fixture
def server(monkeypatch):
    made = Server()
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: made)
    monkeypatch.setattr(ownership, "_VISITS", {})
    monkeypatch.setattr(ownership, "_watch", lambda: None)  # the test itself calls the clean-up
    monkeypatch.setattr(ownership, "CLOCK", ownership.Clock())
    return made


@pytest.fixture
def come(server, monkeypatch):
    """A function by which a visit comes, or acts, on a connection, as a page's run does."""

    def act(name, connection):
        server.connections[name] = connection
        context = SimpleNamespace(session_id=name, session_state=State())
        monkeypatch.setattr(ownership, "get_script_run_ctx", lambda **_: context)
        return ownership.visit()

    return act


@pytest.fixture
def things(server):
    return ownership.Belongings()


def look(server, seconds=0.0):
    """Clean up as the clock's thread does, some seconds later."""
    ownership.CLOCK.turn(seconds)
    ownership.clean()


def test_a_page_that_is_closed_ends_its_visit_at_the_next_look_and_no_other(server, come, things):
    for name in ("a", "b"):
        things.put(come(name, f"{name}1"), "file", name)
        server.files.add(name)
    ownership.leave("a1")
    del server.connections["a"]
    look(server)
    assert things.owners() == ["b"]
    assert server.files == {"b"}
    assert things.get("b", "file") == "b"


def test_a_page_that_is_closed_is_over_even_before_streamlit_knows_it(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    ownership.leave("a1")
    look(server)
    assert things.owners() == []


def test_who_lost_the_connection_finds_everything_for_as_long_as_he_can_come_back(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    del server.connections["a"]
    look(server)
    for _ in range(11):
        look(server, 10)
    assert things.get("a", "file") == 1
    server.connections["a"] = "a2"
    look(server)
    del server.connections["a"]  # lost once more: the time starts again
    look(server, 1)
    look(server, 119)
    assert things.get("a", "file") == 1
    look(server, 2)
    assert things.owners() == []


@pytest.mark.parametrize(("kept", "away"), [(30, 30), (120, 120), (3600, 120)])
def test_it_is_kept_no_longer_than_streamlit_keeps_the_visit(server, come, things, monkeypatch, kept, away):
    real = config.get_option
    monkeypatch.setattr(
        config, "get_option", lambda name: kept if name == "server.disconnectedSessionTTL" else real(name)
    )
    things.put(come("a", "a1"), "file", 1)
    del server.connections["a"]
    look(server)
    look(server, away - 1)
    assert things.owners() == ["a"]
    look(server, 2)
    assert things.owners() == []


def test_a_number_that_is_of_no_visit_ends_none(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    for wrong in ("", "a2", leaving.UNKNOWN, "A1"):
        ownership.leave(wrong)
    look(server)
    assert things.owners() == ["a"]


def test_what_was_still_under_way_when_the_page_was_closed_goes_too(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    ownership.leave("a1")
    look(server)
    context = ownership.visit()  # the run that had begun continues
    del server.connections["a"]
    things.put(context, "late", 2)
    look(server, 1)
    assert things.owners() == []


def test_a_page_that_came_back_by_the_back_button_keeps_what_it_brings_then(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    ownership.leave("a1")
    look(server)
    things.put(come("a", "a2"), "file", 2)
    look(server, 1)
    assert things.get("a", "file") == 2
    del server.connections["a"]
    look(server, 1)
    assert things.owners() == ["a"], "this time only the connection was lost"


def test_visits_that_have_ended_are_not_known_for_ever(server, come, things):
    for at in range(50):
        come(f"v{at}", f"c{at}")
        ownership.leave(f"c{at}")
        del server.connections[f"v{at}"]
        look(server, 1)
    assert len(ownership._VISITS) == 50
    look(server, 121)
    assert ownership._VISITS == {}


def test_an_open_page_that_nobody_uses_loses_what_it_holds_after_half_an_hour(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    look(server, ownership.SECONDS - 1)
    assert things.owners() == ["a"]
    look(server, 2)
    assert things.owners() == []


def test_a_holder_that_fails_keeps_no_other_from_letting_go(server, come, things, monkeypatch):
    monkeypatch.setattr(ownership, "_HOLDERS", [lambda is_over: 1 / 0, things.drop])
    things.put(come("a", "a1"), "file", 1)
    ownership.leave("a1")
    look(server)
    assert things.owners() == []


def test_a_thousand_visits_are_looked_through_in_no_time(server, come, things):
    for at in range(1000):
        things.put(come(f"v{at}", f"c{at}"), "file", at)
    began = time.process_time()
    ownership.leave("c500")
    ownership.clean()
    assert time.process_time() - began < 0.5
    assert len(things.owners()) == 999


def test_what_was_made_for_no_visit_goes_after_a_minute(server, come, things):
    """Requests of a drag and of cards come without the visit that they belong to."""
    things.put("", "ink", 1)
    things.put(come("a", "a1"), "file", 2)
    ownership.CLOCK.turn(ownership.NAMELESS - 1)
    ownership.clean()
    assert things.owners() == ["", "a"]
    ownership.CLOCK.turn(2)
    ownership.clean()
    assert things.owners() == ["a"]


class Run:
    """A run that has ended: its frame is in a reference cycle with an error, and a file is in it."""


def left_behind():
    run = Run()
    run.frame = run
    return weakref.ref(run)


def test_what_a_warm_up_has_set_aside_goes_after_its_visit_too(server, come, things):
    """A warm-up ends during a visit, so objects that the collector then skips may be a visitor's."""
    come("ana", "1")
    left = left_behind()
    gc.freeze()  # as `memory.settle` does, at a moment between two collections
    gc.collect()
    assert left() is not None
    ownership.end("ana")
    ownership.CLOCK.turn(ownership.SWEEP_EVERY)
    ownership.sweep(ownership.CLOCK.now() - 2 * ownership.SWEEP_EVERY)
    wait_until(lambda: left() is None)


def test_what_lies_in_circles_goes_after_its_visit(server, come, things):
    gc.collect()
    gc.disable()
    try:
        come("ana", "1")
        ownership._HAS_ENDED.clear()
        before, left = ownership.CLOCK.now(), left_behind()
        ownership.CLOCK.turn(ownership.SWEEP_EVERY)
        assert ownership.sweep(before) == before  # nobody has left: no sweep
        assert left() is not None
        ownership.end("ana")
        assert ownership.sweep(ownership.CLOCK.now()) <= ownership.CLOCK.now()  # the last sweep was just now
        assert left() is not None
        assert ownership.sweep(before) >= before + ownership.SWEEP_EVERY
        wait_until(lambda: left() is None)  # not while another thread collects
    finally:
        gc.enable()
