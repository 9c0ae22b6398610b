"""A loop's moments as one animated file of limited size: WebP and GIF by Pillow, MP4 by PyAV.

Visitors' loops are written in child processes that have loaded nothing but this: a process takes the
longer to fork, the more it has loaded.
"""

import io
import tempfile
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from spcviz.engine.errors import ArgumentError

MOST_BYTES = 2_000_000
EFFORTS, LITTLE = (0, 40), 1.5
"""Efforts of lossless WebP: the second takes twice the time for a quarter fewer bytes, so it is tried only if
the first is too large by this factor at most."""

QUALITIES = (90, 75, 55, 35)
"""Qualities of WebP to try if a lossless one is too large."""

COLOURS = (256, 128, 64, 32)
"""Numbers of colours of GIF, which has at most 256."""

RATE = 10
"""Frames per second of MP4."""


class TooLargeError(ArgumentError):
    """A loop exceeds its limit in bytes."""


class Tiles(NamedTuple):
    """Moments side by side in one picture, row by row."""

    columns: int
    width: int  # of one, in pixels
    height: int


class Film(NamedTuple):
    """A loop before it is written."""

    frames: list[Image.Image]
    milliseconds: list[int]  # of each frame


def film_of(pngs: Sequence[bytes], milliseconds: Sequence[int], tiles: Tiles | None = None) -> Film:
    """Read the moments of a loop: a PNG for each, or all as the `tiles` of one."""
    frames = [Image.open(io.BytesIO(png)).convert("RGB") for png in pngs]
    if tiles is not None:
        columns, wide, high = tiles
        places = [(wide * (k % columns), high * (k // columns)) for k in range(len(milliseconds))]
        frames = [frames[0].crop((x, y, x + wide, y + high)) for x, y in places]
    return Film(frames, list(milliseconds))


def load() -> None:
    """Import the readers and writers of pictures, before a process forks."""
    Image.init()


def write_loop(about: dict[str, Any], data: bytes) -> tuple[dict, list[bytes]]:
    """Write a loop from the PNGs of its moments, `sizes` bytes each, in a child process of `making`."""
    ends = [*accumulate(about["sizes"])]
    pngs = [data[end - size : end] for size, end in zip(about["sizes"], ends, strict=True)]
    tiles = about["tiles"] and Tiles(*about["tiles"])
    return {}, [write(film_of(pngs, about["milliseconds"], tiles), about["kind"])]


def write(film: Film, kind: str) -> bytes:
    """Write a film as "webp", "gif" or "mp4", in at most `MOST_BYTES`; raises `ArgumentError`."""
    return _WRITERS[kind](film)


def webp(film: Film, most: int | None = None) -> bytes:
    """Write an animated WebP of at most `most` bytes, lossless if it can be."""
    most = MOST_BYTES if most is None else most
    for effort in EFFORTS:
        content = _webp_of(film, lossless=True, quality=effort)
        if len(content) <= most:
            return content
        if len(content) > LITTLE * most:
            break
    for quality in QUALITIES:
        content = _webp_of(film, quality=quality)
        if len(content) <= most:
            return content
    raise _too_large(len(content), most)


def _webp_of(film, **how):
    (first, *rest), file = film.frames, io.BytesIO()
    shared = {"save_all": True, "append_images": rest, "duration": film.milliseconds, "loop": 0}
    # Only the first frame is stored whole: else each is tried both ways, for nothing in a few seconds' loop.
    first.save(file, "WEBP", method=1, kmin=0, kmax=0, **shared, **how)
    return file.getvalue()


def _gif(film):
    for colours in COLOURS:
        first, *rest = [frame.quantize(colours, dither=Image.Dither.NONE) for frame in film.frames]
        file = io.BytesIO()
        first.save(file, "GIF", save_all=True, append_images=rest, duration=film.milliseconds, loop=0)
        if file.tell() <= MOST_BYTES:
            return file.getvalue()
    raise _too_large(file.tell())


def _mp4(film):
    """H.264 as browsers, phones and slides accept it: even sides, each moment repeated for its duration."""
    import av

    if "libx264" not in av.codecs_available:
        raise ArgumentError("this installation of PyAV writes no H.264; save the loop as .webp or .gif")
    width, height = (side - side % 2 for side in film.frames[0].size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "loop.mp4")
        _encode(av.open(str(path), "w", options={"movflags": "faststart"}), film, (width, height))
        content = path.read_bytes()
    if len(content) > MOST_BYTES:
        raise _too_large(len(content))
    return content


def _encode(opened, film, size):
    import av

    width, height = size
    with opened as container:
        stream = container.add_stream("libx264", rate=RATE, options={"crf": "20", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for picture, milliseconds in zip(film.frames, film.milliseconds, strict=True):
            frame = av.VideoFrame.from_image(picture.crop((0, 0, width, height)))
            for _ in range(max(1, round(milliseconds * RATE / 1000))):
                container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _too_large(size, most=None):
    most = MOST_BYTES if most is None else most
    more = "choose fewer words, a shorter clip or 960 pixels"
    return TooLargeError(f"this loop would take {size / 1e6:.1f} MB, more than {most / 1e6:g}: {more}")


_WRITERS = {"webp": webp, "gif": _gif, "mp4": _mp4}
