"""The Tagging page's comparison and the curves of filters, without a browser."""

import pytest

from spcviz.problems.tagging.paper import charts
from spcviz.problems.tagging.shown import TagComparison
from spcviz.web.figures import palette

FOUND = TagComparison(
    words=("I", "saw"),
    spc=(("PRP",), ("VBD", "NN")),
    crf=(("PRP",), ("VBD", "NN", "VB", "VBP", "JJ")),
    alone=("PRP", "NN"),
    tagged=("PRP", "VBD"),
    meanings={
        "PRP": "pronoun", "VBD": "verb, past", "NN": "noun", "VB": "verb", "VBP": "verb", "JJ": "adjective",
    },
    spc_alpha=0.2,
    crf_alpha=0.001,
)  # fmt: skip
RESULT = {
    "rows": [],
    "curves": [
        {
            "data": "ewt",
            "features": "full",
            "filter": number,
            "split": split,
            "method": method,
            "alpha": [0.1, 0.5, 0.9],
            "filter_loss": [lost, 1.5 + lost, 9.0],
            "efficiency_loss": [60.0, 20.0, 5.0],
        }
        for number in (1, 2)
        for split in ("dev", "test")
        for method, lost in (("spc", 0.0), ("crf", 0.4), ("perceptron", 3.0))
    ],
}


@pytest.mark.parametrize("palette", [palette.LIGHT, palette.DARK])
def test_every_word_tells_all_rows_in_plain_words(palette):
    shown = charts.side_by_side(FOUND, palette)
    assert [list(row) for row in shown.data[0].z] == [
        [1, 1], [1, 2], [1, 5], [1, 1],
    ]  # fmt: skip
    assert shown.data[0].text[2][1] == "VBD<br>NN<br>VB<br>+2"
    texts = {trace.name: trace.customdata[1] for trace in shown.data[1:]}
    assert texts["SPC begun with<br>log loss keeps"] == "VBD = verb, past; NN = noun"
    assert list(texts) == list(charts.ROWS)


def test_the_sentence_counts_tags_and_names_the_changed_words():
    said = charts.side_by_side_text(FOUND)
    assert "(SPC begun with log loss) leave 1.5 tags" in said
    assert "leave 3.0" in said
    assert "change the answer at saw." in said


@pytest.mark.parametrize("split", ["dev", "test"])
def test_curves_have_a_panel_a_filter_and_a_line_a_method(split):
    shown = charts.curves(RESULT, "full", "ewt", palette.LIGHT, split=split)
    assert len(shown.data) == 6
    assert {trace.xaxis for trace in shown.data} == {"x", "x2"}
    assert "sentences that lose" in shown.layout.yaxis.title.text
    assert shown.layout.xaxis2.title.text.startswith("pairs of tags kept")
    assert "fold" not in shown.data[0].hovertemplate


def test_the_curves_in_words():
    said = charts.curves_text(RESULT, "full", "ewt")
    assert (
        "of tags, SPC 20.0 %, CRF 20.0 %, Perceptron cannot (it loses 3.0 % or more); of pairs of tags, SPC"
        in said
    )
    assert charts.curves_text(RESULT, "paper", "ewt") == "No curves are stored for this choice."
    assert len(charts.curves(RESULT, "paper", "ewt", palette.LIGHT).data) == 0


def equal_row(data, method, target, value, low=None, high=None):
    return {
        "data": data, "features": "full", "filter": "cascade", "method": method, "target": target,
        "pairs_equal": value, "pairs_equal_low": low, "pairs_equal_high": high,
    }  # fmt: skip


def test_bars_reach_from_low_to_high_and_points_without_a_value_are_left_out():
    rows = [
        equal_row("wsj", "spc", 1.0, 5.0, 4.0, 7.0),
        equal_row("wsj", "spc", 2.0, 4.0),
        equal_row("wsj", "crf", 1.0, None),
        equal_row("ewt", "crf", 1.0, 3.0),
        equal_row("ewt", "spc", 1.0, 9.0, 8.5, 9.5),
    ]
    first, none, second, third = charts.equal({"equal": rows}, "full", palette.LIGHT).data
    assert (list(first.x), list(first.y)) == ([1.0, 2.0], [5.0, 4.0])
    assert (list(first.error_y.array), list(first.error_y.arrayminus)) == ([2.0, 0.0], [1.0, 0.0])
    assert not none.x
    assert (second.xaxis, list(second.y)) == ("x2", [9.0])
    assert (third.name, list(third.y)) == ("CRF", [3.0])
    assert charts.equal({}, "full", palette.DARK).data == ()
