"""The four budget experiments end to end on a tenth of the words, with few passes; resuming; summaries."""

import json

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.budgets.tables import reproduce
from spcviz.problems.letters import data
from spcviz.problems.problem import Run
from spcviz.problems.words import folds, summary, tables


@pytest.fixture(scope="module")
def few_words():
    """Every tenth word, each fold still there."""
    words = data.load_words()
    chosen = np.sort(np.random.default_rng(0).choice(len(words.lengths), 600, replace=False))
    rows, lengths = data.rows_of(words, chosen)
    few = data.Words(words.pixels[rows], words.labels[rows], lengths, words.folds[chosen])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "load_words", lambda: few)
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
        # Nothing bought costs more than was asked for, on either level.
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
    found = everything[1]["summary"]
    assert {"speedup_units", "speedup_ms", "min_error_ratio"} <= found["dms-ocr"].keys()
    policy = {"features_share_printed", "features_share_refreshed", "min_error_ratio", "messages_share_q25"}
    assert policy <= found["policy-ocr"].keys()
    assert "features_share_at_full_accuracy" in found["constrained-ocr"]
    assert all({"speedup_against_all", "gain_eaten"} <= row.keys() for row in found["overhead"].values())


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
    kept = folds.fold_models(0, settings, folder)
    fresh = folds.fold_models(0, settings)
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
