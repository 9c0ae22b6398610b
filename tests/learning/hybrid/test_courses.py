"""Courses: budgets, order of the queue, the same course step by step, counts that add up."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.engine.variable_order.start import NO_FILTER
from spcviz.learning.hybrid import policy, records
from spcviz.learning.hybrid.policy import ActionPrices, Reach
from spcviz.learning.hybrid.trace import trace
from tests.learning.hybrid import worlds

BOTH = Reach(worlds.N_ORDERS, worlds.N_TIERS)
PRICES = ActionPrices(tiers=(5.0, 7.0))


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(3)
    batch, model = worlds.batch(rng), worlds.model(rng)
    beta = rng.normal(size=(len(model.alphas), records.N_FEATURES))
    return batch, model, beta


def learned(model, beta, reach=BOTH):
    return policy.rule_of(model, PRICES, reach, beta=beta)


def test_a_course_is_what_the_trace_shows_step_by_step(world):
    batch, model, beta = world
    rule = learned(model, beta)
    course = policy.course(batch, model, rule, keep_features=True)
    for w, (a, b) in enumerate(zip(batch.starts[:-1], batch.starts[1:])):
        states = trace(batch.unary[a:b], model, rule)
        steps = slice(course.starts[w], course.starts[w + 1])
        assert [state.done[1] for state in states[1:]] == (course.row[steps] - a).tolist()
        assert [state.block for state in states[1:]] == course.block[steps].tolist()
        assert np.array_equal([state.work for state in states[1:]], course.work[steps].reshape(-1, 5))
        wrong = [int((state.labels != batch.labels[a:b]).sum()) for state in states]
        assert (-np.diff(wrong)).tolist() == course.gain[steps].tolist()
        best = [states[s].values.max() for s in range(len(states) - 1)]
        assert best == pytest.approx(course.value[steps].tolist())
        assert np.array_equal(states[0].labels, course.before[a:b])
        assert np.array_equal(states[-1].labels, course.after[a:b])


def test_a_value_is_weights_times_features_over_price(world):
    batch, model, beta = world
    course = policy.course(batch, model, learned(model, beta)._replace(arc_price=0.0), keep_features=True)
    value = np.einsum("sd,sd->s", course.features, beta[course.block])
    price = PRICES.of_blocks(worlds.N_ORDERS)[course.block]
    assert course.value == pytest.approx(np.where(value > 0, value / price, value * price))


def test_nothing_spent_is_the_baseline_and_everything_the_full_model(world):
    batch, model, beta = world
    rng = np.random.default_rng(4)
    rule = learned(model, beta)
    nothing = policy.course(batch, model, rule, most=0)
    assert len(nothing.row) == 0
    assert np.array_equal(nothing.after, nothing.before)
    free = model._replace(alphas=np.full_like(model.alphas, NO_FILTER), first_alpha=NO_FILTER)
    ends = []
    for _ in range(3):  # whatever the order of actions
        noise = rng.random((len(batch.labels), len(model.alphas)))
        ends.append(policy.course(batch, free, policy.rule_of(free, PRICES, BOTH, noise=noise)))
    for end in ends[1:]:
        assert np.array_equal(end.after, ends[0].after)
        assert len(end.row) == len(ends[0].row)


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_rounds_do_together_what_is_worth_a_share_of_the_best(world, share):
    batch, model, beta = world
    rule = learned(model, beta)._replace(together=share)
    course = policy.course(batch, model, rule)
    firsts = np.flatnonzero(np.isfinite(course.value))
    assert firsts[0] == 0
    assert len(firsts) < len(course.value) or share > 0.5
    assert np.array_equal(np.flatnonzero(course.work[:, 4]), firsts)
    assert not course.gain[
        np.setdiff1d(np.arange(len(course.gain)), [*(firsts[1:] - 1), len(course.gain) - 1])
    ].any()
    assert course.gain.sum() == (course.before != batch.labels).sum() - (course.after != batch.labels).sum()
    for w, (a, b) in enumerate(zip(batch.starts[:-1], batch.starts[1:])):
        states = trace(batch.unary[a:b], model, rule)  # the first round follows from the initial values
        marks = states[0].values >= share * states[0].values.max()
        marks &= states[0].values > 0.0
        steps = slice(course.starts[w], course.starts[w + 1])
        if marks.any():
            end = np.flatnonzero(np.isfinite(course.value[steps]))[1:2]
            done = list(zip(course.row[steps] - a, course.block[steps] >= worlds.N_ORDERS - 1))
            assert sorted(done[: end[0] if len(end) else None]) == sorted(zip(*np.nonzero(marks)))
    free = model._replace(alphas=np.full_like(model.alphas, NO_FILTER), first_alpha=NO_FILTER)
    alone = policy.course(batch, free, learned(free, beta))
    assert np.array_equal(policy.course(batch, free, rule).after, alone.after)


def test_shares_are_chosen_by_what_they_waste(world):
    batch, model, beta = world
    bad = {
        share: policy.badness(batch, model, PRICES, learned(model, beta)._replace(together=share), BOTH)
        for share in (0.8, 0.2)
    }
    assert policy.best_share(batch, model, PRICES, BOTH, beta, tuple(bad)) == min(bad, key=bad.get)


def test_reach_limits_what_is_done(world):
    batch, model, beta = world
    only = policy.course(batch, model, learned(model, beta, Reach(worlds.N_ORDERS, 1)))
    assert only.block.max() < worlds.N_ORDERS - 1
    only = policy.course(batch, model, learned(model, beta, Reach(1, worlds.N_TIERS)))
    assert only.block.min() >= worlds.N_ORDERS - 1
    with pytest.raises(ArgumentError, match="n_orders"):
        learned(model, beta, Reach(9, 1))


def test_points_count_letters_words_and_microseconds(world):
    batch, model, beta = world
    course = policy.course(batch, model, learned(model, beta))
    us = np.arange(1.0, len(course.row) + 1)
    points = policy.points_of(batch, course, us, 10.0)
    words = [slice(a, b) for a, b in zip(batch.starts[:-1], batch.starts[1:])]
    for labels, i in ((course.before, 0), (course.after, -1)):
        assert points.wrong[i] == (labels != batch.labels).sum()
        assert points.wrong_words[i] == sum((labels[w] != batch.labels[w]).any() for w in words)
    assert points.us[0] == 10.0
    assert points.us[-1] == pytest.approx(10.0 + us.sum())
    for budget in (0.0, 10.0, 25.0, 1e9, np.inf):
        at = policy.at_budgets(points, [budget])[0]
        assert at == -1 if budget < 10.0 else points.us[at] <= budget
    assert policy.at_budgets(points, [np.inf])[0] == len(points.us) - 1


@pytest.mark.parametrize("budget", [-1.0, float("nan"), "much", None])
def test_bad_budgets_are_refused(budget):
    points = policy.CoursePoints(np.array([1.0]), np.array([0]), np.array([0]))
    with pytest.raises(ArgumentError, match=r"budgets\[0\] must be"):
        policy.at_budgets(points, [budget])


def test_another_hand_may_begin(world):
    batch, model, beta = world
    unary, rule = batch.unary[:5], learned(model, beta)
    states = trace(unary, model, rule, [(0, 3), (1, 0)])
    assert [state.done for state in states[1:3]] == [(0, 3), (1, 0)]
    assert states[2].order.tolist() == [1, 2, 2, 3, 2]
    assert states[2].tier.tolist() == [1, 0, 0, 0, 0]
    for bad in ([(0, 0)], [(1, 9)], [(2, 1)], ["x"], 7):
        with pytest.raises(ArgumentError, match="forced"):
            trace(unary, model, rule, bad)
