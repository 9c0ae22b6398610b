"""Requests of views: any request is survived, and the answer is what the page's run would send."""

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import anyio.to_thread
import numpy as np
import pytest
from starlette.requests import ClientDisconnect

from spcviz.problems.letters.controls import writing
from spcviz.problems.letters.page import cached
from spcviz.problems.open_words.data.drawings import boxes_text
from spcviz.web.transport import static_files
from spcviz.web.ui import requests
from spcviz.web.view.mount import as_message

needs_model = pytest.mark.skipif(
    not cached.LETTERS_FEATURES, reason="no handwriting model in cache/models: python -m spcviz train open"
)
CROSS = [[[20, 5], [20, 60]], [[5, 30], [40, 30]]]
INK = boxes_text([CROSS] * 3)


@pytest.fixture(autouse=True)
def any_name(monkeypatch):
    """A server that accepts every host name."""
    told(monkeypatch, **{"server.address": "0.0.0.0"})


def told(monkeypatch, **options):
    """Set the server's options about its host names."""
    monkeypatch.setattr(requests.st, "get_option", lambda name: options.get(name, ""))


@pytest.mark.parametrize(
    ("options", "host", "is_own"),
    [
        ({"server.address": "localhost"}, "localhost:8501", True),
        ({"server.address": "localhost"}, "127.0.0.1:8501", True),
        ({"server.address": "localhost"}, "[::1]:8501", True),
        ({"server.address": "localhost"}, "evil.example:8501", False),
        ({"server.address": "localhost"}, "localhost.evil.example", False),
        ({"server.address": "localhost", "browser.serverAddress": "app.edu"}, "app.edu", True),
        ({"server.address": "0.0.0.0"}, "app.edu", True),
        ({"server.allowedHosts": ["app.edu", "*.b.edu"]}, "APP.edu:443", True),
        ({"server.allowedHosts": ["app.edu", "*.b.edu"]}, "x.b.edu", True),
        ({"server.allowedHosts": ["app.edu", "*.b.edu"]}, "evil.example", False),
        ({"server.allowedHosts": ["app.edu"]}, "localhost", False),
        ({"server.allowedHosts": ["*"]}, "evil.example", True),
    ],
)
def test_a_host_that_the_server_was_not_told_is_another_site_s(options, host, is_own, monkeypatch):
    """DNS rebinding: to the browser the other site's page has the same origin."""
    told(monkeypatch, **options)
    assert requests.is_own_host({"host": host}) == is_own
    assert requests.is_foreign({"host": host, "sec-fetch-site": "same-origin"}) != is_own


def test_a_proxy_on_this_machine_says_the_name(monkeypatch):
    told(monkeypatch, **{"server.address": "localhost"})
    assert requests.is_own_host({"host": "app.edu", "x-forwarded-host": "app.edu"})


@pytest.fixture(scope="module")
def ask():
    """ask(question, name="word", **headers) -> the route's response."""
    before = dict(requests._SERVER)
    (route,) = requests.routes()

    def asking(question, name="word", **headers):
        content = question if isinstance(question, bytes) else json.dumps(question).encode()

        async def stream():
            for start in range(0, len(content), 9000):
                yield content[start : start + 9000]

        headers = {key.replace("_", "-"): value for key, value in headers.items()}
        request = SimpleNamespace(path_params={"name": name}, headers=headers, stream=stream)
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, route.endpoint(request)).result()

    assert route.methods == {"POST"}
    yield asking
    requests._SERVER |= before


def opened(message):
    """The JSON header and the bytes of a packed message's arrays."""
    length = int.from_bytes(message[:4], "little")
    header, body = json.loads(message[4 : 4 + length]), message[4 + length :]
    return {
        name: body[one["$"][1] : one["$"][1] + one["$"][2]] if isinstance(one, dict) and "$" in one else one
        for name, one in header.items()
    }


@needs_model
def test_a_stroke_is_answered_as_the_page_would(ask):
    settings = {"order": "2", "a1": "0.5", "truth": "ttt"}
    answer = ask({"ink": INK, "turn": 7, "settings": settings})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    state = writing.TABLE.parse(settings | {"ink": INK})
    reading = writing.read(state)
    sent = opened(answer.body)
    assert sent["boxes"] == as_message(writing.boxes(reading, state, 7), {})
    assert sent["lattice"] == as_message(*writing.lattice(reading, state, 7))
    boxes = opened(sent["boxes"])
    assert boxes["turn"] == 7
    assert boxes["settings"] == settings
    assert boxes["reading"] == reading.text
    assert len(reading.trace.levels) == 2
    assert reading.trace.levels[0].alpha == 0.5


