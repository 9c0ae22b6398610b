"""Reproduced tables: frames, charts and sentences, from a small result."""

import numpy as np
import pytest

from spcviz.figures.common import palette
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


def test_results_of_another_form_are_refused_and_unknown_ones_shown_as_they_are():
    assert tables_text.is_usable(RESULT, tables_text.ORDERS_NEED)
    assert tables_text.is_usable(SWEEP, tables_text.SWEEP_NEEDS)
    for bad in (None, [], {}, {"rows": []}, {"rows": [1], "name": "x"}, {"rows": [{}]}):
        assert not tables_text.is_usable(bad)
    assert not tables_text.is_usable({"name": "x", "rows": [{"order": 1}]}, tables_text.ORDERS_NEED)
    assert list(tables.any_frame({"rows": [{"a": 1, "b": [1]}, {"a": 2, "b": [2]}]}).columns) == ["a"]
    assert tables.features_of({"rows": [{"a": 1}]}) == []


def test_the_command_repeats_the_settings():
    expected = "python -m spcviz reproduce ocr-orders --features raw hog --folds 10"
    assert tables_text.command_of(RESULT) == expected
    assert tables_text.command_of({"name": "x"}) == "python -m spcviz reproduce x"
    assert tables_text.command_of({"name": "x", "command": "make x"}) == "make x"


def test_the_origin_names_data_machine_and_time():
    said = tables_text.origin_sentence(RESULT)
    assert "68f081451e99" in said
    assert "2 cores" in said
    assert "10 of 10 test folds" in said
    assert tables_text.origin_sentence({})


GRID = {
    "name": "grid",
    "rows": [
        {"method": m, "k": k, "error": e / k, "stderr": 0.01}
        for m, e in (("ensemble", 0.3), ("lbp", 0.4), ("tree", 0.5))
        for k in (1, 2)
    ],
    "trees": [
        {"method": "tree", "tree": p, "k": k, "error": (0.5 + 0.1 * p) / k, "stderr": 0.02}
        for p in (0, 1)
        for k in (1, 2)
    ],
    "baselines": [{"method": "samples", "k": k, "error": 0.1 / k, "stderr": 0.0} for k in (1, 2)],
    "agreement": {
        "median": 0.37,
        "complete": 0.01,
        "by_k": [
            {"k": 1, "error_rho": -0.2, "gain_rho": 0.03},
            {"k": 2, "error_rho": None, "gain_rho": None},
        ],
    },
    "convergence": {"variables_unconverged": 0.9},
    "order_holds": {"all": True, "broken_at_k": []},
    "paper": {
        "median_agreement": 0.38,
        "agreement_error_rho": {"k": 1, "rho": -0.143},
        "agreement_gain_rho": {"max_rho": 0.0185},
    },
    "settings": {"n_instances": 3, "rows": 3, "columns": 3, "n_states": 2, "n_samples": 5, "quick": False},
}


def test_the_grid_s_errors_with_mean_and_best_comb():
    frame = tables.grid_frame(GRID)
    assert frame.loc[1, "all combs (ensemble) %, measured"] == pytest.approx(30)
    assert frame.loc[2, "best comb %, measured"] == pytest.approx(25)
    assert frame.loc[1, "mean comb %, std. error"] == pytest.approx(1)
    assert list(frame.columns[:2]) == [f"all combs (ensemble) %, {k}" for k in ("measured", "std. error")]
    assert tables.number_format("best comb %, measured") == "%.2f"


def test_the_grid_s_agreement_beside_the_paper_s():
    frame = tables.grid_agreement_frame(GRID)
    assert frame.loc["median agreement of the combs"].tolist() == [0.37, 0.38]
    assert frame.loc["agreement against ensemble's error, rho at K = 1"].tolist() == [-0.2, -0.143]
    assert frame.filter(like="gain over", axis=0).iloc[0].tolist() == [0.03, 0.0185]
    assert len(tables_text.grid_shortfalls(GRID)) == 2
    bare = {"name": "grid", "rows": GRID["rows"]}
    assert tables.grid_agreement_frame(bare).empty
    assert tables_text.grid_shortfalls(bare) == []
