"""Merged chains against all labellings of the n-gram model that they represent.

Merged letters of a real word: nothing is lost, and n-grams are counted as the page says.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.problems.exact.agglomerate import agglomerate, conditional_logs, narrow, run_merged, separate
from spcviz.problems.exact.page.live import run_exact, word_problem
from spcviz.problems.letters import handwriting
from tests.oracles import chain as oracle
from tests.strategies import FINITE


@st.composite
def models(draw):
    """(unary, ngrams) of 2- to 4-gram models, some no longer than one n-gram."""
    n, k = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    length = draw(st.integers(n, 5))
    ngrams = arrays(np.float64, (length - n + 1, *(k,) * n), elements=FINITE)
    return draw(arrays(np.float64, (length, k), elements=FINITE)), draw(ngrams)


def scores(unary, ngrams):
    """(all labellings, the n-gram model's score of each), written out."""
    every, n = oracle.labellings(*unary.shape), ngrams.ndim - 1
    value = [
        sum(unary[i, s] for i, s in enumerate(y)) + sum(t[tuple(y[j : j + n])] for j, t in enumerate(ngrams))
        for y in every
    ]
    return every, np.array(value)


@given(models())
def test_the_merged_chain_is_the_ngram_model(model):
    merged = agglomerate(*model)
    every, value = scores(*model)
    best = chain.decode(merged.unary, merged.pairwise)
    assert best.score == pytest.approx(value.max(), abs=1e-9)
    at = (every == separate(best.labels, merged.states)).all(axis=1)
    assert value[at] == pytest.approx(value.max(), abs=1e-9)
    tables = chain.max_marginals(merged.unary, merged.pairwise)
    width = merged.states.shape[1]
    for j, row in enumerate(tables.unary):
        want = [value[(every[:, j : j + width] == s).all(axis=1)].max() for s in merged.states]
        assert_allclose(row, want, atol=1e-9)


@given(models())
def test_every_consistent_path_is_one_labelling_and_no_other_is_allowed(model):
    merged = agglomerate(*model)
    size, width = merged.states.shape
    k = model[0].shape[1]
    assert size == k**width
    allowed = np.isfinite(merged.pairwise)
    agree = np.array([[(a[1:] == b[:-1]).all() for b in merged.states] for a in merged.states])
    assert_array_equal(allowed, np.broadcast_to(agree, allowed.shape))
    assert agree.sum() == k ** (width + 1)
    counts = np.ones(size)
    for step in allowed:
        counts = counts @ step
    assert counts.sum() == k ** len(model[0])


def test_bigrams_are_left_as_they_are():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 3)), rng.normal(size=(3, 3, 3))
    merged = agglomerate(unary, pairwise)
    assert_array_equal(merged.unary, unary)
    assert_array_equal(merged.pairwise, pairwise)


def test_separate_refuses_neighbours_that_disagree():
    states = np.array(list(itertools.product(range(2), repeat=2)))
    with pytest.raises(ArgumentError, match=r"labels 0 and 1 disagree: \(0, 1\), \(0, 0\)"):
        separate([1, 0], states)
    assert separate([3], states).tolist() == [1, 1]


@pytest.mark.parametrize("shape", [(1, 2), (2,), (1, 2, 2), (1, 3, 3, 3), (0, 2, 2, 2, 2)])
def test_bad_shapes(shape):
    with pytest.raises(ShapeError, match="ngrams has shape"):
        agglomerate(np.zeros((3, 2)), np.zeros(shape))


def test_bad_scores_and_sizes():
    with pytest.raises(ScoreError, match="ngrams"):
        agglomerate(np.zeros((2, 2)), np.full((1, 2, 2), np.nan))
    with pytest.raises(ArgumentError, match="26 to the power 3 is 17576 merged states; at most 4096"):
        agglomerate(np.zeros((4, 26)), np.broadcast_to(0.0, (1, 26, 26, 26, 26)))


@pytest.mark.parametrize(("order", "k", "length"), [(2, 4, 4), (3, 3, 3), (3, 3, 5), (4, 2, 5)])
def test_the_best_of_the_ngram_model_by_hand(order, k, length):
    problem = word_problem(1350, 2, length, k)
    run = run_merged(problem, order, 0.7)
    words = handwriting.load_words()
    is_training = words.folds != words.folds[1350]
    logs = {m: conditional_logs(words, is_training, m) for m in range(2, order + 1)}
    best = -np.inf
    for labels in itertools.product(range(k), repeat=length):
        letters = [problem.candidates[i, y] for i, y in enumerate(labels)]
        score = sum(problem.unary[i, y] for i, y in enumerate(labels))
        for i in range(1, length):
            seen = letters[max(0, i - order + 1) : i + 1]
            score += 0.7 * logs[len(seen)][tuple(seen)]
        best = max(best, score)
        if labels == tuple(run.labels):
            chosen = score
    assert run.score == pytest.approx(best, abs=1e-9)
    assert chosen == pytest.approx(best, abs=1e-9)
    assert run.score_search == pytest.approx(best, abs=1e-9)
    assert np.isfinite(run.pairwise).sum() == len(run.pairwise) * k**order
    assert run.n_readings == k**length


def test_a_conditional_is_counted_in_whole_words_only():
    words = handwriting.load_words()
    is_training = words.folds != 0
    logs = conditional_logs(words, is_training, 3)
    assert np.exp(logs).sum(axis=-1) == pytest.approx(1.0)
    count = np.ones(26)
    for word in np.flatnonzero(is_training):
        labels = words.labels[words.starts[word] : words.starts[word + 1]].tolist()
        for a, b, c in zip(labels, labels[1:], labels[2:]):
            if (a, b) == (8, 13):  # "in"
                count[c] += 1
    np.testing.assert_allclose(logs[8, 13], np.log(count / count.sum()))


def test_narrowing_keeps_what_the_best_word_needs():
    problem = word_problem(6320, 2, 4, 26)
    few, whole = narrow(problem, 3), run_exact(problem)
    assert few.pairwise.shape == (3, 3, 3)
    assert run_exact(few).score == pytest.approx(whole.score, abs=1e-9)
    order = np.sort(np.argsort(-whole.max_marginals, axis=1, kind="stable")[:, :3], axis=1)
    np.testing.assert_array_equal(few.candidates, order)
    assert few.pairwise[0, 1, 2] == problem.pairwise[0, order[0, 1], order[1, 2]]


def test_too_many_readings_are_not_tried():
    run = run_merged(word_problem(6831, 6, 7, 8), 2)
    assert run.n_readings == 8**7
    assert np.isnan(run.score_search)


@pytest.mark.parametrize(("order", "length"), [(1, 4), (5, 8), (4, 3)])
def test_bad_orders(order, length):
    with pytest.raises(ArgumentError, match="order must be a whole number from 2 to"):
        run_merged(word_problem(6320, 2, length, 2), order)
