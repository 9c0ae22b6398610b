"""A browser with cookies that calls a class's routes, and the requests of lecturers and phones."""

import contextlib
import http.client
import json
from typing import NamedTuple

ASKED = {"code": "why/1", "ask": "Noun or verb?", "choices": ["noun", "verb"]}


class Answer(NamedTuple):
    """A server's response."""

    status_code: int
    headers: http.client.HTTPMessage
    content: bytes

    def json(self):
        return json.loads(self.content)


class Client:
    """A browser with its own cookies, as far as these tests need one; it follows no redirect."""

    def __init__(self, port):
        self._port, self.cookies = port, {}

    def ask(self, method, path, content=None, headers=None):
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        cookies = {"cookie": kept} if kept else {}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, content, cookies | (headers or {}))
            said = connection.getresponse()
            answer = Answer(said.status, said.headers, said.read())
        for cookie in answer.headers.get_all("set-cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    def at(self, number):
        """Open a room's page, as a phone does first."""
        assert self.get(f"/room/{number}").status_code == 200
        return self

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, content=b"", **more):
        return self.ask("POST", path, content, **more)


def opened(client):
    return client.post("/room").json()["room"]


def put(client, number, asked=None):
    return client.post(f"/room/{number}/put", content=json.dumps(asked or ASKED))


def answer(client, number, value=1, n=1):
    said = {"n": n, "value": value}
    return client.post(f"/room/{number}/answer", content=json.dumps(said))


def steer(client, number, desk, order=None):
    said = {"desk": desk} | ({"order": order} if order else {})
    return client.post(f"/room/{number}/steer", content=json.dumps(said))
