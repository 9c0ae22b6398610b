"""Blocks and notes of tagging (thesis Table 4.2), and tables of tagging-rules, as Paper tables shows them."""

import pandas as pd

from spcviz.problems.tagging.paper import charts
from spcviz.web.figures.stored_results import (
    RULE_DECIMALS,
    RULE_NAMES,
    WHAT_DECIDES,
    Heading,
    Link,
    Note,
    Shown,
    Table,
    Text,
    chart,
    chosen_on,
    interval,
    tolerances_frame,
)

DECIMALS = {"words right %": 2, "filter loss %": 2}

FEATURES = {"paper": "the word alone (paper)", "full": "affixes, case, neighbours too"}
NOTE = (
    "The paper measured all of the Wall Street Journal with word-tag features, in milliseconds of its day; "
    "here Full is this project's own vectorised exact Viterbi over all trigrams, and all methods were timed "
    "in turns in one run. Thresholds were chosen on held-out sentences. SPC begun with log loss is another "
    "method than the thesis'."
)
EQUAL = (
    "Bigrams (for pairs of tags: trigrams) left per position where exactly this share of test sentences is "
    "lost, with 95 % bootstrap intervals over sentences. Single filters work in the spaces that SPC's "
    "earlier levels leave; whole cascades in their own. The last row of a corpus is at the loss of Tags. "
    "\u2013: the filter cannot lose so few."
)


def _blocks(result, features, look):
    blocks = [Table(charts.methods_frame(result, features), f"tagging-{features}", DECIMALS)]
    blocks += _equal(result, features, look)
    for key, made, heading, *decimals in _FRAMES:
        if (frame := made(result, features)) is not None:
            blocks += [Heading(heading), Table(frame, f"tagging-{key}-{features}", *decimals)]
    for data in dict.fromkeys(row["data"] for row in result["rows"] if row["features"] == features):
        alt = charts.curves_text(result, features, data)
        drawn = chart(charts.curves, result, look, f"tagging_{data}", alt, features=features, data=data)
        name = charts.CORPORA.get(data, data)
        blocks += [Heading(f"Filters against each other: {name}"), drawn, Text(alt)]
    return [*blocks, Link("pages/cascade/tagging.py", "One sentence, live", ":material/sell:")]


def _equal(result, features, look):
    frame = charts.equal_frame(result, features)
    if frame is None:
        return []
    alt = "Bigrams left where equally many sentences are lost, by corpus and method: the table below."
    drawn = chart(charts.equal, result, look, "tagging_equal", alt, features=features)
    table = Table(frame, f"tagging-equal-{features}")
    return [Heading("At equal sentences lost"), drawn, table, Note(EQUAL)]


_FRAMES = (
    ("levels", charts.levels_frame, "What each level may lose"),
    ("tried", charts.tried_frame, "Settings tried on development sentences"),
    ("orders", charts.orders_frame, "Every order", DECIMALS),
)


def _learnt(result):
    """How SPC is trained, compared with its rivals."""
    if not result.get("tried"):
        return "SPC is learnt as the thesis says, its rivals with dropout."
    return (
        "SPC, CRF and perceptron get the same dropout, start, passes and patience, and as many tries each "
        "on development sentences."
    )


def _notes(result):
    corpora = {name.split()[0]: digest for name, digest in result.get("corpora", {}).items()}
    named = [f"{charts.CORPORA.get(data, data)} (SHA-256 {d[:12]}…)" for data, d in corpora.items()]
    trained = [(row["data"], FEATURES[row["features"]], row.get("n_train")) for row in result["rows"]]
    sizes = {f"{charts.CORPORA.get(data, data)}, {seen} {n:,}" for data, seen, n in trained if n}
    who = result.get("settings", {}).get("tokens_right")
    return [
        f"{NOTE} {_learnt(result)}",
        *([f"Corpora: {', '.join(named)}."] if named else []),
        *([f"Training sentences: {'; '.join(sorted(sizes))}."] if sizes else []),
        *([f"Who tags: {who}."] if who else []),
        *chosen_on(result),
    ]


TABLE = Shown(("data", "method", "features"), _blocks, _notes, features=FEATURES)


