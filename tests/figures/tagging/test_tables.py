"""Table 4.2 beside the paper: frame, sentences and headline, from a small result."""

import pytest

from spcviz.figures.tagging import tables, tables_text
from spcviz.figures.tagging.result import TABLE

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
    frame = tables.methods_frame(RESULT, "full")
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


def test_where_the_paper_s_claims_hold_and_where_not():
    fewest, *speeds = TABLE.misses(RESULT | {"equal": EQUAL})
    assert fewest.startswith(
        "SPC does not leave fewest bigrams at equal sentences lost (5 %), with affixes, case and neighbours: "
        "CRF fewer on Wall Street Journal sample; Perceptron as many on Wall Street Journal sample. At 5 %"
    )
    assert [s.split(". ")[0] for s in speeds] == [
        "Wall Street Journal sample: 22.0 times faster than Full, not 100 times",
        "English Web Treebank: 10.0 times faster than Full, not 100 times",
    ]
    times = {"full": 1000.0, "spc": 5.0, "crf": 32.0}
    fast = [r | {"us_inference": times[r["method"]]} for r in RESULT["rows"][:3]]
    assert TABLE.misses(RESULT | {"rows": fast}) == []


def test_who_leaves_fewest_at_equal_loss():
    said = tables_text.winners(RESULT | {"equal": EQUAL}, "full")
    assert "Wall Street Journal sample: CRF leaves fewest (SPC 5 (4.5 to 5.5), CRF 3 (2.7 to 3.3)" in said
    assert "English Web Treebank: SPC leaves fewest (SPC 7 " in said
    close = [r | {"against_spc": "as many"} if r["method"] == "crf" else r for r in EQUAL]
    said = tables_text.winners(RESULT | {"equal": close}, "full")
    assert "CRF leaves fewest, but SPC is within chance of it" in said
    assert "SPC leaves fewest, within chance of CRF (SPC 7" in said
    paper = tables_text.winners(RESULT | {"equal": EQUAL}, "paper")
    assert paper == (
        "At 5 % of the test sentences lost, with the paper's features: English Web Treebank: SPC cannot lose "
        "as few sentences."
    )
    assert tables_text.winners(RESULT, "full") == ""


def test_tags_is_met_at_its_own_loss_and_named_where_it_wins():
    tags = row("wsj", "full", "tags", 97.0, 20.3, 30.0) | {"sentence_loss": 21.6, "right_against_spc": "more"}
    result = RESULT | {"rows": [*RESULT["rows"], tags], "equal": EQUAL}
    assert tables_text.beside_tags(result, "full") == (
        "Wall Street Journal sample: Tags loses 21.6 % of the sentences and leaves 20.3 bigrams a position; "
        "losing as many, cascades leave SPC 2 (1.8 to 2.2)."
    )
    said = tables_text.most_right(result, "full")
    assert "Wall Street Journal sample: Tags 97.00 %, SPC 96.60 %, CRF 96.50 %, Full 96.40 %;" in said
    close = RESULT | {"rows": [*RESULT["rows"], tags | {"right_against_spc": "as many"}], "equal": EQUAL}
    assert "Full 96.40 % (within chance of SPC: Tags)" in tables_text.most_right(close, "full")
    assert not any("trivial" in m for m in TABLE.misses(close))
    assert any(
        "trivial method Tags gets more words right than SPC on Wall" in m for m in TABLE.misses(result)
    )


LEVELS = [
    {
        "order": order, "tolerance": 3.0, "lost_held_out": lost, "lost_held_out_in_all": lost + 1,
        "is_kept": lost <= 3, "alpha": 0.1, "train_alpha": 0.2, "n_passes": 4,
    }
    for order, lost in ((1, 1.5), (2, 5.5), (3, 19.0))
]  # fmt: skip


