"""Loops as files: moments and durations, sizes, what too large ones lose."""

import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image, ImageDraw

from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import ROOT
from spcviz.web.exporting import animation

MILLISECONDS = [900, 500, 700, 1600]


def film(size=(96, 54), n=4):
    """Different moments, each a flat colour with a mark at another place."""
    frames = []
    for k in range(n):
        frames.append(Image.new("RGB", size, (255 - 40 * k, 255, 200)))
        frames[-1].paste((47, 47, 188), (10 * k, 10, 10 * k + 8, 30))
    return animation.Film(frames, MILLISECONDS[:n])


@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_a_picture_moves_for_ever_and_stands_as_long_as_was_said(kind):
    made = Image.open(io.BytesIO(animation.write(film(), kind)))
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
    with av.open(io.BytesIO(animation.write(film((97, 55)), "mp4"))) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
    assert (stream.width, stream.height, stream.codec_context.name) == (96, 54, "h264")
    assert len(frames) == sum(MILLISECONDS) * animation.RATE / 1000
    last = frames[-1].to_ndarray(format="rgb24").astype(int)
    assert np.abs(last[40:, 50:] - [135, 255, 200]).max() < 12


def test_what_is_too_large_loses_colours_before_it_is_refused(monkeypatch):
    noise = np.random.default_rng(0).integers(0, 256, (4, 60, 80, 3), dtype=np.uint8)
    noisy = animation.Film([Image.fromarray(one) for one in noise], MILLISECONDS)
    whole = {kind: len(animation.write(noisy, kind)) for kind in ("webp", "gif")}
    for kind, size in whole.items():
        monkeypatch.setattr(animation, "MOST_BYTES", size * 4 // 5)
        assert len(animation.write(noisy, kind)) <= size * 4 // 5
        monkeypatch.setattr(animation, "MOST_BYTES", 500)
        with pytest.raises(ArgumentError, match=r"this loop would take 0\.0 MB, more than 0\.0005: choose"):
            animation.write(noisy, kind)


def test_a_loop_that_is_a_little_too_large_is_packed_harder_before_it_loses_anything(monkeypatch):
    """Lines of text, as on a page."""
    frames = [Image.new("RGB", (300, 200), "white") for _ in range(3)]
    for k, frame in enumerate(frames):
        for row in range(12):
            text = " ".join(f"{(7 * row + 13 * column + k) ** 3 % 9973}" for column in range(9))
            ImageDraw.Draw(frame).text((4 + row, 16 * row), text, fill=(20 * row, 30, 90))
    smooth = animation.Film(frames, MILLISECONDS[:3])
    sizes = [len(animation._webp_of(smooth, lossless=True, quality=effort)) for effort in animation.EFFORTS]
    quick, hard = sizes
    assert hard < quick <= animation.LITTLE * hard
    monkeypatch.setattr(animation, "MOST_BYTES", hard)
    made = Image.open(io.BytesIO(animation.write(smooth, "webp")))
    for k, frame in enumerate(frames):
        made.seek(k)
        np.testing.assert_array_equal(np.asarray(made.convert("RGB")), np.asarray(frame))


def test_the_moments_of_one_picture_are_cut_row_by_row():
    frames = film(n=4).frames
    whole = Image.new("RGB", (3 * 96, 2 * 54))
    for k, frame in enumerate(frames):
        whole.paste(frame, (96 * (k % 3), 54 * (k // 3)))
    png = io.BytesIO()
    whole.save(png, "PNG")
    cut = animation.film_of([png.getvalue()], MILLISECONDS, animation.Tiles(3, 96, 54))
    assert cut.milliseconds == MILLISECONDS
    for one, frame in zip(cut.frames, frames, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(frame))


def test_writing_loads_no_page():
    """Else each fork of the process that writes copies all of it."""
    lines = f"""
import sys
from {animation.__name__} import load
load()
print(sorted({{"streamlit", "plotly", "pandas", "numba", "scipy", "skimage"}} & {{*sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
