"""Charts, tables and sentences about budgets on arms from small results."""

import numpy as np
import pytest

from spcviz.problems.arms.paper import charts, result
from spcviz.problems.arms.shown import ANY_SPANS, SPANS, WHOLE_SPANS, spans_of
from spcviz.web.figures import palette

GAP = [[-1.0, 0.5], [0.2, 0.6]]
SPEEDS = ("2", "3", "4", "5")


ABOUT = {
    "splits": 50, "how": "random partitions", "n_clips": 120, "n_chains": 240, "n_frames": 4600,
    "frames_known": 100.0, "tier_ms": [8.0, 7.5, 25.5],
}  # fmt: skip


def row(method, share, error, **more):
    return {
        "method": method, "budget_share": share, "features_share": share, "ms_per_frame": 0.1 + share,
        "overhead_ms": 0.1, "elbow_error": error, "wrist_error": 2 * error, "error": 1.5 * error,
        "error_stderr": 0.3,
    } | more  # fmt: skip


def dms():
    methods = [*charts.SHOWN["dms-pose"], "fixed"]
    rows = [
        row(m, s, 20 - s / 10, data=c, features_share={0: 0.0, 50: 50.0, 100: 100.0}[s])
        for c in ("rendered", "buffy")
        for m in methods
        for s in (0, 50, 100)
    ]
    gaps = dict.fromkeys(SPEEDS, GAP)
    summary = {
        "n_clips_tested": 9, "final_error": [10.0, 20.0], "base_error": [20.0, 40.0], "chosen_speedup": 2.5,
        "chosen_error": [11.0, 21.0], "dms_minus_uniform": gaps, "dms_minus_unsynchronised": gaps,
        "dms_minus_imitation": gaps, "oracle_minus_uniform": gaps, "oracle_minus_at_once": gaps,
        "dms_minus": dict.fromkeys(("oracle", "random clips at once"), gaps), "r2": [0.3, 0.05],
        "imitation_ms": dict.fromkeys(SPEEDS, 15.0), "dms_ms": dict.fromkeys(SPEEDS, 55.0),
        "either_at_2_minus_final": GAP, "either_minus": {"uniform": gaps},
        "dms_at_2_minus_final": GAP, "dms_at_5_minus_uniform_at_2": GAP, "modes_near": [95.0, 1.0],
    }  # fmt: skip
    return {
        "name": "dms-pose", "rows": rows, "summary": {"rendered": summary},
        "accuracy": [
            {"data": "rendered", "reader": name, "radius_px": r, "elbow": 50.0 + r, "wrist": 40.0 + r}
            for name in ("best proposal of a frame", "model 1", "model 3") for r in (10, 20)
        ],
        "stopping_points": [
            {"data": "rendered", "budget_share": s, "stopped_0": 50.0, "stopped_1": 25.0, "stopped_2": 25.0}
            for s in (0, 50, 100)
        ],
        "settings": {"data": {"rendered": ABOUT}},
    }  # fmt: skip


def policy():
    rows = [
        row(m, s, 20 - s / 10, data="rendered") for m in charts.SHOWN["policy-pose"] for s in (0, 1, 50, 100)
    ]
    rows += [
        row("single tier", s, 20 - s / 10, tier=t, ms_per_frame=8.0 + s, data="rendered")
        for t, s in enumerate((0, 40, 100))
    ]
    table = [
        row("q-learning", 5, 12.0, target=4, improvement=80.0, data="rendered", clock="with detectors",
            paper={"error": 44.0, "speedup": 4.0, "features_share": 23.1}),
        row("q-learning, spans", 5, 12.0, target=8, improvement=90.0, data="rendered", is_beyond=True,
            clock="without detectors", improvement_stderr=4.0, improvement_stderr_people=6.0,
            improvement_minus={"q-learning": [25.0, 9.0], "q-learning, whole clips": [-3.0, 2.0, 5.0]}),
        row("All", 100, 10.0, data="rendered"),
    ]  # fmt: skip
    summary = {
        "n_clips_tested": 9,
        "chosen_speedup": 5.0, "chosen_features_share": 40.0, "chosen_error": [9.0, 19.0],
        "all_features_error": [10.0, 20.0], "base_error": [20.0, 40.0], "chosen_minus_all": GAP,
        "least_error_ratio": [0.9, 0.95], "q_learning_minus": {
            rival: {"2": GAP, "3": GAP}
            for rival in ("greedy", "imitation", "uniform by tiers", "random", "random clips at once")
        },
        "least_overhead_ms": 0.1, "full_ms": 150.0, "base_ms": 90.0,
        "q_learning_minus_people": {"greedy": {"2": [0.8, 0.9], "3": [0.6, 0.7]}},
        "people": {"n": 5, "two_stderr_hold": 88.4}, "span_lengths": {
            "q-learning, spans": {"4": 3, "6": 0, "8": 2},
            "q-learning, any spans": {"1": 0, "4": 3, "clips": 2},
        },
    }  # fmt: skip
    return {"name": "policy-pose", "rows": rows, "table": table, "summary": {"rendered": summary}}


