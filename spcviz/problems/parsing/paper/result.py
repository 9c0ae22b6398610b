"""How Paper tables shows parsing under a budget (resource-constrained prediction, Fig. 4)."""

from spcviz.problems.parsing.paper import charts
from spcviz.web.figures.blocks import Heading, Link, Shown, Table, chart
from spcviz.web.figures.results import chosen_on, data_of

_TWO = ("heads right %", "on development %", "without crossings %", "µs", "features µs", "policy µs")
DECIMALS = dict.fromkeys((*_TWO, "decoding µs"), 2)
NOTE = (
    "A word's arcs are scored by tags in a few places, or by everything (words, endings, surroundings, tags "
    "between). Microseconds hold features and scores, choosing and parsing, not reading text. Heads right "
    "without punctuation left out, by the best tree whether arcs cross or not."
)
_CLOCK = (
    "All policies, shares and templates, with and without the length dictionary, were timed in turns. A word "
    "bought pays what the full template adds to tags: both share their weights."
)


def _blocks(result, features, look):
    drawn, trade = [], charts.trade_off
    for data in data_of(result):
        drawn += [Heading(charts.CORPORA[data])]
        drawn += [chart(trade, result, look, f"parsing_us_{data}", data=data)]
        if charts.curves_of(result, data, dictionary=True):
            drawn += [chart(trade, result, look, f"parsing_lengths_{data}", data=data, dictionary=True)]
        drawn += [chart(trade, result, look, f"parsing_{data}", data=data, axis="features_share")]
        drawn += [chart(charts.depths, result, look, f"parsing_depth_{data}", data=data)]
    return [
        *drawn,
        Heading("At equal words bought: points of heads right, 95 % bootstrap intervals over sentences"),
        Table(charts.compared_frame(result), "parsing-compared"),
        Heading("Fastest within a loss of heads right, chosen on development sentences"),
        Table(charts.chosen_frame(result), "parsing-chosen", DECIMALS),
        Heading("One template for all words"),
        Table(charts.alone_frame(result), "parsing-alone", DECIMALS),
        Table(charts.templates_frame(result), "parsing-pieces", DECIMALS),
        Heading("All points"),
        Table(charts.curves_frame(result), "parsing", DECIMALS),
        Link("pages/budget/parsing.py", "One sentence, live", ":material/account_tree:"),
    ]


def _notes(result):
    return [NOTE, _CLOCK, *chosen_on(result)]


TABLE = Shown(charts.NEEDS, _blocks, _notes)