@needs_model
@pytest.mark.parametrize("ink", ["b~~", "", None, 7, "<?>", "b" + "A" * 5999])
def test_where_nothing_can_be_read_the_lattice_is_empty(ask, ink):
    answer = ask({"ink": ink, "turn": "x", "settings": [1]})
    sent = opened(answer.body)
    assert sent["lattice"] == b""
    assert opened(sent["boxes"])["turn"] == 0


@needs_model
def test_a_question_without_a_drawing_is_of_an_example(ask):
    assert opened(ask({}).body)["lattice"]


@pytest.mark.parametrize(
    ("question", "name", "headers", "status"),
    [
        ([], "word", {}, 400),
        (b"{", "word", {}, 400),
        (b"\xff\xfe", "word", {}, 400),
        (b"1" * 30_000, "word", {}, 413),
        ({}, "os", {}, 404),
        (b"[" * 9000 + b"]" * 9000, "word", {}, 400),
        (b'{"a":' * 1100 + b"1" + b"}" * 1100, "word", {}, 400),
        (b'{"turn": NaN}', "word", {}, 400),
        (b'{"turn": 1e999}', "word", {}, 400),
        ({}, "word", {"sec_fetch_site": "cross-site"}, 403),
        ({}, "word", {"sec_fetch_site": "same-site", "host": "a.edu", "origin": "http://a.edu"}, 403),
        ({}, "word", {"host": "a.edu", "origin": "http://evil.example"}, 403),
        ({}, "word", {"host": "a.edu", "origin": "null"}, 403),
        ({}, "word", {"origin": "null"}, 403),
        ({}, "word", {"host": "a.edu", "origin": "http://[a.edu"}, 403),
        ([], "word", {"host": "a.edu", "origin": "https://A.edu:8443"}, 400),  # not foreign, but no request
        (
            [],
            "word",
            {"host": "app:8501", "x_forwarded_host": "b, a.edu", "origin": "https://a.edu"},
            400,
        ),
        ([], "word", {"host": "[::1]:8501", "origin": "http://[::1]:8501"}, 400),
        ([], "word", {"sec_fetch_site": "same-origin", "host": "app", "origin": "https://a.edu"}, 400),
    ],
)
def test_other_questions_are_refused(ask, question, name, headers, status, caplog):
    assert ask(question, name, **headers).status_code == status
    assert not caplog.records  # no traceback for input that anyone may send


@needs_model
@pytest.mark.parametrize("where", ["settings", "ink", "turn"])
def test_what_is_nested_as_deep_as_is_read_is_survived(ask, where):
    deep = b"[" * 900 + b"]" * 900
    assert ask(b'{"%s": {"order": %s}}' % (where.encode(), deep)).status_code == 200


def request(stream, **headers):
    return SimpleNamespace(path_params={"name": "word"}, headers=headers, stream=stream)


