"""What is shown of ocr-orders (thesis Table 4.3) and ocr-sweep (summary of SPC, 5.2)."""

import math

from spcviz.figures.common.blocks import Heading, Headline, Link, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.results import chosen_on, features_of
from spcviz.figures.letters import tables, tables_text, trade

DECIMALS = {name: decimals for name, (_, _, decimals) in tables.COLUMNS.items()} | {"kept": 1}


def _orders(result, features, look):
    return [
        chart(tables.accuracy_figure, result, look),
        Text(tables_text.dictionary_sentence(result, features)),
        Table(tables.orders_frame(result, features), f"ocr-orders-{features}", DECIMALS),
        Text(tables_text.folds_sentence(result, features), on_page=False),
        Text(tables_text.lattices(result, features), on_page=False),
        *_departures(result),
        Heading("What it costs"),
        Text(tables_text.cost_sentence(result, features)),
        Text(tables_text.cost_by_order(result, features), on_page=False),
        chart(tables.cost_figure, result, look),
        *_trade(result, features, look),
        *_first_filters(result, features),
        Heading("What falls short"),
        Text(bullets(tables_text.shortfalls(result), "Nothing against the paper.")),
        Note(tables_text.FILTER_LOSS_NOTE),
        Text(f"{chosen_on(result)} {tables_text.TRACE_NOTE}".strip(), on_page=False),
    ]


def _departures(result):
    said = tables_text.departures(result)
    return [Heading("Where the learning is not the thesis' own"), Text(bullets(said))] if said else []


def _trade(result, features, look):
    if not trade.trade_rows(result, features):
        return []
    return [
        Heading("The whole trade"),
        Text(trade.trade_sentence(result, features)),
        chart(trade.trade_figure, result, look, key="trade", features=features),
    ]


def _first_filters(result, features):
    frame = trade.first_filters_frame(result, features)
    if frame.empty:
        return []
    return [
        Heading("Who filters letters first"),
        Text(
            "A model of pairs (thesis 4.5.1) against the cascade that the pages open, whose first filter "
            "sees each letter by itself: fold 0. It may lose fewer words a level, and had more passes."
        ),
        Table(frame, f"ocr-first-{features}", dict.fromkeys(frame, 2)),
    ]


def _orders_headline(result):
    rows = [row for name in features_of(result) for row in tables.rows_of(result, name)]
    compared = [row for row in rows if row.get("paper")]
    if not compared:
        return []
    last = max(compared, key=lambda row: row["order"])
    paper = last["paper"]
    read = {
        row["features"]: f"{row['char_accuracy']:.2f} / {row['word_accuracy']:.2f} "
        f"({tables_text.with_folds(row)})"
        for row in rows
        if row["order"] == last["order"]
    }
    first = read.pop(last["features"])
    return [
        Headline(
            f"Handwriting, {last['order']}-grams: letters / words read right, %",
            f"{paper['char_accuracy']} / {paper['word_accuracy']}",
            "; ".join([first, *read.values(), *tables_text.failed(result)]),
        )
    ]


ORDERS = Shown(
    needs=("features", "order", "char_accuracy", "word_accuracy", "filter_loss", "n_grams_in"),
    blocks=_orders,
    headline=_orders_headline,
    misses=tables_text.misses,
    features=tables.FEATURES,
)


def _sweep(result, features, look):
    return [
        Link(
            "pages/cascade/sweep.py",
            "The curves are on the Sweep page",
            ":material/tune:",
            {"show": "filters", "features": features},
        ),
        Text(tables_text.SWEEP_NOTE),
        Table(tables.sweep_frame(result, features), f"ocr-sweep-{features}", DECIMALS),
    ]


def _sweep_headline(result, tolerance=1.0):
    frame = tables.sweep_frame(result, features_of(result)[0], (tolerance,))
    last = max(row["level"] for row in result["rows"])
    rows = [(name.split(", ")[1], kept) for name, kept in frame.iloc[:, 0].items() if f"level {last}" in name]
    kept = ", ".join(f"{name} {'–' if math.isnan(kept) else f'{kept:.1f}'}" for name, kept in rows)
    what = (
        f"Three filters: % of level {last}'s n-grams to keep if at most {tolerance:g} % of words may be lost"
    )
    return [Headline(what, "–", kept)]


SWEEP = Shown(
    needs=("features", "fold", "level", "method", "split", "filter_loss", "efficiency_loss"),
    blocks=_sweep,
    headline=_sweep_headline,
    features=tables.FEATURES,
)
