"""What the Save menu asks of the server: only what can be saved, one process at a time, for our own pages."""

import asyncio
from types import SimpleNamespace

import pytest

from spcviz.web.exporting import saving


@pytest.fixture
def client():
    """client(kind, scene, **headers) -> the route's response."""
    (route,) = saving.routes()
    assert route.path.endswith("/save/{kind}")

    def ask(kind, scene, **headers):
        headers = {"host": "host.example"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        request = SimpleNamespace(
            path_params={"kind": kind},
            query_params={"scene": scene},
            headers=headers,
            url=SimpleNamespace(scheme="http"),
        )
        return asyncio.run(route.endpoint(request))

    return ask


@pytest.fixture
def asked(monkeypatch):
    """The commands that would run; each writes its file."""
    commands = []

    async def run_process(command, **_):
        commands.append(command)
        await asyncio.sleep(0.05)
        with open(command[-1], "w") as file:
            file.write("<!doctype html>")
        return type("Done", (), {"returncode": 0, "stderr": b""})

    monkeypatch.setattr(saving.anyio, "run_process", run_process)
    return commands


def test_a_page_comes_as_the_command_writes_it(client, asked):
    answer = client("page", "letters?order=6")
    assert (answer.status_code, answer.body) == (200, b"<!doctype html>")
    assert answer.headers["content-disposition"] == "attachment"
    assert asked[0][-3:-1] == ["--", "http://host.example/letters?order=6"]
    assert asked[0][-1].endswith(".html")
    assert client("python", "letters").status_code == 200
    assert asked[1][-1].endswith(".py")


def test_no_address_becomes_an_option_of_the_command(client, asked):
    client("page", "--help", host="no host")
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


def test_a_crowd_is_told_to_come_again(client, asked, monkeypatch):
    monkeypatch.setitem(saving._CROWD, "in_hand", saving.WAITING + 1)
    answer = client("page", "letters")
    assert (answer.status_code, asked) == (429, [])
    assert "Others are saving pages" in answer.body.decode()


def test_what_takes_too_long_is_ended(client, asked, monkeypatch):
    monkeypatch.setattr(saving, "SECONDS", 0.001)
    answer = client("page", "letters")
    assert (answer.status_code, saving._CROWD["in_hand"]) == (503, 0)
    assert answer.body.decode() == "This page takes too long to be saved."


def test_the_command_s_sentence_reaches_the_visitor(client):
    answer = client("page", "nowhere")
    assert answer.status_code == 422
    assert answer.body.decode().startswith("address must begin with one of tours, ")
