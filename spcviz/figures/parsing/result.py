"""What is shown of parsing under a budget (resource-constrained prediction, Fig. 4)."""

from spcviz.figures.common.blocks import Heading, Headline, Link, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.results import chosen_on
from spcviz.figures.parsing import charts, evidence

DECIMALS = {"heads right %": 2, "on development %": 2, "without crossings %": 2, "µs": 2, "features µs": 2,
            "policy µs": 2, "decoding µs": 2}  # fmt: skip


def _blocks(result, features, look):
    drawn = []
    for data in charts.corpora(result):
        drawn += [
            Heading(charts.CORPORA[data], in_report=False),
            chart(charts.trade_off, result, look, f"parsing_us_{data}", data=data),
            chart(charts.trade_off, result, look, f"parsing_{data}", data=data, axis="features_share"),
            chart(charts.depths, result, look, f"parsing_depth_{data}", data=data),
        ]
    return [
        *drawn,
        Text(bullets(evidence.sentences(result))),
        Heading("At equal words bought: points of heads right, 95 % bootstrap intervals over sentences"),
        Table(charts.compared_frame(result), "parsing-compared"),
        Heading("One template for all words"),
        Table(charts.alone_frame(result), "parsing-alone", DECIMALS),
        Table(charts.templates_frame(result), "parsing-pieces", DECIMALS),
        Heading("All points"),
        Table(charts.curves_frame(result), "parsing", DECIMALS, in_report=False),
        Note(evidence.NOTE),
        Text(chosen_on(result), on_page=False),
        Link("pages/budget/parsing.py", "One sentence, live", ":material/account_tree:"),
    ]


def _headline(result):
    return [Headline("Parsing under a budget of features", evidence.PAPER, evidence.measured(result))]


TABLE = Shown(charts.NEEDS, _blocks, _headline, evidence.misses)
