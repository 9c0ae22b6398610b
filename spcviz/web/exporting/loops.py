"""A page's story as a loop: its pruning or purchases as an animation for slides, posts and messages.

The views of pages define their moments (``story`` in view.js). The page is opened without a browser, as for
one file; Chromium then shows it moment by moment and photographs each, so the last moment is the page's own
picture, pixel by pixel. (A Chromium that takes no commands, on Windows, shows all moments side by side and
photographs them once.) `animation` writes the file; the lattice draws an animated SVG of itself.
"""

import json
from html import escape
from typing import NamedTuple

from PIL import Image

from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import animation, chromium, drawing, markup, page, snapshot
from spcviz.web.exporting.animation import Film, Tiles
from spcviz.web.transport.clients import reachable
from spcviz.web.ui import navigation

KINDS, WIDTHS = markup.LOOP_KINDS, markup.LOOP_WIDTHS

MOST_MOMENTS = 16
MOST_SIGNS = 80
"""Characters of the address below a loop: one that holds a drawing has thousands."""

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
    return animation.write(film(address, width=width, dark=dark), kind)


def film(address: str, *, width: int = 960, dark: bool = False, is_bare: bool = False) -> Film:
    """The moments of a scene's story, each as its page draws it: see `make_loop`; no footer if `is_bare`."""
    if width not in WIDTHS:
        raise ArgumentError(f"width must be one of {', '.join(map(str, WIDTHS))}, got {width!r:.40}")
    scale = width // _LAYOUT
    pngs, told = draw(sheet(address, dark=dark, is_bare=is_bare), scale)
    return animation.film_of(pngs, *taking_of(address, told, scale))


def draw(html: str, scale: int = 1) -> tuple[list[bytes], str]:
    """Draw a `sheet` in a separate browser: (PNGs, its own description)."""
    if chromium.HAS_PIPES:
        return drawing.shots(html, WINDOW, scale, wanted_of)
    png, told = drawing.sheet(html, WINDOW, scale)
    return [png], told


class Taking(NamedTuple):
    """How the pictures of a sheet become a film."""

    milliseconds: list[int]  # of each moment
    tiles: Tiles | None  # None: one picture each


def taking_of(address: str, told: str, scale: int) -> Taking:
    """Read from a sheet's own description how its pictures, `scale` times as large, become a film.

    `NoStoryError` if there are none.
    """
    said = json.loads(told)
    if len(said["moments"]) < 2:
        name = page.scene_of(address).address or "the home page"
        raise NoStoryError(f"{name} has nothing that plays; save it as FILE.html, or its picture as PNG")
    tiles = None if chromium.HAS_PIPES else Tiles(_COLUMNS, _LAYOUT * scale, said["height"] * scale)
    return Taking(said["milliseconds"], tiles)


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
    return animation.webp(Film(frames, whole.milliseconds), most)


def _upper(frame, size):
    """The upper part of a frame, filled up with its own background if it is not high enough."""
    card = Image.new("RGB", (frame.width, frame.width * size[1] // size[0]), frame.getpixel((0, 0)))
    card.paste(frame)
    return card.resize(size)


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
