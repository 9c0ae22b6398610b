"""What only the report says about budgets on arms: sentences worked out from a result's own numbers."""

from spcviz.figures.arms.charts import JOINTS, TIER_NAMES, at_tiers, name_of, rows_of
from spcviz.figures.arms.tables import paper_improvement, verdict

DMS_PAPER = "2 times cheaper at little or no cost (wrists)"
"""Weiss (2013), thesis, Fig. 6.3."""

DMS_CAVEAT = (
    "What the selector looks at was picked after partitions with earlier detectors had been seen, and "
    "predictions are not smoothed before it."
)
POLICY_CAVEAT = (
    "The policies were run on rendered clips only, and what they look at was picked after partitions with "
    "earlier detectors had been seen."
)

_CLIPS = {"rendered": "rendered clips", "buffy": "Buffy's clips"}
_VERDICTS = ("better", "no clear difference", "worse")


def pair(values):
    """Elbows and wrists, as ``9.7 / 23.0``."""
    return " / ".join(f"{value:.1f}" for value in values)


def errors(row):
    """Elbows and wrists wrong in a row."""
    return pair(row[f"{joint}_error"] for joint in JOINTS)


def tally(gaps):
    """How often a method is better, not clearly different and worse, over speed-ups and joints.

    Examples
    --------
    >>> tally({"2": [[-1.0, 0.5], [0.2, 0.6]]})
    'better in 1, no clear difference in 1, worse in 0 of 2'
    """
    found = [
        verdict(value, error)
        for values, spread in gaps.values()
        for value, error in zip(values, spread, strict=True)
    ]
    counts = ", ".join(f"{said} in {found.count(said)}" for said in _VERDICTS)
    return f"{counts} of {len(found)}"


def tiers(result):
    """What the tiers of features take; "" where it is not said."""
    ms = result.get("settings", {}).get("tier_ms")
    if not ms:
        return ""
    each = ", ".join(
        f"{name.lstrip('+ ')} {t:.1f} ms" for name, t in zip(TIER_NAMES[1:], ms[1:], strict=True)
    )
    return (
        f"A frame and arm costs {ms[0]:.0f} ms for detectors, proposals and {TIER_NAMES[0]}, which everybody "
        f"pays, then {each}."
    )


def dms(result):
    """The models in turn, and the best proposal of a frame: sentences."""
    out, settings = [], result.get("settings", {})
    for clips in result.get("summary") or {}:
        rows = at_tiers(rows_of(result, clips).get("fixed", []))
        said = f"On {_CLIPS.get(clips, clips)} the models in turn have "
        said += f"{', '.join(errors(row) for row in rows)} % of elbows / wrists wrong"
        for row in result.get("accuracy") or ():
            near = (row["clips"], row["radius_px"], row["reader"])
            if near == (clips, settings.get("near_px"), "best proposal of a frame"):
                said += f"; the best proposal of each frame alone {pair(100 - row[j] for j in JOINTS)}"
        out.append(f"{said}.")
    return out


def dms_headline(result):
    """What dms-pose comes to on rendered clips: (what, paper, measured), or None."""
    s = (result.get("summary") or {}).get("rendered")
    if not s:
        return None
    measured = f"at 2 times less cost {_gap(s)}; {s['chosen_speedup']:.1f} times as fast at the chosen budget"
    return "Budgets on arms, choosing models (DMS)", DMS_PAPER, measured


def _gap(s):
    """DMS at 2 times less cost against the last model."""
    parts = zip(JOINTS, *s["dms_at_2_minus_final"], strict=True)
    gaps = [
        f"{joint}s {value:+.1f}" + ("" if error is None else f" ± {error:.1f}")
        for joint, value, error in parts
    ]
    return f"{', '.join(gaps)} points"


