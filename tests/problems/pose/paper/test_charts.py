"""Tables and sentences of the results on poses, without a browser."""

from spcviz.problems.pose.paper import result as shown
from spcviz.problems.pose.paper import tables
from spcviz.web.figures.palette import LIGHT


def test_the_table_tells_paper_from_measured():
    row = {"level": 2, "grid": "20x20x24", "efficiency": 87.0, "oracle_pcp25": 97.0,
           "oracle_pcp25_top4": 80.0, "protocol": "annotated", "method": "learned",
           "pcp50": {"torso": 99.0}, "pcp50_upper_arms": 85.0,
           "paper": {"oracle_pcp25_top4": 98.8, "efficiency": 87.5}}  # fmt: skip
    mean = {"method": "mean pose, picture not seen", "protocol": "annotated", "pcp50": {"torso": 90.0},
            "pcp50_upper_arms": 70.0}  # fmt: skip
    result = {"name": "pose-cascade", "rows": [row], "baselines": [mean]}
    assert tables.is_usable(result)
    assert not tables.is_usable({"rows": [{"level": 1}]})
    table = tables.levels_frame(result)
    assert table["top 4 PCP 0.25 %, paper"].tolist() == [98.8]
    assert table["top 4 PCP 0.25 %, measured"].tolist() == [80.0]
    assert len(tables.guesses_frame(result)) == 2
    coarser = row | {"level": 1}
    assert len(tables.guesses_frame(result | {"rows": [coarser, row]})) == 2  # only the last level's guess
    assert "a mean pose that never looks at the picture 70.0 %" in tables.sentence(result)
    assert any("paper" in t.name for t in tables.levels_figure(result, LIGHT).data)


def level(number, cells, top4, paper, **more):
    return {
        "level": number, "grid": f"{cells}x{cells}x24", "efficiency": 90.0, "oracle_pcp25": 97.0,
        "oracle_pcp25_top4": top4, "protocol": "annotated",
        "paper": {"oracle_pcp25_top4": paper, "efficiency": 87.5},
    } | more  # fmt: skip


CASCADE = {
    "name": "pose-cascade",
    "rows": [
        level(0, 20, 80.0, 98.8),
        level(1, 40, 90.0, 84.6, filter_loss_definition_1=20.3, detect_ms=103.2, cascade_ms=56.0),
    ],
    "baselines": [
        {"method": "learned", "pcp50_upper_arms": 83.6, "pcp50_upper_arms_stderr": 3.4},
        {"method": "hand-set weights", "pcp50_upper_arms": 82.8},
    ],
    "lower_arms": [{"pcp50": {"torso": 99.0, "left lower arm": 50.0, "right lower arm": 58.0}}],
    "settings": {"n_frames": 276, "jitter_px": 10.0, "jitter_scale": 0.1},
}


def test_the_table_of_other_thresholds():
    row = CASCADE["rows"][1] | {"states_kept": 189.0, "truth_lost": 3.0}
    trade = [row | {"tolerance": 0.01, "n_kept": None}, row | {"tolerance": None, "n_kept": 1200}]
    table = tables.trade_frame(CASCADE | {"trade": trade})
    assert list(table.index) == [
        "1 % of development frames lost a level (Def. 1)", "1200 states a limb, the paper's sizes"
    ]  # fmt: skip
    assert table["states a limb"].tolist() == [189.0, 189.0]
    assert tables.trade_frame(CASCADE).empty


def over_time(gain, ties="hand-set", data="rendered", **more):
    row = {"clips": data, "data": data, "method": "ensemble", "ties": ties, "elbow_error": 9.0}
    row |= {"ms_per_frame": 1.0, "elbow_gain_over_single": gain, "elbow_gain_stderr": 0.5}
    return {"name": "pose-ensemble", "rows": [row | more], "paper": {"order": "ensemble best"}}


def test_learned_ties_stand_beside_those_not_learned():
    more = {"elbow_gain_over_unlearned": -0.4, "elbow_gain_over_unlearned_stderr": 0.1}
    learned, hand = over_time(1.1, "learned", "signs", **more), over_time(1.5, "hand-set", "signs")
    both = learned | {"rows": hand["rows"] + learned["rows"]}
    assert list(tables.ensemble_frame(both).index) == [
        "signs: ensemble, ties of 1", "signs: ensemble, learned jointly (5.6)"
    ]  # fmt: skip
    left = {"nose": [1323, 1323], "l_wrist": [1277, 1323]}
    (said,) = shown.ENSEMBLE.notes(
        both | {"settings": {"joints_left": left, "visible": 0.5, "attribution": "CC", "detectors": "so"}}
    )
    assert "l wrist counts on 1277 of 1323 frames" in said
    assert "not annotation" in said
    folds = [
        {"fold": "signs, A", "rows": both["rows"]},
        {"fold": "buffy", "rows": over_time(1, data="buffy")["rows"]},
    ]
    table = tables.folds_frame(both | {"fold_rows": folds})
    assert table.index.tolist() == ["A"]
    assert table.columns.tolist() == ["ensemble, ties of 1, px", "ensemble, learned jointly (5.6), px"]
