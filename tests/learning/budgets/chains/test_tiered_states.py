"""Chains over proposals: paths and scores against enumeration, and learning what can be learned."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.chains.chain import decode
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.learning.budgets.chains import tiered_states as ts


def random_proposals(rng, lengths, n_states=4, n_before=2, widths=(3, 2)):
    rows = sum(lengths)
    before = np.stack([[rng.permutation(n_states)[:n_before] for _ in range(n_states)] for _ in range(rows)])
    return ts.Proposals(
        np.concatenate([[0], np.cumsum(lengths)]),
        rng.normal(size=(rows, n_states, widths[0])).astype(np.float32),
        before,
        rng.normal(size=(rows, n_states, n_before, widths[1])).astype(np.float32),
    )


def allowed_paths(proposals, a, b):
    n_states = proposals.state.shape[1]
    for path in product(range(n_states), repeat=b - a):
        if all(path[i - 1] in proposals.before[a + i, path[i]] for i in range(1, b - a)):
            yield path


@given(seed=st.integers(0, 10**6), lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_nearest_paths_are_the_cheapest_of_all_allowed_ones(seed, lengths):
    rng = np.random.default_rng(seed)
    proposals = random_proposals(rng, lengths)
    cost = rng.uniform(0, 10.0 ** rng.integers(1, 7), (sum(lengths), 4))
    nearest = ts.nearest_paths(proposals, cost)
    for a, b in zip(proposals.starts[:-1], proposals.starts[1:], strict=True):
        costs = [sum(cost[a + i, k] for i, k in enumerate(path)) for path in allowed_paths(proposals, a, b)]
        path = nearest[a:b]
        assert tuple(path.tolist()) in set(allowed_paths(proposals, a, b))
        assert cost[np.arange(a, b), path].sum() == pytest.approx(min(costs))


@given(seed=st.integers(0, 10**6))
def test_tables_hold_the_score_of_every_path(seed):
    rng = np.random.default_rng(seed)
    proposals = random_proposals(rng, [3])
    model = ts.TieredStates(rng.normal(size=(2, 3)), rng.normal(size=(2, 2)))
    scores, tables = ts.state_scores(model, proposals), ts.step_tables(model, proposals)
    assert np.isneginf(tables[1:]).sum() == 2 * 2 * 4 * 2  # two of four states may lead to each
    assert (tables[0] == 0.0).all()
    tiers = rng.integers(0, 2, 3)
    best = -np.inf
    for path in allowed_paths(proposals, 0, 3):
        total = 0.0
        for i, k in enumerate(path):
            total += proposals.state[i, k] @ model.state[tiers[i]]
            if i:
                j = proposals.before[i, k].tolist().index(path[i - 1])
                total += proposals.step[i, k, j] @ model.step[tiers[i]]
        best = max(best, total)
    unary = np.stack([scores[i, tiers[i]] for i in range(3)])
    decoded = decode(unary, np.stack([tables[i, tiers[i]] for i in (1, 2)]))
    assert decoded.score == pytest.approx(best, abs=1e-3)


def slow_fit(proposals, target, loss, tiers, order_rng, epochs, penalty):
    """The subgradient method written out: all tiers have all features, paths by enumeration."""
    state, step = np.zeros((2, 3)), np.zeros((2, 2))
    sums, seen = [np.zeros((2, 3)), np.zeros((2, 2))], 0
    for _ in range(epochs):
        for w in order_rng.permutation(len(proposals.starts) - 1):
            a, b = proposals.starts[w], proposals.starts[w + 1]

            def parts(path, a=a):
                for i, k in enumerate(path):
                    j = proposals.before[a + i, k].tolist().index(path[i - 1]) if i else None
                    yield a + i, k, j

            def score(path, state=state, step=step):
                total = 0.0
                for r, k, j in parts(path):
                    total += loss[r, k] + proposals.state[r, k] @ state[tiers[r]]
                    total += 0.0 if j is None else proposals.step[r, k, j] @ step[tiers[r]]
                return total

            violator = max(allowed_paths(proposals, a, b), key=score)
            seen += 1
            rate = 1.0 / (penalty * seen + 1.0)
            state, step = state * (1 - rate * penalty), step * (1 - rate * penalty)
            for path, sign in ((target[a:b], 1.0), (violator, -1.0)):
                for r, k, j in parts(path):
                    state[tiers[r]] += sign * rate / (b - a) * proposals.state[r, k]
                    if j is not None:
                        step[tiers[r]] += sign * rate / (b - a) * proposals.step[r, k, j]
            sums = [sums[0] + state, sums[1] + step]
    return sums[0] / seen, sums[1] / seen


def test_learning_is_the_subgradient_method():
    rng = np.random.default_rng(5)
    proposals = random_proposals(rng, [3, 1, 4, 2])
    loss = rng.integers(0, 3, (10, 4)).astype(float)
    target = ts.nearest_paths(proposals, loss)
    tiers = rng.integers(0, 2, 10)
    model = ts.fit_tiered_states(
        proposals, target, loss, ([3, 3], [2, 2]), lambda rng: tiers, np.random.default_rng(1), epochs=3,
        penalty=0.05,
    )  # fmt: skip
    state, step = slow_fit(proposals, target, loss, tiers, np.random.default_rng(1), 3, 0.05)
    assert model.state == pytest.approx(state, abs=1e-6)
    assert model.step == pytest.approx(step, abs=1e-6)


def learnable(rng, n_chains=60):
    """Feature 0 of states says little, feature 1 more, and steps tend to stay."""
    lengths = [5] * n_chains
    proposals = random_proposals(rng, lengths, n_states=4, n_before=4, widths=(2, 1))
    truth = np.repeat(rng.integers(0, 4, n_chains), 5)
    rows = np.arange(len(truth))
    state = rng.normal(size=proposals.state.shape).astype(np.float32)
    state[rows, truth, 0] += 1.0
    state[rows, truth, 1] += 3.0
    step = (proposals.before == np.arange(4)[:, None]).astype(np.float32)[..., None]
    loss = (np.arange(4) != truth[:, None]).astype(float)
    return proposals._replace(state=state, step=step), truth, loss


def wrong(model, proposals, truth, tier):
    scores, tables = ts.state_scores(model, proposals), ts.step_tables(model, proposals)
    labels = []
    for a, b in zip(proposals.starts[:-1], proposals.starts[1:], strict=True):
        labels += decode(
            np.ascontiguousarray(scores[a:b, tier]), tables[a + 1 : b, tier].copy()
        ).labels.tolist()
    return (np.array(labels) != truth).mean()


def test_learning_finds_what_each_tier_can_say():
    rng = np.random.default_rng(0)
    proposals, truth, loss = learnable(rng)
    tiers = np.zeros(len(truth), dtype=np.int64)
    tiers[::2] = 1
    edges = ([1, 2], [1, 1])
    model = ts.fit_tiered_states(proposals, truth, loss, edges, lambda rng: rng.permutation(tiers), rng)
    assert model.state[0, 1] == 0.0  # tier 0 does not have that feature
    assert (model.state[1] > 0).all()
    assert (model.step > 0).all()
    held, true, _ = learnable(np.random.default_rng(1))
    few, all_features = wrong(model, held, true, 0), wrong(model, held, true, 1)
    assert all_features < few < 0.5
    assert all_features < 0.02


def test_the_same_seed_learns_the_same():
    proposals, truth, loss = learnable(np.random.default_rng(0), 10)
    fixed = np.zeros(len(truth), dtype=np.int64)
    one, other = (
        ts.fit_tiered_states(proposals, truth, loss, ([2], [1]), lambda rng: fixed, np.random.default_rng(3))
        for _ in range(2)
    )
    assert (one.state == other.state).all()
    assert (one.step == other.step).all()


@pytest.mark.parametrize(
    ("change", "error", "name"),
    [
        ({"state": np.zeros((4, 4), np.float32)}, ShapeError, "state"),
        ({"step": np.full((4, 4, 2, 2), np.nan)}, ArgumentError, "step"),
        ({"before": np.full((4, 4, 2), 4)}, (ArgumentError, ShapeError), "before"),
        ({"before": np.zeros((4, 4, 1), int)}, ShapeError, "before"),
        ({"starts": np.array([0, 9])}, (ArgumentError, ShapeError), "starts"),
    ],
)
def test_bad_proposals_are_named(change, error, name):
    proposals = random_proposals(np.random.default_rng(0), [4])._replace(**change)
    with pytest.raises(error, match=name):
        ts.checked_proposals(proposals)


def test_bad_arguments_are_named():
    proposals = random_proposals(np.random.default_rng(0), [4])
    with pytest.raises(ShapeError, match="cost"):
        ts.nearest_paths(proposals, np.zeros((3, 4)))
    with pytest.raises(ScoreError, match="cost"):
        ts.nearest_paths(proposals, np.full((4, 4), np.nan))
    draw = lambda rng: np.zeros(4, dtype=np.int64)  # noqa: E731
    right = (
        proposals,
        np.zeros(4, dtype=np.int64),
        np.zeros((4, 4)),
        ([3], [2]),
        draw,
        np.random.default_rng(0),
    )
    for at, bad, name in (
        (1, np.full(4, 9), "target"),
        (2, np.zeros((4, 3)), "loss"),
        (3, ([9], [2]), "edges"),
    ):
        with pytest.raises((ShapeError, ArgumentError), match=name):
            ts.fit_tiered_states(*right[:at], bad, *right[at + 1 :])
    with pytest.raises(ArgumentError, match="edges"):
        ts.fit_tiered_states(*right[:3], ([3, 3], [2]), *right[4:])
