"""Algorithm 5 against a plain rewriting of it; what a run records; searches against enumeration."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.chains.quiescent import transposed_tables
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES, PLACE_FEATURES, chi_squared
from spcviz.learning.budgets.chains.ngram_sets import seen_grams
from spcviz.learning.budgets.chains.parts import Parts, describe_parts, losses_if, no_looks
from spcviz.learning.budgets.spending import spend as run
from spcviz.learning.budgets.world import Rule, Trajectory

N_STATES, N_TIERS = 3, 3
KINDS = ("letters", "arms")


def batch(seed, kind="letters", n_chains=3, longest=5):
    """Letters: one of two tables per chain, loss 0 or 1. Arms: a table for each part and tier, with gaps."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, longest + 1, n_chains))])
    n = starts[-1]
    truth = rng.integers(0, N_STATES, n)
    parts = Parts(
        scores=rng.normal(size=(n, N_TIERS, N_STATES)),
        pairwise=rng.normal(size=(2, N_STATES, N_STATES)),
        transposed=np.zeros((0, 0, 0)),
        step=np.tile(np.repeat(rng.integers(0, 2, n_chains), np.diff(starts))[:, None], (1, N_TIERS)),
        starts=starts,
        loss=(truth[:, None] != np.arange(N_STATES)).astype(np.int64),
        seen=seen_grams(truth, starts, N_STATES),
        looks=no_looks(n),
        places=no_looks(n),
        scale=1.0,
        bits=symbol_bits(N_STATES),
    )
    if kind == "arms":
        tables = rng.normal(size=(n * N_TIERS, N_STATES, N_STATES))
        # Every state has a predecessor, few states have all of them, some have no successor.
        shut = rng.random(tables.shape) < 0.4
        before = rng.integers(0, N_STATES, tables.shape[:2])
        shut[np.arange(len(tables))[:, None], before, np.arange(N_STATES)] = False
        tables[shut] = -np.inf
        looks = rng.dirichlet(np.full(4, 0.3), (n, N_STATES)).astype(np.float32)
        parts = parts._replace(
            pairwise=tables,
            step=rng.permutation(n * N_TIERS).reshape(n, N_TIERS),
            loss=rng.integers(0, 3, (n, N_STATES)),
            looks=looks,
            places=rng.normal(size=(n, N_STATES, 4)).astype(np.float32),
        )
    return parts._replace(transposed=transposed_tables(parts.pairwise))


def rule(seed, parts, *, is_fixed=False, refreshed=True, all_at_once=False, q=0.0, per_cost=False):
    rng = np.random.default_rng(seed)
    beta = rng.normal(size=(N_TIERS - 1, len(ACTION_FEATURES) + 2 * (parts.places.shape[2] > 0)))
    fixed = (
        rng.integers(0, 3, (len(parts.scores), N_TIERS - 1)).astype(float) if is_fixed else np.zeros((0, 0))
    )
    return Rule(beta, fixed, refreshed, all_at_once, q, False, per_cost)


def lost(parts, labels):
    return parts.loss[np.arange(len(labels)), labels]


def read(parts, tiers):
    """Labels of every chain by plain Viterbi."""
    out = []
    for a, b in pairwise(parts.starts):
        rows = np.arange(a, b)
        tables = parts.pairwise[parts.step[rows, tiers[rows]][1:]]
        out.append(chain.decode(parts.scores[rows, tiers[rows]], tables).labels)
    return np.concatenate(out)