METHOD_NAMES = {rule: f"SPC, {name}" for rule, name in RULE_NAMES.items()}
METHOD_NAMES |= {"margin_trained": "SPC trained for a margin", "crf": "CRF, probability"}
CORPORA = {"ewt": "English Web Treebank", "wsj": "Wall Street Journal (sample)"}
GUARANTEES = {None: "as tuned", "mean": "on average", 0.9: "with 90 % certainty"}
EQUAL_LOSS = (
    "Where exactly this share of test sentences is lost; how much of it the first filter may lose was "
    "searched on development sentences, method by method. Draws are of sentences, the same for all; a ratio "
    "of 0 means draws in which only the rival could not lose so few."
)
ABLATED = (
    "The same bigram filters over all pairs of tags: they learned behind the first filter, and are asked "
    "here about tags that they have not seen at a word."
)
COST = (
    "Both filters together, thresholds chosen on development sentences. On average, or with 90 % certainty, "
    "at most the tolerance is promised of sentences that might have come in any order with these."
)


def equal_frame(rows: list[dict]) -> pd.DataFrame:
    """Bigrams left where equally many test sentences are lost, method by method."""
    return pd.DataFrame(
        [
            {
                "sentences lost %": row["target"],
                "method": METHOD_NAMES[row["method"]],
                "bigrams a position": row["pairs_equal"],
                "95 %": interval(*row["pairs_interval"]),
                "over thesis' rule": row["over_mean_max"][0],
                "95 % of draws": interval(*row["over_mean_max"][1:]),
                "over CRF": row["over_crf"][0],
                "95 % of draws, over CRF": interval(*row["over_crf"][1:]),
                **({"first filter may lose %": row["first_tolerance"]} if "first_tolerance" in row else {}),
            }
            for row in rows
        ]
    )


def promises_frame(rows: list[dict]) -> pd.DataFrame:
    """Test sentences that each guarantee loses, and bigrams that it leaves."""
    return pd.DataFrame(
        [
            {
                "method": METHOD_NAMES[row["method"]],
                "guarantee": GUARANTEES[row["guarantee"]],
                "tolerance %": row["tolerance"],
                "sentences lost %": row.get("loss"),
                "bigrams a position": row.get("pairs"),
            }
            for row in rows
        ]
    )


def rows_of(result: dict, name: str, data: str) -> list[dict]:
    """The rows of one of the result's tables on one corpus."""
    return [row for row in result[name] if row["data"] == data]


def _rule_blocks(result, features, look):
    return [
        block
        for data in dict.fromkeys(row["data"] for row in result["rows"])
        for block in _blocks_of(data, lambda name, data=data: rows_of(result, name, data))
    ]


def _blocks_of(data, rows):
    end = "" if data == "ewt" else f"-{data}"
    return [
        Heading(f"{CORPORA[data]}: bigrams at equal loss"),
        Table(equal_frame(rows("rows")), f"tagging-rules{end}", RULE_DECIMALS),
        Note(EQUAL_LOSS),
        Heading(f"{CORPORA[data]}: whole cascades"),
        Table(
            tolerances_frame(rows("levels"), "sentence", "tokens_right"),
            f"tagging-rules-levels{end}",
            RULE_DECIMALS,
        ),
        Heading(f"{CORPORA[data]}: without a first filter"),
        Table(equal_frame(rows("all_tags")), f"tagging-rules-all{end}", RULE_DECIMALS),
        Note(ABLATED),
        Heading(f"{CORPORA[data]}: what a guarantee costs"),
        Table(promises_frame(rows("promises")), f"tagging-rules-promises{end}", RULE_DECIMALS),
        Note(COST),
    ]


def _rule_notes(result):
    chosen = result["settings"]["chosen_on"]
    trained = dict.fromkeys(row["trained_on"] for row in result["rows"])
    begun = f"Trained on {' and '.join(trained)}, begun with {result['settings']['begun_with']}."
    return [WHAT_DECIDES, begun, *result["missing"], f"Chosen on: {chosen}."]


RULES = Shown(
    needs=("method", "rule", "guarantee", "target", "pairs_equal", "trained_on", "train_alpha"),
    blocks=_rule_blocks,
    notes=_rule_notes,
)
