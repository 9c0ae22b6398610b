"""Feature names to labels in one pass: the same labels as by scores and decoding; nothing is skipped."""

import itertools

import numpy as np
import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.learning.chains.crf import Weights
from spcviz.sequences.quick import TOGETHER, label_indicators, numbers_of_labels
from spcviz.sequences.tokens import Vocabulary
from tests.sequences.data import sentences

X, Y = sentences(30)
NO_RULES = np.zeros((0, 3, 3), dtype=bool)


def random_case(rng, n=3, is_forbidden=False):
    """Features of a sentence, weights with whole numbers so that ties occur, forbidden steps."""
    counts = rng.integers(0, 4, rng.integers(1, 6))
    index = rng.integers(-2, 5, counts.sum()).astype(np.int32)
    weights = rng.integers(-2, 3, (5, n)).astype(float)
    pairwise = rng.integers(-2, 3, (n, n)).astype(float)
    forbidden = np.zeros((3 if is_forbidden else 0, n, n), dtype=bool)
    if is_forbidden:
        forbidden[0, 0, 0] = forbidden[2, 1, 1] = forbidden[1, 1, 2] = True
    return index, counts, weights, pairwise, forbidden


def score_of(labels, index, counts, weights, pairwise, forbidden):
    """Score of one labelling, feature by feature."""
    total, at = 0.0, 0
    for t, (label, count) in enumerate(zip(labels, counts)):
        total += sum(weights[f, label] for f in index[at : at + count] if f >= 0)
        total += pairwise[labels[t - 1], label] if t else 0.0
        at += count
        if len(forbidden) and t and forbidden[1, labels[t - 1], label]:
            return -np.inf
    if len(forbidden) and (forbidden[0, labels[0], labels[0]] or forbidden[2, labels[-1], labels[-1]]):
        return -np.inf
    return total


@pytest.mark.parametrize("is_forbidden", [False, True])
def test_labels_are_the_best_of_all(is_forbidden):
    rng = np.random.default_rng(3)
    n_with_a_labelling = 0
    for _ in range(60):
        index, counts, weights, pairwise, forbidden = case = random_case(rng, is_forbidden=is_forbidden)
        labels = np.full(len(counts), -7)
        wrong = label_indicators(
            index, counts, np.array([len(counts)]), weights, pairwise[None], None, forbidden, labels
        )
        best = max(score_of(y, *case) for y in itertools.product(range(3), repeat=len(counts)))
        assert wrong == (-1 if best > -np.inf else 0)
        if best > -np.inf:
            n_with_a_labelling += 1
            assert score_of(labels, *case) == pytest.approx(best, abs=1e-9)
    assert n_with_a_labelling > 50


def test_sentences_stay_apart_and_empty_ones_are_passed_over():
    rng = np.random.default_rng(4)
    cases = [random_case(rng) for _ in range(7)]
    weights, pairwise = cases[0][2:4]
    each = []
    for index, counts, *_ in cases:
        each.append(np.zeros(len(counts), dtype=np.int64))
        assert label_indicators(
            index, counts, np.array([len(counts)]), weights, pairwise[None], None, NO_RULES, each[-1]
        ) == -1  # fmt: skip
    index, counts = (np.concatenate(parts) for parts in list(zip(*cases))[:2])
    lengths = np.array([0, *itertools.chain.from_iterable((len(case[1]), 0) for case in cases)])
    labels = np.empty(len(counts), dtype=np.int64)
    assert label_indicators(index, counts, lengths, weights, pairwise[None], None, NO_RULES, labels) == -1
    assert labels.tolist() == np.concatenate(each).tolist()


def test_bad_scores_are_told():
    index, counts, lengths = np.zeros(3, np.int32), np.array([1, 1, 1]), np.array([1, 2])
    labels = np.empty(3, dtype=np.int64)
    weights, steps = np.zeros((1, 3)), np.zeros((1, 3, 3))
    for w in (np.nan, np.inf):
        wrong = steps.copy()
        wrong[0, 1, 2] = w
        assert label_indicators(index, counts, lengths, weights, wrong, None, NO_RULES, labels) == 0
        bad = np.full((1, 3), w)
        assert label_indicators(index, counts, lengths, bad, steps, None, NO_RULES, labels) == 0


def as_dicts(items):
    """Each text as a key with a value, or as a flag."""
    return [
        [{name.partition("=")[0]: name.partition("=")[2] or True for name in token} for token in item]
        for item in items
    ]


@pytest.mark.parametrize("constraints", [None, lambda before, after: (before, after) != ("DT", "DT")])
@pytest.mark.parametrize("form", [list, as_dicts])
def test_the_labels_are_those_of_the_scores(form, constraints):
    def read(items):
        return form([[[f"w={token[0]}", *token[1:], "b"] for token in item] for item in items])

    y = [["DT" if k % 2 else label for k, label in enumerate(item)] for item in Y]
    y = [["DT", *["NN"] * (len(item) - 1)] for item in y]
    tagger = sp.StructuredPerceptron(max_iter=2, random_state=0, constraints=constraints).fit(read(X), y)
    strange = [[["never", "seen"], [], ["w=The"]], [], [["b"]]]
    for items in (read(X), form(strange), read(X[:1])):
        quick = numbers_of_labels(
            items,
            tagger.vocabulary_,
            Weights(tagger.state_weights_, tagger.transition_weights_),
            tagger._forbidden(),
        )
        assert quick is not None, "this is what is plain"
        slow = [labels.tolist() if len(labels) else [] for labels in tagger.to_scores(items).decode()]
        assert tagger.predict(items) == slow
        assert [[tagger.classes_[k] for k in numbers] for numbers in quick] == slow
        assert [tagger.predict_single(item) for item in items] == slow


