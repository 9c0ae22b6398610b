"""Verdicts follow the numbers: a stored result is changed in one place, and its claim says so."""

import json
from functools import cache

import pytest

from spcviz import registry
from spcviz.shared.folders import RESULTS
from spcviz.web.figures import claims


@cache
def stored(name):
    return (RESULTS / f"{name}.json").read_text()


def rows(result, table="rows", **wanted):
    """Rows of a table that have these values."""
    return [row for row in result[table] if wanted.items() <= row.items()]


def put(key, value, table="rows", **wanted):
    """Write a value into all rows that have these values."""

    def change(result):
        matches = rows(result, table, **wanted)
        assert matches
        for row in matches:
            row[key] = value

    return change


def at(*path, to):
    """Write a value somewhere."""

    def change(node):
        for key in path[:-1]:
            node = node[key]
        assert node[path[-1]] != to
        node[path[-1]] = to

    return change


def scaled(key, factor, **wanted):
    def change(result):
        for row in rows(result, **wanted):
            row[key] *= factor

    return change


def every_alpha(result):
    for fold in result["fold_rows"]:
        for row in fold["rows"]:
            row["alpha"] = 0.0


def kept_levels(result):
    for row in result["rows"]:
        for level in row.get("levels", ()):
            level["is_kept"] = True


def high_ratios(result):
    for row in result["compared"]:
        row["ratio"] = 0.7


def no_oldest(result):
    for row in result["centres"]:
        row["LBP"] = 0


def fast_printed(result):
    for name, row in result["summary"]["tags"].items():
        row["pays_from"] = 9.0 if name.startswith("printed") else row["pays_from"]


def clear_gaps(result):
    for gaps in result["summary"]["signs"]["q_learning_minus"].values():
        for speed in gaps:
            gaps[speed] = [[-5.0, -5.0], [0.1, 0.1]]


def more_pairs(value, low, high):
    """The CRF keeps more pairs than SPC, by an interval."""

    def change(result):
        for key, number in (("pairs_more", value), ("pairs_more_low", low), ("pairs_more_high", high)):
            put(key, number, "equal", **SPC)(result)

    return change


