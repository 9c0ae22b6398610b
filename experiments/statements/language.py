"""The format of statements' TOML files: fields of a row, names of its numbers, parts that rules judge.

A row of a ``.toml`` file has the fields of `Statement`, ``here``, ``spread``, ``note`` and ``brief`` (texts
with numbers in braces), ``let`` and ``parts``. ``let`` names numbers: ``kind argument | argument`` with a
kind of `kinds`, or a path of `evidence.Evidence.at`. With ``each = {WSJ = "wsj"}`` a number whose text has an
``@`` is computed for each value and labelled by its key; a list's items are ``@1``, ``@2``. ``unstored``
replaces ``spread`` where a judged number has none, or where the path ``wants`` has no value. A part names its
``rule``, the number it judges (``of``), and the rule's other arguments; it becomes one part per label.

Braces hold a name, ``name[label]`` or a path, and its format: ``.2`` decimals, ``+`` with sign, ``,`` with
thousands separators, a final ``/`` joins by slashes; ``±`` and ``h`` (without the sign) are half of each
interval, ``~`` both, ``[`` the ends, ``<`` the lower end, ``@`` the labels.
"""

import re
import string
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from experiments.statements import forms, kinds, rules  # noqa: F401, forms adds its kinds
from experiments.statements.evidence import Evidence, Found
from experiments.statements.kinds import Numbers
from experiments.statements.rules import Estimate


class Statement(NamedTuple):
    """A row: one claim of a document, or one finding of ours."""

    text: str  # at most 15 words; no two rows share it
    source: str  # section, table or figure of the document; for our own rows what they are compared with
    paper: str  # the numbers printed there
    same_data: str  # whether ours are the document's data
    needs: str  # `rules.ALL` or `rules.MOST` of the parts
    results: tuple[str, ...]  # names of the results that are read; a row opens the table of the first
    where: str  # the place in them
    read: Callable[[Evidence], Found]
    changed: str = ""  # why its verdict changed when a rule was changed


_TEXTS = ("here", "spread", "note", "brief")
_FIELDS = {"text", "source", "paper", "same_data", "needs", "results", "where", "changed"}
_KNOWN = {*_FIELDS, *_TEXTS, "let", "each", "parts", "wants", "unstored"}


