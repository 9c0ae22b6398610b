"""Thresholds, losses and exact break points against thresholding again just above and below."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.thresholds import filtering, results, rule
from tests.oracles import chain as chain_oracle
from tests.oracles import threshold as oracle
from tests.strategies import FINITE, PRUNED, SMALL_INTEGERS, cases, chains, random_scores

ALPHAS = st.floats(0, 1) | st.floats(-5, 0)
VALUES = (
    arrays(np.float64, st.integers(1, 12), elements=PRUNED | SMALL_INTEGERS)
    .filter(lambda v: np.isfinite(v).any())
    .map(lambda v: np.round(v, 6))  # values closer than this fall together
)
NUDGE = 1e-7


def has_spread(values):
    best, mean = oracle.spread(values)
    return best - mean > 1e-9 * max(1, abs(best))


@given(values=VALUES, alpha=ALPHAS)
def test_threshold_is_the_formula(values, alpha):
    got = filtering.threshold(values, alpha)
    best, mean = oracle.spread(values)
    assert got.best == best
    assert_allclose(got.mean, mean, rtol=1e-9, atol=1e-9)
    assert got.n_valid == np.isfinite(values).sum()
    assert got.mean <= got.best
    assert got.mean >= values[np.isfinite(values)].min() - 1e-9  # Q4
    if has_spread(values):
        assert got.has_spread
        assert_allclose(got.tau, oracle.tau(values, alpha), rtol=1e-9, atol=1e-7)
        assert got.tau < got.best
    if not got.has_spread:
        assert got.tau == -np.inf


@given(values=VALUES, alpha=ALPHAS)
def test_keep_is_the_strict_rule(values, alpha):
    assume(has_spread(values))
    limit = filtering.threshold(values, alpha)
    mask = filtering.keep(values, limit)
    near = np.abs(values - oracle.tau(values, alpha)) < 1e-7
    assert_array_equal(mask[~near], np.array(oracle.kept(values, alpha))[~near])
    assert mask[values == limit.best].all()
    path = np.arange(0, len(values), 3)
    assert_array_equal(filtering.keep(values, limit, path), mask | np.isin(np.arange(len(values)), path))


def test_what_equals_the_threshold_goes():
    limit = filtering.threshold([4.0, 2.0, 0.0], 0.0)
    assert limit.tau == 2.0
    assert filtering.keep([4.0, 2.0, 0.0], limit).tolist() == [True, False, False]
    losses = filtering.losses([4.0, 2.0, 0.0], limit, 2.0, [1], np.array([True, False, False]))
    assert losses == (1.0, 1.0, 1 / 3)


@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3, 1e6 / 3, 1e-6 / 3, 1e15 / 7])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1 - 1e-15, 1.0])
def test_without_spread_nothing_is_pruned(value, alpha):
    """P1, and P2: the mean of equal floats must not come out above them."""
    for n in (1, 3, 7, 10, 333):
        values = np.full(n, value)
        limit = filtering.threshold(values, alpha)
        assert limit.mean == value
        assert not limit.has_spread
        assert filtering.keep(values, limit).all()
        assert np.isposinf(filtering.break_points(values)).all()
    values = np.array([value, -np.inf, value])
    assert filtering.keep(values, filtering.threshold(values, alpha)).tolist() == [True, False, True]


def test_the_best_survives_every_alpha_and_rounding():
    """P2 on generated values at all scales: some assignment always stays."""
    n = cases(20_000)
    for seed in range(n):
        rng = np.random.default_rng(seed)
        values = random_scores(rng, rng.integers(1, 30)) + rng.choice([0.0, 1.0, 1e3, -1e6])
        if not np.isfinite(values).any():
            continue
        for alpha in (0.0, 1.0, 1 - 1e-15, rng.random()):
            limit = filtering.threshold(values, alpha)
            mask = filtering.keep(values, limit)
            assert not mask[np.isneginf(values)].any()
            assert limit.tau <= limit.best
            # Only where alpha's cap times the gap is lost in rounding is the explicit guard needed.
            if not limit.has_spread or limit.best - limit.mean > 1e-6 * abs(limit.best):
                assert mask[np.argmax(values)]
            assert filtering.keep(values, limit, [np.argmax(values)])[np.argmax(values)]


@given(values=VALUES, alphas=st.tuples(ALPHAS, ALPHAS))
def test_raising_alpha_only_prunes_more(values, alphas):
    low, high = (filtering.threshold(values, a) for a in sorted(alphas))
    assert low.tau <= high.tau
    assert not (filtering.keep(values, high) & ~filtering.keep(values, low)).any()


@given(values=VALUES, factor=st.sampled_from([0.25, 3.0, 1e3]), alpha=ALPHAS)
def test_scaling_and_shifting_change_nothing(values, factor, alpha):
    """Q7."""
    assume(has_spread(values) and has_spread(factor * values))
    points = filtering.break_points(values)
    assert_allclose(filtering.break_points(factor * values), points, rtol=1e-6, atol=1e-6)
    assert_allclose(filtering.break_points(values + 5.0), points, rtol=1e-6, atol=1e-6)


@given(values=VALUES)
def test_break_points_are_where_assignments_fall(values):
    points = filtering.break_points(values)
    assert_array_equal(np.isneginf(points), np.isneginf(values))
    if not has_spread(values):
        return
    assert np.isposinf(points[values == values.max()]).all()
    best, mean = oracle.spread(values)
    for v, point in zip(values, points):
        if v == best or v == -np.inf:
            continue
        assert_allclose(point, (v - mean) / (best - mean), rtol=1e-7, atol=1e-7)
        at = int(np.flatnonzero(values == v)[0])
        if 0 <= point + NUDGE <= 1:
            assert not filtering.keep(values, filtering.threshold(values, point + NUDGE))[at]
        if 0 <= point - NUDGE <= 1:
            assert filtering.keep(values, filtering.threshold(values, point - NUDGE))[at]
        if point < -NUDGE:
            assert not filtering.keep(values, filtering.threshold(values, 0.0))[at]


@given(parts=st.lists(VALUES, max_size=5), data=st.data())
def test_batches_are_the_single_calls(parts, data):
    starts = np.cumsum([0, *map(len, parts)])
    values = np.concatenate([np.zeros(0), *parts])
    alphas = np.array([data.draw(ALPHAS) for _ in parts])
    got, points = (
        filtering.threshold_batch(values, starts, alphas),
        filtering.break_points_batch(values, starts),
    )
    truths = np.array([data.draw(PRUNED) for _ in parts])
    truth_points = filtering.truth_break_points(truths, values, starts)
    assert len(truth_points) == len(parts)
    for w, part in enumerate(parts):
        want = filtering.threshold(part, alphas[w])
        assert [field[w] for field in got] == list(want)
        assert_array_equal(points[starts[w] : starts[w + 1]], filtering.break_points(part))
        if truths[w] == -np.inf:
            assert truth_points[w] == -np.inf
        elif not want.has_spread or truths[w] >= want.best:
            assert truth_points[w] == np.inf
        else:
            assert truth_points[w] == (truths[w] - want.mean) / (want.best - want.mean)
    if parts:
        same = filtering.threshold_batch(values, starts, 0.25).tau
        assert_array_equal(same, filtering.threshold_batch(values, starts, np.full(len(parts), 0.25)).tau)


def test_an_example_without_valid_assignments_has_no_threshold():
    got = filtering.threshold_batch([-np.inf, 1.0, 0.0], [0, 1, 1, 3], 0.5)
    assert got.n_valid.tolist() == [0, 0, 2]
    assert got.tau.tolist() == [-np.inf, -np.inf, 0.75]
    assert not got.has_spread[:2].any()


@given(
    points=st.lists(st.sampled_from([-np.inf, -2.0, 0.0, 0.25, 0.5, 1.0, 1.5, np.inf]), max_size=8),
    is_whole=st.booleans(),
)
def test_curves_add_up_what_has_fallen(points, is_whole):
    points = np.array(points)
    weights = np.arange(1.0, len(points) + 1)
    lowest = filtering.lowest_alpha(points) if is_whole else 0.0
    got = results.curve(points, weights, lowest)
    assert got.alpha[0] == lowest
    assert (np.diff(got.alpha) > 0).all()
    assert not is_whole or got.value[0] == weights[np.isneginf(points)].sum()
    for alpha in [lowest, *np.linspace(lowest, 1, 41)[1:]]:
        at = np.searchsorted(got.alpha, alpha, side="right") - 1
        assert got.value[at] == weights[points <= alpha].sum()


@given(model=chains(max_length=4, max_states=4), seed=st.integers(0, 1000))
def test_a_curve_is_thresholding_on_a_dense_grid(model, seed):
    """Efficiency loss and filter loss of one chain at every alpha, without thresholding again."""
    values = chain.max_marginals(*model).unary
    assume(has_spread(values.ravel()))
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, values.shape[1], size=len(values))
    score = chain.score(*model, truth)
    cells = np.arange(len(values)) * values.shape[1] + truth
    points = filtering.break_points(values).ravel()
    pruned = results.curve(points, np.full(points.size, 1 / points.size))
    truth_point = filtering.truth_break_points([score], values.ravel(), [0, values.size])
    for alpha in np.linspace(0, 1, 21)[:-1]:
        if np.abs(np.append(points, truth_point) - alpha).min() < NUDGE:
            continue
        limit = filtering.threshold(values, alpha)
        mask = filtering.keep(values, limit)
        got = filtering.losses(values, limit, score, cells, mask)
        at = np.searchsorted(pruned.alpha, alpha, side="right") - 1
        assert_allclose(1 - pruned.value[at], got.efficiency_loss, atol=1e-9)
        assert got.filter_loss == (truth_point[0] <= alpha)
        assert got.was_pruned == (points[cells].min() <= alpha)
        assert got.filter_loss >= got.was_pruned  # Q5
        assert got.efficiency_loss == mask.mean()


@given(model=chains(max_length=4, max_states=3), alpha=ALPHAS)
def test_lemmas(model, alpha):
    """Lemma 1: a labelling above the threshold loses nothing. Lemma 2: some labelling survives whole."""
    tables = chain.max_marginals(*model)
    for values in (tables.unary, tables.pairwise):
        if not values.size or not has_spread(values.ravel()):
            continue
        limit = filtering.threshold(values, alpha)
        mask = filtering.keep(values, limit)
        n = model[0].shape[1]
        whole = []
        for y in chain_oracle.labellings(len(model[0]), n):
            steps = np.arange(len(y))
            hit = mask[steps, y] if values.ndim == 2 else mask[steps[:-1], y[:-1], y[1:]]
            whole.append(hit.all())
            if chain.score(*model, y) > limit.tau + 1e-9:
                assert hit.all()
        if alpha < 1 - 1e-6:  # above that, rounding may break the best path: its guard is in `prune`
            assert any(whole)


@given(
    first=chains(max_length=3, max_states=3, shared=True),
    t=st.floats(0, 1),
    alpha=st.floats(0, 1),
    data=st.data(),
)
def test_threshold_is_convex_in_the_scores(first, t, alpha, data):
    """Q6, for the alphas that learning uses."""
    second = tuple(data.draw(arrays(np.float64, a.shape, elements=FINITE)) for a in first)

    def tau(model):
        return oracle.tau(chain.max_marginals(*model).unary.ravel(), alpha)

    middle = tuple(t * a + (1 - t) * b for a, b in zip(first, second))
    assert tau(middle) <= t * tau(first) + (1 - t) * tau(second) + 1e-9


@given(parts=st.lists(st.tuples(VALUES, st.floats(0, 1)), min_size=1, max_size=9), tolerance=st.floats(0, 1))
def test_largest_alpha_is_feasible_and_no_larger_one_is(parts, tolerance):
    """Against thresholding again; truths are anywhere from below the mean to the best."""
    values = [v for v, _ in parts]
    truths = [oracle.spread(v)[0] - share * 1.5 * np.ptp(v[np.isfinite(v)]) for v, share in parts]
    starts = np.cumsum([0, *map(len, values)])
    points = filtering.truth_break_points(truths, np.concatenate(values), starts)

    def lost(alpha):
        limits = [filtering.threshold(v, alpha) for v in values]
        return np.mean([limit.has_spread and truth <= limit.tau for truth, limit in zip(truths, limits)])

    alpha = filtering.largest_alpha(points, tolerance)
    assert alpha <= rule.ALPHA_CAP
    assert lost(alpha) <= tolerance + 1e-9
    higher = alpha + 1e-6 * max(1.0, 1.0 - alpha)
    if higher < rule.ALPHA_CAP:
        assert lost(higher) > tolerance


@given(
    parts=st.lists(st.tuples(VALUES, st.data()), min_size=1, max_size=7),
    tolerance=st.floats(0, 1),
)
def test_the_tolerance_is_kept_on_what_it_was_tuned_on(parts, tolerance):
    """Thresholding again at the tuned alpha, below the mean or over it, loses no more than is tolerated."""
    cells = [(v, data.draw(st.sampled_from(np.flatnonzero(np.isfinite(v)).tolist()))) for v, data in parts]
    points = np.array([filtering.break_points(v)[at] for v, at in cells])
    alpha = filtering.largest_alpha(points, tolerance)
    kept = [filtering.keep(v, filtering.threshold(v, alpha))[at] for v, at in cells]
    assert 1 - np.mean(kept) <= tolerance + 1e-9
    if tolerance == 0:
        assert alpha == rule.ALPHA_CAP or not np.isinf(points).all()


@given(parts=st.lists(VALUES, min_size=1, max_size=5))
def test_at_the_lowest_alpha_nothing_falls_and_above_it_something(parts):
    starts, values = np.cumsum([0, *map(len, parts)]), np.concatenate(parts)
    points = filtering.break_points_batch(values, starts)
    alpha = filtering.lowest_alpha(points)
    kept = [filtering.keep(v, filtering.threshold(v, alpha)) for v in parts]
    assert_array_equal(np.concatenate(kept), np.isfinite(values))
    if alpha < 0:
        higher = [filtering.keep(v, filtering.threshold(v, alpha + 1e-6 * (1 - alpha))) for v in parts]
        assert not np.array_equal(np.concatenate(higher), np.isfinite(values))


def test_what_had_fallen_before_does_not_lower_alpha_further():
    gone = np.full(3, -np.inf)
    assert filtering.largest_alpha(gone, 0.0) == rule.ALPHA_CAP
    assert_allclose(filtering.largest_alpha(np.r_[gone, -2.0, 0.5], 0.1), -2.0, atol=1e-8)
    assert filtering.largest_alpha([-0.5, 0.5], 0.0, lowest=0.0) == 0.0
    assert filtering.lowest_alpha(gone) == 0.0


def test_largest_alpha_at_the_ends():
    assert filtering.largest_alpha(np.zeros(0), 0.0) == rule.ALPHA_CAP
    assert filtering.largest_alpha(np.full(3, np.inf), 0.0) == rule.ALPHA_CAP
    assert filtering.largest_alpha([0.1, 0.2], 1.0) == rule.ALPHA_CAP
    assert_allclose(filtering.largest_alpha([-1.0, 0.5], 0.0), -1.0, atol=1e-8)
    assert_allclose(filtering.largest_alpha([0.3, 0.6, 0.9], 1 / 3), 0.6, atol=1e-8)
    assert_allclose(filtering.largest_alpha(np.linspace(0, 1, 101), 0.07), 0.07, atol=1e-8)


def test_losses_of_a_truth_that_is_gone():
    values = np.array([[4.0, 0.0]])
    limit = filtering.threshold(values, 0.0)
    mask = filtering.keep(values, limit)
    assert filtering.losses(values, limit, -np.inf, [], mask) == (1.0, 1.0, 0.5)
    assert filtering.losses(values, limit, 4.0, [0], mask) == (0.0, 0.0, 0.5)
    flat = filtering.threshold([1.0, 1.0], 0.5)
    assert filtering.losses([1.0, 1.0], flat, 0.0, [0], np.ones(2, bool)) == (0.0, 0.0, 1.0)
