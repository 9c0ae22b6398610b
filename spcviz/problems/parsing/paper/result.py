"""Charts and tables of parsing under a budget (resource-constrained prediction, Fig. 4) for Paper tables."""

import pandas as pd

from spcviz.problems.budgets.shown import DASHES, MARKS, ROLES
from spcviz.problems.parsing.shown import describe_policy
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.stored_results import Heading, Link, Shown, Table, chart, chosen_on, data_of
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

NEEDS = ("data", "policy", "features_share", "us_per_word", "uas")
"""Fields that each row must have."""
AXES = {
    "us_per_word": "µs a word, all in",
    "features_share": "words scored by everything, %",
}
CORPORA = {"ewt": "English Web Treebank", "wsj": "Wall Street Journal sample"}


def curves_of(result, data, dictionary=False):
    """Rows of a corpus by policy, in their order, without a length dictionary or with it."""
    out = {}
    for row in result["rows"]:
        if row["data"] == data and row.get("dictionary", False) == dictionary:
            out.setdefault(row["policy"], []).append(row)
    return out


def trade_off(
    result: dict,
    palette: Palette,
    *,
    data: str,
    axis: str = "us_per_word",
    dictionary: bool = False,
    scale: float = 1.0,
    height: float = 480,
) -> Chart:
    """Heads right against what was spent (`AXES`), every policy; one template for all words as stars."""
    traces = []
    for i, (policy, rows) in enumerate(curves_of(result, data, dictionary).items()):
        name, times = describe_policy(policy)[0], 100 if axis == "features_share" else 1
        look = stroke(getattr(palette, ROLES[i % len(ROLES)]), 2.5 * scale, DASHES[i % len(DASHES)])
        look |= mark(7 * scale, MARKS[i % len(MARKS)])
        x, y = [times * row[axis] for row in rows], [row["uas"] for row in rows]
        hover = "%{y:.2f} % right, %{customdata:.0f} % of words<extra>" + name + "</extra>"
        shares = [100 * row["features_share"] for row in rows]
        traces.append(points("lines+markers", x, y, name, hover, customdata=shares) | look)
    if axis == "us_per_word":
        alone = [row for row in result["without_policy"] if row["data"] == data]
        alone += [row for row in result["lengths"] if row["data"] == data]
        x, y = [row["us_per_word"] for row in alone], [row["uas_arborescence"] for row in alone]
        labels = [f"{row['template']}, {row['arcs']}" for row in alone]
        hover = "%{text}: %{y:.2f} % right<extra></extra>"
        stars = points("markers", x, y, "one template for all words", hover, text=labels)
        traces.append(stars | mark(12 * scale, "star", color=palette.text))
    name = CORPORA[data] + (", length dictionary" if dictionary else "")
    axes = {"xaxis": {"title": AXES[axis]}, "yaxis": {"title": f"heads right, %: {name}"}}
    if axis == "us_per_word":
        axes["xaxis"]["type"] = "log"
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=7.5)


def depths(result, palette, *, data, scale=1.0, height=400):
    """Share of the words of each depth that the chosen policy has bought, as the budget grows."""
    best = result["best"][data]
    rows = [row for row in result["depth"] if (row["data"], row["policy"]) == (data, best)]
    shown = [row for row in rows if row["features_share"] in (0.1, 0.3, 0.5, 0.7, 0.9)]
    traces = []
    for role, row in zip(ROLES, shown):
        n, name = len(row["bought"]), f"{100 * row['features_share']:.0f} % of words"
        x, y = [*map(str, range(n - 1)), f"{n - 1} or more"], [100 * share for share in row["bought"]]
        trace = {"type": "bar", "x": x, "y": y, "name": name, "marker": {"color": getattr(palette, role)}}
        traces.append(trace | {"hovertemplate": "depth %{x}: %{y:.0f} % bought<extra></extra>"})
    axes = {
        "xaxis": {"title": f"words above a word in the true tree: {CORPORA[data]}"},
        "yaxis": {"title": "bought, %"},
    }
    look = {"scale": scale, "height": height, "left": 4.5, "top": 5}
    return figure(traces, axes, palette, barmode="group", **look)


