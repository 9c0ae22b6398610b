"""One budget for many streets: what the selector sees, learns and buys."""

import numpy as np
import pytest

from experiments.scene import trade_tables
from spcviz.learning.budgets import selector
from spcviz.learning.speedboost.hierarchy import Stage
from spcviz.learning.speedboost.structure import RegionLevel, Structure
from spcviz.learning.speedboost.trees import Tree
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import features, run
from spcviz.problems.scene.model.extract import Scenes
from spcviz.problems.scene.page import trade
from spcviz.problems.scene.shown import TIERS, TRADED
from tests.problems.scene.test_scene import model  # noqa: F401  (a fixture)


def test_meta_features_are_means_over_pixels():
    rng = np.random.default_rng(0)
    shares = [rng.dirichlet(np.ones(11) * 0.3, 30).astype(np.float32) for _ in range(3)]
    size, example = rng.random(30) + 0.5, np.repeat([0, 1, 2], 10)
    meta = trade.meta_of(shares, size, example)
    assert meta.shape == (3, 2, 28)
    for n in range(3):
        mask = example == n
        for t in range(2):
            share = shares[t][mask]
            entropy = -(share * np.log(np.maximum(share, 1e-30))).sum(axis=1)
            ranked = np.sort(share, axis=1)
            wanted = [ranked[:, -1] - ranked[:, -2], entropy, entropy > 0.5, entropy > 1.0, *share.T[:10]]
            wanted = [np.average(row, weights=size[mask]) for row in wanted]
            np.testing.assert_allclose(meta[n, t, :14], wanted, atol=1e-5)
    np.testing.assert_allclose(meta[:, 1, 14:], meta[:, 1, :14] - meta[:, 0, :14])
    assert not meta[:, 0, 14:].any()


def stump(column, value):
    """A stump: class 0 for low values of a column, class 1 for others, both with some certainty."""
    feature = np.array([column, -1, -1], dtype=np.int32)
    values = np.zeros((3, 11), dtype=np.float32)
    values[1, 0] = values[2, 1] = value
    return Stage(0, (Tree(feature, np.array([30, 0, 0], np.uint8), values),))


def test_the_selector_learns_which_pictures_the_next_machine_mends():
    """Machine 1 is sure where it is right; where it is unsure machine 2 mends everything."""
    rng, n, each = np.random.default_rng(1), 60, 8
    hard = rng.random(n) < 0.5
    truth = rng.integers(0, 2, (n, each))
    steps = np.zeros((n * each, features.N_COLUMNS), dtype=np.uint8)
    steps[:, 0] = np.where(hard[:, None], 1 - truth, truth).ravel() * 60
    steps[:, 1] = truth.ravel() * 60
    steps[:, 2] = np.repeat(hard, each) * 60
    member = np.arange(n * each, dtype=np.int32)
    pairs = np.zeros(0, dtype=np.int32)
    level = RegionLevel(member, steps, pairs, pairs, np.zeros((0, 3), np.float32))
    structure = Structure(np.repeat(np.arange(n), each).astype(np.int32), np.ones(n * each, np.float32),
                          (level,) * 7, 11)  # fmt: skip
    counts = np.eye(11, dtype=np.float32)[truth.ravel()] * 5
    unsure = Tree(
        np.array([2, -1, -1], np.int32), np.array([30, 0, 0], np.uint8), np.zeros((3, 11), np.float32)
    )
    unsure.value[2, 5] = 1.0  # spreads the answers on hard pictures
    first = Stage(0, (*stump(0, 2.0).trees, unsure))
    looked = trade.look(Scenes(structure, counts), [[first], [stump(1, 2.0)], [stump(1, 2.0)]])
    np.testing.assert_allclose(looked.losses, 100 * np.stack([hard, 0 * hard, 0 * hard], axis=1))
    fitted = trade.learn(looked, rng)
    assert fitted.beta.shape == (2, 29)
    values = selector.predict_values(fitted, looked.meta)
    np.testing.assert_allclose(values[:, 0], 100 * hard, atol=12)
    np.testing.assert_allclose(values[:, 1], 0, atol=1e-6)