def load(path: Path) -> tuple[Statement, ...]:
    """The rows of a file; `ValueError` for a row with an unknown field."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["row"]
    for row in rows:
        if unknown := set(row) - _KNOWN:
            raise ValueError(f"{path.name}: {row.get('text')!r} has the unknown field {min(unknown)}")
    return tuple(_statement(row) for row in rows)


def _statement(row):
    fields = {"paper": "–"} | {key: row[key] for key in _FIELDS if key in row}
    return Statement(**fields | {"results": tuple(row["results"]), "read": partial(found, row)})


def found(row: dict, ev: Evidence) -> Found:
    """The evidence for a row: its texts with our numbers, and its parts."""
    names: dict[str, Numbers] = {}
    for name, text in row["let"].items():
        names[name] = _numbers(ev, text, row.get("each"), names)
    parts = [part for entry in row["parts"] for part in _parts(ev, entry, names)]
    judged = [
        one for entry in row["parts"] for one in names.get(entry.get("of", "").lstrip("-"), {}).values()
    ]
    texts = dict(row)
    if "unstored" in row and (any(one.low is None and one.high is None for one in judged) or _lacks(ev, row)):
        texts["spread"] = row["unstored"]
    here, spread, note, brief = (_fill_text(ev, texts.get(key, ""), names) for key in _TEXTS)
    return Found(here, spread, parts, note, brief)


def _lacks(ev, row):
    """Whether the spread that the row needs is not stored."""
    try:
        return bool("wants" in row and ev.at(row["wants"]) is None)
    except LookupError:
        return True


def _numbers(ev, text, each, names):
    if each is None or "@" not in text:
        return kinds.numbers(ev, text, names)
    out = Numbers()
    for label, value in each.items():
        values = value if isinstance(value, list) else [value]
        filled = text.replace("@", "@1") if not isinstance(value, list) else text
        for n, one in enumerate(values, 1):
            filled = filled.replace(f"@{n}", str(one))
        out[label] = kinds.numbers(ev, filled, names | {k: n.near(label) for k, n in names.items()}).one
    return out


def _parts(ev, entry, names):
    if entry["rule"] == "beside":
        return [rules.beside(entry["as"])]
    name = entry["of"]
    numbers = names[name.lstrip("-")]
    papers = entry["paper"] if isinstance(entry.get("paper"), list) else [entry.get("paper")] * len(numbers)
    judge = partial(_RULES[entry["rule"]], ev, entry, names)
    return [
        judge(entry.get("as", "{}").format(label), -one if name.startswith("-") else one, paper)
        for (label, one), paper in zip(numbers.items(), papers, strict=True)
    ]


def _direction(ev, entry, names, label, one, paper):
    return rules.direction(label, one, paper, names[entry["reached"]].one.value if paper else 0.0)


def _level(ev, entry, names, label, one, paper):
    return rules.level(label, one, paper, lower_is_better=entry.get("lower", False))


_RULES = {
    "direction": _direction,
    "level": _level,
    "no_loss": lambda ev, entry, names, label, one, paper: rules.no_loss(
        label, one, entry.get("margin", ev.rules.margin)
    ),
    "faster": lambda ev, entry, names, label, one, paper: rules.faster(label, one, ev.rules, paper),
    "exactly none": lambda ev, entry, names, label, one, paper: rules.exactly(label, one.value == 0),
    "share": lambda ev, entry, names, label, one, paper: rules.share(
        label, one, entry.get("above"), entry.get("at_most")
    ),
}


class _Texts(string.Formatter):
    """Formats names, labels and paths that Python's own format fields cannot express."""

    def __init__(self, ev):
        self.ev = ev

    def get_field(self, field_name, args, kwargs):
        if "/" in field_name and field_name.partition("[")[0] not in kwargs:
            return kinds.numbers(self.ev, field_name, kwargs), field_name
        name, _, label = field_name.rstrip("]").partition("[")
        return kwargs[name].only(label) if label else kwargs[name], name

    def format_field(self, value, format_spec):
        return format_numbers(value, format_spec)


def _fill_text(ev, text, names):
    return _Texts(ev).vformat(text, (), names)


def format_numbers(numbers: Numbers, how: str) -> str:
    """Numbers in the format that a text specifies: see the module.

    >>> numbers = Numbers(a=Estimate(1.0, 0.5, 1.5), b=Estimate(2000.0, None, None))
    >>> format_numbers(numbers, "+.1"), format_numbers(numbers, ",.0/")
    ('+1.0, +2000.0', '1 / 2,000')
    >>> format_numbers(numbers.only("a"), "~.2")
    '+1.00 ± 0.50'
    """
    kind, sign, decimals, stroke = re.fullmatch(r"([±h~[<@]?)([+,]*)(?:\.(\d))?(/?)", how).groups()
    if kind == "@":
        pairs = numbers.items()
        return ", ".join(f"{label} {one.value:.{decimals}f}" if decimals else label for label, one in pairs)
    texts = {
        "": lambda one: f"{one.value:{sign}.{decimals}f}",
        "±": lambda one: f"{one.half:.{decimals}f}",
        "h": lambda one: f"{one.half:.{decimals}f}",
        "<": lambda one: f"{one.low:.{decimals}f}",
        "~": lambda one: f"{one.value:+.{decimals}f} ± {one.half:.{decimals}f}",
        "[": lambda one: _ends(decimals, one),
    }
    joined = (" / " if stroke else ", ").join(map(texts[kind], numbers.values()))
    return f"± {joined}" if kind == "±" else joined


def _ends(decimals, one: Estimate) -> str:
    ends = ("–" if end is None else f"{end:+.{decimals}f}" for end in (one.low, one.high))
    return f"[{', '.join(ends)}]"
