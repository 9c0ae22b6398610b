"""What scenes at any time come to, in sentences worked out from the result's own numbers."""

from spcviz.figures.scene import charts
from spcviz.problems.scene.shown import GROUPS

PAPER = "SIM 81.5 % of pixels, 54.8 % class mean; HIM 84.9 / 59.4"
FIRST_GOAL = 72.0
"""Pixels right that the first quarter of the full-feature time should reach."""
SHARE = 0.25
PAPER_COSTS = "segmentation 167 ms, all features 1160 ms more (Table 2, 320 x 240)"
COSTS_NOTE = (
    "CPU milliseconds of one thread, fastest of several runs. B: descriptors, once; D: codes of all centres, "
    "pooled over all levels. SIM learns with these prices."
)
NOTE = (
    "All test pictures, from the pixels on, one thread. SIM's intermediate rows are one predictor stopped "
    "early; HIM's variants are predictors of their own. HIM answers with the geometric mean of its "
    "predictors, the paper's with the last, and each of ours is boosted trees and a forest together; HIM and "
    "the forest learn from all training pictures and as many mirrored copies in another light, SIM from "
    "fewer pictures. Intervals draw blocks of successive pictures."
)


def measured(result):
    """The line of the table of systems."""
    own = charts.ends(result)
    sim, him = own["sim"], own["him"]
    low, high = sim["interval"]["pixel"]
    return (
        f"{_verdict(own)}{_late(result)}SIM {sim['pixel_accuracy']:.1f} [{low:.1f}, {high:.1f}] / "
        f"{sim['class_accuracy']:.1f} in {1000 * sim['seconds']:.0f} ms; "
        f"HIM {him['pixel_accuracy']:.1f} / {him['class_accuracy']:.1f} in {1000 * him['seconds']:.0f} ms; "
        f"forest {own['forest']['pixel_accuracy']:.1f} / {own['forest']['class_accuracy']:.1f}"
        + ("" if _late(result) else f"; {_goal(result)}")
    )


def _late(result):
    """What has to be said first if the first goal is missed."""
    at = reached(result)
    is_late = at is None or at > SHARE * result["all_features_seconds"]
    return f"{_goal(result)}, a quarter was the aim; " if is_late else ""


def costs(result):
    """The line of what pieces take."""
    own = {row["piece"]: row["ms"] for row in result["rows"]}
    return (
        f"segmentation {own['FH']:.1f} ms, {own['level']:.1f} of it for each further level; everything "
        f"{result['all_features_ms']:.0f} ms; a step {own['select'] + own['predict']:.2f} ms beside features"
    )


def _verdict(own):
    """What has to be said first: whether a forest without context does better, how far the paper is."""
    sim, forest, him = own["sim"], own["forest"], own["him"]
    out = ""
    if him["seconds"] < sim["seconds"] and him["pixel_accuracy"] > sim["pixel_accuracy"]:
        out += "HIM is done before SIM ends, and has more pixels right; "
    if sim["paper"]["pixel"] - sim["pixel_accuracy"] > 1:
        out += f"{sim['paper']['pixel'] - sim['pixel_accuracy']:.1f} points of pixels short of the paper; "
    if forest["pixel_accuracy"] > sim["pixel_accuracy"]:
        out += "a forest without context has more pixels right than SIM, though fewer of rare classes; "
    return out


def reached(result, percent=FIRST_GOAL):
    """Seconds after which SIM has so many pixels right, and stays there; None if it never has."""
    found = None
    for row in reversed(charts.course(result)):
        if row["pixel_accuracy"] < percent:
            break
        found = row["seconds"]
    return found


def _goal(result):
    at, every = reached(result), result["all_features_seconds"]
    if at is None:
        return f"SIM never has {FIRST_GOAL:.0f} % of pixels"
    return (
        f"{FIRST_GOAL:.0f} % of pixels after {1000 * at:.1f} ms, {at / every:.3f} of the "
        f"{1000 * every:.0f} ms that all features take"
    )


