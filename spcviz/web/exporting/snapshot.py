"""Snapshot of a page without the app: its texts, numbers and tables as HTML, its views and charts as data.

A page is run once without a browser (`spcviz.web.first_scenes.open_page`). Controls that need the app, boxes
and sliders above a picture, are left out; views keep everything that they do in the browser.
"""

import json
import re
from collections.abc import Mapping
from html import escape
from typing import NamedTuple

from streamlit.testing.v1.element_tree import Block, Node

from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import markup
from spcviz.web.first_scenes import open_page
from spcviz.web.touring.touring import FACTS, PYTHON
from spcviz.web.tours import tour
from spcviz.web.view import mount

OF_THE_BAR = ("spcviz_tour", "spcviz_course", "spcviz_course_page", "spcviz_speaker", "spcviz_handout")
_KEY = re.compile("[a-z_]+")
_ALERTS = ("info", "success", "warning")


class PageChart(NamedTuple):
    """A chart in plotly's form."""

    spec: dict  # data and layout
    alt: str  # what it shows, in words


class Snapshot(NamedTuple):
    """A page at one moment."""

    body: str  # HTML; `view_place` and `chart_place` mark where views and charts belong
    views: list[mount.Mounted]
    charts: list[PageChart]
    n_drawn: int  # further pictures and tables, which are in the HTML
    python: str  # lines that compute what is shown; "" if none were written
    facts: dict[str, str]  # the page's numbers by name, for the sentences of a tour

    @property
    def has_picture(self) -> bool:
        """Whether there is anything worth saving in a file."""
        return bool(self.views or self.charts or self.n_drawn)


def view_place(k: int) -> str:
    """Placeholder of view `k`."""
    return f'<section data-view="{k}"></section>'


def chart_place(k: int) -> str:
    """Placeholder of chart `k`."""
    return f'<figure class="stPlotlyChart" data-chart="{k}"></figure>'


def take_snapshot(scene: tour.Scene, more: Mapping[str, str] | None = None) -> Snapshot:
    """Take the snapshot of a scene's page, with `more` names in its address; its error as `ArgumentError`."""
    with mount.recording() as mounted:
        at = open_page(scene, more)
    if wrong := [element.value for element in [*at.exception, *at.error]]:
        raise ArgumentError(f"{scene.address or 'the home page'} cannot be saved: {wrong[0]}")
    reader = _PageReader(mounted)
    body = "\n".join(reader.read(at.main))
    facts = dict(at.session_state[FACTS])  # the bar of every page stores them, if any
    return Snapshot(body, reader.views, reader.charts, reader.n_drawn, at.session_state[PYTHON], facts)


def _metric(element):
    note = f"<small>{markup.inline(element.delta)}</small>" if element.delta else ""
    label, value = markup.inline(element.label), markup.inline(element.value)
    shown = f"<span>{label}</span><b>{value}</b>{note}"
    return f'<div class="metric" data-testid="stMetric">{shown}</div>'


_FORMS = {
    "caption": lambda element: f'<div class="caption">{markup.html(element.value)}</div>',
    "text": lambda element: f'<p class="plain">{escape(element.value)}</p>',
    "code": lambda element: f"<pre>{escape(element.value)}</pre>",
    "latex": lambda element: f"<p>{markup.inline('$' + element.value.strip('$ ') + '$')}</p>",
    "metric": _metric,
    **dict.fromkeys(
        ("title", "header", "subheader"), lambda element: f"<h2>{markup.inline(element.value)}</h2>"
    ),
    **dict.fromkeys(_ALERTS, lambda element: f'<div class="alert">{markup.html(element.value)}</div>'),
}


class _PageReader:
    """Walks a page's elements, in order."""

    def __init__(self, mounted):
        # A page may run more than once until it is complete: keep the last view mounted in each place.
        self.mounted = {(view.component.name, view.key): view for view in mounted}
        self.views, self.charts, self.n_drawn = [], [], 0

    def read(self, place: Node) -> list[str]:
        """The HTML of an element and everything in it: a list of pieces."""
        if not isinstance(place, Block):
            return self._element(place)
        if place.type == "popover":
            return []
        inside = [child for _, child in sorted(place.children.items())]
        pieces = [piece for child in inside for piece in self.read(child)]
        if not pieces:
            return []
        if place.type == "column":
            return [f'<div class="column" style="flex-grow: {place.weight:.3g}">', *pieces, "</div>"]
        if any(child.type == "column" for child in inside):
            return ['<div class="columns">', *pieces, "</div>"]
        if place.type == "expander":
            return [f"<details><summary>{markup.inline(place.label)}</summary>", *pieces, "</details>"]
        if place.type == "tab":
            return [f"<h3>{markup.inline(place.label)}</h3>", *pieces]
        if (key := getattr(place, "key", None)) and _KEY.fullmatch(key):  # tours point at it
            return [f'<div class="st-key-{key}">', *pieces, "</div>"]
        return pieces

    def _element(self, element):
        if form := _FORMS.get(element.type):
            return [form(element)]
        read = getattr(self, f"_{element.type}", None)
        return read(element) if read else []

    def _markdown(self, element):
        text = element.value.strip()
        shown = markup.html(text)
        if text.startswith("# "):  # left out on a projector, as in the app
            shown = f'<div class="intro">{shown}</div>'
        return [shown] if text else []

    def _html(self, element):
        """HTML written by the page itself; the file's policy lets no script in it run."""
        body = element.proto.body.strip()
        if body.endswith("</style>"):  # for the app's own elements
            return []
        self.n_drawn += 1
        dark = markup.in_dark(body)
        both = f'<div class="in-light">{body}</div><div class="in-dark">{dark}</div>'
        return [body if dark == body else both]

    def _arrow_data_frame(self, element):
        self.n_drawn += 1
        shown = element.value.to_html(border=0, index=False, escape=True)
        return [f'<div class="wide" tabindex="0">{shown}</div>']

    _arrow_table = _arrow_data_frame

    def _plotly_chart(self, element):
        chart = element.proto
        self.charts.append(PageChart(json.loads(chart.spec), markup.words(chart.alt)))
        return [chart_place(len(self.charts) - 1)]

    def _bidi_component(self, element):
        name = element.proto.component_name.rpartition(".")[2]
        if name in OF_THE_BAR:
            return []
        self.views.append(self.mounted[name, element.key])
        return [view_place(len(self.views) - 1)]
