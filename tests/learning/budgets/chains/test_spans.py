"""Spans of positions: single positions and whole chains as ends of a scale, enumeration in between."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.spans import WHOLE, in_spans, sizes_of
from spcviz.learning.budgets.expansion import expand
from tests.learning.budgets.chains import test_parts
from tests.learning.budgets.chains.test_parts import KINDS, N_STATES, N_TIERS, batch, lost, read, rule

BUDGETS = st.one_of(st.just(np.inf), st.floats(0, 25))


def costs_of(parts, seed):
    """Whole numbers, so that sums are exact; some are free."""
    return np.random.default_rng(seed).integers(0, 4, (len(parts.scores), N_TIERS - 1)).astype(float)


def spans_rule(seed, parts, world, *, is_fixed=False, **how):
    """`rule` with a row of fixed values for each span."""
    made = rule(seed, parts, is_fixed=is_fixed, **how)
    return made._replace(fixed=made.fixed[: world.shape[0]]) if is_fixed else made


@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=6),
    length=st.one_of(st.integers(1, 50), st.just(WHOLE)),
)
def test_chains_are_cut_into_as_few_spans_as_can_be_of_sizes_as_equal_as_can_be(lengths, length):
    sizes = iter(sizes_of(np.array(lengths), length).tolist())
    for n in lengths:
        mine = [next(sizes) for _ in range(-(-n // length))]
        assert sum(mine) == n
        assert max(mine) <= length
        assert max(mine) - min(mine) <= 1
    assert next(sizes, None) is None


def test_a_length_is_at_least_one():
    for length in (0, -3, 1.5, True):
        with pytest.raises(ArgumentError, match="length must be a whole number from 1"):
            in_spans(batch(0), length)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_fixed", [True, False])
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**31),
    budget=BUDGETS,
    refreshed=st.booleans(),
    at_once=st.booleans(),
    per_cost=st.booleans(),
    q=st.sampled_from([0.0, 0.5]),
)
def test_spans_of_one_are_single_positions_to_the_last_bit(
    kind, is_fixed, seed, budget, refreshed, at_once, per_cost, q
):
    parts = batch(seed, kind)
    how = rule(
        seed, parts, is_fixed=is_fixed, refreshed=refreshed, all_at_once=at_once, q=q, per_cost=per_cost
    )
    costs, world = costs_of(parts, seed), in_spans(parts, 1)
    assert world.shape == parts.shape
    assert_array_equal(world.costs(costs), costs)
    ours = world.spend(how, world.costs(costs), budget, True, True)
    for name, mine, wanted in zip(
        ours._fields, ours, parts.spend(how, costs, budget, True, True), strict=True
    ):
        assert_array_equal(mine, wanted, err_msg=name)


def test_policies_of_spans_of_one_are_those_of_single_positions():
    parts = batch(3, "arms", n_chains=24)
    costs, group = np.tile([0.1, 10.0], (len(parts.scores), 1)), np.repeat(np.arange(12), 2)
    alone, ones = (
        part_policy.train_queues(world, np.random.default_rng(0), costs, group=group)
        for world in (parts, in_spans(parts, 1))
    )
    for mine, wanted in zip(ones, alone, strict=True):
        assert_array_equal(mine.policy.beta, wanted.policy.beta)
        assert_array_equal(mine.imitation, wanted.imitation)
        assert mine[2:5] == wanted[2:5]  # which queue it is, its badness, its budgets
        assert_array_equal(mine.held, wanted.held)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**31), budget=BUDGETS, longer=st.sampled_from([0, 1, WHOLE - 99]))
def test_spans_of_whole_chains_are_whole_chains(kind, seed, budget, longer):
    """The same purchases as for whole examples with the same values, and the Viterbi labelling after each."""
    parts = batch(seed, kind)
    lengths = np.diff(parts.starts)
    world = in_spans(parts, int(lengths.max()) + longer)
    assert world.shape == (len(lengths), N_TIERS)
    costs = np.add.reduceat(costs_of(parts, seed), parts.starts[:-1])
    assert_array_equal(world.costs(costs_of(parts, seed)), costs)
    fixed = np.random.default_rng(seed).random(costs.shape)
    course = part_policy.spend(world, part_policy.rule(fixed=fixed), budget, costs, keep_all=True)
    bought = expand(fixed, costs, budget)
    assert_array_equal(course.part, bought.example)
    assert_array_equal(course.tier, bought.tier)
    assert_array_equal(course.cost, bought.cost)
    tiers = np.zeros(len(lengths), dtype=np.int64)
    for w, tier, labels in zip(course.part, course.tier, course.all_labels, strict=True):
        tiers[w] = tier
        assert_array_equal(labels, read(parts, np.repeat(tiers, lengths)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("length", [2, 3])
@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**31),
    budget=BUDGETS,
    refreshed=st.booleans(),
    at_once=st.booleans(),
    per_cost=st.booleans(),
)
def test_same_purchases_as_the_plain_algorithm(
    kind, is_fixed, length, seed, budget, refreshed, at_once, per_cost
):
    parts = batch(seed, kind, n_chains=4, longest=7)
    world = in_spans(parts, length)
    flags = {"refreshed": refreshed, "all_at_once": at_once, "per_cost": per_cost}
    how = spans_rule(seed, parts, world, is_fixed=is_fixed, **flags)
    costs = world.costs(costs_of(parts, seed))
    course = world.spend(how, costs, budget, True, True)
    bought, tiers, spent = test_parts.plainly(parts, how, costs, budget, world.first)
    assert list(zip(course.part.tolist(), course.tier.tolist(), strict=True)) == bought
    assert_array_equal(course.tiers, tiers)
    assert course.cost.sum() == spent <= budget
    assert_array_equal(course.labels, read(parts, tiers[world.span]))
    assert lost(parts, course.labels_before).sum() - course.gain.sum() == lost(parts, course.labels).sum()
    if len(bought) and refreshed and not is_fixed and not per_cost:
        starting = course.tier - 1 if not at_once else np.zeros(len(bought), dtype=np.int64)
        assert_allclose(np.einsum("sd,sd->s", course.features, how.beta[starting]), course.value, atol=1e-9)


def lost_by_enumeration(parts, tiers):
    """Loss of each chain, read as the best of all labellings."""
    out = []
    for a, b in pairwise(parts.starts):
        best, labelling = -np.inf, None
        for labels in product(range(N_STATES), repeat=b - a):
            total = sum(parts.scores[a + i, tiers[a + i], k] for i, k in enumerate(labels))
            total += sum(
                parts.pairwise[parts.step[a + i, tiers[a + i]], labels[i - 1], labels[i]]
                for i in range(1, b - a)
            )
            if total > best:
                best, labelling = total, labels
        out.append(parts.loss[np.arange(a, b), labelling].sum())
    return np.array(out)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_every_purchase_gains_what_enumeration_says(kind, seed):
    """All states of two spans per chain, all labellings of each: the loss that a step saves, and the best
    first step.
    """
    parts = batch(seed, kind, n_chains=2, longest=4)
    world = in_spans(parts, 2)
    losses = {
        tiers: lost_by_enumeration(parts, np.array(tiers)[world.span]).sum()
        for tiers in product(range(N_TIERS), repeat=world.shape[0])
    }
    noise = np.random.default_rng(seed).random((world.shape[0], N_TIERS - 1))
    course = part_policy.spend(world, part_policy.rule(fixed=noise), keep_all=True)
    tiers = [0] * world.shape[0]
    assert losses[tuple(tiers)] == lost(parts, course.labels_before).sum()
    for s, tier, gain, labels in zip(course.part, course.tier, course.gain, course.all_labels, strict=True):
        before = losses[tuple(tiers)]
        tiers[s] = int(tier)
        assert gain == before - losses[tuple(tiers)]
        assert losses[tuple(tiers)] == lost(parts, labels).sum()
    assert tiers == [N_TIERS - 1] * world.shape[0]
    # Values that know the truth: the first purchase is the one that saves most.
    first = [losses[(0,) * s + (1,) + (0,) * (world.shape[0] - s - 1)] for s in range(world.shape[0])]
    knows = np.repeat(-np.array(first, dtype=float)[:, None], N_TIERS - 1, axis=1)
    best = part_policy.spend(world, part_policy.rule(fixed=knows), 1.0)
    assert best.gain.sum() == losses[(0,) * world.shape[0]] - min(first)


@pytest.mark.parametrize("kind", KINDS)
def test_chains_in_any_order_keep_their_spans(kind):
    parts = batch(1, kind, n_chains=5, longest=9)
    world = in_spans(parts, 4)
    some, rows = world.some([3, 0, 4])
    wanted = in_spans(parts.some([3, 0, 4])[0], 4)
    for name in ("starts", "first", "span"):
        assert_array_equal(getattr(some, name), getattr(wanted, name), err_msg=name)
    costs = costs_of(parts, 1)
    assert_array_equal(world.costs(costs)[rows], some.costs(costs[parts.some([3, 0, 4])[1]]))
    noise = np.random.default_rng(0).random(world.costs(costs).shape)
    course = part_policy.spend(some, part_policy.rule(fixed=noise[rows]), costs=world.costs(costs)[rows])
    assert_array_equal(course.labels, read(some.parts, np.full(len(some.span), N_TIERS - 1)))


def test_long_spans_pass_what_they_change_on_to_spans_beside_them():
    """Values in the queue are current, whichever neighbouring spans were raised."""
    parts = batch(5, "arms", n_chains=2, longest=24)
    world = in_spans(parts, 5)
    how = spans_rule(5, parts, world)
    course = world.spend(how, world.costs(costs_of(parts, 5)), np.inf, False, True)
    fresh = 0
    tiers = np.zeros(world.shape[0], dtype=np.int64)
    for s in range(len(course.part)):
        phi = np.add.reduceat(parts.describe(tiers[world.span]), world.first[:-1])
        values = np.einsum("sd,sd->s", phi, how.beta[np.minimum(tiers, N_TIERS - 2)])
        is_open = course.all_values[s] > -np.inf
        assert_allclose(course.all_values[s][is_open], values[is_open], rtol=1e-9, atol=1e-9)
        fresh += is_open.sum() > 1
        tiers[course.part[s]] = course.tier[s]
    assert fresh > 3