def curves_frame(result):
    """All points of all curves."""
    return pd.DataFrame(
        {
            "data": row["data"],
            "policy": describe_policy(row["policy"])[0],
            "length dictionary": "yes" if row.get("dictionary") else "no",
            "words bought %": 100 * row["features_share"],
            "heads right %": row["uas"],
            "on development %": row.get("uas_dev"),
            "µs/word": row["us_per_word"],
            "features µs": row.get("us_features"),
            "policy µs": row.get("us_policy"),
            "decoding µs": row.get("us_decoding"),
        }
        for row in result["rows"]
    )


def chosen_frame(result):
    """The fastest policy and share within each loss."""
    return pd.DataFrame(
        {
            "data": row["data"],
            "points less on development": row["loss"],
            "length dictionary": "yes" if row["dictionary"] else "no",
            "policy": describe_policy(row["policy"])[0],
            "words bought %": 100 * row["features_share"],
            "heads right %": row["uas"],
            "against everything": row["uas"] - row["uas_full"],
            "µs/word": row["us_per_word"],
            "times faster": row["times_faster"],
        }
        for row in result["chosen"]
    )


def compared_frame(result):
    """Every policy against uniform and against everything, at equal words bought."""

    def gap(row, name):
        low, high = row[f"minus_{name}_interval"]
        return f"{row[f'minus_{name}']:+.2f} [{low:+.2f}, {high:+.2f}]"

    return pd.DataFrame(
        {
            "data": row["data"],
            "words bought %": 100 * row["features_share"],
            "policy": describe_policy(row["policy"])[0] + (" (chosen)" if row["is_chosen"] else ""),
            "against uniform": gap(row, "uniform"),
            "against everything": gap(row, "full"),
        }
        for row in result["compared"]
    )


def alone_frame(result):
    """One template for all words, with and without the length dictionary."""
    names = {name: name for name in ("data", "arcs", "template")} | {"uas_arborescence": "heads right %"}
    names |= {"uas_eisner": "without crossings %", "us_features": "features µs"}
    names |= {"us_decoding": "decoding µs", "us_per_word": "µs/word"}
    return pd.DataFrame([*result["without_policy"], *result["lengths"]])[[*names]].rename(columns=names)


def templates_frame(result):
    """Time of each piece on its own."""
    names = {"data": "data", "what": "piece", "us_per_word": "µs/word"}
    return pd.DataFrame(result["templates"])[[*names]].rename(columns=names)


_TWO = ("heads right %", "on development %", "without crossings %", "µs", "features µs", "policy µs")
DECIMALS = dict.fromkeys((*_TWO, "decoding µs"), 2)
NOTE = (
    "A word's arcs are scored by tags in a few places, or by everything (words, endings, surroundings, tags "
    "between). Microseconds hold features and scores, choosing and parsing, not reading text. Heads right "
    "without punctuation left out, by the best tree whether arcs cross or not."
)
_CLOCK = (
    "All policies, shares and templates, with and without the length dictionary, were timed in turns. A word "
    "bought pays what the full template adds to tags: both share their weights."
)


def _blocks(result, features, look):
    drawn, trade = [], trade_off
    for data in data_of(result):
        drawn += [Heading(CORPORA[data])]
        drawn += [chart(trade, result, look, f"parsing_us_{data}", data=data)]
        if curves_of(result, data, dictionary=True):
            drawn += [chart(trade, result, look, f"parsing_lengths_{data}", data=data, dictionary=True)]
        drawn += [chart(trade, result, look, f"parsing_{data}", data=data, axis="features_share")]
        drawn += [chart(depths, result, look, f"parsing_depth_{data}", data=data)]
    return [
        *drawn,
        Heading("At equal words bought: points of heads right, 95 % bootstrap intervals over sentences"),
        Table(compared_frame(result), "parsing-compared"),
        Heading("Fastest within a loss of heads right, chosen on development sentences"),
        Table(chosen_frame(result), "parsing-chosen", DECIMALS),
        Heading("One template for all words"),
        Table(alone_frame(result), "parsing-alone", DECIMALS),
        Table(templates_frame(result), "parsing-pieces", DECIMALS),
        Heading("All points"),
        Table(curves_frame(result), "parsing", DECIMALS),
        Link("pages/budget/parsing.py", "One sentence, live", ":material/account_tree:"),
    ]


def _notes(result):
    return [NOTE, _CLOCK, *chosen_on(result)]


TABLE = Shown(NEEDS, _blocks, _notes)