@pytest.mark.parametrize("palette", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("joint", charts.JOINTS)
def test_curves_can_be_told_apart_without_colour(palette, joint):
    for drawn in (
        charts.speedup_figure(dms(), palette, joint),
        charts.accuracy_figure(dms(), palette, joint),
        charts.time_figure(policy(), palette, joint),
    ):
        looks = [(t.line.dash, t.marker.symbol) for t in drawn.data if t.mode == "lines+markers"]
        assert len(looks) > 2
        assert len(set(looks)) == len(looks)


def test_speedups_and_changes_are_against_the_last_model():
    drawn = charts.speedup_figure(dms(), palette.LIGHT, "wrist")
    curve = next(t for t in drawn.data if t.name == "Arms, learned (DMS)")
    assert np.allclose(curve.x, [100.1 / 50.1, 1.0])
    assert np.allclose(curve.y, [10.0, 0.0])
    stars = next(t for t in drawn.data if t.mode == "markers+text")
    assert list(stars.text) == ["model 1", "model 2", "model 3"]
    between = [{"features_share": share} for share in (0, 0, 20.0, 33.3333, 50.0, 66.6667, 100.0, 100.0)]
    assert [row["features_share"] for row in charts.at_tiers(between)] == [0, 50.0, 100.0]


def test_stopping_points_of_one_set_of_clips():
    drawn = charts.stopping_figure(dms(), palette.DARK)
    assert [t.name for t in drawn.data] == list(charts.TIER_NAMES)
    assert [sum(t.y[i] for t in drawn.data) for i in range(3)] == [100, 100, 100]


def test_time_starts_at_the_first_tier():
    drawn = charts.time_figure(policy(), palette.LIGHT, "elbow")
    assert min(x for t in drawn.data for x in t.x) > 0
    assert list(drawn.data[-1].text) == list(charts.TIER_NAMES)


def test_frames():
    frame = charts.table_frame(policy())
    assert frame.loc["Frames, learned (DMS-π) at 4x", "wrong %, paper"] == 44.0
    assert np.isnan(frame.loc["All", "wrong %, paper"])
    curves = charts.curves_frame(dms())
    assert (
        curves.loc["Arms, learned (DMS) (buffy)", "elbows / wrists wrong % at 50 % of cost"] == "15.0 / 30.0"
    )
    assert "single tier for all" not in charts.curves_frame(policy()).index


def test_gaps_are_numbers_without_a_verdict():
    frame = charts.gaps_frame(dms())
    row = frame.loc["DMS against “Arms, by imitation” (rendered)"].iloc[0]
    assert [name for name in frame if name.startswith(("elbows", "wrists"))] == [
        f"{joint}s, {what}" for joint in charts.JOINTS for what in ("points", "std. error (clips)")
    ]
    assert row["elbows, points"] == -1.0
    assert row["ms a frame"] == 15.0  # what imitation spends
    frame = charts.gaps_frame(policy())
    greedy = frame.loc[["DMS-π against “Frames, greedy” (rendered)"]]
    assert list(greedy["times less time"]) == ["2", "3"]
    assert greedy["wrists, std. error (persons)"].tolist() == [0.9, 0.7]
    assert frame.loc[["DMS-π against “Frames, by imitation” (rendered)"]].iloc[:, -1].isna().all()


def test_lengths_are_compared_with_both_spreads():
    frame = charts.lengths_frame(policy())
    first, second = frame.iloc[0], frame.iloc[1]
    assert frame.index[0] == "Spans of 4 to 8 frames, learned (DMS-π) against “Frames, learned (DMS-π)”"
    assert (first["clock"], first["times less time"]) == ("without detectors", 8)
    assert (first["points more of it"], first["std. error (clips)"]) == (25.0, 9.0)
    assert np.isnan(first["std. error (persons)"])
    assert second["std. error (persons)"] == 5.0
    line = charts.table_frame(policy()).loc["Spans of 4 to 8 frames, learned (DMS-π) at 8x beyond detectors"]
    assert (line["its std. error (clips)"], line["its std. error (persons)"]) == (4.0, 6.0)
    assert charts.lengths_frame({"table": [row("All", 100, 10.0, data="rendered")]}).empty
    # Each name belongs to one method: otherwise lines could not be told apart.
    names = SPANS, ANY_SPANS, WHOLE_SPANS, *map(spans_of, (4, 6, 8))
    lengths = {charts.name_of(policy(), name) for name in names}
    assert len(lengths | {"Frames, learned (DMS-π)", "Arms, learned (DMS-π)"}) == 8


def test_lines_of_the_same_name_keep_their_own_numbers():
    """Both kinds of clips have a line of each method: no number may appear under the other kind's name."""
    result = policy()
    result["table"] += [line | {"data": "signs", "error": line["error"] + 50.0} for line in result["table"]]
    for draw in (charts.table_frame, charts.lengths_frame):
        frame = draw(result).reset_index()
        assert len(frame) == 2 * len(draw(policy()))
        assert not frame.duplicated([frame.columns[0], "clips"]).any()
    frame = charts.table_frame(result)
    assert (frame.loc[frame["clips"] == "signs", "mean wrong %, measured"] > 50).all()
    assert (frame.loc[frame["clips"] == "rendered", "mean wrong %, measured"] < 50).all()


def test_lengths_that_training_clips_chose_are_noted():
    said = " ".join(result.POLICY.notes(policy()))
    assert "training clips chose of spans: of 4 in 3, of 6 in 0, of 8 in 2 splits; of all: " in said
    assert "of all: frames in 0, of 4 in 3, whole arms in 2;" in said
    assert "detectors alone are 2.7 times faster than all" in said
    assert "5 persons: two standard errors over so few hold the truth in 88 % of cases" in said
    older = policy()
    for key in ("people", "span_lengths"):
        del older["summary"]["rendered"][key]
    assert "Spans" not in " ".join(result.POLICY.notes(older))


def test_clips_and_splits_are_noted():
    assert "rendered clips: 50 splits (random partitions) of 120 clips, 4600 frames" in " ".join(
        result.DMS.notes(dms())
    )
