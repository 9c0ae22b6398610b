"""The Save menu's requests: only what can be saved, one process at a time, for our own pages."""

import asyncio
import json
import threading
import time
from types import SimpleNamespace

import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.shared.confined.limits import LateError
from spcviz.web.exporting import making, saving
from spcviz.web.exporting.saving import DROPPED, MOST_OF_ADDRESS, CrowdedError, SavingLine
from spcviz.web.transport import clients
from spcviz.web.transport.visitor_cache import VisitorCache


class Browser:
    """Requests as a server passes them on; `leave` ends the connection of the last one."""

    def __init__(self, address="192.0.2.1", token=""):
        self.address, self.token = address, token
        self.left = None

    async def ask(self, kind="page", scene="letters", ticket="", options=(), **headers):
        (route,) = saving.routes()
        self.left = left = asyncio.Event()

        async def receive():
            await left.wait()
            return {"type": "http.disconnect"}

        request = SimpleNamespace(
            path_params={"kind": kind},
            query_params={"scene": scene, "ticket": ticket} | dict(options),
            headers={"host": "localhost:8501"} | {n.replace("_", "-"): v for n, v in headers.items()},
            url=SimpleNamespace(scheme="http"),
            client=SimpleNamespace(host=self.address),
            cookies={clients.COOKIE: self.token} if self.token else {},
            receive=receive,
        )
        return await route.endpoint(request)

    def leave(self):
        self.left.set()


@pytest.fixture(autouse=True)
def line(monkeypatch):
    monkeypatch.setattr(saving, "LINE", SavingLine())
    monkeypatch.setattr(saving, "KEPT", VisitorCache(1000, 60.0))


@pytest.fixture
def client():
    """client(kind, scene, **headers) -> the route's response."""
    (route,) = saving.routes()
    assert route.path.endswith("/save/{kind}")
    return lambda kind, scene, **headers: asyncio.run(Browser().ask(kind, scene, **headers))


@pytest.fixture
def asked(monkeypatch):
    """Files that would be made: (kind, address, width, is dark)."""
    wishes = []

    def make(*wish):
        *wish, _glance = wish
        wishes.append(tuple(wish))
        time.sleep(0.05)
        return b"<!doctype html>"

    monkeypatch.setattr(saving, "make", make)
    return wishes


def test_a_page_comes_as_it_is_made(client, asked):
    answer = client("page", "letters?order=6")
    assert (answer.status_code, answer.body) == (200, b"<!doctype html>")
    assert answer.headers["content-disposition"] == "attachment"
    assert client("python", "letters").status_code == 200
    app = "http://localhost:8501"
    assert asked == [("page", f"{app}/letters?order=6", 960, False), ("python", f"{app}/letters", 960, False)]


def test_an_address_is_handed_on_whatever_its_host_says(client, asked):
    client("page", "--help", x_forwarded_host="no host")
    assert asked == [("page", "/--help", 960, False)]


@pytest.mark.parametrize(
    ("kind", "scene", "headers", "status"),
    [
        ("models", "letters", {}, 404),
        ("page", "letters", {"sec_fetch_site": "cross-site"}, 403),
        ("page", "x" * 9000, {}, 413),
    ],
)
def test_what_is_not_answered(client, asked, kind, scene, headers, status):
    assert client(kind, scene, **headers).status_code == status
    assert asked == []


def test_a_loop_is_made_once_for_all_who_ask_for_the_same(client, asked):
    wide = {"width": "1920", "dark": "1"}
    for _ in range(3):
        assert client("gif", "letters?order=6", options=wide).body == b"<!doctype html>"
    assert asked == [("gif", "http://localhost:8501/letters?order=6", 1920, True)]
    client("gif", "letters?order=6")
    client("gif", "letters?order=6", options=wide, x_forwarded_proto="https")  # a loop contains the address
    client("page", "letters?order=6")
    client("page", "letters?order=6")
    assert len(asked) == 5


@pytest.mark.parametrize(
    "options",
    [
        {"width": "961"},
        {"width": "--help"},
        {"width": ""},
        {"width": "9" * 5000},
        {"dark": "yes"},
        {"dark": "--dark"},
    ],
)
@pytest.mark.parametrize("kind", ["webp", "gif", "mp4", "svg"])
def test_a_loop_of_no_known_form_is_refused_in_words(client, asked, kind, options):
    answer = client(kind, "letters", options=options)
    assert answer.status_code == 422
    assert answer.body == b"A loop is 960 or 1920 pixels wide, and dark is 0 or 1."
    assert asked == []


