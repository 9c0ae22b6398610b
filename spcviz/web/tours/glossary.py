"""The glossary: one file of entries, for every word that a page or a tour does not explain itself."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("glossary.json")


class Entry(NamedTuple):
    """One word."""

    key: str
    # what it is called on the pages, the first above the entry; plurals in -s are found by themselves
    names: list[str]
    plain: str  # one or two sentences for somebody who has never met it
    formula: str
    where: str  # in the papers
    scene: str  # the address of a page that shows it


@cache
def entries():
    """Every `Entry`, in the file's order."""
    return tuple(Entry(**entry) for entry in json.loads(FILE.read_text(encoding="utf-8")))


def find(name):
    """The entry of a name, in any case, or None.

    >>> find("Max-marginals").key
    'max-marginal'
    """
    asked = name.lower()
    for entry in entries():
        if any(asked in (word, f"{word}s", f"{word}es") for word in map(str.lower, entry.names)):
            return entry
    return None
