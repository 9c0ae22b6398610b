"""Charts and tables of SpeedMachines' Figs. 2 and 4 and Tables 1 and 2, on CamVid."""

import pandas as pd

from spcviz.problems.scene.shown import CLASSES, GROUPS
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

NEEDS = ("method", "seconds", "pixel_accuracy", "class_accuracy", "classes")  # keys that each row must have
NAMES = {
    "sim": "SIM, anytime",
    "him": "HIM, all features",
    "him-txt": "HIM, texture only",
    "him-txt-isift": "HIM, texture and gradients",
    "forest": "Forest of regions, no context",
}
_ROLES = {"sim": "kept", "him": "threshold", "him-txt": "truth", "him-txt-isift": "map", "forest": "muted"}
_SYMBOLS = {"him": "diamond", "him-txt": "square", "him-txt-isift": "triangle-up", "forest": "x"}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def course(result):
    """Rows of SIM, in the order of time."""
    return [row for row in result["rows"] if row["method"] == "sim"]


def ends(result):
    """{method: its last row}."""
    return {row["method"]: row for row in result["rows"]}


def accuracy(
    result: dict,
    palette: Palette,
    *,
    measure: str = "pixel_accuracy",
    scale: float = 1.0,
    height: float = 460,
) -> Chart:
    """Fig. 2: pixel or class accuracy against measured time; SIM is a line, the others answer once."""
    rows = course(result)
    x, y = [1000 * row["seconds"] for row in rows], [row[measure] for row in rows]
    hover = "%{x:.0f} ms: %{y:.1f} %<extra>"
    look = stroke(palette.kept, 2.5 * scale, shape="hv") | mark(4 * scale)
    traces = [points("lines+markers", x, y, NAMES["sim"], f"{hover}SIM</extra>") | look]
    for method, row in ends(result).items():
        if method != "sim":
            look = mark(13 * scale, _SYMBOLS[method], color=getattr(palette, _ROLES[method]))
            template, at = f"{hover}{NAMES[method]}</extra>", ([1000 * row["seconds"]], [row[measure]])
            traces.append(points("markers", *at, NAMES[method], template) | look)
    what = "pixels right, %" if measure == "pixel_accuracy" else "mean recall of 11 classes, %"
    return _over_time(traces, what, palette, scale, height, top=6)


def draw_purchases(result, palette, *, scale=1.0, height=400):
    """Fig. 4: centres bought of each group against time."""
    roles = ("muted", "threshold", "truth", "map", "lost")
    traces = []
    for g, group in enumerate(GROUPS):
        if group != "SHAPE":
            x = [1000 * row["seconds"] for row in result["centres"]]
            y = [row[group] for row in result["centres"]]
            look = stroke(getattr(palette, roles[g]), 2.5 * scale, _DASHES[g], shape="hv")
            hover = f"%{{x:.0f}} ms: %{{y}} of 150<extra>{group}</extra>"
            traces.append(points("lines", x, y, group, hover) | look)
    return _over_time(traces, "centres bought, of 150 each", palette, scale, height, top=4)


def _over_time(traces, what, palette, scale, height, top):
    axes = {"xaxis": {"title": "milliseconds a picture, measured"}, "yaxis": {"title": what}}
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=top)


def recall_frame(result):
    """Table 1: recall of each class, their mean, pixels right; the paper's below ours."""
    rows = []

    def add(method, by, recalls, means):
        line = {"method": NAMES[method], "by": by} | dict(zip(CLASSES, recalls))
        rows.append(line | dict(zip(("class %", "pixel %", "ms"), means)))

    for method, row in ends(result).items():
        means = row["class_accuracy"], row["pixel_accuracy"], 1000 * row["seconds"]
        add(method, "here", row["classes"], means)
        if "paper" in row:
            paper = row["paper"]
            add(method, "paper", paper["classes"], (paper["class"], paper["pixel"]))
    return pd.DataFrame(rows)


PIECES = {
    "FH": "regions, all levels",
    "level": "one more level",
    "select": "a step: choosing regions",
    "predict": "a step: predicting",
}


def costs_frame(rows):
    """Table 2: milliseconds of each piece, ours and the paper's."""
    return pd.DataFrame(
        {
            "piece": PIECES.get(row["piece"], row["piece"]),
            "ms here": row["ms"],
            "ms, one centre": row.get("centre_ms"),
            "ms, paper": row.get("paper_ms"),
        }
        for row in rows
    )


def compared_frame(result):
    """SIM at its end against every other method, with intervals."""

    def gap(row, name):
        low, high = row["interval"][name]
        return f"{row[name]:+.1f} [{low:+.1f}, {high:+.1f}]"

    return pd.DataFrame(
        {
            "SIM against": NAMES[row["method"]],
            "pixels right, points": gap(row, "pixel"),
            "class mean, points": gap(row, "class"),
        }
        for row in result["compared"]
    )


def steps_frame(result):
    """Every step of SIM: its choice, and the features bought so far."""
    return pd.DataFrame(
        {
            "step": row["step"],
            "ms": 1000 * point["seconds"],
            "modelled ms": point["modelled_ms"],
            "pixel %": point["pixel_accuracy"],
            "class %": point["class_accuracy"],
            "level": row["level"] + 1,
            "theta": row["theta"],
        }
        | {group: row[group] for group in GROUPS}
        for row, point in zip(result["centres"], course(result))
    )
