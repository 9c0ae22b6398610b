"""Dependency trees, projective and not, against enumeration; the best ones against a peer."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.dependency import arborescence, projective
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from tests.oracles import trees_of_words as oracle
from tests.strategies import cases, random_scores

DECODERS = {"any": (arborescence.decode, False), "projective": (projective.decode, True)}


def drawn(n_cases, largest=4, **options):
    """(scores, single_root) of random sentences with ties, forbidden arcs and any scale."""
    rng = np.random.default_rng(5)
    for _ in range(n_cases):
        n = rng.integers(1, largest + 1)
        yield random_scores(rng, (n + 1, n + 1), **options), bool(rng.random() < 0.5)


def assert_close(actual, wanted):
    assert_array_equal(np.isfinite(actual), np.isfinite(wanted))
    scale = max(1.0, np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
    assert_allclose(actual / scale, wanted / scale, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", DECODERS)
def test_the_best_tree_is_that_of_enumeration(kind):
    decode, is_projective = DECODERS[kind]
    for scores, single_root in drawn(cases(20_000, 400)):
        best = oracle.best(scores, single_root=single_root, projective=is_projective)
        if best == -np.inf:
            with pytest.raises(InfeasibleError):
                decode(scores, single_root=single_root)
            continue
        tree = decode(scores, single_root=single_root)
        heads = tree.heads.tolist()
        assert heads in [list(t) for t in oracle.all_trees(len(heads), single_root, is_projective)]
        assert_close(np.array([tree.score, oracle.score(scores, heads)]), np.array([best, best]))


def test_larger_sentences_with_nested_cycles():
    rng = np.random.default_rng(1)
    for _ in range(cases(400, 25)):
        scores = rng.integers(-9, 10, (7, 7)) * 1.0
        scores[1:, 0] -= 30  # cycles within cycles, broken by few arcs
        for decode, is_projective in DECODERS.values():
            for single_root in (False, True):
                assert decode(scores, single_root=single_root).score == oracle.best(
                    scores, single_root=single_root, projective=is_projective
                )


def test_agrees_with_a_peer():
    peer = pytest.importorskip("ufal.chu_liu_edmonds")
    rng = np.random.default_rng(2)
    for n in [*range(1, 30), 60, 120]:
        scores = rng.normal(size=(n + 1, n + 1))
        heads, best = peer.chu_liu_edmonds(scores)
        tree = arborescence.decode(scores)
        assert tree.score == pytest.approx(best, abs=1e-9)
        assert heads[1:] == tree.heads.tolist()


def test_ties_go_to_the_smallest_head():
    assert arborescence.decode(np.zeros((6, 6))).heads.tolist() == [0, 0, 0, 0, 0]
    scores = np.zeros((5, 5))
    scores[:, 0] = -1
    scores[1, 0] = 5
    assert arborescence.decode(scores).heads.tolist() == [0, 1, 1, 1]


def test_row_0_and_the_diagonal_are_not_read():
    scores = np.random.default_rng(3).normal(size=(5, 5))
    other = scores.copy()
    other[0] = 1e9
    np.fill_diagonal(other, 1e9)
    for decode, _ in DECODERS.values():
        assert decode(other).heads.tolist() == decode(scores).heads.tolist()
    assert_array_equal(arborescence.max_marginals(other), arborescence.max_marginals(scores))
    assert_array_equal(arborescence.marginals(other).arcs, arborescence.marginals(scores).arcs)


def test_max_marginals_are_those_of_enumeration():
    for scores, single_root in drawn(cases(4_000, 150)):
        wanted = oracle.max_marginals(scores, single_root=single_root)
        if not np.isfinite(wanted).any():
            with pytest.raises(InfeasibleError):
                arborescence.max_marginals(scores, single_root=single_root)
            continue
        max_marginals = arborescence.max_marginals(scores, single_root=single_root)
        assert_close(max_marginals, wanted)
        best = arborescence.decode(scores, single_root=single_root)
        without = arborescence.without_arcs(scores, single_root=single_root)
        for d, h in enumerate(best.heads, 1):
            others = np.delete(wanted[d], h)
            assert_close(np.array([without.scores[d - 1]]), np.array([others.max()]))
            other = without.heads[d - 1]
            assert (other < 0) == np.isneginf(others.max())
            assert other != h
            if other >= 0:
                assert_close(wanted[d, other : other + 1], np.array([others.max()]))


def test_probabilities_are_those_of_enumeration():
    for scores, single_root in drawn(cases(4_000, 150), scale=3.0):
        if oracle.best(scores, single_root=single_root) == -np.inf:
            with pytest.raises(InfeasibleError):
                arborescence.marginals(scores, single_root=single_root)
            continue
        log_partition, arcs = oracle.marginals(scores, single_root=single_root)
        marginals = arborescence.marginals(scores, single_root=single_root)
        assert marginals.log_partition == pytest.approx(log_partition, abs=1e-9)
        assert_allclose(marginals.arcs, arcs, atol=1e-11)
        assert_allclose(marginals.arcs[1:].sum(axis=1), 1)


def test_probabilities_over_a_wide_range():
    """A cycle that holds all but exp(-500) of two words' weight: subtracting would leave nothing."""
    scores = np.array([[0, 0, 0], [-500.0, 0, 0], [-501.0, 0, 0]])
    marginals = arborescence.marginals(scores)
    assert marginals.log_partition == pytest.approx(-500 + np.log1p(np.exp(-1)), rel=1e-12)
    assert_allclose(marginals.arcs[1], [1 / (1 + np.exp(-1)), 0, 1 - 1 / (1 + np.exp(-1))], rtol=1e-9)
    with pytest.raises(ArgumentError, match=r"scores\[2\] must lie within 600 to sum over trees, got 700"):
        arborescence.marginals([[0, 0, 0], [0, 0, 0], [-700, 0, 0]])


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (np.zeros((1, 1)), ShapeError, r"scores has shape \(1, 1\); it needs \(N \+ 1, N \+ 1\)"),
        (np.zeros((2, 3)), ShapeError, r"scores has shape \(2, 3\)"),
        (np.zeros((0, 0)), ShapeError, r"scores has shape \(0, 0\)"),
        (np.zeros(4), ShapeError, r"scores has shape \(4,\); it needs "),
        (np.zeros((2002, 2002)), ShapeError, "1 <= N <= 2000 words"),
        ([[0, 0], [np.nan, 0]], ScoreError, r"scores\[1, 0\] must be a finite score or -inf, got nan"),
        ([[0, 0], [np.inf, 0]], ScoreError, r"scores\[1, 0\]"),
        ([["a", "b"], ["c", "d"]], ArgumentError, "scores"),
    ],
)
@pytest.mark.parametrize(
    "function",
    [
        arborescence.decode, arborescence.max_marginals, arborescence.without_arcs, arborescence.marginals,
        projective.decode,
    ],
)  # fmt: skip
def test_bad_scores(function, scores, error, message):
    with pytest.raises(error, match=message):
        function(scores)


def test_one_word_hangs_below_the_root():
    for decode, _ in DECODERS.values():
        assert decode([[0, 0], [2.5, 0]], single_root=True) == (2.5, [0])
    assert arborescence.marginals([[0, 0], [2.5, 0]]).arcs[1, 0] == 1
    alone = arborescence.without_arcs([[0, 0], [2.5, 0]])
    assert (alone.scores.tolist(), alone.heads.tolist()) == ([-np.inf], [-1])
