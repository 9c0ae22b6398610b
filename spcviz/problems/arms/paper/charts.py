"""Charts and tables of dms-pose and policy-pose: speed-up, stopping points, accuracy, differences."""

import contextlib

import pandas as pd

from spcviz.learning.budgets.methods import EXAMPLE, PART, find_method
from spcviz.problems.arms.shown import (
    ANY_SPANS,
    AT_ONCE,
    EITHER,
    EVERYONE,
    SPAN_LENGTHS,
    SPANS,
    TERMS,
    TIERS,
    WHOLE_SPANS,
    spans_of,
)
from spcviz.web.figures.stored_results import data_of
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

NEEDS = ("method", "data", "ms_per_frame", "features_share", "elbow_error", "wrist_error")  # of a row
JOINTS = ("elbow", "wrist")

CLIPS = {
    "signs": "signing clips (real, about 10 frames a piece)",
    "rendered": "rendered clips (10 to 30 frames)",
    "buffy": "Buffy's clips (real, 4 frames)",
}
SHORT = {"signs": "signing clips", "rendered": "rendered clips", "buffy": "Buffy's clips"}
SHOWN = {  # curves of the charts; the others are in the tables
    "dms-pose": ("dms", "uniform", AT_ONCE, "imitation", "myopic", "oracle"),
    "policy-pose": (
        "q-learning", "imitation", SPANS, AT_ONCE, "uniform by tiers", "q-learning, whole clips",
    ),
}  # fmt: skip
TIER_NAMES = tuple(tier.name for tier in TIERS)
_LEVELS = {"dms-pose": (EXAMPLE,), "policy-pose": (PART, EXAMPLE)}
_TOGETHER = {
    "single tier": "Single tier for all",
    EVERYONE: "Arms, everyone to the useful tier",
    AT_ONCE: "Arms, at random, at once to the useful tier",
    EITHER: "Learned, or at random by tier",
    SPANS: f"Spans of {SPAN_LENGTHS[0]} to {SPAN_LENGTHS[-1]} frames, learned (DMS-π)",
    ANY_SPANS: "Frames, spans or arms, learned (DMS-π)",
    WHOLE_SPANS: "Arms as spans, learned (DMS-π)",
} | {spans_of(length): f"Spans of {length} frames, learned (DMS-π)" for length in SPAN_LENGTHS}

_AGAINST = {
    "dms_minus_uniform": ("dms", "uniform"),
    "dms_minus_unsynchronised": ("dms", "uniform, not by tiers"),
    "dms_minus_imitation": ("dms", "imitation"),
    "oracle_minus_uniform": ("oracle", "uniform"),
    "oracle_minus_at_once": ("oracle", AT_ONCE),
}

_ROLES = ("map", "threshold", "kept", "pruned", "muted", "text")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_MARKS = ("circle", "diamond", "square", "triangle-up", "x", "cross")


def name_of(result, method):
    """The name of a method in charts and tables of a result.

    >>> name_of({"name": "policy-pose"}, "greedy"), name_of({"name": "policy-pose"}, "All")
    ('Frames, greedy', 'All')
    """
    for level in _LEVELS[result["name"]]:
        with contextlib.suppress(LookupError):
            return find_method(method, level).describe(TERMS)[0]
    return _TOGETHER.get(method, method)


def rows_of(result, clips=None):
    """Rows by method, those of one set of clips if there are several."""
    out = {}
    for row in result["rows"]:
        if clips is None or row["data"] == clips:
            out.setdefault(row["method"], []).append(row)
    return out


