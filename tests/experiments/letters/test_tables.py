"""Table 4.3 and the sweep curves on 120 real words: resuming, averaging, and thresholds by brute force."""

import shutil
from dataclasses import asdict, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.letters import reproduce as tables
from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model.stored import arrays_of_model, save_ocr
from spcviz.registry.problem import Run
from spcviz.shared.work import disk_cache
from spcviz.store import digest_of_arrays
from tests.problems.conftest import SETTINGS, few_words, small_world


def refuse(*_, **__):
    raise AssertionError("trained again")


def digest(run):
    return [digest_of_arrays(arrays_of_model(trained["model"])) for trained in run["runs"].values()]


def figures(run):
    return [{k: v for k, v in trained.items() if k != "model"} for trained in run["runs"].values()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A fold of two orders, and the folder that stores it: copy the folder, never write to it."""
    folder = tmp_path_factory.mktemp("finished")
    with small_world():
        return tables.run_fold("raw", 0, 2, False, folder), folder


@pytest.fixture
def run(words, finished, tmp_path):
    """A function that runs a fold of two orders and stores it in `tmp_path`, next to a copy of the first."""
    shutil.copytree(finished[1], tmp_path, dirs_exist_ok=True)
    return lambda fold=0, n_orders=2, quick=False: tables.run_fold("raw", fold, n_orders, quick, tmp_path)


def test_a_finished_fold_is_not_trained_again(finished, run, monkeypatch):
    first = finished[0]
    monkeypatch.setattr(experiment, "train", refuse)
    again = run()
    assert digest(again) == digest(first)
    assert figures(again) == figures(first)
    assert again["dictionary"] == first["dictionary"]
    assert list(first["runs"]) == list(experiment.TABLE_RUNS)
    for trained in [*first["runs"].values(), *again["runs"].values()]:
        assert trained["rows"] == experiment.evaluate(trained["model"], 0)
        assert trained["model"].cascade.first_order == 2
        weights = trained["model"].cascade.levels[0].filter.weights
        assert_array_equal(weights, weights.astype(np.float32))  # measured as it is stored
        assert len(trained["reports"]) == 2
    assert first["dictionary"]["size"] > 10


def test_the_cascades_of_a_fold_share_their_first_level(run):
    """The filters are the same to the last bit; thresholds follow the tolerance."""
    levels = [trained["model"].cascade.levels[0] for trained in run()["runs"].values()]
    assert len({level.filter.weights.tobytes() for level in levels}) == 1
    for alphas in ([level.alpha for level in group] for group in (levels[1:4], levels[4:])):
        assert alphas == sorted(alphas, reverse=True)  # 1, 0.5, 0.25 %, of words and of positions


def test_an_interrupted_fold_goes_on_within(run, tmp_path, monkeypatch):
    whole, done = run(), []
    real = experiment.train
    (figures_of_one,) = tmp_path.glob("ocr-raw-0-position-0.5-*.json")
    figures_of_one.unlink()
    monkeypatch.setattr(experiment, "train", lambda *a, **o: done.append(a[0]) or real(*a, **o))
    assert figures(run()) == figures(whole)
    assert [settings.config.tolerances for settings in done] == [(0.005, 0.005)]


@pytest.mark.parametrize("change", ["fold", "order", "quick", "setting", "random state", "data", "code"])
def test_whatever_is_changed_is_trained_anew(run, monkeypatch, change):
    run()
    monkeypatch.setattr(experiment, "train", refuse)
    other = few_words()._replace(pixels=few_words().pixels[::-1])
    if change == "setting":
        raw = SETTINGS["raw"]
        config = replace(raw.config, filter_rate=41.0)
        monkeypatch.setitem(SETTINGS, "raw", replace(raw, config=config))
    elif change == "random state":
        monkeypatch.setattr(tables, "RANDOM_STATE", 8)
    elif change == "code":
        monkeypatch.setattr(disk_cache, "digest_of_modules", lambda modules: "other")
    arguments = {"fold": {"fold": 1}, "order": {"n_orders": 1}, "quick": {"quick": True}}.get(change, {})
    with (
        pytest.raises(AssertionError, match="trained again"),
        small_world(other if change == "data" else None),
    ):
        run(**arguments)


def test_a_damaged_fold_is_trained_anew(run, tmp_path, monkeypatch):
    first = run()
    for pattern in ("*position-0.5-*/*.npz", "ocr-raw-0-word-0.5*.json", "*word-1-*/ocr-raw.json"):
        (path,) = tmp_path.glob(pattern)
        path.write_bytes(path.read_bytes()[:-20])
        assert digest(run()) == digest(first)
    monkeypatch.setattr(experiment, "train", refuse)
    assert digest(run()) == digest(first)


def test_a_fold_without_its_figures_does_not_count_as_finished(run, tmp_path, monkeypatch):
    """Interrupted between the two: the figures are written last."""
    run()
    next(tmp_path.glob("*-word-*.json")).unlink()
    monkeypatch.setattr(experiment, "train", refuse)
    with pytest.raises(AssertionError, match="trained again"):
        run()


def test_orders_table(words, trained, tmp_path, executor, monkeypatch):
    """The stored cascade was not trained on fold 0 either."""
    monkeypatch.setattr(tables, "N_ORDERS", 2)
    save_ocr(tmp_path, trained.model, random_state=7, metrics={})
    ticks = []
    asked = {"features": ("raw", "hog"), "folds": 2, "quick": True, "work": tmp_path, "models": tmp_path}
    result = tables.orders(Run("ocr-orders", **asked, executor=executor, tick=ticks.append))
    assert sorted(ticks) == ["hog 0", "hog 1", "raw 0", "raw 1"]
    assert result["name"] == "ocr-orders"
    assert "Table 4.3" in result["source"]
    kinds = (
        ("raw", "word", "own"),
        ("raw", "position", "own"),
        ("raw", "word", "shared"),
        ("hog", "word", "own"),
    )
    names = "features", "tolerance_kind", "cascade", "order"
    assert [tuple(row[name] for name in names) for row in result["rows"]] == [
        (*which, n) for which in kinds for n in (1, 2)
    ]
    runs = [tables.run_fold("raw", fold, 2, True, tmp_path) for fold in (0, 1)]
    for row in result["rows"][:6]:
        name = {"own": f"{row['tolerance_kind']} 1", "shared": "word"}[row["cascade"]]
        assert row["run"] == name
        folds = [r["runs"][name]["rows"] for r in runs]
        single = [rows[row["order"] - 1] for rows in folds]
        losses = tables.losses_before(folds, row["tolerance_kind"], row["order"])
        assert losses == {key: row[key] for key in ("loss_level", "loss_so_far")}
        for key in ("char_accuracy", "word_accuracy", "filter_loss", "filter_loss_position", "n_grams_in"):
            assert_allclose(row[key], (single[0][key] + single[1][key]) / 2)
        half = abs(single[0]["word_accuracy"] - single[1]["word_accuracy"]) / 2
        assert_allclose(row["word_stderr"], half)  # two values: their deviation / sqrt(2) is half the gap
        assert row["us_per_word"] > 0
        assert row["us_dense_per_word"] > 0
        assert row["paper"] == (experiment.PAPER_ORDERS[row["order"]] if row["cascade"] == "own" else None)
    assert all(row["paper"] is None for row in result["rows"][6:])
    assert [row["tolerance"] for row in result["rows"]] == [1.0] * 6 + [20.0, 10.0]
    assert len(result["trade"]) == 2 * (7 + 1)
    assert [fold["fold"] for fold in result["fold_rows"]] == ["raw 0", "raw 1", "hog 0", "hog 1"]
    assert result["fold_rows"][1]["rows"][:2] == [
        row | {"tolerance_kind": "word", "run": "word"} for row in runs[1]["runs"]["word"]["rows"]
    ]
    assert [(b["method"], b["features"]) for b in result["baselines"]] == [
        ("dictionary", "raw"), ("dictionary", "hog"),
    ]  # fmt: skip
    mean = np.mean([r["dictionary"]["word_accuracy"] for r in runs])
    assert_allclose(result["baselines"][0]["word_accuracy"], mean)
    assert result["data_digests"] == {"ocr": digest_of_arrays(words._asdict())}
    settings = result["settings"]
    assert all(row["folds"] == 2 for row in result["rows"])
    assert settings["features"]["raw"] == asdict(experiment.table_settings("raw", 2, True)["word"])
    assert set(settings["held_out"]) == {
        f"{name} fold {fold}, {one}"
        for name in ("raw", "hog") for fold in (0, 1) for one in experiment.table_settings(name)
    }  # fmt: skip
    assert len(settings["departures"]) > 3
    assert [row["first_filter"] for row in result["first_filters"]] == 3 * ["letters"] + 2 * ["pairs"]


def test_losses_are_told_by_the_last_level_and_by_all():
    def fold(before, after, then):
        names = ("filter_loss", "filter_loss_after"), ("filter_loss_position", "filter_loss_position_after")
        first = {name: value for pair in names for name, value in zip(pair, (before, after))}
        return [{}, first, {"filter_loss": then, "filter_loss_position": then}]

    folds = [fold(0.0, 2.0, 3.0), fold(50.0, 60.0, 60.0)]
    for kind in ("word", "position"):
        assert tables.losses_before(folds, kind, 3) == {"loss_level": 11.0, "loss_so_far": 31.5}
        assert tables.losses_before(folds, kind, 1) == {"loss_level": None, "loss_so_far": None}


def test_the_stored_cascade_stands_beside_pairs_first(words, trained, run, tmp_path):
    """Both read the fold that the stored one was not trained on, and no other."""
    save_ocr(tmp_path, trained.model, random_state=7, metrics={})
    done = [run(), run(fold=1)]
    rows = tables.first_filters(tmp_path, done)
    by_letters, by_pairs = rows[:3], rows[3:]
    assert [row["order"] for row in by_letters] == [1, 2, 3]
    assert {row["first_filter"] for row in by_letters} == {"letters"}
    assert by_letters[2]["n_grams_in"] == experiment.evaluate(trained.model, 0)[2]["n_grams_in"]
    assert by_pairs == [row | {"first_filter": "pairs"} for row in done[0]["runs"]["word"]["rows"]]
    assert tables.first_filters(tmp_path, done[1:]) == []


def result_of(name, value, *, data="d"):
    return {
        "name": "ocr-orders",
        "rows": [{"features": name, "order": n, "value": value} for n in (1, 2)],
        "baselines": [{"features": name, "value": value}],
        "settings": {"features": {name: value}, "held_out": {f"{name} fold 0": value}, "seed": value},
        "data_digests": {"ocr": data},
        "trade": [{"features": name, "value": value}],
        "first_filters": [{"features": name, "value": value}],
        "fold_rows": [{"fold": f"{name} {fold}", "rows": [value]} for fold in (0, 1)],
    }


def test_other_features_rows_are_kept_and_ones_own_replaced():
    both = tables.merge_results(result_of("hog", 1), result_of("raw", 2))
    assert [(r["features"], r["order"]) for r in both["rows"]] == [
        ("raw", 1), ("raw", 2), ("hog", 1), ("hog", 2),
    ]  # fmt: skip
    assert both["settings"]["features"] == {"hog": 1, "raw": 2}
    assert both["settings"]["held_out"] == {"hog fold 0": 1, "raw fold 0": 2}
    assert [row["value"] for row in both["trade"]] == [2, 1]
    assert [fold["fold"] for fold in both["fold_rows"]] == ["raw 0", "raw 1", "hog 0", "hog 1"]
    again = tables.merge_results(both | {"command": "more than a run itself writes"}, result_of("hog", 3))
    assert [r["value"] for r in again["rows"]] == [2, 2, 3, 3]
    assert [b["value"] for b in again["baselines"]] == [2, 3]
    assert again["settings"]["seed"] == 3
    new = result_of("raw", 2)
    other = result_of("hog", 1)
    strangers = [None, {}, [], 3, result_of("hog", 1, data="other"), other | {"name": "x"}]
    strangers += [{key: other[key] for key in other if key != "baselines"}, other | {"settings": {}}]
    for stranger in [*strangers, result_of("ink", 1)]:
        assert tables.merge_results(stranger, new)["rows"] == new["rows"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 0}, "folds must be a whole number from 1 to 10, got 0"),
        ({"folds": 11}, "folds must be a whole number from 1 to 10, got 11"),
        ({"features": ("raw", "ink")}, "features must be one of raw, hog, fourier, got 'ink'"),
    ],
)
@pytest.mark.parametrize("reproduce", [tables.orders, tables.sweep])
def test_what_cannot_be_run_is_refused_before_anything_is(words, reproduce, options, message, monkeypatch):
    monkeypatch.setattr(experiment, "hand_made_features", refuse)
    with pytest.raises(ArgumentError, match=message):
        reproduce(Run("ocr", **options))


def test_a_failing_fold_stops_the_others(words, executor, tmp_path, monkeypatch):
    trained = []

    def train(settings, fold, *_, **__):
        trained.append(fold)
        raise ArgumentError("no luck")

    monkeypatch.setattr(experiment, "train", train)
    monkeypatch.setattr(tables, "N_ORDERS", 1)
    with pytest.raises(ArgumentError, match="no luck"):
        tables.orders(Run("ocr-orders", features=("raw",), work=tmp_path, executor=executor))
    executor.shutdown(wait=True)
    assert len(trained) < 10
