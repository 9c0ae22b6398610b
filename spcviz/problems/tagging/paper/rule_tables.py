"""Tables of the result tagging-rules: taggers of two corpora under every threshold rule."""

import pandas as pd

from spcviz.web.figures.blocks import Heading, Note, Shown, Table
from spcviz.web.figures.results import RULE_DECIMALS, RULE_NAMES, WHAT_DECIDES, interval, tolerances_frame

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