def speedup_figure(result, palette, joint, *, clips="rendered", scale=1.0, height=420) -> Chart:
    """Change of a joint's error against speed-up, both relative to the last model: thesis Fig. 6.3."""
    rows = rows_of(result, clips)
    last = rows["fixed"][-1]

    def against(some):
        x = [last["ms_per_frame"] / row["ms_per_frame"] for row in some]
        return x, [row[f"{joint}_error"] - last[f"{joint}_error"] for row in some]

    traces = []
    for i, method in enumerate(m for m in SHOWN["dms-pose"] if m in rows):
        shown = [r for r in rows[method] if r["budget_share"] >= 3]
        hover = "%{x:.1f} times faster: %{y:+.2f} points"
        traces.append(_curve(name_of(result, method), i, palette, scale, *against(shown), hover))
    tiers = at_tiers(rows["fixed"])
    names = [f"model {1 + round(r['features_share'] * (len(TIER_NAMES) - 1) / 100)}" for r in tiers]
    traces.append(_stars(*against(tiers), names, palette, scale))
    ticks = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)
    x = _logarithmic("speed-up against the last model, detectors and looking included", ticks)
    zero = {"zeroline": True, "zerolinecolor": palette.muted}
    y = {"title": f"change of {joint} error, points"} | zero
    return _chart(traces, x, y, palette, scale, height)


def stopping_figure(result, palette, *, clips="rendered", scale=1.0, height=380):
    """Share of chains that DMS leaves at each model, over the budget: thesis Fig. 6.4."""
    stops = [p for p in result.get("stopping_points") or () if p["data"] == clips]
    x, traces = [p["budget_share"] for p in stops], []
    roles = ("pruned", "kept", "threshold")
    for t, (name, role) in enumerate(zip(TIER_NAMES, roles, strict=True)):
        look = stroke(getattr(palette, role), scale) | {"fillpattern": {"shape": ("", "x", ".")[t]}}
        hover = f"budget %{{x:.1f}} %: %{{y:.0f}} % of arms<extra>{name}</extra>"
        y = [p[f"stopped_{t}"] for p in stops]
        traces.append(points("lines", x, y, name, hover, stackgroup="clips") | look)
    y = {"title": "arms that stop there, %", "range": [0, 100]}
    x = {"title": "budget, % of all that can be bought"}
    return _chart(traces, x, y, palette, scale, height, top=4)


def accuracy_figure(result, palette, joint, *, clips="rendered", scale=1.0, height=400):
    """Share of elbows or wrists within some pixels of the truth: thesis Fig. 6.2."""
    readers = {}
    for row in result.get("accuracy") or ():
        if row["data"] == clips:
            readers.setdefault(row["reader"], []).append(row)
    traces = []
    for i, (name, rows) in enumerate(readers.items()):
        x, y = [r["radius_px"] for r in rows], [r[joint] for r in rows]
        traces.append(_curve(_reader(name), i, palette, scale, x, y, "within %{x} px: %{y:.1f} %"))
    y = {"title": f"{joint}s within, %", "range": [0, 101]}
    return _chart(traces, {"title": "pixels (of a 240 x 240 window)"}, y, palette, scale, height)


def time_figure(result, palette, joint, *, clips="rendered", scale=1.0, height=430):
    """Error against milliseconds a frame, detectors and overhead included: thesis Fig. 7.2."""
    rows, traces = rows_of(result, clips), []

    def against(some):
        return [row["ms_per_frame"] for row in some], [row[f"{joint}_error"] for row in some]

    for i, method in enumerate(m for m in SHOWN["policy-pose"] if m in rows):
        shown = against(rows[method])
        hover = "%{x:.3~g} ms: %{y:.2f} % wrong"
        traces.append(_curve(name_of(result, method), i, palette, scale, *shown, hover))
    tiers = rows.get("single tier", ())
    traces.append(_stars(*against(tiers), [TIER_NAMES[r["tier"]] for r in tiers], palette, scale))
    ticks = (5, 7, 10, 15, 20, 30, 40, 50, 70, 100)
    x = _logarithmic("ms a frame, detectors and overhead included", ticks)
    return _chart(traces, x, {"title": f"{joint}s more than 20 px off, %"}, palette, scale, height)


def _logarithmic(title, ticks):
    return {"title": title, "type": "log", "tickvals": ticks}


def _chart(traces, x, y, palette, scale, height, top=5.5):
    axes = {"xaxis": x, "yaxis": y}
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=top)


