"""N-grams that begin with ^: every way to score and decode against enumeration."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams import lattice, row_compressed
from spcviz.engine.ngrams.beam import beam_decode
from spcviz.engine.ngrams.dense import dense_decode, dense_model
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.ngrams.table import encode, lookup, ngram_table
from spcviz.engine.variable_order.weights import VariableOrderWeights, checked_weights
from spcviz.learning.cascade.config import CascadeConfig
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.cascade.online import Model
from spcviz.learning.cascade.problem import prepare
from tests.oracles import ngram as oracle

K = 3


def code(gram):
    """Code of an n-gram; its first symbol may be "^"."""
    return encode(K, ["^", *gram[1:]] if gram[0] == "^" else gram)


def random_model(rng, order, n=30):
    """(table, {n-gram: weight}, {gram: weight with # after it}, {gram: weight with ^ before it})."""

    def some(least, most):
        grams = {tuple(rng.integers(0, K, rng.integers(least, most + 1)).tolist()) for _ in range(n)}
        return {gram: float(rng.normal()) for gram in sorted(grams)}

    weights, end, begin = some(2, order), some(1, order), some(2, order)
    every = weights | {(*g, K): w for g, w in end.items()} | {("^", *g): w for g, w in begin.items()}
    return ngram_table(K, [code(g) for g in every], list(every.values())), weights, end, begin


def score(y, unary, weights, end, begin, order):
    first = sum(begin.get(y[:m], 0.0) for m in range(2, min(order, len(y)) + 1))
    return oracle.score(y, unary, weights, end, order) + first


def best_of(unary, model, order):
    every = product(range(K), repeat=len(unary))
    return max((score(y, unary, *model, order), y) for y in every)


@given(seed=st.integers(0, 2**31), order=st.integers(2, 4))
def test_beam_dense_and_lattices_find_the_best_of_all(seed, order):
    rng = np.random.default_rng(seed)
    table, *model = random_model(rng, order)
    lengths = [1, 2, 5, 3, 4]
    unary, starts = rng.normal(size=(sum(lengths), K)), np.cumsum([0, *lengths])
    scores, labels = beam_decode(table, unary, lengths, order, K**5)
    space = lattice.unigrams(lengths, K)
    for _ in range(order - 1):
        space = lattice.extend(space, np.ones(space.n_arcs, dtype=bool))
    paths = lattice.decode(space, lattice.score_arcs(space, unary, table))
    exact = dense_model(table, order)
    for w, (a, b) in enumerate(pairwise(starts)):
        best, path = best_of(unary[a:b], model, order)
        assert_allclose([scores[w], paths.scores[w]], best, rtol=1e-9)
        assert tuple(labels[a:b]) == tuple(paths.labels[a:b]) == path
        one = dense_decode(exact, unary[a:b])
        assert_allclose(one.score, best, rtol=1e-9)
        assert tuple(one.labels) == path
    some = rng.integers(0, K, len(unary))
    wanted = [score(tuple(some[a:b].tolist()), unary[a:b], *model, order) for a, b in pairwise(starts)]
    assert_allclose(lattice.score_labels(space, unary, table, some), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_fans_keep_and_read_what_lattices_do(order):
    rng = np.random.default_rng(order)
    lengths = np.array([1, 2, 6, 3])
    allowed = rng.random((lengths.sum(), K)) < 0.8
    allowed[:, 0] = True
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    fan, space = row_compressed.first_fan(row_start, allowed), lattice.bigrams(lengths, K, allowed)
    for n in range(2, order + 1):
        unary, (table, *_) = rng.normal(size=allowed.shape), random_model(rng, n)
        rows = row_compressed.gram_rows(table)
        arc_score = lattice.score_arcs(space, unary, table)
        scores, labels = row_compressed.finish(fan, unary, rows)
        wanted = lattice.decode(space, arc_score)
        assert_allclose(scores, wanted.scores, rtol=1e-9)
        assert_array_equal(labels, wanted.labels)
        keep = prune(space, arc_score, 0.3).keep
        fan = row_compressed.advance(fan, unary, rows, 0.3, 10_000, allowed[:0])
        space = lattice.extend(space, keep)


@pytest.mark.parametrize("has_end", [False, True])
def test_what_is_learned_is_what_is_scored(has_end):
    """The n-grams that an arc completes, as learning numbers them, weigh what the arc scores."""
    rng, lengths = np.random.default_rng(7), [1, 2, 3, 6]
    space = lattice.unigrams(lengths, K)
    features = DenseRows(np.zeros((sum(lengths), 1), dtype=np.float32))
    labels = np.zeros(sum(lengths), dtype=np.int64)
    for _ in range(3):
        problem = prepare(space, features, labels, has_end=has_end, has_begin=True)
        model = Model(np.zeros((1, K)), np.sort(problem.keys), rng.normal(size=len(problem.keys)))
        values = model.values[np.searchsorted(model.keys, problem.keys)]
        sums = [values[problem.gram_index[a:b]].sum() for a, b in pairwise(problem.gram_start)]
        unary = np.zeros((sum(lengths), K))
        assert_allclose(lattice.score_arcs(space, unary, model.table), sums, atol=1e-12)
        assert model.table.has_begin == (space.order.max() > 1)
        space = lattice.extend(space, np.ones(space.n_arcs, dtype=bool))


def test_codes_and_look_ups():
    table = ngram_table(K, [code("^ab"), encode(K, "ab")], [2.0, 1.0])
    assert table.has_begin
    assert not ngram_table(K, [encode(K, "ab")], [1.0]).has_begin
    assert lookup(table, code("^ab"), 3) == 3.0
    assert lookup(table, encode(K, "cab"), 3) == 1.0


@pytest.mark.parametrize("bad", [[0, K + 1], [0, K + 1, 0], [K + 1, 0], [K + 1, K + 1, 0]])
def test_the_mark_stands_in_front_of_two_symbols_or_not_at_all(bad):
    key = 0
    for symbol in bad:
        key = (key << 3) + symbol + 1
    with pytest.raises(
        ArgumentError, match=f"keys must have \\^ first, before two symbols or more, got {key}"
    ):
        ngram_table(K, [encode(K, "ab"), key], [1.0, 1.0])


def test_states_that_leave_no_symbol_for_the_mark():
    with pytest.raises(ArgumentError, match="states"):
        encode(30, "^ab")
    space = lattice.unigrams([2], 30)
    features = DenseRows(np.zeros((2, 1), dtype=np.float32))
    with pytest.raises(ArgumentError, match=r"has_begin must be False: 30 states leave no symbol for \^"):
        prepare(space, features, [0, 0], has_begin=True)


def test_what_cannot_read_the_mark_refuses_it():
    table = ngram_table(K, [code("^ab")], [1.0])
    square, row = np.ones((1, 1)), np.zeros(K)
    with pytest.raises(ArgumentError, match=r"table must be without n-grams that begin with \^"):
        checked_weights(VariableOrderWeights(square, square, square, row, row, row, table), K)
    with pytest.raises(ArgumentError, match="has_begin must be False where first_order is 2, got True"):
        CascadeConfig(first_order=2, has_begin=True)
