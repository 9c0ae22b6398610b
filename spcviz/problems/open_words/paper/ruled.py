"""How the result ocr-open-rules is shown."""

import pandas as pd

from spcviz.web.figures.blocks import Heading, Shown, Table
from spcviz.web.figures.rules import DECIMALS, RULE_NAMES, WHAT_DECIDES, interval

SETS = {"unseen": "words of types that no list holds", "natural": "words as they are written"}


def open_frame(result: dict, features: str, data: str) -> pd.DataFrame:
    """What each order has to score at the same tolerance, rule by rule."""
    rows = [row for row in result["rows"] if (row["features"], row["data"]) == (features, data)]
    return pd.DataFrame(
        [
            {
                "tolerance a level %": row["tolerance"],
                "order": row["order"],
                "rule": RULE_NAMES[row["rule"]],
                "n-grams to score": row["n_grams_in"],
                "over thesis' rule": row["n_grams_in_ratio"][0],
                "95 % of draws of words": interval(*row["n_grams_in_ratio"][1:]),
                "worst word": row["n_grams_worst"],
                "words lost before %": row["lost"],
                "words right %": row["word_accuracy"],
            }
            for row in rows
        ]
    )


def beams_frame(result: dict, features: str, data: str) -> pd.DataFrame:
    """Words that a beam of the last order reads."""
    rows = [row for row in result["baselines"] if (row["features"], row["data"]) == (features, data)]
    return pd.DataFrame([{"beam of": row["width"], "words right %": row["word_accuracy"]} for row in rows])


def _blocks(result, features, look):
    blocks = []
    for data, heading in SETS.items():
        blocks += [
            Heading(heading[0].upper() + heading[1:]),
            Table(open_frame(result, features, data), f"ocr-open-rules-{features}-{data}", DECIMALS),
            Table(beams_frame(result, features, data), f"ocr-open-rules-beam-{features}-{data}", DECIMALS),
        ]
    return blocks


def _notes(result):
    return [WHAT_DECIDES, *result.get("missing", ()), f"Chosen on: {result['settings']['chosen_on']}."]


RULES = Shown(
    needs=("features", "data", "rule", "order", "tolerance", "n_grams_in", "lost", "guarantee"),
    blocks=_blocks,
    notes=_notes,
    features={"raw": "raw pixels", "fourier": "random waves (Fourier)"},
)
