"""Tables and charts of the result tagging-rules: threshold rules on the shipped tagger."""

import pandas as pd

from spcviz.web.figures.blocks import Heading, Note, Shown, Table
from spcviz.web.figures.results import RULE_DECIMALS, RULE_NAMES, WHAT_DECIDES, interval, tolerances_frame

METHOD_NAMES = {rule: f"SPC, {name}" for rule, name in RULE_NAMES.items()} | {"crf": "CRF, probability"}
GUARANTEES = {None: "as tuned", "mean": "on average", 0.9: "with 90 % certainty"}
EQUAL = (
    "Where exactly so many test sentences are lost; what of that the first filter may lose was searched on "
    "development sentences, method by method. Draws are of sentences, the same for all; a ratio of 0 means "
    "draws in which only the rival could not lose so few."
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
    """What each guarantee loses and leaves of test sentences."""
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


def _blocks(result, features, look):
    return [
        Heading("Bigrams at equal loss"),
        Table(equal_frame(result["rows"]), "tagging-rules", RULE_DECIMALS),
        Note(EQUAL),
        Heading("Whole cascades"),
        Table(
            tolerances_frame(result["levels"], "sentence", "tokens_right"),
            "tagging-rules-levels",
            RULE_DECIMALS,
        ),
        Heading("Without a first filter"),
        Table(equal_frame(result["all_tags"]), "tagging-rules-all", RULE_DECIMALS),
        Note(ABLATED),
        Heading("What a guarantee costs"),
        Table(promises_frame(result["promises"]), "tagging-rules-promises", RULE_DECIMALS),
        Note(COST),
    ]


def _notes(result):
    chosen = result["settings"]["chosen_on"]
    begun = f"Trained on {result['rows'][0]['trained_on']}, begun with {result['settings']['begun_with']}."
    return [WHAT_DECIDES, begun, *result["missing"], f"Chosen on: {chosen}."]


RULES = Shown(
    needs=("method", "rule", "guarantee", "target", "pairs_equal", "trained_on", "train_alpha"),
    blocks=_blocks,
    notes=_notes,
)