def test_what_is_odd_is_found_behind_many_that_are_plain():
    tagger = sp.StructuredPerceptron(random_state=0).fit([[{"w": "a"}, {"w": "b"}]] * 4, [["A", "B"]] * 4)
    many = [[{"w": "b"}] * (k % 3) for k in range(3 * TOGETHER)]
    assert tagger.predict(many) == [["B"] * len(item) for item in many]
    assert tagger.predict([*many, [{"w": ["a", "b"]}, {"w": "b"}]])[: len(many)] == tagger.predict(many)
    with pytest.raises(ArgumentError, match=rf"X\[{len(many)}\]\[1\]\['w'\] must be a string"):
        tagger.predict([*many, [{"w": "a"}, {"w": None}]])


def test_hundreds_of_labels_are_the_same():
    rng = np.random.default_rng(0)
    words = [[[f"w{rng.integers(300)}"] for _ in range(6)] for _ in range(60)]
    y = [[int(token[0][1:]) // 2 for token in item] for item in words]
    tagger = sp.StructuredPerceptron(max_iter=2, random_state=0).fit(words, y)
    assert len(tagger.classes_) >= 128
    assert tagger.predict(words) == [list(labels) for labels in tagger.to_scores(words).decode()]


def test_weights_that_are_changed_in_place_count():
    tagger = sp.StructuredPerceptron(random_state=0).fit([[["a"], ["b"]]] * 4, [["A", "B"]] * 4)
    assert tagger.predict([[["a"], ["b"]]]) == [["A", "B"]]
    tagger.transition_weights_[0, 1] = -1e9
    tagger.state_weights_[:] = 0.0
    assert tagger.predict_single([["a"], ["b"]]) != ["A", "B"]
    tagger.set_params(constraints=lambda before, after: after in ("B", None))
    assert tagger.predict_single([["a"], ["b"]]) == ["B", "B"]


WRONG = [
    ([[["a", 3]]], r"X\[0\]\[0\]\[1\] must be a string, got 3"),
    ([[["a"], None]], r"X\[0\]\[1\] must be a dict or a list of strings, got None"),
    ([[{"a": None}]], r"X\[0\]\[0\]\['a'\] must be a string, a number"),
    ([[{"new": None}]], r"X\[0\]\[0\]\['new'\] must be a string, a number"),
    ([[{3: "a"}]], r"X\[0\]\[0\] must have strings for keys, got 3"),
    ([[{"a": float("nan")}]], "must have finite values, got nan"),
    ([["ab"]], r"X\[0\]\[0\] must be a dict or a list of strings, got 'ab'"),
]


@pytest.mark.parametrize(("bad", "message"), WRONG)
def test_what_is_wrong_is_said_in_every_call(bad, message):
    tagger = sp.StructuredPerceptron(random_state=0).fit([[["a"], ["b"]]] * 4, [["A", "B"]] * 4)
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            tagger.predict(bad)
        with pytest.raises(ValueError, match=message):
            tagger.predict_single(bad[0])


def test_no_labelling_is_an_error_by_its_sequence():
    tagger = sp.StructuredPerceptron(random_state=0).fit([[["a"], ["b"]]] * 4, [["A", "B"]] * 4)
    tagger.set_params(constraints=lambda before, after: before is None)
    with pytest.raises(InfeasibleError, match=r"X\[1\] must have a labelling"):
        tagger.predict([[], [["a"], ["b"]]])


def test_values_count_wherever_they_stand():
    X_ = [[{"n": 1.0, "w": "a"}, {"n": 3.0, "w": "b"}], [{"n": True, "w": "b"}, {"n": 0, "w": "c"}]] * 3
    tagger = sp.StructuredPerceptron(max_iter=3, random_state=0).fit(X_, [["A", "B"], ["B", "A"]] * 3)
    for items in (X_, [[{"n": 1, "w": "a"}]], [[{"n": 2.5, "w": "never"}]], [[{"m": 2, "w": ["a", "b"]}]]):
        assert tagger.predict(items) == [list(labels) for labels in tagger.to_scores(items).decode()]


def test_pairs_say_what_the_names_say():
    names = ["word=The", "title", r"a\=b=c", r"in\:word=x", "a\\\\=b", "word", "=", "x=", "=y", "word=A=B"]
    vocabulary = Vocabulary(zip(names, range(len(names))))
    pairs = vocabulary.pairs
    assert pairs["word"] == {False: -1, True: 5, "The": 0, "A=B": 9}
    assert (pairs["a=b"]["c"], pairs["a\\"]["b"], pairs["x"][""], pairs[""]["y"]) == (2, 4, 7, 8)
    assert "in\\:word" not in pairs, "what an inner dict gives is no pair of texts"
    assert (pairs["word=The"][True], pairs["title"][True]) == (0, 1)
    vocabulary["word=New"] = 10
    assert vocabulary.pairs["word"]["New"] == 10
    with pytest.raises(ArgumentError, match="must have strings for keys"):
        sp.StructuredPerceptron().fit([[{5: "a"}]], [["A"]])
