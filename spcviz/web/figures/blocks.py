"""Building blocks of Paper tables: headings, tables, charts and links that show a result.

A problem defines in ``<problem>/paper/result.py`` how its results are shown: a `Shown` for each, named
in its folder's ``PROBLEM``. The page shows blocks and notes; the report writes a short table and notes.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

_NONE = MappingProxyType({})


class Heading(NamedTuple):
    """A heading above the following blocks."""

    text: str


class Text(NamedTuple):
    """Sentences."""

    markdown: str


class Note(NamedTuple):
    """The meaning of the numbers, in small print."""

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
    name: str  # of the file that a visitor downloads
    decimals: Mapping[str, int] = _NONE  # beginning of a column's name -> its decimals; see `number_format`
    rows: Any = None  # the frame in the form sent to a browser, once it is shown


class Link(NamedTuple):
    """A link to another page."""

    path: str  # of the page's file
    label: str
    icon: str
    query: dict | None = None  # names and values of its address


Block = Heading | Text | Note | Chart | Charts | Table | Link


class Shown(NamedTuple):
    """How a result is shown."""

    needs: tuple[str, ...]  # fields that each row of the result must have
    # blocks(result, features, look) -> list of `Block`, a `Table` among them: `features` is one of the
    # result's feature sets (any word if it has none), `look` a dict of the arguments of charts (palette,
    # scale, height)
    blocks: Callable[[dict, str, dict], list]
    # notes(result) -> list of str: which settings were chosen on which data, what counts and what does not
    notes: Callable[[dict], list] = lambda result: []
    features: Mapping[str, str] = _NONE  # names of the feature sets in a menu


def chart(draw, result, look, key=None, alt=None, **settings):
    """A `Chart` of ``draw(result, **settings, **look)``, drawn when it is needed."""
    return Chart(partial(draw, result, **settings, **look), key, alt)


def bullets(sentences, nothing=""):
    """Sentences as a Markdown list; `nothing` if there are none.

    >>> bullets(["One.", "Two."])
    '- One.\\n- Two.'
    """
    return "\n".join(f"- {sentence}" for sentence in sentences) or nothing


def number_format(column: str, decimals: dict[str, int]):
    """The printf format of a column, by the beginning of its name; else four digits, no decimals for µs.

    >>> number_format("letters right %, paper", {"letters right %": 2}), number_format("us", {})
    ('%.2f', '%.4g')
    """
    known = {"µs": 0} | decimals
    return next((f"%.{d}f" for start, d in known.items() if column.startswith(start)), "%.4g")
