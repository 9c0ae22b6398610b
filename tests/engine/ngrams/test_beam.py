"""Beam search against enumeration: exact when wide enough, and never a score that its labels do not have."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.ngrams.beam import beam_decode
from spcviz.engine.ngrams.table import empty_table, encode, ngram_table
from tests.oracles import ngram as oracle

K = 3


def random_model(rng, order, n=25):
    """(table, weights, end weights) of random n-grams."""
    grams = {tuple(rng.integers(0, K, rng.integers(2, order + 1)).tolist()) for _ in range(n)}
    ends = {tuple(rng.integers(0, K, rng.integers(1, order + 1)).tolist()) for _ in range(n)}
    weights = {g: float(rng.normal()) for g in sorted(grams)}
    end = {g: float(rng.normal()) for g in sorted(ends)}
    every = weights | {(*g, K): w for g, w in end.items()}
    return ngram_table(K, [encode(K, g) for g in every], list(every.values())), weights, end


def best_of(unary, weights, end, order):
    outputs = oracle.outputs(oracle.full_space(len(unary), K, 1), len(unary), K)
    return max((oracle.score(y, unary, weights, end, order), y) for y in outputs)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_wide_enough_it_is_exact_and_narrow_it_scores_what_it_says(order):
    rng = np.random.default_rng(order)
    table, weights, end = random_model(rng, order)
    lengths = [1, 2, 5, 3, 4]
    unary = rng.normal(size=(sum(lengths), K))
    starts = np.cumsum([0, *lengths])
    for width in (K**5, 1, 2):
        scores, labels = beam_decode(table, unary, lengths, order, width)
        for w, (a, b) in enumerate(pairwise(starts)):
            best, path = best_of(unary[a:b], weights, end, order)
            true_score = oracle.score(tuple(labels[a:b].tolist()), unary[a:b], weights, end, order)
            assert_allclose(scores[w], true_score, rtol=1e-9, atol=1e-12)
            assert scores[w] <= best + 1e-9
            if width == K**5:
                assert_allclose(scores[w], best, rtol=1e-9, atol=1e-12)
                assert tuple(labels[a:b].tolist()) == path


def test_wider_is_never_forgetful_of_the_best_beginning():
    """A prefix that is worse on its own wins by what follows: width 1 loses it, width 2 does not."""
    table = ngram_table(2, [encode(2, [1, 1])], [2.0])
    unary = [[1.0, 0.0], [0.0, 0.0]]
    assert beam_decode(table, unary, [2], 2, 1)[0] == [1.0]
    assert beam_decode(table, unary, [2], 2, 2)[0] == [2.0]


def test_ties_go_to_the_smaller_state():
    assert beam_decode(empty_table(2), np.zeros((3, 2)), [3], 3, 4)[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"unary": np.zeros((2, 3))}, ShapeError, r"unary has shape \(2, 3\); lengths and table need"),
        ({"unary": np.array([[0.0, np.nan], [0.0, 0.0]])}, ScoreError, "unary"),
        ({"width": 0}, ArgumentError, "width must be"),
        ({"order": 9}, ArgumentError, "order must be"),
    ],
)
def test_bad_arguments(change, error, said):
    given = {"unary": np.zeros((2, 2)), "lengths": [2], "order": 2, "width": 1} | change
    with pytest.raises(error, match=said):
        beam_decode(empty_table(2), **given)
