"""Handwriting beside the papers: frames, charts and sentences, from a small result."""

import numpy as np
import pytest

from spcviz.figures.common import palette
from spcviz.figures.letters import result as shown
from spcviz.figures.letters import tables, tables_text

PAPER = {"char_accuracy": 85.0, "word_accuracy": 45.0, "filter_loss": 0.5, "n_grams": 128.0, "tolerance": 1.0}


def row(features, order, char, us, dense, paper=None):
    return {
        "features": features,
        "order": order,
        "char_accuracy": char,
        "word_accuracy": char - 10,
        "char_stderr": 0.2,
        "word_stderr": 0.4,
        "filter_loss": 0.4,
        "n_grams_in": 230.0,
        "n_grams_kept": 60.0,
        "us_per_word": us,
        "us_dense_per_word": dense,
        "paper": paper,
    }


RESULT = {
    "name": "ocr-orders",
    "source": "Weiss (2013), thesis, Table 4.3",
    "rows": [
        row(
            "raw", 1, 78.0, 20.0, 10.0, PAPER | {"char_accuracy": 77.0, "filter_loss": None, "n_grams": 26.0}
        ),
        row("raw", 2, 84.0, 200.0, 20.0, PAPER),
        row("raw", 3, 97.0, 800.0, 2400.0, PAPER),
        row("raw", 4, 98.0, 900.0, None, PAPER),
        row("hog", 1, 90.0, 30.0, None),
    ],
    "baselines": [
        {
            "method": "dictionary",
            "features": "raw",
            "char_accuracy": 99.6,
            "word_accuracy": 98.9,
            "size": 55.0,
        }
    ],
    "settings": {"features": {"raw": {}, "hog": {}}, "folds": 10},
    "data_digests": {"ocr": "68f081451e9938e6"},
    "machine": {"cpu": "test", "cores": 2, "python": "3.11"},
    "seconds": 12.3,
}
SWEEP = {
    "name": "ocr-sweep",
    "rows": [
        {
            "features": "raw",
            "fold": fold,
            "level": 1,
            "method": method,
            "split": split,
            "alpha": [0.1, 0.5],
            "filter_loss": [0.4, 5.0],
            "efficiency_loss": [60.0 + fold, 20.0],
        }
        for fold in (0, 1)
        for method in ("spc", "crf")
        for split in ("dev", "test")
    ],
}


def test_every_number_says_whose_it_is():
    frame = tables.orders_frame(RESULT, "raw")
    for column in frame.columns:
        is_ours = "measured" in column or column.startswith(("µs", "times")) or "std. error" in column
        assert is_ours or column.endswith("paper"), column


def test_the_frame_holds_the_numbers_of_both():
    frame = tables.orders_frame(RESULT, "raw")
    assert frame.loc["2-grams", "letters right %, measured"] == 84.0
    assert frame.loc["2-grams", "letters right %, paper"] == 85.0
    assert np.isnan(frame.loc["1-grams", "filter loss %, paper"])
    assert frame.loc["3-grams", "times faster"] == 3.0
    assert frame.loc["dictionary of 55 words", "words right %, measured"] == 98.9


def test_a_feature_set_without_paper_or_dictionary_has_no_such_columns():
    frame = tables.orders_frame(RESULT, "hog")
    assert not any("paper" in column for column in frame.columns)
    assert len(frame) == 1


def test_the_dictionary_stands_beside_the_cascade_with_its_reason():
    said = tables_text.dictionary_sentence(RESULT, "raw")
    assert "dictionary wins" in said
    assert "55 distinct words" in said
    assert tables_text.dictionary_sentence(RESULT, "hog") == ""


def test_the_cost_sentence_is_worked_out_from_the_numbers():
    said = tables_text.cost_sentence(RESULT, "raw")
    assert "**slower** than exact dense Viterbi at orders 1 and 2 (2 to 10 times the time)" in said
    assert "**faster** at order 3 (3 times)" in said
    assert "At order 4 dense inference was not run." in said
    assert tables_text.cost_sentence(RESULT, "hog") == ""


