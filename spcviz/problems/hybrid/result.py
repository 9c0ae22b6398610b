"""Charts and tables of orders and features bought together (thesis, ch. 8), as Paper tables shows them."""

import pandas as pd

from spcviz.problems.hybrid.shown import DATA, METHODS, VARIANTS
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.stored_results import Heading, Link, Shown, Table, chart, chosen_on, data_of
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

NEEDS = ("data", "method", "us", "char_accuracy", "word_accuracy")
TIERS = ("pixels", "+ HoG 3", "+ HoG 2")
_LOOKS = {
    "spc_pi": ("map", "solid"),
    "rounds": ("map", "dash"),
    "whole_words": ("lost", "solid"),
    "portfolio": ("kept", "solid"),
    "dms_pi": ("threshold", "dash"),
    "order_only": ("kept", "dashdot"),
    "greedy": ("truth", "dot"),
    "random": ("pruned", "dot"),
}
_MARKS = ("circle", "diamond", "square")
_TIER_ROLES = ("kept", "lost", "text")
_LETTERS = {"char_accuracy": "letters right %", "char_accuracy_sd": "± letters"}
_WORDS = {"word_accuracy": "words right %", "word_accuracy_sd": "± words"}
DECIMALS = {"letters right %": 2, "words right %": 2, "±": 2, "µs": 3}
_LOOPY = "Loopy graphs: a tree for each added factor, 5 x 5 grid, blocks of 2 x 2 nodes"

NOTE = (
    "Times are this process's CPU microseconds a word: features, scores, inference, the controller itself. "
    "Curves are of all test words under one budget; SPC-π begins with pairs of letters, filtered once, in "
    "rounds it does all good actions of a word in one sweep. By whole words, each word is read by pairs and, "
    "where a linear prediction from that reading says that it pays, again by a fixed cascade; the portfolio "
    "mixes the methods that lie on the hull of development words' points. SPC has a point for "
    "each order (its number) and each tier of features bought for all letters. N-grams of both are "
    "counted from training words; learned is how far to trust image and letters before in each state. "
    "± is the deviation over folds."
)


def rows_of(result, data, method):
    """Rows of a method by rising time; those of fixed cascades in the result's order."""
    rows = [row for row in result["rows"] if (row["data"], row["method"]) == (data, method)]
    return rows if method == "spc" else sorted(rows, key=lambda row: row["us"])