def at_tiers(rows):
    """The first row of a fixed model at each tier; between them only some partitions were lifted."""
    out, n_more = [], len(TIER_NAMES) - 1
    for row in rows:
        tier = row["features_share"] * n_more / 100
        if abs(tier - round(tier)) < 1e-3 and round(tier) not in [t for t, _ in out]:
            out.append((round(tier), row))
    return [row for _, row in out]


def _reader(name):
    number = name.removeprefix("model ")
    return f"{name}: {TIER_NAMES[int(number) - 1]}" if number.isdigit() else name


def _curve(name, i, palette, scale, x, y, hover):
    look = stroke(getattr(palette, _ROLES[i]), 2 * scale, _DASHES[i])
    look |= mark(7 * scale, _MARKS[i], maxdisplayed=14)
    return points("lines+markers", x, y, name, f"{hover}<extra>{name}</extra>") | look


def _stars(x, y, labels, palette, scale):
    sides = ["top left" if place == max(x) else "top right" for place in x]
    stars = points("markers+text", x, y, "one tier for all", "%{text}: %{y:.2f}<extra></extra>", text=labels)
    stars |= mark(12 * scale, "star", color=palette.text)
    return stars | {"textposition": sides, "cliponaxis": False}


def table_frame(result):
    """Table 7.1: measured and paper side by side."""
    table = []
    for row in result.get("table") or ():
        paper, target = row.get("paper") or {}, row.get("target")
        name = name_of(result, row["method"]) + (f" at {target}x" if target else "")
        name += " beyond detectors" if row.get("is_beyond") else ""
        table.append({
            "method": name,
            "clips": row["data"],
            "feature sets %, measured": row["features_share"],
            "feature sets %, paper": paper.get("features_share"),
            "elbows wrong %, measured": row["elbow_error"],
            "wrists wrong %, measured": row["wrist_error"],
            "mean wrong %, measured": row["error"],
            "std. error (clips)": row.get("error_stderr"),
            "wrong %, paper": paper.get("error"),
            "ms a frame, measured": row["ms_per_frame"],
            "of it overhead, ms": row.get("overhead_ms"),
            "speed-up, measured": row.get("speedup"),
            "speed-up, paper": paper.get("speedup"),
            "of the improvement %, measured": row.get("improvement"),
            "its std. error (clips)": row.get("improvement_stderr"),
            "its std. error (persons)": row.get("improvement_stderr_people"),
            "clock": row.get("clock"),
        })  # fmt: skip
    return _numbers(pd.DataFrame(table).set_index("method"), "clips", "clock")


def lengths_frame(result):
    """How much more of the possible gain is kept by buying more or less at once, at equal milliseconds."""
    table = []
    for row in result.get("table") or ():
        for rival, (more, *spreads) in (row.get("improvement_minus") or {}).items():
            over_clips, over_people = (*spreads, None)[:2]
            table.append({
                "comparison": f"{name_of(result, row['method'])} against “{name_of(result, rival)}”",
                "clips": row["data"],
                "clock": row["clock"],
                "times less time": row["target"],
                "of the improvement %": row["improvement"],
                "points more of it": more,
                "std. error (clips)": over_clips,
                "std. error (persons)": over_people,
            })  # fmt: skip
    if not table:
        return pd.DataFrame()
    return _numbers(pd.DataFrame(table).set_index("comparison"), "clips", "clock")


def _numbers(frame, *texts):
    """Convert all columns but some to numbers; rows of the same name stay separate rows."""
    numbers = {name: pd.to_numeric(frame[name], errors="coerce") for name in frame if name not in texts}
    return frame.assign(**numbers)


def curves_frame(result, shares=(1, 3.125, 6.25, 12.5, 20, 100 / 3, 50, 100)):
    """Errors at some shares of the cost of everything, one line a curve."""
    table = []
    for clips in data_of(result):
        for method, rows in rows_of(result, clips).items():
            if method == "single tier":
                continue
            line = {"method": f"{name_of(result, method)} ({clips})"}
            for share in shares:
                row = [r for r in rows if r["budget_share"] <= share + 1e-6][-1]
                wrong = f"{row['elbow_error']:.1f} / {row['wrist_error']:.1f}"
                line[f"elbows / wrists wrong % at {share:.3g} % of cost"] = wrong
            line["std. error (clips), last"] = rows[-1].get("error_stderr")
            table.append(line)
    return pd.DataFrame(table).set_index("method")


