"""Algorithm 5 against a plain rewriting of it; what a run records; searches against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine import chain
from spcviz.engine.ngrams import symbol_bits
from spcviz.engine.quiescent import transposed_tables
from spcviz.learning.chain_parts import ACTION_FEATURES, Course, Parts, Rule, run
from spcviz.learning.chain_search import describe_parts, losses_if
from spcviz.learning.seen import seen_grams

N_STATES, N_TIERS = 3, 3
FIELDS = dict(zip(Course._fields, range(len(Course._fields)), strict=True))


def batch(seed, n_words=3):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, n_words)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    pairwise = rng.normal(size=(2, N_STATES, N_STATES))
    truth = rng.integers(0, N_STATES, starts[-1])
    return Parts(
        rng.normal(size=(starts[-1], N_TIERS, N_STATES)), pairwise, transposed_tables(pairwise),
        rng.integers(0, 2, n_words), starts, truth, seen_grams(truth, starts, N_STATES), 1.0,
        symbol_bits(N_STATES),
    )  # fmt: skip


def rule(seed, parts, *, is_fixed=False, refreshed=True, all_at_once=False, q=0.0):
    rng = np.random.default_rng(seed)
    beta = rng.normal(size=(N_TIERS - 1, len(ACTION_FEATURES)))
    fixed = (
        rng.integers(0, 3, (len(parts.truth), N_TIERS - 1)).astype(float) if is_fixed else np.zeros((0, 0))
    )
    return Rule(beta, fixed, refreshed, all_at_once, q, False)


def read(parts, tiers):
    """Labels of every chain by plain Viterbi."""
    out = []
    for w, m in enumerate(parts.model):
        rows = np.arange(parts.starts[w], parts.starts[w + 1])
        out.append(chain.decode(parts.scores[rows, tiers[rows]], parts.pairwise[m]).labels)
    return np.concatenate(out)


def plainly(parts, how, costs, budget):
    """Algorithm 5 with everything worked out anew at every step: [(part, tier)]."""
    tiers = np.zeros(len(parts.truth), dtype=np.int64)

    def values_now():
        if len(how.fixed):
            return how.fixed[np.arange(len(tiers)), np.minimum(tiers, N_TIERS - 2)]
        phi = describe_parts(parts, tiers, len(ACTION_FEATURES))
        return np.einsum("rd,rd->r", phi, how.beta[np.minimum(tiers, N_TIERS - 2)])

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


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("refreshed", [True, False])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**31), budget=st.one_of(st.just(np.inf), st.floats(0, 25)), at_once=st.booleans())
def test_same_purchases_as_the_plain_algorithm(is_fixed, refreshed, seed, budget, at_once):
    parts = batch(seed)
    how = rule(seed, parts, is_fixed=is_fixed, refreshed=refreshed, all_at_once=at_once)
    costs = np.random.default_rng(seed).integers(0, 4, (len(parts.truth), N_TIERS - 1)).astype(float)
    course = Course(*run(parts, how, costs, budget, True, True))
    bought, tiers, spent = plainly(parts, how, costs, budget)
    assert list(zip(course.part.tolist(), course.tier.tolist(), strict=True)) == bought
    assert_array_equal(course.tiers, tiers)
    assert course.cost.sum() == spent <= budget
    assert_array_equal(course.labels, read(parts, tiers))
    wrong = (course.labels_before != parts.truth).sum()
    assert wrong - course.gain.sum() == (course.labels != parts.truth).sum()
    if len(bought):
        assert_array_equal(course.all_labels[-1], course.labels)
        assert_allclose(course.all_values[np.arange(len(bought)), course.part], course.value)
    again = Course(*run(parts, how, costs, budget, True, True))
    assert all(map(np.array_equal, course, again))  # every trace replays identically


@settings(max_examples=20)
@given(seed=st.integers(0, 2**31))
def test_tolerance_saves_messages_and_full_runs_end_alike_in_tiers(seed):
    parts = batch(seed)
    costs = np.ones((len(parts.truth), N_TIERS - 1))
    exact = Course(*run(parts, rule(seed, parts, is_fixed=True), costs, np.inf, False, False))
    rough = Course(*run(parts, rule(seed, parts, is_fixed=True, q=0.5), costs, np.inf, False, False))
    assert_array_equal(exact.part, rough.part)
    assert rough.messages.sum() <= exact.messages.sum()
    assert (exact.tiers == N_TIERS - 1).all()


@settings(max_examples=25)
@given(seed=st.integers(0, 2**31))
def test_losses_of_states_nobody_has_reached(seed):
    parts = batch(seed)
    rng = np.random.default_rng(seed)
    tiers, targets = rng.integers(0, N_TIERS, (2, len(parts.truth)))
    base, moved = losses_if(parts, tiers, targets)
    assert_array_equal(base, np.add.reduceat(read(parts, tiers) != parts.truth, parts.starts[:-1]))
    for r in range(len(tiers)):
        there = tiers.copy()
        there[r] = targets[r]
        w = np.searchsorted(parts.starts, r, side="right") - 1
        rows = slice(parts.starts[w], parts.starts[w + 1])
        assert moved[r] == (read(parts, there)[rows] != parts.truth[rows]).sum()


def test_action_features_say_what_their_names_say():
    parts = batch(7, n_words=1)._replace(starts=np.array([0, 4]), truth=np.array([0, 1, 2, 0]))
    scores = np.zeros((4, N_TIERS, N_STATES))
    scores[np.arange(4), :, [0, 1, 2, 0]] = [[2.0], [1.0], [0.5], [4.0]]
    parts = parts._replace(scores=scores, pairwise=np.zeros((1, 3, 3)), transposed=np.zeros((1, 3, 3)))
    parts = parts._replace(model=np.array([0]), seen=seen_grams([0, 1, 2], [0, 3], N_STATES))
    phi = describe_parts(parts, np.array([0, 2, 0, 1]), len(ACTION_FEATURES))
    column = dict(zip(ACTION_FEATURES, phi.T, strict=True))
    assert_allclose(column["margin small"], np.exp([-2.0, -1.0, -0.5, -4.0]))
    assert_allclose(column["left margin small"], np.exp([-np.inf, -2.0, -1.0, -0.5]))
    assert column["tier on the left"].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert column["a new 2-gram around"].tolist() == [0.0, 0.0, 1.0, 1.0]  # 2, 0 was never seen
    assert column["share of new 2-grams around"].tolist() == [0.0, 0.0, 0.5, 1.0]
    assert column["a new 5-gram around"].tolist() == [0.0] * 4  # too short for one
    assert column["at an end"].tolist() == [1.0, 0.0, 0.0, 1.0]
