"""Tasks as data: the question, the check that solves it, and the reply to every answer.

``tasks.json`` is a list; each task has a start address, a check (see `expression`) on the values that the
page offers there (`questions.offer`), and an address that solves it. For a question with options the server
hides the parts that would answer it, by the page's names for them (``hide``).
"""

import json
import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

from spcviz.web.course import expression

FILE = Path(__file__).with_name("tasks.json")
COURSE = Path(__file__).with_name("course.json")
KINDS = ("predict", "reach", "find", "explain")
_SHOWN = re.compile(r"\{([a-z][a-z0-9_]*)(?:\?([^:{}]*):([^{}]*))?\}")


class Option(NamedTuple):
    """An answer that can be chosen."""

    text: str
    why: str  # why it is wrong; "" for the right one


class CourseTask(NamedTuple):
    """One task."""

    id: str  # never changes its meaning: a changed task gets another
    kind: str  # of `KINDS`
    ask: str
    start: str  # page and state: ``"letters?word=3128"``; the home page is ``""``
    check: str  # a condition, see `expression`
    solved: str  # an address that solves it, or shows the answer
    hint: str  # where to look
    way: str  # which way to move
    live: str  # the page's live line: ``"now: {left_1} words"``, see `fill_line`
    won: str  # what has been found
    ring: str  # the control that is needed: a CSS selector or ``"text:..."``, "" for none
    options: tuple[Option, ...]  # the right one first; none where the page itself has to be changed
    hide: tuple[str, ...]  # parts of the page that stay hidden until it is answered
    is_needed: bool = False  # required for passing the first part: an idea that nobody guesses

    @property
    def page(self) -> str:
        """Name of its page in addresses."""
        return self.start.partition("?")[0].strip("/")

    @property
    def right(self) -> str:
        """The right option's text; "" without options."""
        return self.options[0].text if self.options else ""

    @property
    def names(self) -> frozenset[str]:
        """The values that its check and its lines name."""
        return frozenset((*expression.names(self.check), *named_in(self.live), *named_in(self.won)))

    def is_solved(self, values: Mapping) -> bool:
        """Whether the page's values fulfil the check; False if one is missing."""
        try:
            return expression.is_true(self.check, values)
        except expression.UnknownNameError:
            return False


class Stop(NamedTuple):
    """A page's place in the course."""

    page: str
    goal: str  # what a visitor can do after it
    part: str  # its heading
    minutes: int
    needs: str


def state_of(address: str) -> dict[str, str]:
    """The state of an address, {name: text}.

    >>> state_of("letters?word=3128&a1=0.7")
    {'word': '3128', 'a1': '0.7'}
    """
    return dict(parse_qsl(address.partition("?")[2], keep_blank_values=True))


def format_value(value) -> str:
    """Format a value for the bar.

    >>> format_value(14040), format_value(0.70), format_value(None), format_value(True)
    ('14,040', '0.7', '–', 'yes')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def fill_line(live: str, values: Mapping) -> str:
    """Fill a live line with the page's values; ``{name?yes:no}`` writes one of two words.

    >>> fill_line("now: {left} words, truth {alive?alive:lost}", {"left": 14040, "alive": True})
    'now: 14,040 words, truth alive'
    """

    def of(match):
        name, yes, no = match.groups()
        if name not in values:
            return "–"
        return format_value(values[name]) if yes is None else yes if values[name] else no

    return _SHOWN.sub(of, live)


def named_in(live: str) -> list[str]:
    """The values that a live line names."""
    return [match[1] for match in _SHOWN.finditer(live)]


@cache
def every() -> dict[str, CourseTask]:
    """{id: `CourseTask`}, in the order of the course."""
    out = {}
    for value in json.loads(FILE.read_text(encoding="utf-8")):
        options = tuple(Option(*option) for option in value.pop("options", []))
        hide = tuple(value.pop("hide", []))
        out[value["id"]] = CourseTask(**value, options=options, hide=hide)
    return out


@cache
def of_page(page: str) -> tuple[CourseTask, ...]:
    """A page's tasks, the easiest first."""
    return tuple(one for one in every().values() if one.page == page)


@cache
def stops() -> dict[str, Stop]:
    """{name of a page: its `Stop`}, in the order of the course."""
    rows = json.loads(COURSE.read_text(encoding="utf-8"))
    return {row["page"]: Stop(**row) for row in rows}


def following(page: str, here: Collection[str] | None = None) -> Stop | None:
    """The stop after a page, among the pages `here` if given; None after the last."""
    names = [name for name in stops() if here is None or name in here]
    at = names.index(page) + 1 if page in names else len(names)
    return stops()[names[at]] if at < len(names) else None
