"""Server settings for the network: limits of connections, and security headers of every answer."""

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from benchmarks.app.visitor import Visitor
from spcviz.web.ui import outside
from tests.conftest import ROOT, running_app

resource = pytest.importorskip("resource", reason="this system has no limit of descriptors")
FEW = 96
"""Descriptors: enough for some 20 sessions that have left."""


def sent_by(app, kind="http"):
    """Messages that an ASGI app sends."""
    messages = []

    async def send(message):
        messages.append(message)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, outside.Headers(app)({"type": kind}, None, send)).result()
    return messages


def test_every_answer_has_headers_but_keeps_its_own():
    async def app(_scope, _receive, send):
        headers = [(b"Referrer-Policy", b"no-referrer"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    start, body = sent_by(app)
    headers = dict(start["headers"])
    assert headers.pop(b"content-security-policy").startswith(b"default-src 'self'; ")
    assert headers == {
        b"Referrer-Policy": b"no-referrer",
        b"content-type": b"text/plain",
        b"x-content-type-options": b"nosniff",
    }
    assert body == {"type": "http.response.body", "body": b""}
    assert sent_by(app, "websocket")[0]["headers"][0] == (b"Referrer-Policy", b"no-referrer")
    assert len(sent_by(app, "websocket")[0]["headers"]) == 2


def test_vary_is_said_once():
    async def app(_scope, _receive, send):
        headers = [(b"Vary", b"Accept-Encoding"), (b"vary", b"Accept-Encoding, Origin")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    (start,) = sent_by(app)
    assert [value for name, value in start["headers"] if name == b"vary"] == [b"Accept-Encoding, Origin"]


@pytest.mark.parametrize("host", ["a.edu:8501", "[::1]:8501", "x; script-src *", "", "\xff"])
def test_the_policy_names_the_sockets_of_this_host_and_nothing_that_is_none(host, monkeypatch):
    policy = outside.policy_of({"headers": [(b"host", host.encode("latin-1"))]})
    assert (f"ws://{host} " in policy) == (host in ("a.edu:8501", "[::1]:8501"))
    assert policy.count("script-src") == 1
    assert policy.endswith("frame-ancestors 'self' http: https: file:")
    monkeypatch.setenv(outside.FRAMES, "'self' https://slides.example.edu; script-src *")
    policy = outside.policy_of({"headers": []})
    assert policy.endswith("frame-ancestors 'self' https://slides.example.edu")


class Hall:
    """A server with a given number of seats, behind `outside.Seats`, and its answers to visitors."""

    def __init__(self, fit):
        self.end = asyncio.Event()
        self.seats = outside.Seats(self.app, lambda: fit)

    async def app(self, scope, _receive, send):
        if scope["type"] == "websocket":
            await self.end.wait()
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"page"})

    async def page(self, path="/letters", **headers):
        """(status, text) of a request."""
        sent = []

        async def send(message):
            sent.append(message)

        named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        await self.seats({"type": "http", "method": "GET", "path": path, "headers": named}, None, send)
        return sent[0]["status"], sent[1]["body"].decode()

    def stay(self):
        return asyncio.create_task(self.seats({"type": "websocket", "path": "/", "headers": []}, None, None))


def test_who_comes_to_a_full_server_is_told_so_and_who_is_there_stays():
    async def run():
        hall, there = Hall(3), []
        for _ in range(3):
            assert (await hall.page())[0] == 200
            there.append(hall.stay())
            await asyncio.sleep(0)
        status, text = await hall.page()
        assert (status, "has room for 3 visitors at once" in text) == (503, True)
        assert (await hall.page("/static/js/index.js", accept="*/*"))[0] == 200
        assert (await hall.page("/room/1234567", sec_fetch_dest="empty", accept="*/*"))[0] == 200
        hall.end.set()
        await asyncio.gather(*there)
        assert (await hall.page())[0] == 200

    asyncio.run(run())


def test_who_got_the_page_has_a_seat_for_a_moment(monkeypatch):
    async def run():
        hall = Hall(2)
        assert [(await hall.page())[0] for _ in range(3)] == [200, 200, 503]
        monkeypatch.setattr(outside, "COMING", -1.0)
        assert (await hall.page())[0] == 200

    asyncio.run(run())


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
import streamlit as st
from spcviz.web.ui import outside
print(outside.make_room(), resource.getrlimit(resource.RLIMIT_NOFILE)[0],
      st.get_option("server.disconnectedSessionTTL"))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "now", "kept"), [(256, 2048, 2048, 120), (256, 256, 256, 1), (100, 600, 600, 5)]
)
def test_the_limit_is_raised_or_said(soft, hard, now, kept):
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(soft), str(hard)],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.split() == [str(now), str(now), str(kept)]
    is_said = f"This process may open only {now} files and sockets" in ran.stderr
    assert is_said == (now < outside.ENOUGH)


def test_a_system_that_grants_less_than_it_promises(monkeypatch, caplog):
    given = []

    def setrlimit(_which, limits):
        if limits[0] > 10_240:
            raise ValueError("current limit exceeds maximum limit")
        given.append(limits)

    endless = resource.RLIM_INFINITY
    fake = SimpleNamespace(
        RLIMIT_NOFILE=7, RLIM_INFINITY=endless, setrlimit=setrlimit, getrlimit=lambda _which: (256, endless)
    )
    monkeypatch.setattr(outside, "resource", fake)
    assert outside.make_room() == 10_240
    assert given == [(10_240, endless)]
    fake.getrlimit = lambda _which: (endless, endless)
    assert outside.make_room() == endless
    assert len(given) == 1
    monkeypatch.setattr(outside, "resource", None)
    assert outside.make_room() is None
    assert not caplog.records


@pytest.mark.browser
def test_visits_one_after_the_other_use_no_descriptors_up(tmp_path):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < outside.ENOUGH:
        pytest.skip(f"the hard limit of descriptors is {hard} here")

    async def visits(port):
        for _ in range(40):
            visitor = Visitor(port, "")
            await visitor.open()  # raises `Lost`
            await visitor.close()

    limit = f"ulimit -Sn {FEW};"
    with running_app(tmp_path / "log.txt", before=limit) as address, ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, visits(int(address.rpartition(":")[2]))).result()
    assert "Too many open files" not in (tmp_path / "log.txt").read_text()
