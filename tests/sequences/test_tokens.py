"""Feature names are merged or kept apart as they should be, and what cannot be a feature is refused."""

from itertools import chain

import numpy as np
import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.sequences.encoding import Vocabulary, encode
from tests.sequences.data import as_arrays, sentences

X, Y = sentences(12)


def names_of(*tokens):
    """Names that training makes from tokens."""
    vocabulary = Vocabulary()
    encode([list(tokens)], vocabulary, None, grow=True)
    return list(vocabulary)


def test_keys_and_values_that_read_alike_stay_apart():
    pairs = [{"a=b": "c"}, {"a": "b=c"}, {"a\\=b": "c"}, {"a\\": "b=c"}, {"a": {"b": "c"}}, {"a:b": "c"}]
    assert len(names_of(*pairs)) == len(pairs)
    assert names_of({"word": "The"}, ["word=The"], {"word=The": True}, {"word": ["The"]}) == ["word=The"]


def test_what_is_seen_again_is_looked_up_and_means_the_same():
    """Pairs are remembered; those whose value counts, and those that are new, are not mixed up with them."""
    tokens = [{"w": "a", "n": 2.5, "t": True}, {"w": "b", "n": 1, "t": False}, {"w": ["a", "b"], "n": 0}]
    vocabulary = Vocabulary()
    first = encode([tokens], vocabulary, None, grow=True)
    for _ in range(3):
        again = encode([[{"w": "new"}, *tokens]], vocabulary, len(vocabulary))
        assert again.rows.index.tolist() == first.rows.index.tolist()
        assert again.rows.values.tolist() == first.rows.values.tolist() == [1, 2.5, 1, 1, 1, 1, 1]
        assert again.rows.start.tolist() == [0, *first.rows.start.tolist()]
    assert vocabulary == {"w=a": 0, "n": 1, "t": 2, "w=b": 3}


def test_a_feature_learned_later_is_no_longer_unknown():
    tagger = sp.StructuredPerceptron(random_state=0).partial_fit([[{"w": "a"}]], [["A"]], ["A", "B"])
    assert tagger.predict([[{"w": "b"}]]) == [["A"]]
    tagger.partial_fit([[{"w": "b"}]] * 20, [["B"]] * 20)
    assert tagger.predict([[{"w": "b"}]]) == [["B"]]


def test_a_name_that_is_there_twice_counts_twice_in_every_form():
    lists, mixed = Vocabulary(), Vocabulary()
    one = encode([[["a", "a"]]], lists, None, grow=True).rows
    other = encode([[["a", "a"], {}]], mixed, None, grow=True).rows
    assert one.values.sum() == other.values.sum() == 2


REFUSED = [
    ([[{"v": 1e31}]], ScoreError, r"X\[0\]\[0\]\['v'\] must be from -1e\+30 to 1e\+30, got 1e\+31"),
    ([[{"v": {"w": float("nan")}}]], ScoreError, r"X\[0\]\[0\]\['v'\] must have finite values, got nan"),
    ([[{"v": [1.0, 1e200]}]], ScoreError, "must be from -1e"),
    ([[{"v": {"w": {3: 1}}}]], ArgumentError, "must have strings for keys, got 3"),
    ([[{"v": ["a", 1]}]], ArgumentError, "must be a string, a number, a boolean or a list of strings"),
    ([[{"v": b"\xff"}]], ArgumentError, "must have UTF-8 for bytes"),
    ([[["a", 3]], [{}]], ArgumentError, r"X\[0\]\[0\]\[1\] must be a string, got 3"),
    ([np.array([[1e200]])], ScoreError, r"X\[0\]\[0, 0\] must be from -1e\+30 to 1e\+30, got 1e\+200"),
    ([np.ma.masked_array([[1.0]], [[True]])], ArgumentError, r"X\[0\] must have no masked entries, got 1"),
    ([[np.ma.masked_array([1.0, 2.0], [True, False])]], ArgumentError, "must have no masked entries"),
]


@pytest.mark.parametrize(("bad", "error", "message"), REFUSED)
def test_what_is_no_feature_is_named(bad, error, message):
    with pytest.raises(error, match=message):
        sp.ChainCRF().fit(bad, [["A"]] * len(bad))


def test_dicts_in_dicts_without_end_are_refused():
    nested = {"a": 1}
    for _ in range(5000):
        nested = {"a": nested}
    with pytest.raises(ArgumentError, match="dicts in dicts no deeper than 20"):
        sp.ChainCRF().fit([[nested]], [["A"]])


@pytest.mark.parametrize("value", [1e30, -1e30])
@pytest.mark.parametrize(
    "tagger",
    [sp.ChainCRF(), sp.ChainCRF(c1=0.1), sp.StructuredPerceptron(random_state=0)],
    ids=["l2", "l1", "perceptron"],
)
def test_the_largest_values_are_learned_from(tagger, value):
    X, y = [[{"v": value, "w": "a"}, {"v": -value, "w": "b"}]] * 4, [["A", "B"]] * 4
    assert tagger.fit(X, y).predict(X) == y


@pytest.mark.parametrize(
    ("y", "is_fine"),
    [
        ([1, -100], False),
        ([0, -1], False),
        ([-1, 1], True),
        ([-1, 0], False),
        ([2, 7], True),
        ([-2, -2], False),
    ],
)
def test_numbers_below_0_are_no_labels(y, is_fine):
    X = [[["a"]], [["b"]]]
    if is_fine:
        assert sp.ChainCRF().fit(X, [[label] for label in y]).classes_.tolist() == sorted(y)
    else:
        with pytest.raises(ArgumentError, match=r"must be a label, 0 or more, got -\d+ \(None where"):
            sp.ChainCRF().fit(X, [[label] for label in y])


def test_weights_and_counts_that_leave_nothing_are_refused():
    with pytest.raises(ArgumentError, match="sample_weight must be above 0 for a sequence with tokens"):
        sp.ChainCRF().fit([*X, []], [*Y, []], [0.0] * len(X) + [1.0])
    with pytest.raises(ArgumentError, match="min_count must leave a feature; none of X occurs 1000 times"):
        sp.StructuredPerceptron(min_count=1000).fit(X, Y)


def test_sequences_one_after_the_other_with_lengths_are_told_how():
    arrays = as_arrays(X)
    with pytest.raises(ArgumentError, match=r"np\.split\(X, np\.cumsum\(lengths\)\[:-1\]\)"):
        sp.ChainCRF().fit(np.concatenate(arrays), list(chain.from_iterable(Y)), list(map(len, Y)))
    with pytest.raises(
        ShapeError, match=r"sample_weight has 2 entries; X has 12 sequences \(these look like"
    ):
        sp.ChainCRF().fit(X, Y, [5, 7])
