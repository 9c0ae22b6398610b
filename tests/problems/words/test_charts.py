"""Budget charts, frames and sentences from a small result."""

import pytest

from spcviz.problems.words.paper import charts, result
from spcviz.web.figures import palette


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
    assert {"Letters, learned (DMS-π)", "Letters, learned (DMS-π), q = 0.25", "Words, learned (DMS)"} <= set(
        names
    )
    assert ("one model for all" in names) == (axis != "us_fast")
    looks = [(t.line.color, t.line.dash, t.marker.symbol) for t in drawn.data]
    assert len(set(looks)) == len(looks)


def test_speedups_are_against_the_final_model():
    drawn = charts.speedup_figure(RESULT, palette.LIGHT)
    curve = next(t for t in drawn.data if t.name == "Words, learned (DMS)")
    assert list(curve.x) == [4.0, 2.0, 1.0]
    assert list(curve.y) == [1.0, 0.0, -2.0]


def test_stopping_points_fill_the_panel():
    drawn = charts.stopping_figure(RESULT, palette.DARK)
    assert len(drawn.data) == 3
    assert [sum(t.y[i] for t in drawn.data) for i in range(3)] == [100, 100, 100]


def test_frame():
    frame = charts.curves_frame(RESULT)
    assert frame.loc["Letters, learned (DMS-π)", "wrong % at 50 % of features"] == 7.0
    assert frame.loc["Words, learned (DMS)", "least wrong %"] == 5.0


def with_summary(name, **more):
    return RESULT | {"name": name, "summary": RESULT["summary"] | more}


def share_of(share, sd, us):
    more = {"error": 5.5, "error_sd": 0.3, "equal_share": share + 1, "equal_share_sd": sd}
    return {"share": share, "share_sd": sd, "us": us} | more


AGAINST = {
    "methods": {
        "q-learning": share_of(8.4, 1.2, 200.0),
        "one-shot, parsimonious, complex": share_of(40.9, 12.0, 1000.0),
        "one-shot, parsimonious, complex, streamed": share_of(45.0, 9.0, 1100.0),
    },
    "one_shot": "one-shot, parsimonious, complex",
    "folds": 10,
    "folds_q_learning_is_cheaper": 10,
    "difference": 32.5,
    "difference_sd": 12.0,
    "us_all_features": 2500.0,
}


def test_shares_at_equal_error_stand_in_a_table():
    frame = charts.equal_frame(with_summary("constrained-ocr", against_q_learning=AGAINST))
    assert frame["features %, chosen on training words"].tolist() == [8.4, 40.9, 45.0]


def test_frames_of_what_only_some_results_have():
    assert all(frame(RESULT).empty for frame in (charts.time_frame, charts.equal_frame, charts.prices_frame))
    times = {"us_features": 100.0, "us_scores": 10.0, "us_inference": 2.0, "us_choosing": 20.0}
    frame = charts.time_frame(with_summary("dms-ocr", taken_apart={"word: dms": times}))
    assert frame.iloc[0].tolist() == ["Words, learned (DMS)", "word", 100.0, 10.0, 2.0, 20.0]
    price = {"method": "one-shot, trajectory, simple, streamed", "price": 0.3, "share": 20.0, "error": 8.0}
    assert (
        charts.prices_frame(with_summary("constrained-ocr", prices_alone=[price])).iloc[0]["features %"] == 20
    )


def test_steps_apart():
    row = {
        "method": "q-learning, steps apart",
        "points": [{"units": u, "error": 9.0 - u, "share_of_steps": 40.0} for u in (0.0, 0.15, 0.6, 4.0)],
        "final_error": 5.0, "units_in_all": 3.7, "units_chosen": 0.5, "units_chosen_sd": 0.1,
        "error_chosen": 5.5, "error_chosen_sd": 0.2,
        "error_minus_letters": -0.1, "error_minus_letters_sd": 0.2,
    }  # fmt: skip
    line = charts.steps_frame({"rows": [row]}).iloc[0]
    assert line["wrong % at 0.5 units a letter"] == 8.85
    assert line["wrong % at 2 units a letter"] == 8.4
    measured = {"name": "steps-ocr", "folds": 4, "rows": [row, row, row]}
    assert any("40 % of the first unit" in note for note in result.STEPS.notes(measured))
    drawn = charts.steps_figure(measured, palette.LIGHT)
    assert list(drawn.data[0].x) == [0.0, 0.15, 0.6]  # not beyond buying everything
