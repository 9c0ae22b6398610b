"""The class's requests as a server meets them: 200 phones at once, and what anyone may send."""

import contextlib
import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from urllib.parse import quote

import pytest
import segno
import uvicorn
from starlette.applications import Starlette

from spcviz.web.classroom import routes
from spcviz.web.classroom.rooms import Rooms
from spcviz.web.serving import first_html

ASKED = {"code": "why/1", "ask": "Noun or verb?", "choices": ["noun", "verb"]}
PHONES = 200


class Answer(NamedTuple):
    """What a server said."""

    status_code: int
    headers: http.client.HTTPMessage
    content: bytes

    def json(self):
        return json.loads(self.content)


class Client:
    """A browser with cookies of its own, as far as these tests need one; it follows no redirect."""

    def __init__(self, port):
        self._port, self.cookie = port, ""

    def ask(self, method, path, content=None, headers=None):
        cookies = {"cookie": self.cookie} if self.cookie else {}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, content, cookies | (headers or {}))
            said = connection.getresponse()
            answer = Answer(said.status, said.headers, said.read())
        if (cookie := answer.headers["set-cookie"]) is not None:
            self.cookie = cookie.partition(";")[0]
        return answer

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, content=b"", **more):
        return self.ask("POST", path, content, **more)


@pytest.fixture(scope="module")
def port():
    """Of a server with these routes, in a thread."""
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
    return Client(port)


@pytest.fixture
def phone(port):
    return Client(port)


def opened(client):
    return client.post("/room").json()["room"]


def put(client, number, asked=None):
    return client.post(f"/room/{number}/put", content=json.dumps(asked or ASKED))


def answer(client, number, value=1, n=1, voter="0123456789abcdef"):
    said = {"n": n, "voter": voter, "value": value}
    return client.post(f"/room/{number}/answer", content=json.dumps(said))


def test_a_lecturer_and_a_phone(lecturer, phone):
    number = opened(lecturer)
    assert 10_000 <= number <= 99_999
    assert put(lecturer, number).status_code == 200
    assert answer(phone, number).status_code == 200
    assert lecturer.get(f"/room/{number}/now").json()["counts"] == [0, 1]
    seen = phone.get(f"/room/{number}/now")
    assert seen.headers["cache-control"] == "no-store"
    assert "counts" not in seen.json()
    assert put(phone, number).status_code == 403
    page = phone.get(f"/room/{number}")
    assert b"phone.js" in page.content
    assert "default-src 'self'" in page.headers["content-security-policy"]
    for name, kind in routes.FILES.items():
        assert phone.get(f"/room/{name}").headers["content-type"].startswith(kind)
    assert phone.get("/room/routes.py").status_code == 404


def test_the_key_is_in_a_cookie_that_no_script_reads(lecturer):
    said = lecturer.post("/room")
    cookie = said.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert list(said.json()) == ["room"], "the key is in no answer"


def test_the_lecturer_s_link_leads_a_phone_to_the_room(lecturer, phone):
    number = opened(lecturer)
    address = f"/exact_inference?tour=cascade&at=2&room={number}"
    there = phone.get(address)
    assert there.status_code == 302
    assert there.headers["location"] == f"./room/{number}"
    assert lecturer.get(address).status_code == 200, "who opened the room stays on the page"
    for bad in ("1234", "123456", "//evil.example", "１２３４５", ""):
        assert phone.get(f"/letters?room={quote(bad)}").status_code == 200


@pytest.mark.parametrize(
    ("path", "content", "headers", "status"),
    [
        ("answer", b"{", {}, 400),
        ("answer", b"[]", {}, 400),
        ("answer", b"\xff", {}, 400),
        ("answer", b"{}", {}, 409),
        ("answer", b'{"n": NaN}', {}, 400),
        ("answer", b"[" * 250, {}, 400),
        ("answer", b"x" * 301, {}, 413),
        ("put", b"x" * 8001, {}, 413),
        ("put", b'{"ask": 3}', {}, 400),
        ("put", json.dumps(ASKED).encode(), {"sec-fetch-site": "cross-site"}, 403),
        ("put", json.dumps(ASKED).encode(), {"origin": "http://evil.example"}, 403),
        ("nothing", b"{}", {}, 404),
    ],
)
def test_other_requests_are_refused(lecturer, path, content, headers, status):
    number = opened(lecturer)
    assert lecturer.post(f"/room/{number}/{path}", content=content, headers=headers).status_code == status
    assert not lecturer.get(f"/room/{number}/now").json()["isAsking"]


def test_the_code_is_that_of_the_address_of_the_room(port, lecturer):
    drawing = lecturer.get("/room/12345/code")
    assert drawing.headers["content-type"] == "image/svg+xml"
    assert drawing.content == routes.drawn(f"http://127.0.0.1:{port}/room/12345")
    assert drawing.content != routes.drawn(f"http://127.0.0.1:{port}/room/12346")
    size = len(segno.make(f"http://127.0.0.1:{port}/room/12345", micro=False).matrix)
    assert f'viewBox="0 0 {size + 8} {size + 8}"'.encode() in drawing.content, "with a rim of four modules"


def test_an_address_too_long_for_a_code_is_refused(lecturer, monkeypatch):
    monkeypatch.setattr(routes, "LONGEST_CODED", 10)
    assert lecturer.get("/room/12345/code").status_code == 414


def test_there_is_no_such_room(lecturer):
    opened(lecturer)
    assert lecturer.get("/room/7/now").status_code == 404
    assert answer(lecturer, 7).status_code == 404
    assert put(lecturer, 7).status_code == 404
    assert lecturer.get("/room/99999999999999999999/now").status_code == 404


@pytest.mark.parametrize("cookie", ["", ".", "x.y", "12345", '"', "é.é", "=;,", "a" * 5000])
def test_a_cookie_may_hold_anything(lecturer, phone, cookie):
    number = opened(lecturer)
    headers = {"cookie": f"spcviz_room={cookie}".encode()}
    assert not phone.get(f"/room/{number}/now", headers=headers).json()["isYours"]


def test_a_crowd_of_slow_bodies_is_bounded(lecturer, monkeypatch):
    number = opened(lecturer)
    put(lecturer, number)
    monkeypatch.setitem(routes._HAND, "n", routes.IN_HAND)
    assert answer(lecturer, number).status_code == 429
    monkeypatch.setitem(routes._HAND, "n", 0)
    assert answer(lecturer, number).status_code == 200
    assert routes._HAND["n"] == 0


def test_200_phones_answer_at_once(port, lecturer):
    """All of them are counted, and the lecturer's screen is answered within a second while they come."""
    number = opened(lecturer)
    put(lecturer, number)
    waits, ready = [], threading.Barrier(PHONES + 1)

    def one(at):
        ready.wait()
        return answer(Client(port), number, at % 2, voter=f"{at:032x}").status_code

    with ThreadPoolExecutor(PHONES) as phones:
        codes = phones.map(one, range(PHONES))
        ready.wait()
        counted, give_up = 0, time.monotonic() + 30
        while counted < PHONES and time.monotonic() < give_up:
            began = time.monotonic()
            counted = lecturer.get(f"/room/{number}/now").json()["answers"]
            waits.append(time.monotonic() - began)
        assert set(codes) == {200}
    assert lecturer.get(f"/room/{number}/now").json()["counts"] == [PHONES // 2] * 2
    slowest = sorted(waits)[int(0.95 * (len(waits) - 1))]
    print(f"{PHONES} answers; {len(waits)} looks meanwhile, 95 of 100 within {1000 * slowest:.0f} ms")
    assert slowest < 1