@pytest.mark.parametrize("kind", ["webp", "page"])
@pytest.mark.parametrize("scene", ["letters\0", "a b\r\nX: y", "\x1b[2J"])
def test_a_scene_with_signs_that_no_address_has_is_refused(client, asked, kind, scene):
    assert client(kind, scene).status_code == 422
    assert asked == []


@pytest.mark.parametrize("scene", ["", "nowhere", "letters?ink=" + "A" * 7000, "../../etc/passwd", "--help"])
def test_a_scene_is_handed_on_as_it_is(client, asked, scene):
    client("webp", scene)
    ((_, address, *_),) = asked
    assert address.removeprefix("http://localhost:8501/") == scene.lstrip("/")


def test_a_flood_of_loops_makes_one_at_a_time_and_keeps_little(client, asked):
    for k in range(200):
        assert client("webp", f"letters?word={k}").status_code == 200
    assert saving.KEPT.size <= 1000
    assert client("webp", "letters?word=199").status_code == 200
    assert len(asked) == 200


class Work:
    """Work that runs until its time is over, or until nobody waits for it any more."""

    def __init__(self):
        self.is_ended = False


class Begun(list):
    """Works that have begun, and the duration of one that nobody abandons."""

    seconds = 60.0


@pytest.fixture
def slow(monkeypatch):
    """Works that have begun."""
    begun = Begun()

    def make(kind, address, width, is_dark, glance):
        begun.append(work := Work())
        end = time.monotonic() + begun.seconds
        try:
            while time.monotonic() < end:
                glance()
                time.sleep(0.02)
        finally:
            work.is_ended = True
        return b""

    monkeypatch.setattr(saving, "make", make)
    return begun


def test_who_leaves_ends_the_work(slow):
    async def run():
        browser = Browser()
        asking = asyncio.create_task(browser.ask())
        while not slow:
            await asyncio.sleep(0.01)
        browser.leave()
        began = time.monotonic()
        await asking
        while not slow[0].is_ended:
            await asyncio.sleep(0.01)
        assert time.monotonic() - began < slow.seconds / 2
        slow.seconds = 0.0
        assert (await Browser().ask()).status_code == 200

    asyncio.run(run())


def test_five_abandoned_requests_hold_nobody_up(slow):
    async def run():
        browsers = [Browser(token=clients.handed_out(False)) for _ in range(5)]
        asking = [asyncio.create_task(one.ask()) for one in browsers]
        await asyncio.sleep(0.2)
        for one in browsers:
            one.leave()
        began = time.monotonic()
        await asyncio.gather(*asking)
        assert time.monotonic() - began < slow.seconds / 2
        assert len(slow) <= 5
        slow.seconds = 0.0
        assert (await Browser(token=clients.handed_out(False)).ask()).status_code == 200

    asyncio.run(run())


def test_a_visitor_saves_one_page_at_a_time_and_others_learn_their_place(slow, monkeypatch):
    monkeypatch.setattr(saving, "PATIENCE", 0.2)
    slow.seconds = 2.0

    async def run():
        first, other = (Browser(token=clients.handed_out(False)) for _ in range(2))
        asking = asyncio.create_task(first.ask())
        await asyncio.sleep(0.1)
        again = await Browser(token=first.token).ask()
        assert (again.status_code, b"one at a time" in again.body) == (429, True)
        told = await other.ask()
        assert (told.status_code, json.loads(told.body)["before"]) == (202, 1)
        while told.status_code == 202:
            told = await other.ask(ticket=json.loads(told.body)["ticket"])
        assert told.status_code == (await asking).status_code == 200
        assert saving.LINE._places == {}

    asyncio.run(run())


def test_a_hall_waits_in_line_and_an_address_that_floods_waits_behind_it(monkeypatch):
    line = SavingLine()
    flood = [line.join("", f"flood {at}", "192.0.2.9") for at in range(MOST_OF_ADDRESS)]
    with pytest.raises(CrowdedError, match="Many others"):
        line.join("", "flood", "192.0.2.9")
    hall = line.join("", "student", "192.0.2.1")
    assert flood[0].turn.is_set()
    line.leave(flood[0])
    assert hall.turn.is_set(), "an address that has not been served comes first"
    with pytest.raises(CrowdedError, match="one at a time"):
        line.join("", "student", "192.0.2.1")


