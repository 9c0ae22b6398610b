"""A page's story as a loop: its pruning or purchases as an animation for slides, posts and messages.

The views of pages define their moments (``story`` in view.js). The page is opened without a browser, as for
one file; Chromium then shows it moment by moment and photographs each, so the last moment is the page's own
picture, pixel by pixel. (A Chromium that takes no commands, on Windows, shows all moments side by side and
photographs them once.) Pillow writes WebP and GIF, PyAV MP4; the lattice draws an animated SVG of itself.
"""

import io
import json
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import chromium, drawing, markup, page, snapshot
from spcviz.web.transport.clients import reachable
from spcviz.web.ui import navigation

KINDS, WIDTHS = markup.LOOP_KINDS, markup.LOOP_WIDTHS

MOST_MOMENTS = 16
MOST_BYTES = 2_000_000
EFFORTS, LITTLE = (0, 40), 1.5
"""Efforts of lossless WebP: the second takes twice the time for a quarter fewer bytes, so it is tried only if
the first is too large by this factor at most."""

QUALITIES = (90, 75, 55, 35)
"""Qualities of WebP to try if a lossless one is too large."""

COLOURS = (256, 128, 64, 32)
"""Numbers of colours of GIF, which has at most 256."""

MOST_SIGNS = 80
"""Characters of the address below a loop: one that holds a drawing has thousands."""

RATE = 10
"""Frames per second of MP4."""

