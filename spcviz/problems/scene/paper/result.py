"""Charts and tables of scenes at any time (SpeedMachines), and of pictures that share one budget (DMS)."""

import pandas as pd

from spcviz.learning.budgets.methods import EXAMPLE, find_method
from spcviz.problems.scene.shown import CLASSES, GROUPS, TERMS, TIERS
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.stored_results import Heading, Link, Shown, Table, chart, chosen_on
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


SHARED_NEEDS = ("method", "cost_ms", "error")
SHARED_NOTE = (
    "Whole pictures are lifted from one fixed inference machine to the next (DMS), by the milliseconds of "
    "their new features; regions and the first machine's features are paid for everybody before. It is not "
    "SIM, which spends on regions."
)
_SHARED_ROLES = {
    "dms": "kept",
    "dms, by value per ms": "map",
    "oracle": "truth",
    "uniform": "muted",
    "myopic": "threshold",
}
_SHARED_DASHES = {"dms, by value per ms": "longdash", "oracle": "dot", "uniform": "dash", "myopic": "dashdot"}


def label_of(method):
    """The name of a row's method.

    >>> label_of("uniform")
    'Pictures, at random'
    """
    return find_method(method, EXAMPLE).describe(TERMS)[0]


def shared_curves(result: dict, palette: Palette, *, scale: float = 1.0, height: float = 420):
    """Pixels wrong against milliseconds of features a picture."""
    traces = []
    for row in result["rows"]:
        if row["method"] not in _SHARED_ROLES:
            continue
        method, hover = row["method"], "%{x:.1f} ms: %{y:.1f} %<extra></extra>"
        look = stroke(
            getattr(palette, _SHARED_ROLES[method]), 2.5 * scale, _SHARED_DASHES.get(method, "solid")
        )
        traces.append(points("lines", row["cost_ms"], row["error"], label_of(method), hover) | look)
    axes = {"xaxis": {"title": "features bought, CPU ms a picture"}, "yaxis": {"title": "pixels wrong, %"}}
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=4)


def errors_frame(result):
    """Percent of pixels wrong of every method at each budget."""
    rows = result["rows"]
    budgets = [f"{cost:.1f} ms" for cost in rows[0]["cost_ms"]]
    return pd.DataFrame(
        [{"method": label_of(row["method"])} | dict(zip(budgets, row["error"])) for row in rows]
    ).round(2)


def tiers_frame(result):
    """Pixels right with all pictures at one level."""
    right = [100 - error for error in result["tier_error"]]
    names = [tier.name for tier in TIERS]
    return pd.DataFrame({"everybody at": names, "pixels right, %": right}).set_index("everybody at")


def gaps_frame(result):
    """DMS against others, in percentage points of pixels; negative is better."""
    columns = ("DMS against", "share of the budget", "points", "95 % from", "to")
    rows = []
    for row in result["compared"]:
        numbers = (round(number, 2) for number in (row["points"], *row["interval"]))
        rows.append((label_of(row["method"]), row["share"], *numbers))
    return pd.DataFrame(rows, columns=columns)


DECIMALS = dict.fromkeys((*CLASSES, "class %", "pixel %", "ms", "modelled ms", "theta"), 1)
COSTS_NOTE = (
    "CPU milliseconds of one thread, fastest of several runs. B: descriptors, once; D: codes of all centres, "
    "pooled over all levels. SIM learns with these prices."
)
NOTE = (
    "All test pictures, from the pixels on, one thread. SIM's intermediate rows are one predictor stopped "
    "early; HIM's variants are predictors of their own. HIM answers with the geometric mean of its "
    "predictors, the paper's with the last, and each of ours is boosted trees and a forest together. All "
    "learn from all training pictures and as many mirrored copies in another light. SIM pays for a "
    "centre, for a group's descriptors and, unlike the paper's, for every call that computes new "
    "centres of a group. Intervals draw blocks of successive pictures."
)


def _blocks(result, features, look):
    return [
        Heading("Accuracy against time (Fig. 2)"),
        chart(accuracy, result, look, "scene_pixel"),
        chart(accuracy, result, look, "scene_class", measure="class_accuracy"),
        Heading("Recall of each class, % (Table 1)"),
        Table(recall_frame(result), "scene-recall", DECIMALS),
        Heading("SIM at its end against the others, with 95 % intervals"),
        Table(compared_frame(result), "scene-compared"),
        Heading("What each piece takes (Table 2)"),
        Table(costs_frame(result["table_2"]), "scene-pieces", DECIMALS),
        Heading("What SIM bought (Fig. 4)"),
        chart(draw_purchases, result, look, "scene_bought"),
        Table(steps_frame(result), "scene-steps", DECIMALS),
        Link("pages/budget/scene.py", "One picture, live", ":material/landscape:"),
    ]


def _notes(result):
    return [NOTE, *chosen_on(result)]


TABLE = Shown(NEEDS, _blocks, _notes)


def _costs_blocks(result, features, look):
    return [
        Heading("What each piece takes, and the costs that SIM learns with (Table 2)"),
        Table(costs_frame(result["rows"]), "scene-costs", DECIMALS),
    ]


COSTS = Shown(("piece", "ms"), _costs_blocks, lambda result: [COSTS_NOTE])


def shared_blocks(result, features, look):
    return [
        chart(shared_curves, result, look, "scene_shared"),
        Table(tiers_frame(result), "scene-shared-tiers", {"pixels": 1}),
        Heading("Pixels wrong, %, at each budget"),
        Table(errors_frame(result), "scene-shared"),
        Heading("DMS against others at equal cost, with 95 % intervals"),
        Table(gaps_frame(result), "scene-shared-gaps"),
        Link("pages/budget/trade_off.py", "One budget, live", ":material/savings:"),
    ]


SHARED = Shown(SHARED_NEEDS, shared_blocks, lambda result: [SHARED_NOTE])
