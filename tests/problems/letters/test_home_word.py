"""The word of the home page against enumeration of all its spellings."""

import itertools

import numpy as np

from spcviz.problems.letters.page import home_word


def test_max_marginals_by_enumeration():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 5)), rng.normal(size=(5, 5))
    expected = np.full((4, 5), -np.inf)
    for spelling in itertools.product(range(5), repeat=4):
        score = sum(unary[i, y] for i, y in enumerate(spelling))
        score += sum(pairwise[a, b] for a, b in itertools.pairwise(spelling))
        for i, y in enumerate(spelling):
            expected[i, y] = max(expected[i, y], score)
    np.testing.assert_allclose(home_word._max_marginals(unary, pairwise), expected, rtol=0, atol=1e-12)


def test_break_points_are_those_of_the_threshold():
    rng = np.random.default_rng(1)
    lengths, folds = np.array([3, 5, 4, 6]), np.array([0, 1, 0, 2])
    pixels, labels = rng.integers(0, 256, (18, 16), np.uint8), rng.integers(0, 26, 18)
    word = home_word.home_word(pixels, labels, lengths, folds, 1)
    np.testing.assert_array_equal(word.truth, labels[3:8])
    np.testing.assert_array_equal(word.pixels.reshape(5, 128), np.unpackbits(pixels[3:8], axis=1))
    is_training = np.repeat(folds != 1, lengths)
    unary = home_word.PIXEL_WEIGHT * home_word._letter_scores(
        np.unpackbits(pixels[3:8], axis=1), pixels[is_training], labels[is_training]
    )
    pairs = [p for rows in ((0, 3), (8, 12), (12, 18)) for p in itertools.pairwise(labels[slice(*rows)])]
    scores = home_word._max_marginals(unary, home_word._pair_scores(*np.array(pairs).T))
    for alpha in (0.0, 0.3, 0.7, 0.95):
        threshold = scores.max() - (1 - alpha) * (scores.max() - scores.mean())
        for i in range(5):
            kept = {int(y) for y in np.flatnonzero(scores[i] > threshold)} | {int(scores[i].argmax())}
            assert kept - set(word.order[i, word.falls_at[i] > alpha].tolist()) <= {int(scores[i].argmax())}
            assert set(word.order[i, 1:][word.falls_at[i, 1:] > alpha].tolist()) <= kept