def test_what_falls_short_is_said_and_what_does_not_is_not():
    said = "\n".join(tables_text.shortfalls(RESULT))
    assert "letters right %, raw pixels**, measured against paper: order 2: 84.00 against 85.00." in said
    assert "n-grams a position" in said
    assert "filter loss" not in said
    assert "dictionary reads better" in said
    assert "No faster than dense inference**, raw pixels: orders 1 and 2" in said
    good = RESULT | {"rows": [row("raw", 2, 99.0, 1.0, 2.0, PAPER | {"n_grams": 231.0})], "baselines": []}
    assert tables_text.shortfalls(good) == []


@pytest.mark.parametrize("palette", [palette.LIGHT, palette.DARK])
def test_accuracy_figure_has_measured_paper_and_dictionary(palette):
    figure = tables.accuracy_figure(RESULT, palette)
    names = {trace.name for trace in figure.data}
    assert {"raw pixels, measured", "raw pixels, paper", "pixels + HoG, measured"} <= names
    assert {shape.y0 for shape in figure.layout.shapes} == {99.6, 98.9}
    measured = next(trace for trace in figure.data if trace.name == "raw pixels, measured")
    assert list(measured.y) == [78.0, 84.0, 97.0, 98.0]
    assert list(measured.error_y.array) == [0.2] * 4


def test_cost_figure_leaves_out_what_was_not_run():
    figure = tables.cost_figure(RESULT, palette.LIGHT)
    points = {trace.name: len(trace.x) for trace in figure.data}
    assert points == {"cascade, raw pixels": 4, "dense Viterbi, raw pixels": 3, "cascade, pixels + HoG": 1}


def test_sweep_frame_is_the_best_threshold_within_each_tolerance():
    frame = tables.sweep_frame(SWEEP, "raw", tolerances=(0.1, 1.0, 5.0))
    assert list(frame.index) == ["level 1, cascade filter (SPC)", "level 1, CRF filter"]
    kept = frame.iloc[0].to_numpy(dtype=float)
    assert np.isnan(kept[0])
    assert list(kept[1:]) == [60.5, 20.0]


def test_the_report_s_sentences_are_worked_out_from_the_numbers():
    assert tables_text.misses(RESULT) == [
        "With raw pixels the column “letters right %” is worse than the paper's at order 2.",
        "With raw pixels the column “n-grams a position” is worse than the paper's at orders 1, 2, 3 and 4.",
    ]
    said = tables_text.cost_by_order(RESULT, "raw")
    assert "10.0 times the time at order 2, 3.0 times faster at order 3" in said
    assert "would have 230^4 entries" in said
    assert tables_text.cost_by_order(RESULT, "hog") == ""
    assert tables_text.lattices(RESULT, "raw") == (
        "n-grams a position before and after each order's own pruning: " + ", ".join(["230 → 60"] * 4) + "."
    )
    assert tables_text.folds_sentence(RESULT, "raw") == ""


def test_a_first_level_that_cannot_keep_to_its_tolerance_is_said():
    first = RESULT["rows"][0] | {"alpha": 0.0, "filter_loss_after": 1.2, "folds": 3}
    settings = {"features": {"raw": {"config": {"tolerances": [0.005]}}}}
    result = RESULT | {"rows": [first], "settings": settings}
    assert "α = 0, loses the truth of 1.20 % of words at order 1, where 0.5 %" in tables_text.lattices(
        result, "raw"
    )
    gentle = RESULT | {"rows": [first | {"filter_loss_after": 0.4}], "settings": settings}
    assert "gentlest" not in tables_text.lattices(gentle, "raw")
    assert tables_text.folds_sentence(result, "raw") == "Means over 3 test folds."


def test_headlines_hold_both_numbers():
    (line,) = shown.ORDERS.headline(RESULT)
    assert line.what.startswith("Handwriting, 4-grams")
    assert line.paper == "85.0 / 45.0"
    failed = "letters right % at order 2, n-grams a position at orders 1, 2, 3 and 4"
    assert line.measured == f"98.00 / 88.00 (raw pixels); **worse than the paper: {failed}**"
    assert shown.ORDERS.headline(RESULT | {"rows": [row("hog", 1, 90.0, 30.0, None)]}) == []
    (line,) = shown.SWEEP.headline(SWEEP)
    assert line.measured == "cascade filter (SPC) 60.5, CRF filter 60.5"
