"""Table 4.2 next to the paper's: frames and notes, from a small result."""

import pytest

from spcviz.problems.tagging.paper import charts
from spcviz.problems.tagging.paper.result import TABLE

PAPER = {
    "full": {"accuracy": 96.83, "filter_loss": 0.0, "ms": 100.0, "states": 1935.7},
    "spc": {"accuracy": 96.82, "filter_loss": 0.121, "ms": 1.0, "states": 3.93},
}


def equal(data, features, method, value, against=None, target=5.0):
    """A row of a whole cascade at equal loss."""
    return {
        "data": data, "features": features, "filter": "cascade", "method": method, "target": target,
        "pairs_equal": value, "pairs_equal_low": value and 0.9 * value,
        "pairs_equal_high": value and 1.1 * value,
        "against_spc": against,
    }  # fmt: skip


def row(data, features, method, right, states, us):
    return {
        "data": data, "features": features, "method": method, "accuracy": right, "states": states,
        "filter_loss_sentence": 2.0, "filter_loss_token": 0.1, "us_inference": us, "us_total": us + 40,
        "paper": PAPER.get(method),
    }  # fmt: skip


RESULT = {
    "name": "tagging",
    "rows": [
        row("wsj", "full", "full", 96.4, 2025.0, 440.0),
        row("wsj", "full", "spc", 96.6, 3.2, 20.0),
        row("wsj", "full", "crf", 96.5, 3.8, 32.0),
        row("ewt", "full", "full", 94.6, 2401.0, 300.0),
        row("ewt", "full", "spc", 94.5, 7.6, 30.0),
        row("ewt", "full", "crf", 95.1, 6.2, 42.0),
        row("ewt", "paper", "spc", 89.7, 28.5, 83.0),
        row("wsj", "paper", "spc", 91.3, 32.9, 153.0),
    ],
    "settings": {"tokens_right": "spc: one; full: another"},
    "corpora": {"wsj full": "b54ebc4602dfd7", "wsj paper": "b54ebc4602dfd7"},
}


def test_the_frame_compares_with_full_on_the_same_corpus():
    frame = charts.methods_frame(RESULT, "full")
    assert frame.loc["Wall Street Journal sample, SPC", "times faster, inference"] == 22.0
    assert frame.loc["English Web Treebank, SPC", "times faster, with features"] == pytest.approx(340 / 70)
    assert frame.loc["English Web Treebank, SPC", "words right %, paper"] == 96.82


EQUAL = [
    equal("wsj", "full", "spc", 5.0),
    equal("wsj", "full", "crf", 3.0, "fewer"),
    equal("wsj", "full", "perceptron", 4.9, "as many"),
    equal("ewt", "full", "spc", 7.0),
    equal("ewt", "full", "crf", 8.0, "more"),
    equal("ewt", "paper", "spc", None),
    equal("ewt", "paper", "crf", 18.0),
    equal("wsj", "full", "spc", 2.0, target=21.6),
]


LEVELS = [
    {
        "order": order, "tolerance": 3.0, "lost_held_out": lost, "lost_held_out_in_all": lost + 1,
        "is_kept": lost <= 3, "alpha": 0.1, "train_alpha": 0.2, "n_passes": 4,
    }
    for order, lost in ((1, 1.5), (2, 5.5), (3, 19.0))
]  # fmt: skip


def test_tolerances_that_no_alpha_keeps_are_named():
    rows = [r | {"levels": LEVELS} if r["method"] == "spc" else r for r in RESULT["rows"][:3]]
    frame = charts.levels_frame({"rows": rows}, "full")
    assert frame["kept"].tolist() == ["yes", "no", "no"]
    assert frame["may lose %"].tolist() == [3.0] * 3
    assert charts.methods_frame({"rows": rows}, "full")["filters over their tolerance"].iloc[1] == 1


def test_an_alpha_below_the_mean_is_said():
    row = RESULT["rows"][1] | {"levels": [LEVELS[0] | {"alpha": -0.4}]}
    assert charts.levels_frame({"rows": [row]}, "full")["kept"].tolist() == ["yes, below the mean"]


def test_tries_are_shown_with_what_was_taken():
    tried = {
        "data": "wsj", "features": "full", "method": "spc", "losses": [3.0, 5.0], "pairs": [4.0, None],
        "score": None, "is_taken": False, "number": 0,
        "settings": {"filter_rate": 30.0, "train_alphas": [0.6]},
    }  # fmt: skip
    taken = tried | {"number": 1, "is_taken": True, "pairs": [4.0, 2.0], "score": 2.83}
    frame = charts.tried_frame(RESULT | {"tried": [tried, taken, tried | {"features": "paper"}]}, "full")
    assert frame["settings"].tolist() == ["filter_rate 30, train_alphas 0.6"] * 2
    assert frame["taken"].tolist() == ["", "yes"]
    assert frame["bigrams at 5 %"].iloc[1] == 2.0
    assert charts.tried_frame(RESULT, "full") is None


def test_frames_of_equal_losses_and_of_orders():
    frame = charts.equal_frame(RESULT | {"equal": EQUAL}, "full")
    assert frame.loc["Wall Street Journal sample, whole cascade, 5 %", "CRF"] == "3 (2.7 to 3.3)"
    assert frame.loc["English Web Treebank, whole cascade, 5 %", "SPC"] == "7 (6.3 to 7.7)"
    assert charts.equal_frame(RESULT, "full") is None
    order = {
        "data": "wsj", "features": "full", "method": "spc", "split": "test", "order": 5, "accuracy": 96.0,
        "filter_loss_sentence": 9.0, "states": 2.0, "tags": 1.3, "us_inference": 40.0,
    }  # fmt: skip
    (line,) = charts.orders_frame({"orders": [order, order | {"split": "dev"}]}, "full").to_dict("records")
    assert line["words right %"] == 96.0
    assert line["µs a sentence, inference"] == 40.0


def test_how_losses_are_treated_is_noted():
    assert "its rivals with dropout" in TABLE.notes(RESULT)[0]
    assert "as many tries each" in TABLE.notes(RESULT | {"tried": [{}]})[0]


def test_what_was_trained_on_is_noted():
    rows = [r | {"n_train": 3136} if r["data"] == "ewt" else r for r in RESULT["rows"]]
    said = "\n".join(TABLE.notes(RESULT | {"rows": rows}))
    assert "Corpora: Wall Street Journal sample (SHA-256 b54ebc4602df…)." in said
    assert "English Web Treebank, affixes, case, neighbours too 3,136" in said
    assert "Who tags: spc: one; full: another." in said
    assert len(TABLE.notes({"rows": RESULT["rows"]})) == 1
