"""The gallery: surprising scenes, each with a sentence that is checked against its numbers.

``gallery.json`` is a list of exhibits. The claim of an exhibit is a condition on the numbers that its page,
and those compared with it, offer to sentences: a test opens them all and evaluates it.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spcviz.web.course import expression
from spcviz.web.tours.tour import Scene, Tour

NAME = "gallery"
"""Name of the exhibits' tour in addresses."""
TITLE = "The gallery"
ABOUT = (
    "Scenes that surprise: sentences that lead astray, words that nobody can read letter by letter, "
    "methods that fail."
)
_FILE = Path(__file__).with_name("gallery.json")
_NUMBER = re.compile(r"-?[0-9][0-9,]*(\.[0-9]+)?( ?%)?")


class Exhibit(NamedTuple):
    """A scene on the wall."""

    name: str  # of its file
    address: str
    title: str
    say: str  # numbers are names in braces, of this page or, ``{other_name}``, of a compared one
    holds: str  # the claim of the sentence, in the language of `spcviz.web.course.expression`
    beside: Mapping[str, str] = {}  # {other: address} of pages that it is compared with

    def name_facts(self, facts: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
        """Facts by their names in sentence and condition, from those of each page; "" is its own page."""
        return {
            f"{other}_{name}" if other else name: text
            for other, of_page in facts.items()
            for name, text in of_page.items()
        }

    def is_true(self, facts: Mapping[str, Mapping[str, str]]) -> bool:
        """Whether its claim follows from the facts of its pages.

        `spcviz.web.course.expression.UnknownNameError` if a page does not offer a named fact.
        """
        values = {name: number_in(text) for name, text in self.name_facts(facts).items()}
        return expression.is_true(self.holds, values)


def number_in(text: str) -> float | str:
    """A fact as a number if it is one, a share in percent; else unchanged.

    >>> number_in("14,040"), number_in("11.1 %"), number_in("wates")
    (14040.0, 11.1, 'wates')
    """
    plain = str(text).replace("\u00a0", " ").replace("\u2212", "-").strip()
    return float(plain.rstrip(" %").replace(",", "")) if _NUMBER.fullmatch(plain) else plain


@cache
def exhibits() -> tuple[Exhibit, ...]:
    """All exhibits, in the order of the wall."""
    return tuple(Exhibit(**one) for one in json.loads(_FILE.read_text(encoding="utf-8")))


@cache
def as_tour() -> Tour:
    """The wall as a tour, which the app plays: it fills in the numbers."""
    scenes = tuple(Scene(one.address, f"{one.title} {_own(one.say)}".strip()) for one in exhibits())
    return Tour(NAME, TITLE, ABOUT, scenes)


def _own(say):
    """The sentences of a text without numbers of other pages, which a single page cannot fill."""
    names = {f"{{{other}_" for one in exhibits() for other in one.beside}
    kept = [part for part in re.split(r"(?<=[.!?])\s+", say) if not any(name in part for name in names)]
    return " ".join(kept)
