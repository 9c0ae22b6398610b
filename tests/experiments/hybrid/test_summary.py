"""Means over folds, and costs at equal accuracy."""

import numpy as np
import pytest

from experiments.hybrid import summary

GRID = np.array([10.0, 20.0, 40.0])


def fold(shift):
    def curve(first, *rights):
        ends = [{"us": us, "char_accuracy": right, "word_accuracy": right}
                for us, right in ((first, rights[0]), (40.0, rights[-1]))]  # fmt: skip
        right = [None if us < first else accuracy for us, accuracy in zip(GRID, rights)]
        us = [None if us < first else us for us in GRID]
        return {"us": us, "char_accuracy": right, "word_accuracy": right, "begin": ends[0], "end": ends[1]}

    ours = curve(10.0, 70.0 + shift, 80.0, 90.0)
    curves = dict.fromkeys(summary.VARIANTS, ours) | {"dms_pi": curve(20.0, 60.0, 75.0, 90.0)}
    spc = [{"tier": 0, "order": n, "us": 8.0 * n, "char_accuracy": 70.0 + 3 * n, "word_accuracy": 1.0}
           for n in range(1, 4)]  # fmt: skip
    models = [{"model": "one", "at": "begin", "char_accuracy": 1.0 + shift, "word_accuracy": 2.0}]
    return {"fold": 0, "curves": curves, "spc": spc, "models": models}


def is_own(row):
    return (row["method"], row["against"]) == ("spc_pi", "parents")


def test_rows_hold_means_and_spread_where_all_have_begun():
    rows = summary.rows_of("ocr", [fold(0.0), fold(2.0)], GRID)
    points = [row for row in rows if row["method"] == "spc_pi" and "at" not in row]
    assert [row["us"] for row in points] == GRID.tolist()
    assert points[0]["char_accuracy"] == 71.0
    assert points[0]["char_accuracy_sd"] == pytest.approx(np.sqrt(2))
    assert [row["us"] for row in rows if row["method"] == "dms_pi" and "at" not in row] == [20.0, 40.0]
    assert [row["order"] for row in rows if row["method"] == "spc"] == [1, 2, 3]
    assert summary.models("ocr", [fold(0.0), fold(2.0)])[0]["char_accuracy"] == 2.0
    alone = summary.mean_and_sd("us", [1.0])
    assert alone == {"us": 1.0, "us_sd": None}


def test_ratios_are_at_equal_accuracy_against_the_better_parent():
    rows = [row for row in summary.compare_variants("ocr", [fold(0.0)]) if is_own(row)]
    at = {round(row["char_accuracy"], 6): row for row in rows}
    low, high = min(at), max(at)
    assert low == 73.0
    assert high == 90.0
    assert at[low]["ratio"] == 20.0 / 8.0
    assert at[high]["ratio"] == 1.0
    for row in rows:
        assert row["us_other"] == min(
            summary.least_us(summary.curve_of(fold(0.0), name), row["char_accuracy"])
            for name in ("spc", "dms_pi")
        )


def test_what_is_never_reached_has_no_ratio():
    weak = fold(0.0)
    weak["curves"]["dms_pi"]["char_accuracy"] = [None, 60.0, 61.0]
    weak["curves"]["dms_pi"]["end"]["char_accuracy"] = 61.0
    rows = [row for row in summary.compare_variants("ocr", [weak]) if is_own(row)]
    assert rows[-1]["ratio"] is None
    assert rows[-1]["us_other"] is None


def test_mixtures_are_no_dearer_than_points_and_a_portfolio_mixes_too():
    rows = summary.compare_variants("ocr", [fold(0.0)])
    at = {(row["method"], row["against"], row["char_accuracy"]): row for row in rows}
    hulls = [row for row in rows if row["against"] == "hull"]
    assert {row["opponent"] for row in hulls} == {"hull"}
    for row in hulls:
        beside = at[row["method"], "parents", row["char_accuracy"]]
        assert row["us_other"] <= beside["us_other"]
        if row["method"] == "portfolio":
            assert row["us"] <= at["spc_pi", "hull", row["char_accuracy"]]["us"]
    assert any(
        row["us_other"] < at[row["method"], "parents", row["char_accuracy"]]["us_other"] for row in hulls
    )
