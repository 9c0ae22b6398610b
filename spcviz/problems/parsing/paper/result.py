"""What Paper tables shows of parsing under a budget (resource-constrained prediction, Fig. 4)."""

from spcviz.problems.parsing.paper import charts
from spcviz.problems.parsing.paper.claims import CLAIMS
from spcviz.web.figures.blocks import Heading, Link, Shown, Table, chart
from spcviz.web.figures.results import chosen_on

DECIMALS = {"heads right %": 2, "on development %": 2, "without crossings %": 2, "µs": 2, "features µs": 2,
            "policy µs": 2, "decoding µs": 2}  # fmt: skip

NOTE = (
    "A word's arcs are scored by tags in a few places, or by everything (words, endings, surroundings, tags "
    "between). Microseconds hold features and scores, choosing and parsing, not reading text. Heads right "
    "without punctuation left out, by the best tree whether arcs cross or not."
)
_CLOCK = (
    "Times of one template for all words were taken one after the other and not in turns: the length "
    "dictionary's are not comparable with all arcs' (fewer arcs cannot take longer)."
)


def _blocks(result, features, look):
    drawn = []
    for data in charts.corpora(result):
        drawn += [
            Heading(charts.CORPORA[data]),
            chart(charts.trade_off, result, look, f"parsing_us_{data}", data=data),
            chart(charts.trade_off, result, look, f"parsing_{data}", data=data, axis="features_share"),
            chart(charts.depths, result, look, f"parsing_depth_{data}", data=data),
        ]
    return [
        *drawn,
        Heading("At equal words bought: points of heads right, 95 % bootstrap intervals over sentences"),
        Table(charts.compared_frame(result), "parsing-compared"),
        Heading("One template for all words"),
        Table(charts.alone_frame(result), "parsing-alone", DECIMALS),
        Table(charts.templates_frame(result), "parsing-pieces", DECIMALS),
        Heading("All points"),
        Table(charts.curves_frame(result), "parsing", DECIMALS),
        Link("pages/budget/parsing.py", "One sentence, live", ":material/account_tree:"),
    ]


def _notes(result):
    return [NOTE, _CLOCK, *chosen_on(result)]


TABLE = Shown(charts.NEEDS, _blocks, CLAIMS, _notes)
