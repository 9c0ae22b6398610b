"""Tables of results on threshold rules: the n-grams each rule keeps, as tuned and at equal loss."""

import pandas as pd

from spcviz.web.figures.blocks import Heading, Shown, Table
from spcviz.web.figures.results import RULE_DECIMALS, RULE_NAMES, WHAT_DECIDES, interval

SEEN = (
    "Of test words the following was seen before: hinges were chosen with raw pixels on folds 1 to 9, whose "
    "words are test words of those folds; and the limit of wider lattices was set after raw paths of test "
    "folds 0 to 3 had been printed."
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