@pytest.mark.usefixtures("model")
def test_a_batch_of_streets_under_every_method(model, monkeypatch):  # noqa: F811
    monkeypatch.setattr(trade, "feature_ms", lambda: [3.0, 5.0, 20.0])
    scenes = trade.draw("rendered", 3, 4)
    assert [scene.name for scene in scenes] == [scene.name for scene in trade.draw("rendered", 3, 4)]
    batch = trade.compare(model, scenes, 4)
    assert [method.name for method in batch.methods] == list(TRADED)
    lengths = [(scene.truth[5::10, 5::10] < camvid.N_CLASSES).sum() for scene in scenes]
    assert [len(text) for text in batch.truths] == lengths
    assert batch.tier_short == tuple(tier.short for tier in TIERS)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = batch.drawn.places
    for w, scene in enumerate(scenes):
        points = places[starts[w] : starts[w + 1]]
        known = scene.truth[points[:, 1], points[:, 0]]
        assert batch.truths[w] == "".join(trade.ALPHABET[k] for k in known)
        seen = features.LazyPicture(scene.picture, model.vocabulary)
        for t, tier in enumerate(TIERS):
            share = run.last_share(model.machines[tier.key], seen)
            guess = share.argmax(axis=1)[seen.hierarchy.atoms[points[:, 1], points[:, 0]]]
            assert batch.hand_readings[t][w] == "".join(trade.ALPHABET[k] for k in guess)
    assert batch.full_units == 2 * sum(lengths)
    for method in batch.methods:
        assert sorted(zip(method.chain, method.tier)) == [(w, t) for w in range(3) for t in (1, 2)]
        assert (method.position == -1).all()
    sure = next(method for method in batch.methods if method.name == "least_sure")
    assert sure.tier.tolist() == [1, 2] * 3
    leads = []
    for scene in scenes:
        seen = features.LazyPicture(scene.picture, model.vocabulary)
        ranked = np.sort(run.last_share(model.machines["him-txt"], seen), axis=1)
        leads.append((ranked[:, -1] - ranked[:, -2]) @ seen.size / seen.size.sum())
    assert sure.chain[::2].tolist() == np.argsort(leads).tolist()


def test_what_tiers_take_is_what_their_new_groups_take(monkeypatch):
    names = ["SHAPE"] + [f"{g} ({k})" for g in features.GROUPS[1:] for k in "BD"]
    known = {name: {"ms": 2.0**i} for i, name in enumerate(names)}
    monkeypatch.setattr(trade.features, "load_costs", lambda: known)
    assert trade.feature_ms() == [1 + 2 + 4, 32 + 64, 8 + 16 + 128 + 256]


def test_curves_at_budgets_and_gaps_between_methods():
    rng = np.random.default_rng(2)
    cost, error = np.array([0.0, 4, 10]), np.array([9.0, 5, 1])
    assert trade_tables._at(cost, error, np.array([0, 3.9, 4, 9, 10, 99])).tolist() == [9, 9, 5, 5, 1, 1]
    losses = np.stack([np.full(36, 30.0), np.where(np.arange(36) % 2, 30.0, 0), np.zeros(36)], axis=1)
    meta = np.zeros((36, 2, 28))
    meta[:, :, 0] = losses[:, [1]]  # the smallest margin where the first purchase helps
    test = trade.Looked(meta, losses, None)
    values = losses[:, :-1] - losses[:, 1:]
    rows = trade_tables._compare_spending(values, test, np.array([1.0, 1.0]), rng)
    assert [(row["method"], row["share"]) for row in rows[:2]] == [("uniform", 0.25), ("uniform", 0.5)]
    by = {(row["method"], row["share"]): row for row in rows}
    assert by["uniform", 0.25]["points"] == pytest.approx(-7.5, abs=2)  # all 18 purchases mend, not 9
    assert by["uniform", 0.25]["interval"][1] < -4
    assert by["myopic", 0.25]["points"] == pytest.approx(
        -7.5
    )  # it pays for a second level that mends nothing
