"""A scene as one HTML file: what its page mounts, opened without a browser, and a host for it.

The views are JavaScript over one message of bytes, so a file that has both needs no server: dragging, why,
levels, playing and keys work. What only the server can compute (the levels after one whose threshold was
moved) stays as it was when the file was made. The file asks for nothing from outside: its content security
policy allows its own script, by its digest, and nothing else.
"""

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import spcviz
from spcviz.engine.errors import ArgumentError
from spcviz.web.figures.palette import CSS_VARIABLES, DARK, LIGHT
from spcviz.web.opening import opened
from spcviz.web.serving import pages
from spcviz.web.tours import tour
from spcviz.web.view import mount

OWN = Path(__file__).parent
MOST_BYTES = 8_000_000
_OF_THE_BAR = ("spcviz_tour", "spcviz_speaker", "spcviz_handout")
_FORM = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1><p>{sentence}</p></header>
<main></main>
<footer>The scene <code>{address}</code> of spcviz {version}, saved by <code>python -m spcviz export</code>.
What only the app can compute, such as the levels after one that is changed here, stays as it was saved.
Its data and models are under the terms that come with the app.</footer>
<script>{script}</script>
</body>
</html>
"""
_FONT = '"Source Sans 3", "Source Sans Pro", system-ui, sans-serif'


def scene_of(address: str) -> tour.Scene:
    """The scene that an address names: as in the browser, with or without host and slash.

    >>> scene_of("http://localhost:8501/letters?order=6").address
    'letters?order=6'
    """
    parts = urlsplit(address.strip())
    name = parts.path.strip("/").rpartition("/")[2]
    if name not in pages.every():
        raise ArgumentError(
            f"address must begin with one of {', '.join(filter(None, pages.every()))}, got {address!r:.80}"
        )
    return tour.Scene(f"{name}?{parts.query}" if parts.query else name)


def html(address: str) -> str:
    """The file's text for a scene's address.

    Raises `ArgumentError` if there is no such page, if the page says that something is wrong, if it mounts no
    view, or if the file would be too large.
    """
    scene = scene_of(address)
    with mount.recording() as mounted:
        at = opened(scene)
    if wrong := [element.value for element in [*at.exception, *at.error]]:
        raise ArgumentError(f"{scene.address} cannot be saved: {wrong[0]}")
    views = [view for view in mounted if view.component.name not in _OF_THE_BAR]
    if not views:
        raise ArgumentError(f"{scene.address} has no view that can be saved: its pictures are charts")
    text = _document(scene, views)
    if len(text.encode()) > MOST_BYTES:
        size, most = len(text.encode()) / 1e6, MOST_BYTES / 1e6
        raise ArgumentError(
            f"{scene.address} would take {size:.1f} MB, more than {most:g}: choose a shorter clip or fewer "
            "examples"
        )
    return text


def _document(scene, views):
    page, script = pages.every()[scene.page], _script(views)
    title = page.title.removesuffix(" · spcviz")
    return _FORM.format(
        policy=escape(_policy(script)),
        title=escape(title),
        sentence=escape(page.sentence),
        style=_themes() + (OWN / "page.css").read_text(encoding="utf-8"),
        address=escape(scene.address or "home"),
        version=spcviz.__version__,
        script=script,
    )


def _policy(script):
    """Nothing from outside, and of scripts this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _script(views):
    """One script: each view's module as a function that returns its default export, then the host."""
    kinds = dict.fromkeys(view.component for view in views)
    names = {component: f"view{k}" for k, component in enumerate(kinds)}
    lines = ['"use strict";']
    for component, name in names.items():
        module = mount.script(component.parts).replace("export default ", "return ")
        lines.append(f"const {name} = (() => {{\n{module}}})();")
    mounts = [
        f"[{names[view.component]}, {_literal(view.data)}, {_literal(_css(view.component))}, "
        f"{_literal(view.component.html or '')}]"
        for view in views
    ]
    lines.append(f"const MOUNTS = [{', '.join(mounts)}];")
    lines.append((OWN / "host.js").read_text(encoding="utf-8"))
    return "\n".join(lines).replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _literal(value):
    """A value as JavaScript, bytes in base64; what a visitor typed cannot end the script."""
    value = base64.b64encode(value).decode() if isinstance(value, bytes) else value
    return json.dumps(value).replace("<", "\\u003c")


def _css(component):
    return "".join((mount.PACKAGE / sheet).read_text(encoding="utf-8") for sheet in component.css)


def _themes():
    """The colours that views read, light, and dark for who has chosen that."""
    light, dark = (
        "".join(f"{variable}: {getattr(palette, role)}; " for role, variable in CSS_VARIABLES.items())
        for palette in (LIGHT, DARK)
    )
    fonts = f"--st-font: {_FONT}; --st-code-font: monospace; color-scheme: light dark; "
    return f":root {{ {light}{fonts}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}\n"
