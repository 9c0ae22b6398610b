"""A hall of rooms and its clock; a server of a class's routes, its lecturer and a phone."""

import socket
import threading
import time

import pytest
import uvicorn
from starlette.applications import Starlette

from spcviz.web.classroom import routes
from spcviz.web.classroom.rooms import Rooms
from spcviz.web.serving import first_html
from spcviz.web.transport import clients
from tests.web.classroom.client import Client
from tests.web.classroom.hall import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hall(clock):
    return Rooms(clock)


@pytest.fixture(scope="module")
def port():
    """Port of a server with these routes, in a thread."""
    app = Starlette(routes=[*first_html.routes(), *routes.routes()])
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def lecturer(port, monkeypatch):
    monkeypatch.setattr(routes, "ROOMS", Rooms())
    monkeypatch.setattr(routes, "LIMITS", routes.Limits())
    monkeypatch.setattr(clients, "HANDING", clients.Handing())
    return Client(port)


@pytest.fixture
def phone(port):
    return Client(port)
