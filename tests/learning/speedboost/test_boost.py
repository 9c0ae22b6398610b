"""StructuredSpeedBoost on chains: cheap features first, expensive ones when they pay, useless ones never."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.speedboost import boost, hierarchy, predictor, structure
from tests.learning.speedboost import toy

SETTINGS = boost.BoostSettings(
    n_turns=25, thetas=(0.0, 0.5), learners=((2, 0.001), (2, 0.02)), n_candidates=12, n_rows=300, n_trees=2,
    column_share=1.0, n_searched=10_000, least=0.0,
)  # fmt: skip


def learned(dear=2.0, **change):
    rng = np.random.default_rng(4)
    chains, target = toy.chains(60, rng)
    return chains, target, boost.boost(chains, target, toy.costs(dear), replace(SETTINGS, **change), rng)


def steps_of(chains):
    return lambda level, _: chains.levels[level].steps


def bought(turns):
    return [sorted({int(c) for c in turn.step.columns if c < 3}) for turn in turns]


def test_risk_falls_and_new_chains_are_labelled():
    _, _, turns = learned()
    risks = [np.log(3), *(turn.risk for turn in turns)]
    assert (np.diff(risks) <= 0).all()
    assert risks[-1] < 0.3
    new, target = toy.chains(40, np.random.default_rng(9))
    *_, last = predictor.course([turn.step for turn in turns], new, 3, steps_of(new))
    assert (last.state.scores.argmax(axis=1) == target.argmax(axis=1)).mean() > 0.92


def test_cheap_before_dear_and_useless_never():
    _, _, turns = learned(dear=40.0)
    order = [column for purchase in bought(turns) for column in purchase]
    assert order[0] == 0
    assert 2 not in order or order.index(2) > order.index(1)
    _, _, cheap = learned(dear=0.0)
    assert bought(cheap)[0] == [1]


def test_all_columns_of_a_group_are_looked_at_together():
    _, _, turns = learned(column_share=0.0)
    assert {column for purchase in bought(turns) for column in purchase} >= {0, 1}


def test_copies_of_an_example_share_a_fold():
    chains, target = toy.chains(8, np.random.default_rng(4))
    origin = np.arange(8) % 4
    fold = structure.folds(chains, 2, origin)
    np.testing.assert_array_equal(fold, (origin >= 2)[chains.example])
    settings, seed = replace(SETTINGS, n_turns=2, n_folds=2), np.random.default_rng
    with_copies, without = (
        boost.boost(chains, target, toy.costs(), settings, seed(5), origin=given) for given in (origin, None)
    )
    assert with_copies[0].risk != without[0].risk


def test_modelled_cost_is_paid_once():
    _, _, turns = learned()
    total = sum(turn.ms for turn in turns)
    columns = {column for purchase in bought(turns) for column in purchase}
    group_ms = {0: 0.5, 1: 2.0, 2: 0.5}
    expected = 0.2 * len(turns) + sum(group_ms[c] + 0.1 for c in columns)
    assert total == pytest.approx(expected)


def test_it_stops_when_nothing_helps():
    rng = np.random.default_rng(0)
    chains, target = toy.chains(30, rng)
    blank = chains._replace(levels=tuple(lv._replace(steps=np.zeros_like(lv.steps)) for lv in chains.levels))
    turns = boost.boost(blank, target, toy.costs(), SETTINGS, rng)
    assert len(turns) < SETTINGS.n_turns


def test_the_same_seed_learns_the_same():
    _, _, one = learned(n_turns=3)
    _, _, two = learned(n_turns=3)
    for a, b in zip(one, two):
        assert (a.step.alpha, a.risk) == (b.step.alpha, b.risk)
        for one_tree, two_tree in zip(a.step.trees, b.step.trees, strict=True):
            np.testing.assert_array_equal(one_tree.value, two_tree.value)


def test_a_course_is_what_its_definition_says():
    chains, _, turns = learned(n_turns=5)
    scores = np.zeros((len(chains.example), 3))
    for update in predictor.course([turn.step for turn in turns], chains, 3, steps_of(chains)):
        step, level = update.step, chains.levels[update.step.level]
        share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        entropy = -(share * np.log(share)).sum(axis=1)
        context = structure.context(chains, share.astype(np.float32), step.level)
        for r in range(chains.n_regions(step.level)):
            inside = level.member == r
            if entropy[inside].mean() > step.theta:
                row, said = np.concatenate([level.steps[r], context[r]]), np.zeros(3)
                for tree in step.trees:
                    at = 0
                    while tree.feature[at] >= 0:
                        at = 2 * at + (1 if row[tree.feature[at]] <= tree.threshold[at] else 2)
                    said += tree.value[at] / len(step.trees)
                scores[inside] += step.alpha * said
        np.testing.assert_allclose(update.state.scores, scores, atol=1e-4)
        share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(update.state.share, share, atol=1e-5)
        np.testing.assert_allclose(update.state.entropy, -(share * np.log(share)).sum(axis=1), atol=1e-5)


def test_targets_are_mean_negative_gradients_of_regions():
    rng = np.random.default_rng(6)
    share = rng.dirichlet(np.ones(4), 30).astype(np.float32)
    target = (rng.random((30, 4)) * (rng.random(30) < 0.8)[:, None]).astype(np.float32)
    member = np.concatenate([rng.integers(0, 6, 29), [6]]).astype(np.int32)
    target[29] = 0
    gradient, mass = predictor.region_gradient(share, target, member, 7)
    weight = target.sum(axis=1)
    for r in range(7):
        inside = member == r
        assert mass[r] == pytest.approx(weight[inside].sum(), rel=1e-5)
        wanted = (target - weight[:, None] * share)[inside].sum(axis=0) / max(weight[inside].sum(), 1e-9)
        np.testing.assert_allclose(gradient[r], wanted, atol=1e-5)


def test_newtons_step_of_every_leaf():
    rng = np.random.default_rng(7)
    scores, leaf = rng.normal(size=(40, 3)).astype(np.float32), rng.integers(0, 5, 40).astype(np.int32)
    target, rows = 9 * rng.random((40, 3)).astype(np.float32), np.arange(0, 40, 2)
    steps = hierarchy._newton(leaf, target, scores, rows, 6)
    share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    mass = target.sum(axis=1, keepdims=True)
    for c in range(6):
        in_leaf = rows[leaf[rows] == c]
        slope = (target - mass * share)[in_leaf].sum(axis=0)
        curve = (mass * share * (1 - share))[in_leaf].sum(axis=0) + 1e-4 * mass[rows].sum() + 1e-6
        np.testing.assert_allclose(steps[c], np.clip(slope / curve, -4, 4), rtol=1e-3, atol=1e-6)
    assert abs(steps).max() < 4
    sure = hierarchy._newton(leaf, target, np.float32([-30, 0, 0]) + 0 * scores, rows, 6)
    assert sure[:, 0].max() == 4


def test_step_length_is_the_minimum():
    rng = np.random.default_rng(2)
    scores, values = (rng.normal(size=(50, 4)).astype(np.float32) for _ in range(2))
    target = rng.random((50, 4)).astype(np.float32)
    member = rng.permutation(50).astype(np.int32)
    values = 0.3 * (target / target.sum(axis=1, keepdims=True))[np.argsort(member)] + 0.02 * values
    alpha, gain = predictor.step_length(scores, target, np.arange(50), member, values)

    def at(a):
        return predictor.risk(scores + np.float32(a) * values[member], target)

    best = optimize.minimize_scalar(at, bounds=(0, predictor.MOST_ALPHA), method="bounded")
    assert gain == pytest.approx(at(0) - best.fun, abs=1e-4)
    assert gain == pytest.approx(at(0) - at(alpha), abs=1e-5)
    assert predictor.step_length(scores, target, np.arange(50), member, -values) == (0.0, 0.0)


def test_inference_machine_goes_up_and_down():
    rng = np.random.default_rng(5)
    chains, target = toy.chains(60, rng)
    how = {
        "n_pool": 480,
        "n_forest_pool": 480,
        "column_share": 1.0,
        "context_share": 1.0,
        "forest_share": 1.0,
    }
    settings = hierarchy.HierarchySettings((2, 1, 0), 24, 3, n_rows=300, **how)
    stages = hierarchy.learn(chains, target, np.array([0, 2]), settings, rng)
    new, truth = toy.chains(40, np.random.default_rng(8))
    shares = list(hierarchy.course(stages, new, 3, steps_of(new)))
    assert len(shares) == 3
    np.testing.assert_allclose(shares[-1].sum(axis=1), 1, atol=1e-5)
    right = [(share.argmax(axis=1) == truth.argmax(axis=1)).mean() for share in shares]
    assert right[1] > 0.75
    assert right[2] >= right[0]
    asked = {int(c) for stage in stages for c in stage.columns()}
    assert 1 not in asked


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"target": np.zeros((3, 3))}, ShapeError, "target has shape"),
        ({"target": np.full((480, 3), np.nan)}, ArgumentError, "target must be finite"),
        ({"target": np.zeros((480, 3))}, ArgumentError, "target must be finite"),
        ({"folds": 1}, ArgumentError, "n_folds must be"),
        ({"folds": 61}, ArgumentError, "n_folds must be"),
        ({"size": np.zeros(480, np.float32)}, ArgumentError, "size must be positive"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(change, error, match):
    rng = np.random.default_rng(4)
    chains, target = toy.chains(60, rng)
    chains = chains._replace(size=change.get("size", chains.size))
    settings = replace(SETTINGS, n_folds=change.get("folds", 3))
    with pytest.raises(error, match=match):
        boost.boost(chains, change.get("target", target), toy.costs(), settings, rng)
