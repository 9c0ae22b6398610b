"""What is said and drawn of ocr-open: who wins is read off the rows, whoever it is."""

from spcviz.problems.open_words.paper import tables
from spcviz.problems.open_words.paper.result import OPEN
from spcviz.web.figures import claims
from spcviz.web.figures.palette import LIGHT


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
    return {"name": "ocr-open", "rows": rows, "redrawn": [], "ink": []}


def test_blocks_and_chart():
    made = result(72.0)
    look = {"palette": LIGHT, "scale": 1.0, "height": 400}
    assert OPEN.blocks(made, "fourier", look)
    figure = tables.time_figure(made, LIGHT, features="fourier")
    assert {trace.name for trace in figure.data} == set(tables.METHODS.values())
    frame = tables.open_frame(made, "fourier", "unseen")
    assert frame.loc["counted n-gram model, beam search of order 4, width 8", "µs a word"] == 45.0


def test_a_beam_is_compared_at_no_more_time_and_at_as_many_words():
    found = {(r.claim.system, r.claim.what): r for r in claims.readings_of(OPEN.claims, result(76.0))}
    system = "Open vocabulary, words of unseen types"
    own = found[system, "words right, Fourier features, beam in no more time"]
    assert (own.verdict, own.paper) == ("short by 2.00", "beam here: 76.00 %")  # the wider one takes longer
    assert found[system, "time, Fourier features, beam that reads as many"].verdict == "short by 5"
    assert found[system, "words right, raw pixels, dictionary"].verdict == claims.NOT_MEASURED
