"""HTML of saved pages and sites: document heads, markdown, scripts of views, style sheets, colours.

Pages write their sentences in Streamlit's markdown. All of it is treated as text first, then a few marks are
interpreted. It never yields links, pictures or HTML: the input of a visitor or a tour stays text in a file
that somebody opens on their own disk.
"""

import base64
import json
import re
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from spcviz.web.figures.palette import CSS_VARIABLES, DARK, DARK_TIERS, LIGHT, LIGHT_TIERS
from spcviz.web.transport import static_files
from spcviz.web.view import mount

LOOP_KINDS, LOOP_WIDTHS = ("webp", "gif", "mp4"), (960, 1920)
"""Loops: file endings, and widths in pixels; the wider is the same picture at twice the resolution."""

OWN = Path(__file__).parent / "browser"
_FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", system-ui, sans-serif'
_FONTS = f"--st-font: {_FONT}; --st-code-font: monospace; "


def document_head(title: str, policy: str, *more: str, kind: str = "") -> str:
    """A document up to the end of its head; `policy`: its security policy, `more`: lines of HTML."""
    name = f' class="{kind}"' if kind else ""
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"{name}>',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            *more,
            "</head>\n",
        ]
    )


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
    """The themes, and style sheets of the folder ``browser``."""
    sheets = [(OWN / name).read_text(encoding="utf-8") for name in ("page.css", *names)]
    return "".join([themes(is_dark=is_dark), *sheets])


@cache
def font_face() -> str:
    """The app's font embedded in a style sheet: labels are as wide as in the app, anywhere."""
    if (path := static_files.font()) is None:
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


_KEPT = re.compile(r"\\([!-/:-@\[-`{-~])|`([^`\n]+)`|\$([^$\n]+)\$")
_MATERIAL = re.compile(r":material/[a-z0-9_]+:\s?")
_COLOURED = re.compile(r":(?:red|green|blue|orange|violet|gray|small)(?:-background)?\[([^\]]*)\]")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")
_HEADING = re.compile(r"(#{1,4})\s+(.*)")
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+(.*)")
_RULE = re.compile(r"\|?[\s:|-]+\|?")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SIGNS = {"times": "×", "le": "≤", "leq": "≤", "ge": "≥", "sqrt": "√", "sum": "Σ", "lvert": "|",
          "rvert": "|", "cdot": "·", "quad": " ", "hat": "", "mathcal": "", "text": "", "mathrm": "",
          "left": "", "right": "", "frac": ""}  # fmt: skip
_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "lambda": "λ",
          "tau": "τ", "psi": "ψ", "pi": "π", "sigma": "σ"}  # fmt: skip


class _Put(NamedTuple):
    """Pieces that no mark may change, in the order of their places in a text."""

    pieces: list[str]

    def aside(self, match: re.Match) -> str:
        sign, code, formula = match.groups()
        if sign is not None:
            piece = escape(sign)
        elif code is not None:
            piece = f"<code>{escape(code)}</code>"
        else:
            piece = f"<i>{_formula(formula)}</i>"
        self.pieces.append(piece)
        return f"\0{len(self.pieces) - 1}\0"

    def back(self, text: str) -> str:
        return re.sub("\0(\\d+)\0", lambda match: self.pieces[int(match[1])], text)


def inline(text: str) -> str:
    r"""One line as HTML.

    >>> inline("**keep** `a<b` and [more](http://x.example)")
    '<strong>keep</strong> <code>a&lt;b</code> and more'
    >>> inline("<script>, \\*this\\*")
    '&lt;script&gt;, *this*'
    """
    put = _Put([])
    text = _KEPT.sub(put.aside, text.replace("\0", ""))
    text = _COLOURED.sub(r"\1", _MATERIAL.sub("", text))
    text = escape(_LINK.sub(r"\1", text))
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])", r"<em>\1</em>", text)
    return put.back(text)


def words(text: str) -> str:
    """The text of a line, without marks.

    >>> words("**It holds**: :material/check: a < b")
    'It holds: a < b'
    """
    return unescape(re.sub("<[^>]*>", "", inline(text)))


def _formula(text: str) -> str:
    """A formula's characters: readable, not typeset."""
    signs = _COMMAND.sub(lambda match: _GREEK.get(match[1], _SIGNS.get(match[1], match[1])), text)
    shown = escape(signs)
    for mark, tag in (("^", "sup"), ("_", "sub")):
        shown = re.sub(rf"\{mark}(?:\{{([^{{}}]*)\}}|(\w))",
                       lambda m, tag=tag: f"<{tag}>{m[1] or m[2] or ''}</{tag}>", shown)  # fmt: skip
    return shown.replace("{", "").replace("}", "").replace("\\", "")


def html(text: str) -> str:
    """A markdown text as HTML: headings, paragraphs, lists, tables.

    >>> html("# Title\\nOne line\\nand more")
    '<h2>Title</h2>\\n<p>One line and more</p>'
    """
    out: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.splitlines()
        while lines and (heading := _HEADING.fullmatch(lines[0].strip())):
            level = min(len(heading[1]) + 1, 5)
            out.append(f"<h{level}>{inline(heading[2])}</h{level}>")
            lines = lines[1:]
        if lines:
            out.append(_block(lines))
    return "\n".join(out)


def _block(lines):
    if len(lines) > 1 and "|" in lines[0] and _RULE.fullmatch(lines[1].strip()):
        return _table(lines)
    if all(_ITEM.fullmatch(line) for line in lines):
        items = "".join(f"<li>{inline(_ITEM.fullmatch(line)[1])}</li>" for line in lines)
        return f"<ul>{items}</ul>"
    return f"<p>{inline(' '.join(line.strip() for line in lines))}</p>"


def _table(lines):
    head, _, *rows = [line.strip().strip("|").split("|") for line in lines]
    first = "".join(f'<th scope="col">{inline(cell.strip())}</th>' for cell in head)
    rest = ["".join(f"<td>{inline(cell.strip())}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{row}</tr>" for row in rest)
    table = f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0">{table}</div>'
