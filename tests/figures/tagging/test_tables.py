"""Table 4.2 beside the paper: frame, sentences and headline, from a small result."""

import pytest

from spcviz.figures.tagging import tables, tables_text
from spcviz.figures.tagging.result import TABLE

PAPER = {
    "full": {"accuracy": 96.83, "filter_loss": 0.0, "ms": 100.0, "states": 1935.7},
    "spc": {"accuracy": 96.82, "filter_loss": 0.121, "ms": 1.0, "states": 3.93},
}


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


def test_where_the_paper_s_claims_hold_and_where_not():
    states, *speeds = TABLE.misses(RESULT)
    assert "holds for Wall Street Journal sample" in states
    assert "but not for English Web Treebank, affixes, case, neighbours too (7.6 and 6.2)" in states
    assert [s.split(". ")[0] for s in speeds] == [
        "Wall Street Journal sample: 22.0 times faster than Full, not 100 times",
        "English Web Treebank: 10.0 times faster than Full, not 100 times",
    ]
    times = {"full": 1000.0, "spc": 5.0, "crf": 32.0}
    fast = [r | {"us_inference": times[r["method"]]} for r in RESULT["rows"][:3]]
    assert TABLE.misses(RESULT | {"rows": fast}) == []


def test_sentences_of_the_report():
    assert tables_text.paper_times(RESULT, "full") == "Paper, times faster than its Full: SPC 100."
    assert "SPC is 22.0 times faster than Full, 8.0 times with the time" in tables_text.speeds(RESULT, "full")
    assert "28 to 33 bigrams a position and gets 89.7 to 91.3 %" in tables_text.word_alone(RESULT)
    assert "SPC above Full (Wall Street Journal sample)" in tables_text.learners(RESULT)
    assert tables_text.corpora(RESULT) == "Corpora: Wall Street Journal sample (SHA-256 b54ebc4602df…)."
    bare = {"name": "tagging", "rows": RESULT["rows"][2:3]}
    said = tables_text.word_alone(bare), tables_text.learners(bare), tables_text.corpora(bare)
    assert said == ("", "", "")


def test_the_headline():
    (line,) = TABLE.headline(RESULT)
    assert line.paper == "100 times; 96.82 % (all of WSJ)"
    assert line.measured == (
        "22.0 times; 96.60 % (Wall Street Journal sample); 10.0 times; 94.50 % (English Web Treebank)"
    )
