"""A verdict as a figure: labels left, loss, time saved and guarantee, with the command that repeats it.

The figure is a list of boxes and lines of text, which is written twice: as SVG in a page without any script,
and as a picture (PNG) for notebooks that show no frame.
"""

import io
import re
import textwrap
from html import escape
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from spcviz.shared.verdict import filter_verdict
from spcviz.shared.verdict.sequences import Judgement
from spcviz.web.exporting.markup import document_head
from spcviz.web.figures.palette import LIGHT

WIDTH, PAD, LEFT = 960, 24, 232
"""Width of the figure, its margin, and the left end of its bars, in pixels."""
BAR = WIDTH - PAD - LEFT
_SIZE, _SMALL, _HEAD, _ROW = 16, 14, 24, 62
_PER_LINE = 108
_ZOOM = 2
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """<style>
body {{ margin: 1rem auto; padding: 0 1rem; max-width: 60rem; color: {text}; background: {background};
 font: 16px/1.5 system-ui, sans-serif; color-scheme: light }}
svg {{ display: block; width: 100%; height: auto; border: 1px solid {border}; border-radius: 6px }}
pre {{ padding: .75rem; background: {surface}; white-space: pre-wrap; overflow-wrap: anywhere }}
</style>"""
_BODY = """<body>
{svg}
{paragraphs}
<pre>{command}</pre>
<p>{about}</p>
</body>
</html>
"""


class Box(NamedTuple):
    """A rectangle, corner and size in pixels."""

    x: float
    y: float
    width: float
    height: float
    color: str


class TextLine(NamedTuple):
    """A line of text, placed by the left end of its baseline."""

    x: float
    y: float
    text: str
    size: int = _SIZE
    color: str = LIGHT.text
    bold: bool = False


def marks_of(judgement: Judgement) -> tuple[list[Box | TextLine], int]:
    """(boxes and lines of the figure, its height)."""
    v = judgement.verdict
    examples, place = v.terms.examples, v.terms.place
    name = filter_verdict.GRAMS[v.order]
    head = "A threshold is worth it here" if v.is_worth else "A threshold is hardly worth it here"
    marks: list[Box | TextLine] = [TextLine(PAD, 46, head, _HEAD, bold=True)]
    rows = [
        (f"Labels left a {place}", f"{v.kept:.1f} of {v.n_labels}; by a CRF's marginals {v.kept_by_crf:.1f}",
         _shares(v.kept / v.n_labels)),
        (f"{name.capitalize()} left to score", f"{v.left:,.0f} of {v.n_labels**v.order:,} a {place}",
         _shares(v.left / v.n_labels**v.order)),
        ("Time", _time(v), _times(v)),
        (f"{examples.capitalize()} lost",
         f"{v.n_lost} of {v.n_test} ({100 * v.lost[0]:.1f} to {100 * v.lost[1]:.1f} %, 95 %); "
         f"the blue mark is the {100 * v.tolerance:.3g} % allowed", _losses(v)),
    ]  # fmt: skip
    y = 66
    for title, says, boxes in rows:
        marks += [TextLine(PAD, y + 18, title, bold=True), TextLine(LEFT, y + 44, says, _SMALL)]
        marks += [box._replace(x=LEFT + box.x, y=y + box.y) for box in boxes]
        y += _ROW
    marks.append(TextLine(PAD, y + 18, "Guaranteed", bold=True))
    for told in v.promises:
        if told.key != "tuned":
            for line in textwrap.wrap(filter_verdict.promise(told, examples).replace("α", "alpha"), 96):
                marks.append(TextLine(LEFT, y + 18, line, _SMALL))
                y += 20
    y += 14
    marks.append(Box(PAD, y, WIDTH - 2 * PAD, 1, LIGHT.border))
    for line in (judgement.command, *textwrap.wrap(judgement.about, _PER_LINE)):
        marks.append(TextLine(PAD, y + 24, line, _SMALL, LIGHT.muted))
        y += 20
    return marks, y + 24


def _shares(share: float) -> list[Box]:
    """A bar filled by the share that is left."""
    return [Box(0, 6, BAR, 16, LIGHT.border), Box(0, 6, max(2.0, min(share, 1.0) * BAR), 16, LIGHT.accent)]


