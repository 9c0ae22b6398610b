"""What is said and drawn of ocr-open: who wins is read off the rows, whoever it is."""

import pytest

from spcviz.figures.common.palette import LIGHT
from spcviz.figures.open_words import tables, text
from spcviz.figures.open_words.result import OPEN


def row(method, order, words, us, width=None, data="unseen"):
    return {
        "data": data, "features": "fourier", "method": method, "order": order, "width": width,
        "char_accuracy": 90.0, "word_accuracy": words, "us_per_word": us,
    }  # fmt: skip


def result(beam):
    rows = [
        row("cascade", 3, 70.0, 40.0), row("cascade", 4, 74.0, 50.0), row("dense", 4, 74.0, 500.0),
        row("beam", 4, beam, 45.0, 8), row("beam", 4, 80.0, 90.0, 32), row("dictionary", None, 0.0, 20.0),
        row("ngram", 4, 73.0, 500.0),
    ]  # fmt: skip
    return {"name": "ocr-open", "rows": rows}


@pytest.mark.parametrize(("beam", "is_won"), [(76.0, True), (72.0, False)])
def test_who_wins_at_equal_time(beam, is_won):
    said = " ".join(text.verdicts(result(beam), "fourier"))
    assert ("**Beam search wins**" in said) == is_won
    assert f"width 8 at order 4 reads {beam:.2f} %" in said  # the wider one takes longer than the cascade
    assert "order 4: 10.0 times" in said
    assert "dictionary of the training words fails" in said
    assert bool(text.misses(result(beam))) == is_won


def test_a_higher_order_that_reads_less_is_said():
    made = result(70.0)
    made["rows"][1]["word_accuracy"] = 69.0
    assert text.shortfalls(made, "fourier") == [
        "Order 4 reads fewer words of unseen types than order 3: 69.00 % against 70.00 %."
    ]


def test_blocks_and_chart():
    made = result(72.0)
    look = {"palette": LIGHT, "scale": 1.0, "height": 400}
    assert OPEN.blocks(made, "fourier", look)
    assert len(OPEN.headline(made)) == 1
    figure = tables.time_figure(made, LIGHT, features="fourier")
    assert {trace.name for trace in figure.data} == set(tables.METHODS.values())
    frame = tables.open_frame(made, "fourier", "unseen")
    assert frame.loc["counted n-gram model, beam search of order 4, width 8", "µs a word"] == 45.0
