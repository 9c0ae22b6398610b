"""Bad tables, lengths, labels and numbers given to chains are named; so is where a chain dies."""

import numpy as np
import pytest

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError

CALLS = {
    "decode": chain.decode,
    "max_marginals": chain.max_marginals,
    "marginals": chain.marginals,
    "witness": lambda u, p: chain.witness(u, p, 0, 0),
    "k_best": lambda u, p: chain.k_best(u, p, 2),
    "score": lambda u, p: chain.score(u, p, [0] * len(u)),
    "decode_batch": lambda u, p: chain.decode_batch(u, [len(u)], p),
    "max_marginals_batch": lambda u, p: chain.max_marginals_batch(u, [len(u)], p),
}


TWO, ZERO = np.zeros((3, 2)), np.zeros((2, 2))


BAD = [
    ([[0.0, np.nan]], ZERO, ScoreError, r"unary\[0, 1\] must be a finite score or -inf, got nan"),
    ([[0.0, np.inf]], ZERO, ScoreError, r"unary\[0, 1\] must be a finite score or -inf, got inf"),
    ([[0.0, -1e301]], ZERO, ScoreError, r"unary\[0, 1\] must be a finite score or -inf, got -1e\+301"),
    (TWO, [[0, 0], [np.nan, 0]], ScoreError, r"pairwise\[1, 0\] must be a finite score or -inf, got nan"),
    (TWO, [[0, 0], [np.inf, 0]], ScoreError, r"pairwise\[1, 0\] .* got inf"),
    (
        np.zeros((0, 2)),
        ZERO,
        ArgumentError,
        r"unary has shape \(0, 2\)|lengths\[0\] must be at least 1, got 0",
    ),
    (np.zeros((3, 0)), np.zeros((0, 0)), ShapeError, r"shape \(3, 0\)|pairwise has shape \(0, 0\)"),
    (np.zeros(3), ZERO, ShapeError, r"unary has shape \(3,\); it needs 2 dimensions"),
    (TWO, np.zeros((3, 3)), ShapeError, r"pairwise has shape \(3, 3\); unary \(3, 2\) needs .*\(2, 2\)"),
    (TWO, np.zeros(4), ShapeError, r"pairwise has shape \(4,\); it needs 2( or 3)? dimensions"),
    (TWO, [["a", "b"], ["c", "d"]], ArgumentError, r"pairwise must be an array of numbers, got \[\['a'"),
    ("grün", ZERO, ArgumentError, "unary must be an array of numbers, got 'grün'"),
    ([["1", "2"]], ZERO, ArgumentError, r"unary must be an array of numbers, got \[\['1', '2'\]\]"),
    ([[0.0, 1.0], [0.0]], ZERO, ArgumentError, "unary must be an array of numbers, got"),
    (TWO.astype(complex), ZERO, ArgumentError, "unary must be an array of numbers, got dtype complex128"),
    ([[None, 1.0]], ZERO, ArgumentError, "unary must be an array of numbers, got"),
    ([[2**70, 1]], ZERO, ArgumentError, "unary must be an array of numbers, got"),
]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(("unary", "pairwise", "error", "message"), BAD)
def test_bad_tables_are_named(call, unary, pairwise, error, message):
    with pytest.raises(error, match=message):
        call(unary, pairwise)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, 2e300, -2e300])
def test_bad_scores_are_named_in_arrays_that_need_no_conversion(call, bad):
    spoilt = np.zeros((2, 2))
    spoilt[1, 1] = bad
    with pytest.raises(ScoreError, match=r"unary\[1, 1\] must be a finite score or -inf, got"):
        call(spoilt, np.zeros((2, 2)))
    with pytest.raises(ScoreError, match=r"pairwise\[1, 1\] must be a finite score or -inf, got"):
        call(np.zeros((2, 2)), spoilt)


def test_other_bad_arguments_are_named():
    with pytest.raises(ShapeError, match=r"pairwise has shape \(4, 2, 2\); unary \(3, 2\) needs \(2, 2, 2\)"):
        chain.decode(TWO, np.zeros((4, 2, 2)))
    with pytest.raises(ShapeError, match=r"pairwise has shape \(1, 2, 2\); it needs 2 dimensions"):
        chain.decode_batch(TWO, [3], np.zeros((1, 2, 2)))
    for position, state, message in [
        (3, 0, "position must be a whole number from 0 to 2, got 3"),
        (-1, 0, "position must be a whole number from 0 to 2, got -1"),
        (0, 2, "state must be a whole number from 0 to 1, got 2"),
        (0.0, 0, "position must be a whole number from 0 to 2, got 0.0"),
        ("é", 0, "position must be a whole number from 0 to 2, got 'é'"),
        (0, True, "state must be a whole number from 0 to 1, got True"),
        (0, np.nan, "state must be a whole number from 0 to 1, got nan"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            chain.witness(TWO, ZERO, position, state)
    for k in (0, 10_001, 2.0, "2", None):
        with pytest.raises(ArgumentError, match=f"k must be a whole number from 1 to 10000, got {k!r}"):
            chain.k_best(TWO, ZERO, k)
    for labels, error, message in [
        ([0, 1], ShapeError, r"labels has shape \(2,\); it needs \(3,\)"),
        ([0, 1, 2], ArgumentError, r"labels\[2\] must be from 0 to 1, got 2"),
        ([0, -1, 0], ArgumentError, r"labels\[1\] must be from 0 to 1, got -1"),
        ([0.0, 1.0, 0.0], ArgumentError, "labels must be an array of whole numbers, got dtype float64"),
        ("abc", ArgumentError, "labels must be an array of whole numbers, got 'abc'"),
        ([[0], [0, 1]], ArgumentError, "labels must be an array of whole numbers, got"),
    ]:
        with pytest.raises(error, match=message):
            chain.score(TWO, ZERO, labels)
    for lengths, error, message in [
        ([2], ShapeError, r"unary has shape \(3, 2\); lengths needs 2 rows"),
        ([0, 3], ArgumentError, r"lengths\[0\] must be at least 1, got 0"),
        ([[3]], ShapeError, r"lengths has shape \(1, 1\); it needs \(N,\) integers"),
        (3, ShapeError, r"lengths has shape \(\); it needs \(N,\) integers"),
        ([1.5, 1.5], ArgumentError, "lengths must be an array of whole numbers, got dtype float64"),
        (["3"], ArgumentError, r"lengths must be an array of whole numbers, got \['3'\]"),
        ([2**62] * 4 + [3], ArgumentError, r"lengths\[0\] must be at most 3, got 4611686018427387904"),
    ]:
        with pytest.raises(error, match=message):
            chain.decode_batch(TWO, lengths, ZERO)
        with pytest.raises(error, match=message):
            chain.max_marginals_batch(TWO, lengths, ZERO)


def test_where_a_chain_dies_is_named():
    unary = np.zeros((3, 2))
    unary[1] = -np.inf
    with pytest.raises(InfeasibleError, match="all 2 states are dead at position 1"):
        chain.decode(unary, ZERO)
