"""What a budget buys on arms: tables of dms-pose and policy-pose."""

import pandas as pd

from spcviz.figures.arms.charts import JOINTS, clips_of, name_of, rows_of

_AGAINST = {
    "dms_minus_uniform": "uniform",
    "dms_minus_unsynchronised": "uniform, not by tiers",
    "dms_minus_imitation": "imitation",
}


def table_frame(result):
    """Table 7.1: measured and paper side by side."""
    table = []
    for row in result.get("table") or ():
        paper, target = row.get("paper") or {}, row.get("target")
        name = name_of(result, row["method"]) + (f" at {target}x" if target else "")
        table.append({
            "method": name,
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
        })  # fmt: skip
    return pd.DataFrame(table).set_index("method").apply(pd.to_numeric, errors="coerce")


def paper_improvement(result):
    """Share of what all features gain over none, from the errors that the thesis prints.

    Returns
    -------
    dict of (str, int or None) to float
        Percent, by method and speed-up of the lines that the thesis has; empty without its errors.
    """
    rows = [row for row in result.get("table") or () if row.get("paper")]
    printed = {(row["method"], row.get("target")): row["paper"]["error"] for row in rows}
    base, everything = printed.get(("Base only", None)), printed.get(("All", None))
    if base is None or everything is None:
        return {}
    return {line: 100 * (base - error) / (base - everything) for line, error in printed.items()}


def improvement_frame(result):
    """Lines of Table 7.1 that the thesis has too, by the share of the improvement; empty without them."""
    gained = paper_improvement(result)
    rows = {(row["method"], row.get("target")): row for row in result.get("table") or ()}
    table = []
    for (method, target), share in gained.items():
        row, paper = rows[method, target], rows[method, target]["paper"]
        table.append({
            "method": name_of(result, method) + (f" at {target}x" if target else ""),
            "of the improvement %, paper": share,
            "of the improvement %, measured": row.get("improvement"),
            "feature sets %, paper": paper.get("features_share"),
            "feature sets %, measured": row["features_share"],
            "time for features %, measured": 100 * row["ms_per_frame"] / rows["All", None]["ms_per_frame"],
            "times faster, paper": paper.get("speedup"),
            "times faster, measured": row.get("speedup"),
        })  # fmt: skip
    return pd.DataFrame(table).set_index("method").apply(pd.to_numeric) if table else pd.DataFrame()


def curves_frame(result, shares=(1, 3.125, 6.25, 12.5, 20, 100 / 3, 50, 100)):
    """Errors at some shares of the cost of everything, one line a curve."""
    table = []
    for clips in clips_of(result) or [None]:
        for method, rows in rows_of(result, clips).items():
            if method == "single tier":
                continue
            line = {"method": name_of(result, method) + (f" ({clips})" if clips else "")}
            for share in shares:
                row = [r for r in rows if r["budget_share"] <= share + 1e-6][-1]
                line[f"elbows / wrists wrong % at {share:.3g} % of cost"] = (
                    f"{row['elbow_error']:.1f} / {row['wrist_error']:.1f}"
                )
            line["std. error (clips), last"] = rows[-1].get("error_stderr")
            table.append(line)
    return pd.DataFrame(table).set_index("method")


def gaps_frame(result):
    """Our method against the others at the same cost: points of error, standard errors over clips."""
    summary, table = result.get("summary") or {}, []
    if result["name"] == "policy-pose":
        found = [("", "DMS-π", name, own) for name, own in summary.get("q_learning_minus", {}).items()]
    else:
        found = [
            (f" ({clips})", "DMS", other, own[key])
            for clips, own in summary.items()
            for key, other in _AGAINST.items()
            if key in own
        ]
    for clips, ours, other, gaps in found:
        for speedup, (values, spread) in gaps.items():
            line = {
                "comparison": f"{ours} against “{name_of(result, other)}”{clips}",
                "times less cost": speedup,
            }
            for joint, value, error in zip(JOINTS, values, spread, strict=True):
                line |= {f"{joint}s, points": value, f"{joint}s, std. error (clips)": error}
                line[f"{joint}s"] = verdict(value, error)
            table.append(line)
    return pd.DataFrame(table).set_index("comparison")


def verdict(value, error):
    """Whether a difference of errors is more than two standard errors."""
    if error is None or abs(value) <= 2 * error:
        return "no clear difference"
    return "better" if value < 0 else "worse"
