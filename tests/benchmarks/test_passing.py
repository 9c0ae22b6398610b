"""Forty visitors who save something to share at once: requests differ, and every answer is inspected."""

import asyncio
import io
import json

import pytest
from PIL import Image

from benchmarks.app import passing, words
from spcviz.commands import bench

LOOP, CARD = passing.THINGS


def picture(kind, n=1):
    """A file of n different pictures."""
    out, frames = io.BytesIO(), [Image.new("RGB", (8, 8), (40 * k, 9, 9)) for k in range(n)]
    more = {"save_all": True, "append_images": frames[1:]} if n > 1 else {}
    frames[0].save(out, kind, **more)
    return out.getvalue()


@pytest.mark.parametrize(
    ("thing", "status", "content", "wrong"),
    [
        (LOOP, 200, picture("WEBP", 5), ""),
        (LOOP, 200, picture("WEBP", 2), "WEBP of 2"),
        (LOOP, 200, picture("PNG"), "PNG of 1"),
        (LOOP, 429, b"Many others are saving pages", "429: Many others are saving pages"),
        (LOOP, 0, b"", "no answer"),
        (CARD, 200, picture("PNG"), ""),
        (CARD, 302, b"", "302: "),
    ],
)
def test_a_file_is_looked_at(thing, status, content, wrong):
    assert passing._wrong(thing, status, content) == wrong


def test_what_is_no_picture_is_said():
    assert passing._wrong(CARD, 200, b"<!doctype html>").startswith("no picture: ")


def test_a_visitor_comes_back_with_the_ticket_that_was_handed_out(monkeypatch):
    asked = []

    class Browser:
        def __init__(self, port):
            pass

        async def ask(self, method, path):
            asked.append(path)
            if path == "/letters":
                return 200, b""
            if len(asked) < 4:
                return 202, json.dumps({"ticket": f"t{len(asked)}", "before": 3}).encode()
            return 200, picture("WEBP", 4)

    monkeypatch.setattr(passing, "Browser", Browser)
    done = asyncio.run(passing.fetch(1, LOOP, 17))
    assert [path.rpartition("ticket=")[2] for path in asked[1:]] == ["", "t2", "t3"]
    assert all("word%3D17&" in path for path in asked[1:])
    assert done["wrong"] == ""
    assert done["bytes"] > 0


def test_everybody_asks_for_another_word():
    ids = passing._words(121)
    assert len(set(ids)) == 121


def test_a_row_says_who_waited_and_what_the_others_noticed():
    one = {"seconds": 3.0, "bytes": 90_000, "wrong": ""}
    passed = [one, one | {"seconds": 41.25}, one | {"seconds": 9.0}]
    row = passing.row_of("loops", passed, 3, [50.0], [60.0, 80.0], []) | {"alone_s": {"loops": 2.5}}
    assert (row["made"], row["slowest_s"], row["p50_s"]) == (3, 41.25, 9.0)
    assert passing.holds(row)
    assert not passing.holds(row | {"slowest_s": 60.5})
    assert not passing.holds(row | {"p95_ms": 401.0})
    assert not passing.holds(row | {"made": 2})
    text = words.as_text({"rows": [], "beside": [], "passing": [row]})
    assert "3 visitors who ask for loops at once: 3 of 3 made, half within 9.0 s, the slowest 41.2 s" in text
    assert "one visitor alone: loops 2.5 s (goal 4); 3 students on Letters meanwhile: p50 70 ms" in text
    bad = passing.row_of("cards", [one | {"wrong": "429: crowd"}], 1, [], [], ["x"])
    text = words.as_text({"rows": [], "beside": [], "passing": [bad | {"alone_s": {}}]})
    assert "0 of 1 made" in text
    assert text.endswith("429: crowd\nx")


def test_it_does_not_replace_the_whole():
    whole = bench.RESULTS / "bench-app.json"
    assert bench._bench_path(whole, "app", 1.0, "passing") == bench.WORK / "bench-app.json"
