"""What a page's address says before the page runs: its title and its sentence, from the page's own first line."""

import ast
from functools import cache
from typing import NamedTuple

from spcviz.problems.common.folders import ROOT
from spcviz.web.ui import navigation


class First(NamedTuple):
    """A page as its HTML names it."""

    name: str  # in its address; "" is the home page
    title: str
    sentence: str
    has_charts: bool  # drawn by Plotly


@cache
def every() -> dict[str, First]:
    """{name in addresses: `First`} of all pages."""
    return {name: _first(name, path) for name, path in navigation.names().items()}


def _first(name, path):
    source = (ROOT / path).read_text(encoding="utf-8")
    line = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    title, _, sentence = line.partition(": ")
    sentence = sentence[:1].upper() + sentence[1:]
    return First(name, f"{title} · spcviz" if name else "spcviz", sentence, "plotly_chart" in source)
