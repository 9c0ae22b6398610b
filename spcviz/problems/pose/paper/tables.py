"""Tables, chart and sentences of pose-cascade and pose-ensemble, compared with the thesis."""

import pandas as pd

from spcviz.web.figures import stored_results
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import DASHES, Chart, figure, mark, points, stroke

NEEDS = ("level", "grid", "efficiency", "oracle_pcp25", "oracle_pcp25_top4")
MISSING = (
    "Fig. 5.5(c) has not been reproduced here yet. With the Buffy data in $SPCVIZ_DATA: "
    "`python -m spcviz reproduce pose-cascade` (about six minutes)."
)


def is_usable(result):
    """Whether a file's content can be drawn as pose-cascade."""
    return stored_results.is_usable(result, NEEDS)


COUNTED = {"score": "", "near": ", near ones count", "size": ", 1200 states a limb"}
"""Suffix of a row's name, by what its tolerance counts: the true states' score (Def. 4), or whether the true
state or one within 25 % of the limb is left; or for thresholds that keep a number of states."""


def main_rows(result):
    """Rows under the model's own thresholds."""
    kind = next(iter(result["rows"]), {}).get("tolerance_kind")
    return [row for row in result["rows"] if row.get("tolerance_kind") == kind]


def levels_frame(result):
    """One row per protocol and level, with separate columns for measured and paper."""
    table = []
    for row in result["rows"]:
        paper, counted = row.get("paper") or {}, COUNTED[row.get("tolerance_kind") or "score"]
        table.append({
            "level": f"{row.get('protocol', '')}{counted}, {row['level']}: {row['grid']}",
            "pruned of the level's grid %, measured": row["efficiency"],
            "pruned of the level's grid %, paper": paper.get("efficiency"),
            "pruned of the finest grid %, measured": row.get("efficiency_of_final"),
            "survivors PCP 0.25 %, measured": row["oracle_pcp25"],
            "limbs that the whole grid has within 25 %, measured": row.get("oracle_pcp25_unpruned"),
            "of these lost %, measured": row.get("truth_lost"),
            "top 4 PCP 0.25 %, measured": row["oracle_pcp25_top4"],
            "top 4 PCP 0.25 %, paper": paper.get("oracle_pcp25_top4"),
            "std. error (clips), survivors": row.get("oracle_pcp25_stderr"),
            "std. error (clips), top 4": row.get("oracle_pcp25_top4_stderr"),
            "upper arms of the best guess, PCP 0.5 %, measured": row.get("pcp50_upper_arms"),
            "exact cell kept %, measured": row.get("exact_cell_kept"),
            "filter loss (Def. 1) %, measured": row.get("filter_loss_definition_1"),
            "broken variables, measured": row.get("n_broken"),
        })  # fmt: skip
    return pd.DataFrame(table).set_index("level").apply(pd.to_numeric, errors="coerce")


def trade_frame(result):
    """The same weights under other thresholds, at the last level: one row per tolerance or size."""
    names = {
        "efficiency": "pruned of the finest grid %", "states_kept": "states a limb",
        "truth_lost": "limbs lost that the grid has within 25 %, %", "oracle_pcp25": "survivors PCP 0.25 %",
        "oracle_pcp25_top4": "top 4 PCP 0.25 %", "filter_loss_definition_1": "filter loss (Def. 1) %",
        "pcp50_upper_arms": "upper arms PCP 0.5 %", "cascade_ms": "cascade, ms a frame",
        "n_broken": "broken variables",
    }  # fmt: skip
    return numbers_frame({thresholds(row): row for row in result.get("trade", ())}, names, "thresholds")


def numbers_frame(rows, names, index):
    """A table of numbers: the rows by their labels, columns by `names`."""
    table = {label: {column: row.get(key) for key, column in names.items()} for label, row in rows.items()}
    frame = pd.DataFrame.from_dict(table, orient="index", columns=[*names.values()]).rename_axis(index)
    return frame.apply(pd.to_numeric, errors="coerce")


def thresholds(row):
    """The aim for which a row's thresholds were tuned."""
    if row.get("tolerance") is None:
        return f"{row['n_kept']} states a limb, the paper's sizes"
    lost = f"{100 * row['tolerance']:g} % of development frames"
    if row.get("tolerance_kind") == "near":
        return f"{lost} left without the true state or one within 25 %, a level"
    return f"{lost} lost a level (Def. 1)"


def guesses_frame(result):
    """PCP 0.5 of the last level's best guess: learned, hand-set, mean pose."""
    table, last = [], max(row["level"] for row in result["rows"])
    rows = [
        row
        for row in [*main_rows(result), *result.get("lower_arms", ()), *result.get("baselines", ())]
        if row.get("pcp50") and row.get("level", last) == last
    ]
    for row in rows:
        line = {"method": f"{row.get('method', '')} ({row.get('protocol', '')})"}
        line |= {f"{part} %, measured": value for part, value in row["pcp50"].items()}
        line["PCP 0.25 mean %, measured"] = row.get("pcp25_mean")
        line["survivors PCP 0.25 %, measured"] = row.get("oracle_pcp25")
        table.append(line)
    return pd.DataFrame(table).set_index("method").apply(pd.to_numeric, errors="coerce")


