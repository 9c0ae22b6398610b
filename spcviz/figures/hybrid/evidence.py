"""What SPC-pi comes to, in sentences worked out from the result's own numbers."""

from spcviz.figures.hybrid.charts import data_of, rows_of
from spcviz.problems.hybrid.shown import DATA, METHODS

PAPER = "a proposal: nobody has built it"
GOAL, MIDDLE = 0.8, (0.25, 0.75)
"""At most so much of the better parent's time somewhere in the middle half of the accuracies compared."""

NOTE = (
    "Times are this process's CPU microseconds a word: features, scores, inference, the controller itself. "
    "Curves are of all test words under one budget. SPC has a point for each order (its number) and each "
    "tier of features bought for all letters. N-grams of both data sets are counted from training words; "
    "learned is how far to trust image and letters before in each state. ± is the deviation over folds."
)


def of_parents(result, data):
    """Accuracies at which SPC-pi and one of its parents can be compared."""
    own = [row for row in result["compared"] if (row["data"], row["against"]) == (data, "parents")]
    return [row for row in own if row["ratio"] is not None]


def middle_of(rows):
    """Those in the middle half of the accuracies."""
    if not rows:
        return []
    low, high = rows[0]["char_accuracy"], rows[-1]["char_accuracy"]
    ends = [low + share * (high - low) for share in MIDDLE]
    return [row for row in rows if ends[0] <= row["char_accuracy"] <= ends[1]]


def verdict(result, data):
    """(worst ratio, best ratio in the middle, share of accuracies where SPC-pi is dearer) with their rows."""
    rows = of_parents(result, data)
    worst = max(rows, key=lambda row: row["ratio"])
    best = min(middle_of(rows) or rows, key=lambda row: row["ratio"])
    return worst, best, sum(row["ratio"] > 1 for row in rows) / len(rows)


def measured(result):
    """The line of the table of systems: where a parent is cheaper stands first."""
    return "; ".join(_half(result, data) for data in data_of(result))


def _half(result, data):
    worst, best, dearer = verdict(result, data)
    parts = []
    if dearer:
        parts.append(
            f"dearer than its better parent at {100 * dearer:.0f} % of the accuracies compared (up to "
            f"{worst['ratio']:.2f} times the time, at {worst['char_accuracy']:.1f} % of letters right)"
        )
    for name in ("greedy", "random"):
        share = _beaten(result, data, name)
        if share:
            parts.append(f"{METHODS[name][0].lower()} is cheaper at {100 * share:.0f} % of them")
    less = 100 * (1 - best["ratio"])
    saved = f"{less:.0f} % less" if less >= 0 else f"{-less:.0f} % more"
    parts.append(f"{saved} in the middle, at {best['char_accuracy']:.1f} %")
    return f"{DATA[data]}: " + ", ".join(parts)


def _beaten(result, data, name):
    """Share of accuracies at which another controller needs less time."""
    own = [row for row in result["compared"] if (row["data"], row["against"]) == (data, name)]
    own = [row for row in own if row["ratio"] is not None]
    return sum(row["ratio"] > 1 for row in own) / max(len(own), 1)


def sentences(result):
    """The findings, data set by data set."""
    out = []
    for data in data_of(result):
        top = max(rows_of(result, data, "spc_pi"), key=lambda row: row["char_accuracy"])
        fixed = max(rows_of(result, data, "spc"), key=lambda row: row["char_accuracy"])
        alone = max(rows_of(result, data, "dms_pi"), key=lambda row: row["char_accuracy"])
        out.append(f"**{DATA[data]}**: {_half(result, data)[len(DATA[data]) + 2 :]}.")
        out.append(
            f"Most letters right: SPC-π {top['char_accuracy']:.2f} % at {top['us']:.0f} µs a word, fixed "
            f"cascades {fixed['char_accuracy']:.2f} % at {fixed['us']:.0f} µs (order {fixed['order']}, tier "
            f"{fixed['tier']}), DMS-π {alone['char_accuracy']:.2f} % at {alone['us']:.0f} µs."
        )
        out += _models(result, data)
    return out


def _models(result, data):
    own = {(row["at"], row["model"]): row for row in result["models"] if row["data"] == data}
    if not own:
        return []
    gaps = {
        at: own[at, "one"]["char_accuracy"] - own[at, "two"]["char_accuracy"]
        for at in dict.fromkeys(at for at, _ in own)
    }
    said = ", ".join(f"{gap:+.2f} ({at})" for at, gap in gaps.items())
    return [f"One model that filters and predicts, points of letters right over two apart: {said}."]


def misses(result):
    """Where the goal of the proposal is not reached."""
    out = []
    for data in data_of(result):
        worst, best, dearer = verdict(result, data)
        if dearer:
            out.append(
                f"SPC-π, {DATA[data]}: needs more time than its better parent at {100 * dearer:.0f} % of the "
                f"accuracies compared, at the worst {worst['ratio']:.2f} times at "
                f"{worst['char_accuracy']:.1f} % of letters right."
            )
        if best["ratio"] > GOAL:
            out.append(
                f"SPC-π, {DATA[data]}: the best of the middle is {best['ratio']:.2f} of the better parent's "
                f"time; {GOAL:g} was the goal."
            )
    return out
