"""Handwriting next to the papers: frames, charts and sentences, from a small result."""

import numpy as np
import pytest

from spcviz.problems.letters.paper import tables
from spcviz.web.figures import palette

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
