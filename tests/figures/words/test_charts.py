"""Budget charts, frames and sentences from a small result."""

import pytest

from spcviz.figures.common import palette
from spcviz.figures.words import charts, evidence, result, text


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


def test_sentences_say_which_way_it_went():
    said = " ".join(text.sentences(RESULT))
    assert "3.8 times cheaper" in said
    assert "10 test folds" in said
    assert "0.70 points worse" in said
    assert "times **faster** than the fixed middle model (700 and 1100" in said
    assert "times **slower** than the fixed middle model (200 and 150" in said
    assert text.sentences({"name": "dms-ocr", "rows": []}) == []


def with_summary(name, **more):
    return RESULT | {"name": name, "summary": RESULT["summary"] | more}


def test_a_speed_up_below_the_paper_s_is_a_miss():
    assert result.BUDGET.misses(RESULT) == []
    assert "2.00 times cheaper" in result.BUDGET.misses(with_summary("dms-ocr", speedup_units=2.0))[0]
    assert result.BUDGET.misses(with_summary("dms-ocr", error_at_chosen=5.8))
    (line,) = result.BUDGET.headline(RESULT)
    assert line.paper == "2.5 to 3 times cheaper at the final model's error"
    assert line.measured.startswith("3.80 times cheaper in units, 4.10 in time, at 5.50 %")
    assert result.BUDGET.headline({"name": "dms-ocr", "rows": []}) == []


def test_what_limits_choosing_words_is_said_with_its_numbers():
    more = {
        "least_gap_to_uniform": 0.9, "below_uniform_at_speedups_1.5_to_8": True,
        "speedup_ms_by_value_per_us": 4.4,
    }  # fmt: skip
    times = {"feature": [0.0, 127.0, 235.0], "feature_fast": [0.0, 8.0, 9.0]}
    said = "\n".join(evidence.sentences(with_summary("dms-ocr", **more) | {"times": times}))
    assert "DMS is below uniform spending at every speed-up from 1.5 to 8, by 0.90 points" in said
    assert "without that 1.10 times cheaper instead of 3.80" in said
    assert "costs more than it saves: 200 µs a word against 150" in said
    assert "127 and 235 µs a letter with scikit-image's HoG, 8 and 9 µs" in said


def test_looking_ahead_must_be_clearly_better_to_hold():
    def policy(gap):
        more = {"greedy_minus_q_learning": gap, "greedy_minus_q_learning_stderr": 0.01}
        return with_summary("policy-ocr", **more)

    assert "-0.016 ± 0.010" in evidence.misses(policy(-0.016))[0]
    assert evidence.misses(policy(0.03)) == []


def test_letters_the_paper_s_search_and_the_middle_model():
    more = {
        "share_on_test_curve": {"q-learning": 9.2, "q-learning, as printed": None},
        "total_speedup_q0": 11.5, "total_speedup_q0.5": 9.2,
        "fast_hog": {"letter: q-learning": {"us": 46.0}, "us_middle_model": 79.0},
    }  # fmt: skip
    said = "\n".join(evidence.sentences(with_summary("policy-ocr", **more)))
    assert "9.2 % of the features reach the error of all with fresh values" in said
    assert "stale" not in said
    assert "read off the test curve, faster overall than all features: 11.5 times at q = 0, 9.2" in said
    assert "takes 46 µs a word, the fixed middle model 79" in said
    chosen = {"one-shot, parsimonious, complex": 40.9, "one-shot, trajectory, complex": 64.4}
    methods = {name: {"chosen": {"share": share}} for name, share in chosen.items()}
    (miss,) = evidence.misses(with_summary("constrained-ocr", methods=methods))
    assert "40.9 against 64.4 %" in miss
    (before,) = evidence.misses(with_summary("constrained-ocr", methods=methods, against_q_learning=AGAINST))[
        1:
    ]
    assert before == miss
    overhead = {"a": {"gain_eaten": True}, "b": {"gain_eaten": False}}
    (line,) = result.BUDGET.headline(with_summary("budget-ocr", overhead=overhead))
    assert line.measured.startswith("1 of 2 methods faster")


def at_chosen(*speedups):
    return {
        f"range {q}": {
            "speedup": speedup, "error": 5.5, "share": 8.0, "messages_share": share, "us_overhead": 20.0,
        }
        for q, speedup, share in zip(("0", "0.25", "0.5"), speedups, (50.0, 13.8, 11.0), strict=True)
    }  # fmt: skip


POLICY = {
    "features_share_printed": 13.8, "error_at_chosen_printed": 5.36, "all_features_error": 5.39,
    "features_share_refreshed": 8.4, "error_at_chosen_refreshed": 5.52, "greedy_minus_q_learning": 1.0,
}  # fmt: skip


def test_that_stopping_early_slows_words_down_is_said_first():
    slower = with_summary("policy-ocr", **POLICY, at_chosen=at_chosen(11.5, 10.9, 9.2))
    (line,) = result.BUDGET.headline(slower)
    assert line.measured.startswith(
        "stopping messages early slows words down, the opposite of Fig. 7.3: 11.5 at q = 0, "
        "10.9 at q = 0.25, 9.2 at q = 0.5 times faster"
    )
    (miss,) = evidence.misses(slower)
    assert "9.2 times faster than all features at q = 0.5, 11.5 with exact messages" in miss
    said = "\n".join(evidence.sentences(slower))
    assert "q = 0 (exact), budget chosen on training words: 11.5 times faster overall" in said
    assert "13.8 % of all messages" in said
    faster = with_summary("policy-ocr", **POLICY, at_chosen=at_chosen(9.0, 10.0, 11.0))
    assert evidence.misses(faster) == []
    assert result.BUDGET.headline(faster)[0].measured.startswith("stopping messages early makes words faster")


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


def test_a_contradicted_paper_is_said_first():
    base = {"all_features_error": 5.39, "methods": {}}
    found = with_summary("constrained-ocr", **base, against_q_learning=AGAINST)
    (line,) = result.BUDGET.headline(found)
    assert line.measured.startswith(
        "contradicted, Q-learning is ahead of one shot: 8.4 ± 1.2 against 40.9 ± 12.0 % of the features"
    )
    assert "cheaper in 10 of 10 folds; one shot saves 60 % of the total time" in line.measured
    assert "up to 50 % of the total running time" in line.paper
    assert "8.4 ± 1.2 against 40.9 ± 12.0 %" in evidence.misses(found)[0]
    frame = charts.equal_frame(found)
    assert frame["features %, chosen on training words"].tolist() == [8.4, 40.9, 45.0]
    other = AGAINST | {"one_shot": "q-learning", "difference": 0.0}
    ahead = with_summary("constrained-ocr", **base, against_q_learning=other)
    assert evidence.misses(ahead) == []


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
    found = {"name": "steps-ocr", "folds": 4, "rows": [row | {"final_error": 6.0}, row, row]}
    (headline,) = result.STEPS.headline(found)
    assert headline.measured == (
        "steps apart -0.10 ± 0.20 points more letters wrong than letters alone at equal units, with their "
        "letters -0.10 ± 0.20; with everything 5.00 % wrong against 6.00"
    )
    assert "40 % of the first unit" in text.steps_sentences(found)[1]
    drawn = charts.steps_figure(found, palette.LIGHT)
    assert list(drawn.data[0].x) == [0.0, 0.15, 0.6]  # no more than there is to buy