def plainly(parts, how, costs, budget, first=None):
    """Algorithm 5 with everything recomputed at every step: [(part, tier)].

    ``first`` (S + 1,) holds the first positions of the spans bought at once, by default single positions.
    """
    first = np.arange(len(parts.scores) + 1) if first is None else first
    tiers, sizes = np.zeros(len(first) - 1, dtype=np.int64), np.diff(first)

    def values_now():
        if len(how.fixed):
            return how.fixed[np.arange(len(tiers)), np.minimum(tiers, N_TIERS - 2)]
        phi = np.add.reduceat(describe_parts(parts, np.repeat(tiers, sizes)), first[:-1])
        worth = np.einsum("rd,rd->r", phi, how.beta[np.minimum(tiers, N_TIERS - 2)])
        if not how.per_cost:
            return worth
        to = N_TIERS - 1 if how.all_at_once else tiers + 1
        price = np.array([costs[r, t:u].sum() for r, (t, u) in enumerate(np.broadcast(tiers, to))])
        price = np.maximum(price, 1e-12)
        return np.where(worth > 0, worth / price, worth * price)

    values, dropped, spent, bought = values_now(), np.zeros(len(tiers), dtype=bool), 0.0, []
    while spent < budget:
        offers = np.where(dropped | (tiers == N_TIERS - 1), -np.inf, values)
        if not np.isfinite(offers).any():
            break
        r = int(offers.argmax())
        target = N_TIERS - 1 if how.all_at_once else tiers[r] + 1
        cost = costs[r, tiers[r] : target].sum()
        if cost > budget - spent:
            dropped[r] = True
            continue
        spent += cost
        tiers[r] = target
        bought.append((r, int(target)))
        fresh = values_now()
        values = fresh if how.refreshed else np.where(np.arange(len(tiers)) == r, fresh, values)
    return bought, tiers, spent


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("refreshed", [True, False])
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**31),
    budget=st.one_of(st.just(np.inf), st.floats(0, 25)),
    at_once=st.booleans(),
    per_cost=st.booleans(),
)
def test_same_purchases_as_the_plain_algorithm(kind, is_fixed, refreshed, seed, budget, at_once, per_cost):
    parts = batch(seed, kind)
    how = rule(seed, parts, is_fixed=is_fixed, refreshed=refreshed, all_at_once=at_once, per_cost=per_cost)
    costs = np.random.default_rng(seed).integers(0, 4, (len(parts.scores), N_TIERS - 1)).astype(float)
    trajectory = Trajectory(*run(parts, how, costs, budget, True, True))
    bought, tiers, spent = plainly(parts, how, costs, budget)
    assert list(zip(trajectory.part.tolist(), trajectory.tier.tolist(), strict=True)) == bought
    assert_array_equal(trajectory.tiers, tiers)
    assert trajectory.cost.sum() == spent <= budget
    assert_array_equal(trajectory.labels, read(parts, tiers))
    before, after = lost(parts, trajectory.labels_before).sum(), lost(parts, trajectory.labels).sum()
    assert before - trajectory.gain.sum() == after
    if len(bought):
        assert_array_equal(trajectory.all_labels[-1], trajectory.labels)
        assert_allclose(trajectory.all_values[np.arange(len(bought)), trajectory.part], trajectory.value)
    again = Trajectory(*run(parts, how, costs, budget, True, True))
    assert all(map(np.array_equal, trajectory, again))  # every trace replays identically


def windows_valued(labels, starts, known, weights):
    """Values of parts from the label windows around each alone; weights (2, 4): for shares, for any."""
    values = np.zeros(len(labels))
    for a, b in pairwise(starts):
        for m in range(2, 6):
            is_new = [tuple(labels[i : i + m]) not in known for i in range(a, b - m + 1)]
            for r in range(a, b):
                around = is_new[max(r - m + 1, a) - a : min(r, b - m) + 1 - a] or [False]
                values[r] += weights[0, m - 2] * np.mean(around) + weights[1, m - 2] * any(around)
    return values


def test_a_changed_label_revalues_all_parts_whose_windows_hold_it():
    """Long chains, messages that stop early: the last label that may change matters four parts further on."""
    seen_at = {-4: 0, 4: 0}
    for seed in range(8):
        rng = np.random.default_rng(seed)
        text = rng.integers(0, N_STATES, 200)  # holds about half of all 5-grams
        known = {tuple(text[i : i + m]) for m in range(2, 6) for i in range(len(text) - m + 1)}
        parts = batch(seed, n_chains=2, longest=24)._replace(seen=seen_grams(text, [0, 200], N_STATES))
        weights = rng.normal(size=(2, 4))
        beta = np.zeros((N_TIERS - 1, len(ACTION_FEATURES)))
        for k, name in enumerate(("share of new {}-grams around", "a new {}-gram around")):
            for m in range(2, 6):
                beta[:, ACTION_FEATURES.index(name.format(m))] = weights[k, m - 2]
        how = rule(seed, parts, q=0.9)._replace(beta=beta)
        costs = np.ones((len(parts.scores), N_TIERS - 1))
        trajectory = Trajectory(*run(parts, how, costs, np.inf, False, True))
        labels, before = trajectory.labels_before, None
        for s, part in enumerate(trajectory.part):
            values, is_open = (
                windows_valued(labels, parts.starts, known, weights),
                trajectory.all_values[s] > -np.inf,
            )
            assert_allclose(trajectory.all_values[s][is_open], values[is_open], rtol=1e-9, atol=1e-9)
            assert is_open[part]
            if before is not None:
                moved = np.flatnonzero(is_open & (abs(before - values) > 1e-6))
                seen_at[-4] += (moved == trajectory.first[s - 1] - 4).any()
                seen_at[4] += (moved == trajectory.last[s - 1] + 4).any()
            labels, before = trajectory.all_labels[s], values
    assert min(seen_at.values()) > 0  # otherwise no change here reaches that far


