"""What is shown of a reproduced result, block by block: for the page Paper tables and for ``spcviz report``.

A problem says in ``spcviz/figures/<problem>/result.py`` what its results come to: a `Shown` for each, named
in its folder's ``PROBLEM``. The page draws the blocks; the report writes those that are text. Blocks for
one of the two only say so.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

_NONE = MappingProxyType({})


class Heading(NamedTuple):
    """A line above what follows.

    Attributes
    ----------
    text : str
    in_report : bool
        False where only charts follow.
    """

    text: str
    in_report: bool = True


class Text(NamedTuple):
    """Sentences.

    Attributes
    ----------
    markdown : str
    on_page : bool
        False: for the report only.
    """

    markdown: str
    on_page: bool = True


class Note(NamedTuple):
    """What the numbers mean, in small letters."""

    markdown: str


class Chart(NamedTuple):
    """A chart; the report has none.

    Attributes
    ----------
    make : callable
        Without arguments; returns a plotly figure.
    key : str, optional
        Tells it from others on the page.
    alt : str, optional
        The same in words.
    """

    make: Callable[[], Any]
    key: str | None = None
    alt: str | None = None


class Charts(NamedTuple):
    """Charts side by side."""

    charts: tuple[Chart, ...]


class Table(NamedTuple):
    """A table.

    Attributes
    ----------
    frame : pandas.DataFrame
    name : str
        Of the file that a visitor takes home.
    decimals : dict of str to int
        How a column begins to its decimals; see `number_format`.
    in_report : bool
        False for tables too long to be read as text; the report says so.
    on_page : bool
        False: for the report only.
    """

    frame: pd.DataFrame
    name: str
    decimals: Mapping[str, int] = _NONE
    in_report: bool = True
    on_page: bool = True


class Link(NamedTuple):
    """A way to another page; the report has none.

    Attributes
    ----------
    path : str
        Of the page's file.
    label, icon : str
    query : dict, optional
        What the address says there.
    """

    path: str
    label: str
    icon: str
    query: dict | None = None


Block = Heading | Text | Note | Chart | Charts | Table | Link


class Headline(NamedTuple):
    """A line of the table of systems.

    Attributes
    ----------
    what : str
    paper, measured : str
        "–" where there is no number. `measured` is read from the result; so is `paper` where the result holds
        it.
    """

    what: str
    paper: str
    measured: str


def _nothing(result):
    """Of a result about which nothing is claimed."""
    return []


class Shown(NamedTuple):
    """How a result is shown.

    Attributes
    ----------
    needs : tuple of str
        What each row of the result must have.
    blocks : callable
        blocks(result, features, look) -> list of `Block`, a `Table` among them: `features` is one of the
        result's sets of features (any word if it has none), `look` a dict of what charts take (palette,
        scale, height).
    headline : callable
        headline(result) -> list of `Headline`, at least one: rows of the table of systems.
    misses : callable
        misses(result) -> list of str: what the paper claims and these numbers do not bear out, in sentences.
        The report begins with them.
    features : dict of str to str
        What a menu calls the sets of features.
    """

    needs: tuple[str, ...]
    blocks: Callable[[dict, str, dict], list]
    headline: Callable[[dict], list]
    misses: Callable[[dict], list] = _nothing
    features: Mapping[str, str] = _NONE


def chart(draw, result, look, key=None, alt=None, **settings):
    """A `Chart` of ``draw(result, **settings, **look)``, drawn when it is wanted."""
    return Chart(partial(draw, result, **settings, **look), key, alt)


def bullets(sentences, nothing=""):
    """Sentences as a Markdown list; `nothing` if there are none.

    Examples
    --------
    >>> bullets(["One.", "Two."])
    '- One.\\n- Two.'
    """
    return "\n".join(f"- {sentence}" for sentence in sentences) or nothing


def number_format(column, decimals):
    """How a column of numbers is printed, as a printf format.

    Parameters
    ----------
    column : str
    decimals : dict of str to int
        How a column begins to its decimals; times in microseconds have none, everything else four figures.

    Examples
    --------
    >>> number_format("letters right %, paper", {"letters right %": 2}), number_format("us", {})
    ('%.2f', '%.4g')
    """
    known = {"µs": 0} | decimals
    return next((f"%.{d}f" for start, d in known.items() if column.startswith(start)), "%.4g")
