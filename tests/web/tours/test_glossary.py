"""The glossary: entries lead to a page, and no term appears on a page without an entry.

A term is recognised in the sources by its form: an abbreviation, a Greek letter, a word with a hyphen that
belongs to the field, or one of the names that spcviz/README.md fixes.
"""

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

import pytest

from spcviz.web.tours import tour
from spcviz.web.ui import navigation

ROOT = Path(__file__).parents[3]
FILE = ROOT / "spcviz" / "web" / "tours" / "glossary.json"


class Entry(NamedTuple):
    """One entry of the glossary."""

    key: str
    # its names on the pages, the first as the entry's title; plurals in -s are found automatically
    names: list[str]
    plain: str  # one or two sentences for a reader who has never met it
    formula: str
    where: str  # in the papers
    scene: str  # the address of a page that shows it


@cache
def entries():
    """Every `Entry`, in the file's order."""
    return tuple(Entry(**entry) for entry in json.loads(FILE.read_text(encoding="utf-8")))


def find(name):
    """The entry of a name, in any case, or None."""
    asked = name.lower()
    for entry in entries():
        if any(asked in (word, f"{word}s", f"{word}es") for word in map(str.lower, entry.names)):
            return entry
    return None


ENTRIES = entries()
# Not terms, but they look like some: files, units, licences, people, data sets that pages explain.
PLAIN = {"HHa", "CoreNLP",
    "CSV", "PNG", "SVG", "JSON", "CSS", "CPU", "MB", "US", "NASA", "CC", "BY", "SA", "QU", "QV", "TRUTH",
    "LOST", "PRUNED", "CLIC", "LSPET", "PARSE", "VideoPose", "UD", "EWT", "WSJ", "INK", "OCR", "FLIC", "PTB",
    "MEANING", "SHA", "CamVid", "MODELS", "CLASSES",
}  # fmt: skip
NAMES = ("unary", "pairwise", "score", "max-marginal", "witness", "alpha", "threshold", "n-gram", "level",
         "lattice", "arc", "cost", "budget", "value of a model", "gain", "selector", "policy", "tier",
         "tau", "filter loss", "efficiency loss", "quiescent", "feature", "margin", "tolerance")  # fmt: skip
"""The words in the section "Names" of the developer guide and in the issue."""
COMPUTED = {"live", "trace", "shelf", "trade", "cached"}
"""Files of a problem's folder `page` that compute; the others write texts or draw."""
FIELD = r"\b[a-z]+-(?:marginal|gram|product|loss|shot|learning|model)s?\b"
LATEX = {"gamma": "γ", "delta": "δ", "alpha": "α", "tau": "τ", "epsilon": "ε", "lambda": "λ", "omega": "ω"}


def python_texts(path):
    """Every string in a file that is not a docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def is_drawn(path):
    """Whether a file writes or draws something on a page, rather than computes it."""
    place = path.relative_to(ROOT).as_posix()
    return "/page/" in place and path.stem not in COMPUTED


def page_texts():
    """Texts of pages: their own, those of figures, and those of the components."""
    files = [*ROOT.glob("pages/*/*.py"), *ROOT.glob("spcviz/web/figures/*.py")]
    files += [path for path in ROOT.glob("spcviz/problems/*/*/*.py") if is_drawn(path)]
    for path in files:
        yield from (text for text in python_texts(path) if " " in text)
    for path in [*ROOT.glob("spcviz/web/*/*_words.js"), *ROOT.glob("spcviz/problems/*/view/*_words.js")]:
        yield from re.findall(r'"([^"\n]* [^"\n]*)"', path.read_text(encoding="utf-8"))
    for shipped in tour.shipped_tours().values():
        yield from (scene.say for scene in shipped.scenes)


def terms(text):
    """Words that look like terms in a text.

    >>> sorted(terms("The SPC keeps α, as $\\\\gamma$; see max-marginals of VideoPose"))
    ['SPC', 'VideoPose', 'max-marginals', 'α', 'γ']
    """
    words = set(re.findall(r"\b[A-Z][a-z]*[A-Z][A-Za-z]*\b", text))
    words |= set(re.findall(r"[α-ωψ]", text)) | set(re.findall(FIELD, text.lower()))
    return words | {LATEX[name] for name in re.findall(r"\\([a-z]+)", text) if name in LATEX}


def test_every_term_on_a_page_has_an_entry():
    missing = {}
    for text in page_texts():
        for term in terms(text) - PLAIN:
            if find(term) is None:
                missing.setdefault(term, text[:80])
    assert not missing


def test_the_names_of_the_map_have_entries():
    assert not [name for name in NAMES if find(name) is None]


def test_a_missing_term_is_found():
    assert "QPBO" in terms("solved with QPBO here")
    assert find("QPBO") is None
    assert find("Max-marginals").key == "max-marginal"
    assert {"ζ", "sum-products"} <= terms("ζ of sum-products")


def test_no_name_is_said_twice_and_none_is_empty():
    names = [name.lower() for entry in ENTRIES for name in entry.names]
    assert len(names) == len(set(names))
    for entry in ENTRIES:
        assert all((entry.key, entry.names, entry.formula, entry.where)), entry
        assert 30 < len(entry.plain) < 260, entry.key


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_an_entry_leads_to_a_page(entry):
    scene = tour.Scene(entry.scene)
    assert scene.page in navigation.names()
    assert scene.query() == dict(parse_qsl(entry.scene.partition("?")[2]))