SPC = {"features": "full", "data": "wsj", "filter": "cascade", "target": 5.0, "method": "crf"}
TAGS = {"features": "full", "data": "ewt", "method": "tags"}
RAW = {"features": "raw", "tolerance_kind": "position"}
THREE = ("summary", "signs", "dms_minus_uniform", "3", 0)
CASES = [
    ("ocr-orders", "words right, order 4", "short by 0.04", put("word_accuracy", 95.0, order=4, **RAW),
     "better"),
    ("ocr-orders", "letters right, order 6", "short by 0.04", put("char_accuracy", 98.541, order=6, **RAW),
     "reproduced"),
    ("ocr-orders", "filter loss, order 3", "short by 2.14", put("filter_loss_position", 0.7, order=3, **RAW),
     "better"),
    ("ocr-orders", "words right, raw pixels", "short by 2.57",
     put("word_accuracy", 50.0, "baselines", features="raw"), "better"),
    ("ocr-orders", "times as fast, raw pixels, worst order", "short by 0.48",
     scaled("us_per_word", 0.001, features="raw"), "better"),
    ("ocr-orders", "tolerance kept, filters of orders 5 and 6", "reproduced", every_alpha,
     "not reproduced"),
    ("ocr-sweep", "at 5 % of words lost, against the CRF filter", "short by 0.5",
     put("efficiency_loss", [0.0] * 123, method="spc", level=2, split="test"), "better"),
    ("ocr-open", "share of beam's time, raw pixels", "better",
     put("us_per_word", 1.0, method="beam", data="unseen"), "short by 53.52"),
    ("ocr-open", "share of beam's time, Fourier features", "short by 0.08",
     put("word_accuracy", 0.0, method="beam", data="unseen"), claims.NOT_MEASURED),
    ("ocr-open", "words right, Fourier features, beam in no more time", "better",
     put("word_accuracy", 99.0, method="beam", data="unseen"), "short by 19.60"),
    ("ocr-open", "Kneser-Ney, begin marks, Fourier features", "better",
     put("word_accuracy", 90.0, "priors", prior="counted", marks=False), "short by 9.67"),
    ("ocr-open", "more words right at each order, Fourier features", "reproduced",
     put("word_accuracy", 0.0, method="cascade", order=6, features="fourier"), "not reproduced"),
    ("tagging", "SPC fewer than CRF, WSJ sample", "no difference", more_pairs(5.0, 1.0, 9.0), "reproduced"),
    ("tagging", "SPC fewer than CRF, WSJ sample", "no difference", more_pairs(-5.0, -9.0, -1.0),
     "contradicted"),
    ("tagging", "SPC against Tags, EWT", "no difference", put("right_against_spc", "more", **TAGS),
     "better"),
    ("tagging", "affixes, case, neighbours", "not reproduced", kept_levels, "reproduced"),
    ("tagging", "EWT", "short by 105.5", scaled("us_inference", 0.001, method="spc"), "better"),
    ("grid", "order at every K", "reproduced", at("order_holds", "broken_at_k", to=[2]),
     "not reproduced"),
    ("grid", "ensemble below LBP, K = 3", "reproduced", put("gap", 0.003, "gaps", method="lbp", k=3),
     "no difference"),
    ("policy-theorems", "theorems hold", "reproduced", put("violations", 1, theorem="2.3"), "not reproduced"),
    ("policy-theorems", "2.2's minimiser, one state for all", "short by 46.0",
     put("astray", 0.0, theorem="2.2", policies="all"), "no difference"),
    ("pose-cascade", "top 4, 20 × 20 cells", "short by 10.5",
     put("oracle_pcp25_top4", 99.0, protocol="annotated", level=2), "better"),
    ("pose-cascade", "fall from level to level", "not reproduced",
     put("oracle_pcp25_top4", 99.0, protocol="annotated", level=2), "reproduced"),
    ("pose-cascade", "tolerance kept", "reproduced", at("tuning", 1, "tolerance", to=0.001),
     "not reproduced"),
    ("pose-cascade", "tolerance kept, a state within 25 % is enough", "reproduced",
     at("tuning", 0, "tolerance", to=0.001), "not reproduced"),
    ("pose-ensemble", "ensemble, rendered, learned from ties of 1 a sub-model", "reproduced",
     put("elbow_gain_stderr", 0.5, data="rendered", method="ensemble"), "no difference"),
    ("pose-ensemble", "ensemble, rendered, ties learned jointly (5.6)", "reproduced",
     put("elbow_gain_over_single", -9.0, data="rendered", method="ensemble"), "contradicted"),
    ("pose-people", "signing, five people",
     "no difference", put("mean_pose_of_others_pcp50", 99.9, data="signs"),
     "short by 1.8"),
    ("dms-ocr", "times cheaper in units", "better", at("summary", "speedup_units", to=2.0), "short by 0.50"),
    ("dms-ocr", "letters wrong at that budget", "better", at("summary", "error_at_chosen", to=5.8),
     "short by 0.66"),
    ("policy-ocr", "more speed at q = 0.5 than exact", "contradicted",
     at("summary", "at_chosen", "range 0.5", "speedup", to=20.0), "reproduced"),
    ("policy-ocr", "greedy's error less Q-learning's, points", "contradicted",
     at("summary", "greedy_minus_q_learning", to=0.03), "reproduced"),
    ("constrained-ocr", "features, budget chosen", "contradicted",
     at("summary", "against_q_learning", "difference", to=-5.0), "reproduced"),
    ("constrained-ocr", "trajectory search ahead, complex features", "contradicted",
     at("summary", "methods", "one-shot, trajectory, complex", "chosen", "share", to=9.0), "reproduced"),
    ("steps-ocr", "points more wrong, with their letters", "short by 1.02",
     put("error_minus_letters", -1.0, method="q-learning, with steps"), "better"),
    ("quiescence", "pays as printed, sentences", "not reproduced", fast_printed, "reproduced"),
    ("dms-pose", "times as fast at the last model's error", "short by 0.5",
     at("summary", "signs", "chosen_speedup", to=2.04), "reproduced"),
    ("dms-pose", "wrists lost in 1/2 of the time", "no difference",
     at("summary", "signs", "dms_at_2_minus_final", 0, 1, to=3.0), "short by 3.0"),
    ("dms-pose", "wrists ahead of random by tier, 1/3 of the time", "reproduced", at(*THREE, 1, to=3.9),
     "contradicted"),
    ("policy-pose", "share of the gain, 8x faster, detectors free, signing", "short by 32",
     put("improvement", 94.1, "table", data="signs", method="q-learning", target=8), "reproduced"),
    ("policy-pose", "share of the gain, 2x faster in all, signing", "better",
     put("improvement", 79.0, "table", data="signs", method="q-learning", target=2), "short by 1"),
    ("policy-pose", "better than greedy, signing", "not reproduced", clear_gaps, "reproduced"),
    ("policy-pose", "whole arms less effective, signing", "not reproduced",
     put("improvement", 10.0, "table", data="signs", method="q-learning, whole clips", target=4),
     "reproduced"),
    ("parsing", "half of the words, points lost, EWT", "short by 0.70",
     put("minus_full_interval", [-0.9, 0.0], "compared", data="ewt", is_chosen=True), "no difference"),
    ("parsing", "times faster at 1 point less, with the length dictionary, EWT", "short by 1.4",
     put("times_faster", 3.5, "chosen", data="ewt"), "better"),
    ("parsing", "expensive features go to low depth first, EWT", "not reproduced",
     put("bought", [0.9, 0.1], "depth", data="ewt"), "reproduced"),
    ("hybrid", "dearer than the better parent", "short by 75", high_ratios, "reproduced"),
    ("hybrid", "times its parents' mixtures, at the dearest", "short by 0.65",
     put("ratio", 0.9, "compared", method="spc_pi", against="hull"), "better"),
    ("constrained-ocr", "share bought, values made anew", "better",
     at("summary", "against_q_learning", "methods", "q-learning", "equal_share", to=30.0), "short by 10.0"),
    ("hybrid", "nodes right", "no difference", put("right", 99.0, "loopy", how="doubt"), "better"),
    ("scene", "SIM, pixels right", "short by 3.1", put("interval", {"pixel": [70, 90],
     "class": [0, 99]}, method="sim"),
     "no difference"),
    ("scene", "LBP ignored", "not reproduced", no_oldest, "reproduced"),
    ("scene", "ahead of all that are done before it", "not reproduced",
     put("pixel_accuracy", 99.0, method="sim"), "reproduced"),
    ("dms-scene", "at random, 0.25 of the cost", "short by 1.84",
     put("interval", [-0.1, 1.2], "compared", method="uniform", share=0.25), "no difference"),
]  # fmt: skip


def said(name, what, result):
    shown = registry.load(registry.results()[name].show)
    return next(r.verdict for r in claims.readings_of(shown.claims, result) if r.claim.what == what)


@pytest.mark.parametrize(
    ("name", "what", "before", "change", "after"), CASES, ids=lambda v: v[:60] if isinstance(v, str) else ""
)
def test_a_changed_number_changes_its_verdict(name, what, before, change, after):
    result = json.loads(stored(name))
    assert said(name, what, result) == before
    change(result)
    assert said(name, what, result) == after


def test_a_result_of_fewer_data_sets_says_what_was_not_measured():
    result = json.loads(stored("tagging"))
    result["rows"] = rows(result, features="full", data="wsj")
    assert said("tagging", "SPC against Tags, EWT", result) == claims.NOT_MEASURED
    assert said("tagging", "SPC against Tags, WSJ sample", result) == "no difference"


@pytest.mark.parametrize(("name", "broken"), [("dms-pose", {"summary": 5}), ("grid", {"gaps": None})])
def test_a_damaged_result_is_an_error_and_no_verdict(name, broken):
    with pytest.raises((KeyError, TypeError, IndexError, ValueError)):
        said(name, "", json.loads(stored(name)) | broken)
