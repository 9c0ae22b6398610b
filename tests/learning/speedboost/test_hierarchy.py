"""The inference machine: what it sees, how answers are combined, and in which fold copies fall."""

from dataclasses import replace

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.learning.speedboost import forests, hierarchy, structure, trees
from tests.learning.speedboost import toy

SMALL = hierarchy.HierarchySettings(
    (2, 1, 0), 4, 2, n_folds=2, n_pool=200, n_rows=100, n_forest=3, n_forest_fold=2, n_forest_pool=200
)


def test_surroundings_are_means_by_definition():
    rng = np.random.default_rng(0)
    chains, _ = toy.chains(5, rng)
    chains = chains._replace(size=rng.random(len(chains.example)).astype(np.float32) + 0.5)
    share, before = (structure.chances(rng.normal(size=(40, 3)).astype(np.float32)) for _ in range(2))
    said = hierarchy._next_said(hierarchy._next_said(hierarchy._nothing_said(chains), before), share)
    answer = np.sqrt(share * before)
    answer /= answer.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(hierarchy._answer(said, 2), answer, atol=1e-5)
    for number, level in enumerate(chains.levels):
        shares = hierarchy._shares_around(chains, said, 2, number)

        def mean(mask, values=share):
            return np.average(values[mask], axis=0, weights=chains.size[mask])

        def neighbours(r, c, level=level):
            is_near = (level.first == r) & (level.length[:, c] > 0)
            return level.second[is_near], level.length[is_near, c]

        def hop(r, c, values):
            near, weight = neighbours(r, c)
            return np.average(values[near], axis=0, weights=weight) if len(near) else np.zeros(3)

        regions = range(chains.n_regions(number))
        means = np.array([mean(level.member == r) for r in regions])
        for c in range(2):
            once = np.array([hop(r, c, means) for r in regions])
            twice = np.array([hop(r, c, once) for r in regions])
            np.testing.assert_allclose(shares[:, 3 + 3 * c : 6 + 3 * c], once, atol=1e-5)
            np.testing.assert_allclose(shares[:, 9 + 3 * c : 12 + 3 * c], twice, atol=1e-5)
        for r in regions:
            inside = level.member == r
            at = np.flatnonzero(inside)[0]
            wanted = [means[r]]
            for up in (1, 2):
                over = chains.levels[min(number + up, 2)].member
                wanted.append(mean(over == over[at]))
            wanted += [mean(chains.example == chains.example[at]), mean(inside, answer)]
            np.testing.assert_allclose(
                shares[r, [*range(3), *range(15, 27)]], np.concatenate(wanted), atol=1e-5
            )
        steps = hierarchy._surroundings(chains, said, 2, number)
        np.testing.assert_array_equal(steps, np.minimum(np.sqrt(shares) * 63.999, 63).astype(np.uint8))


def test_neighbours_weigh_by_shared_border():
    first, second = np.int32([0, 0, 2]), np.int32([1, 2, 0])
    length = np.float32([[3, 0], [1, 2], [1, 2]])
    values = np.float32([[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]])
    means = hierarchy._around(values, first, second, length)
    np.testing.assert_allclose(means[0], [[6, 7], [11, 12]])
    np.testing.assert_allclose(means[1], 0)
    np.testing.assert_allclose(means[2], [[1, 2], [3, 4]])


def test_the_answer_is_what_all_predictors_say_together():
    chains, target = toy.chains(30, np.random.default_rng(1))
    stages = hierarchy.learn(chains, target, np.arange(3), SMALL, np.random.default_rng(2))

    def steps_of(level, columns):
        assert columns.max(initial=0) < 3
        return chains.levels[level].steps

    answers = list(hierarchy.course(stages, chains, 3, steps_of))
    said, logs = hierarchy._nothing_said(chains), 0.0
    for number, stage in enumerate(stages):
        level = chains.levels[stage.level]
        seen = hierarchy._surroundings(chains, said, number, stage.level)
        scores = sum(
            tree.value[trees.leaves(tree.feature, tree.threshold, level.steps, seen, np.arange(len(seen)))]
            for tree in stage.trees
        )
        boosted = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        means = forests.means(*stage.forest, level.steps, seen, np.arange(len(seen)))
        share = np.sqrt(boosted * (means + hierarchy._UNSEEN))
        share /= share.sum(axis=1, keepdims=True)
        alone = hierarchy._chances(
            stage._replace(forest=None), level.steps, seen, np.arange(len(seen)), chains.n_classes
        )
        np.testing.assert_allclose(alone, boosted, atol=1e-5)
        said = hierarchy._next_said(said, share[level.member])
        logs = logs + np.log(share[level.member])
        together = np.exp(logs / (number + 1))
        np.testing.assert_allclose(answers[number], together / together.sum(axis=1, keepdims=True), atol=1e-4)


def test_a_pool_is_drawn_by_weight_from_its_own():
    mass = np.float32([0, 1, 3, 4])
    target = mass[:, None] * np.float32([[1, 0]])
    rows = hierarchy._Rows(
        np.arange(4, dtype=np.uint8)[:, None], np.zeros((4, 1), np.uint8), target, mass, None
    )
    steps, _, target = hierarchy._pool(
        rows, np.array([True, True, True, False]), 4000, np.random.default_rng(3)
    )
    assert set(steps.ravel().tolist()) == {1, 2}
    assert (steps == 2).mean() == pytest.approx(0.75, abs=0.03)
    np.testing.assert_allclose(target, [[1, 0]] * 4000)


def test_learning_repeats_and_keeps_copies_in_one_fold(monkeypatch):
    chains, target = toy.chains(8, np.random.default_rng(4))
    out = []
    for _ in range(2):
        stages = hierarchy.learn(chains, target, np.arange(3), SMALL, np.random.default_rng(5))
        out.append(
            b"".join(array.tobytes() for s in stages for tree in (*s.trees, s.forest) for array in tree)
        )
    assert out[0] == out[1]
    folds, rows = [], hierarchy._rows

    def spy(structure_, target, level, fold, context):
        folds.append(fold)
        return rows(structure_, target, level, fold, context)

    monkeypatch.setattr(hierarchy, "_rows", spy)
    origin = np.arange(8) % 4
    hierarchy.learn(chains, target, np.arange(3), SMALL, np.random.default_rng(5), origin=origin)
    np.testing.assert_array_equal(folds[0], (origin >= 2)[chains.example])
    for wrong in (np.arange(7), -np.ones(8, dtype=int)):
        with pytest.raises(ArgumentError, match="origin must name an example for each of 8"):
            hierarchy.learn(chains, target, np.arange(3), SMALL, np.random.default_rng(5), origin=wrong)


def test_predictors_learn_from_the_answer_as_it_will_be(monkeypatch):
    chains, target = toy.chains(8, np.random.default_rng(6))
    heard, surroundings = [], hierarchy._surroundings

    def spy(structure_, said, n, level):
        heard.append((said, n, level))
        return surroundings(structure_, said, n, level)

    monkeypatch.setattr(hierarchy, "_surroundings", spy)
    how = replace(SMALL, levels=(2, 1, 0, 1))
    hierarchy.learn(chains, target, np.arange(3), how, np.random.default_rng(7))
    assert [(n, level) for _, n, level in heard] == [(0, 2), (1, 1), (2, 0), (3, 1)]
    logs = [np.log(np.maximum(said.share, 1e-6)) for said, _, _ in heard[1:]]
    for (said, _, _), wanted in zip(heard[1:], np.cumsum(logs, axis=0)):
        np.testing.assert_allclose(said.logs, wanted, atol=1e-5)
