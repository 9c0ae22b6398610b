"""A counted n-gram model against the formula, written out letter by letter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.table import encode, lookup, ngram_table
from spcviz.learning.cascade.counting import count

WORDS = ["abba", "ab", "cab", "abc", "ba", "abba"]
K, D = 3, 0.6
SPELLED = [[ord(c) - 97 for c in word] for word in WORDS]
LABELS, LENGTHS = np.concatenate(SPELLED), [len(word) for word in SPELLED]


def p(context, y, least):
    """The formula of the module, by recursion over plain lists; y = K is the end mark."""
    if context is None:
        return 1 / (K + 1)
    followers = [
        word[i]
        for word in ([*w, K] for w in SPELLED)
        for i in range(len(context), len(word))
        if word[i - len(context) : i] == list(context)
    ]
    shorter = context[1:] if context else None
    if len(context) > 1 and len(followers) < least:
        return p(shorter, y, least)
    n, kinds = followers.count(y), len(set(followers))
    return (max(n - D, 0) + D * kinds * p(shorter, y, least)) / len(followers)


@pytest.mark.parametrize("least", [1, 3])
def test_sums_of_suffixes_are_log_probabilities(least):
    counts = count(K, LABELS, LENGTHS, np.ones(6), 4, discount=D, least=least)
    table = ngram_table(K, counts.keys, counts.values)
    assert_allclose(counts.single, [np.log(p((), y, least)) for y in range(K)], rtol=1e-12)
    for context in ([0], [0, 1], [1, 1], [0, 1, 1], [2, 0, 1]):
        for y in range(K + 1):
            wanted = np.log(p(tuple(context), y, least) / p((), y, least))
            assert_allclose(lookup(table, encode(K, [*context, y]), len(context) + 1), wanted, atol=1e-12)


def test_every_context_s_probabilities_are_one():
    counts = count(K, LABELS, LENGTHS, np.ones(6), 3, discount=D, least=1)
    table = ngram_table(K, counts.keys, counts.values)
    end = np.log(1 - np.exp(counts.single).sum())
    for context in ([0], [1, 1], [0, 1]):
        sums = [lookup(table, encode(K, [*context, y]), len(context) + 1) for y in range(K + 1)]
        assert_allclose(np.exp(np.append(counts.single, end) + sums).sum(), 1.0, rtol=1e-12)


def test_sizes_ends_and_first_letters():
    counts = count(K, LABELS, LENGTHS, np.ones(6), 3, discount=D)
    assert set(counts.size) == {2, 3}
    assert (counts.is_end == (counts.keys & 7 == K + 1)).all()
    assert np.argmax(counts.first) == 0  # most words begin with a
    assert_allclose(np.exp(counts.first).sum(), 1.0)
    assert (np.diff(counts.keys) > 0).all()


def kneser_ney(context, y, least, plain):
    """By recursion; "^" begins a word, K ends it; contexts as long as `plain` have plain counts."""
    texts = [["^", *w, K] for w in SPELLED]
    if context is None:
        return 1 / (K + 1)
    n = len(context)
    places = [(w, i) for w in texts for i in range(1, len(w)) if i >= n and w[i - n : i] == list(context)]
    if "^" in context or n >= plain:
        followers = [w[i] for w, i in places]
    else:
        before = {(w[i - n - 1], w[i]) for w, i in places if i - n - 1 >= 0}
        followers = [follower for _, follower in before]
    shorter = context[1:] if context else None
    if n > 1 and len(places) < least:
        return kneser_ney(shorter, y, least, plain)
    share = D * len(set(followers)) * kneser_ney(shorter, y, least, plain)
    return (max(followers.count(y) - D, 0) + share) / len(followers)


@pytest.mark.parametrize(("least", "plain_from"), [(1, 4), (2, 4), (1, 3)])
def test_kneser_ney_counts_what_stands_before(least, plain_from):
    counts = count(
        K, LABELS, LENGTHS, np.ones(6), 4, discount=D, least=least, smoothing="kneser_ney",
        plain_from=plain_from, has_begin=True,
    )  # fmt: skip
    table, plain = ngram_table(K, counts.keys, counts.values), plain_from - 1
    assert_allclose(counts.single, [np.log(kneser_ney((), y, least, plain)) for y in range(K)], rtol=1e-12)
    for context in ([0], [0, 1], [1, 1], [0, 1, 1], ["^", 0], ["^", 0, 1], ["^", 2, 0]):
        for y in range(K + 1):
            wanted = np.log(kneser_ney(tuple(context), y, least, plain) / kneser_ney((), y, least, plain))
            assert_allclose(lookup(table, encode(K, [*context, y]), len(context) + 1), wanted, atol=1e-12)
    assert counts.is_begin.sum() == (counts.keys >> 3 * (counts.size - 1) == K + 2).sum() > 0
    assert set(counts.size[counts.is_begin]) == {3, 4}


def test_a_word_counts_as_often_as_it_weighs():
    once = count(K, LABELS, LENGTHS, np.ones(6), 3, discount=D)
    merged = count(K, LABELS[:-4], LENGTHS[:-1], [2, 1, 1, 1, 1], 3, discount=D)
    assert_allclose(once.values, merged.values, rtol=1e-12)


def test_bad_arguments():
    with pytest.raises(ShapeError, match="weights has shape"):
        count(K, LABELS, LENGTHS, np.ones(2), 3)
    with pytest.raises(ArgumentError, match="longest must be"):
        count(K, LABELS, LENGTHS, np.ones(6), 1)
    with pytest.raises(ArgumentError, match="smoothing must be absolute or kneser_ney, got 'none'"):
        count(K, LABELS, LENGTHS, np.ones(6), 3, smoothing="none")
    with pytest.raises(ArgumentError, match="plain_from must be"):
        count(K, LABELS, LENGTHS, np.ones(6), 3, plain_from=4)
    with pytest.raises(ArgumentError, match="has_begin must be False: 30 states leave no symbol"):
        count(30, LABELS, LENGTHS, np.ones(6), 3, has_begin=True)
