"""Merged letters of a real word: nothing is lost, and n-grams are counted as the page says."""

import itertools

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.exact.agglomerate import conditional_logs, narrow, run_merged
from spcviz.problems.exact.page.live import run_exact, word_problem
from spcviz.problems.letters import handwriting


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
