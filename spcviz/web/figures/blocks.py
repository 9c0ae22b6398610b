"""What is shown of a reproduced result: its claims, and the blocks of the page Paper tables.

A problem says in ``spcviz/figures/<problem>/result.py`` how its results are shown: a `Shown` for each, named
in its folder's ``PROBLEM``. The page shows claims, blocks and notes; the report writes claims and notes.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from spcviz.web.figures.claims import Claim

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
    """A chart.

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
    """

    frame: pd.DataFrame
    name: str
    decimals: Mapping[str, int] = _NONE


class Link(NamedTuple):
    """A way to another page.

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


def _nothing(result):
    """Of a result that needs no notes."""
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
    claims : tuple of Claim
        What is said of it (`spcviz.web.figures.claims`).
    notes : callable
        notes(result) -> list of str: what was chosen on which data, what counts and what does not.
    no_claims : str
        Why nothing is claimed, where nothing is.
    features : dict of str to str
        What a menu calls the sets of features.
    """

    needs: tuple[str, ...]
    blocks: Callable[[dict, str, dict], list]
    claims: tuple[Claim, ...] = ()
    notes: Callable[[dict], list] = _nothing
    no_claims: str = ""
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
