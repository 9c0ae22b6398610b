"""Blocks and notes of ocr-orders (thesis Table 4.3), ocr-sweep and ocr-rules, as Paper tables shows them."""

import pandas as pd

from spcviz.problems.letters.paper import tables
from spcviz.web.figures.stored_results import (
    RULE_DECIMALS,
    RULE_NAMES,
    WHAT_DECIDES,
    Heading,
    Link,
    Shown,
    Table,
    Text,
    chart,
    chosen_on,
    interval,
)

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

SEEN = (
    "Of test words the following was seen before: hinges were chosen with raw pixels on folds 1 to 9, whose "
    "words are test words of those folds; and the limit of wider lattices was set after raw paths of test "
    "folds 0 to 3 had been printed."
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
    drawn = chart(tables.trade_figure, result, look, key="trade", features=features)
    return [Heading("The whole trade"), drawn] if tables.trade_rows(result, features) else []


def _first_filters(result, features):
    frame = tables.first_filters_frame(result, features)
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


def rules_frame(result: dict, features: str) -> pd.DataFrame:
    """n-grams to score, losses and accuracy of each order at the tuned thresholds, rule by rule."""
    rows = [row for row in result["rows"] if row["features"] == features]
    return pd.DataFrame(
        [
            {
                "rule": RULE_NAMES[row["rule"]],
                "order": row["order"],
                "n-grams to score": row["n_grams_in"],
                "words lost before %": row["filter_loss"],
                "letters right %": row["char_accuracy"],
                "words right %": row["word_accuracy"],
                "trained at": ", ".join(_training_alphas(row)),
            }
            for row in rows
        ]
    )


def _training_alphas(row):
    """Training alphas that folds chose, once each."""
    alphas = sorted({alpha for alpha in row["train_alpha"] if alpha is not None})
    has_margin = any(margin is not None for margin in row["train_margin"])
    return [f"{alpha:g}" for alpha in alphas] + (["SVM"] if has_margin else [])


def equal_frame(result: dict, features: str, what: str = "n_grams_in") -> pd.DataFrame:
    """n-grams at equal loss, rule by rule, and their ratio to those of the thesis' rule."""
    rows = [row for row in result["equal"] if (row["features"], row["what"]) == (features, what)]
    return pd.DataFrame(
        [
            {
                "order": row["order"],
                "loss before %": row["loss"],
                "rule": RULE_NAMES[row["rule"]],
                "n-grams to score": row["n_grams"],
                "over thesis' rule": row.get("ratio"),
                "95 % of draws of folds": interval(row.get("low"), row.get("high")),
            }
            for row in rows
        ]
    )


def _rule_blocks(result, features, look):
    return [
        Heading("At the tuned thresholds"),
        Table(rules_frame(result, features), f"ocr-rules-{features}", RULE_DECIMALS),
        Heading("At equal loss"),
        Table(equal_frame(result, features), f"ocr-rules-equal-{features}", RULE_DECIMALS),
    ]


def _rule_notes(result):
    return [WHAT_DECIDES, SEEN, *result.get("missing", ()), f"Chosen on: {result['settings']['chosen_on']}."]


RULES = Shown(
    needs=("features", "rule", "order", "n_grams_in", "word_accuracy", "train_alpha", "guarantee"),
    blocks=_rule_blocks,
    notes=_rule_notes,
    features={"raw": "raw pixels", "hog": "pixels and edges (HoG)", "fourier": "random waves (Fourier)"},
)
