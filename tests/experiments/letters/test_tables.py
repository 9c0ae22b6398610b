"""Table 4.3 and the sweep curves on 120 real words: resuming, averaging, and thresholds by brute force."""

import json
import shutil
from dataclasses import asdict, replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.letters import reproduce as tables
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import log_marginals, score_arcs, score_labels
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.thresholds.rule import ALPHA_CAP
from spcviz.learning.cascade.cascade import survives
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Perceptron
from spcviz.problems.letters.data import handwriting as ocr
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
    """A fold of two orders, and the folder in which it is kept: copy it, never write to it."""
    folder = tmp_path_factory.mktemp("finished")
    with small_world():
        return tables.run_fold("raw", 0, 2, False, folder), folder


@pytest.fixture
def run(words, finished, tmp_path):
    """A function that runs a fold of two orders and keeps it in `tmp_path`, where the first is kept."""
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


@lru_cache(maxsize=1)
def sweep_problem():
    """(cascade, {level: filters}, test table, labels, lengths) as `sweep_fold` has them for fold 0."""
    with small_world() as words:
        settings = experiment.settings_for("raw", 2)
        model = experiment.train(settings, 0, 7, skip_folds=(1,)).model
        every = ocr.raw_features(words.pixels)
        parts = []
        for chosen in (words.folds > 1, words.folds == 0):
            rows, lengths = ocr.rows_of(words, np.flatnonzero(chosen))
            parts.append((DenseRows(every[rows]), words.labels[rows], lengths))
        rng = np.random.default_rng(0)
        filters = {level: tables._level_filters(model, level, parts[0], settings, rng) for level in (1, 2)}
    return model.cascade, filters, parts[1]


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("method", ["spc", "perceptron", "crf"])
def test_curves_are_what_thresholding_again_gives(method, level):
    cascade, filters, (table, labels, lengths) = sweep_problem()
    linear = filters[level][method]
    curve = tables.curve_of(
        method, linear, tables._space(cascade, level, table, lengths), table, labels, 40_000
    )
    assert curve["method"] == method
    lattice = tables._space(cascade, level, table, lengths)
    assert int(lattice.order.max()) == level
    unary = unary_scores(table, linear.weights)
    scores = score_arcs(lattice, unary, linear.table)
    alive = survives(lattice, np.ones(lattice.n_arcs, dtype=bool), labels)
    assert curve["n_examples"] == alive.sum()
    truth_scores = score_labels(lattice, unary, linear.table, labels)
    starts = lattice.example_start[:-1]
    alphas = np.array(curve["alpha"])
    assert len(alphas) >= 15
    assert (np.diff(alphas) > 0).all()
    assert (alphas[0] >= 0) == (method == "crf")  # its alphas are probabilities; the mean is no bound
    assert alphas[-1] <= ALPHA_CAP
    # Every step is there, so each value holds up to the next alpha: threshold in between, off the rounding.
    ahead = np.append(alphas[1:], alphas[-1])
    jumps = 1 + np.flatnonzero(np.diff(curve["filter_loss"]))  # where a truth falls, and just before
    chosen = {*range(0, len(alphas), len(alphas) // 9), *jumps, *(jumps - 1), len(alphas) - 1}
    chosen = [at for at in chosen if ahead[at] - alphas[at] > 1e-9 or at == len(alphas) - 1]
    assert len(chosen) > 10
    for at in chosen:
        alpha = (alphas[at] + ahead[at]) / 2
        if method == "crf":
            keep = np.exp(log_marginals(lattice, scores)[1]) > alpha
            assert curve["filter_loss_definition"] is None
        else:
            pruned = prune(lattice, scores, alpha)
            keep = pruned.keep
            # The truth's own score is no step of the curve, and may round to either side of one.
            nearby = (alphas[at] - 1e-12, alphas[at] + 1e-12)
            limits = [prune(lattice, scores, min(a, 1.0)).limits.tau for a in nearby]
            low, high = (100 * np.mean((truth_scores <= tau)[alive]) for tau in limits)
            assert low - 1e-9 <= curve["filter_loss_definition"][at] <= high + 1e-9
        share = np.add.reduceat(keep, starts) / np.diff(lattice.example_start)
        assert_allclose(curve["efficiency_loss"][at], 100 * share.mean(), atol=1e-9)
        lost = ~survives(lattice, keep, labels)
        assert_allclose(curve["filter_loss"][at], 100 * lost[alive].mean(), atol=1e-9)


def test_each_method_is_trained_with_its_own_loss(words, monkeypatch):
    trained, real = [], tables.fit
    monkeypatch.setattr(
        tables, "fit", lambda p, loss, *a, **o: trained.append(loss) or real(p, loss, *a, **o)
    )
    tables.sweep_fold("raw", 0, False, 5)
    config = SETTINGS["raw"].config
    assert trained == 2 * [FilterHinge(config.train_alphas[0], config.margin), Perceptron(), LogLoss()]
    assert [type(loss) for loss in trained] == 2 * [FilterHinge, Perceptron, LogLoss]


def test_sweep(words, executor):
    result = tables.sweep(Run("ocr-sweep", executor=executor))
    assert result["name"] == "ocr-sweep"
    rows = result["rows"]
    assert {(r["level"], r["method"], r["split"]) for r in rows} == {
        (level, method, split)
        for level in (1, 2)
        for method in ("spc", "perceptron", "crf")
        for split in ("dev", "test")
    }
    for row in rows:
        assert (row["features"], row["fold"]) == ("raw", 0)
        alpha, loss, size = (np.array(row[k]) for k in ("alpha", "filter_loss", "efficiency_loss"))
        assert len(alpha) == len(loss) == len(size)
        assert (np.diff(alpha) > 0).all()
        assert (np.diff(loss) >= 0).all()
        assert (np.diff(size) <= 1e-9).all()
        assert loss.min() >= 0
        assert max(loss.max(), size.max()) <= 100
        if row["method"] == "crf":
            assert row["filter_loss_definition"] is None
        else:
            definition = np.array(row["filter_loss_definition"])
            assert (np.diff(definition) >= 0).all()
            # where an alpha is the truth's own break point, its score may round to either side of it
            assert (definition[1:] >= loss[:-1] - 1e-9).all()
        assert row["n_examples"] == 12 or row["level"] == 2
    assert json.loads(json.dumps(result))["rows"] == rows
    assert set(result["settings"]["features"]) == {"raw"}


def test_the_sweep_trains_on_neither_of_its_two_folds(words, monkeypatch):
    """Other ink in development and test words changes their curves and nothing else."""
    skipped = []
    real = experiment.train

    def train(*arguments, **options):
        skipped.append((arguments[1], options["skip_folds"]))
        return real(*arguments, **options)

    filters = []
    monkeypatch.setattr(experiment, "train", train)
    real_filters = tables._level_filters
    monkeypatch.setattr(tables, "_level_filters", lambda *a: filters.append(real_filters(*a)) or filters[-1])
    first = tables.sweep_fold("raw", 9, False)
    at = np.isin(np.repeat(words.folds, words.lengths), (9, 0))
    with small_world(words._replace(pixels=np.where(at[:, None, None], 1 - words.pixels, words.pixels))):
        other = tables.sweep_fold("raw", 9, False)
    assert skipped == [(9, (0,))] * 2
    assert first != other
    for one, two in zip(filters[:2], filters[2:]):
        for method in one:
            assert_array_equal(one[method].weights, two[method].weights)
            assert_array_equal(one[method].values, two[method].values)
