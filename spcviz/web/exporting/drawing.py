"""Charts as SVG, drawn by plotly in an installed browser, with their source for papers; pages as PDF and PNG.

Plotly is JavaScript, so a chart needs a browser to become a file: Chromium or Chrome, run once for all
charts, without a window and without a network. Where none is installed, the caller gets an error.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote

from plotly.offline import get_plotlyjs

from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import chromium, markup

WINDOWLESS = ("chromium-headless-shell", "chrome-headless-shell")
"""Builds of Chromium without windows: they start and draw in less time, and draw the same pixels with
`chromium.HINTING`."""
BROWSERS = (
    *WINDOWLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
)  # fmt: skip
WIDTH, HEIGHT = 1000, 460
_SECONDS = 300
_AT_ONCE = 2
_MARK = re.compile(r'<path class="point" transform="(translate\([^"]*\))" (d="[^"]*" style="[^"]*")/>')
_OUT = re.compile(r'<pre id="out"[^>]*>([^<]*)</pre>')
_DRAW = """<!doctype html><meta charset="utf-8"><pre id="out"></pre><script src="plotly.js"></script>
<script src="charts.js"></script><script>
(async () => {
  const out = [];
  for (const { data, layout } of CHARTS) {
    const size = { width: layout.width ?? WIDTH, height: layout.height ?? HEIGHT };
    const chart = { data, layout: { ...layout, ...size } };
    out.push(await Plotly.toImage(chart, { format: "svg", ...size }));
  }
  const texts = out.map((one) => one.replace(/^data:image.svg.xml,/, ""));
  document.getElementById("out").textContent = texts.join(" ");
})();
</script>
"""


def browser() -> str | None:
    """The browser that draws: the one in ``BROWSER_PATH``, else the first of `BROWSERS` that is installed."""
    named = os.environ.get("BROWSER_PATH")
    return next((path for name in (named, *BROWSERS) if name and (path := shutil.which(name))), None)


def dark(spec: dict) -> dict:
    """A chart in the dark palette; the colour scale of a picture stays, its white is white in both."""

    def turned(value, name):
        if isinstance(value, str):
            return markup.in_dark(value)
        if name == "colorscale":
            return value
        if isinstance(value, list):
            return [turned(one, name) for one in value]
        if isinstance(value, dict):
            return {key: turned(one, key) for key, one in value.items()}
        return value

    return turned(spec, "")


def svgs(charts: Sequence[dict]) -> list[str]:
    """Each chart, as plotly takes it, as the text of an SVG file."""
    if not charts:
        return []
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "plotly.js").write_text(get_plotlyjs(), encoding="utf-8")
        known = f"const WIDTH = {WIDTH}, HEIGHT = {HEIGHT}, CHARTS = {json.dumps(list(charts))};"
        (here / "charts.js").write_text(known, encoding="utf-8")
        (here / "draw.html").write_text(_DRAW, encoding="utf-8")
        shown = _run(here, "--virtual-time-budget=240000", "--dump-dom", (here / "draw.html").as_uri())
    output = _OUT.search(shown)
    drawn = output[1].split() if output else []
    if len(drawn) != len(charts):
        raise ArgumentError(f"{browser()} drew {len(drawn)} of {len(charts)} charts")
    return [unquote(unescape(one)) for one in drawn]


def with_marks_once(svg: str) -> str:
    """Shrink an SVG: a mark that appears at many points is drawn once and reused at each.

    >>> with_marks_once('<svg><path class="point" transform="translate(1,2)" d="M0,0Z" style=""/></svg>')
    '<svg><use href="#m0" transform="translate(1,2)"/><defs><path id="m0" d="M0,0Z" style=""/></defs></svg>'
    """
    marks = {}

    def used(match):
        name = marks.setdefault(match[2], f"m{len(marks)}")
        return f'<use href="#{name}" transform="{match[1]}"/>'

    svg = _MARK.sub(used, svg)
    drawn = "".join(f'<path id="{name}" {shape}/>' for shape, name in marks.items())
    return f"{svg.removesuffix('</svg>')}<defs>{drawn}</defs></svg>" if marks else svg


def with_source(svg: str, *, title: str, command: str, data: object) -> str:
    """Add to an SVG its title, the command that makes it again, and its data."""
    content = escape(json.dumps(data, separators=(",", ":")), quote=False)
    about = (
        f"<title>{escape(title)}</title><metadata><command>{escape(command)}</command>"
        f'<data type="application/json">{content}</data></metadata>'
    )
    return re.sub(r"(<svg[^>]*>)", lambda match: match[1] + about, svg, count=1)


def pdf(html: str) -> bytes:
    """Print an HTML text of our own as PDF."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "page.html").write_text(html, encoding="utf-8")
        target = f"--print-to-pdf={here / 'page.pdf'}"
        _run(here, "--no-pdf-header-footer", target, (here / "page.html").as_uri())
        if not (here / "page.pdf").is_file():
            raise ArgumentError(f"{browser()} printed nothing")
        return (here / "page.pdf").read_bytes()


def pictures(addresses: Sequence[str], size: tuple[int, int]) -> list[bytes]:
    """Pages of our own in a window of a size, as PNGs, at one and a half times the resolution."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda address: _picture(address, size), addresses))


def _picture(address, size):
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "page.png")
        window = (f"--window-size={size[0]},{size[1]}", "--force-device-scale-factor=1.5")
        waits = ("--hide-scrollbars", "--virtual-time-budget=8000")
        _run(folder, *window, *waits, f"--screenshot={target}", address)
        if not target.is_file():
            raise ArgumentError(f"{browser()} drew nothing of {address}")
        return target.read_bytes()


def shots(html: str, size: tuple[int, int], scale: int, wanted: chromium.Wanted) -> tuple[list[bytes], str]:
    """Draw a page of our own in a separate browser: see `Chromium.draw`."""
    one = chromium.Chromium(require_browser())
    try:
        return one.draw(html, size, scale, wanted)
    finally:
        one.close()


def sheet(html: str, size: tuple[int, int], scale: int) -> tuple[bytes, str]:
    """A page of our own in a window, photographed once: (PNG, the text of its ``out``)."""
    with tempfile.TemporaryDirectory() as folder:
        here, target = Path(folder), Path(folder, "sheet.png")
        (here / "sheet.html").write_text(html, encoding="utf-8")
        window = (f"--window-size={size[0]},{size[1]}", f"--force-device-scale-factor={scale}")
        waits = ("--hide-scrollbars", "--force-prefers-reduced-motion", "--virtual-time-budget=20000")
        page = (here / "sheet.html").as_uri()
        shown = _run(folder, *window, *waits, f"--screenshot={target}", "--dump-dom", page)
        output = _OUT.search(shown)
        if not target.is_file() or not output or not output[1]:
            raise ArgumentError(f"{browser()} drew nothing")
        return target.read_bytes(), unescape(output[1])


def require_browser() -> str:
    """The browser's path; `ArgumentError` where none is installed."""
    if (path := browser()) is None:
        wanted = "install one, or name it in BROWSER_PATH"
        raise ArgumentError(f"charts are drawn by Chromium or Chrome, and none is installed; {wanted}")
    return path


def _run(folder, *arguments):
    """Run the browser; return its standard output."""
    command = [
        require_browser(),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        chromium.HINTING,
        f"--user-data-dir={folder}/profile",
    ]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=_SECONDS)
    return done.stdout
