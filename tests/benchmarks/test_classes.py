"""A small class alongside hostile clients: no phone is refused, whatever the client does."""

import asyncio
import socket
import threading
import time

import pytest
import uvicorn
from starlette.applications import Starlette

from benchmarks.app import classes, hostile_client, words
from spcviz.web.classroom import routes
from spcviz.web.classroom.rooms import Rooms


@pytest.fixture(scope="module")
def port():
    """Port of a server with a class's routes, in a thread."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes.routes()), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(10)


@pytest.mark.parametrize("kind", ["nobody", *classes.KINDS])
def test_no_phone_is_refused_beside(kind, port, monkeypatch):
    monkeypatch.setattr(routes, "ROOMS", Rooms())
    monkeypatch.setattr(routes, "LIMITS", routes.Limits())
    monkeypatch.setattr(classes, "PHONE_LOOKS", 0.5)
    row = asyncio.run(classes.beside(port, kind, 0.15, hostile_client.percentile))
    assert row["refused"] == 0, row
    assert row["requests"] > 2 * row["phones"]
    assert row["answers"] >= row["phones"] / 2
    assert (row["asked"] > 0) == (kind not in ("nobody", "bodies"))
    assert "0 of" in words.of_class(row)


def test_what_is_refused_or_late_keeps_no_goal():
    row = {"refused": 0, "lecturer_p95_ms": 900.0}
    assert classes.holds(row)
    assert not classes.holds(row | {"refused": 1})
    assert not classes.holds(row | {"lecturer_p95_ms": 1001.0})
