"""Building blocks of Paper tables: headings, tables, charts and links that show a result.

A problem says in ``<problem>/paper/result.py`` how its results are shown: a `Shown` for each, named
in its folder's ``PROBLEM``. The page shows blocks and notes; the report writes a short table and notes.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

_NONE = MappingProxyType({})


class Heading(NamedTuple):
    """A line above what follows."""

    text: str


class Text(NamedTuple):
    """Sentences."""

    markdown: str


class Note(NamedTuple):
    """What the numbers mean, in small letters."""

    markdown: str


class Chart(NamedTuple):
    """A chart."""

    make: Callable[[], Any]  # without arguments; returns a plotly figure
    key: str | None = None  # tells it from others on the page
    alt: str | None = None  # the same in words


class Charts(NamedTuple):
    """Charts side by side."""

    charts: tuple[Chart, ...]


class Table(NamedTuple):
    """A table."""

    frame: pd.DataFrame
    name: str  # of the file that a visitor takes home
    decimals: Mapping[str, int] = _NONE  # how a column begins to its decimals; see `number_format`
    rows: Any = None  # the frame as a browser takes it, once it is shown


class Link(NamedTuple):
    """A way to another page."""

    path: str  # of the page's file
    label: str
    icon: str
    query: dict | None = None  # what the address says there


Block = Heading | Text | Note | Chart | Charts | Table | Link


class Shown(NamedTuple):
    """How a result is shown."""

    needs: tuple[str, ...]  # what each row of the result must have
    # blocks(result, features, look) -> list of `Block`, a `Table` among them: `features` is one of the
    # result's sets of features (any word if it has none), `look` a dict of what charts take (palette, scale,
    # height)
    blocks: Callable[[dict, str, dict], list]
    # notes(result) -> list of str: what was chosen on which data, what counts and what does not
    notes: Callable[[dict], list] = lambda result: []
    features: Mapping[str, str] = _NONE  # what a menu calls the sets of features


def chart(draw, result, look, key=None, alt=None, **settings):
    """A `Chart` of ``draw(result, **settings, **look)``, drawn when it is wanted."""
    return Chart(partial(draw, result, **settings, **look), key, alt)


def bullets(sentences, nothing=""):
    """Sentences as a Markdown list; `nothing` if there are none.

    >>> bullets(["One.", "Two."])
    '- One.\\n- Two.'
    """
    return "\n".join(f"- {sentence}" for sentence in sentences) or nothing


def number_format(column: str, decimals: dict[str, int]):
    """How a column is printed, as a printf format: by how it begins, else four digits; microseconds without.

    >>> number_format("letters right %, paper", {"letters right %": 2}), number_format("us", {})
    ('%.2f', '%.4g')
    """
    known = {"µs": 0} | decimals
    return next((f"%.{d}f" for start, d in known.items() if column.startswith(start)), "%.4g")
