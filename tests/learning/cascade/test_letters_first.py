"""A bigram model that filters single states first: fast path and lattice against enumeration."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains.peaked import WORTH
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.lattice import score_arcs, unigrams
from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.learning.cascade.cascade import (
    CascadeConfig,
    decode_examples,
    filter_examples,
    positions_kept,
    predict,
    survives,
    train_cascade,
)
from spcviz.learning.cascade.letters_first import all_bigrams, keep_by_bigrams, pair_weights, prune_states
from spcviz.learning.chains.survivors import state_values, states_left
from tests.learning.cascade.test_cascade import TEST, train, words

K = 3


def random_model(rng):
    """(table of all bigrams, end marks and trigrams that end, weights as a dictionary)."""
    grams = [*itertools.product(range(K), range(K + 1)), *((a, b, K) for a in range(K) for b in range(K))]
    values = rng.normal(size=len(grams))
    return ngram_table(K, [encode(K, g) for g in grams], values), dict(zip(grams, values))


def score(labels, unary, weights):
    """By definition: letters, pairs, and the end of the word."""
    spelled = (*labels, K)
    total = unary[np.arange(len(labels)), labels].sum()
    total += sum(weights[pair] for pair in itertools.pairwise(spelled))
    return total + (weights[spelled[-3:]] if len(labels) > 1 else 0.0)


def kept_by_enumeration(unary, weights, alpha):
    """The rule (4.3) over every labelling of one word."""
    length = len(unary)
    best = np.full((length, K), -np.inf)
    for labels in itertools.product(range(K), repeat=length):
        here = score(labels, unary, weights)
        for i, s in enumerate(labels):
            best[i, s] = max(best[i, s], here)
    return best > alpha * best.max() + (1 - alpha) * best.mean(), best


@pytest.mark.parametrize("seed", range(6))
def test_states_are_kept_by_their_best_labelling(seed):
    rng = np.random.default_rng(seed)
    lengths = np.array([4, 1, 2, 5])
    unary, alpha = rng.normal(size=(lengths.sum(), K)), rng.uniform(0, 0.9)
    table, weights = random_model(rng)
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    pairs = all_bigrams(lengths, K)
    pruned = prune_states(pairs, score_arcs(pairs, unary, table), alpha)
    fast = keep_by_bigrams(unary, row_start, pair_weights(table), alpha)
    for a, b in itertools.pairwise(row_start):
        keep, best = kept_by_enumeration(unary[a:b], weights, alpha)
        assert_allclose(pruned.values[a * K : b * K].reshape(-1, K), best)
        assert np.array_equal(pruned.keep[a * K : b * K].reshape(-1, K), keep)
        assert np.array_equal(fast[a:b], keep)
        assert np.array_equal(pruned.best_path[a:b] - K * np.arange(a, b), best.argmax(axis=1))


def test_equal_scores_are_all_kept():
    keep = keep_by_bigrams(np.zeros((5, K)), [0, 4, 5], pair_weights(ngram_table(K, [], [])), 0.9)
    assert keep.all()


def test_the_largest_alpha_leaves_the_best_path():
    rng = np.random.default_rng(1)
    table, weights = random_model(rng)
    unary = rng.normal(size=(4, K))
    keep = keep_by_bigrams(unary, [0, 4], pair_weights(table), 1.0)
    best = max(itertools.product(range(K), repeat=4), key=lambda labels: score(labels, unary, weights))
    assert keep.sum() == 4
    assert keep[np.arange(4), best].all()


@pytest.mark.parametrize("n", [3, 9, WORTH + 2])
@pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.6])
def test_a_cap_on_pairs_raises_alpha_as_it_does_for_max_marginals(n, alpha):
    rng = np.random.default_rng(n)
    row_start = np.array([0, 1, 7, 12, 14])
    unary, pairs = rng.integers(0, 5, (14, n)).astype(float), rng.integers(-1, 2, (n, n)) / 2
    codes = [encode(n, [i, j]) for i in range(n) for j in range(n)]
    weights = pair_weights(ngram_table(n, codes, pairs.ravel()))
    values = state_values(unary.copy(), row_start, pairs)
    whole = keep_by_bigrams(unary, row_start, weights, alpha)
    assert_array_equal(whole, states_left(values, alpha, 2**40))
    for cap in (1, 8, 5 * n):
        capped = keep_by_bigrams(unary, row_start, weights, alpha, cap)
        assert_array_equal(capped, states_left(values, alpha, cap))
        assert not (capped & ~whole).any()
        for a, b in itertools.pairwise(row_start):
            sizes = capped[a:b].sum(axis=1)
            assert sizes[:-1] @ sizes[1:] <= max(cap, b - a - 1)
    assert (capped != whole).any() or n == 3


def test_a_table_of_other_states_is_refused():
    with pytest.raises(ShapeError, match=r"unary has shape \(2, 4\); the weights need \(R, 3\)"):
        keep_by_bigrams(np.zeros((2, 4)), [0, 2], pair_weights(ngram_table(K, [], [])), 0.5)


QUICK = CascadeConfig(
    tolerances=(0.1, 0.05, 0.05), filter_epochs=2, predictor_epochs=2, has_end=True, first_order=2
)


@pytest.fixture(scope="module")
def trained():
    return train(QUICK, data=words(0, 300))


def test_a_cascade_that_begins_with_pairs_keeps_to_its_tolerance(trained):
    assert trained.cascade.first_order == 2
    assert trained.reports[0].arcs_in == 26  # letters are filtered
    before = 0.0
    for report, tolerance in zip(trained.reports, QUICK.tolerances):
        assert report.was_pruned <= before + tolerance * (1 - before) + 1e-9
        before = report.was_pruned
    by_letters = train(replace(QUICK, first_order=1), data=words(0, 300)).reports[0]
    assert trained.reports[0].arcs_kept < by_letters.arcs_kept


def test_decoding_in_one_go_reads_the_same(trained):
    features, _, lengths = TEST
    steps = list(filter_examples(trained.cascade, features, lengths))
    assert [int(step.lattice.order.max()) for step in steps] == [1, 2, 3]
    for n in (2, 3):
        part = trained.cascade._replace(levels=trained.cascade.levels[:n])
        slow = predict(part.levels[-1], steps[n - 1].lattice, features).labels
        assert np.array_equal(decode_examples(part, features, lengths).labels, slow)


def test_decoding_in_one_go_keeps_to_the_cap(trained):
    features, _, lengths = TEST
    for most in (60, 400):
        cascade = trained.cascade._replace(max_arcs=most)
        *_, last = filter_examples(cascade, features, lengths)
        slow = predict(cascade.levels[-1], last.lattice, features)
        fast = decode_examples(cascade, features, lengths)
        assert np.array_equal(fast.labels, slow.labels)
        assert np.array_equal(fast.scores, slow.scores)


def test_end_marks_count_in_the_first_filter():
    """A filter that believes in "only c ends a word" loses other ends, whichever way it is run."""
    result = train(replace(QUICK, first_order=1), data=words(0, 200))
    first = result.cascade.levels[0]
    keys = np.array([encode(26, [s, 26]) for s in range(26)])
    values = np.where(np.arange(26) == 2, 50.0, 0.0)
    strict = first._replace(filter=replace(first.filter, keys=keys, values=values), alpha=0.5)
    cascade = result.cascade._replace(levels=(strict, *result.cascade.levels[1:]))
    features, _, lengths = TEST
    steps = list(filter_examples(cascade, features, lengths))
    slow = predict(cascade.levels[-1], steps[-1].lattice, features).labels
    fast = decode_examples(cascade, features, lengths).labels
    assert np.array_equal(fast, slow)
    assert (slow[np.cumsum(lengths) - 1] == 2).all()


def test_the_first_level_is_taken_over_bit_by_bit():
    one = train(QUICK, data=words(0, 90))
    tight = replace(QUICK, tolerances=(0.3, 0.3))
    again = train(tight, data=words(0, 90))
    shared = train(tight, data=words(0, 90), first=one.first)
    assert shared.reports == again.reports
    for mine, theirs in zip(shared.cascade.levels, again.cascade.levels):
        assert mine.filter.weights.tobytes() == theirs.filter.weights.tobytes()
        assert mine.predictor.weights.tobytes() == theirs.predictor.weights.tobytes()


def test_tolerances_can_count_positions():
    """Alpha is the largest at which at most that share of true n-grams falls, level by level."""
    config = replace(QUICK, tolerance_kind="position", tolerances=(0.06, 0.02), first_order=1)
    data = words(0, 400)
    result = train(config, data=data)
    first, second = result.reports
    n_letters = data[2].sum()
    assert abs(first.position_loss - 0.06) <= 1 / n_letters + 1e-9
    assert second.position_loss > first.position_loss
    assert first.was_pruned > 0.12  # several letters per word: many more words than letters lose something
    by_word = train(replace(config, tolerance_kind="example"), data=data).reports[0]
    assert by_word.arcs_kept > first.arcs_kept


def test_positions_kept_are_counted_one_by_one():
    letters = unigrams([2, 1], K)
    keep = np.array([True, False, False, True, True, False, False, True, True])
    assert positions_kept(letters, keep, [0, 2, 1]) == pytest.approx(2 / 3)
    assert survives(letters, keep, [0, 2, 1]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tolerance_kind": "letter"}, "tolerance_kind must be one of example, position, got 'letter'"),
        ({"tolerance_kind": "position", "by_definition": True}, "tolerance_kind must be example where"),
        ({"first_order": 3}, "first_order must be a whole number from 1 to 2, got 3"),
        ({"on_nodes": True}, "first_order must be 1 with on_nodes or a CRF's filters, got 2"),
    ],
)
def test_settings_that_do_not_go_together_are_named(change, message):
    with pytest.raises(ArgumentError, match=message):
        replace(QUICK, **change)


def test_a_mask_of_allowed_states_is_refused(trained):
    features, _, lengths = TEST
    with pytest.raises(ArgumentError, match="allowed must be None where a bigram model"):
        next(filter_examples(trained.cascade, features, lengths, allowed=np.ones((1, 26), dtype=bool)))


def test_training_takes_words_of_one_letter():
    features, labels, _ = words(0, 12)
    result = train_cascade(
        features, labels, np.ones(len(labels), dtype=int), 26, QUICK, np.random.default_rng(0)
    )
    assert [r.order for r in result.reports] == [1, 2, 3]