_LAYOUT, _WINDOW, _TALLEST, _COLUMNS = 960, 640, 1000, 4
_SHEET_SIZE = _COLUMNS * _LAYOUT, -(-MOST_MOMENTS // _COLUMNS) * _TALLEST
WINDOW = (_LAYOUT, _TALLEST) if chromium.HAS_PIPES else _SHEET_SIZE
"""Size in pixels of the browser window that shows a sheet."""
_PROGRAM = ("view/elements.js", "exporting/browser/host.js", "exporting/browser/film.js")
_DOCUMENT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<style>{style}</style></head>
<body><main>{body}</main>{below}
<script type="module">{script}</script></body></html>
"""
_SHEET = """<!doctype html><meta charset="utf-8"><pre id="out" hidden></pre>
<style>body {{ margin: 0; font-size: 0; width: {wide}px }} iframe {{ border: 0 }}</style>
<script type="module">{known}
{script}</script>
"""


class NoStoryError(ArgumentError):
    """A page has no story to play."""


class TooLargeError(ArgumentError):
    """A loop exceeds its limit in bytes."""


class Film(NamedTuple):
    """A loop before it is written."""

    frames: list[Image.Image]
    milliseconds: list[int]  # of each frame


def make_loop(address: str, kind: str = "webp", *, width: int = 960, dark: bool = False) -> bytes:
    """Make the loop of a scene's address as a file of a kind, one of `KINDS`.

    Parameters
    ----------
    address : str
        As in the browser: ``letters?order=6``, with or without a host.
    kind : str
        One of `KINDS`.
    width : int
        Width of the picture in pixels, one of `WIDTHS`.
    dark : bool
        Use the app's dark theme instead of its light one.

    Raises
    ------
    ArgumentError
        For a page that has no story (`NoStoryError`), a browser that is not installed, or an unknown
        kind or width.
    """
    if kind not in KINDS:
        raise ArgumentError(f"kind must be one of {', '.join(KINDS)}, got {kind!r:.40}")
    return write(film(address, width=width, dark=dark), kind)


def film(address: str, *, width: int = 960, dark: bool = False, is_bare: bool = False) -> Film:
    """The moments of a scene's story, each as its page draws it: see `make_loop`; no footer if `is_bare`."""
    if width not in WIDTHS:
        raise ArgumentError(f"width must be one of {', '.join(map(str, WIDTHS))}, got {width!r:.40}")
    scale = width // _LAYOUT
    return film_of(address, *draw(sheet(address, dark=dark, is_bare=is_bare), scale), scale=scale)


def draw(html: str, scale: int = 1) -> tuple[list[bytes], str]:
    """Draw a `sheet` in a separate browser: (PNGs, its own description)."""
    if chromium.HAS_PIPES:
        return drawing.shots(html, WINDOW, scale, wanted_of)
    png, told = drawing.sheet(html, WINDOW, scale)
    return [png], told


def film_of(address: str, pngs: Sequence[bytes], told: str, *, scale: int) -> Film:
    """The moments of a `sheet` as drawn, at `scale` times the resolution, given its own description `told`.

    `NoStoryError` if there are none.
    """
    said = json.loads(told)
    if (n := len(said["moments"])) < 2:
        name = page.scene_of(address).address or "the home page"
        raise NoStoryError(f"{name} has nothing that plays; save it as FILE.html, or its picture as PNG")
    pictures = [Image.open(io.BytesIO(png)).convert("RGB") for png in pngs]
    frames = pictures if chromium.HAS_PIPES else _cut(pictures[0], n, said["height"], scale)
    return Film(frames, said["milliseconds"])


def wanted_of(told: str) -> chromium.Shots | None:
    """The pictures of a sheet's moments; None if there are none.

    >>> wanted_of('{"moments": [0, 1, 2, 3, 4], "height": 500}'), wanted_of('{"moments": [], "height": 500}')
    (Shots(n=5, width=960, height=500), None)
    """
    said = json.loads(told)
    n = len(said.get("moments", []))
    return chromium.Shots(n, _LAYOUT, min(said["height"], _TALLEST)) if n > 1 else None


def small(address: str, size: tuple[int, int], most: int) -> bytes:
    """The loop of a scene as WebP for a card: the upper part of its view, in at most `most` bytes."""
    whole = film(address, is_bare=True)
    frames = [_upper(frame, size) for frame in whole.frames]
    return _webp(Film(frames, whole.milliseconds), most)


def _upper(frame, size):
    """The upper part of a frame, filled up with its own background if it is not high enough."""
    card = Image.new("RGB", (frame.width, frame.width * size[1] // size[0]), frame.getpixel((0, 0)))
    card.paste(frame)
    return card.resize(size)


def write(film: Film, kind: str) -> bytes:
    """Write a film as a file of a kind of `KINDS`, of at most `MOST_BYTES`, or `ArgumentError`."""
    return _WRITERS[kind](film)


def svg(address: str, *, dark: bool = False) -> str | None:
    """The loop of a scene's lattice as an animated SVG; None if the page has no lattice."""
    return moving_of(draw(sheet(address, dark=dark, is_svg=True))[1])


def moving_of(told: str) -> str | None:
    """The animated SVG in a sheet's description; None if its page has no lattice."""
    drawn = json.loads(told)["svg"]
    return drawn and drawn.replace(">", f"><style>{markup.font_face()}</style>", 1)


def sheet(address: str, *, dark: bool = False, is_svg: bool = False, is_bare: bool = False) -> str:
    """The page that shows a scene's moments side by side, for a browser's window of `WINDOW`."""
    scene = page.scene_of(address)
    document = _document(snapshot.take_snapshot(scene), "" if is_bare else _below(scene, address), dark)
    return _sheet(document, is_svg)


def said_below(address: str) -> str:
    """The address below a loop: one that others can open, or the scene alone if there is none.

    >>> said_below("http://127.0.0.1:8501/letters?order=6"), said_below("https://a.example/spcviz/letters")
    ('letters?order=6', 'a.example/spcviz/letters')
    """
    scene = page.scene_of(address)
    whole = reachable(page.app_of(address), scene.address) or scene.address
    return f"{whole[:MOST_SIGNS]}…" if len(whole) > MOST_SIGNS else whole


def _below(scene, address):
    """The page's sentence and the scene's address, for the foot of a frame."""
    sentence = escape(navigation.headings()[scene.page].sentence)
    return f"<footer><b>{sentence}</b><code>{escape(said_below(address))}</code></footer>"


def _document(shown, below, dark):
    """One moment as a whole document, for every frame of the sheet."""
    script = "\n".join([*page.of_views(shown.views), markup.own_script(*_PROGRAM)])
    places = "".join(snapshot.view_place(k) for k in range(len(shown.views)))
    return _DOCUMENT.format(
        policy=escape(page.policy(script)),
        style=markup.font_face() + markup.css("film.css", is_dark=dark),
        body=places,
        below=below,
        script=script,
    )


def _sheet(document, is_svg):
    constants = {"DOCUMENT": document, "MOST": MOST_MOMENTS, "WIDTH": _LAYOUT, "HEIGHT": _WINDOW}
    constants |= {"IS_SVG": is_svg, "IS_AT_ONCE": not chromium.HAS_PIPES}
    known = "\n".join(f"const {name} = {markup.literal(value)};" for name, value in constants.items())
    script = markup.own_script("view/moments.js", "exporting/browser/sheet.js")
    return _SHEET.format(wide=WINDOW[0], known=known, script=script)


def _cut(sheet, n, height, scale):
    """The sheet's first n pictures, row by row."""
    wide, high = _LAYOUT * scale, height * scale
    places = [(wide * (k % _COLUMNS), high * (k // _COLUMNS)) for k in range(n)]
    return [sheet.crop((x, y, x + wide, y + high)) for x, y in places]


def _webp(film, most=None):
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
    first.save(file, "WEBP", method=1, **shared, **how)
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


_WRITERS = {"webp": _webp, "gif": _gif, "mp4": _mp4}
