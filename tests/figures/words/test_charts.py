"""Budget charts, frames and sentences from a small result."""

import pytest

from spcviz.figures.common import palette
from spcviz.figures.words import charts, text


def row(method, cost, error, *, level="letter", q=0.0, scale=None):
    share = 50.0 * cost
    more = {"scale": scale, "us": 100 + 1000 * cost, "us_fast": 100 + 100 * cost, "stderr": 0.1}
    return {
        "method": method,
        "level": level,
        "q": q,
        "cost_units": cost,
        "features_share": share,
        "char_error": error,
    } | more


ROWS = [
    row("q-learning", cost, 10 - 3 * cost, q=q, scale="range")
    for q in (0.0, 0.25)
    for cost in (0.0, 0.5, 1.0, 2.0)
] + [row("dms", cost, 9 - 2 * cost, level="word") for cost in (0.0, 0.5, 1.0, 2.0)]
RESULT = {
    "name": "dms-ocr",
    "rows": ROWS,
    "baselines": [
        {
            "method": "fixed model",
            "level": "word",
            "tier": t,
            "cost_units": float(t),
            "us": 10.0**t,
            "char_error": 9.0 - t,
        }
        for t in range(3)
    ],
    "stopping_points": [
        {"cost_units": c, "stopped_0": 100 - 50 * c, "stopped_1": 25 * c, "stopped_2": 25 * c}
        for c in (0.0, 1.0, 2.0)
    ],
    "folds": 10,
    "summary": {
        "speedup_units": 3.8,
        "speedup_ms": 4.1,
        "error_at_chosen": 5.5,
        "final_error": 5.7,
        "min_error_ratio": 0.85,
        "speedup_units_n_grams_only": 3.6,
        "speedup_units_without_n_grams": 1.1,
        "imitation_minus_dms_at_its_points": 0.7,
        "imitation_points": [3, 4],
        "us_at_chosen": 700.0,
        "us_middle_model": 1100.0,
        "fast_hog": {"word: dms": {"us": 200.0}, "us_middle_model": 150.0},
    },
}


@pytest.mark.parametrize("palette", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("axis", charts.AXES)
def test_trade_off_figure(palette, axis):
    drawn = charts.trade_off_figure(RESULT, palette, axis=axis, tolerances=True)
    names = [trace.name for trace in drawn.data]
    assert {"DMS-π", "DMS-π, q = 0.25", "DMS, whole words"} <= set(names)
    assert ("one model for all" in names) == (axis != "us_fast")
    looks = [(t.line.color, t.line.dash, t.marker.symbol) for t in drawn.data]
    assert len(set(looks)) == len(looks)


def test_speedups_are_against_the_final_model():
    drawn = charts.speedup_figure(RESULT, palette.LIGHT)
    curve = next(t for t in drawn.data if t.name == "DMS, whole words")
    assert list(curve.x) == [4.0, 2.0, 1.0]
    assert list(curve.y) == [1.0, 0.0, -2.0]


def test_stopping_points_fill_the_panel():
    drawn = charts.stopping_figure(RESULT, palette.DARK)
    assert len(drawn.data) == 3
    assert [sum(t.y[i] for t in drawn.data) for i in range(3)] == [100, 100, 100]


def test_frame():
    frame = charts.curves_frame(RESULT)
    assert frame.loc["DMS-π", "wrong % at 50 % of features"] == 7.0
    assert frame.loc["DMS, whole words", "least wrong %"] == 5.0


def test_sentences_say_which_way_it_went():
    said = " ".join(text.sentences(RESULT))
    assert "3.8 times cheaper" in said
    assert "10 test folds" in said
    assert "0.70 points worse" in said
    assert "times **faster** than the fixed middle model (700 and 1100" in said
    assert "times **slower** than the fixed middle model (200 and 150" in said
    assert text.sentences({"name": "dms-ocr", "rows": []}) == []
