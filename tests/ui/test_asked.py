"""What a view asks by itself: any question is survived, and the answer is what the page's run would send."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from spcviz.components.common.mount import as_message
from spcviz.problems.open_words.written import boxes_text
from spcviz.ui import asked, writing
from spcviz.ui.cached import letters as cached

needs_model = pytest.mark.skipif(
    not cached.LETTERS_FEATURES, reason="no handwriting model in cache/models: python -m spcviz train open"
)
CROSS = [[[20, 5], [20, 60]], [[5, 30], [40, 30]]]
INK = boxes_text([CROSS] * 3)


@pytest.fixture(scope="module")
def ask():
    """ask(question, name="word", **headers) -> the route's response."""
    before = dict(asked._SERVER)
    (route,) = asked.routes()

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
    asked._SERVER |= before


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
        ({}, "word", {"sec_fetch_site": "cross-site"}, 403),
    ],
)
def test_other_questions_are_refused(ask, question, name, headers, status):
    assert ask(question, name, **headers).status_code == status


def test_what_fails_is_said_and_nothing_more(ask, monkeypatch):
    monkeypatch.setitem(asked.ANSWERS, "word", "spcviz.no_such_module")
    answer = ask({})
    assert (answer.status_code, answer.body) == (500, b"")


def test_without_a_server_there_is_nobody_to_ask(monkeypatch):
    monkeypatch.setattr(asked, "_SERVER", {"has_routes": False})
    assert asked.address("word") == ""
    asked.routes()
    assert asked.address("word") == "ask/word"


@pytest.mark.parametrize("value", [None, True, -1, 1.5, "3", 2**60])
def test_a_turn_that_is_none(value):
    assert writing.turn_of(value) == 0


@needs_model
def test_an_exact_model_is_timed_for_a_drawn_word():
    assert 0 < cached.written_trace(cached.example(), "open", 4).microseconds_dense < np.inf
