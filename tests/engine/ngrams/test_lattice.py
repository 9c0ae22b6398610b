"""Sparse lattices against enumeration: any order, pruned at random, several examples at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.engine.ngrams import lattice
from spcviz.engine.ngrams.table import empty_table, encode, ngram_table
from tests.oracles import ngram as oracle
from tests.strategies import ANY_SCORE, SMALL_INTEGERS, ngram_models

MODELS = ngram_models(n_examples=2)


def table_of(n_states, weights, end):
    codes = {encode(n_states, g): w for g, w in weights.items()}
    codes |= {encode(n_states, (*g, n_states)): w for g, w in end.items()}
    return ngram_table(n_states, list(codes), list(codes.values()))


def grown(n_states, order, unaries, rng, share):
    """A lattice of the given order, pruned at random (but never infeasible), and the oracle's spaces."""
    lengths = [len(u) for u in unaries]
    lat = lattice.unigrams(lengths, n_states)
    spaces = [oracle.full_space(length, n_states, 1) for length in lengths]
    for _ in range(order - 1):
        keep = rng.random(lat.n_arcs) < share
        keep[lattice.decode(lat, rng.normal(size=lat.n_arcs)).arcs] = True  # one complete path survives
        at = 0
        for w, length in enumerate(lengths):
            grams = [tuple(map(int, s)) for s in lattice.symbols(lat, w)]
            for c, _ in enumerate(spaces[w]):
                column = lat.col_start[w] + c
                size = lat.arc_start[column + 1] - lat.arc_start[column]
                spaces[w][c] = {g for g, k in zip(grams[:size], keep[at : at + size]) if k}
                grams, at = grams[size:], at + size
            spaces[w] = oracle.grow(spaces[w], length)
        assert lattice.extended_size(lat, keep).sum() == lattice.extend(lat, keep).n_arcs
        lat = lattice.extend(lat, keep)
    return lat, spaces


def arcs_of(lat, w):
    """[(column, n-gram)] of one example in the lattice's order."""
    columns = np.repeat(
        np.arange(lat.col_start[w + 1] - lat.col_start[w]),
        np.diff(lat.arc_start[lat.col_start[w] : lat.col_start[w + 1] + 1]),
    )
    return [(int(c), tuple(map(int, s))) for c, s in zip(columns, lattice.symbols(lat, w))]


@given(model=MODELS, seed=st.integers(0, 2**31), share=st.sampled_from([0.3, 0.7, 1.1]))
def test_arcs_are_the_ngrams_whose_parts_survived(model, seed, share):
    n, order, unaries, _, _ = model
    lat, spaces = grown(n, order, unaries, np.random.default_rng(seed), share)
    for w, space in enumerate(spaces):
        got = arcs_of(lat, w)
        assert got == sorted(got)
        assert got == [(c, g) for c, grams in enumerate(space) for g in sorted(grams)]


