"""The trade chart and the two kinds of tolerance, from a small result."""

import pytest

from spcviz.problems.letters.paper import result as shown
from spcviz.problems.letters.paper import tables
from spcviz.web.figures import palette
from tests.problems.letters.paper.test_tables_shown import PAPER, row


def two_kinds(order, words):
    """An order's rows: tolerance per word, and per position (with the paper's numbers at both)."""
    base = row("raw", order, words + 10, 20.0 * order, 30.0 if order < 3 else None, PAPER)
    by_word = base | {"tolerance_kind": "word", "tolerance": 0.5, "filter_loss_position": 0.1}
    changes = {
        "tolerance_kind": "position",
        "tolerance": 1.0,
        "filter_loss": 9.0,
        "filter_loss_position": 0.9,
    }
    return [by_word, base | changes | {"word_accuracy": words - 1.0}]


def trade_row(order, tolerance, words, us):
    return {
        "features": "raw",
        "order": order,
        "tolerance_kind": "position",
        "tolerance": tolerance,
        "word_accuracy": words,
        "us_per_word": us,
        "us_dense_per_word": 30.0 if order < 3 else None,
    }


RESULT = {
    "name": "ocr-orders",
    "rows": [one for order in (2, 3) for one in two_kinds(order, 60.0 + order)],
    "baselines": [],
    "settings": {"features": {"raw": {}}, "departures": ["No regulariser.", "One alpha."]},
    "trade": [
        trade_row(2, 1.0, 50.0, 10.0),
        trade_row(2, 0.25, 60.0, 20.0),
        trade_row(3, 1.0, 80.0, 15.0),
        trade_row(3, 0.25, 95.0, 45.0),
        trade_row(3, 0.5, 90.0, 25.0) | {"tolerance_kind": "word"},
    ],
}


@pytest.mark.parametrize("palette", [palette.LIGHT, palette.DARK])
def test_the_trade_has_a_line_an_order_dense_inference_and_the_paper(palette):
    figure = tables.trade_figure(RESULT, palette)
    lines = [t for t in figure.data if t.mode == "lines+markers"]
    assert [(t.name, list(t.x), list(t.y)) for t in lines] == [
        ("order 2", [0.25, 1.0], [60.0, 50.0]),
        ("order 2", [0.25, 1.0], [20.0, 10.0]),
        ("order 3", [0.25, 1.0], [95.0, 80.0]),
        ("order 3", [0.25, 1.0], [45.0, 15.0]),
    ]
    assert [(t.name, t.x[0], t.y[0]) for t in figure.data if t.mode == "markers"] == [
        ("order 2, paper", 1.0, 45.0),
        ("order 3, paper", 1.0, 45.0),
    ]
    assert [shape.y0 for shape in figure.layout.shapes] == [30.0]  # order 3 was not run


def test_rows_of_both_kinds_stand_apart_in_the_table():
    frame = tables.orders_frame(RESULT, "raw")
    assert list(frame.index) == [
        f"{n}-grams, tolerance per {kind}" for n in (2, 3) for kind in ("word", "position")
    ]
    assert frame["filter loss %, measured"].tolist() == [0.4, 0.9, 0.4, 0.9]
    assert frame["words lost %, measured"].tolist() == [0.4, 9.0, 0.4, 9.0]
    assert frame["tolerance %, measured"].tolist() == [0.5, 1.0, 0.5, 1.0]


def test_rows_with_the_papers_kind_of_tolerance_are_compared():
    assert [r["word_accuracy"] for r in tables.rows_of(RESULT, "raw")] == [61.0, 62.0]


def test_departures_and_trade_are_shown_where_there_are_any():
    blocks = shown.ORDERS.blocks(RESULT, "raw", {"palette": palette.LIGHT})
    assert any("No regulariser. One alpha." in note for note in shown.ORDERS.notes(RESULT))
    assert sum(getattr(block, "key", None) == "trade" for block in blocks) == 1
    plain = {key: value for key, value in RESULT.items() if key != "trade"} | {"settings": {}}
    blocks = shown.ORDERS.blocks(plain, "raw", {"palette": palette.LIGHT})
    assert not any(getattr(block, "key", None) == "trade" for block in blocks)


def test_the_two_first_filters_stand_side_by_side():
    rows = [
        {"features": "raw", "order": n, "first_filter": who,
         "n_grams_in": value * n, "word_accuracy": 50.0 + value, "filter_loss": value / 10}
        for who, value in (("letters", 9.0), ("pairs", 4.0)) for n in (1, 2)
    ]  # fmt: skip
    frame = tables.first_filters_frame(RESULT | {"first_filters": rows}, "raw")
    assert list(frame.index) == ["1-grams", "2-grams"]
    assert frame["n-grams a position, each letter by itself first"].tolist() == [9.0, 18.0]
    assert frame["words lost before %, pairs of letters first"].tolist() == [0.4, 0.4]
    assert tables.first_filters_frame(RESULT, "raw").empty
    blocks = shown.ORDERS.blocks(RESULT | {"first_filters": rows}, "raw", {"palette": palette.LIGHT})
    assert "Who filters letters first" in "\n".join(map(str, blocks))


def test_fewer_folds_than_ten_are_noted():
    few = RESULT | {"rows": [r | {"folds": 1} for r in RESULT["rows"]]}
    assert "Not all ten test folds were run: raw pixels 1." in shown.ORDERS.notes(few)
    assert not any("folds were run" in said for said in shown.ORDERS.notes(RESULT))
