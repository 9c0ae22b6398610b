"""What visitors brought goes when their visit ends, and stays while a connection fails for a moment."""

import gc
import time
import weakref
from types import SimpleNamespace

import pytest
from streamlit import config, runtime

from spcviz.web.cached import owned
from spcviz.web.serving import leaving


class Server:
    """Streamlit's runtime, as far as it is asked: visits and their connections."""

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
    """What Streamlit keeps of a visit's widgets."""

    @property
    def filtered_state(self):
        return dict(self)


@pytest.fixture
def server(monkeypatch):
    made = Server()
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: made)
    monkeypatch.setattr(owned, "_VISITS", {})
    monkeypatch.setattr(owned, "_watch", lambda: None)  # the looks are the test's own
    monkeypatch.setattr(owned, "CLOCK", owned.Clock())
    return made


@pytest.fixture
def come(server, monkeypatch):
    """A visit comes, or acts, on a connection, as a run of a page does."""

    def act(name, connection):
        server.connections[name] = connection
        context = SimpleNamespace(session_id=name, session_state=State())
        monkeypatch.setattr(owned, "get_script_run_ctx", lambda **_: context)
        return owned.visit()

    return act


@pytest.fixture
def things(server):
    return owned.Belongings()


def look(server, seconds=0.0):
    """The clock's thread looks, so many seconds later."""
    owned.CLOCK.turn(seconds)
    owned.clean()


def test_a_page_that_is_closed_ends_its_visit_at_the_next_look_and_no_other(server, come, things):
    for name in ("a", "b"):
        things.put(come(name, f"{name}1"), "file", name)
        server.files.add(name)
    owned.leave("a1")
    del server.connections["a"]
    look(server)
    assert things.owners() == ["b"]
    assert server.files == {"b"}
    assert things.get("b", "file") == "b"


def test_a_page_that_is_closed_is_over_even_before_streamlit_knows_it(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    owned.leave("a1")
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
    del server.connections["a"]  # lost once more: the time begins anew
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
        owned.leave(wrong)
    look(server)
    assert things.owners() == ["a"]


def test_what_was_still_under_way_when_the_page_was_closed_goes_too(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    owned.leave("a1")
    look(server)
    context = owned.visit()  # the run that had begun goes on
    del server.connections["a"]
    things.put(context, "late", 2)
    look(server, 1)
    assert things.owners() == []


def test_a_page_that_came_back_by_the_back_button_keeps_what_it_brings_then(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    owned.leave("a1")
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
        owned.leave(f"c{at}")
        del server.connections[f"v{at}"]
        look(server, 1)
    assert len(owned._VISITS) == 50
    look(server, 121)
    assert owned._VISITS == {}


def test_an_open_page_that_nobody_uses_loses_what_it_holds_after_half_an_hour(server, come, things):
    things.put(come("a", "a1"), "file", 1)
    look(server, owned.SECONDS - 1)
    assert things.owners() == ["a"]
    look(server, 2)
    assert things.owners() == []


def test_a_holder_that_fails_keeps_no_other_from_letting_go(server, come, things, monkeypatch):
    monkeypatch.setattr(owned, "_HOLDERS", [lambda is_over: 1 / 0, things.drop])
    things.put(come("a", "a1"), "file", 1)
    owned.leave("a1")
    look(server)
    assert things.owners() == []


def test_a_thousand_visits_are_looked_through_in_no_time(server, come, things):
    for at in range(1000):
        things.put(come(f"v{at}", f"c{at}"), "file", at)
    began = time.process_time()
    owned.leave("c500")
    owned.clean()
    assert time.process_time() - began < 0.5
    assert len(things.owners()) == 999


def test_what_was_made_for_no_visit_goes_after_a_minute(server, come, things):
    """A drag's questions and cards come without the visit that they belong to."""
    things.put("", "ink", 1)
    things.put(come("a", "a1"), "file", 2)
    owned.CLOCK.turn(owned.NAMELESS - 1)
    owned.clean()
    assert things.owners() == ["", "a"]
    owned.CLOCK.turn(2)
    owned.clean()
    assert things.owners() == ["a"]


def test_what_lies_in_circles_goes_after_its_visit(server, come, things):
    class Run:
        """A run that has ended: a frame that holds itself by an error, with a file in it."""

    def left_behind():
        run = Run()
        run.frame = run
        return weakref.ref(run)

    gc.collect()
    gc.disable()
    try:
        come("ana", "1")
        owned._HAS_ENDED.clear()
        before, left = owned.CLOCK.now(), left_behind()
        owned.CLOCK.turn(owned.SWEEP_EVERY)
        assert owned.sweep(before) == before  # nobody has left: nothing is looked for
        assert left() is not None
        owned.end("ana")
        assert owned.sweep(owned.CLOCK.now()) <= owned.CLOCK.now()  # it has just been looked for
        assert left() is not None
        assert owned.sweep(before) >= before + owned.SWEEP_EVERY
        assert left() is None
    finally:
        gc.enable()
