"""Blocks and notes of four results on pose for Paper tables, and pictures of people never trained on."""

import pandas as pd

from spcviz.problems.pose.paper import tables
from spcviz.problems.pose.paper.tables import numbers_frame
from spcviz.web.figures.palette import DARK
from spcviz.web.figures.stored_results import (
    RULE_NAMES,
    WHAT_DECIDES,
    Heading,
    Shown,
    Table,
    Text,
    chart,
    interval,
)

SIDE = 240
MISSING = "Not measured yet: `python -m spcviz reproduce pose-people` (needs Buffy Stickmen and LSPET)."
GALLERY = (
    "**What fails**: of each set the pictures whose best guess is farthest off. Coloured: the best guess of "
    "torso and upper arms; dashed: the truth (signing clips: the reference)."
)
NEEDS = ("data", "survivors_pcp25", "top4_pcp25", "best_pcp50", "mean_pose_pcp50")
NAMES = {
    "buffy": "Buffy, test episodes",
    "jittered": "Buffy, windows unsure",
    "signs": "signing, five people",
    "lspet": "LSPET, athletes",
    "astronaut": "astronaut",
}
_COLUMNS = {
    "n_pictures": "pictures",
    "survivors_pcp25": "survivors PCP 0.25 %",
    "top4_pcp25": "top 4 PCP 0.25 %",
    "unpruned_pcp25": "the whole grid has PCP 0.25 %",
    "best_pcp50": "best guess PCP 0.5 %",
    "best_pcp50_stderr": "std. error (clips), best guess",
    "mean_pose_pcp50": "mean pose of Buffy's training PCP 0.5 %",
    "mean_pose_of_others_pcp50": "mean pose of the other people PCP 0.5 %",
}


def _name(data):
    kind = data.split(",")[0]
    return NAMES.get(kind, kind)


def frame(result):
    """One row per set."""
    rows = {_name(row["data"]): row for row in result["rows"]}
    return numbers_frame(rows, _COLUMNS, "data")


def failures_frame(result):
    """The pictures whose best guess is farthest off, with a sentence each."""
    rows = [
        (_name(failure["data"]), failure["picture"], failure["said"]) for failure in result.get("gallery", ())
    ]
    return pd.DataFrame(rows, columns=["data", "picture", "why"]).set_index("data")


def failure_svg(failure: dict, picture: str) -> str:
    """A picture of the gallery as SVG: the best guess in the limbs' colours, the known truth dashed."""
    colours = (DARK.kept, DARK.threshold, DARK.map)
    lines = [_line(limb, "#FFFFFF", 2.5, "6 4") for limb in failure["truth"]]
    lines += [_line(limb, colour, 4, "none") for limb, colour in zip(failure["limbs"], colours)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}" width="{SIDE}" height="{SIDE}">'
        f'<image href="{picture}" width="{SIDE}" height="{SIDE}"/>'
        f'<rect width="{SIDE}" height="{SIDE}" opacity="0.3"/>{"".join(lines)}</svg>'
    )


def failure_said(failure):
    """The caption of a gallery picture."""
    return f"{_name(failure['data'])}, {failure['picture']}. {failure['said']}"


def without_pictures(some):
    """Failures whose pictures are not here, as a list."""
    return "\n".join(
        ["Pictures that are not shown here:", "", *(f"- {failure_said(failure)}" for failure in some)]
    )


def _line(limb, colour, width, dash):
    (x1, y1), (x2, y2) = limb
    look = f'stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"'
    return f'<path d="M{x1} {y1}L{x2} {y2}" {look}/>'


def baseline(row):
    """The better of the mean poses of a row, or None."""
    known = [row.get(key) for key in ("mean_pose_pcp50", "mean_pose_of_others_pcp50")]
    return max((value for value in known if value is not None), default=None)


def misses(result):
    """Sentences on the sets where a mean pose, blind to the picture, is better than the guess or may be."""
    out = []
    for row in result["rows"]:
        best, other = row.get("best_pcp50"), baseline(row)
        if best is None or other is None:
            continue
        spread = 2 * (row.get("best_pcp50_stderr") or 0.0)
        verdict = "is better than" if other - best > spread else "may be as good (open) as"
        if best - other <= spread:
            where = f"On {_name(row['data'])} a mean pose that never looks at the picture"
            numbers = f"{other:.1f} against {best:.1f} % of limbs (PCP 0.5)"
            out.append(f"{where} {verdict} the best guess: {numbers}.")
    return out


def compare_guess(result):
    """Best guess against the better mean pose, set by set, in a line."""
    return "; ".join(
        f"{_name(row['data'])} {row['best_pcp50']:.1f} against {baseline(row):.1f}"
        for row in result["rows"]
        if row.get("best_pcp50") is not None and baseline(row) is not None
    )


def sentence(result):
    """The table in words."""
    line = f"Limbs right (best guess, PCP 0.5 %) against a mean pose: {compare_guess(result)}."
    return " ".join([*misses(result), line])


def note(result):
    """The note on the measurements, in a sentence or two."""
    settings = result.get("settings", {})
    return (
        f"{settings.get('never_trained_on', '')}. LSPET: {settings.get('lspet_rule', '')}. Signing clips: "
        f"{settings.get('attribution', '')}; their joints are a neural network's. The astronaut's truth is "
        "not known."
    )


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
        Table(frame(result), "pose-people"),
        Heading("Where it fails worst"),
        Table(failures_frame(result), "pose-people-failures"),
    ]


CASCADE = Shown(tables.NEEDS, _cascade, _cascade_notes)
ENSEMBLE = Shown(tables.ENSEMBLE_NEEDS, _ensemble, _ensemble_notes)
PEOPLE = Shown(NEEDS, _people, lambda result: [note(result)])


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
