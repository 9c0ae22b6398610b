"""Hostile files alongside a class: each kind is what it claims to be, and silence is counted."""

import asyncio

import numpy as np
import pytest

from benchmarks.app import files, words
from spcviz.commands import bench

SMALL = (
    "damaged.npz",
    "clip.webp",
    "list.mp4",
    "any.jpg",
    "line.txt",
    "returns.txt",
    "noise.mp4",
    "text.txt",
)


def test_the_kinds_have_names_of_their_own_and_go_to_both_pages():
    assert len({kind.name for kind in files.KINDS}) == len(files.KINDS)
    assert {kind.page for kind in files.KINDS} == {files.DATA, files.POSE}
    assert set(SMALL) <= {kind.name for kind in files.KINDS}


@pytest.mark.parametrize("name", SMALL)
def test_a_file_is_no_larger_than_a_page_takes_and_the_same_again(name):
    (kind,) = [kind for kind in files.KINDS if kind.name == name]
    data, again = (kind.make(np.random.default_rng(3))[: files.LARGEST] for _ in range(2))
    assert 0 < len(data) <= files.LARGEST
    assert data == again


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (["**mine.txt**: 30 sentences."], "read"),
        (
            ["**Example**: 300 sentences.", "mine.txt: must be text, got the control character 0x01"],
            "refused",
        ),
        (["The file is a list of clips (ffconcat), no picture or video."], "refused"),
        (["The picture has 30000 x 30000 pixels; at most 16 million are read."], "refused"),
        (["Your upload. 3 frames"], "read"),
        (["**Example**: 300 sentences.", "# Your data"], ""),
        ([], ""),
    ],
)
def test_what_a_page_says_is_told_from_silence(said, answer):
    visitor = files.Bringer(1, files.DATA)
    visitor.said = said
    assert visitor.answer("mine.txt") == answer


def test_a_server_that_is_not_there_is_silence_and_no_end_of_the_run(monkeypatch):
    kinds = tuple(kind for kind in files.KINDS if kind.name in ("line.txt", "any.jpg"))
    monkeypatch.setattr(files, "KINDS", kinds)
    rows = asyncio.run(files.bring_all(9, 3))  # the port of "discard": nobody listens
    assert [row["answer"] for row in rows] == ["", "", ""]
    assert all("no connection" in row["wrong"] for row in rows)


def test_a_row_counts_what_was_read_refused_and_silent():
    one = {"name": "a", "bytes": 1_000_000, "answer": "read", "wrong": "", "seconds": 1.0}
    rows = [one, one | {"answer": "refused", "seconds": 21.5, "name": "b"}, one | {"answer": ""}]
    rows.append(one | {"wrong": "ValueError: x"})  # a traceback on the page is no answer
    row = files.row_of(rows, 40, [100.0, 300.0], ["x", "x"]) | {"memory_mb": 10.0, "family_mb": 20.0}
    row |= {"before_p95_ms": 90.0, "rest_mb": 1400.0}
    assert (row["read"], row["refused"], row["silent"], row["slowest_s"]) == (2, 1, 2, 21.5)
    assert (row["slowest"], row["exceptions"], row["megabytes"]) == ("b", 2, 4)
    text = words.as_text({"rows": [], "beside": [], "files": [row]})
    assert "40 students on Letters beside 4 hostile files (4 MB)" in text
    assert "before any file 90 ms" in text
    assert "+10 MB over 1400 MB (goal 300)" in text
    assert "the slowest (b) 21.5 s (goal 20.0 s)" in text
    assert "a: nothing was said" in text
    assert "a: ValueError: x" in text


def test_it_does_not_replace_the_whole():
    whole = bench.RESULTS / "bench-app.json"
    assert bench._bench_path(whole, "app", 1.0, "files") == bench.WORK / "bench-app.json"
