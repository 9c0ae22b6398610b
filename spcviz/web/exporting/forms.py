"""Building blocks of saved pages and sites: scripts of views, values as JavaScript, style sheets, colours."""

import base64
import json
import re
from functools import cache
from pathlib import Path
from urllib.parse import quote

from spcviz.web.figures.palette import CSS_VARIABLES, DARK, DARK_TIERS, LIGHT, LIGHT_TIERS
from spcviz.web.transport import static
from spcviz.web.view import mount

LOOP_KINDS, LOOP_WIDTHS = ("webp", "gif", "mp4"), (960, 1920)
"""Loops: file endings, and widths in pixels; the wider is the same picture at twice the resolution."""

OWN = Path(__file__).parent / "browser"
_FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", system-ui, sans-serif'
_FONTS = f"--st-font: {_FONT}; --st-code-font: monospace; "


def literal(value: object) -> str:
    """A value as JavaScript, bytes in base64; a visitor's text cannot end the script."""
    value = base64.b64encode(value).decode() if isinstance(value, bytes) else value
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def kind(component: mount.Component) -> str:
    """A component as a JavaScript object: its default export, style sheets, first HTML."""
    module = mount.script(component.parts).replace("export default ", "return ")
    css = "".join((mount.PACKAGE / sheet).read_text(encoding="utf-8") for sheet in component.css)
    start = inside_script(f"(() => {{\n{module}}})()")
    return f"{{ start: {start}, css: {literal(css)}, html: {literal(component.html or '')} }}"


def quote_address(address: str) -> str:
    """Quote a scene's address for a link, to follow the app's."""
    return quote(address, safe="?=&%+,.:;-_~/")


def inside_script(code: str) -> str:
    """Escape JavaScript for use between the tags of a script."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def own_script(*names: str) -> str:
    """Files of ``web`` as one script, without their imports of each other."""
    return inside_script(mount.script([f"web/{name}" for name in names]))


def themes(*, is_dark: bool | None = None) -> str:
    """The colours that views read: of one theme, or light with dark for visitors who prefer it."""
    light, dark = (
        "".join(f"{variable}: {getattr(palette, role)}; " for role, variable in CSS_VARIABLES.items())
        for palette in (LIGHT, DARK)
    )
    if is_dark is not None:
        scheme = "dark" if is_dark else "light"
        return f":root {{ {dark if is_dark else light}{_FONTS}color-scheme: {scheme}; }}\n"
    fonts = f"{_FONTS}color-scheme: light dark; "
    return f":root {{ {light}{fonts}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}\n"


@cache
def css(*names: str, is_dark: bool | None = None) -> str:
    """The themes and style sheets of `browser`."""
    sheets = [(OWN / name).read_text(encoding="utf-8") for name in ("page.css", *names)]
    return "".join([themes(is_dark=is_dark), *sheets])


@cache
def font_face() -> str:
    """The app's font embedded in a style sheet: labels are as wide as in the app, anywhere."""
    if (path := static.font()) is None:
        return ""
    source = f'url(data:font/woff2;base64,{base64.b64encode(path.read_bytes()).decode()}) format("woff2")'
    return f'@font-face {{ font-family: "Source Sans"; font-weight: 200 900; src: {source}; }}\n'


@cache
def pairs() -> list[tuple[str, str]]:
    """Light colours, each with the dark colour of the same meaning."""
    return [*zip(LIGHT, DARK), *zip(LIGHT_TIERS, DARK_TIERS)]


def in_dark(text: str) -> str:
    """Convert a light chart or page of our own, as text, to the dark palette.

    >>> in_dark('{"color": "#17202B"}')
    '{"color": "#E8EDF4"}'
    """
    dark = {light.lower(): other for light, other in pairs()}
    return re.sub("#[0-9a-fA-F]{6}(?![0-9a-fA-F])", lambda match: dark.get(match[0].lower(), match[0]), text)
