"""A cascade's k best labellings and its constraints, against every possible labelling."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.ngrams.table import encode, lookup

LABELS = ["B-A", "B-B", "I-A", "I-B", "O"]


def spans(n, seed):
    """n sequences of words and spans in BIO; one word in three says nothing about its label."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        tags = []
        while len(tags) < 1 + rng.integers(5):
            kind = "AB"[rng.integers(2)]
            tags += ["O"] if rng.random() < 0.5 else [f"B-{kind}", *[f"I-{kind}"] * int(rng.integers(3))]
        words = [tag if rng.random() < 0.67 else "x" for tag in tags[:5]]
        X.append([[f"w={word}", "b"] for word in words])
        y.append(tags[:5])
    return X, y


X, Y = spans(80, 0)
# at the beginning, after another kind, after nothing: words that call for forbidden steps
HARD = [[[f"w={word}"] for word in words] for words in (["I-A", "I-B", "x"], ["O", "I-B", "I-A"], ["I-A"])]
TEST = [sentence for sentence in spans(25, 1)[0] if len(sentence) <= 5] + HARD


def is_allowed(labelling, begins=True):
    """Whether every I-X follows B-X or I-X; `begins`: nothing precedes the first label."""
    behind = itertools.pairwise(labelling)
    is_first_fine = not (begins and labelling[0].startswith("I-"))
    return is_first_fine and all(b[0] != "I" or (a != "O" and a[2:] == b[2:]) for a, b in behind)


@pytest.fixture(scope="module", params=[("bio", 2), ("bio", 3), ("bio", 4), (None, 3)], ids=str)
def tagger(request):
    constraints, order = request.param
    made = sp.CascadeTagger(
        fall_back=False, order=order, tolerance=0.05, constraints=constraints, random_state=0, max_iter=4
    )
    return made.fit(X, Y)


def every_labelling(tagger, item):
    """{labelling: score} of every labelling that the filters leave, by brute force."""
    order = tagger.order
    left = tagger.filter([item])
    lattice, model = left.lattice, tagger.cascade_.levels[-1].predictor
    columns = {name: i for i, name in enumerate(tagger.feature_names_in_)}
    unary = np.array([sum(model.weights[columns[f]] for f in token if f in columns) for token in item])
    n = int(lattice.order[0])
    grams = [set(lattice.arc_key[a:b].tolist()) for a, b in itertools.pairwise(lattice.arc_start.tolist())]
    scores = {}
    for states in itertools.product(range(5), repeat=len(item)):
        if not all(encode(5, states[i : i + n]) in keys for i, keys in enumerate(grams)):
            continue
        score = unary[np.arange(len(item)), states].sum()
        for i in range(1, len(states)):
            gram = states[max(0, i - order + 1) : i + 1]
            score += lookup(model.table, encode(5, gram), len(gram))
        scores[tuple(LABELS[k] for k in states)] = score
    return scores


def test_k_best_are_the_best_of_every_labelling_that_is_left(tagger):
    n_several = 0
    for item, paths, first in zip(TEST, tagger.predict_k_best(TEST, 7), tagger.predict(TEST)):
        every = every_labelling(tagger, item)
        best = sorted(every.values(), reverse=True)[:7]
        assert_allclose(paths.scores, best, atol=1e-9)
        labellings = [tuple(labels.tolist()) for labels in paths.labels]
        assert len(set(labellings)) == len(labellings) == min(7, len(every))
        assert_allclose([every[labelling] for labelling in labellings], paths.scores, atol=1e-9)
        assert_allclose(every[tuple(first)], best[0], atol=1e-9)
        n_several += len(labellings) > 1
    assert n_several > 5


def test_no_level_and_no_answer_has_a_forbidden_step(tagger):
    if tagger.constraints is None:
        labellings = list(tagger.predict(HARD))
        assert not all(map(is_allowed, labellings))  # without the rule these words lead to such steps
        return
    for level in range(1, tagger.order):
        for item in TEST:
            lattice = tagger.filter([item], level=level, alpha=-50.0).lattice  # keeps every possible state
            shifts = lattice.bits * np.arange(int(lattice.order[0]) - 1, -1, -1)
            grams = (lattice.arc_key[:, None] >> shifts & (1 << lattice.bits) - 1) - 1
            for a, states in enumerate(grams.tolist()):
                assert is_allowed([LABELS[k] for k in states], begins=a < lattice.arc_start[1])
    assert all(is_allowed(labels) for labels in tagger.predict(TEST))
    for paths in tagger.predict_k_best(TEST, 5):
        assert all(is_allowed(labels.tolist()) for labels in paths.labels)
    for states, shares in zip(tagger.filter(TEST).states, tagger.predict_marginals(TEST)):
        assert_allclose(shares.sum(axis=1), 1.0)
        assert not shares[~states].any()
        assert not shares[0, [2, 3]].any()


def test_constraints_and_allowed_together(tagger):
    allowed = [[LABELS] * len(item) for item in TEST]
    assert list(tagger.predict(TEST, allowed=allowed)) == list(tagger.predict(TEST))
    if tagger.constraints is None:
        return
    only = [["I-A"], ["I-A", "B-A"], ["I-A", "O"]]
    with pytest.raises(InfeasibleError, match=r"X\[1\] must have a labelling that constraints"):
        tagger.predict([TEST[0], HARD[0]], allowed=[None, only])
    only[0] = ["B-A", "O"]
    (labels,) = tagger.predict([HARD[0]], allowed=[only])
    assert is_allowed(labels)
    assert all(label in may for label, may in zip(labels, only))


def test_tuning_goes_on_within_the_constraints(tagger):
    other = sp.CascadeTagger.from_state(tagger.to_state()).tune(X, Y, 0.0)
    assert all(level.lost == 0.0 for level in other.levels_)
    assert other.get_params() == {**tagger.get_params(), "tolerance": 0.0}


def test_bad_constraints_and_labels_that_break_them_are_named():
    with pytest.raises(ArgumentError, match="constraints must be one of bio, iob1, bioes, a function"):
        sp.CascadeTagger(fall_back=False, constraints="iobx").fit(X, Y)
    with pytest.raises(ArgumentError, match=r"y\[0\]\[0\] must keep to constraints='bio', got 'I-A'"):
        sp.CascadeTagger(fall_back=False, constraints="bio").fit(
            [*[[["a"]]] * 4, *X], [["I-A"], *[["O"]] * 3, *Y]
        )
    never_twice = sp.CascadeTagger(
        fall_back=False, constraints=lambda a, b: a != b, cv=2, order=2, random_state=0
    )
    never_twice.fit([[["a"], ["b"]]] * 4, [["P", "Q"]] * 4)
    assert never_twice.predict([[["a"], ["a"], ["a"]]])[0] in (["P", "Q", "P"], ["Q", "P", "Q"])


def test_k_best_of_nothing_and_of_few(tagger):
    paths = tagger.predict_k_best([[], TEST[0], []], 10_000)
    assert paths[0].labels.shape == paths[2].labels.shape == (1, 0)
    assert len(paths[1].scores) == len(every_labelling(tagger, TEST[0]))
    with pytest.raises(ArgumentError, match="k must be a whole number from 1 to 10000, got 0"):
        tagger.predict_k_best(TEST, 0)
