"""Labels in every form in which tables, arrays and enumerations hold them, and in forms without an order."""

import enum

import numpy as np
import pandas as pd
import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.sequences.labels import allowed_mask, flat_labels, plain
from spcviz.spending.label_folds import listed_labels
from tests.sequences.data import TAGS, sentences

X, Y = sentences(12)
LENGTHS = np.array([len(labels) for labels in Y])
FLAT = [label for labels in Y for label in labels]

Tag = enum.Enum("Tag", {f"is_{tag.lower()}": tag for tag in TAGS}, type=str)  # names are not the values
Number = enum.IntEnum("Number", ["DT", "NN", "VB"])

TEXTS = {
    "tuples": [tuple(labels) for labels in Y],
    "iterators": [iter(labels) for labels in Y],
    "a generator of generators": ((label for label in labels) for labels in Y),
    "arrays": [np.array(labels) for labels in Y],
    "arrays of objects": [np.array(labels, dtype=object) for labels in Y],
    "numpy's texts": [list(map(np.str_, labels)) for labels in Y],
    "columns of a table": [pd.Series(labels, index=range(7, 7 + len(labels))) for labels in Y],
    "categories": [pd.Series(labels, dtype="category") for labels in Y],
    "pandas' texts": [pd.Series(labels, dtype="string") for labels in Y],
    "a column of lists": pd.Series(Y, index=range(5, 5 + len(Y))),
    "an enumeration of texts": [[Tag(label) for label in labels] for labels in Y],
}
NUMBERS = {
    "numpy's numbers": [np.array([TAGS.index(label) for label in labels], np.uint8) for labels in Y],
    "an enumeration of numbers": [[Number(TAGS.index(label) + 1) for label in labels] for labels in Y],
}


@pytest.mark.parametrize("read", [flat_labels, listed_labels])
@pytest.mark.parametrize("form", TEXTS)
def test_texts_are_read_from(form, read):
    y = TEXTS[form]
    if form in ("iterators", "a generator of generators"):  # these can be read only once
        y = [iter(labels) for labels in Y] if form == "iterators" else ((t for t in labels) for labels in Y)
    found = read(y, LENGTHS)
    assert found == FLAT
    assert set(map(type, found)) == {str}


@pytest.mark.parametrize("read", [flat_labels, listed_labels])
@pytest.mark.parametrize("form", NUMBERS)
def test_numbers_are_read_from(form, read):
    found = read(NUMBERS[form], LENGTHS)
    assert found == [int(label) for labels in NUMBERS[form] for label in labels]
    assert set(map(type, found)) == {int}


WITHOUT_ORDER = {
    "sets": ([{"A", "B"}, {"A"}], r"y\[0\] must be a sequence of labels in order, got"),
    "dicts": ([{0: "A", 1: "B"}, {0: "A"}], r"y\[0\] must be a sequence of labels in order, got"),
    "texts": (["AB", "A"], r"y\[0\] must be a sequence of labels, got 'AB'"),
    "one of labels": (
        ["A", "B", "A"],
        r"y\[0\] must be a sequence of labels, got 'A' \(for a single sequence: \[y\]\)",
    ),
    "one of numbers": ([1, 2, 1], r"y\[0\] must be a sequence of labels, got 1"),
    "one column": (pd.Series(["A", "B", "A"]), r"y\[0\] must be a sequence of labels, got 'A'"),
    "a table": (
        pd.DataFrame({"y": [["A", "B"], ["A"]]}),
        r"got a DataFrame of shape \(2, 1\) \(a row a token",
    ),
    "a set": ({"A"}, "y must be a list of sequences of labels, got {'A'}"),
    "a number": (3, "y must be a list of sequences of labels, got 3"),
    "numbers for rows": ([["A", "B"], 3], r"y\[1\] must be a sequence of labels, got 3"),
}


@pytest.mark.parametrize("read", [flat_labels, listed_labels])
@pytest.mark.parametrize(("y", "message"), WITHOUT_ORDER.values(), ids=WITHOUT_ORDER)
def test_what_has_no_order_or_no_sequences_is_refused(read, y, message):
    with pytest.raises(ArgumentError, match=message):
        read(y, np.array([2, 1]))


def test_lengths_are_compared():
    for read, parts in ((flat_labels, "tokens"), (listed_labels, "positions")):
        with pytest.raises(ShapeError, match="y has 1 sequences; X has 2"):
            read([["A"]], np.array([1, 1]))
        with pytest.raises(ShapeError, match=rf"y\[1\] has 2 labels; X\[1\] has 1 {parts}"):
            read([["A"], iter("AB")], np.array([1, 1]))


def test_an_enumeration_is_predicted_as_its_values():
    tagger = sp.StructuredPerceptron(random_state=0).fit(X, TEXTS["an enumeration of texts"])
    same = sp.StructuredPerceptron(random_state=0).fit(X, Y)
    assert tagger.predict(X) == same.predict(X)
    assert tagger.classes_.tolist() == sorted(set(FLAT))
    assert tagger.score(X, TEXTS["an enumeration of texts"]) == same.score(X, Y)
    assert allowed_mask([[[Tag.is_nn]]], np.array([1]), tagger.classes_).tolist() == [[False, True, False]]
    assert plain(True) is True, "which is no number"


def test_a_label_that_numpy_would_cut_is_refused():
    with pytest.raises(ArgumentError, match="y must have labels that do not end in the sign NUL"):
        sp.StructuredPerceptron().fit([[["a"]]], [["A\0"]])


def test_tables_for_x_are_named_with_what_to_do():
    table = pd.DataFrame({"s": [0, 0, 1], "word": ["a", "b", "c"]})
    with pytest.raises(
        ArgumentError, match=r"X must be a list of sequences, got a DataFrameGroupBy \(its groups"
    ):
        sp.StructuredPerceptron().fit(table.groupby("s"), [["A", "B"], ["A"]])
    groups = [group for _, group in table.groupby("s")]
    with pytest.raises(
        ArgumentError, match=r"X\[0\] must hold numbers, got a DataFrame of shape \(2, 2\) .*to_dict"
    ):
        sp.StructuredPerceptron().fit(groups, [["A", "B"], ["A"]])
    named = [group.to_dict("records") for group in groups]
    assert sp.StructuredPerceptron(random_state=0).fit(named, [["A", "B"], ["A"]]).predict(named)
