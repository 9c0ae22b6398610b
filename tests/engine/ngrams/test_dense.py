"""Dense Viterbi of any order against enumeration, and against the lattice that nothing was pruned from."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.engine.ngrams import lattice
from spcviz.engine.ngrams.dense import dense_decode, dense_model
from spcviz.engine.ngrams.table import empty_table, encode, ngram_table
from tests.oracles import ngram as oracle
from tests.strategies import ANY_SCORE, SMALL_INTEGERS, cases, ngram_models, random_scores

MODELS = [
    ngram_models(max_order=5),
    ngram_models(max_order=5, elements=SMALL_INTEGERS),
    ngram_models(max_order=5, elements=ANY_SCORE),
]


def table_of(n_states, weights, end):
    codes = {encode(n_states, g): w for g, w in weights.items()}
    codes |= {encode(n_states, (*g, n_states)): w for g, w in end.items()}
    return ngram_table(n_states, list(codes), list(codes.values()))


def rank(y, order):
    """Ties go to the smallest last n-gram, then to the smallest state before it, and so on to the first."""
    n = min(order, len(y))
    return (y[len(y) - n :], y[: len(y) - n][::-1])


def check(n_states, order, unary, weights, end, *, is_exact=False):
    """Score and labels against all K^L labellings; `is_exact`: sums do not round, so ties are ties."""
    scored = {
        y: oracle.score(y, unary, weights, end, order) for y in product(range(n_states), repeat=len(unary))
    }
    best = max(scored.values())
    model = dense_model(table_of(n_states, weights, end), order)
    if best == -np.inf:
        with pytest.raises(InfeasibleError, match="every labelling has score -inf"):
            dense_decode(model, unary)
        return
    path = dense_decode(model, unary)
    labels = tuple(path.labels.tolist())
    assert_allclose([path.score, scored[labels]], best, rtol=1e-9, atol=1e-9)
    if is_exact:
        assert labels == min((y for y, s in scored.items() if s == best), key=lambda y: rank(y, order))


@pytest.mark.parametrize("models", MODELS, ids=["floats", "ties", "forbidden"])
def test_enumeration(models):
    @given(model=models)
    def run(model):
        n_states, order, unaries, weights, end = model
        check(n_states, order, unaries[0], weights, end)

    run()


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("has_end", [False, True])
def test_every_order_length_and_number_of_states(order, has_end):
    """Lengths below, at and above the order; odd and even numbers of states take different loops."""
    for seed in range(cases(800)):
        rng = np.random.default_rng([seed, order, has_end])
        n, length = int(rng.integers(1, 5)), int(rng.integers(1, order + 3))
        if n**length > 1500:
            n = 2
        unary = random_scores(rng, (length, n), ties=True, scale=1.0)
        weights = {
            tuple(rng.integers(0, n, rng.integers(2, order + 1)).tolist()): float(rng.integers(-3, 4))
            for _ in range(8 if order > 1 else 0)
        }
        end = {
            tuple(rng.integers(0, n, rng.integers(1, order + 1)).tolist()): float(rng.integers(-3, 4))
            for _ in range(4 if has_end else 0)
        }
        check(n, order, unary, weights, end, is_exact=True)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_unpruned_lattice(order):
    """A cascade that prunes nothing is exact n-gram Viterbi, also with the real number of letters."""
    rng = np.random.default_rng(order)
    n = 26 if order < 4 else 6
    grams = {encode(n, rng.integers(0, n, m)): rng.normal() for m in range(2, order + 1) for _ in range(200)}
    grams |= {
        encode(n, [*rng.integers(0, n, m), n]): rng.normal() for m in range(1, order + 1) for _ in "abc"
    }
    table = ngram_table(n, list(grams), list(grams.values()))
    lengths = [1, order, 3, 7]
    full = lattice.unigrams(lengths, n)
    for _ in range(order - 1):
        full = lattice.extend(full, np.ones(full.n_arcs, dtype=bool))
    unary = rng.normal(size=(sum(lengths), n))
    paths = lattice.decode(full, lattice.score_arcs(full, unary, table))
    model = dense_model(table, order)
    for w, (a, b) in enumerate(zip(full.row_start[:-1], full.row_start[1:])):
        path = dense_decode(model, unary[a:b])
        assert_allclose(path.score, paths.scores[w], rtol=1e-12, atol=1e-12)
        assert path.labels.tolist() == paths.labels[a:b].tolist()


def test_all_equal_takes_the_smallest_states():
    for order in (1, 2, 3, 4):
        path = dense_decode(dense_model(empty_table(3), order), np.zeros((5, 3)))
        assert path.score == 0.0
        assert path.labels.tolist() == [0] * 5


def test_the_argument_is_left_alone():
    unary = np.array([[0.0, 1.0], [2.0, 0.0]])
    before = unary.copy()
    dense_decode(dense_model(empty_table(2), 2), unary)
    assert (unary == before).all()


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (0, "order must be a whole number from 1 to 12, got 0"),
        (13, "order must be a whole number from 1 to 12, got 13"),
        (2.0, "order must be a whole number"),
        (6, "order 6 needs 26\\^6 table entries; the limit is 30000000"),
    ],
)
def test_bad_orders(order, message):
    with pytest.raises(ArgumentError, match=message):
        dense_model(empty_table(26), order)


@pytest.mark.parametrize(
    ("unary", "error", "message"),
    [
        (np.zeros((3, 4)), ShapeError, r"unary has shape \(3, 4\); the model needs \(L >= 1, 3\)"),
        (np.zeros((0, 3)), ShapeError, r"unary has shape \(0, 3\)"),
        (np.zeros(3), ShapeError, r"unary has shape \(3,\); it needs 2 dimensions"),
        ([[0.0, np.nan, 0.0]], ScoreError, r"unary\[0, 1\] must be a finite score or -inf, got nan"),
        ([[0.0, np.inf, 0.0]], ScoreError, r"unary\[0, 1\] must be a finite score or -inf, got inf"),
        ([["a", "b", "c"]], ArgumentError, "unary must be an array of numbers"),
        (np.full((2, 3), -np.inf), InfeasibleError, "every labelling has score -inf"),
    ],
)
def test_bad_unaries(unary, error, message):
    for order in (1, 2, 3):
        with pytest.raises(error, match=message):
            dense_decode(dense_model(empty_table(3), order), unary)
