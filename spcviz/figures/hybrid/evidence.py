"""What SPC-pi comes to, in sentences worked out from the result's own numbers."""

from spcviz.figures.hybrid.charts import VARIANTS, data_of, rows_of
from spcviz.problems.hybrid.shown import DATA, METHODS

PAPER = "a proposal: nobody has built it"
GOAL, MIDDLE = 0.8, (0.25, 0.75)
"""At most so much of the better parent's time somewhere in the middle half of the accuracies compared."""

NOTE = (
    "Times are this process's CPU microseconds a word: features, scores, inference, the controller itself. "
    "Curves are of all test words under one budget; SPC-π begins with pairs of letters, filtered once, in "
    "rounds it does all good actions of a word in one sweep. SPC has a point for each order (its number) and "
    "each tier of features bought for all letters. N-grams of both are counted from training words; "
    "learned is how far to trust image and letters before in each state. ± is the deviation over folds."
)


def of_parents(result, data, method, against="parents"):
    """Accuracies at which a variant of SPC-pi and one of its parents, or another method, can be compared."""
    wanted = (data, method, against)
    own = [row for row in result["compared"] if (row["data"], row["method"], row["against"]) == wanted]
    return [row for row in own if row["ratio"] is not None]


def middle_of(rows):
    """Those in the middle half of the accuracies."""
    if not rows:
        return []
    low, high = rows[0]["char_accuracy"], rows[-1]["char_accuracy"]
    ends = [low + share * (high - low) for share in MIDDLE]
    return [row for row in rows if ends[0] <= row["char_accuracy"] <= ends[1]]


def verdict(result, data, method):
    """(worst ratio, best ratio in the middle, share where a variant is dearer) with their rows."""
    rows = of_parents(result, data, method)
    worst = max(rows, key=lambda row: row["ratio"])
    best = min(middle_of(rows) or rows, key=lambda row: row["ratio"])
    return worst, best, sum(row["ratio"] > 1 for row in rows) / len(rows)


def measured(result):
    """The line of the table of systems: where a parent is cheaper stands first."""
    return "; ".join(
        f"{METHODS[method][0]}, {DATA[data]}: {_half(result, data, method)}"
        for data in data_of(result)
        for method in VARIANTS
    )


def _half(result, data, method):
    rows = of_parents(result, data, method)
    worst, best, dearer = verdict(result, data, method)
    parts = []
    if dearer:
        parts.append(
            f"dearer than its better parent at {100 * dearer:.0f} % of the accuracies compared (up to "
            f"{worst['ratio']:.2f} times the time, at {worst['char_accuracy']:.1f} % of letters right)"
        )
    for name in ("greedy", "random"):
        share = _beaten(result, data, method, name)
        if share:
            parts.append(f"{METHODS[name][0].lower()} is cheaper at {100 * share:.0f} % of them")
    less = 100 * (1 - best["ratio"])
    saved = f"{less:.0f} % less" if less >= 0 else f"{-less:.0f} % more"
    parts.append(f"{saved} in the middle, at {best['char_accuracy']:.1f} %")
    if 0.0 < dearer < 1.0:
        parts.append(f"cheaper {ranges(rows)}")
    return ", ".join(parts)


def ranges(rows):
    """Accuracies, from the lowest, at which a variant is not dearer: "from 80.0 to 85.1 % and ..."."""
    runs, is_open = [], False
    for row in rows:
        if row["ratio"] > 1:
            is_open = False
        elif is_open:
            runs[-1][1] = row["char_accuracy"]
        else:
            runs.append([row["char_accuracy"]] * 2)
            is_open = True
    return " and ".join(f"from {low:.1f} to {high:.1f} %" for low, high in runs)


def _beaten(result, data, method, name):
    """Share of accuracies at which another controller needs less time."""
    own = of_parents(result, data, method, name)
    return sum(row["ratio"] > 1 for row in own) / max(len(own), 1)


def sentences(result):
    """The findings, data set by data set."""
    out = []
    for data in data_of(result):
        top = max(rows_of(result, data, "spc_pi"), key=lambda row: row["char_accuracy"])
        fixed = max(rows_of(result, data, "spc"), key=lambda row: row["char_accuracy"])
        alone = max(rows_of(result, data, "dms_pi"), key=lambda row: row["char_accuracy"])
        for method in VARIANTS:
            out.append(f"**{METHODS[method][0]}, {DATA[data]}**: {_half(result, data, method)}.")
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
        for method in VARIANTS:
            name = f"{METHODS[method][0]}, {DATA[data]}"
            worst, best, dearer = verdict(result, data, method)
            if dearer:
                out.append(
                    f"{name}: needs more time than its better parent at {100 * dearer:.0f} % of the "
                    f"accuracies compared, at the worst {worst['ratio']:.2f} times at "
                    f"{worst['char_accuracy']:.1f} % of letters right."
                )
            if best["ratio"] > GOAL:
                out.append(
                    f"{name}: the best of the middle is {best['ratio']:.2f} of the better parent's time; "
                    f"{GOAL:g} was the goal."
                )
    return out + _loopy_misses(result)


def _loopy_misses(result):
    """Whether growing trees pays where the graph has loops."""
    rows = result.get("loopy", ())
    combs = [row for row in rows if row["how"] == "all combs"]
    grown = [row for row in rows if row["how"] == "doubt" and row["added"]]
    if not combs or max(row["right"] - 2 * row["right_se"] for row in grown) > combs[0]["right"]:
        return []
    most = max(grown, key=lambda row: row["right"])
    return [
        f"A tree per added factor, 5 x 5 grid: {most['right']:.1f} ± {most['right_se']:.1f} % of nodes as in "
        f"the best labelling with {most['added']} trees ({most['ms']:.1f} ms); all combs, nothing "
        f"grown, {combs[0]['right']:.1f} ± {combs[0]['right_se']:.1f} % in {combs[0]['ms']:.2f} ms."
    ]
