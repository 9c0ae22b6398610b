"""Charts and tables of the four budget results on words: accuracy over cost, speed-up, stopping points."""

import pandas as pd

from spcviz.learning.budgets.methods import EXAMPLE, PART, find_method
from spcviz.problems.budgets.shown import DASHES, MARKS, ROLES
from spcviz.problems.words.shown import TERMS, TIERS
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

AXES = {
    "features_share": "features bought, % of all",
    "cost_units": "cost a word, tiers bought",
    "us": "µs a word, all in (scikit-image's HoG)",
    "us_fast": "µs a word, all in (batch HoG)",
}
"""Quantities for the horizontal axis, with their labels."""

NEEDS = ("method", "level", "q", "cost_units", "features_share", "us", "char_error")
"""Keys that each row must have to be drawn."""

_EQUAL = {
    "share": "features %, chosen on training words", "share_sd": "± sd",
    "error": "wrong % there", "error_sd": "wrong ± sd",
    "equal_share": "features %, test curve at equal letters wrong", "equal_share_sd": "test curve ± sd",
    "us": "µs a word",
}  # fmt: skip
_OF_STEPS = {
    "final_error": "with everything", "units_in_all": "units in all",
    "units_chosen": "units at chosen budget", "units_chosen_sd": "units ± sd",
    "error_chosen": "wrong % there", "error_chosen_sd": "wrong ± sd",
    "error_minus_letters": "points more wrong than letters alone", "error_minus_letters_sd": "points ± sd",
}  # fmt: skip


def label_of(row):
    """A curve's name: method, and tolerance if there is one."""
    method = find_method(row["method"], EXAMPLE if row["level"] == "word" else PART)
    name, _ = method.describe(TERMS)
    if row.get("q"):
        name += f", q = {row['q']:g}" + (" of the margin" if row.get("scale") == "margin" else "")
    return name


def curves_of(result: dict, *, tolerances: bool = False) -> dict[str, list[dict]]:
    """Rows of a result grouped by curve, in its order; `tolerances` includes DMS-pi's curves at q above 0."""
    out = {}
    for row in result["rows"]:
        if not row["q"] or (tolerances and row["method"] == "q-learning"):
            out.setdefault(label_of(row), []).append(row)
    return out