def run(coroutine):
    """Run in another thread: a browser test may have left an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def test_a_crowd_has_a_thread_and_a_queue_and_the_rest_is_told(monkeypatch):
    """With 200 at once, none takes a thread of the pool that serves files."""
    go, running, most = threading.Event(), [], []

    def answer(_question):
        running.append(1)
        most.append(len(running))
        assert go.wait(20)
        running.pop()
        return b"done"

    monkeypatch.setitem(requests.ANSWERS, "word", "made_up")
    monkeypatch.setattr(requests, "import_module", lambda _name: SimpleNamespace(answer=answer))

    async def stream():
        yield b"{}"

    async def crowd():
        tasks = [asyncio.create_task(requests._answer(request(stream))) for _ in range(200)]
        while (
            len(running) < requests.AT_ONCE
            or sum(task.done() for task in tasks) < 200 - requests.AT_ONCE - requests.WAITING
        ):
            await asyncio.sleep(0.01)
        files = anyio.to_thread.current_default_thread_limiter().borrowed_tokens
        go.set()
        answers = await asyncio.gather(*tasks)
        return files, answers, await requests._answer(request(stream))

    files, answers, later = run(asyncio.wait_for(crowd(), 30))
    refused = [one for one in answers if one.status_code == 429]
    assert len(refused) == 200 - requests.AT_ONCE - requests.WAITING
    assert {one.headers["retry-after"] for one in refused} == {"1"}
    assert sum(one.status_code == 200 for one in answers) == requests.AT_ONCE + requests.WAITING
    assert max(most) == requests.AT_ONCE
    assert files == 0
    assert later.status_code == 200


def test_a_refusal_is_held_back_but_not_too_many_are(monkeypatch):
    """A client that retries at once is slowed down, but the number of held connections is bounded."""
    monkeypatch.setattr(requests, "_CROWD", {"in_hand": 99, "held": 0, "rests_until": 0.0})
    monkeypatch.setattr(requests, "HELD", 5)
    monkeypatch.setattr(requests, "HELD_SECONDS", 0.5)

    async def stream():
        yield b"{}"

    async def refused():
        began = time.monotonic()
        answer = await requests._answer(request(stream))
        return answer.status_code, time.monotonic() - began

    async def crowd():
        return await asyncio.gather(*(refused() for _ in range(8)))

    answers = run(asyncio.wait_for(crowd(), 30))
    assert {status for status, _ in answers} == {429}
    assert sum(seconds >= 0.5 for _, seconds in answers) == 5
    assert requests._CROWD["held"] == 0


@pytest.mark.parametrize(("n", "rests"), [(4, False), (24, True)])
def test_in_a_crowd_the_thread_rests_as_long_as_it_works(monkeypatch, n, rests):
    times = []
    monkeypatch.setattr(requests, "_CROWD", {"in_hand": 0, "held": 0, "rests_until": 0.0})

    def answer(_question):
        times.append(time.monotonic())
        time.sleep(0.02)
        times.append(time.monotonic())
        return b"done"

    monkeypatch.setattr(requests, "import_module", lambda _name: SimpleNamespace(answer=answer))

    async def stream():
        yield b"{}"

    async def crowd():
        return await asyncio.gather(*(requests._answer(request(stream)) for _ in range(n)))

    assert {one.status_code for one in run(crowd())} == {200}
    work = [times[k + 1] - times[k] for k in range(0, 2 * n, 2)]
    pauses = [times[k + 1] - times[k] for k in range(1, 2 * n - 1, 2)]
    many = n - requests.CROWDED  # answers given during the crowd
    assert (requests._CROWD["rests_until"] > 0) == rests
    if rests:
        assert all(pause >= least for pause, least in zip(pauses[: many - 1], work))


def test_a_body_that_never_ends_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(requests, "BODY_SECONDS", 0.1)
    sent = []

    async def slow():
        while True:
            await asyncio.sleep(0.02)
            yield b"1"

    async def endless():
        while True:
            sent.append(1)
            yield b"1"

    async def gone():
        yield b"{"
        raise ClientDisconnect

    assert run(asyncio.wait_for(requests._answer(request(slow)), 10)).status_code == 408
    assert run(requests._answer(request(endless))).status_code == 413
    assert len(sent) == requests.MOST + 1
    assert run(requests._answer(request(gone))).status_code == 400


def test_routes_stand_below_the_base_path(monkeypatch):
    monkeypatch.setattr(requests, "_SERVER", {"has_routes": False})
    monkeypatch.setattr(static_files, "_SERVER", {"has_routes": False})
    for base, wanted in (("", ""), ("foo", "/foo"), ("/a/b/", "/a/b")):
        monkeypatch.setattr(static_files.st, "get_option", {"server.baseUrlPath": base}.get)
        assert requests.routes()[0].path == f"{wanted}/ask/{{name}}"
        assert static_files.routes()[0].path == f"{wanted}/view/{{name}}"


def test_what_fails_is_said_and_nothing_more(ask, monkeypatch):
    monkeypatch.setitem(requests.ANSWERS, "word", "spcviz.no_such_module")
    answer = ask({})
    assert (answer.status_code, answer.body) == (500, b"")


def test_without_a_server_there_is_nobody_to_ask(monkeypatch):
    monkeypatch.setattr(requests, "_SERVER", {"has_routes": False})
    assert requests.address("word") == ""
    requests.routes()
    assert requests.address("word") == "ask/word"


@pytest.mark.parametrize("value", [None, True, -1, 1.5, "3", 2**60])
def test_a_turn_that_is_none(value):
    assert writing.turn_of(value) == 0


@needs_model
def test_an_exact_model_is_timed_for_a_drawn_word():
    assert 0 < cached.written_trace(cached.example(), "open", 4).microseconds_dense < np.inf
