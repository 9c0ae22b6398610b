"""The set of n-grams against Python's own; meta-features against their definitions."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.chains import chain
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.budgets.chains.meta import LOOKS_META, META, chain_meta
from spcviz.learning.budgets.chains.ngram_sets import code_of, count_unseen, is_seen, seen_grams


@given(seed=st.integers(0, 2**31), n_states=st.integers(1, 4))
def test_membership(seed, n_states):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 8, 4)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    labels = rng.integers(0, n_states, starts[-1])
    table, bits = seen_grams(labels, starts, n_states), symbol_bits(n_states)
    texts = [tuple(labels[a:b]) for a, b in itertools.pairwise(starts)]
    grams = {t[i : i + n] for t in texts for n in range(2, 6) for i in range(len(t) - n + 1)}
    for gram in grams:
        assert is_seen(table, code_of(np.array(gram), 0, len(gram), bits))
    other = rng.integers(0, n_states, 9)
    for n in (2, 3, 5):
        want = sum(tuple(other[i : i + n]) not in grams for i in range(10 - n))
        assert count_unseen(table, other, n_states, n) == want


def test_meta_features():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(7, 3)), rng.normal(size=(3, 3))
    seen = seen_grams([0, 1, 2, 0, 1], [0, 5], 3)
    labels, meta = chain_meta(unary, np.array([6, 1]), pairwise, seen)
    best = chain.k_best(unary[:6], pairwise, 2)
    assert labels[:6].tolist() == best.labels[0].tolist()
    row = dict(zip(META, meta[0], strict=True))
    assert np.isclose(
        row["gap of the best two"], min((best.scores[0] - best.scores[1]) / abs(best.scores[0]), 1)
    )
    p = chain.marginals(unary[:6], pairwise).unary
    entropy = -(p * np.log(p)).sum(axis=1)
    assert np.allclose([row["mean entropy"], row["least entropy"], row["largest entropy"]],
                       [entropy.mean(), entropy.min(), entropy.max()])  # fmt: skip
    assert meta[1, 4:].tolist() == [0, 0, 0]  # a word of one letter has no n-grams


def test_change_of_looks():
    """Two disjoint histograms in turn: the changes within reach of each position."""
    unary = np.eye(2)[[0, 1, 1, 0, 0, 0, 0]] * 9
    looks = np.broadcast_to(np.eye(2, dtype=np.float32), (7, 2, 2))
    nothing = seen_grams([0], [0, 1], 2)
    _, meta = chain_meta(unary, np.array([6, 1]), np.zeros((2, 2)), nothing, looks)
    row = dict(zip(LOOKS_META, meta[0, len(META) :], strict=True))
    # Labels 0 1 1 0 0 0. Within 1, the shares that differ are 1, 1/2, 1/2, 1/2, 0, 0.
    assert np.isclose(row["mean change of looks within 1"], 1 / 6)
    assert np.isclose(row["largest change of looks within 1"], 4 / 6)
    # Within 2: 2/2, 2/3, 3/4, 2/4, 1/3, 0/2.
    assert np.isclose(row["mean change of looks within 2"], 3 / 6)
    assert np.isclose(row["largest change of looks within 2"], 5 / 6)
    assert np.isclose(row["largest change of looks within 3"], 1.0)
    assert meta[1, len(META) :].tolist() == [0.0] * 6  # one frame: nothing to differ from