def _time(v: filter_verdict.Verdict) -> str:
    if v.times is None:
        return filter_verdict.said_of_times(v).strip()
    ratio, low, high = v.times.ratio()
    over = f"a dense search over {filter_verdict.GRAMS[v.times.order]} (grey)"
    span = f"({low:.2f} to {high:.2f}, 95 %)"
    if high < 1:
        return f"not worth it: {over} takes {ratio:.2f} of the cascade's time {span}"
    return f"{ratio:.2f} times as fast as {over} {span}"


def _times(v: filter_verdict.Verdict) -> list[Box]:
    """Two bars; the longer of both searches fills the whole width."""
    if v.times is None:
        return []
    ratio = v.times.ratio()[0]
    most = max(1.0, ratio)
    return [
        Box(0, 4, ratio / most * BAR, 9, LIGHT.border),
        Box(0, 14, max(2.0, BAR / most), 9, LIGHT.accent),
    ]


def _losses(v: filter_verdict.Verdict) -> list[Box]:
    """The interval of the loss, the loss itself, and the tolerance."""
    scale = BAR / max(1.5 * v.tolerance, 1.2 * v.lost[1], 1e-9)
    low, high = (end * scale for end in v.lost)
    at = v.n_lost / max(v.n_test, 1) * scale
    return [
        Box(0, 14, BAR, 1, LIGHT.border),
        Box(low, 11, high - low, 6, LIGHT.pruned),
        Box(at, 7, 3, 14, LIGHT.text),
        Box(v.tolerance * scale, 2, 2, 24, LIGHT.accent),
    ]


def svg(marks: list[Box | TextLine], height: int, title: str) -> str:
    """The figure as SVG, up to 960 pixels wide."""
    drawn = "".join(map(_element, marks))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif"><title>{escape(title)}</title>'
        f'<rect width="{WIDTH}" height="{height}" fill="{LIGHT.background}"/>{drawn}</svg>'
    )


def _element(mark: Box | TextLine) -> str:
    x, y = f"{mark.x:.1f}", f"{mark.y:.1f}"
    if isinstance(mark, Box):
        size = f'width="{mark.width:.1f}" height="{mark.height:.1f}"'
        return f'<rect x="{x}" y="{y}" {size} fill="{mark.color}"/>'
    weight = ' font-weight="600"' if mark.bold else ""
    about = f'font-size="{mark.size}" fill="{mark.color}"{weight}'
    return f'<text x="{x}" y="{y}" {about}>{escape(mark.text)}</text>'


def png(marks: list[Box | TextLine], height: int) -> bytes:
    """The figure as a picture, at twice its size."""
    image = Image.new("RGB", (WIDTH * _ZOOM, height * _ZOOM), LIGHT.background)
    pen = ImageDraw.Draw(image)
    for m in marks:
        if isinstance(m, Box):
            ends = (m.x, m.y, m.x + max(m.width, 1), m.y + max(m.height, 1))
            pen.rectangle([_ZOOM * end for end in ends], m.color)
        else:
            font = ImageFont.load_default(m.size * _ZOOM)
            bold = 1 if m.bold else 0
            pen.text((m.x * _ZOOM, m.y * _ZOOM), m.text, m.color, font, anchor="ls", stroke_width=bold)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def draw_verdict(judgement: Judgement) -> tuple[str, bytes]:
    """(a separate page without a script, a picture)."""
    marks, height = marks_of(judgement)
    text = filter_verdict.describe_verdict(judgement.verdict)
    title = re.sub(r"[*:]", "", text.split(":**")[0]).strip()
    bold = re.sub("[*][*](.+?)[*][*]", "<b>\\1</b>", escape(text))
    paragraphs = "\n".join(f"<p>{part}</p>" for part in bold.split("\n\n"))
    colours = {name: getattr(LIGHT, name) for name in ("text", "background", "border", "surface")}
    page = document_head(title, _POLICY, _STYLE.format(**colours)) + _BODY.format(
        svg=svg(marks, height, title), paragraphs=paragraphs, command=escape(judgement.command),
        about=escape(judgement.about),
    )  # fmt: skip
    return page, png(marks, height)