def trade_off(result: dict, palette: Palette, *, data: str, scale: float = 1.0, height: float = 480) -> Chart:
    """Letters right against microseconds a word; fixed cascades as points joined by tier."""
    traces = []
    for method, (role, dash) in _LOOKS.items():
        rows, color = rows_of(result, data, method), getattr(palette, role)
        x, y, name = [row["us"] for row in rows], [row["char_accuracy"] for row in rows], METHODS[method][0]
        hover = f"%{{x:.0f}} µs: %{{y:.2f}} % right<extra>{name}</extra>"
        look = stroke(color, (4 if method in VARIANTS else 2.5) * scale, dash)
        traces.append(points("lines", x, y, name, hover) | look)
    for tier, name in enumerate(TIERS):
        rows = [row for row in rows_of(result, data, "spc") if row["tier"] == tier]
        x, y = [row["us"] for row in rows], [row["char_accuracy"] for row in rows]
        hover = f"order %{{text}}, %{{x:.0f}} µs: %{{y:.2f}} % right<extra>SPC, {name}</extra>"
        look = stroke(getattr(palette, _TIER_ROLES[tier]), scale, "dot") | mark(8 * scale, _MARKS[tier])
        look |= {"text": [str(row["order"]) for row in rows], "textposition": "bottom right"}
        traces.append(points("lines+markers+text", x, y, f"SPC, {name}", hover) | look)
    axes = {
        "xaxis": {"title": "µs a word, everything counted", "type": "log"},
        "yaxis": {"title": "letters right, %"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=6)


def ratios(result, palette, *, data, scale=1.0, height=360):
    """Time of SPC-pi's variants over their parents' mixtures at equal accuracy, with deviations."""
    traces, reached = [], []
    for method in VARIANTS:
        wanted = {"data": data, "method": method, "against": "hull"}.items()
        rows = [r for r in result["compared"] if wanted <= r.items() and r["ratio"] is not None]
        reached += [row["char_accuracy"] for row in rows]
        color, dash = getattr(palette, _LOOKS[method][0]), _LOOKS[method][1]
        x, y = [row["char_accuracy"] for row in rows], [row["ratio"] for row in rows]
        hover = "%{x:.1f} % right: %{y:.2f} times the time<extra></extra>"
        bars = {"array": [row["ratio_sd"] or 0.0 for row in rows], "color": palette.muted}
        curve = points("lines+markers", x, y, METHODS[method][0], hover, error_y=bars)
        traces.append(curve | stroke(color, 3 * scale, dash) | mark(6 * scale))
    low, high = (end(reached) for end in (min, max)) if reached else (0, 1)
    for level, dash, name in ((1.0, "solid", "as dear"), (0.8, "dash", "20 % less")):
        level_line = points("lines", [low, high], [level, level], name)
        traces.append(level_line | stroke(palette.text, scale, dash))
    axes = {
        "xaxis": {"title": f"letters right, %: {DATA[data]}"},
        "yaxis": {"title": "time over parents' mixtures", "type": "log"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=4)


def _frame(rows, names):
    """A frame of rows, with column names for their keys."""
    table = [{title: row.get(key) for key, title in names.items()} for row in rows]
    frame = pd.DataFrame(table, columns=list(names.values()))
    return frame.assign(method=[METHODS[m][0] for m in frame["method"]]) if "method" in frame else frame


def curves_frame(result):
    """All points."""
    about = {name: name for name in ("data", "method", "order", "tier")}
    return _frame(result["rows"], about | {"us": "µs"} | _LETTERS | _WORDS)


def ends_frame(result):
    """Where every controller begins and ends."""
    names = {"data": "data", "method": "method", "at": "spent", "us": "µs"}
    names |= {"char_accuracy": "letters right %", "word_accuracy": "words right %"}
    frame = _frame([row for row in result["rows"] if "at" in row], names)
    return frame.replace({"spent": {"begin": "nothing", "end": "everything"}})


def models_frame(result):
    """One model against two, after random actions."""
    names = {"data": "data", "at": "random actions a word", "model": "model"} | _LETTERS
    frame = _frame(result["models"], names | {"word_accuracy": "words right %"})
    return frame.replace({"model": {"one": "one for both", "two": "two, apart"}})


def clock_frame(result):
    """Cost of an action of each kind, in microseconds."""
    names = {
        "letter": "a letter, begun",
        "action": "an action, or a round of them",
        "made": "an arc made",
        "passed": "an arc that messages go over",
        "valued": "an action valued",
    }
    clocks = result["clock"].items()
    rows = [(data, what, clock[key]) for data, clock in clocks for key, what in names.items()]
    for data, clock in clocks:
        for key in ("feature", "score"):
            rows += [(data, f"{key}s of a letter, {tier}", us) for tier, us in zip(TIERS, clock[key])]
    return pd.DataFrame(rows, columns=("data", "what", "µs"))


def loopy_frame(result):
    """Trees grown on a grid, one for each block of nodes."""
    how = {"doubt": "where doubt is largest", "chance": "by chance", "all combs": "none: all combs"}
    names = {"how": "blocks", "added": "trees added", "right": "as in the best labelling %"}
    names |= {"right_se": "± as in it", "kept": "states left %", "lost": "best labelling's lost %"}
    return _frame(result["loopy"], names | {"ms": "ms"}).replace({"blocks": how})


def _blocks(result, features, look):
    drawn = []
    for data in data_of(result):
        drawn += [
            Heading(DATA[data].capitalize()),
            chart(trade_off, result, look, f"hybrid_{data}", data=data),
            chart(ratios, result, look, f"hybrid_ratio_{data}", data=data),
        ]
    for heading, made, name, decimals in (
        ("With nothing and with everything spent", ends_frame, "hybrid-ends", {}),
        ("One model that filters and predicts, and two", models_frame, "hybrid-models", {}),
        ("What each kind of action costs", clock_frame, "hybrid-clock", {}),
        (_LOOPY, loopy_frame, "hybrid-loopy", {"%": 1, "ms": 2}),
        ("All points", curves_frame, "hybrid", {}),
    ):
        drawn += [Heading(heading), Table(made(result), name, DECIMALS | decimals)]
    return [*drawn, Link("pages/budget/hybrid.py", "One word, live", ":material/hub:")]


def _notes(result):
    return [NOTE, *chosen_on(result)]


HYBRID = Shown(NEEDS, _blocks, _notes)