def test_tolerances_that_no_alpha_keeps_are_named():
    rows = [r | {"levels": LEVELS} if r["method"] == "spc" else r for r in RESULT["rows"][:3]]
    said = tables_text.broken_tolerances({"rows": rows})
    assert said.endswith(
        "SPC, Wall Street Journal sample, affixes, case, neighbours too: level 2 loses 5.5 % of 3, "
        "level 3 loses 19.0 % of 3 % allowed."
    )
    frame = tables.levels_frame({"rows": rows}, "full")
    assert frame["kept"].tolist() == ["yes", "no", "no"]
    assert frame["may lose %"].tolist() == [3.0] * 3
    assert tables.methods_frame({"rows": rows}, "full")["filters over their tolerance"].iloc[1] == 1
    assert tables_text.broken_tolerances(RESULT) == ""


def test_frames_of_equal_losses_and_of_orders():
    frame = tables.equal_frame(RESULT | {"equal": EQUAL}, "full")
    assert frame.loc["Wall Street Journal sample, whole cascade, 5 %", "CRF"] == "3 (2.7 to 3.3)"
    assert frame.loc["English Web Treebank, whole cascade, 5 %", "SPC"] == "7 (6.3 to 7.7)"
    assert tables.equal_frame(RESULT, "full") is None
    order = {
        "data": "wsj", "features": "full", "method": "spc", "split": "test", "order": 5, "accuracy": 96.0,
        "filter_loss_sentence": 9.0, "states": 2.0, "tags": 1.3, "us_inference": 40.0,
    }  # fmt: skip
    (found,) = tables.orders_frame({"orders": [order, order | {"split": "dev"}]}, "full").to_dict("records")
    assert found["words right %"] == 96.0
    assert found["µs a sentence, inference"] == 40.0
    orders = [order | {"order": n, "accuracy": 96.0 - abs(n - 3)} for n in range(1, 6)]
    said = tables_text.best_order({"rows": RESULT["rows"], "orders": orders}, "full")
    assert (
        "SPC, Wall Street Journal sample: order 3 (96.00 %); 5-grams get 94.00 % and have lost 9.0 %" in said
    )
    assert tables_text.best_order({"rows": RESULT["rows"], "orders": orders[:3]}, "full") == ""


def test_sentences_of_the_report():
    assert tables_text.paper_times(RESULT, "full") == "Paper, times faster than its Full: SPC 100."
    assert "SPC is 22.0 times faster than Full, 8.0 times with the time" in tables_text.speeds(RESULT, "full")
    assert tables_text.trained_on(RESULT, "full") == ""
    rows = [r | {"n_train": 3136} if r["data"] == "ewt" else r for r in RESULT["rows"]]
    said = tables_text.trained_on({"rows": rows}, "paper")
    assert said == "Training sentences: English Web Treebank 3,136."
    assert "28 to 33 bigrams a position and gets 89.7 to 91.3 %" in tables_text.word_alone(RESULT)
    assert "SPC above Full (Wall Street Journal sample)" in tables_text.learners(RESULT)
    assert tables_text.corpora(RESULT) == "Corpora: Wall Street Journal sample (SHA-256 b54ebc4602df…)."
    bare = {"name": "tagging", "rows": RESULT["rows"][2:3]}
    said = tables_text.word_alone(bare), tables_text.learners(bare), tables_text.corpora(bare)
    assert said == ("", "", "")


def test_the_headline():
    *firsts, line = TABLE.headline(RESULT | {"equal": EQUAL})
    first, second = firsts
    assert first.what.startswith("Tagging with affixes, case and neighbours: fewest bigrams at equal loss")
    assert first.paper == "SPC 3.93, Full 96.83 %"
    assert first.measured == (
        "Wall Street Journal sample: CRF 3; SPC 5, SPC 96.60 %; "
        "English Web Treebank: SPC 7, CRF 95.10 %; SPC 94.50 %"
    )
    assert second.measured == "English Web Treebank: CRF 18, SPC 89.70 %"
    assert TABLE.headline(RESULT) == [line]
    assert line.paper == "100 times; 96.82 % (all of WSJ)"
    assert line.measured == (
        "22.0 times; 96.60 % (Wall Street Journal sample); 10.0 times; 94.50 % (English Web Treebank)"
    )
