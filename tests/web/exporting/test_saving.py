"""What the Save menu asks of the server: only what can be saved, one process at a time, for our own pages."""

import asyncio
import json
import os
import sys
import time
from types import SimpleNamespace

import pytest

from spcviz.web.exporting import saving
from spcviz.web.exporting.line import DROPPED, MOST_OF_ADDRESS, CrowdedError, Line
from spcviz.web.serving import clients, tokens
from spcviz.web.serving.kept import Kept


class Browser:
    """Requests as a server hands them over; `leave` ends the connection of the last one."""

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
    monkeypatch.setattr(saving, "LINE", Line())
    monkeypatch.setattr(saving, "KEPT", Kept(1000, 60.0))


@pytest.fixture
def client():
    """client(kind, scene, **headers) -> the route's response."""
    (route,) = saving.routes()
    assert route.path.endswith("/save/{kind}")
    return lambda kind, scene, **headers: asyncio.run(Browser().ask(kind, scene, **headers))


@pytest.fixture
def asked(monkeypatch):
    """The commands that would run; each writes its file."""
    commands = []

    async def run(command):
        commands.append(command)
        await asyncio.sleep(0.05)
        with open(command[-1], "w") as file:
            file.write("<!doctype html>")
        return 0, b""

    monkeypatch.setattr(saving, "_run", run)
    return commands


def test_a_page_comes_as_the_command_writes_it(client, asked):
    answer = client("page", "letters?order=6")
    assert (answer.status_code, answer.body) == (200, b"<!doctype html>")
    assert answer.headers["content-disposition"] == "attachment"
    assert asked[0][-3:-1] == ["--", "http://localhost:8501/letters?order=6"]
    assert asked[0][-1].endswith(".html")
    assert client("python", "letters").status_code == 200
    assert asked[1][-1].endswith(".py")


def test_no_address_becomes_an_option_of_the_command(client, asked):
    client("page", "--help", x_forwarded_host="no host")
    assert asked[0][-3:-1] == ["--", "/--help"]


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
    (command,) = asked
    at = command.index("export")
    assert command[at + 1 : -1] == [
        "--width",
        "1920",
        "--dark",
        "--",
        "http://localhost:8501/letters?order=6",
    ]
    assert command[-1].endswith(".gif")
    client("gif", "letters?order=6")
    client("gif", "letters?order=6", options=wide, x_forwarded_proto="https")  # an address stands in it
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
def test_a_scene_is_an_argument_whatever_it_says(client, asked, scene):
    client("webp", scene)
    (command,) = asked
    assert command[command.index("--") + 1].removeprefix("http://localhost:8501/") == scene.lstrip("/")
    assert command.count("--") == 1


def test_a_flood_of_loops_makes_one_at_a_time_and_keeps_little(client, asked):
    for k in range(200):
        assert client("webp", f"letters?word={k}").status_code == 200
    assert saving.KEPT.size <= 1000
    assert client("webp", "letters?word=199").status_code == 200
    assert len(asked) == 200


@pytest.fixture
def slow(monkeypatch):
    """Commands take two seconds in a process of their own; the processes that were started."""
    started = []

    def sleeping(command):
        return [sys.executable, "-c", f"import time; time.sleep(2); open({command[-1]!r}, 'w')"]

    real, opened = saving._run, saving.anyio.open_process

    async def open_process(command, **options):
        started.append(await opened(command, **options))
        return started[-1]

    monkeypatch.setattr(saving.anyio, "open_process", open_process)
    monkeypatch.setattr(saving, "_run", lambda command: real(sleeping(command)))
    return started


def test_who_leaves_ends_the_process(slow):
    async def run():
        browser = Browser()
        asking = asyncio.create_task(browser.ask())
        while not slow:
            await asyncio.sleep(0.01)
        assert os.getpriority(os.PRIO_PROCESS, slow[0].pid) >= saving.NICE or slow[0].returncode
        browser.leave()
        began = time.monotonic()
        await asking
        assert time.monotonic() - began < 1
        assert slow[0].returncode is not None
        assert (await Browser().ask()).status_code == 200

    asyncio.run(run())


def test_five_abandoned_requests_hold_nobody_up(slow):
    async def run():
        browsers = [Browser(token=tokens.handed_out(False)) for _ in range(5)]
        asking = [asyncio.create_task(one.ask()) for one in browsers]
        await asyncio.sleep(0.2)
        for one in browsers:
            one.leave()
        began = time.monotonic()
        await asyncio.gather(*asking)
        assert time.monotonic() - began < 1
        assert len(slow) <= 5
        assert (await Browser(token=tokens.handed_out(False)).ask()).status_code == 200

    asyncio.run(run())


def test_a_visitor_saves_one_page_at_a_time_and_others_learn_their_place(slow, monkeypatch):
    monkeypatch.setattr(saving, "PATIENCE", 0.2)

    async def run():
        first, other = (Browser(token=tokens.handed_out(False)) for _ in range(2))
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
    line = Line()
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
    line = Line(lambda: seconds[0])
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


def test_what_takes_too_long_is_ended(client, slow, monkeypatch):
    monkeypatch.setattr(saving, "SECONDS", 0.001)
    answer = client("page", "letters")
    assert answer.status_code == 503
    assert saving.LINE._places == {}
    assert answer.body.decode() == "This page takes too long to be saved."


def test_the_command_s_sentence_reaches_the_visitor(client):
    answer = client("page", "nowhere")
    assert answer.status_code == 422
    assert answer.body.decode().startswith("address must begin with one of course, ")
