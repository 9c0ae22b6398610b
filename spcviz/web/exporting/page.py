"""A scene as one HTML file: the content of its page, opened without a browser, and a host for its views.

Views are JavaScript over one message of bytes, so dragging, why, levels, playing and keys need no server;
parts that only a server can compute (the levels after one whose threshold was moved) stay as they were. The
content security policy allows the file's own script, and the plotly that it unpacks from itself.
"""

import base64
import gzip
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from urllib.parse import urlsplit

from plotly.offline import get_plotlyjs

import spcviz
from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import markup, snapshot
from spcviz.web.tours import tour
from spcviz.web.ui import navigation
from spcviz.web.view import mount

MOST_BYTES = 8_000_000
APP = "http://localhost:8501"
_PROGRAM = ("view/elements.js", "touring/tour_core.js", "exporting/browser/host.js",
            "exporting/browser/one_file.js")  # fmt: skip
_FORM = """<body>
<header><h1>{title}</h1><p>{sentence}</p></header>
<main>
{body}
</main>
<footer>{source}</footer>
<noscript><p>The pictures are drawn by a script in this file, which this browser does not run.</p></noscript>
<script type="module">{script}</script>
</body>
</html>
"""
_SOURCE = """The scene <code>{address}</code> of spcviz {version}, saved by
<code>python -m spcviz export</code>. <a href="{link}" rel="noreferrer">Open it in the app</a>, where what is
only computed there goes on: here, boxes and levels after one that is changed stay as they were saved.
Data and models are under the terms that come with the app."""


def scene_of(address: str) -> tour.Scene:
    """The scene that an address names, written as in the browser, with or without host and slash.

    >>> scene_of("http://localhost:8501/letters?order=6").address
    'letters?order=6'
    """
    parts = urlsplit(address.strip())
    name = parts.path.strip("/").rpartition("/")[2]
    if name not in navigation.headings():
        known = ", ".join(filter(None, navigation.headings()))
        raise ArgumentError(f"address must begin with one of {known}, got {address!r:.80}")
    return tour.Scene(f"{name}?{parts.query}" if parts.query else name)


def app_of(address: str) -> str:
    """The app that an address with a host belongs to, else the default address of a local app.

    >>> app_of("https://host.example/spcviz/letters?order=6"), app_of("letters")
    ('https://host.example/spcviz', 'http://localhost:8501')
    """
    parts = urlsplit(address.strip())
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return APP
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').rpartition('/')[0]}"


def html(address: str) -> str:
    """The file's text for a scene's address; `ArgumentError` if it cannot be saved."""
    scene = scene_of(address)
    shown = snapshot.take_snapshot(scene)
    if not shown.has_picture:
        raise ArgumentError(f"{scene.address} has no picture that can be saved")
    page = navigation.headings()[scene.page]
    link = escape(f"{app_of(address)}/{markup.quote_address(scene.address)}")
    about = {"address": escape(scene.address or "home"), "version": spcviz.__version__, "link": link}
    text = _fill(shown, page.title.removesuffix(" · spcviz"), page.sentence, _SOURCE.format(**about))
    if (size := len(text.encode())) > MOST_BYTES:
        more = f"more than {MOST_BYTES / 1e6:g}: {_what_to_leave_out(shown)}"
        raise ArgumentError(f"{scene.address} would take {size / 1e6:.1f} MB, {more}")
    return text


def _what_to_leave_out(shown):
    """Name the largest part of a page that is too large for a file, and say how to make it smaller."""
    named = [pair for view in shown.views for pair in (view.parts or {}).items()]
    size, name = max(((len(part.content), name) for name, part in named), default=(0, "view"))
    hint = "choose a shorter clip, fewer examples or a lower order"
    return f"its part “{name}” alone is {size / 1e6:.1f} MB; {hint}"


def of_view(view: mount.Mounted, title: str, sentence: str, still: bytes) -> str:
    """A document with one view outside the app's pages; `still` is a PNG for use where no script runs."""
    picture = f"data:image/png;base64,{base64.b64encode(still).decode()}"
    body = f'{snapshot.view_place(0)}<noscript><img src="{picture}" alt="{escape(sentence)}"></noscript>'
    shown = snapshot.Snapshot(body, [view], [], 0, "", {})
    return _fill(shown, title, sentence, f"Shown by spcviz {spcviz.__version__}.", font="")


def _fill(shown, title, sentence, source, font=None):
    script = _script(shown)
    style = f"<style>{(markup.font_face() if font is None else font) + markup.css()}</style>"
    rights = policy(script, with_charts=bool(shown.charts))
    about = {"title": escape(title), "sentence": escape(sentence), "source": source}
    head = markup.document_head(title, rights, style, kind="one-file")
    return head + _FORM.format(body=shown.body, script=script, **about)


def policy(script: str, *, with_charts: bool = False) -> str:
    """A content security policy: nothing from outside, and only this script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    unpacked = " blob:" if with_charts else ""
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'{unpacked}; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def _script(shown):
    """One script: the views, then the host."""
    lines = [
        *of_views(shown.views),
        f"const CHARTS = {markup.literal([chart._asdict() for chart in shown.charts])};",
        f"const PAIRS = {markup.literal(markup.pairs() if shown.charts else [])};",
        f"const PLOTLY = {markup.literal(_plotly() if shown.charts else '')};",
    ]
    return "\n".join([*lines, markup.own_script(*_PROGRAM)])


def of_views(views: Sequence[mount.Mounted]) -> list[str]:
    """Lines of a script: each kind's module as a function that returns its default export, then mounts."""
    kinds = {view.component.name: view.component for view in views}
    mounts = [f"[{markup.literal(view.component.name)}, {markup.literal(view.data)}]" for view in views]
    return [
        "const KINDS = {};",
        *(f'KINDS["{name}"] = {markup.kind(component)};' for name, component in kinds.items()),
        f"const MOUNTS = [{', '.join(mounts)}];",
    ]


@cache
def _plotly():
    """Plotly's script, compressed."""
    return gzip.compress(get_plotlyjs().encode(), 9, mtime=0)
