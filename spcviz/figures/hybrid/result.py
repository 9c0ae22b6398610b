"""What is shown of orders and features bought together (thesis, chapter 8)."""

from spcviz.figures.common.blocks import Heading, Headline, Link, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.results import chosen_on
from spcviz.figures.hybrid import charts, evidence
from spcviz.problems.hybrid.shown import DATA

DECIMALS = {"letters right %": 2, "words right %": 2, "±": 2, "µs": 3}


def _blocks(result, features, look):
    drawn = []
    for data in charts.data_of(result):
        drawn += [
            Heading(DATA[data].capitalize(), in_report=False),
            chart(charts.trade_off, result, look, f"hybrid_{data}", data=data),
            chart(charts.ratios, result, look, f"hybrid_ratio_{data}", data=data),
        ]
    return [
        *drawn,
        Text(bullets(evidence.sentences(result))),
        Heading("With nothing and with everything spent"),
        Table(charts.ends_frame(result), "hybrid-ends", DECIMALS),
        Heading("One model that filters and predicts, and two"),
        Table(charts.models_frame(result), "hybrid-models", DECIMALS),
        Heading("What each kind of action costs"),
        Table(charts.clock_frame(result), "hybrid-clock", DECIMALS),
        Heading("Loopy graphs: a tree for each added factor, 5 x 5 grid, blocks of 2 x 2 nodes"),
        Table(charts.loopy_frame(result), "hybrid-loopy", DECIMALS | {"%": 1, "ms": 2}),
        Heading("All points"),
        Table(charts.curves_frame(result), "hybrid", DECIMALS, in_report=False),
        Note(evidence.NOTE),
        Text(chosen_on(result), on_page=False),
        Link("pages/budget/hybrid.py", "One word, live", ":material/hub:"),
    ]


def _headline(result):
    return [Headline("Orders and features together, SPC-π", evidence.PAPER, evidence.measured(result))]


HYBRID = Shown(charts.NEEDS, _blocks, _headline, evidence.misses)