def test_a_ticket_that_nobody_asks_with_is_dropped():
    seconds = [0.0]
    line = SavingLine(1, lambda: seconds[0])
    first = line.join("", "one", "a")
    second = line.join("", "two", "a")
    assert line.rest(second) == 1
    assert line.join(second.ticket, "two", "a") is second
    line.rest(second)
    seconds[0] = DROPPED + 1
    third = line.join("", "three", "a")
    assert second.ticket not in line._places
    line.leave(first)
    assert third.turn.is_set()


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (LateError("This page takes too long to be saved."), 503, "This page takes too long to be saved."),
        (
            ArgumentError("tours has no picture that can be saved"),
            422,
            "tours has no picture that can be saved",
        ),
        (ArgumentError("x" * 5000), 422, "x" * 500),
        (OSError("/home/anna/secret"), 503, "This page could not be saved."),
    ],
)
def test_what_cannot_be_made_is_said(client, monkeypatch, caplog, error, status, sentence):
    def make(*_):
        raise error

    monkeypatch.setattr(saving, "make", make)
    answer = client("page", "letters")
    assert (answer.status_code, answer.body.decode()) == (status, sentence)
    assert saving.LINE._places == {}
    assert "secret" not in caplog.text


def test_a_sentence_of_the_page_reaches_the_visitor(client):
    answer = client("page", "nowhere")
    assert answer.status_code == 422
    assert answer.body.decode().startswith("address must begin with one of course, ")


def test_a_line_serves_as_many_at_once_as_it_may():
    line = SavingLine(2)
    first, second, third, fourth = (line.join("", name, name) for name in "abcd")
    assert [one.turn.is_set() for one in (first, second, third, fourth)] == [True, True, False, False]
    assert [line.rest(third), line.rest(fourth)] == [2, 3]
    line.join(fourth.ticket, "d", "d")
    line.leave(first)
    assert not third.turn.is_set(), "it has been told to ask again, and has not yet"
    assert fourth.turn.is_set()


def woken(monkeypatch, wake):
    """A function that announces interest in loops: (status, work to do after the answer)."""
    monkeypatch.setattr(making, "wake", wake)

    def ask(scene="letters", **headers):
        answer = asyncio.run(Browser().ask(saving.WAKE, scene, **headers))
        return answer.status_code, answer.background and (lambda: asyncio.run(answer.background()))

    return ask


def test_who_looks_at_loops_wakes_what_makes_them_and_waits_for_nothing(monkeypatch, asked):
    addresses = []
    look = woken(monkeypatch, addresses.append)
    status, after = look("letters?order=6")
    assert (status, addresses) == (204, [])
    after()
    assert addresses == ["http://localhost:8501/letters?order=6"]
    assert asked == []
    assert not saving.LINE._places


@pytest.mark.parametrize(
    ("scene", "headers", "status"),
    [
        ("letters", {"sec_fetch_site": "cross-site"}, 403),
        ("x" * 9000, {}, 413),
        ("letters\n", {}, 422),
    ],
)
def test_what_wakes_nothing(monkeypatch, scene, headers, status):
    assert woken(monkeypatch, pytest.fail)(scene, **headers) == (status, None)


@pytest.mark.parametrize("error", [ArgumentError("no page"), OSError("no process")])
def test_what_cannot_be_woken_is_no_fault_and_the_next_is_tried(monkeypatch, error):
    tried = []

    def wake(address):
        tried.append(address)
        raise error

    look = woken(monkeypatch, wake)
    for _ in range(2):
        look("nowhere")[1]()
    assert len(tried) == 2


def test_a_flood_of_looks_wakes_once_at_a_time(monkeypatch):
    ends, begun = threading.Event(), []

    def wake(address):
        begun.append(address)
        ends.wait(10)

    look = woken(monkeypatch, wake)
    waking = [threading.Thread(target=look()[1]) for _ in range(30)]
    for one in waking:
        one.start()
    time.sleep(0.3)
    assert len(begun) == 1
    ends.set()
    for one in waking:
        one.join()
    assert len(begun) == 1
