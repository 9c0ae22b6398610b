"""Room for connections, and headers of every answer."""

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
"""Descriptors: room for some 20 sessions that have left."""


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
    assert dict(start["headers"]) == {
        b"Referrer-Policy": b"no-referrer",
        b"content-type": b"text/plain",
        b"x-content-type-options": b"nosniff",
    }
    assert body == {"type": "http.response.body", "body": b""}
    assert sent_by(app, "websocket")[0]["headers"][0] == (b"Referrer-Policy", b"no-referrer")
    assert len(sent_by(app, "websocket")[0]["headers"]) == 2


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
