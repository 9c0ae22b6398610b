"""How the result pose-rules is shown."""

import pandas as pd

from spcviz.web.figures.blocks import Shown, Table
from spcviz.web.figures.rules import RULE_NAMES, WHAT_DECIDES, interval

WAYS = {"size": "1200 states a limb", "near 1 %": "1 % lost a level", "near 10 %": "10 % lost a level"}
DECIMALS = {"pruned": 2, "survivors": 2, "states": 2, "paper": 1, "worst": 2}


def rules_frame(result: dict) -> pd.DataFrame:
    """What each level keeps by each rule, under thresholds that are chosen alike."""
    return pd.DataFrame(
        [
            {
                "thresholds": WAYS[row["way"]],
                "level": f"{row['level']}: {row['grid']}",
                "rule": RULE_NAMES[row["rule"]],
                "pruned of the level's grid %": row["efficiency"],
                "survivors PCP 0.25 %": row["oracle_pcp25"],
                "survivors more than by the thesis' rule": row["survivors_more"][0],
                "95 % of draws of clips, survivors": interval(*row["survivors_more"][1:]),
                "states over thesis' rule": row["states_ratio"][0],
                "95 % of draws of clips, states": interval(*row["states_ratio"][1:]),
                "worst limb keeps %": row["worst"],
                "paper, pruned %": row.get("paper", {}).get("efficiency"),
            }
            for row in result["rows"]
        ]
    )


def _blocks(result, features, look):
    return [Table(rules_frame(result), "pose-rules", DECIMALS)]


def _notes(result):
    chosen = f"Chosen on: {result['settings']['chosen_on']}."
    return [WHAT_DECIDES, *result["missing"], f"{result['settings']['n_frames']} test frames. {chosen}"]


RULES = Shown(
    needs=("way", "rule", "level", "efficiency", "oracle_pcp25", "states_ratio", "guarantee"),
    blocks=_blocks,
    notes=_notes,
)
