"""The comparison of rules at equal loss, on paths made by hand; the document that reports it."""

import numpy as np
import pytest

from experiments.letters import rules
from experiments.margin import tables
from experiments.margin.comparisons import verdict
from spcviz.problems.letters.model import rules as model_rules

FACTORS = (0.5, 1.0, 2.0)


def path(share, words=1000):
    """A path that keeps the given share of the n-grams at the same losses."""
    rows = []
    for factor, lost in zip(FACTORS, (40, 10, 5)):
        for order, size in ((1, 26.0), (2, 100.0 * factor * share)):
            row = {"factor": factor, "order": order, "words": words, "lost": lost, "n_grams_in": size}
            rows.append(
                row | {"n_grams_all": 26.0 + size * (order > 1), "n_grams_worst": size, "word_accuracy": 9.0}
            )
    return rows


def folds(n, share=0.25):
    rng = np.random.default_rng(0)
    noise = np.exp(0.1 * rng.normal(size=n))
    return [{"mean_max": {"path": path(1.0)}, "margin": {"path": path(share * noise[i])}} for i in range(n)]


def test_the_ratio_at_equal_loss_is_the_paths_own():
    rows = rules.equal_loss(folds(1, 0.25))
    assert {row["loss"] for row in rows} == set(rules.LOSSES)
    for row in rows:
        if row["rule"] == "margin" and row["what"] == "n_grams_in" and 0.5 <= row["loss"] <= 4:
            noise = np.exp(0.1 * np.random.default_rng(0).normal())
            assert row["ratio"] == pytest.approx(0.25 * noise)
    at = next(r for r in rows if (r["rule"], r["loss"], r["what"]) == ("mean_max", 0.8, "n_grams_in"))
    # 0.5 % at 200 n-grams, 1 % at 100: between them in the logarithm
    assert at["n_grams"] == pytest.approx(100 * 2 ** ((1.0 - 0.8) / 0.5))


def test_intervals_hold_the_ratio_and_losses_out_of_reach_are_none():
    rows = [row for row in rules.equal_loss(folds(10), 300) if row["rule"] == "margin"]
    inner = [row for row in rows if row["what"] == "n_grams_in" and row["loss"] in (0.8, 1.6, 3.2)]
    assert len(inner) == 3
    for row in inner:
        assert row["low"] <= row["ratio"] <= row["high"] < 0.35
        assert verdict(row["low"], row["high"]) == "fewer"
    lost = [{"mean_max": {"path": path(1.0, 100)}, "margin": {"path": path(1.0, 100)}}]  # at least 5 % lost
    assert all(row["n_grams"] is None for row in rules.equal_loss(lost))


@pytest.mark.parametrize("rule", ["mean_max", "margin"])
def test_a_cascade_learns_with_the_hinges_that_were_chosen(rule):
    raw, hog = (model_rules.rule_settings(name, rule).config for name in ("raw", "hog"))
    assert raw.rule == hog.rule == rule
    assert raw.hinges == hog.hinges == model_rules.HINGES[rule]
    assert raw.tolerances == (0.0025,) * 6
    few = model_rules.rule_settings("raw", rule, n_orders=3).config
    assert few.hinges == raw.hinges[:3]
    # first filters are learned once for both
    assert model_rules.HINGES["mean_max"][0] == model_rules.HINGES["margin"][0]


def result_of(features, n_grams, folds=2):
    """A small result of one set of features."""
    return {
        "name": "ocr-rules",
        "data_digests": {"ocr": "1"},
        "rows": [{"features": features, "folds": folds, "n_grams_in": n_grams}],
        "path": [{"features": features, "n_grams_in": n_grams}],
        "equal": [{"features": features, "n_grams": n_grams}],
        "fold_rows": [{"fold": f"{features} {fold}", "rows": [n_grams]} for fold in range(folds)],
        "settings": {"settings": {features: n_grams}, "random_state": 7},
        "missing": [],
    }


def test_features_that_were_not_asked_for_keep_their_rows():
    old = rules.merge_results(result_of("raw", 1), result_of("fourier", 2))
    both = rules.merge_results(old, result_of("raw", 3))
    assert [(row["features"], row["n_grams_in"]) for row in both["rows"]] == [("raw", 3), ("fourier", 2)]
    assert [row["n_grams"] for row in both["equal"]] == [3, 2]
    assert [fold["fold"] for fold in both["fold_rows"]] == ["raw 0", "raw 1", "fourier 0", "fourier 1"]
    assert both["settings"]["settings"] == {"raw": 3, "fourier": 2}
    assert "HoG" in both["missing"][-1]
    assert "Fourier" not in both["missing"][-1]
    # from other data, or over other folds: nothing is kept
    other = result_of("raw", 4) | {"data_digests": {"ocr": "2"}}
    assert rules.merge_results(old, other) == other
    assert rules.merge_results(old, result_of("raw", 4, folds=3))["rows"] == result_of("raw", 4, 3)["rows"]


def test_what_is_missing_is_said():
    assert rules.missing(("raw",), 3)[0] == "Test folds 3 to 9 were not run."
    assert "raw" not in " ".join(rules.missing(tuple(rules.experiment.SETTINGS), 10))


def test_verdicts_follow_from_intervals():
    cases = {
        (0.1, 0.9): "fewer",
        (0.9, 1.1): "within chance",
        (1.01, 2.0): "more",
        (None, None): "not measured",
    }
    for ends, wanted in cases.items():
        assert verdict(*ends) == wanted


def test_a_chart_is_an_image_that_names_its_lines():
    lines = [
        tables.Line("mean & best", [1, 2, 3], [10, 100, 1000]),
        tables.Line("margin", [1, 2, 3], [5, 20, 90]),
    ]
    text = tables.chart("n-grams", lines, "lost", "left", log_y=True)
    assert text.startswith("<svg ")
    assert "mean &amp; best" in text
    assert text.count("<polyline") > 4
