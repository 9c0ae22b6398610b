"""How Paper tables shows ocr-orders (thesis Table 4.3) and ocr-sweep (summary of SPC, 5.2)."""

from spcviz.problems.letters.paper import tables, tolerances
from spcviz.web.figures.blocks import Heading, Link, Shown, Table, Text, chart
from spcviz.web.figures.results import chosen_on

DECIMALS = {name: decimals for name, (_, _, decimals) in tables.COLUMNS.items()} | {"kept": 1}

FILTER_LOSS_NOTE = (
    "Filter loss, measured: what had lost its truth before this order, all levels together, counted as the "
    "row's tolerance is: the share of words, or of true n-grams over all positions. The paper does not say "
    "what its own counts: its word errors fit positions only, so those rows stand for it; being near the "
    "tolerances fits the loss of the level before, which has its own column. n-grams a position: before the "
    "order's own pruning."
)
FIRST_NOTE = (
    "A model of pairs (thesis 4.5.1) against the cascade that the pages open, whose first filter sees each "
    "letter by itself: fold 0. It may lose fewer words a level, and had more passes."
)
TRACE_NOTE = "Every fold is a test fold too, so the averages carry a trace of what was chosen on one of them."
SWEEP_NOTE = (
    "n-grams that each filter must keep if at most this share of words may lose their truth: points of the "
    "curves on test words. The Sweep page chooses thresholds on development words instead, as one has to in "
    "practice."
)


def _orders(result, features, look):
    return [
        chart(tables.accuracy_figure, result, look),
        Table(tables.orders_frame(result, features), f"ocr-orders-{features}", DECIMALS),
        Heading("What it costs"),
        chart(tables.cost_figure, result, look),
        *_trade(result, features, look),
        *_first_filters(result, features),
    ]


def _orders_notes(result):
    departures = result.get("settings", {}).get("departures", ())
    ours = [f"Where the learning is not the thesis' own: {' '.join(departures)}"] if departures else []
    return [FILTER_LOSS_NOTE, *ours, *_folds(result), *_earlier(result), *chosen_on(result), TRACE_NOTE]


def _folds(result):
    """A note where not all ten test folds were run."""
    folds = {row["features"]: row.get("folds", 10) for row in result["rows"]}
    few = [f"{tables.FEATURES[name]} {n}" for name, n in folds.items() if n != 10]
    return [f"Not all ten test folds were run: {', '.join(few)}."] if few else []


def _earlier(result):
    """A note where rows are from a run before each order had its own cascade."""
    of = dict.fromkeys(tables.FEATURES[row["features"]] for row in result["rows"] if "cascade" not in row)
    note = (
        f"Of an earlier run, perhaps on another processor: {', '.join(of)}. There one cascade stands for all "
        "orders and alpha is not below 0: their times and losses are not to be compared with the others'."
    )
    return [note] if of else []


def _trade(result, features, look):
    drawn = chart(tolerances.trade_figure, result, look, key="trade", features=features)
    return [Heading("The whole trade"), drawn] if tolerances.trade_rows(result, features) else []


def _first_filters(result, features):
    frame = tolerances.first_filters_frame(result, features)
    table = Table(frame, f"ocr-first-{features}", dict.fromkeys(frame, 2))
    return [] if frame.empty else [Heading("Who filters letters first"), Text(FIRST_NOTE), table]


ORDERS = Shown(
    needs=("features", "order", "char_accuracy", "word_accuracy", "filter_loss", "n_grams_in"),
    blocks=_orders,
    notes=_orders_notes,
    features=tables.FEATURES,
)


def _sweep(result, features, look):
    query = {"show": "filters", "features": features}
    return [
        Link("pages/cascade/sweep.py", "The curves are on the Sweep page", ":material/tune:", query),
        Table(tables.sweep_frame(result, features), f"ocr-sweep-{features}", DECIMALS),
    ]


SWEEP = Shown(
    needs=("features", "fold", "level", "method", "split", "filter_loss", "efficiency_loss"),
    blocks=_sweep,
    notes=lambda result: [SWEEP_NOTE],
    features=tables.FEATURES,
)