def levels_figure(result: dict, palette: Palette, *, scale: float = 1.0, height: float = 430) -> Chart:
    """Oracle PCP 0.25 of the survivors and of the top 4 over the levels, next to the thesis' top 4."""
    traces = []
    for protocol, dash in (("annotated", "solid"), ("jittered", "dot")):
        rows = [row for row in main_rows(result) if row.get("protocol") == protocol]
        for key, name, colour, symbol in (
            ("oracle_pcp25", "survivors", palette.kept, "circle"),
            ("oracle_pcp25_top4", "top 4", palette.map, "diamond"),
        ):
            bars = {"array": [row.get(f"{key}_stderr") or 0 for row in rows], "thickness": 1.5 * scale}
            label = f"{name}, {protocol} crops, measured"
            line = _line(rows, [row[key] for row in rows], label, colour, dash, symbol, scale)
            traces.append(line | {"error_y": bars})
    paper = [row for row in main_rows(result) if row.get("paper")]
    values = [row["paper"]["oracle_pcp25_top4"] for row in paper]
    name, dash = "top 4, paper (other clips)", DASHES["paper"]
    traces.append(_line(paper, values, name, palette.text, dash, "x", scale))
    cells = {row["level"]: row["grid"].rsplit("x", 1)[0].replace("x", "×") for row in result["rows"]}
    ticks = {"tickvals": sorted(cells), "ticktext": [cells[level] for level in sorted(cells)]}
    axes = {
        "xaxis": {"title": "level's cells"} | ticks,
        "yaxis": {"title": "limbs with a state within 25 %, %"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=6)


def _line(rows, values, name, colour, dash, symbol, scale):
    hover = f"level %{{x}}: %{{y:.1f}} %<extra>{name}</extra>"
    line = points("lines+markers", [row["level"] for row in rows], values, name, hover)
    return line | stroke(colour, 2.2 * scale, dash) | mark(8 * scale, symbol)


def sentence(result):
    """The two numbers that put the others into perspective."""
    last = {row["protocol"]: row for row in main_rows(result) if row.get("pcp50")}
    mean = {
        b["protocol"]: b for b in result.get("baselines", ()) if b.get("method", "").startswith("mean pose")
    }
    sentences = [
        "Torso and upper arms of Buffy test frames, measured here; the thesis' curve is from other clips "
        "(VideoPose) and for its top 4."
    ]
    for protocol, row in last.items():
        base = mean.get(protocol)
        against = (
            f", a mean pose that never looks at the picture {base['pcp50_upper_arms']:.1f} %" if base else ""
        )
        sentences.append(
            f"On **{protocol}** crops the best guess finds {row['pcp50_upper_arms']:.1f} % of upper arms "
            f"(PCP 0.5){against}; after the last level {row['oracle_pcp25']:.1f} % of limbs still have a "
            f"state within 25 %, with {row['efficiency']:.1f} % of the grid pruned."
        )
    return " ".join(sentences)


ENSEMBLE_NEEDS = ("clips", "method", "elbow_error", "ms_per_frame")
TIES = {
    "none": "", "hand-set": ", ties of 1", "learned": ", learned jointly (5.6)",
    "scaled": ", ties of 1 a sub-model", "scaled, learned": ", ties of 1 a sub-model, learned",
}  # fmt: skip


def name_method(row):
    """A method and the origin of its ties over time."""
    return row["method"] + TIES.get(row.get("ties", "hand-set"), "")


def ensemble_frame(result):
    """pose-ensemble: one row per kind of clip and method; every number is measured."""
    names = {
        "elbow_error": "elbow off, px", "elbow_error_stderr": "std. error (clips), px",
        "elbow_error_quartiles": "the same between the quartiles, px",
        "elbow_gain_over_single": "nearer than single frames, px",
        "elbow_gain_stderr": "std. error of that, px", "shoulder_error": "shoulder off, px",
        "elbow_within_20px": "elbows within 20 px, %", "elbow_within_20px_stderr": "std. error of that, %",
        "pcp50_upper_arms": "upper arms PCP 0.5, %", "efficiency": "pruned of the finest grid, %",
        "joint_loss": "filter loss (Def. 4) %", "n_broken": "broken variables",
        "n_pieces": "pieces of clips", "ms_per_frame": "processor ms a frame",
        "features_share": "share of features",
    }  # fmt: skip
    rows = {f"{row['clips']}: {name_method(row)}": row for row in result["rows"]}
    return numbers_frame(rows, names, "clips and method")


def folds_frame(result):
    """Elbow errors by person left out and method, pixels: one row per person, one column per method."""
    table = {}
    for fold in result.get("fold_rows", ()):
        rows = [row for row in fold["rows"] if row.get("data") == "signs"]
        if rows:
            table[fold["fold"].split(", ")[1]] = {
                f"{name_method(row)}, px": row["elbow_error"] for row in rows
            }
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("left out")
