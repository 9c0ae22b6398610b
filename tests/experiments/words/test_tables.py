"""The four budget experiments end to end on few words, with few passes; resuming; summaries."""

import json

import numpy as np
import pytest

from experiments.budgets import reproduce
from experiments.words import reproduce as tables
from experiments.words import steps, summary
from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting
from spcviz.problems.words.model import folds, resource_constraints
from spcviz.registry.problem import Run


@pytest.fixture(scope="module")
def few_words():
    """A few words, with every fold present."""
    words = handwriting.load_words()
    chosen = np.sort(np.random.default_rng(0).choice(len(words.lengths), 250, replace=False))
    rows, lengths = handwriting.rows_of(words, chosen)
    few = handwriting.Words(words.pixels[rows], words.labels[rows], lengths, words.folds[chosen])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handwriting, "load_words", lambda: few)
        folds.features.cache_clear()
        yield few
    folds.features.cache_clear()


@pytest.fixture(scope="module")
def everything(few_words, tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    return folder, reproduce(tables, Run("budget-ocr", folds=2, quick=True, work=folder))


def test_all_methods_stand_on_the_same_axes(everything):
    _, result = everything
    json.dumps(result)
    methods = {(row["level"], row["method"]) for row in result["rows"]}
    assert {
        ("word", "dms"),
        ("letter", "q-learning"),
        ("letter", "anytime"),
        ("word", "imitation"),
    } <= methods
    for row in result["rows"]:
        assert 0 <= row["cost_units"] <= 2
        assert 0 <= row["features_share"] <= 100 + 1e-9
        # Purchases cost no more than the budget, on either level.
        assert row["level"] == "word" or row["features_share"] <= 50 * row["cost_units"] + 1e-6
        assert row["us"] > 0
        assert 0 <= row["char_error"] <= 100
    ends = {
        row["char_error"]
        for row in result["rows"]
        if row["level"] == "letter" and row["cost_units"] == 2 and not row["q"]
    }
    assert len(ends) == 1  # with everything bought all policies are one predictor


def test_summaries_have_the_promised_keys(everything):
    summaries = everything[1]["summary"]
    assert {"speedup_units", "speedup_ms", "min_error_ratio"} <= summaries["dms-ocr"].keys()
    policy = {"features_share_printed", "features_share_refreshed", "min_error_ratio", "messages_share_q25"}
    assert policy <= summaries["policy-ocr"].keys()
    assert "features_share_at_full_accuracy" in summaries["constrained-ocr"]
    at_chosen = summaries["policy-ocr"]["at_chosen"]
    assert at_chosen["range 0"]["messages_share"] > at_chosen["range 0.5"]["messages_share"]
    for part in ("dms-ocr", "policy-ocr", "constrained-ocr"):
        for row in summaries[part]["taken_apart"].values():
            assert row.keys() == {"us_features", "us_scores", "us_inference", "us_choosing"}
            assert min(row.values()) >= 0
    assert all({"speedup_against_all", "gain_eaten"} <= row.keys() for row in summaries["overhead"].values())


def test_folds_stand_by_themselves_and_mean_what_the_rows_say(everything):
    _, result = everything
    assert [fold["fold"] for fold in result["fold_rows"]] == ["0", "1"]
    by_fold = [fold["rows"] for fold in result["fold_rows"]]
    for one, other in zip(*by_fold, strict=True):
        about = {key: one[key] for key in ("experiment", "method", "level", "q", "scale")}
        assert about.items() <= other.items()
        means = [row["char_error"] for row in result["rows"] if all(row[key] == about[key] for key in about)][
            :: tables.EVERY
        ]
        np.testing.assert_allclose(np.mean([one["error"], other["error"]], axis=0), means)


@pytest.fixture(scope="module")
def one_shot(everything):
    folder, _ = everything
    return reproduce(tables, Run("constrained-ocr", folds=2, quick=True, work=folder))


def test_one_shot_stands_beside_q_learning_fold_by_fold(everything, one_shot):
    compared = one_shot["summary"]["against_q_learning"]
    assert "q-learning" in compared["methods"]
    assert compared["folds"] == 2
    best = compared["methods"][compared["one_shot"]]
    gaps = np.subtract(best["share_folds"], compared["methods"]["q-learning"]["share_folds"])
    assert compared["difference"] == pytest.approx(gaps.mean())
    assert compared["difference_sd"] == pytest.approx(gaps.std(ddof=1))
    assert compared["folds_q_learning_is_cheaper"] == (gaps > 0).sum()
    streamed = {key for key in compared["methods"] if key.endswith("streamed")}
    assert len(streamed) == 4
    prices = {row["price"] for row in one_shot["summary"]["prices_alone"]}
    assert prices == set(resource_constraints.SWEEP)


def test_steps_stand_beside_letters(everything):
    folder, _ = everything
    result = steps.result(Run("steps-ocr", folds=1, quick=True, work=folder))
    methods = [row["method"] for row in result["rows"]]
    assert methods == ["q-learning", "q-learning, with steps", "q-learning, steps apart"]
    alone, along, apart = result["rows"]
    assert alone["units_in_all"] == 2.0
    assert along["units_in_all"] == pytest.approx(apart["units_in_all"])
    assert along["final_error"] == apart["final_error"]  # with everything bought they are one predictor
    assert alone["points"][0]["error"] == apart["points"][0]["error"]


def test_finished_parts_are_found_again(everything):
    folder, result = everything
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    again = reproduce(tables, Run("dms-ocr", folds=2, quick=True, work=folder))
    assert before == {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert again["parts_found_finished"] == 2
    want = [row for row in result["rows"] if row["experiment"] == "dms-ocr"]
    assert [row | {"experiment": "dms-ocr"} for row in again["rows"]] == want
    for point in again["stopping_points"]:
        assert sum(point[f"stopped_{t}"] for t in range(3)) == pytest.approx(100)
    assert again["stopping_points"][0]["stopped_0"] == 100
    assert again["stopping_points"][-1]["stopped_2"] == pytest.approx(100)


def test_a_fold_comes_out_of_the_work_folder_as_it_went_in(everything, few_words):
    folder, _ = everything
    settings = folds.settings_for(quick=True)
    kept = folds.fold_models("ocr", 0, settings, folder)
    fresh = folds.fold_models("ocr", 0, settings)
    for one, other in zip(kept.train, fresh.train, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(kept.tiered_weights, fresh.tiered_weights)
    test_words = set(kept.test.words.tolist())
    assert not test_words & set(kept.train.words.tolist())
    assert (few_words.folds[kept.test.words] == 0).all()


def test_least_speed_up_of_a_curve_that_never_gets_there():
    assert summary._first_speedup(np.array([9.0, 8.0]), 5.0, np.array([0.5, 2.0])) is None


def test_refusals():
    with pytest.raises(ArgumentError, match="folds"):
        reproduce(tables, Run("dms-ocr", folds=11))
