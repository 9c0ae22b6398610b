"""Sentences as a world: every answer against trees by enumeration, Algorithm 5 against a slow one."""

import numpy as np
import pytest

from experiments.parsing import measure, times
from spcviz.learning.budgets import classifiers, part_policy
from spcviz.problems.parsing.model import policies
from spcviz.problems.parsing.model import world as worlds
from spcviz.problems.parsing.shown import ONE_SHOT
from tests.oracles import trees_of_words as oracle


@pytest.fixture(scope="module")
def short(world):
    """Sentences that can be enumerated."""
    return world.some(np.flatnonzero(np.diff(world.starts) <= 6))[0]


def state_of(world, w, tiers):
    i, j = world.starts[w : w + 2]
    squares = world.squares[:, world.at[w] : world.at[w + 1]].reshape(2, j - i + 1, j - i + 1)
    out = squares[0].copy()
    for d in range(1, j - i + 1):
        out[d] = squares[tiers[i + d - 1], d]
    return out


def test_read_and_losses_are_of_the_best_tree(short):
    rng = np.random.default_rng(2)
    for _ in range(3):
        tiers, targets = rng.integers(0, 2, short.shape[0]), rng.integers(0, 2, short.shape[0])
        labels = short.read(tiers)
        base, moved = short.losses_if(tiers, targets)
        np.testing.assert_array_equal(base, short.wrong(labels))
        assert short.loss_of(labels) == base.sum()
        for w in range(len(short.starts) - 1):
            i, j = short.starts[w : w + 2]
            scores = state_of(short, w, tiers)
            score = oracle.score(scores, tuple(labels[i:j]))
            assert score == pytest.approx(oracle.best(scores, single_root=True))
            for r in range(i, j):
                other = tiers.copy()
                other[r] = targets[r]
                assert moved[r] == (short.read(other)[i:j] != short.heads[i:j]).sum()
        again = np.zeros(short.shape[0], dtype=np.int64)
        short.read_again(tiers, again)
        for w in range(len(short.starts) - 1):
            i, j = short.starts[w : w + 2]
            assert (again[i:j] == (labels[i:j] if tiers[i:j].any() else 0)).all()


@pytest.mark.parametrize("refreshed", [True, False])
def test_spending_is_algorithm_5(world, refreshed):
    beta = np.random.default_rng(3).normal(size=(1, worlds.N_FEATURES))
    how, budget = part_policy.rule(beta, refreshed=refreshed), 25
    course = part_policy.spend(world, how, budget, keep_all=True, keep_features=True)
    tiers = np.zeros(world.shape[0], dtype=np.int64)
    example = np.searchsorted(world.starts, np.arange(world.shape[0]), side="right") - 1
    phi = world.describe(tiers)
    values = phi @ beta[0]
    for s, r in enumerate(course.part):
        assert values[r] == pytest.approx(values[tiers == 0].max())
        assert course.value[s] == pytest.approx(values[r])
        np.testing.assert_allclose(course.features[s], phi[r])
        before = world.loss_of(world.read(tiers))
        tiers[r] = 1
        assert course.gain[s] == before - world.loss_of(world.read(tiers))
        np.testing.assert_array_equal(course.all_labels[s], world.read(tiers))
        new = world.describe(tiers)
        touched = (example == example[r]) if refreshed else np.arange(len(tiers)) == r
        phi = np.where(touched[:, None], new, phi)
        values = np.where(touched, new @ beta[0], values)
    assert len(course.part) == budget
    np.testing.assert_array_equal(course.tiers, tiers)


def test_description_of_a_sentence(world):
    tiers = np.zeros(world.shape[0], dtype=np.int64)
    tiers[0] = 1
    phi, heads = world.describe(tiers), world.read(tiers)
    names = worlds.PLAIN_FEATURES
    depth = measure.depths_of(heads, world.starts)
    np.testing.assert_allclose(phi[:, names.index("depth")], depth / 7)
    np.testing.assert_allclose(phi[:, names.index("head is the root")], heads == 0)
    n = world.starts[1]
    assert phi[:n, names.index("share bought")] == pytest.approx(1 / n)
    assert phi[1, names.index("neighbours bought")] == 0.5
    np.testing.assert_allclose(phi[:n, names.index("head bought")], heads[:n] == 1)
    assert (phi[:, len(names) :].sum(axis=1) == 2).all()
    rows = np.arange(world.shape[0])
    assert (phi[rows, len(names) + world.tags] == 1).all()
    margin = phi[:, names.index("margin small")]
    assert margin.min() >= 0
    assert margin.max() <= 1
    tiers[0] = 0
    np.testing.assert_allclose(world.closeness(), world.describe(tiers)[:, names.index("margin small")])


def test_the_quick_ways_to_decide_are_the_slow_ones(world, learned):
    for key in ONE_SHOT:
        policy = learned.one_shot[key]
        if not times.is_looking(key):
            wanted = classifiers.odds(policy, policies.simple_inputs(world))[:, 0]
            np.testing.assert_allclose(policies.quick_odds(policy, world), wanted, atol=1e-9)
            continue
        wanted = classifiers.odds(policy, policies.complex_inputs(world))[:, 0]
        labels = np.zeros(world.shape[0], dtype=np.int64)
        odds = world.first_odds(*policies.first_weights(policy), labels)
        np.testing.assert_allclose(odds, wanted, atol=1e-9)
        np.testing.assert_array_equal(labels, world.read(labels * 0))


def test_contrast_labels_are_words_that_everything_mends(world):
    labels = policies.contrast_labels(world)
    n = world.shape[0]
    by_tags, by_all = (world.read(np.full(n, t)) != world.heads for t in (0, 1))
    np.testing.assert_array_equal(labels == 1, by_tags & ~by_all)
    assert labels.any()


def test_every_policy_buys_every_word_once(world, learned):
    rules = policies.rules(learned, world, np.random.default_rng(0))
    orders = policies.orders(rules, world)
    for order in orders.values():
        np.testing.assert_array_equal(np.sort(order), np.arange(world.shape[0]))
    sentence = np.searchsorted(world.starts, orders["uniform_sentences"], side="right")
    assert (np.diff(sentence) != 0).sum() == len(world.starts) - 2  # whole sentences, one after the other
    # Anytime buys one word of every sentence before the second of any.
    first = np.searchsorted(world.starts, orders["anytime"][: len(world.starts) - 1], side="right")
    assert len(set(first)) == len(world.starts) - 1


def test_depths():
    heads, starts = np.array([2, 0, 2, 3, 0, 1]), np.array([0, 4, 6])
    assert measure.depths_of(heads, starts).tolist() == [1, 0, 1, 2, 0, 1]
    chain = np.arange(12)
    assert measure.depths_of(chain, np.array([0, 12])).tolist() == [*range(8), 7, 7, 7, 7]
