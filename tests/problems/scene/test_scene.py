"""Scenes: figures of tables, rendered streets, visitors' pictures, stored predictors."""

import io
import json

import numpy as np
import pytest
from PIL import Image

from experiments.scene import costs, measure
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets.selector import Selector
from spcviz.learning.speedboost import forests
from spcviz.learning.speedboost.hierarchy import Stage
from spcviz.learning.speedboost.predictor import WeakPredictor
from spcviz.learning.speedboost.trees import Tree
from spcviz.problems.scene import shown
from spcviz.problems.scene.data import camvid, render
from spcviz.problems.scene.model import features, segments, stored, train
from spcviz.problems.scene.model.descriptors import GROUPS, LENGTHS, N_CENTRES, Codebook
from spcviz.problems.scene.page import live
from spcviz.shared.uploading import uploads
from spcviz.store import StoreError


def tree_of(rng, columns, depth=2):
    n = 2 ** (depth + 1) - 1
    feature = np.full(n, -1, np.int32)
    feature[: n // 2] = rng.choice(columns, n // 2)
    threshold = np.where(feature >= 0, rng.integers(1, 60, n), 0).astype(np.uint8)
    value = np.where(feature[:, None] < 0, rng.normal(size=(n, 11)), 0).astype(np.float32)
    return Tree(feature, threshold, value)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    books = {
        group: Codebook(
            rng.random((N_CENTRES, LENGTHS[group])).astype(np.float32), np.ones(LENGTHS[group], np.float32)
        )
        for group in GROUPS
    }
    scales = features.Scales(
        np.zeros(features.N_COLUMNS, np.float32), np.ones(features.N_COLUMNS, np.float32)
    )
    some = np.array([1, 2, 30, 40, 200, 640, 660])
    steps = [
        WeakPredictor(level, 0.2 * t, 1.5, tuple(tree_of(rng, some) for _ in range(t + 1)))
        for t, level in enumerate((3, 0, 5))
    ]
    stages = [Stage(level, (tree_of(rng, some), tree_of(rng, some))) for level in (4, 1)]
    seen = rng.integers(0, 64, (50, len(some))).astype(np.uint8)
    forest = forests.fit(seen, some, rng.dirichlet(np.ones(11), 50), 2, max_leaf_nodes=5, random_state=0)
    stages[1] = stages[1]._replace(forest=forest)
    vocabulary = features.PictureVocabulary(books, scales)
    limited = {name: stages[:n] for name, n in (("him-txt", 1), ("him-txt-isift", 2))}
    chooser = Selector(rng.normal(size=(2, 29)), np.zeros((2, 28)), np.ones((2, 28)), 1.0)
    return stored.SceneModel(
        vocabulary, steps, np.array([3.0, 1.0, 2.0], np.float32), stages, limited, chooser
    )


def test_names_of_classes_and_groups_agree():
    assert len(shown.CLASSES) == len(shown.COLOURS) == camvid.N_CLASSES
    assert shown.GROUPS == features.GROUPS


def test_a_course_of_a_street(model):
    scene = live.render_scene(4)
    labelled = live.label(model, scene, "", 1)
    n = int(labelled.atoms.max()) + 1
    assert labelled.sim.labels.shape == (3, n)
    assert labelled.sim.entropy.max() <= np.log(11) + 1e-4
    assert (np.diff(labelled.sim.seconds) > 0).all()
    assert labelled.choices.bought.shape == (3, 5)
    assert (np.diff(labelled.choices.bought, axis=0) >= 0).all()
    for s in range(3):
        labels = labelled.sim.labels[s][labelled.atoms]
        known = scene.truth < camvid.N_CLASSES
        assert labelled.sim.accuracy[s] == pytest.approx(100 * (labels == scene.truth)[known].mean())
        if s:  # regions that were not updated keep their label
            still = ~labelled.choices.is_updated[s]
            np.testing.assert_array_equal(labelled.sim.labels[s][still], labelled.sim.labels[s - 1][still])
    assert labelled.him.accuracy.shape == (1,)


def test_stored_predictors_come_back(model, tmp_path):
    about = {"settings": {}, "metrics": {}, "data_digest": ""}
    stored.save(tmp_path, model, **about)
    back = stored.load(tmp_path)
    for a, b in zip(model.steps, back.steps):
        assert (a.level, a.theta, a.alpha) == (b.level, b.theta, b.alpha)
        for one, two in zip(a.trees, b.trees, strict=True):
            np.testing.assert_array_equal(one.feature, two.feature)
            np.testing.assert_array_equal(one.value, two.value)
    assert [stage.level for stage in back.stages] == [4, 1]
    np.testing.assert_allclose(back.stages[1].trees[1].value, model.stages[1].trees[1].value, atol=2e-3)
    assert back.stages[0].forest is None
    for one, two in zip(back.stages[1].forest, model.stages[1].forest, strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_allclose(one, two, atol=1 / 509)
    assert [len(stages) for stages in back.machines.values()] == [1, 2, 2]
    np.testing.assert_array_equal(back.selector.beta, model.selector.beta)
    np.testing.assert_array_equal(back.vocabulary.books["LBP"].centres, model.vocabulary.books["LBP"].centres)
    with pytest.raises(StoreError, match="train scene"):
        stored.load(tmp_path / "nowhere")


def test_pieces_are_measured_and_their_prices_read(model, tmp_path, monkeypatch):
    rows = costs.measure([render.street(2)[0]], model.vocabulary, 2)  # kernels compile in the first
    pieces = {row["piece"]: row for row in rows}
    assert {"FH", "level", "SHAPE", "select", "predict"} <= pieces.keys()
    assert all(row["ms"] > 0 for row in rows if row["piece"] != "level")
    assert pieces["LBP (D)"]["centre_ms"] < pieces["LBP (D)"]["ms"]
    monkeypatch.setattr(features, "RESULTS", tmp_path)
    with pytest.raises(ArgumentError, match="reproduce scene-costs"):
        train.prices()
    (tmp_path / "scene-costs.json").write_text(json.dumps({"rows": rows}))
    sim_costs = train.prices()
    assert sim_costs.n_features == features.N_COLUMNS
    assert sim_costs.prices.group_ms[2] == pieces["LBP (B)"]["ms"]
    one_ms = sim_costs.prices.column_ms[features.first_column("LBP")]
    assert one_ms == pieces["LBP (D)"]["ms"] / N_CENTRES
    assert one_ms + sim_costs.prices.call_ms[2] == pytest.approx(pieces["LBP (D)"]["centre_ms"])
    assert sim_costs.prices.column_ms[0] == 0
    assert sim_costs.select_ms == pieces["select"]["ms"]


def test_scores_of_a_table_and_their_intervals():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 9, (40, 11))
    counts[:, 6] = 0
    labels = rng.integers(11, size=40)
    table = measure.confusion(labels, counts)
    right = sum(counts[a, labels[a]] for a in range(40))
    scores = measure.scores(table)
    assert scores["pixel_accuracy"] == pytest.approx(100 * right / counts.sum())
    assert scores["classes"][6] is None
    recall = [
        sum(counts[a, k] for a in range(40) if labels[a] == k) / counts[:, k].sum()
        for k in range(11)
        if k != 6
    ]
    assert scores["class_accuracy"] == pytest.approx(100 * np.mean(recall))
    tables = rng.integers(1, 9, (36, 11, 11))
    drawn = measure.draws(36, rng)[:50]
    for draw in drawn:
        assert len(draw) == 36
        assert (draw.reshape(-1, measure.BLOCK) % measure.BLOCK == np.arange(measure.BLOCK)).all()
    low, high = measure.interval(tables, drawn)["pixel"]
    assert low <= measure.scores(tables.sum(axis=0))["pixel_accuracy"] <= high
    assert measure.interval(tables, drawn, tables) == {"pixel": [0, 0], "class": [0, 0]}


def test_class_weights_mean_one_over_pixels():
    counts = np.array([[90.0, 9, 1, 0]])
    weight = train.class_weights(counts, 0.5)
    assert (weight * counts[0]).sum() == pytest.approx(100)
    assert weight[1] / weight[0] == pytest.approx(np.sqrt(10))
    assert weight[3] == 0
    np.testing.assert_allclose(train.class_weights(counts, 0.0)[:3], 1)


def test_streets_are_settled_by_their_seed():
    one, two, other = render.street(7), render.street(7), render.street(8)
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
    assert (one[1] != other[1]).any()
    seen = set(np.unique(np.concatenate([render.street(s)[1] for s in range(6)])).tolist())
    assert seen == set(range(camvid.N_CLASSES))
    for bad in (-1, 1.5, True, None):
        with pytest.raises(ArgumentError, match="seed must"):
            render.street(bad)


@pytest.mark.parametrize("size", [(16, 16), (320, 16), (17, 320), (320, 240), (1, 40), (40, 3)])
def test_pictures_are_fitted_or_refused(size):
    wide, tall = size
    picture = np.zeros((tall, wide, 3), np.uint8)
    if min(size) < segments.LEAST_SIDE:
        with pytest.raises(ArgumentError, match="a scene needs at least 16"):
            live.fit_picture(picture)
        return
    fitted = segments.check_picture(live.fit_picture(picture))
    assert 0.9 < fitted.shape[0] * fitted.shape[1] / segments.N_PIXELS < 1.15


def as_bytes(image, kind, **how):
    out = io.BytesIO()
    image.save(out, kind, **how)
    return out.getvalue()


def test_odd_files_are_labelled_or_refused_in_a_sentence(model):
    street = Image.fromarray(render.street(1)[0])
    clear = street.convert("RGBA")
    clear.putalpha(40)
    good = {
        "four inks": as_bytes(street.convert("CMYK"), "JPEG"),
        "clear": as_bytes(clear, "PNG"),
        "moving": as_bytes(street, "GIF", save_all=True, append_images=[street.rotate(90)]),
        "one colour": as_bytes(Image.new("L", (64, 48), 200), "PNG"),
    }
    for data_ in good.values():
        scene = live.own(uploads.read_upload(data_))
        assert live.label(model, scene, "", 1).sim.accuracy is None
    bad = {
        "one pixel": as_bytes(Image.new("RGB", (1, 1)), "PNG"),
        "too many": as_bytes(Image.new("1", (4001, 4000)), "PNG"),
        "damaged": good["clear"][:500],
        "nothing": b"",
    }
    for data_ in bad.values():
        with pytest.raises((ArgumentError, uploads.UploadError), match=r"^[A-Z].*\.$"):
            live.own(uploads.read_upload(data_))