def dms_misses(result):
    """What the thesis reports of DMS and these numbers do not bear out: sentences."""
    out = []
    for clips, s in (result.get("summary") or {}).items():
        where = _CLIPS.get(clips, clips)
        if s["chosen_speedup"] < 2:
            out.append(
                f"On {where} DMS is {s['chosen_speedup']:.1f} times as fast as the last model at the budget "
                f"found on training clips, not 2 times; at 2 times less cost {_gap(s)}."
            )
        if not any(verdict(*point) == "better" for point in _points(s["dms_minus_uniform"])):
            out.append(
                f"DMS is nowhere clearly better than random spending tier by tier on {where}: "
                f"{tally(s['dms_minus_uniform'])} comparisons."
            )
    return out


def _points(gaps):
    """(difference, standard error) over speed-ups and joints."""
    return [point for values, spread in gaps.values() for point in zip(values, spread, strict=True)]


def policy(result):
    """Who is better, and what single tiers come to: sentences."""
    s, table = result.get("summary") or {}, result.get("table") or ()
    out = [
        f"DMS-π against “{name_of(result, name)}”: {tally(gaps)} comparisons."
        for name, gaps in s.get("q_learning_minus", {}).items()
    ]
    fixed = {row["method"]: row for row in table if not row.get("target")}
    if colour := fixed.get("All-Colour"):
        out.append(
            f"Colour alone, for all frames, brings {colour['improvement']:.0f} % of the improvement for "
            f"{colour['ms_per_frame']:.1f} ms a frame, and is one of three feature sets: shares of feature "
            "sets cannot be compared with the paper's."
        )
    if {"All-Flow", "All"} <= set(fixed):
        out.append(
            f"Everything but flow has {errors(fixed['All-Flow'])} % of elbows / wrists wrong, everything "
            f"{errors(fixed['All'])}."
        )
    return [*out, *_queues(s), *_overhead(table)]


def _queues(s):
    """The printed queue by value against the one chosen."""
    lost = [-value for value, _ in _points(s.get("q_learning_minus", {}).get("q-learning, by value", {}))]
    if not lost:
        return []
    return [
        f"The queue by value, as printed, has {min(lost):.1f} to {max(lost):.1f} points more wrong than the "
        "queue chosen without test clips."
    ]


def _overhead(table):
    """Overhead at the speed-ups of Table 7.1."""
    ms = [row["overhead_ms"] for row in table if row["method"] == "q-learning"]
    if not ms:
        return []
    return [f"Overhead is {min(ms):.2f} to {max(ms):.2f} ms a frame at the speed-ups of the table."]


def policy_headline(result, target=8):
    """What policy-pose comes to at one speed-up of Table 7.1: (what, paper, measured), or None."""
    rows = {(row["method"], row.get("target")): row for row in result.get("table") or ()}
    ours, gained = rows.get(("q-learning", target)), paper_improvement(result)
    if not ours or ours.get("improvement") is None:
        return None
    paper = "–"
    if ("q-learning", target) in gained:
        share = ours["paper"]["features_share"]
        paper = f"{gained['q-learning', target]:.0f} %, {share:.1f} % of feature sets"
    what = f"Budgets on arms, frame by frame (DMS-π), {target} times faster: share of the improvement"
    measured = f"{ours['improvement']:.0f} %, {ours['features_share']:.0f} % of feature sets"
    return what, paper, measured


def policy_misses(result):
    """What the thesis reports of DMS-pi and these numbers do not bear out: sentences."""
    found = (result.get("summary") or {}).get("q_learning_minus", {})
    return [
        *_below_paper(result),
        *(
            f"DMS-π is not clearly better than “{name_of(result, name)}” everywhere: {tally(found[name])} "
            "comparisons."
            for name in ("imitation", "uniform by tiers")
            if name in found and any(verdict(*point) != "better" for point in _points(found[name]))
        ),
    ]


def _below_paper(result):
    """Where a smaller share of the improvement is reached than in Table 7.1."""
    rows = {(row["method"], row.get("target")): row for row in result.get("table") or ()}
    below = [
        f"{rows[method, target]['improvement']:.0f} against {share:.0f} % at {target} times"
        for (method, target), share in paper_improvement(result).items()
        if target and rows[method, target]["improvement"] < share
    ]
    said = "Share of the improvement that DMS-π reaches, measured against paper"
    return [f"{said}: {'; '.join(below)} faster."] if below else []
