"""What a page's address says before the page runs: title and sentence, the first line of the page's file."""

import ast
from functools import cache
from typing import NamedTuple

from spcviz.shared.folders import APP
from spcviz.web.ui import navigation

OPEN_WITH_CHARTS = ("exact_inference", "joint_beats_separate", "sweep", "loopy", "tables")
"""Pages whose first view has a chart of Plotly: a browser begins at once to fetch what draws it. A page that
is not named here fetches it when its chart comes; tests/browser/saving/test_still.py asks."""


class First(NamedTuple):
    """A page as its HTML names it."""

    name: str  # in its address; "" is the home page
    title: str
    sentence: str
    opens_with_chart: bool  # drawn by Plotly


@cache
def every() -> dict[str, First]:
    """{name in addresses: `First`} of all pages."""
    return {name: _first(name, path) for name, path in navigation.names().items()}


def _first(name, path):
    source = (APP / path).read_text(encoding="utf-8")
    line = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    title, _, sentence = line.partition(": ")
    sentence = sentence[:1].upper() + sentence[1:]
    return First(name, f"{title} · spcviz" if name else "spcviz", sentence, name in OPEN_WITH_CHARTS)
