"""Lecture 12's computations: both methods agree, messages add up, stereo in its order."""

import itertools

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.experiments.exact_inference import decomposition, run_exact, stereo_readings, word_problem


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (3, 1), (4, 5)])
def test_against_enumeration(shape):
    problem = word_problem(6320, 2, *shape)
    run = run_exact(problem)
    table = np.full(problem.unary.shape, -np.inf)
    for labels in itertools.product(range(shape[1]), repeat=shape[0]):
        value = sum(problem.unary[i, k] for i, k in enumerate(labels))
        value += sum(problem.pairwise[i][a, b] for i, (a, b) in enumerate(itertools.pairwise(labels)))
        at = range(shape[0]), labels
        table[at] = np.maximum(table[at], value)
    np.testing.assert_allclose(run.max_marginals, table, atol=1e-9)
    assert run.score == pytest.approx(table.max(), abs=1e-9)
    assert run.score_search == pytest.approx(run.score, abs=1e-9)
    assert run.n_visited == run.n_configurations == shape[1] ** shape[0]


def test_forward_ink_and_backward_add_up_to_max_marginals():
    problem = word_problem(0, 0, 4, 6)
    run = run_exact(problem)
    zero = np.zeros((1, 6))
    forward = np.concatenate([zero, run.forward])
    backward = np.concatenate([zero, run.backward])[::-1]
    np.testing.assert_allclose(forward + problem.unary + backward, run.max_marginals)


def test_too_many_configurations_are_not_tried_but_projected():
    run = run_exact(word_problem(6320, 0, 6, 5), cap=600)
    assert (run.n_letters_searched, run.n_visited, run.n_configurations) == (3, 125, 5**6)
    assert np.isnan(run.score_search)
    assert run.seconds_projected == pytest.approx(run.seconds_search * 125)


def test_pairs_turn_qv_into_qu():
    def read(weight):
        problem = word_problem(6320, 2, 2, 26, weight)
        labels = run_exact(problem).labels
        return "".join(chr(97 + problem.candidates[i, k]) for i, k in enumerate(labels))

    assert (read(0.0), read(1.0)) == ("qv", "qu")


def test_a_word_is_cut_to_its_length():
    assert len(word_problem(0, 100, 20, 2).unary) == 1
    with pytest.raises(ArgumentError, match="n_candidates"):
        word_problem(0, 0, 3, 27)
    with pytest.raises(ArgumentError, match="word_id"):
        word_problem(-1, 0, 3, 3)


def test_the_lecture_s_numbers():
    sizes, total, count = decomposition([26] * 4, [[0], [1], [2], [3], [0, 1], [1, 2], [2, 3]])
    assert sizes == [26] * 4 + [676] * 3
    assert (total, count) == (2132, 456976)


def test_stereo_reads_better_with_more_structure():
    one, rows, grid = stereo_readings(0, 0.1, 0.5, height=30, width=40, n_disparities=5).errors
    assert one > rows > grid
    same = stereo_readings(0, 0.1, 0.0, height=12, width=16, n_disparities=4)
    assert same.errors[0] == same.errors[1]