def trade_off_figure(
    result: dict,
    palette: Palette,
    *,
    axis: str = "features_share",
    tolerances: bool = False,
    scale: float = 1.0,
    height: float = 480,
) -> Chart:
    """Letters read wrong against the amount spent (a key of `AXES`); one model for all words as stars."""
    traces = []
    for i, (name, rows) in enumerate(curves_of(result, tolerances=tolerances).items()):
        if rows[0]["method"] != "fixed":
            traces.append(_curve(name, rows, axis, i, palette, scale))
    fixed = [b for b in result.get("baselines", ()) if b.get("char_error") is not None]
    if fixed and axis in ("us", "cost_units", "features_share"):
        top = max(b["tier"] for b in fixed) or 1
        x = [b[axis] if axis != "features_share" else 100 * b["tier"] / top for b in fixed]
        y, labels = [b["char_error"] for b in fixed], [f"model {b['tier'] + 1}" for b in fixed]
        hover = "%{text}: %{y:.2f} % wrong<extra></extra>"
        stars = points("markers+text", x, y, "one model for all", hover, text=labels)
        stars["textposition"] = ["top left" if b["tier"] == top else "top right" for b in fixed]
        traces.append(stars | mark(12 * scale, "star", color=palette.text))
    axes = {
        "xaxis": {"title": AXES[axis]} | ({"type": "log"} if axis.startswith("us") else {}),
        "yaxis": {"title": "letters read wrong, %"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=6.5)


def speedup_figure(result, palette, *, scale=1.0, height=430):
    """Change of error against speed-up, both with respect to the final model: thesis Fig. 6.1."""
    final = [b for b in result["baselines"] if b.get("char_error") is not None]
    base = final[-1]["char_error"] if final else 0.0
    traces = []
    for i, (name, rows) in enumerate(curves_of(result).items()):
        shown = [row for row in rows if row["cost_units"] >= 0.2 and row["method"] != "fixed"]
        if not shown:
            continue
        trace = _curve(name, shown, "cost_units", i, palette, scale)
        trace["x"] = [2.0 / row["cost_units"] for row in shown]
        trace["y"] = [row["char_error"] - base for row in shown]
        trace["hovertemplate"] = f"%{{x:.1f}} times faster: %{{y:+.2f}} points<extra>{name}</extra>"
        traces.append(trace)
    axes = {
        "xaxis": {"title": "speed-up against the final model, in units"},
        "yaxis": {"title": "change of error, points", "zeroline": True, "zerolinecolor": palette.muted},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=6)


def stopping_figure(result, palette, *, scale=1.0, height=380):
    """Share of words that stop at each model, over the budget: thesis Fig. 6.4."""
    stops = result.get("stopping_points") or []
    x, traces = [50 * p["cost_units"] for p in stops], []
    for t, (tier, role) in enumerate(zip(TIERS, ("pruned", "kept", "threshold"), strict=True)):
        look = stroke(getattr(palette, role), scale) | {"fillpattern": {"shape": ("", "/", "x")[t]}}
        hover = f"budget %{{x:.0f}} %: %{{y:.0f}} % of words<extra>{tier.name}</extra>"
        y = [p[f"stopped_{t}"] for p in stops]
        traces.append(points("lines", x, y, tier.name, hover, stackgroup="words") | look)
    axes = {
        "xaxis": {"title": "budget, % of everything"},
        "yaxis": {"title": "words that stop there, %", "range": [0, 100]},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=4)


def curves_frame(result, shares=(2, 5, 10, 20, 50, 100)):
    """Letters read wrong at some shares of all features, one line for each curve (a pandas.DataFrame)."""
    table = []
    for name, rows in curves_of(result, tolerances=True).items():
        line = {"method": name, "level": rows[0]["level"]}
        for share in shares:
            below = [row for row in rows if row["cost_units"] <= 2.0 * share / 100 + 1e-9]
            line[f"wrong % at {share} % of features"] = below[-1]["char_error"] if below else None
        least = min(rows, key=lambda row: row["char_error"])
        line |= {"least wrong %": least["char_error"], "std. error": least.get("stderr")}
        line |= {"µs a word there": least["us"]}
        table.append(line)
    return pd.DataFrame(table).set_index("method")


def time_frame(result):
    """Microseconds of a word by component: features, scores, inference, and choosing."""
    table, names = [], ("features", "scores", "inference", "choosing")
    for key, row in (result.get("summary") or {}).get("taken_apart", {}).items():
        level, method = key.split(": ", 1)
        name = find_method(method, EXAMPLE if level == "word" else PART).describe(TERMS)[0]
        pieces = {f"µs {piece}": row[f"us_{piece}"] for piece in names}
        table.append({"method": name, "level": level} | pieces)
    return pd.DataFrame(table)


def equal_frame(result):
    """Shares of the features that give as many wrong letters as all features, with spreads over folds."""
    methods = (result.get("summary") or {}).get("against_q_learning", {}).get("methods", {})
    rows = sorted(methods.items(), key=lambda pair: pair[1]["share"])
    return pd.DataFrame(
        {"method": _label_method(name)} | {column: row[key] for key, column in _EQUAL.items()}
        for name, row in rows
    )


def prices_frame(result):
    """Features and errors at each price alone, word by word."""
    names = {"price": "price of a tier", "share": "features %", "error": "wrong %"}
    rows = (result.get("summary") or {}).get("prices_alone", ())
    return pd.DataFrame(
        {"method": _label_method(row["method"])} | {column: row[key] for key, column in names.items()}
        for row in rows
    )


def _label_method(method):
    """The name of a method that lifts single letters."""
    return find_method(method, PART).describe(TERMS)[0]


def steps_frame(result, asked=(0.1, 0.2, 0.5, 1.0, 2.0)):
    """Letters and steps, bought together and separately: letters wrong at equal units, chosen budgets."""
    table = []
    for row in result["rows"]:
        line = {"method": _label_method(row["method"])}
        for units in asked:
            point = [p for p in row["points"] if p["units"] <= units + 1e-9][-1]
            line[f"wrong % at {units:g} units a letter"] = point["error"]
        table.append(line | {column: row[key] for key, column in _OF_STEPS.items()})
    return pd.DataFrame(table)


def steps_figure(result, palette, *, scale=1.0, height=430):
    """Letters wrong against units per letter, steps bought together with letters and separately."""
    traces = []
    for i, row in enumerate(result["rows"]):
        inside = [point for point in row["points"] if point["units"] <= row["units_in_all"]]
        shown = [{"units": point["units"], "char_error": point["error"]} for point in inside]
        traces.append(_curve(_label_method(row["method"]), shown, "units", i, palette, scale))
    axes = {
        "xaxis": {"title": "units a letter: tiers of letters and of steps"},
        "yaxis": {"title": "letters read wrong, %"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=5)


def _curve(name, rows, axis, i, palette, scale):
    dash = DASHES[i // len(ROLES) % len(DASHES)]
    look = stroke(getattr(palette, ROLES[i % len(ROLES)]), 2 * scale, dash)
    look |= mark(7 * scale, MARKS[i % len(MARKS)], maxdisplayed=12)
    x, y = [row.get(axis) for row in rows], [row["char_error"] for row in rows]
    return points("lines+markers", x, y, name, f"%{{x:.3~g}}: %{{y:.2f}} % wrong<extra>{name}</extra>") | look
