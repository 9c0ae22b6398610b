"""What Paper tables shows of orders and features bought together (thesis, chapter 8)."""

from spcviz.problems.hybrid.page.shown import DATA
from spcviz.problems.hybrid.paper import charts
from spcviz.problems.hybrid.paper.claims import CLAIMS
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
    return [
        *drawn,
        Heading("With nothing and with everything spent"),
        Table(charts.ends_frame(result), "hybrid-ends", DECIMALS),
        Heading("One model that filters and predicts, and two"),
        Table(charts.models_frame(result), "hybrid-models", DECIMALS),
        Heading("What each kind of action costs"),
        Table(charts.clock_frame(result), "hybrid-clock", DECIMALS),
        Heading("Loopy graphs: a tree for each added factor, 5 x 5 grid, blocks of 2 x 2 nodes"),
        Table(charts.loopy_frame(result), "hybrid-loopy", DECIMALS | {"%": 1, "ms": 2}),
        Heading("All points"),
        Table(charts.curves_frame(result), "hybrid", DECIMALS),
        Link("pages/budget/hybrid.py", "One word, live", ":material/hub:"),
    ]


def _notes(result):
    return [NOTE, *chosen_on(result)]


HYBRID = Shown(charts.NEEDS, _blocks, CLAIMS, _notes)
