"""The word of the home page against enumeration of all its spellings."""

import itertools

import numpy as np

from spcviz.problems.letters.page import landing


def test_max_marginals_by_enumeration():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 5)), rng.normal(size=(5, 5))
    expected = np.full((4, 5), -np.inf)
    for spelling in itertools.product(range(5), repeat=4):
        score = sum(unary[i, y] for i, y in enumerate(spelling))
        score += sum(pairwise[a, b] for a, b in itertools.pairwise(spelling))
        for i, y in enumerate(spelling):
            expected[i, y] = max(expected[i, y], score)
    np.testing.assert_allclose(landing._max_marginals(unary, pairwise), expected, rtol=0, atol=1e-12)


def test_break_points_are_those_of_the_threshold():
    rng = np.random.default_rng(1)
    pixels, labels = rng.integers(0, 256, (18, 16), np.uint8), rng.integers(0, 26, 18)
    is_training, rows = np.repeat([True, False, True], [3, 5, 10]), np.arange(3, 8)
    spelled, lengths = rng.integers(0, 26, 17), np.array([3, 4, 1, 9])
    word = landing.home_word(pixels, labels, is_training, rows, spelled, lengths)
    np.testing.assert_array_equal(word.truth, labels[3:8])
    np.testing.assert_array_equal(word.pixels.reshape(5, 128), np.unpackbits(pixels[3:8], axis=1))
    unary = landing.PIXEL_WEIGHT * landing._letter_scores(
        np.unpackbits(pixels[3:8], axis=1), pixels[is_training], labels[is_training]
    )
    np.testing.assert_array_equal(word.alone, unary.argmax(axis=1))
    pairs = [p for ends in ((0, 3), (3, 7), (8, 17)) for p in itertools.pairwise(spelled[slice(*ends)])]
    scores = landing._max_marginals(unary, landing.pair_scores(*np.array(pairs).T))
    for alpha in (0.0, 0.3, 0.7, 0.95):
        threshold = scores.max() - (1 - alpha) * (scores.max() - scores.mean())
        for i in range(5):
            kept = {int(y) for y in np.flatnonzero(scores[i] > threshold)} | {int(scores[i].argmax())}
            assert kept - set(word.order[i, word.falls_at[i] > alpha].tolist()) <= {int(scores[i].argmax())}
            assert set(word.order[i, 1:][word.falls_at[i, 1:] > alpha].tolist()) <= kept


def test_triples_are_counted_within_words_and_begin_and_end_them():
    scores = np.exp(landing._triple_scores(np.array([0, 1, 0, 1, 2]), np.array([2, 3])))
    np.testing.assert_allclose(scores.sum(axis=2), 1.0, rtol=1e-12)
    edge, back_off = landing.EDGE, landing.BACK_OFF
    single = (np.bincount([0, 0, 1, 1, 2, edge, edge], minlength=27) + 1) / (7 + 27)
    for context, thirds in (((0, 1), [edge, 2]), ((edge, edge), [0, 0])):
        seen = np.bincount(thirds, minlength=27)
        pair = (seen + back_off * single) / (2 + back_off)  # here no other context ends in its last letter
        np.testing.assert_allclose(scores[context], (seen + back_off * pair) / (2 + back_off), rtol=1e-12)


def test_the_sharper_model_reads_the_best_word_of_those_left_at_every_alpha():
    rng = np.random.default_rng(2)
    similar, triples = rng.normal(size=(3, 26)), rng.normal(size=(27, 27, 27))
    falls = np.full((3, 26), -1.0)
    falls[:, :5] = rng.uniform(0, 1, (3, 5))
    falls[:, 7] = 1.0
    order = np.argsort(-falls, axis=1, kind="stable")
    readings = landing._readings(similar, triples, order, np.take_along_axis(falls, order, axis=1))
    assert len(readings) > 2
    assert [alpha for alpha, _ in readings] == sorted(alpha for alpha, _ in readings)
    for alpha in (0.0, *(alpha for alpha, _ in readings), 0.5, 0.999):
        reading = [word for begin, word in readings if begin <= alpha][-1]
        left = [np.flatnonzero(falls[i] > alpha) for i in range(3)]

        def score(word):
            signs = [landing.EDGE, landing.EDGE, *word, landing.EDGE]
            of_triples = sum(triples[signs[i], signs[i + 1], signs[i + 2]] for i in range(len(signs) - 2))
            return of_triples + sum(similar[i, y] for i, y in enumerate(word))

        best = max(itertools.product(*left), key=score)
        assert tuple(reading.tolist()) == best
