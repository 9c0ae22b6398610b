"""Partial labels of a cascade: filled in by models that have not seen the sequence, by enumeration."""

import itertools

import numpy as np
import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.cascade import ITERATIONS, with_all_labels
from spcviz.learning.chains.crf import examples_of, take_examples
from spcviz.learning.chains.crf_training import Which, fit_crf
from tests.sequences.data import sentences

X, Y = sentences(80)
XT, YT = sentences(60, seed=1)


def hidden(share, seed=0):
    rng = np.random.default_rng(seed)
    return [[None if rng.random() < share else tag for tag in y] for y in Y]


def test_what_is_filled_in_is_the_best_that_agrees():
    rng = np.random.default_rng(3)
    lengths = np.array([3, 4, 2, 3, 4, 1])
    n = int(lengths.sum())
    values, labels = rng.normal(size=(n, 4)), rng.integers(0, 3, n)
    labels[rng.random(n) < 0.4] = -1
    labels[0] = -1
    forbidden = np.zeros((3, 3, 3), dtype=bool)
    forbidden[1, 0, 2] = forbidden[0, 1, 1] = True
    for i in range(1, n):
        if labels[i] == 2 and labels[i - 1] == 0:
            labels[i] = -1
    labels[np.cumsum(lengths) - lengths] = np.where(
        labels[np.cumsum(lengths) - lengths] == 1, -1, labels[np.cumsum(lengths) - lengths]
    )
    data, part = examples_of(DenseRows(values), lengths, labels, 3), np.array([0, 1, 0, 1, 0, 1])
    which = Which(forbidden=forbidden)
    found = with_all_labels(data, part, c2=0.3, which=which)
    assert (found >= 0).all()
    assert (found[labels >= 0] == labels[labels >= 0]).all()
    for w in range(len(lengths)):
        others = take_examples(data, np.flatnonzero(part != part[w]))
        weights = fit_crf(others, c2=0.3, max_iterations=ITERATIONS, which=which).weights
        rows = slice(data.row_start[w], data.row_start[w + 1])
        unary, best = values[rows] @ weights.unary, (-np.inf, ())
        for y in itertools.product(range(3), repeat=int(lengths[w])):
            if y[0] == 1 or any(step == (0, 2) for step in itertools.pairwise(y)):
                continue
            if any(known not in (-1, k) for known, k in zip(labels[rows], y)):
                continue
            score = sum(unary[i, k] for i, k in enumerate(y))
            best = max(best, (score + sum(weights.pairwise[step] for step in itertools.pairwise(y)), y))
        assert found[rows].tolist() == list(best[1])


def test_known_labels_alone_change_nothing_and_some_missing_ones_cost_little():
    make = lambda: sp.CascadeTagger(random_state=0, tolerance=0.05, fall_back=False)  # noqa: E731
    full = make().fit(X, Y)
    assert make().fit(X, [list(y) for y in Y]).predict(XT) == full.predict(XT)
    some = make().fit(X, hidden(0.3))
    assert some.classes_.tolist() == full.classes_.tolist()
    assert some.score(XT, YT) > full.score(XT, YT) - 0.1
    again = sp.CascadeTagger.from_state(some.to_state())
    assert again.predict(XT) == some.predict(XT)


def test_groups_constraints_and_arrays_go_with_it():
    groups = np.arange(len(X)) // 4
    tagger = sp.CascadeTagger(
        random_state=0, constraints=lambda a, b: (a, b) != ("VB", "VB"), fall_back=False
    )
    y = [
        [None if tag == "VB" else tag for tag in labels] if i % 3 == 0 else list(labels)
        for i, labels in enumerate(Y)
    ]
    y = [[None if i and row[i - 1] == tag == "VB" else tag for i, tag in enumerate(row)] for row in y]
    predicted = tagger.fit(X, y, groups=groups).predict(XT)
    assert not any(step == ("VB", "VB") for row in predicted for step in itertools.pairwise(row))


def test_refusals():
    with pytest.raises(ArgumentError, match="y must hold at least one label, got none"):
        sp.CascadeTagger().fit(X, [[None] * len(y) for y in Y])
    first = next(i for i, y in enumerate(Y) if y)
    with pytest.raises(ArgumentError, match="y must have known labels in more than one part of cv"):
        sp.CascadeTagger(random_state=0).fit(
            X, [y if i == first else [None] * len(y) for i, y in enumerate(Y)]
        )
    with pytest.raises(ArgumentError, match=r"y\[\d+\]\[\d+\] must be .*, got None"):
        sp.CascadeTagger(guarantee="mean", tolerance=0.3).fit(X, hidden(0.3))
    with pytest.raises(InfeasibleError, match="agrees with its labels and the constraints"):
        sp.CascadeTagger(
            cv=2, random_state=0, constraints=lambda a, b: (a, b) not in {("A", "B"), ("A", "A")}
        ).fit([[["x"]] * 3] * 6, [["A", None, "B"]] * 2 + [["B", "A", None]] * 2 + [["B", "B", "B"]] * 2)
