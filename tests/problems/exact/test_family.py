"""A word's losses from CRF to SVM against its 26 ** 2 readings."""

import itertools

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.exact.page.live import run_family, word_problem


def test_every_curve_against_enumeration():
    problem = word_problem(6832, 0, 2, 26)
    run = run_family(problem)
    pairs = list(itertools.product(range(26), repeat=2))
    score = np.array(
        [problem.unary[0, a] + problem.unary[1, b] + problem.pairwise[0, a, b] for a, b in pairs]
    )
    wrong = (np.array(pairs) != problem.truth).sum(axis=1)
    true_score = score[wrong == 0][0]
    for at, epsilon in enumerate(run.epsilons):
        for row, cost in enumerate((0.0, 1.0, 1.0 - epsilon)):
            costly = score + cost * wrong
            top = costly.max()
            want = top if epsilon == 0 else top + epsilon * np.log(np.exp((costly - top) / epsilon).sum())
            assert run.value[row, at] == pytest.approx(want - true_score, abs=1e-9)


def test_one_control_leads_from_the_crf_to_the_svm():
    run = run_family(word_problem(1350, 2, 4, 26))
    assert (run.epsilons[0], run.epsilons[-1]) == (1.0, 0.0)
    assert run.value[2, 0] == run.value[0, 0]  # log-loss
    assert run.value[2, -1] == run.value[1, -1]  # hinge
    assert (run.value[0] <= run.value[2] + 1e-12).all()
    assert (run.value[2] <= run.value[1] + 1e-12).all()
    assert np.allclose(run.weights.sum(axis=-1), 1.0)
    assert run.n_readings[:, -1] == pytest.approx(1.0)
    assert (np.diff(run.value[:2], axis=1) <= 1e-12).all()


def test_all_letters_are_needed():
    with pytest.raises(ArgumentError, match="a loss needs all 26 letters"):
        run_family(word_problem(6320, 2, 4, 25))
