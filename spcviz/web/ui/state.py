"""`StateTable`: a page's state as one table (name, type, range, default), bound to the URL.

A page reads its table, seeds its widgets from it, and every callback writes back through it. A value that
does not parse or is out of range counts as absent and leaves the address; a default is not written. So a link
restores a page, and a mistyped link still shows one. The first scene may differ from that of the defaults
(`StateTable.first_scene`), so that older links keep their meaning. A value that only another machine has (a
picture of a data set) counts as absent, but stays in the address, and `StateTable.missing` lets the page say
so.

Streamlit's ``bind="query-params"`` does the same for single widgets, but a bound name cannot be set by code,
and components own part of the state (alpha is dragged in the browser).
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from spcviz.web.figures.formatting import plain
from spcviz.web.ui import history, misread

MOST_NAMED, MOST_CHARACTERS = 8, 24
"""Choices that a sentence lists, and the characters of each."""


class Field(NamedTuple):
    """One row of the table; made by `whole`, `real`, `choice`, `flag` and `text`."""

    name: str  # the parameter's name in the address
    kind: str  # one of "whole", "real", "choice", "text"
    default: Any  # meaning of an absent parameter
    # low, high: range of numbers, ends included
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[Any, ...] = ()  # allowed values, for any kind; empty = not restricted further
    pattern: str = ""  # regular expression that the whole text must match
    longest: int = 400  # characters of its text in the address
    # regular expression of values that may be on offer on another machine; empty = there are none
    elsewhere: str = ""

    def parse(self, text: object) -> Any:
        """The value of a text in the address; the default if it is invalid."""
        value = self._convert(text)
        return value if value is not None and self.allows(value) else self.default

    def says(self, text: object) -> bool:
        """Whether a text in the address is a value of the field; no text means None."""
        value = self._convert(text)
        return value is not None and self.allows(value)

    def convert(self, value: Any) -> Any:
        """A value in the field's own type, if they are equal: a browser sends 1.0 as 1."""
        is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53
        return float(value) if self.kind == "real" and is_whole else value

    def allows(self, value: Any) -> bool:
        """Whether a value is in range; the default always is."""
        if value == self.default and type(value) is type(self.default):
            return True
        if self.choices and value not in self.choices:
            return False
        if self.kind == "whole":
            return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high
        if self.kind == "real":
            return isinstance(value, float) and self.low <= value <= self.high
        return isinstance(value, str) and bool(re.fullmatch(self.pattern, value, re.ASCII))

    def is_missing(self, text: object) -> bool:
        """Whether a text in the address requests a value that another machine may have and this one lacks."""
        if not self.elsewhere or not isinstance(text, str) or len(text) > self.longest:
            return False
        return not self.allows(self._convert(text)) and bool(re.fullmatch(self.elsewhere, text, re.ASCII))

    def describe_refusal(self, text: str) -> str:
        """A sentence about a text in the address that is no value of the field.

        >>> whole("level", 1, 1, 6).describe_refusal("9")
        'The address says level = “9”, but a whole number from 1 to 6 is wanted; the page shows its own.'
        >>> choice("view", "grid", ("grid", "bars")).describe_refusal("x")
        'The address says view = “x”, but one of grid, bars is wanted; the page shows its own.'
        """
        names = [str(one) for one in self.choices]
        if names and len(names) <= MOST_NAMED and all(len(one) <= MOST_CHARACTERS for one in names):
            listed = ", ".join(plain(one) for one in names if one)
            wanted = f"one of {listed} is wanted" if len(names) > 1 else f"only {listed} is here"
        elif names:
            wanted = "that is none of those on offer"
        elif self.kind == "text":
            wanted = "that cannot be read as such"
        else:
            number = "a whole number" if self.kind == "whole" else "a number"
            wanted = f"{number} from {self.low:.12g} to {self.high:.12g} is wanted"
        asked = f"{plain(self.name)} = {misread.quote(text)}"
        return f"The address says {asked}, but {wanted}; the page shows its own."

    def _convert(self, text: object) -> int | float | str | None:
        if not isinstance(text, str) or len(text) > self.longest:
            return None
        if self.kind == "whole":
            return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None
        if self.kind == "real":
            if not re.fullmatch(r"-?([0-9]{1,9}(\.[0-9]{0,20})?|\.[0-9]{1,20})(e-?[0-9]{1,3})?", text):
                return None
            return float(text)
        return text


def whole(name: str, default: int, low: int, high: int, choices: Iterable[int] = ()) -> Field:
    """A whole number from low to high."""
    return Field(name, "whole", default, low, high, tuple(choices))