@pytest.mark.parametrize("elements", [None, SMALL_INTEGERS, ANY_SCORE], ids=["floats", "ties", "forbidden"])
@given(data=st.data(), seed=st.integers(0, 2**31), share=st.sampled_from([0.3, 0.7, 1.1]))
def test_messages_decode_and_marginals_match_enumeration(elements, data, seed, share):
    extra = {} if elements is None else {"elements": elements}
    n, order, unaries, weights, end = data.draw(ngram_models(n_examples=2, **extra))
    lat, spaces = grown(n, order, unaries, np.random.default_rng(seed), share)
    scores = lattice.score_arcs(lat, np.concatenate(unaries), table_of(n, weights, end))
    got, paths = lattice.messages(lat, scores), lattice.decode(lat, scores)
    with np.errstate(invalid="ignore"):
        log_partition, log_table = lattice.log_marginals(lat, scores)
    into, out_of = lattice.pointers(lat, scores, got.forward, got.backward)
    for w, (space, u) in enumerate(zip(spaces, unaries)):
        args = (space, len(u), n, u, weights, end, order)
        best, through = oracle.tables(*args, max)
        start, stop = lat.example_start[w : w + 2]
        if best is None or best == -np.inf:
            assert got.best[w] == -np.inf
            assert (got.max_marginal[start:stop] == -np.inf).all()
            assert (paths.labels[lat.row_start[w] : lat.row_start[w + 1]] == -1).all()
            continue
        want = np.array([through.get(at, -np.inf) for at in arcs_of(lat, w)])
        assert_allclose(got.best[w], best, rtol=1e-9, atol=1e-9)
        assert_allclose(got.max_marginal[start:stop], want, rtol=1e-9, atol=1e-9)
        labels = tuple(paths.labels[lat.row_start[w] : lat.row_start[w + 1]])
        assert_allclose(paths.scores[w], best, rtol=1e-9, atol=1e-9)
        assert_allclose(oracle.score(labels, u, weights, end, order), best, rtol=1e-9, atol=1e-9)
        with np.errstate(invalid="ignore"):
            total, sums = oracle.tables(*args, np.logaddexp.reduce)
        assert_allclose(log_partition[w], total, rtol=1e-9, atol=1e-9)
        want = np.array([sums.get(at, -np.inf) for at in arcs_of(lat, w)]) - total
        assert_allclose(np.exp(log_table[start:stop]), np.exp(want), rtol=1e-9, atol=1e-9)
        arc = int(
            np.argmin(np.where(got.max_marginal[start:stop] > -np.inf, got.max_marginal[start:stop], np.inf))
        )
        value, witness = lattice.witness(lat, scores, start + arc)
        assert start + arc in witness
        assert len(witness) == lat.col_start[w + 1] - lat.col_start[w]
        assert_allclose(scores[witness].sum(), value, rtol=1e-9, atol=1e-9)
        assert (lat.arc_head[witness[:-1]] == lat.arc_tail[witness[1:]]).all()
        at = list(witness).index(start + arc)
        assert into[lat.arc_tail[start + arc]] == (witness[at - 1] if at else -1)
        assert out_of[lat.arc_head[start + arc]] == (witness[at + 1] if at + 1 < len(witness) else -1)


@given(model=MODELS, seed=st.integers(0, 2**31))
def test_labels_score_the_same_in_and_out_of_the_lattice(model, seed):
    n, order, unaries, weights, end = model
    rng = np.random.default_rng(seed)
    lat, _ = grown(n, order, unaries, rng, 0.6)
    labels = rng.integers(0, n, size=sum(map(len, unaries)))
    table = table_of(n, weights, end)
    got = lattice.score_labels(lat, np.concatenate(unaries), table, labels)
    arcs, arc_score = lattice.path_of(lat, labels), lattice.score_arcs(lat, np.concatenate(unaries), table)
    for w, u in enumerate(unaries):
        y = tuple(map(int, labels[lat.row_start[w] : lat.row_start[w + 1]]))
        assert_allclose(got[w], oracle.score(y, u, weights, end, order), rtol=1e-9, atol=1e-9)
        path = arcs[lat.col_start[w] : lat.col_start[w + 1]]
        if (path >= 0).all():
            assert_allclose(arc_score[path].sum(), got[w], rtol=1e-9, atol=1e-9)


@given(seed=st.integers(0, 2**31), length=st.integers(1, 8), n=st.integers(1, 6))
def test_bigram_lattice_is_the_chain_ties_included(seed, length, n):
    rng = np.random.default_rng(seed)
    unary, pairwise = rng.integers(0, 3, (length, n)) * 1.0, rng.integers(0, 3, (n, n)) * 1.0
    lat = lattice.unigrams([length], n)
    lat = lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))
    table = ngram_table(n, [encode(n, (i, j)) for i in range(n) for j in range(n)], pairwise.ravel())
    got = lattice.decode(lat, lattice.score_arcs(lat, unary, table))
    want = chain.decode(unary, pairwise)
    assert got.scores[0] == want.score
    assert got.labels.tolist() == want.labels.tolist()


def test_ties_go_to_the_smallest_arc():
    lat = lattice.unigrams([3], 3)
    lat = lattice.extend(lat, np.ones(9, dtype=bool))
    assert lattice.decode(lat, np.zeros(lat.n_arcs)).labels.tolist() == [0, 0, 0]


