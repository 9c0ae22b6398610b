"""Loops: their moments, durations and sizes, and refusals. Tests in Chromium: browser/saving."""

import io
import itertools

import numpy as np
import pytest
from PIL import Image, ImageDraw

from spcviz import cli
from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import chromium, drawing, loops
from tests.node import needs_node, run_node

MILLISECONDS = [900, 500, 700, 1600]


def film(size=(96, 54), n=4):
    """Different moments, each a flat colour with a mark at another place."""
    frames = []
    for k in range(n):
        frames.append(Image.new("RGB", size, (255 - 40 * k, 255, 200)))
        frames[-1].paste((47, 47, 188), (10 * k, 10, 10 * k + 8, 30))
    return loops.Film(frames, MILLISECONDS[:n])


@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_a_picture_moves_for_ever_and_stands_as_long_as_was_said(kind):
    made = Image.open(io.BytesIO(loops.write(film(), kind)))
    assert (made.n_frames, made.info["loop"]) == (4, 0)
    shown, spans = [], []
    for k in range(4):
        made.seek(k)
        made.load()
        shown.append(np.asarray(made.convert("RGB"), dtype=int))
        spans.append(made.info["duration"])
    assert spans == MILLISECONDS
    for picture, frame in zip(shown, film().frames, strict=True):
        assert np.abs(picture - np.asarray(frame, dtype=int)).max() <= 8


def test_a_video_takes_as_long_and_has_even_sides():
    av = pytest.importorskip("av")
    with av.open(io.BytesIO(loops.write(film((97, 55)), "mp4"))) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
    assert (stream.width, stream.height, stream.codec_context.name) == (96, 54, "h264")
    assert len(frames) == sum(MILLISECONDS) * loops.RATE / 1000
    last = frames[-1].to_ndarray(format="rgb24").astype(int)
    assert np.abs(last[40:, 50:] - [135, 255, 200]).max() < 12


def test_what_is_too_large_loses_colours_before_it_is_refused(monkeypatch):
    noise = np.random.default_rng(0).integers(0, 256, (4, 60, 80, 3), dtype=np.uint8)
    noisy = loops.Film([Image.fromarray(one) for one in noise], MILLISECONDS)
    whole = {kind: len(loops.write(noisy, kind)) for kind in ("webp", "gif")}
    for kind, size in whole.items():
        monkeypatch.setattr(loops, "MOST_BYTES", size * 4 // 5)
        assert len(loops.write(noisy, kind)) <= size * 4 // 5
        monkeypatch.setattr(loops, "MOST_BYTES", 500)
        with pytest.raises(ArgumentError, match=r"this loop would take 0\.0 MB, more than 0\.0005: choose"):
            loops.write(noisy, kind)


def test_a_loop_that_is_a_little_too_large_is_packed_harder_before_it_loses_anything(monkeypatch):
    """Lines of text, as on a page."""
    frames = [Image.new("RGB", (300, 200), "white") for _ in range(3)]
    for k, frame in enumerate(frames):
        for row in range(12):
            text = " ".join(f"{(7 * row + 13 * column + k) ** 3 % 9973}" for column in range(9))
            ImageDraw.Draw(frame).text((4 + row, 16 * row), text, fill=(20 * row, 30, 90))
    smooth = loops.Film(frames, MILLISECONDS[:3])
    quick, hard = (len(loops._webp_of(smooth, lossless=True, quality=effort)) for effort in loops.EFFORTS)
    assert hard < quick <= loops.LITTLE * hard
    monkeypatch.setattr(loops, "MOST_BYTES", hard)
    made = Image.open(io.BytesIO(loops.write(smooth, "webp")))
    for k, frame in enumerate(frames):
        made.seek(k)
        np.testing.assert_array_equal(np.asarray(made.convert("RGB")), np.asarray(frame))


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
