"""Tables of dms-pose and policy-pose: curves, paired differences, chosen lengths of spans."""

import pandas as pd

from spcviz.problems.arms.paper.charts import JOINTS, SHORT, name_of, rows_of
from spcviz.problems.arms.shown import ANY_SPANS, AT_ONCE, EITHER, SPANS
from spcviz.web.figures.results import data_of

_AGAINST = {
    "dms_minus_uniform": ("dms", "uniform"),
    "dms_minus_unsynchronised": ("dms", "uniform, not by tiers"),
    "dms_minus_imitation": ("dms", "imitation"),
    "oracle_minus_uniform": ("oracle", "uniform"),
    "oracle_minus_at_once": ("oracle", AT_ONCE),
}


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
