"""Training and evaluating handwriting cascades on 120 real words, against naive recounts."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model.stored import arrays_of_model
from spcviz.problems.letters.page.live import trace_word
from spcviz.store import digest_of_arrays
from tests.problems.conftest import SETTINGS, TINY, small_world


def digest(model):
    return digest_of_arrays(arrays_of_model(model))


def test_paper_figures():
    """Table 4.3 as printed, the figures that are quoted elsewhere."""
    assert [experiment.PAPER_ORDERS[n]["word_accuracy"] for n in range(1, 7)] == [
        26.74, 45.67, 88.25, 91.35, 93.74, 96.16,
    ]  # fmt: skip
    assert experiment.PAPER_ORDERS[6]["char_accuracy"] == 98.54
    assert experiment.PAPER_ORDERS[1]["filter_loss"] is None


def test_settings_are_cut_to_orders_and_quickened():
    for name in experiment.SETTINGS:
        settings = experiment.settings_for(name)
        assert settings == experiment.SETTINGS[name]
        assert len(settings.config.tolerances) == 6
        short = experiment.settings_for(name, 2, quick=True)
        assert short.config.tolerances == settings.config.tolerances[:2]
        assert (short.config.filter_epochs, short.config.predictor_epochs) == (3, 3)
        assert replace(short, config=settings.config) == settings
    assert set(experiment.FEATURE_NAMES) == set(experiment.SETTINGS) == set(handwriting.FEATURES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pixels",), "features must be one of raw, hog, fourier, got 'pixels'"),
        (("raw", 0), "n_orders must be a whole number from 1 to 6, got 0"),
        (("raw", 7), "n_orders must be a whole number from 1 to 6, got 7"),
    ],
)
def test_bad_settings(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        experiment.settings_for(*arguments)


@pytest.mark.parametrize("fold", [-1, 10, 0.0])
def test_bad_folds(words, fold):
    with pytest.raises(ArgumentError, match="test_fold must be a whole number from 0 to 9"):
        experiment.train(SETTINGS["raw"], fold, 7)


@pytest.mark.parametrize("features", ["raw", "fourier"])
def test_the_same_seed_gives_the_same_digest(words, features):
    settings = experiment.settings_for(features, 2)
    first, again = (experiment.train(settings, 1, 3) for _ in range(2))
    assert digest(first.model) == digest(again.model)
    assert first.reports == again.reports
    assert digest(experiment.train(settings, 1, 4).model) != digest(first.model)


def test_folds_that_are_left_out_have_no_part_in_training(words):
    """Other ink and letters in these folds give the same model to the last bit, but not in another fold."""
    settings = experiment.settings_for("raw", 1)
    first = digest(experiment.train(settings, 2, 0, skip_folds=(5,)).model)
    is_row_of = np.repeat(words.folds, words.lengths)

    def with_other(folds):
        at = np.isin(is_row_of, folds)
        pixels = np.where(at[:, None, None], 1 - words.pixels, words.pixels)
        with small_world(words._replace(pixels=pixels, labels=np.where(at, 0, words.labels))):
            return digest(experiment.train(settings, 2, 0, skip_folds=(5,)).model)

    assert with_other([2, 5]) == first
    assert with_other([3]) != first


def test_progress_is_told_by_order(words):
    ticks = []
    experiment.train(experiment.settings_for("raw", 2), 0, 7, tick=ticks.append)
    assert {label.split(":")[0] for label in ticks} == {"order 1", "order 2"}
    assert {label.split(": ")[1] for label in ticks} == {"filter", "predictor"}
    passes = (TINY.parts + 1) * TINY.filter_epochs + TINY.predictor_epochs
    assert len(ticks) == 2 * passes


@pytest.mark.parametrize("features", ["raw", "hog", "fourier"])
def test_features_of_new_images_are_those_of_the_shipped_ones(words, features):
    """A page computes for a word the features that training saw."""
    settings = SETTINGS[features]
    fourier = experiment.draw_features(settings, np.random.default_rng(0))
    assert (fourier is None) == (features != "fourier")
    every = experiment.shipped_features(settings, fourier)
    assert every.dtype == np.float32
    assert every.shape == (len(words.labels), {"raw": 129, "hog": 1029, "fourier": 61}[features])
    some = experiment.letter_features(settings, fourier, words.pixels[10:14])
    assert_allclose(some, every[10:14], atol=1e-6)


def naive_rows(model, words, fold):
    """`evaluate` again: word by word, n-grams as Python sets."""
    n_levels = len(model.cascade.levels)
    by_level = [[] for _ in range(n_levels)]
    for w in np.flatnonzero(words.folds == fold):
        start, stop = words.starts[w : w + 2]
        truth = tuple(words.labels[start:stop].tolist())
        trace = trace_word(model, words.pixels[start:stop], truth=truth)
        for t, level in enumerate(trace.levels):
            columns = [
                range(a, b) for a, b in zip(level.col_start[:-1].tolist(), level.col_start[1:].tolist())
            ]
            grams = [tuple(s) for s in level.symbols.tolist()]
            limit = level.best - (1 - level.alpha_used) * (level.best - level.mean)
            keep = (level.max_marginal > limit) | np.isin(np.arange(len(grams)), level.map_arcs)
            inside = [{grams[a] for a in column} for column in columns]
            kept = [{grams[a] for a in column if keep[a]} for column in columns]
            n = level.order
            spelled = [truth[c : c + n] for c in range(len(columns))]
            lost = [g not in s for g, s in zip(spelled, inside)]
            lost_after = [g not in s for g, s in zip(spelled, kept)]
            by_level[t].append(
                {
                    "right": [a == b for a, b in zip(truth, trace.predictions[t].tolist())],
                    "lost": lost,
                    "lost_after": lost_after,
                    "columns": len(columns),
                    "in": sum(map(len, inside)),
                    "kept": sum(map(len, kept)),
                }
            )
    for t, rows in enumerate(by_level):
        columns = sum(r["columns"] for r in rows)
        yield {
            "features": "raw",
            "order": t + 1,
            "char_accuracy": 100 * np.mean([x for r in rows for x in r["right"]]),
            "word_accuracy": 100 * np.mean([all(r["right"]) for r in rows]),
            "filter_loss": 100 * np.mean([any(r["lost"]) for r in rows]),
            "filter_loss_position": 100 * np.mean([x for r in rows for x in r["lost"]]),
            "filter_loss_after": 100 * np.mean([any(r["lost_after"]) for r in rows]),
            "filter_loss_position_after": 100 * np.mean([x for r in rows for x in r["lost_after"]]),
            "n_grams_in": sum(r["in"] for r in rows) / columns,
            "n_grams_kept": sum(r["kept"] for r in rows) / columns,
            "alpha": model.cascade.levels[t].alpha,
        }


@pytest.mark.parametrize("fold", [0, 4])
def test_evaluate_against_a_recount(words, trained, fold):
    rows = experiment.evaluate(trained.model, fold)
    naive = list(naive_rows(trained.model, words, fold))
    assert len(rows) == len(naive) == 3
    for row, want in zip(rows, naive):
        assert row.keys() == want.keys()
        assert row.pop("features") == want.pop("features")
        assert_allclose(list(row.values()), list(want.values()), rtol=1e-12)
    assert rows[0]["n_grams_in"] == 26
    assert rows[0]["filter_loss"] == 0
    assert any(row["filter_loss_after"] > row["filter_loss"] for row in rows)


def naive_dictionary(words, weights, test, seen):
    """Every dictionary word that fits in length, scored letter by letter."""
    entries = {words.text(w) for w in seen}
    right_letters = right_words = letters = 0
    for w in test:
        text = words.text(w)
        x = handwriting.raw_features(words.pixels[words.starts[w] : words.starts[w + 1]]).astype(float)
        best, top = None, -np.inf
        for entry in sorted(entries):
            if len(entry) != len(text):
                continue
            score = sum(x[i] @ weights[:, ord(c) - ord("a")] for i, c in enumerate(entry))
            if score > top:
                best, top = entry, score
        right = [a == b for a, b in zip(best or "?" * len(text), text)]
        letters, right_letters = letters + len(text), right_letters + sum(right)
        right_words += all(right)
    return {
        "char_accuracy": 100 * right_letters / letters,
        "word_accuracy": 100 * right_words / len(test),
        "size": len(entries),
    }


@pytest.mark.parametrize(("skip", "tested"), [((), None), ((3, 4), 3)])
def test_dictionary_against_a_recount(words, monkeypatch, skip, tested):
    fits, real = [], experiment.fit

    def spy(*arguments, **options):
        fits.append(real(*arguments, **options))
        return fits[-1]

    monkeypatch.setattr(experiment, "fit", spy)
    settings = experiment.settings_for("raw")
    accuracy = experiment.dictionary_accuracy(settings, 0, 7, skip, tested)
    weights = fits[0].model.weights
    seen = np.flatnonzero(~np.isin(words.folds, [0, *skip]))
    test = np.flatnonzero(words.folds == (0 if tested is None else tested))
    assert accuracy == pytest.approx(naive_dictionary(words, weights, test, seen))
    assert 0 < accuracy["word_accuracy"] <= 100
    assert experiment.dictionary_accuracy(settings, 0, 7, skip, tested) == accuracy


def test_a_word_of_no_known_length_is_wrong_not_an_error(words):
    """The only word of the test fold has 14 letters, and training has none of that length."""
    long = words.lengths == 14
    first = np.flatnonzero(long)[0]
    folds = np.where(long, 9, words.folds)
    folds[first] = 0
    folds[(folds == 0) & (np.arange(len(folds)) != first)] = 1
    with small_world(words._replace(folds=folds)):
        accuracy = experiment.dictionary_accuracy(experiment.settings_for("raw"), 0, 7, (9,))
    assert (accuracy["char_accuracy"], accuracy["word_accuracy"]) == (0, 0)


def test_warmup_runs():
    experiment.warmup(None)


def test_the_held_out_curves_are_of_all_training_words(words, trained):
    assert len(trained.model.held_out) == len(trained.reports) == 3
    n_training = (words.folds != 0).sum()
    for curve, report in zip(trained.model.held_out, trained.reports):
        assert len(curve.event) == len(curve.by_definition) == n_training
        lost = (curve.event <= report.alpha).mean()  # without the cap on lattices, which only adds n-grams
        assert lost <= report.was_pruned + 1e-12
        assert report.n_capped or lost == pytest.approx(report.was_pruned)
        assert_array_equal(curve.alpha, np.sort(curve.alpha))
        assert (np.diff(curve.efficiency) <= 1e-12).all()


def test_every_row_of_the_table_has_a_cascade_with_its_tolerance_at_all_levels():
    every = experiment.table_settings("raw")
    assert list(every) == list(experiment.TABLE_RUNS)
    rows = experiment.table_rows("raw", 6)
    assert [(name.split()[0], order, whose) for name, order, whose in rows] == [
        (kind, order, whose)
        for kind, whose in (("word", "own"), ("position", "own"), ("word", "shared"))
        for order in range(1, 7)
    ]
    for name, order, whose in rows:
        config = every[name].config
        assert (config.tolerance_kind, config.first_order) == (experiment.KINDS[name.split()[0]], 2)
        tolerance = experiment.PAPER_ORDERS[order]["tolerance"] / 100
        assert config.tolerances[order - 1] == tolerance
        assert (config.tolerances == (tolerance,) * 6) == (whose == "own")
    assert every["word"].config.tolerances == (0.01, 0.01, 0.01, 0.01, 0.005, 0.0025)
    assert experiment.table_rows("hog", 2) == [("word", 1, "own"), ("word", 2, "own")]
    assert list(experiment.table_settings("hog", 3)) == ["word"]
    assert len(experiment.table_settings("hog", 3)["word"].config.tolerances) == 3
