"""Queries on sequences against enumeration: unequal lengths, forbidden labels, starts, ends, ties."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.scores import from_emissions
from tests.oracles import chain as oracle
from tests.oracles import threshold as rule
from tests.scores.strategies import givens

NEAR = {"rtol": 1e-9, "atol": 1e-9}


@given(case=givens())
def test_decode_score_and_max_marginals(case):
    sequences = case.sequences()
    if not case.is_feasible():
        with pytest.raises(InfeasibleError, match=r"^sequence \d: every labelling has score -inf"):
            sequences.decode()
        return
    labels, tables = sequences.decode(), sequences.max_marginals()
    scores = sequences.score(labels)
    assert [len(y) for y in labels] == [len(table) for table in case.emissions]
    for i, (unary, pairwise) in enumerate(case.chains()):
        if not len(unary):
            assert scores[i] == 0.0
            assert tables[i].shape == unary.shape
            continue
        best, node, _ = oracle.tables(unary, pairwise, lambda v: v.max(initial=-np.inf))
        assert_allclose(scores[i], best, **NEAR)
        assert_allclose(tables[i], node, **NEAR)


@given(case=givens())
def test_marginals_and_log_partition(case):
    assume(case.is_feasible())
    sequences = case.sequences()
    tables, sums = sequences.marginals(), sequences.log_partition()
    for i, (unary, pairwise) in enumerate(case.chains()):
        if not len(unary):
            assert sums[i] == 0.0
            continue
        total, node, _ = oracle.tables(unary, pairwise, oracle.log_sum)
        assert_allclose(sums[i], total, **NEAR)
        assert_allclose(tables[i], np.exp(node - total), atol=1e-9)


@given(case=givens(), k=st.integers(1, 5))
def test_k_best(case, k):
    assume(case.is_feasible())
    sequences = case.sequences()
    for i, ((unary, pairwise), ranked) in enumerate(zip(case.chains(), sequences.k_best(k))):
        if not len(unary):
            assert ranked.scores.shape == (0,)
            continue
        want, _ = oracle.ranked(unary, pairwise)
        want = want[:k][np.isfinite(want[:k])]
        assert_allclose(ranked.scores, want, **NEAR)
        assert len({tuple(labelling) for labelling in ranked.labels}) == len(want)
        for labels, score in zip(ranked.labels, ranked.scores):
            given_one = [[0] * len(table) for table in case.emissions]
            given_one[i] = labels
            assert_allclose(sequences.score(given_one)[i], score, **NEAR)


@given(case=givens(), seed=st.integers(0, 99))
def test_witness(case, seed):
    assume(case.is_feasible())
    sequences, rng = case.sequences(), np.random.default_rng(seed)
    for i, (unary, pairwise) in enumerate(case.chains()):
        if not len(unary):
            continue
        at, label = rng.integers(len(unary)), rng.integers(unary.shape[1])
        node = oracle.tables(unary, pairwise, lambda v: v.max(initial=-np.inf))[1]
        if node[at, label] == -np.inf:
            with pytest.raises(InfeasibleError, match=f"sequence {i}: no labelling with label {label} at"):
                sequences.witness(i, int(at), int(label))
            continue
        score, labels = sequences.witness(i, int(at), int(label))
        assert labels[at] == label
        assert_allclose(score, node[at, label], **NEAR)
        assert_allclose(oracle.scores(unary, pairwise, labels[None])[0], score, **NEAR)


@given(case=givens(), alpha=st.sampled_from([0.0, 0.3, 0.7, 1.0]), seed=st.integers(0, 99))
def test_what_pruning_keeps_and_the_curves(case, alpha, seed):
    assume(case.is_feasible())
    sequences, rng = case.sequences(), np.random.default_rng(seed)
    truth = [rng.integers(0, sequences.n_labels, len(table)) for table in case.emissions]
    best, points, kept = sequences.decode(), sequences.break_points(), sequences.prune(alpha).states()
    lost, gone, shares = [], [], []
    for i, (unary, pairwise) in enumerate(case.chains()):
        if not len(unary):
            assert kept[i].shape == points[i].shape == unary.shape
            continue
        node = oracle.tables(unary, pairwise, lambda v: v.max(initial=-np.inf))[1]
        tau = rule.tau(node.ravel(), min(alpha, 1 - 1e-9))
        gap = 1e-9 * (1 + np.abs(node[np.isfinite(node)]).max())
        at = np.arange(len(unary))
        is_best = np.zeros(node.shape, dtype=bool)
        is_best[at, best[i]] = True
        # A label whose transitions are all forbidden by now has no arc; otherwise rounding may decide.
        want = (node > tau) & np.isfinite(node) | is_best
        clear = np.abs(node - tau) > gap
        assert_array_equal(kept[i][clear], want[clear])
        assert kept[i][is_best].all()
        clear_points = np.abs(points[i] - min(alpha, 1 - 1e-9)) > 1e-7
        assert_array_equal((points[i] > alpha)[clear_points & clear], want[clear_points & clear])
        score = oracle.scores(unary, pairwise, truth[i][None])[0]
        near = np.abs(score - tau) < gap or not clear.all()
        lost.append(np.nan if near else float(score <= tau))
        gone.append(np.nan if near else float(not want[at, truth[i]].all()))
        shares.append(want.sum() / np.isfinite(node).sum())
        assert near or gone[-1] <= lost[-1]
    if not lost or np.isnan(lost).any():
        return
    curves = sequences.curves(truth)
    for curve, wanted in zip(curves, (np.mean(lost), np.mean(gone), np.mean(shares))):
        at = np.searchsorted(curve.alpha, min(alpha, 1 - 1e-9), side="right") - 1
        assert_allclose(curve.value[at], wanted, **NEAR)


@given(case=givens(), tolerance=st.sampled_from([0.0, 0.3, 0.5, 1.0]), seed=st.integers(0, 99))
def test_tune_keeps_the_tolerance(case, tolerance, seed):
    assume(case.is_feasible() and any(len(table) for table in case.emissions))
    sequences, rng = case.sequences(), np.random.default_rng(seed)
    truth = [rng.integers(0, sequences.n_labels, len(table)) for table in case.emissions]
    alpha = sequences.tune(truth, tolerance, by_definition=False)
    kept = sequences.prune(alpha).states()
    lost = [not mask[np.arange(len(mask)), y].all() for mask, y in zip(kept, truth) if len(mask)]
    points = [
        table[np.arange(len(table)), y] for table, y in zip(sequences.break_points(), truth) if len(table)
    ]
    n_forbidden = sum(np.isneginf(values).any() for values in points)
    assert sum(lost) <= max(tolerance * len(lost) + 1e-9, n_forbidden)
    if np.isfinite(sequences.score(truth)).all():  # by definition a forbidden truth is lost at every alpha
        assert sequences.tune(truth, tolerance) <= alpha


@given(case=givens(forms=("none", "shared")))
def test_all_forms_of_emissions_are_one(case):
    assume(case.is_feasible())
    lengths = [len(table) for table in case.emissions]
    n, longest = case.emissions[0].shape[1], max(lengths)
    rows = np.concatenate(case.emissions)
    padded = np.full((len(lengths), longest, n), np.nan)
    mask = np.arange(longest) < np.array(lengths)[:, None]
    padded[mask] = rows
    more = {"start": case.start, "end": case.end}
    forms = [
        from_emissions(rows, case.transitions, lengths=lengths, **more),
        from_emissions(padded, case.transitions, lengths=lengths, **more),
        from_emissions(padded, case.transitions, mask=mask, **more),
        from_emissions([table.tolist() for table in case.emissions], case.transitions, **more),
    ]
    want = case.sequences().decode()
    for form in forms:
        assert [labels.tolist() for labels in form.decode()] == [labels.tolist() for labels in want]


def test_steps_come_in_three_forms():
    rng = np.random.default_rng(0)
    lengths, n = [3, 0, 1, 2], 3
    tables = [rng.normal(size=(length, n)) for length in lengths]
    steps = [rng.normal(size=(max(length - 1, 0), n, n)) for length in lengths]
    padded = np.zeros((4, 2, n, n))
    into = np.zeros((6, n, n))
    for i, pairwise in enumerate(steps):
        padded[i, : len(pairwise)] = pairwise
    into[1:3], into[5] = steps[0], steps[3][0]
    want = from_emissions(tables, steps).max_marginals()
    assert_array_equal(from_emissions(tables, padded).max_marginals()[3], want[3])
    assert_array_equal(
        from_emissions(np.concatenate(tables), into, lengths=lengths).max_marginals()[0], want[0]
    )
    as_lists = [pairwise.tolist() for pairwise in steps]
    assert_array_equal(from_emissions(tables, as_lists).max_marginals()[0], want[0])


def test_a_mask_may_leave_out_positions_in_the_middle():
    scores = np.array([[[0.0, 9.0], [9.0, 0.0], [0.0, 9.0], [9.0, 0.0]]])
    mask = [[False, True, False, True]]
    assert from_emissions(scores, mask=mask).decode()[0].tolist() == [0, 0]
    with pytest.raises(
        ArgumentError, match="mask must not leave out positions in the middle where each step"
    ):
        from_emissions(scores, [np.zeros((1, 2, 2))], mask=mask)


def test_allowed_labels_and_names():
    scores = [[[0.0, 1.0, 2.0]] * 2, [], [[3.0, 1.0, 2.0]]]
    allowed = [[[True, True, False], [True, False, False]], [], [[False, True, True]]]
    sequences = from_emissions(scores, allowed=allowed, labels=["ä", "名", ""])
    assert [labels.tolist() for labels in sequences.decode()] == [["名", "ä"], [], [""]]
    assert sequences.score([["名", "ä"], [], [""]]).tolist() == [1.0, 0.0, 2.0]
    assert sequences.witness(0, 0, "ä").labels.tolist() == ["ä", "ä"]
    assert sequences.k_best(2)[2].labels.tolist() == [[""], ["名"]]
    assert sequences.labels == ("ä", "名", "")
    mixed = from_emissions([[[0.0, 1.0]]], labels=["a", 1]).decode()[0]
    assert mixed.tolist() == [1]
    assert "3 sequences, 3 positions, 3 labels" in repr(sequences)


def test_nothing_at_all():
    for sequences in (
        from_emissions([]),
        from_emissions([[], []], labels=["a", "b"]),
        from_emissions([[]], [[0.0]]),
    ):
        n = len(sequences)
        assert [len(labels) for labels in sequences.decode()] == [0] * n
        assert [len(table) for table in sequences.marginals()] == [0] * n
        assert (
            len(sequences.k_best(3)) == len(sequences.break_points()) == len(sequences.max_marginals()) == n
        )
        assert sequences.log_partition().tolist() == [0.0] * n
        lattices = sequences.prune(0.5)
        assert lattices.n_arcs == 0
        assert [len(labels) for labels in lattices.extend().decode()] == [0] * n


def test_ten_thousand_positions():
    sequences = from_emissions([np.random.default_rng(0).normal(size=(10_000, 3))], np.eye(3))
    assert_allclose(sequences.score(sequences.decode()), sequences.prune(0.5).best_scores(), rtol=1e-12)


TWO = [np.zeros((2, 2)), np.zeros((1, 2))]
REFUSED = [
    ((TWO[0],), {}, ArgumentError, r"lengths must say how many rows .* \(one sequence: lengths=\[2\]\)"),
    (([TWO[0], np.zeros((1, 3))],), {}, ShapeError, r"emissions\[1\] has shape \(1, 3\); .* need \(L, 2\)"),
    (
        ([TWO[0], [[0.0, np.nan]]],),
        {},
        ScoreError,
        r"emissions\[1\]\[0, 1\] must be a finite score or -inf, got nan",
    ),
    (([TWO[0], [0.0, 1.0]],), {}, ShapeError, r"emissions\[1\] has shape \(2,\); it needs \(L, K\)"),
    (
        ([TWO[0], [[0.0], [0.0, 1.0]]],),
        {},
        ArgumentError,
        r"emissions\[1\] must be numbers that numpy can read",
    ),
    (([[["a", "b"]]],), {}, ArgumentError, r"emissions\[0\] must be an array of numbers, got"),
    ((np.zeros((2, 2, 2, 2)),), {}, ShapeError, r"emissions has shape \(2, 2, 2, 2\); it needs \(B, L, K\)"),
    (("NN",), {}, ArgumentError, r"emissions must be a list of \(L, K\) arrays, got 'NN'"),
    ((TWO,), {"lengths": [2, 1]}, ArgumentError, r"lengths must go with one \(N, K\) or a padded"),
    (
        (TWO,),
        {"mask": [[True]]},
        ArgumentError,
        r"mask must go with padded emissions \(B, L, K\), got .* a list",
    ),
    ((np.zeros((2, 3, 2)),), {"mask": [[1, 1]]}, ShapeError, r"mask has shape \(1, 2\); .* needs \(2, 3\)"),
    ((np.zeros((2, 3, 2)),), {"lengths": [4, 1]}, ArgumentError, r"lengths\[0\] must be from 0 to 3, got 4"),
    ((np.zeros((2, 3, 2)),), {"lengths": [1]}, ShapeError, r"lengths has shape \(1,\); .* needs \(2,\)"),
    (
        (np.zeros((2, 3, 2)),),
        {"lengths": [1, 1], "mask": np.ones((2, 3))},
        ArgumentError,
        "mask must not go with",
    ),
    ((np.zeros((3, 2)),), {"lengths": [2]}, ShapeError, r"lengths add up to 2; emissions \(3, 2\) needs 3"),
    ((TWO, np.zeros((3, 3))), {}, ShapeError, r"transitions has shape \(3, 3\); emissions needs \(2, 2\)"),
    ((TWO, [[[np.nan, 0], [0, 0]]] * 2), {}, ShapeError, r"transitions\[0\] has shape|needs 3 dimensions"),
    (
        (TWO, [np.zeros((2, 2, 2)), []]),
        {},
        ShapeError,
        r"transitions\[0\] has shape \(2, 2, 2\); .* \(1, 2, 2\)",
    ),
    ((TWO, [np.zeros((1, 2, 2))]), {}, ShapeError, r"transitions has 1 sequences; emissions has 2"),
    ((TWO,), {"start": [0.0]}, ShapeError, r"start has shape \(1,\); emissions needs \(2,\)"),
    ((TWO,), {"end": [0.0, np.inf]}, ScoreError, r"end\[1\] must be a finite score or -inf, got inf"),
    ((TWO,), {"labels": ["a"]}, ShapeError, "labels has 1 names; emissions has 2 columns"),
    ((TWO,), {"labels": ["a", "a"]}, ArgumentError, "labels must be different, got 'a' twice"),
    ((TWO,), {"labels": "ab"}, ArgumentError, "labels must be a sequence of names, got 'ab'"),
    ((TWO,), {"labels": [[], 1]}, ArgumentError, r"labels\[0\] must be hashable"),
    ((TWO,), {"allowed": [[[True, True]] * 2]}, ShapeError, "allowed has 1 sequences; emissions has 2"),
    (
        (TWO,),
        {"allowed": [[[True, True]] * 2] * 2},
        ShapeError,
        r"allowed\[1\] has shape \(2, 2\); .* \(1, 2\)",
    ),
]


@pytest.mark.parametrize(("arguments", "options", "error", "message"), REFUSED)
def test_refusals_at_the_door(arguments, options, error, message):
    with pytest.raises(error, match=message):
        from_emissions(*arguments, **options)


def test_refusals_of_questions():
    sequences = from_emissions(TWO, labels=["N", "V"])
    with pytest.raises(ShapeError, match="y has 1 sequences; emissions has 2"):
        sequences.score([["N", "N"]])
    with pytest.raises(ShapeError, match=r"y\[0\] has 1 labels; its sequence has 2 positions"):
        sequences.curves([["N"], ["V"]])
    with pytest.raises(ArgumentError, match=r"y\[1\]\[0\] must be one of 'N', 'V', got 'X'"):
        sequences.tune([["N", "N"], ["X"]], 0.1)
    with pytest.raises(ArgumentError, match=r"y\[0\] must be a sequence of labels, got 'NN'"):
        sequences.score(["NN", "N"])
    with pytest.raises(ArgumentError, match="tolerance must satisfy 0 <= tolerance <= 1, got 2"):
        sequences.tune([["N", "N"], ["V"]], 2)
    with pytest.raises(ArgumentError, match="alpha must be a number from -inf to 1"):
        sequences.prune(1.5)
    with pytest.raises(ArgumentError, match="i must be a whole number from 0 to 1, got 2"):
        sequences.witness(2, 0, "N")
    with pytest.raises(ArgumentError, match="position must be a whole number from 0 to 0, got 1"):
        sequences.witness(1, 1, "N")
    with pytest.raises(ArgumentError, match="label must be one of 'N', 'V', got 0"):
        sequences.witness(1, 0, 0)
    with pytest.raises(ArgumentError, match="k must be a whole number from 1 to 10000, got 0"):
        sequences.k_best(0)
    numbered = from_emissions(TWO)
    with pytest.raises(ArgumentError, match=r"y\[1\]\[0\] must be from 0 to 1, got 2"):
        numbered.score([[0, 0], [2]])


def test_the_best_labelling_stays_however_scores_round():
    """Its max-marginals are summed in another order at each position, and may lie slightly below the best."""
    rng = np.random.default_rng(0)
    sequences = from_emissions([rng.normal(size=(40, 3)) for _ in range(20)], rng.normal(size=(3, 3)))
    best, points = sequences.decode(), sequences.break_points()
    assert any(
        len(set(table[np.arange(40), y].tolist())) > 1 for table, y in zip(sequences.max_marginals(), best)
    )
    assert all(np.isposinf(table[np.arange(40), y]).all() for table, y in zip(points, best))
    assert sequences.tune(best, 0.0) > 1 - 1e-6
    assert sequences.curves(best).filter_loss.value.tolist() == [0.0]
    near = from_emissions([[[1.0, 1.0 + 1e-10]]])  # the threshold rounds to the best itself
    assert near.prune(1.0).states()[0].tolist() == [[False, True]]
