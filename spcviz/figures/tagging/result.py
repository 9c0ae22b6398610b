"""What is shown of tagging (thesis Table 4.2)."""

from spcviz.figures.common.blocks import Heading, Headline, Link, Note, Shown, Table, Text, chart
from spcviz.figures.common.results import chosen_on
from spcviz.figures.tagging import charts, tables, tables_text

DECIMALS = {"words right %": 2, "filter loss %": 2}


def _blocks(result, features, look):
    blocks = [
        Text(tables_text.winners(result, features)),
        Table(tables.methods_frame(result, features), f"tagging-{features}", DECIMALS),
        Note(tables_text.NOTE),
        Text(tables_text.trained_on(result, features)),
        Text(tables_text.most_right(result, features)),
        *_equal(result, features, look),
        *_levels(result, features),
        *_orders(result, features),
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
    blocks = [block for block in blocks if not isinstance(block, Text) or block.markdown]
    return [*blocks, Link("pages/cascade/tagging.py", "One sentence, live", ":material/sell:")]


def _equal(result, features, look):
    frame = tables.equal_frame(result, features)
    if frame is None:
        return []
    said = tables_text.winners(result, features)
    drawn = chart(charts.equal, result, look, "tagging_equal", said, features=features)
    return [
        Heading("At equal sentences lost"),
        drawn,
        Table(frame, f"tagging-equal-{features}"),
        Note(tables_text.EQUAL),
        Text(tables_text.beside_tags(result, features)),
    ]


def _levels(result, features):
    frame = tables.levels_frame(result, features)
    if frame is None:
        return []
    said = Text(tables_text.broken_tolerances(result), on_page=False)
    return [Heading("What each level may lose"), Table(frame, f"tagging-levels-{features}"), said]


def _orders(result, features):
    frame = tables.orders_frame(result, features)
    if frame is None:
        return []
    table = Table(frame, f"tagging-orders-{features}", DECIMALS)
    return [Heading("Every order"), table, Text(tables_text.best_order(result, features))]


def _headline(result):
    first, *others = dict.fromkeys(row["features"] for row in result["rows"])
    lines = []
    for features in (first, *others):
        said = tables_text.headline(result, features)
        if said:
            seen = tables_text.features_named(features)
            what = f"Tagging {seen}: fewest bigrams at equal loss; most words right"
            lines.append(Headline(what, tables_text.paper_winners(result), said))
    paper, measured = "–", []
    for data, rows in tables_text.by_corpus(result, first).items():
        if not {"full", "spc"} <= set(rows):
            continue
        full, spc = rows["full"], rows["spc"]
        faster = full["us_inference"] / spc["us_inference"]
        measured.append(f"{faster:.1f} times; {spc['accuracy']:.2f} % ({tables_text.corpus(data)})")
        if spc.get("paper") and full.get("paper"):
            times = full["paper"]["ms"] / spc["paper"]["ms"]
            paper = f"{times:.0f} times; {spc['paper']['accuracy']} % (all of WSJ)"
    speed = Headline("Tagging, SPC: times faster than Full; words right", paper, "; ".join(measured))
    return [*lines, speed]


TABLE = Shown(
    needs=("data", "method", "features"),
    blocks=_blocks,
    headline=_headline,
    misses=tables_text.misses,
    features=tables_text.FEATURES,
)
