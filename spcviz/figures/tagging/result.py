"""What is shown of tagging (thesis Table 4.2)."""

from spcviz.figures.common.blocks import Heading, Headline, Link, Note, Shown, Table, Text, chart
from spcviz.figures.common.results import chosen_on
from spcviz.figures.tagging import charts, tables, tables_text

DECIMALS = {"words right %": 2, "filter loss %": 2}


def _blocks(result, features, look):
    blocks = [
        Table(tables.methods_frame(result, features), f"tagging-{features}", DECIMALS),
        Note(tables_text.NOTE),
        Text(tables_text.corpora(result), on_page=False),
        Text(tables_text.speeds(result, features), on_page=False),
        Text(tables_text.paper_times(result, features), on_page=False),
        Text(tables_text.word_alone(result), on_page=False),
        Text(tables_text.learners(result), on_page=False),
        Text(chosen_on(result), on_page=False),
    ]
    for data in tables_text.by_corpus(result, features):
        said = charts.curves_text(result, features, data)
        drawn = chart(charts.curves, result, look, f"tagging_{data}", said, features=features, data=data)
        blocks += [Heading(f"Filters against each other: {tables_text.corpus(data)}"), drawn, Text(said)]
    return [*blocks, Link("pages/cascade/tagging.py", "One sentence, live", ":material/sell:")]


def _headline(result):
    paper, measured = "–", []
    for data, rows in tables_text.by_corpus(result, result["rows"][0]["features"]).items():
        if not {"full", "spc"} <= set(rows):
            continue
        full, spc = rows["full"], rows["spc"]
        faster = full["us_inference"] / spc["us_inference"]
        measured.append(f"{faster:.1f} times; {spc['accuracy']:.2f} % ({tables_text.corpus(data)})")
        if spc.get("paper") and full.get("paper"):
            times = full["paper"]["ms"] / spc["paper"]["ms"]
            paper = f"{times:.0f} times; {spc['paper']['accuracy']} % (all of WSJ)"
    return [Headline("Tagging, SPC: times faster than Full; words right", paper, "; ".join(measured))]


TABLE = Shown(
    needs=("data", "method", "features"),
    blocks=_blocks,
    headline=_headline,
    misses=tables_text.misses,
    features=tables_text.FEATURES,
)
