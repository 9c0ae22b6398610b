"""Stored results for Paper tables: the blocks that show them, and the fields that all results share.

A problem defines in its ``result.py`` how its results are shown: a `Shown` for each, named in its folder's
``PROBLEM``. The page shows blocks and notes; the report writes a short table and notes.
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


class ChartBlock(NamedTuple):
    """A chart."""

    make: Callable[[], Any]  # without arguments; returns a plotly figure
    key: str | None = None  # tells it from others on the page
    alt: str | None = None  # the same in words


class Charts(NamedTuple):
    """Charts side by side."""

    charts: tuple[ChartBlock, ...]


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


Block = Heading | Text | Note | ChartBlock | Charts | Table | Link


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
    """A `ChartBlock` of ``draw(result, **settings, **look)``, drawn when it is needed."""
    return ChartBlock(partial(draw, result, **settings, **look), key, alt)


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


def is_usable(result, needs=()):
    """Whether a file's content has the form of a result, and each row has the fields in `needs`."""
    rows = result.get("rows") if isinstance(result, dict) else None
    return (
        isinstance(rows, list)
        and len(rows) > 0
        and isinstance(result.get("name"), str)
        and all(isinstance(row, dict) and not set(needs) - set(row) for row in rows)
        and all(isinstance(row.get("features", ""), str) for row in rows)
    )


def features_of(result):
    """Feature sets of a result, in its order; none if its rows have no such column."""
    return list(dict.fromkeys(row["features"] for row in result["rows"] if "features" in row))


def data_of(result):
    """Data sets that a result's rows are about, in its order."""
    return list(dict.fromkeys(row["data"] for row in result["rows"]))


def any_frame(result):
    """Rows of a result that belongs to no problem; lists and objects are left out."""
    frame = pd.DataFrame(result["rows"])
    is_plain = [not frame[c].map(lambda v: isinstance(v, (list, dict))).any() for c in frame]
    return frame.loc[:, is_plain]


def origin_sentence(result):
    """Data, machine and time of a result in a sentence."""
    machine = result.get("machine", {})
    digests = ", ".join(f"{name} (SHA-256 {d[:12]}…)" for name, d in result.get("data_digests", {}).items())
    folds = result.get("settings", {}).get("folds")
    over = f" over {folds} of 10 test folds" if isinstance(folds, int) else ""
    return (
        f"Measured{over} on data {digests or 'not named'}; {machine.get('cpu', 'unknown processor')}, "
        f"{machine.get('cores', '?')} cores, Python {machine.get('python', '?')}, "
        f"{result.get('seconds', 0):.0f} s{_looks(result)}{measured_on(result, '; run of ')}."
    )


def measured_on(result: dict, before: str = "") -> str:
    """When a result was measured, and on top of which commit, preceded by `before`; empty if unknown.

    >>> measured_on({"provenance": [{"date": "2026-11-25", "commit": "92e8ff75"}]}, "run ")
    'run 2026-11-25 (commit 92e8ff75)'
    """
    runs = [run for run in result.get("provenance", ()) if run.get("date")]
    said = (f"{run['date']} (commit {run['commit']})" if run.get("commit") else run["date"] for run in runs)
    return before + ", ".join(dict.fromkeys(said)) if runs else ""


def _looks(result):
    """How often the result was measured on the test data, if that was counted."""
    n = result.get("looks_at_test")
    return f"; stored {f'{n} times' if n > 1 else 'once'} or more from these data" if n else ""


def command_of(result):
    """The command that repeats a result: the stored one, or one put together from its settings."""
    if isinstance(result.get("command"), str):
        return result["command"]
    words = ["python -m spcviz reproduce", result["name"]]
    settings = result.get("settings", {})
    features = settings.get("features")
    if isinstance(features, dict) and features:
        words += ["--features", *features]
    if isinstance(settings.get("folds"), int):
        words += ["--folds", str(settings["folds"])]
    return " ".join(words)


def chosen_on(result):
    """On which data settings were chosen, according to the result: a list of one sentence, or none."""
    chosen = result.get("settings", {}).get("chosen_on")
    return [f"Settings were chosen on: {chosen}."] if chosen else []


def _rows(result, features, look):
    return [Table(any_frame(result), result["name"])]


ANYTHING = Shown((), _rows)
"""A result that belongs to no problem is shown as it is."""

RULE_NAMES = {
    "mean_max": "mean and best (thesis)",
    "mean_max_first": "mean before any filter",
    "margin": "margin",
    "probability": "probability",
}
"""Names of the threshold rules in menus and tables."""

RULE_DECIMALS = {"n-grams": 1, "words": 2, "letters": 2, "over": 2, "loss": 2, "order": 0, "worst": 0}
WHAT_DECIDES = (
    "The thesis has one rule. Whether another leaves less was settled by a comparison fixed before the look: "
    "the ratio of n-grams at equal loss, with its interval."
)


def interval(low, high):
    """The two ends of an interval as text; a missing end lies beyond the measured range.

    >>> interval(0.5, 1.25), interval(None, 2.0), interval(None, None)
    ('0.50 to 1.25', '– to 2.00', '')
    """
    if low is None and high is None:
        return ""
    return " to ".join("–" if end is None else f"{end:.2f}" for end in (low, high))


def tolerances_frame(rows: list[dict], example: str, right: str, draws: str = "95 % of draws"):
    """Cascades with the same tolerance at every level, by rule and order: n-grams scored, loss and accuracy.

    `right` is the key of a row's words that are read right, `draws` the name of the column of intervals.
    """
    return pd.DataFrame(
        [
            {
                "tolerance a level %": row["tolerance"],
                "order": row["order"],
                "rule": RULE_NAMES[row["rule"]],
                "n-grams to score": row["n_grams_in"],
                "over thesis' rule": row["n_grams_in_ratio"][0],
                draws: interval(*row["n_grams_in_ratio"][1:]),
                f"worst {example}": row["n_grams_worst"],
                f"{example}s lost before %": row["lost"],
                "words right %": row[right],
            }
            for row in rows
        ]
    )