def real(name: str, default: float | None, low: float, high: float) -> Field:
    """A number from low to high; the default may be None, "not set"."""
    return Field(name, "real", default, low, high)


def choice(name: str, default: str, choices: Iterable[str], elsewhere: str = "") -> Field:
    """One of several words; `elsewhere`: a pattern of words available on machines with more data."""
    return Field(name, "choice", default, choices=tuple(choices), pattern=".*", elsewhere=elsewhere)


def flag(name: str, default: bool) -> Field:
    """Yes or no, in the address as 1 and 0; its value is the int."""
    return Field(name, "whole", int(default), 0, 1)


def text(name: str, default: str, pattern: str, longest: int = 400) -> Field:
    """Text of at most `longest` characters that matches a regular expression."""
    return Field(name, "text", default, pattern=pattern, longest=longest)


class StateTable:
    """The state of one page, from its fields.

    >>> view = choice("view", "grid", ("grid", "bars"))
    >>> table = StateTable(whole("level", 1, 1, 6), real("alpha", None, 0, 1), view)
    >>> table.parse({"level": "9", "alpha": "0.5", "other": "x"})
    {'level': 1, 'alpha': 0.5, 'view': 'grid'}
    >>> table.encode({"level": 1, "alpha": 0.5, "view": "bars"})
    {'alpha': '0.5', 'view': 'bars'}
    """

    def __init__(self, *fields: Field, opening: Mapping[str, object] | None = None) -> None:
        self.fields = {field.name: field for field in fields}
        self.opening = {n: v for n, v in (opening or {}).items() if self.fields[n].allows(v)}
        """Values in which the page's first scene, that of an address with none of the table's names, differs
        from the defaults: older links omit defaults, and keep their meaning."""

    @property
    def defaults(self) -> dict[str, Any]:
        """The meaning of each absent parameter."""
        return {name: field.default for name, field in self.fields.items()}

    @property
    def first_scene(self) -> dict[str, Any]:
        """The state of an address with none of the table's names.

        >>> table = StateTable(whole("level", 1, 1, 6), whole("order", 4, 1, 6), opening={"order": 6})
        >>> table.parse({}), table.parse({"level": "1"})
        ({'level': 1, 'order': 6}, {'level': 1, 'order': 4})
        >>> table.encode({"level": 1, "order": 6}), table.encode({"level": 1, "order": 4})
        ({}, {'order': '4'})
        """
        return self.defaults | self.opening

    def narrow(self, **choices: Iterable[Any]) -> "StateTable":
        """The same table with the currently available choices; the first replaces a missing default."""
        fields = dict(self.fields)
        for name, allowed in choices.items():
            now, field = tuple(allowed), fields[name]
            default = field.default if field.default in now or not now else now[0]
            fields[name] = field._replace(choices=now, default=default)
        return StateTable(*fields.values(), opening=self.opening)

    def parse(self, params: Mapping[str, str]) -> dict[Any, Any]:
        """State from the URL's parameters: every name of the table; other names are ignored."""
        params = getattr(params, "to_dict", lambda: params)()  # Streamlit locks the session for each name
        if self.fields.keys().isdisjoint(params):
            return self.first_scene
        return {
            name: field.parse(params[name]) if name in params else field.default
            for name, field in self.fields.items()
        }

    def missing(self, params: Mapping[str, str]) -> dict[str, str]:
        """Requested values that another machine may have and this one lacks: {name: its text}.

        >>> table = StateTable(choice("pair", "dots", ("dots",), elsewhere="cones|tsukuba"))
        >>> table.missing({"pair": "cones"}), table.missing({"pair": "typing error"})
        ({'pair': 'cones'}, {})
        """
        params = getattr(params, "to_dict", lambda: params)()
        return {
            name: params[name]
            for name, field in self.fields.items()
            if name in params and field.is_missing(params[name])
        }

    def list_refused(self, params: Mapping[str, str]) -> dict[str, str]:
        """Requested values that are invalid: {name: its text}, shortened.

        >>> table = StateTable(text("text", "", "[a-z]{0,3}"))
        >>> table.list_refused({"text": "abcd"}), table.list_refused({"text": "abc"})
        ({'text': 'abcd'}, {})
        """
        params = getattr(params, "to_dict", lambda: params)()
        out = {}
        for name, field in self.fields.items():
            if name in params and not field.is_missing(params[name]) and not field.says(params[name]):
                out[name] = params[name][:80]
        return out

    def clean(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """A state with every out-of-range value replaced by its default."""
        taken = {name: field.convert(state[name]) for name, field in self.fields.items() if name in state}
        return {
            name: taken[name] if name in taken and field.allows(taken[name]) else field.default
            for name, field in self.fields.items()
        }

    def encode(self, state: Mapping[Any, Any]) -> dict[str, str]:
        """Parameters of a state: those that differ from their default, as text; none for the first scene."""
        return self._encode_state(self.clean(state), {})

    def _encode_state(self, state: dict[str, Any], kept: dict[str, str]) -> dict[str, str]:
        """Parameters of a state, added to those that are `kept` for another machine."""
        if not kept and state == self.first_scene:
            return {}
        out = {name for name, field in self.fields.items() if state[name] != field.default}
        if self.opening and not (kept or out):  # without a parameter it would be the first scene
            out = {next(iter(self.opening))}
        return kept | {
            name: repr(state[name]) if field.kind == "real" else str(state[name])
            for name, field in self.fields.items()
            if name in out
        }

    def read(self, sentences: Mapping[str, Callable[[str], str]] | None = None) -> dict[Any, Any]:
        """State in the page's URL; invalid values and defaults are removed from it, `missing` ones are not.

        A sentence above the page reports each invalid value: the page's own from `sentences`, {name: function
        of its text}, or a general one.
        """
        present = st.query_params.to_dict()
        state = self.parse(present)
        misread.know(self.fields)
        for name, text in self.list_refused(present).items():
            say = (sentences or {}).get(name, self.fields[name].describe_refusal)
            misread.note(name, say(text))
        self._write(self._encode_state(state, self.missing(present)), present)
        return state

    def write(self, **changes: Any) -> dict[Any, Any]:
        """Change some of the state, and the URL with it; a value out of range becomes the default."""
        if unknown := set(changes) - set(self.fields):
            known = ", ".join(self.fields)
            raise KeyError(f"{', '.join(sorted(unknown))} is not in the table; it has {known}")
        before = st.query_params.to_dict()
        state = self.clean(self.parse(before) | changes)
        kept = {name: text for name, text in self.missing(before).items() if name not in changes}
        if self._write(self._encode_state(state, kept), before):
            history.remember({name: text for name, text in before.items() if name in self.fields})
        return state

    def _write(self, params: dict[str, str], present: dict[str, str]) -> bool:
        """Put parameters into the address, now `present`; return whether it changes."""
        wanted = {name: value for name, value in present.items() if name not in self.fields} | params
        if present != wanted:
            st.query_params.from_dict(wanted)
        return present != wanted


MAX_ORDER = 6
LOWEST_ALPHA = -100.0
"""The lowest alpha in an address: 0 is the mean of max-marginals, and below 0 a threshold is below it."""
_ALPHA = r"(?:-?0(?:\.[0-9]{1,20})?|1(?:\.0{1,20})?|-?[0-9](?:\.[0-9]{1,20})?e-[0-9]{1,3}"
_ALPHA += r"|-[0-9]{1,2}(?:\.[0-9]{1,20})?|-100(?:\.0{1,20})?)"
PIN = rf"(?:[a-z0-9_]{{1,24}}:{_ALPHA}(?:,{_ALPHA}){{0,{MAX_ORDER - 1}}})?"
"""A pin A or B: a name (of a model, a method) and alphas or shares; see `list_pinned`."""
PINS = {"A": "pin_a", "B": "pin_b"}


def lattice_fields(n_levels: int, symbols: str) -> tuple[Field, ...]:
    """Fields of a lattice in its page's address; `symbols` is a pattern of the states that a cell spells."""
    return (
        whole("level", 1, 1, n_levels),
        whole("step", 4, 0, 4),
        *(real(f"a{n}", None, LOWEST_ALPHA, 1.0) for n in range(1, n_levels + 1)),  # None: the tuned one
        text("cell", "", rf"(?:[1-9][0-9]?-{symbols})?"),
        text("pin_a", "", PIN),
        text("pin_b", "", PIN),
        choice("reveal", "shown", ("shown", "hidden")),
        flag("controls", True),
    )


def list_pinned(state: Mapping[Any, Any]) -> dict[str, tuple[str, str, list[float]]]:
    """{"A" or "B": (text, its name, its numbers)} for the pins in a page's state.

    >>> list_pinned({"pin_a": "open:0.5,1", "pin_b": ""})
    {'A': ('open:0.5,1', 'open', [0.5, 1.0])}
    """
    pins = {}
    for pin, text in ((pin, state[name]) for pin, name in PINS.items() if state[name]):
        name, numbers = text.split(":")
        pins[pin] = text, name, [float(v) for v in numbers.split(",")]
    return pins
