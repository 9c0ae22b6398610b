"""How the result grid-rules is shown."""

import pandas as pd

from spcviz.web.figures.blocks import Shown, Table
from spcviz.web.figures.rules import RULE_NAMES, WHAT_DECIDES, interval

NAMES = RULE_NAMES | {"top_k": "so many of each variable (Fig. 5.3)"}


def rules_frame(result: dict) -> pd.DataFrame:
    """States left where equally much is lost, and at settings that were tuned on other grids."""
    return pd.DataFrame(
        [
            {
                "lost %": row["target"],
                "rule": NAMES[row["rule"]],
                "states a variable": row["states_equal"],
                "over thesis' rule": row["ratio"][0],
                "95 % of draws of grids": interval(*row["ratio"][1:]),
                "tuned: states": row["states"],
                "tuned: lost on other grids %": row["loss"],
            }
            for row in result["rows"]
        ]
    )


def _blocks(result, features, look):
    return [Table(rules_frame(result), "grid-rules", {"states": 2, "over": 2, "tuned": 2, "lost": 1})]


def _notes(result):
    chosen = f"Chosen on: {result['settings']['chosen_on']}."
    return [
        WHAT_DECIDES,
        "One setting for all grids, summed max-marginals of all combs; a variable's best state stays.",
        chosen,
    ]


RULES = Shown(
    needs=("target", "rule", "guarantee", "states_equal", "ratio", "loss", "states"),
    blocks=_blocks,
    notes=_notes,
)
