"""The table of methods: names are unique, every result's rows are in it, labels fill in."""

import json
import string

import pytest

from spcviz.learning.budgets.methods import EXAMPLE, METHODS, PART, Terms, find_method
from spcviz.problems.arms import shown as arms
from spcviz.problems.words import shown as words
from spcviz.shared.folders import RESULTS

RESULTS_OF_WORDS = ("dms-ocr", "policy-ocr", "constrained-ocr", "budget-ocr")
LEVELS = {"word": EXAMPLE, "letter": PART}


def test_names_are_given_once_a_level():
    for level in (EXAMPLE, PART):
        names = [name for method in METHODS.values() if method.level == level for name in method.names]
        assert len(names) == len(set(names)) > 10
    assert all(set(key) <= {*string.ascii_lowercase, "_"} and len(key) <= 32 for key in METHODS)


@pytest.mark.parametrize("name", RESULTS_OF_WORDS)
def test_every_row_about_words_is_of_a_method(name):
    rows = json.loads((RESULTS / f"{name}.json").read_text())["rows"]
    assert {find_method(row["method"], LEVELS[row["level"]]).key for row in rows} <= METHODS.keys()


@pytest.mark.parametrize(("name", "levels"), [("dms-pose", (EXAMPLE,)), ("policy-pose", (EXAMPLE, PART))])
def test_every_row_about_arms_is_of_a_method(name, levels):
    rows = json.loads((RESULTS / f"{name}.json").read_text())["rows"]
    known = {row_name for method in METHODS.values() if method.level in levels for row_name in method.names}
    known |= {"single tier", arms.EVERYONE, arms.AT_ONCE, arms.EITHER}
    known |= {arms.SPANS, arms.ANY_SPANS, arms.WHOLE_SPANS}
    assert {row["method"] for row in rows} <= known


@pytest.mark.parametrize("problem", [words, arms])
def test_labels_and_sentences_fill(problem):
    said = [METHODS[key].describe(problem.TERMS) for key in problem.OFFERED]
    assert len({label for label, _ in said}) == len(said)
    for label, sentence in said:
        assert not {"{", "}"} & set(label + sentence)
        assert label[0].isupper()
        assert not sentence.endswith(".")
    assert METHODS[problem.OFFERED[0]].level == EXAMPLE  # purchases by hand pay what this method pays


def test_an_unknown_name_is_refused():
    with pytest.raises(LookupError, match="no method of level 'part' is called 'télé'"):
        find_method("télé", PART)


def test_terms_need_nothing_else():
    terms = Terms("tree", "trees", "word", "words")
    assert all(method.describe(terms) for method in METHODS.values())