@settings(max_examples=20)
@given(seed=st.integers(0, 2**31))
def test_tolerance_saves_messages_and_full_runs_end_alike_in_tiers(seed):
    parts = batch(seed)
    costs = np.ones((len(parts.scores), N_TIERS - 1))
    exact = Trajectory(*run(parts, rule(seed, parts, is_fixed=True), costs, np.inf, False, False))
    rough = Trajectory(*run(parts, rule(seed, parts, is_fixed=True, q=0.5), costs, np.inf, False, False))
    assert_array_equal(exact.part, rough.part)
    assert rough.messages.sum() <= exact.messages.sum()
    assert (exact.tiers == N_TIERS - 1).all()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**31))
def test_losses_of_states_nobody_has_reached(kind, seed):
    parts = batch(seed, kind)
    rng = np.random.default_rng(seed)
    tiers, targets = rng.integers(0, N_TIERS, (2, len(parts.scores)))
    base, moved = losses_if(parts, tiers, targets)
    assert_array_equal(base, np.add.reduceat(lost(parts, read(parts, tiers)), parts.starts[:-1]))
    for r in range(len(tiers)):
        there = tiers.copy()
        there[r] = targets[r]
        w = np.searchsorted(parts.starts, r, side="right") - 1
        rows = slice(parts.starts[w], parts.starts[w + 1])
        assert moved[r] == lost(parts, read(parts, there))[rows].sum()


def far(p, q):
    """Chi-squared distance of two histograms."""
    p, q = p.astype(float), q.astype(float)
    is_used = p + q > 0
    return 0.5 * (((p - q) ** 2)[is_used] / (p + q)[is_used]).sum()


@settings(max_examples=25)
@given(seed=st.integers(0, 2**31))
def test_looks_and_places_around_an_action(seed):
    parts = batch(seed, "arms")
    tiers = np.random.default_rng(seed).integers(0, N_TIERS, len(parts.scores))
    labels, phi = read(parts, tiers), describe_parts(parts, tiers)
    column = dict(zip((*ACTION_FEATURES, *PLACE_FEATURES), phi.T, strict=True))
    looks, places = parts.looks[np.arange(len(labels)), labels], parts.places[np.arange(len(labels)), labels]
    for a, b in pairwise(parts.starts):
        for r in range(a, b):
            for m in range(2, 6):
                around = [i for i in range(a, b - m + 1) if i <= r < i + m]
                odd = [max(far(looks[i], looks[j]) for j in range(i + 1, i + m)) for i in around]
                assert_allclose(column[f"share of new {m}-grams around"][r], np.mean(odd or [0.0]), rtol=1e-6)
                assert column[f"a new {m}-gram around"][r] == (max(odd, default=0.0) > 0.5)
            for name, i, j in (("jump from the left", r - 1, r), ("jump to the right", r, r + 1)):
                is_inside = a <= i and j < b
                d = np.linalg.norm((places[j] - places[i]).reshape(2, 2), axis=1).max() if is_inside else 0
                assert_allclose(column[name][r], d / (1 + d), rtol=1e-6)


def test_distance_of_histograms():
    assert chi_squared(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])) == 1.0
    assert chi_squared(np.array([0.5, 0.5]), np.array([0.5, 0.5])) == 0.0


def test_action_features_say_what_their_names_say():
    scores = np.zeros((4, N_TIERS, N_STATES))
    scores[np.arange(4), :, [0, 1, 2, 0]] = [[2.0], [1.0], [0.5], [4.0]]
    parts = batch(7)._replace(
        scores=scores,
        pairwise=np.zeros((1, 3, 3)),
        transposed=np.zeros((1, 3, 3)),
        step=np.zeros((4, N_TIERS), dtype=np.int64),
        starts=np.array([0, 4]),
        looks=no_looks(4),
        places=no_looks(4),
        seen=seen_grams([0, 1, 2], [0, 3], N_STATES),
    )
    phi = describe_parts(parts, np.array([0, 2, 0, 1]))
    column = dict(zip(ACTION_FEATURES, phi.T, strict=True))
    assert_allclose(column["margin small"], np.exp([-2.0, -1.0, -0.5, -4.0]))
    assert_allclose(column["left margin small"], np.exp([-np.inf, -2.0, -1.0, -0.5]))
    assert column["tier on the left"].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert column["a new 2-gram around"].tolist() == [0.0, 0.0, 1.0, 1.0]  # 2, 0 was never seen
    assert column["share of new 2-grams around"].tolist() == [0.0, 0.0, 0.5, 1.0]
    assert column["a new 5-gram around"].tolist() == [0.0] * 4  # too short for one
    assert column["at an end"].tolist() == [1.0, 0.0, 0.0, 1.0]
