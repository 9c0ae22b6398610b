"""Blocks and notes of the results about budgets on words, and charts of messages that stop early."""

import pandas as pd

from spcviz.problems.words.paper import charts
from spcviz.web.figures.stored_results import Heading, Shown, Table, chart, chosen_on
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

NEEDS = ("data", "length", "method", "q", "us", "messages_share", "updates_with_wrong_labels")
KINDS = {"letters": "words joined into lines", "tags": "sentences joined"}
_ROLES = {"anew": "muted", "exact": "text", "printed": "threshold", "margin": "kept", "level": "map"}
_NAMES = {
    "anew": "all messages anew",
    "exact": "exact update",
    "printed": "as printed (of the range)",
    "margin": "of the margin",
    "level": "level scores",
}
_ERROR = "error of a max-marginal, of its range"
_DASHES = {0.1: "solid", 0.25: "dash", 0.5: "dot"}
_MARKS = {0.1: "circle", 0.25: "diamond", 0.5: "square"}


def name_of(row):
    """The name of a row's curve."""
    q = row["q"]
    if not q:
        return _NAMES[row["method"]]
    return f"{_NAMES[row['method']]}, " + ("exact" if q < 1e-6 else f"q = {q:g}")


def length_figure(result: dict, palette, *, kind: str, scale: float = 1.0, height: float = 460) -> Chart:
    """Microseconds of an update against the length of a chain of "letters" or "tags", on log axes."""
    curves = {}
    for row in result["rows"]:
        if row["data"] == kind:
            curves.setdefault(name_of(row), []).append(row)
    traces = []
    for name, rows in curves.items():
        method, q = rows[0]["method"], rows[0]["q"]
        x, y = [row["length"] for row in rows], [row["us"] for row in rows]
        hover = f"%{{x}} positions: %{{y:.3~g}} µs<extra>{name}</extra>"
        traces.append(points("lines+markers", x, y, name, hover) | _look(method, q, palette, scale))
    axes = {
        "xaxis": {"title": f"positions of a chain ({KINDS[kind]})", "type": "log"},
        "yaxis": {"title": "µs an update", "type": "log"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=7)


def updates_frame(result):
    """One line per curve and length."""
    names = {"data": "chains", "length": "positions", "update": "update", "us": "µs an update"}
    names["messages_share"] = "messages, % of all"
    names["updates_with_wrong_labels"] = "updates with a wrong label, %"
    names |= {"wrong_labels": "wrong labels an update", "marginal_error": _ERROR}
    return _frame(result["rows"], names).set_index(["chains", "positions", "update"])


def courses_frame(result):
    """Whole trajectories of DMS-pi, one line for each length and stopping rule."""
    names = {"length": "letters of a line", "update": "update", "features_share": "features, %"}
    names |= {"error": "letters wrong, %", "error_all_features": "with all features, %"}
    names |= {"messages": "messages a purchase", "us_policy": "µs a letter, messages and policy"}
    names |= {"us": "µs a letter, all in", "us_fast": "µs a letter, batch HoG"}
    return _frame(result.get("courses", ()), names)


def _frame(rows, names):
    """A frame of rows, with a column name for each key."""
    named = (row | {"update": name_of(row)} for row in rows)
    return pd.DataFrame({column: row[key] for key, column in names.items()} for row in named)


def courses_figure(result, palette, *, scale=1.0, height=420):
    """Speed-up over exact messages against the length of the lines, all of DMS-pi counted."""
    traces = []
    for name, course in result["courses_summary"].items():
        method, q = name.rsplit(" ", 1)
        label = name_of({"method": method, "q": float(q)})
        x, y = [float(length) for length in course["times_faster"]], list(course["times_faster"].values())
        hover = f"%{{x}} letters: %{{y:.2f}} times<extra>{label}</extra>"
        traces.append(points("lines+markers", x, y, label, hover) | _look(method, float(q), palette, scale))
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1}
    line["line"] = {"color": palette.muted, "width": scale, "dash": "dot"}
    axes = {
        "xaxis": {"title": "letters of a line (first: words)", "type": "log"},
        "yaxis": {"title": "times faster than with exact messages", "type": "log"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=5, shapes=[line])


def _look(method, q, palette, scale):
    look = stroke(getattr(palette, _ROLES[method]), 2 * scale, _DASHES.get(q, "solid"))
    return look | mark(7 * scale, _MARKS.get(q, "star"))


NOTE = (
    "A part's scores change, and messages are passed anew as far as the rule says. Exact: the cheaper of an "
    "update that stops at nothing and half of passing everything. As printed, a letter that becomes surer "
    "moves all messages behind it by one constant, which never dies away though no label hangs on it; level "
    "scores have that constant taken out beforehand, which changes no label and no margin."
)


UNITS_NOTE = (
    "Features come in three tiers: pixels (free), HoG with cells of 3 pixels, HoG with cells of 2 pixels. A "
    "word with every tier costs 2 units. Microseconds hold everything: features, scores, inference, "
    "looking and choosing. Budgets called “chosen” were found on training words, read by models that had "
    "not seen them."
)
STEPS_NOTE = (
    "A step's feature is which of eight kinds the facing halves of its two letters look like (nearest centre "
    "of their HoG); a unit a tier, as of letters. The papers have no step features of handwriting."
)


def _blocks(result, features, look):
    name, trade = result["name"], charts.trade_off_figure
    drawn = [chart(trade, result, look), chart(trade, result, look, axis="us", tolerances=True)]
    if name == "dms-ocr":
        drawn += [chart(draw, result, look) for draw in (charts.speedup_figure, charts.stopping_figure)]
    return [*drawn, Table(charts.curves_frame(result), name), *_tables(result, name)]


def _notes(result):
    return [UNITS_NOTE, f"Means over {result['folds']} test folds.", *chosen_on(result)]


def _tables(result, name):
    """Tables that only some of the results have."""
    out = []
    for key, made, heading in (
        ("time", charts.time_frame, "Where the time of a word goes, at the budget chosen on training words"),
        ("equal", charts.equal_frame, "At equal letters wrong: means and standard deviations over folds"),
        ("prices", charts.prices_frame, "Word by word, the price of a feature alone"),
    ):
        if len(frame := made(result)):
            out += [Heading(heading), Table(frame, f"{name}-{key}")]
    return out


BUDGET = Shown(charts.NEEDS, _blocks, _notes)


def _long_blocks(result, features, look):
    kinds = dict.fromkeys(row["data"] for row in result["rows"])
    return [
        *(chart(length_figure, result, look, key=kind, kind=kind) for kind in kinds),
        *([chart(courses_figure, result, look)] if result.get("courses_summary") else []),
        Table(courses_frame(result), f"{result['name']}-courses"),
        Table(updates_frame(result), result["name"], {"updates": 1}),
    ]


def _long_notes(result):
    return [NOTE, *(f"No {kind}: {why}." for kind, why in result.get("skipped", {}).items())]


QUIESCENCE = Shown(NEEDS, _long_blocks, _long_notes)


def _steps_blocks(result, features, look):
    return [chart(charts.steps_figure, result, look), Table(charts.steps_frame(result), result["name"])]


def _steps_notes(result):
    apart = result["rows"][-1]
    point = [p for p in apart["points"] if p["units"] <= 1 + 1e-9][-1]
    return [
        STEPS_NOTE,
        f"Free to choose, DMS-π spends {point['share_of_steps']:.0f} % of the first unit a letter on steps.",
        f"Means over {result['folds']} test folds.",
    ]


STEPS = Shown(("method", "points", "units_chosen"), _steps_blocks, _steps_notes)
