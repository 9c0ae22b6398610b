"""How Paper tables shows pose-cascade, pose-ensemble (thesis Fig. 5.5), pose-people and pose-rules."""

import pandas as pd

from spcviz.problems.pose.paper import anyone_shown, tables
from spcviz.web.figures.blocks import Heading, Shown, Table, Text, chart
from spcviz.web.figures.results import RULE_NAMES, WHAT_DECIDES, interval


def _cascade(result, features, look):
    return [
        chart(tables.levels_figure, result, look),
        Text(tables.sentence(result)),
        Table(tables.levels_frame(result), "pose-cascade"),
        Heading("Other thresholds"),
        Table(tables.trade_frame(result), "pose-cascade-thresholds"),
        Heading("The best guess"),
        Table(tables.guesses_frame(result), "pose-cascade-guesses"),
    ]


def _cascade_notes(result):
    s = result.get("settings", {})
    notes = ["The window of annotated crops knows where the person is; a jittered one only about."]
    if "n_frames" in s:
        notes.append(
            f"{s['n_frames']} test frames, thresholds from {s.get('n_development', '?')} development frames; "
            f"top 4: {s.get('top4', 'not said')}. By Definitions 1 and 4 a frame is lost with the exact cell "
            "and angle of one limb, though a near one may be kept: rows with “near ones count” allow it, as "
            "the chart, the best guesses and the Pose page do; the others are the thesis' rule."
        )
    return notes


def _ensemble(result, features, look):
    return [
        Table(tables.ensemble_frame(result), "pose-ensemble"),
        Heading("Elbows by the person left out"),
        Table(tables.folds_frame(result), "pose-ensemble-persons"),
    ]


def _ensemble_notes(result):
    """The note on what serves as the truth on the signing clips."""
    s = result.get("settings", {})
    left = s.get("joints_left")
    if not left:
        return []
    fewest = min(left, key=lambda name: left[name][0])
    return [
        f"Signing clips: {s.get('attribution')}. Their joints are a neural network's, a reference and "
        f"not annotation; with a visibility of {s['visible']:g} or more, {fewest.replace('_', ' ')} "
        f"counts on {left[fewest][0]} of {left[fewest][1]} frames, every other joint on more. Detectors are "
        f"used {s.get('detectors')}."
    ]


def _people(result, features, look):
    return [
        Table(anyone_shown.frame(result), "pose-people"),
        Heading("Where it fails worst"),
        Table(anyone_shown.failures_frame(result), "pose-people-failures"),
    ]


CASCADE = Shown(tables.NEEDS, _cascade, _cascade_notes)
ENSEMBLE = Shown(tables.ENSEMBLE_NEEDS, _ensemble, _ensemble_notes)
PEOPLE = Shown(anyone_shown.NEEDS, _people, lambda result: [anyone_shown.note(result)])


WAYS = {"size": "1200 states a limb", "near 1 %": "1 % lost a level", "near 10 %": "10 % lost a level"}
DECIMALS = {"pruned": 2, "survivors": 2, "states": 2, "paper": 1, "worst": 2}


def rules_frame(result: dict) -> pd.DataFrame:
    """The states that each level keeps by each rule, with thresholds chosen in the same way."""
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


def _rule_blocks(result, features, look):
    return [Table(rules_frame(result), "pose-rules", DECIMALS)]


def _rule_notes(result):
    chosen = f"Chosen on: {result['settings']['chosen_on']}."
    return [WHAT_DECIDES, *result["missing"], f"{result['settings']['n_frames']} test frames. {chosen}"]


RULES = Shown(
    needs=("way", "rule", "level", "efficiency", "oracle_pcp25", "states_ratio", "guarantee"),
    blocks=_rule_blocks,
    notes=_rule_notes,
)
