"""Steps bought separately from letters: queue order, Viterbi at every purchase, letters as before."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.chains.factors import Factors, merge_queues
from spcviz.learning.budgets.chains.parts import describe_parts
from spcviz.learning.budgets.world import Rule
from tests.learning.budgets.chains.test_parts import N_TIERS, batch

KINDS = ("letters", "arms")
WORTHLESS = -1e6


def rule(parts, seed, *, refreshed=True, fixed=None):
    """A rule for letters alone, and the same for letters and steps where no step is worth anything."""
    width = len(ACTION_FEATURES) + 2 * (parts.places.shape[2] > 0)
    beta = np.random.default_rng(seed).normal(size=(N_TIERS - 1, width))
    for_steps = np.zeros((N_TIERS - 1, width + 1))
    for_steps[:, 0] = WORTHLESS
    apart = np.vstack([np.pad(beta, ((0, 0), (0, 1))), for_steps])
    nothing = np.zeros((0, 0))
    rules = []
    for betas, values in ((beta, fixed), (apart, None if fixed is None else with_steps(fixed))):
        rules.append(Rule(betas, nothing if values is None else values, refreshed, False, 0.0, False, False))
    return rules


def with_steps(fixed):
    out = np.full((2 * len(fixed), fixed.shape[1]), WORTHLESS)
    out[::2] = fixed
    return out


def letters_alone(parts):
    """The same chains whose steps have one table each, whatever the tier."""
    return parts._replace(step=np.repeat(parts.step[:, :1], N_TIERS, axis=1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("refreshed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_worthless_steps_leave_the_letters_as_they_were(kind, refreshed, seed):
    parts = letters_alone(batch(seed, kind))
    alone, apart = rule(parts, seed, refreshed=refreshed)
    costs = np.ones((len(parts.scores), N_TIERS - 1))
    want = parts.spend(alone, costs, np.inf)
    world = Factors(parts)
    course = world.spend(apart, world.costs(), np.inf, keep_features=True)
    n = len(want.part)
    # A chain buys worthless steps only when its letters have everything.
    order = np.flatnonzero(course.part % 2 == 0)
    assert_array_equal(course.part[order] // 2, want.part)
    assert_array_equal(course.tier[order], want.tier)
    assert_allclose(course.value[order], want.value)
    for name in ("gain", "messages", "first", "last"):
        assert_array_equal(getattr(course, name)[order], getattr(want, name), err_msg=name)
    assert n == len(order)
    assert_array_equal(course.labels, want.labels)
    assert_array_equal(course.labels_before, want.labels_before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_gains_and_labels_are_those_of_plain_viterbi(kind, seed):
    parts = batch(seed, kind)
    world = Factors(parts)
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(world.shape[0], N_TIERS - 1))
    how = part_policy.rule(fixed=values)
    course = world.spend(how, world.costs(), np.inf)
    tiers = np.zeros(world.shape[0], dtype=np.int64)
    labels = read(parts, tiers)
    assert_array_equal(course.labels_before, labels)
    for part, tier, gain in zip(course.part, course.tier, course.gain, strict=True):
        n_more = N_TIERS - 1
        assert (tier > n_more) == (part % 2 == 1)
        assert tiers[part] + 1 == tier - n_more * (part % 2)  # tier by tier
        tiers[part] += 1
        fresh = read(parts, tiers)
        assert gain == world.loss_of(labels) - world.loss_of(fresh)
        labels = fresh
    assert_array_equal(course.labels, labels)
    has_step = np.ones(len(parts.scores), dtype=bool)
    has_step[parts.starts[:-1]] = False
    assert set(course.part[course.part % 2 == 1] // 2) == set(np.flatnonzero(has_step))
    assert course.cost.sum() == world.costs().sum() == len(course.part)


def read(parts, tiers):
    out = []
    for a, b in pairwise(parts.starts):
        rows = np.arange(a, b)
        tables = parts.pairwise[parts.step[rows, tiers[2 * rows + 1]][1:]]
        out.append(chain.decode(parts.scores[rows, tiers[2 * rows]], tables).labels)
    return np.concatenate(out)


def test_features_say_at_which_tier_the_other_factor_stands():
    parts = batch(3)
    world = Factors(parts)
    beta = np.zeros((2 * (N_TIERS - 1), len(ACTION_FEATURES) + 1))
    beta[:, 0] = [3.0, 2.0, 2.5, 1.0]  # a letter, a step, the letter again, the step again
    course = world.spend(part_policy.rule(beta), world.costs(), np.inf, keep_features=True)
    tiers = np.zeros(world.shape[0], dtype=np.int64)
    tiers[2 * parts.starts[:-1] + 1] = N_TIERS - 1  # where there is no step, nothing is left to buy
    for part, features, value, tier in zip(
        course.part, course.features, course.value, course.tier, strict=True
    ):
        assert features[-1] == tiers[part ^ 1] / (N_TIERS - 1)
        assert value == beta[tier - 1, 0]
        tiers[part] += 1


@pytest.mark.parametrize("seed", range(5))
def test_the_queue_takes_the_largest_of_the_next_values(seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 5, 6))])
    value = rng.integers(0, 4, starts[-1]).astype(float)
    at, want = starts[:-1].copy(), []
    while (at < starts[1:]).any():
        heads = [value[a] if a < b else -np.inf for a, b in zip(at, starts[1:], strict=True)]
        w = int(np.argmax(heads))
        want.append(at[w])
        at[w] += 1
    assert merge_queues(value, starts).tolist() == want


def test_some_chains_are_those_chains():
    parts = batch(1)
    some, rows = Factors(parts).some([2, 0])
    assert_array_equal(some.parts.scores, parts.scores[rows[::2] // 2])
    assert_array_equal(rows[1::2], rows[::2] + 1)
    assert_array_equal(Factors(parts).costs()[rows], some.costs())


def test_policies_learn_on_it():
    world = Factors(batch(0, n_chains=40))
    policy, imitation, dev = part_policy.train(world, np.random.default_rng(0), world.costs())
    assert policy.beta.shape == imitation.shape == (2 * (N_TIERS - 1), len(ACTION_FEATURES) + 1)
    assert 0 < len(dev) < 40


def test_refusals():
    world = Factors(batch(0))
    how = part_policy.rule(fixed=np.zeros((world.shape[0], N_TIERS - 1)))
    for changed, budget in ((how, 1.0), (how._replace(all_at_once=True), np.inf)):
        with pytest.raises(ArgumentError, match="steps apart are bought tier by tier, by value, to the end"):
            world.spend(changed, world.costs(), budget)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_every_purchase_is_the_best_of_values_worked_out_anew(kind, seed):
    parts = batch(seed, kind)
    world = Factors(parts)
    width = len(ACTION_FEATURES) + 2 * (parts.places.shape[2] > 0) + 1
    beta = np.random.default_rng(seed).normal(size=(2 * (N_TIERS - 1), width))
    course = world.spend(part_policy.rule(beta), world.costs(), np.inf, keep_features=True)
    tiers = np.zeros(world.shape[0], dtype=np.int64)
    tiers[2 * parts.starts[:-1] + 1] = N_TIERS - 1
    for part, value, features in zip(course.part, course.value, course.features, strict=True):
        rows = np.arange(len(parts.scores))
        now = parts._replace(step=np.tile(parts.step[rows, tiers[1::2]][:, None], (1, N_TIERS)))
        seen = describe_parts(now, tiers[::2].copy())
        values = np.full(len(tiers), -np.inf)
        for p in np.flatnonzero(tiers < N_TIERS - 1):
            phi = np.append(seen[p // 2], tiers[p ^ 1] / (N_TIERS - 1))
            values[p] = phi @ beta[(N_TIERS - 1) * (p % 2) + tiers[p]]
            if p == part:
                assert_allclose(features, phi, atol=1e-9)
        assert value == pytest.approx(values[part])
        assert value == pytest.approx(values.max())
        tiers[part] += 1
