"""Loops: which moments they show, for how long, and refusals. Tests in Chromium: browser/saving."""

import itertools

import numpy as np
import pytest

from spcviz import cli
from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import chromium, drawing, loops
from tests.node import needs_node, run_node


@needs_node
def test_moments_are_spread_evenly_and_take_four_to_eight_seconds(tmp_path):
    body = """
    const spans = (n) => (n > 1 ? core.durations(Math.min(n, data.most)) : []);
    console.log(JSON.stringify(data.lengths.map((n) => [core.chosenOf(n, data.most), spans(n)])));
    """
    lengths = [0, 1, 2, 3, 5, 9, 16, 17, 120]
    rows = run_node(tmp_path, "web/view/moments.js", body, {"lengths": lengths, "most": 16})
    for n, (chosen, spans) in zip(lengths, rows, strict=True):
        assert len(chosen) == min(n, 16)
        assert chosen[:1] == [0][:n]
        assert chosen[-1:] == [n - 1][:n]
        gaps = {b - a for a, b in itertools.pairwise(chosen)}
        assert all(gap >= 1 for gap in gaps)
        assert not gaps or max(gaps) - min(gaps) <= 1
        if n > 1:
            assert 4000 <= sum(spans) <= 8000
            assert spans[-1] == max(spans) >= 1500
            assert len(spans) == len(chosen)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"kind": "bmp"}, r"kind must be one of webp, gif, mp4, got 'bmp'"),
        ({"width": 4000}, r"width must be one of 960, 1920, got 4000"),
        ({"address": "nowhere"}, "address must begin with one of"),
        ({"address": "letters/../../etc/passwd"}, "address must begin with one of"),
    ],
)
def test_what_is_no_loop_is_said_before_anything_runs(monkeypatch, asked, message):
    monkeypatch.setattr(drawing, "browser", lambda: pytest.fail("a browser was asked for"))
    with pytest.raises(ArgumentError, match=message):
        loops.make_loop(**({"address": "letters"} | asked))


def test_without_a_browser_the_loop_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(drawing, "browser", lambda: None)
    with pytest.raises(
        ArgumentError, match=r"drawn by Chromium or Chrome, and none is installed; install one"
    ):
        loops.make_loop("letters")


def test_what_a_visitor_typed_is_text_in_every_moment(monkeypatch):
    typed = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    sheets = []

    def drawn(html, scale=1):
        sheets.append(html)
        return [], '{"svg": null}'

    monkeypatch.setattr(loops, "draw", drawn)
    assert loops.svg(f"tagging?text={typed.replace(' ', '+')}") is None
    (text,) = sheets
    assert text.count("</script") == 1  # the sheet's own: its documents are in a string of its script
    assert "<img" not in text


def test_the_command_names_the_forms_it_knows(capsys, tmp_path):
    assert cli.main(["export", "letters", str(tmp_path / "loop.avi")]) == 1
    assert r".webp, .gif, .mp4, which says what is written; got .avi" in capsys.readouterr().err


@pytest.mark.skipif(drawing.browser() is None or not chromium.HAS_PIPES, reason="no Chromium to speak to")
def test_a_browser_that_cannot_be_spoken_to_draws_the_same_moments(monkeypatch):
    """As on Windows: all moments side by side, in one screenshot."""
    shown = loops.film("tagging")
    monkeypatch.setattr(chromium, "HAS_PIPES", False)
    monkeypatch.setattr(loops, "WINDOW", loops._SHEET_SIZE)
    at_once = loops.film("tagging")
    assert at_once.milliseconds == shown.milliseconds
    for one, other in zip(shown.frames, at_once.frames, strict=True):
        assert one.size == other.size
        apart = (np.asarray(one, dtype=int) != np.asarray(other, dtype=int)).any(axis=2)
        assert apart.mean() <= 0.02
