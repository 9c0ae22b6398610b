"""How Paper tables shows orders and features bought together (thesis, chapter 8)."""

from spcviz.problems.hybrid.paper import charts
from spcviz.problems.hybrid.shown import DATA
from spcviz.web.figures.blocks import Heading, Link, Shown, Table, chart
from spcviz.web.figures.results import chosen_on, data_of

DECIMALS = {"letters right %": 2, "words right %": 2, "±": 2, "µs": 3}

NOTE = (
    "Times are this process's CPU microseconds a word: features, scores, inference, the controller itself. "
    "Curves are of all test words under one budget; SPC-π begins with pairs of letters, filtered once, in "
    "rounds it does all good actions of a word in one sweep. By whole words, each word is read by pairs and, "
    "where a linear prediction from that reading says that it pays, again by a fixed cascade; the portfolio "
    "mixes the methods that lie on the hull of development words' points. SPC has a point for "
    "each order (its number) and each tier of features bought for all letters. N-grams of both are "
    "counted from training words; learned is how far to trust image and letters before in each state. "
    "± is the deviation over folds."
)


def _blocks(result, features, look):
    drawn = []
    for data in data_of(result):
        drawn += [
            Heading(DATA[data].capitalize()),
            chart(charts.trade_off, result, look, f"hybrid_{data}", data=data),
            chart(charts.ratios, result, look, f"hybrid_ratio_{data}", data=data),
        ]
    for heading, made, name, decimals in (
        ("With nothing and with everything spent", charts.ends_frame, "hybrid-ends", {}),
        ("One model that filters and predicts, and two", charts.models_frame, "hybrid-models", {}),
        ("What each kind of action costs", charts.clock_frame, "hybrid-clock", {}),
        (_LOOPY, charts.loopy_frame, "hybrid-loopy", {"%": 1, "ms": 2}),
        ("All points", charts.curves_frame, "hybrid", {}),
    ):
        drawn += [Heading(heading), Table(made(result), name, DECIMALS | decimals)]
    return [*drawn, Link("pages/budget/hybrid.py", "One word, live", ":material/hub:")]


_LOOPY = "Loopy graphs: a tree for each added factor, 5 x 5 grid, blocks of 2 x 2 nodes"


def _notes(result):
    return [NOTE, *chosen_on(result)]


HYBRID = Shown(charts.NEEDS, _blocks, _notes)