def test_growing_past_the_length_keeps_the_order():
    lat = lattice.unigrams([2, 4], 3)
    for _ in range(7):
        lat = lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))
    assert lat.order.tolist() == [2, 4]
    assert np.diff(lat.example_start).tolist() == [9, 81]


def test_restricting_keeps_order_and_scores():
    rng = np.random.default_rng(0)
    lat = lattice.unigrams([4], 3)
    lat = lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))
    score = rng.normal(size=lat.n_arcs)
    keep = rng.random(lat.n_arcs) < 0.5
    keep[lattice.decode(lat, score).arcs] = True
    small = lattice.extend(lat, keep, grow=False)
    assert small.arc_key.tolist() == lat.arc_key[keep].tolist()
    masked = np.where(keep, score, -np.inf)
    assert_allclose(
        lattice.messages(small, score[keep]).max_marginal, lattice.messages(lat, masked).max_marginal[keep]
    )


def test_no_examples_at_all():
    lat = lattice.unigrams(np.zeros(0, dtype=int), 3)
    assert lattice.extend(lat, np.zeros(0, dtype=bool)).n_arcs == 0
    assert lattice.decode(lat, np.zeros(0)).labels.size == 0


def test_bad_arguments_are_named():
    lat = lattice.unigrams([2], 3)
    with pytest.raises(ArgumentError, match=r"lengths\[1\] must be at least 1, got 0"):
        lattice.unigrams([2, 0], 3)
    with pytest.raises(ArgumentError, match="n_states must be a whole number from 1 to 10000, got 0"):
        lattice.unigrams([2], 0)
    with pytest.raises(ShapeError, match=r"lengths has shape \(1, 1\)"):
        lattice.unigrams([[2]], 3)
    with pytest.raises(ShapeError, match=r"allowed has shape \(1, 3\); lengths needs \(2, 3\)"):
        lattice.unigrams([2], 3, np.ones((1, 3)))
    with pytest.raises(ArgumentError, match="allowed must leave a state everywhere, got none at row 1"):
        lattice.unigrams([2], 2, [[1, 0], [0, 0]])
    with pytest.raises(ShapeError, match=r"keep has shape \(2,\), dtype bool; it needs \(6,\) bool"):
        lattice.extend(lat, np.ones(2, dtype=bool))
    with pytest.raises(InfeasibleError, match="keep leaves no arc in column 1 of example 0"):
        lattice.extend(lat, np.array([1, 0, 0, 0, 0, 0], dtype=bool))
    with pytest.raises(ScoreError, match=r"arc_score\[2\] must be a finite score or -inf, got nan"):
        lattice.messages(lat, [0, 0, np.nan, 0, 0, 0])
    with pytest.raises(ShapeError, match=r"arc_score has shape \(1,\); the lattice needs \(6,\)"):
        lattice.decode(lat, [0.0])
    with pytest.raises(ShapeError, match=r"unary has shape \(3, 3\); the lattice needs \(2, 3\)"):
        lattice.score_arcs(lat, np.zeros((3, 3)), empty_table(3))
    with pytest.raises(ShapeError, match="table has 4 states; the lattice needs 3"):
        lattice.score_arcs(lat, np.zeros((2, 3)), empty_table(4))
    with pytest.raises(ArgumentError, match="arc must be a whole number from 0 to 5, got 6"):
        lattice.witness(lat, np.zeros(6), 6)
    with pytest.raises(InfeasibleError, match="no complete path goes through arc 1"):
        lattice.witness(lat, [0, -np.inf, 0, 0, 0, 0], 1)
    with pytest.raises(ArgumentError, match="labels\\[1\\] must be from 0 to 2, got 7"):
        lattice.path_of(lat, [0, 7])


def test_codes_that_would_overflow_are_refused():
    lat = lattice.unigrams([20], 200, np.arange(200) == np.zeros((20, 1)))
    for _ in range(5):
        lat = lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))
    with pytest.raises(ArgumentError, match="order 6 cannot grow: codes of 200 states overflow 62 bits"):
        lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))