def comparisons(result):
    """Methods compared at equal milliseconds: [(clips, method, other method, {speed-up: gap})]."""
    compared = []
    for clips, summary in (result.get("summary") or {}).items():
        if result["name"] == "policy-pose":
            ours, against = "q-learning", summary.get("q_learning_minus", {})
            keys = _AGAINST | {"oracle_minus_uniform": ("oracle", "uniform by tiers")}
        else:
            ours, against, keys = "dms", summary.get("dms_minus", {}), _AGAINST
            either = summary.get("either_minus", {})
            compared += [(clips, EITHER, name, gaps) for name, gaps in either.items()]
        compared += [(clips, ours, name, gaps) for name, gaps in against.items()]
        compared += [(clips, *both, summary[key]) for key, both in keys.items() if key in summary]
    return compared


def lengths_chosen(counted):
    """How often training clips chose each length, in words.

    >>> lengths_chosen({"q-learning, spans": {"4": 3, "8": 2}, "q-learning, any spans": {"1": 1, "clips": 4}})
    'of spans: of 4 in 3, of 8 in 2 splits; of all: frames in 1, whole arms in 4'
    """
    named = {"1": "frames", "all": "arms as spans", "clips": "whole arms"}
    spans, every = (
        ", ".join(f"{named.get(length, f'of {length}')} in {n}" for length, n in counted[key].items())
        for key in (SPANS, ANY_SPANS)
    )
    return f"of spans: {spans} splits; of all: {every}"


def gaps_frame(result):
    """One method against another at equal milliseconds: points of error, with standard errors."""
    table = []
    for clips, ours, other, gaps in comparisons(result):
        over_people = (result["summary"][clips].get("q_learning_minus_people") or {}).get(other, {})
        for speedup, (values, spread) in gaps.items():
            line = {
                "comparison": f"{_short(result, ours)} against “{name_of(result, other)}” ({clips})",
                "times less time": speedup,
                "ms a frame": _ms_spent(result, clips, ours, other, speedup),
            }
            for joint, value, error in zip(JOINTS, values, spread, strict=True):
                line |= {f"{joint}s, points": value, f"{joint}s, std. error (clips)": error}
            if ours == "q-learning" and speedup in over_people:
                errors = zip(JOINTS, over_people[speedup], strict=True)
                line |= {f"{joint}s, std. error (persons)": error for joint, error in errors}
            table.append(line)
    return pd.DataFrame(table).set_index("comparison")


def _short(result, method):
    names = {"dms": "DMS", "q-learning": "DMS-π"}
    return names.get(method) or f"“{name_of(result, method)}”"


def _ms_spent(result, clips, ours, other, speedup):
    """Milliseconds a frame at which two methods are compared: imitation's own, or the allowed time."""
    summary = result["summary"][clips]
    if (ours, other) == ("dms", "imitation"):
        return (summary.get("imitation_ms") or {}).get(speedup)
    whole = summary.get("base_ms"), summary.get("full_ms")
    return None if None in whole else sum(whole) / float(speedup)


def values_frame(result):
    """How well the selector predicts what the next model corrects, and the time of each feature tier."""
    table = []
    for clips, summary in (result.get("summary") or {}).items():
        about = (result.get("settings", {}).get("data") or {}).get(clips, {})
        for t, r2 in enumerate(summary.get("r2") or (), 1):
            table.append({
                "clips": SHORT.get(clips, clips),
                "tier": t + 1,
                "ms a frame": about["tier_ms"][t] if "tier_ms" in about else None,
                "R² of its value": r2,
            })  # fmt: skip
    return pd.DataFrame(table).set_index("clips") if table else pd.DataFrame()