def regions_share(result):
    """What the regions take of everything."""
    pieces = {row["piece"]: row["ms"] for row in result["table_2"] if "paper_ms" in row}
    first, every = pieces["FH"], sum(pieces.values())
    return (
        f"The regions of all levels, of which the first answer needs one, take {first:.1f} of the "
        f"{every:.1f} CPU ms of all pieces, {first / every:.2f}."
    )


def order(result):
    """Groups in the order in which SIM bought them, and those it never did."""
    first = {}
    for row in result["centres"]:
        for group in GROUPS:
            if row[group] and group not in first:
                first[group] = row["step"]
    return sorted(first, key=first.get), [group for group in GROUPS if group not in first]


def sentences(result):
    """The findings."""
    own, first = charts.ends(result), charts.course(result)[0]
    bought, never = order(result)
    last = result["centres"][-1]
    out = [
        f"First answer after {1000 * first['seconds']:.0f} ms: {first['pixel_accuracy']:.1f} % of pixels.",
        f"{_goal(result)}.",
        regions_share(result),
        f"Groups in the order of their purchase: {', '.join(bought)}"
        + (f"; never: {', '.join(never)}." if never else "."),
        "Centres bought in the end: " + ", ".join(f"{last[g]} of {g}" for g in GROUPS if g != "SHAPE") + ".",
    ]
    for row in result["compared"]:
        low, high = row["interval"]["pixel"]
        out.append(
            f"SIM at its end against {charts.NAMES[row['method']]}: {row['pixel']:+.1f} points of pixels "
            f"[{low:+.1f}, {high:+.1f}], {row['class']:+.1f} of class mean, at "
            f"{own['sim']['seconds'] / own[row['method']]['seconds']:.2f} of its time."
        )
    return out


def misses(result):
    """What the paper claims and these numbers do not bear out."""
    own, out = charts.ends(result), []
    bought, _never = order(result)
    for method in ("sim", "him"):
        row = own[method]
        gap, mean = (
            row["paper"]["pixel"] - row["pixel_accuracy"],
            row["paper"]["class"] - row["class_accuracy"],
        )
        if gap > 1 or mean > 1:
            out.append(
                f"Scenes, {charts.NAMES[method]}: {row['pixel_accuracy']:.1f} % of pixels and "
                f"{row['class_accuracy']:.1f} % class mean at 240 x 180; the paper has "
                f"{row['paper']['pixel']} and {row['paper']['class']} on larger pictures."
            )
    if own["forest"]["pixel_accuracy"] > own["sim"]["pixel_accuracy"]:
        out.append(
            f"Scenes: a forest of regions without context has {own['forest']['pixel_accuracy']:.1f} % of "
            f"pixels right, more than SIM's {own['sim']['pixel_accuracy']:.1f}."
        )
    for row in result["compared"]:
        gap = own["him"]["paper"]["pixel"] - own["sim"]["paper"]["pixel"]
        if row["method"] == "him" and row["pixel"] < -gap - 0.5:
            out.append(
                f"Scenes: SIM ends {-row['pixel']:.1f} points of pixels below HIM; the paper {gap:.1f}."
            )
    faster = [
        m
        for m in ("him", "him-txt", "him-txt-isift", "forest")
        if own[m]["seconds"] < own["sim"]["seconds"]
        and own[m]["pixel_accuracy"] > _then(result, own[m]["seconds"])
    ]
    if faster:
        out.append(
            "Scenes: at their own time these have more pixels right than SIM stopped there: "
            + ", ".join(f"{charts.NAMES[m]} ({own[m]['pixel_accuracy']:.1f} against "
                        f"{_then(result, own[m]['seconds']):.1f})" for m in faster) + "."
        )  # fmt: skip
    if _late(result):
        out.append(f"Scenes: {_goal(result)}; a quarter was the aim. {regions_share(result)}")
    if "LBP" in bought[:3]:
        out.append(
            "Scenes: LBP, which the paper's SIM ignores, is bought early: here its descriptors are cheapest."
        )
    return out


def _then(result, seconds):
    """Pixels right of SIM stopped at a time."""
    rows = [row for row in charts.course(result) if row["seconds"] <= seconds]
    return rows[-1]["pixel_accuracy"] if rows else 0.0
