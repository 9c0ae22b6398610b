"""Placed sub-models in the joint update: the same hinge and direction as with tables of all pairs."""

import numpy as np
from numpy.testing import assert_allclose

from spcviz.engine.graphs import placed
from spcviz.learning.ensemble import coarse_to_fine, joint
from spcviz.learning.ensemble.coarse_to_fine import PlacedModel
from tests.oracles import placed as oracle


def model_and_truth(seed, sizes=(4, 3, 4)):
    rng = np.random.default_rng(seed)
    start = np.concatenate([[0], np.cumsum(sizes)])
    total, n = start[-1], len(sizes)
    joints = placed.Joints(
        rng.normal(size=(2, 2)), rng.normal(size=(2, 2)), rng.random((2, 2)), rng.normal(size=(2, 6))
    )
    edges, kinds, node_kinds = np.array([[0, 1], [2, 1]]), np.array([0, 1]), np.array([0, 1, 1])

    def draw(start):
        places = placed.Places(start, *rng.normal(size=(2, start[-1])), rng.integers(0, 6, start[-1]))
        return PlacedModel(places, node_kinds, rng.normal(size=(start[-1], 2)), edges, kinds, joints, 2)

    return draw(start), draw(np.arange(n + 1)), rng.random(draw(start).n_weights), total


def slow_hinge(model, truth, weights, alpha, margin):
    def enumerated(m):
        unary, joints = m.scores(weights)
        return oracle.enumerate_all(unary, m.places, m.edges, m.kinds, joints)

    best, table, _ = enumerated(model)
    return max(0.0, margin + alpha * best + (1 - alpha) * table.mean() - enumerated(truth)[0])


def test_the_direction_is_minus_the_gradient_of_the_enumerated_hinge():
    for seed in range(12):
        model, truth, weights, _ = model_and_truth(seed)
        alpha, margin = 0.3, 5.0
        example = joint.JointExample((model,), (truth,))
        outcome = joint.joint_hinge(example, [weights], alpha, margin)
        assert_allclose(outcome.hinge, slow_hinge(model, truth, weights, alpha, margin), rtol=1e-9)
        for at in range(len(weights)):
            slopes = []
            for h in (1e-6, 5e-7):
                ends = []
                for sign in (1, -1):
                    moved = weights.copy()
                    moved[at] += sign * h
                    ends.append(slow_hinge(model, truth, moved, alpha, margin))
                slopes.append((ends[0] - ends[1]) / (2 * h))
            if abs(slopes[0] - slopes[1]) < 1e-6:  # no kink nearby
                assert_allclose(-outcome.directions[0][at], slopes[0], rtol=1e-4, atol=1e-5)


def test_training_keeps_squared_gaps_from_being_rewarded_and_starts_where_told():
    model, truth, weights, _ = model_and_truth(5)
    examples = [joint.JointExample((model,), (truth,))]
    config = joint.Config(n_epochs=50, step=0.5)
    trained = joint.train(examples, config, np.random.default_rng(0), start=[weights])
    assert (trained.last[0][model.at_least_zero()] >= 0).all()
    still = joint.Config(n_epochs=1, step=1e-12)
    kept = joint.train(examples, still, np.random.default_rng(0), start=[weights])
    assert_allclose(kept.weights[0], weights, atol=1e-9)


def test_filtering_sums_sub_models_and_children_replace_what_is_kept():
    model, _, weights, total = model_and_truth(7)
    states = np.arange(total)
    level = coarse_to_fine.filter_level(
        (model, model), (weights, 2 * weights), model.places.start, states, 0.4
    )
    each = [model.max_marginals(w) for w in (weights, 2 * weights)]
    assert_allclose(level.summed, sum(f.max_marginals for f in each))
    wanted = sum(0.4 * f.best + 0.6 * f.max_marginals.mean() for f in each)
    assert_allclose(level.threshold, wanted)
    assert (level.keep == (level.summed > wanted)).all() or level.n_rescued
    start, children = coarse_to_fine.refine(level, lambda kept: np.repeat(kept, 2))
    assert start[-1] == len(children) == 2 * level.keep.sum()
    assert set(children) == set(states[level.keep])
    start, left = coarse_to_fine.survivors(level)
    assert left.tolist() == states[level.keep].tolist()
    assert np.diff(start).min() >= 1
