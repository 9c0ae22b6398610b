"""Messages that stop early, on long chains: chart, table and sentences of the result "quiescence"."""

import pandas as pd

from spcviz.figures.common.theme import figure

NEEDS = ("data", "length", "method", "q", "us", "messages_share", "updates_with_wrong_labels")
KINDS = {"letters": "words joined into lines", "tags": "sentences joined"}
PAPER_Q = 0.5
PAPER = f"words: 1.5 times faster overall at q = {PAPER_Q:g}; the policy's time shrinks as q grows"

_ROLES = {"anew": "muted", "exact": "text", "printed": "threshold", "margin": "kept", "level": "map"}
_NAMES = {
    "anew": "all messages anew",
    "exact": "exact update",
    "printed": "as printed (of the range)",
    "margin": "of the margin",
    "level": "level scores",
}
_DASHES = {0.1: "solid", 0.25: "dash", 0.5: "dot"}
_MARKS = {0.1: "circle", 0.25: "diamond", 0.5: "square"}


def name_of(row):
    """What a row's curve is called."""
    q = row["q"]
    if not q:
        return _NAMES[row["method"]]
    return f"{_NAMES[row['method']]}, " + ("exact" if q < 1e-6 else f"q = {q:g}")


def length_figure(result, palette, *, kind, scale=1.0, height=460):
    """Microseconds of an update against the length of the chain, both in logarithms.

    Parameters
    ----------
    result : dict
        "quiescence".
    palette : Palette
    kind : {"letters", "tags"}
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    curves = {}
    for row in result["rows"]:
        if row["data"] == kind:
            curves.setdefault(name_of(row), []).append(row)
    traces = []
    for name, rows in curves.items():
        method, q = rows[0]["method"], rows[0]["q"]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [row["length"] for row in rows],
                "y": [row["us"] for row in rows],
                "name": name,
                "line": {
                    "color": getattr(palette, _ROLES[method]),
                    "width": 2 * scale,
                    "dash": _DASHES.get(q, "solid"),
                },
                "marker": {"symbol": _MARKS.get(q, "star"), "size": 7 * scale},
                "hovertemplate": f"%{{x}} positions: %{{y:.3~g}} µs<extra>{name}</extra>",
            }
        )
    axes = {
        "xaxis": {"title": f"positions of a chain ({KINDS[kind]})", "type": "log"},
        "yaxis": {"title": "µs an update", "type": "log"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=7)


def frame(result):
    """One line a curve and length."""
    table = [
        {
            "chains": row["data"],
            "positions": row["length"],
            "update": name_of(row),
            "µs an update": row["us"],
            "messages, % of all": row["messages_share"],
            "updates with a wrong label, %": row["updates_with_wrong_labels"],
            "wrong labels an update": row["wrong_labels"],
            "error of a max-marginal, of its range": row["marginal_error"],
        }
        for row in result["rows"]
    ]
    return pd.DataFrame(table).set_index(["chains", "positions", "update"])


def _from(found):
    return "never" if found["pays_from"] is None else f"from {found['pays_from']:.0f} positions on"


def measured(result):
    """The headline: when stopping early takes less time than an exact update."""
    longest = max(row["length"] for row in result["rows"])
    said = []
    for kind, own in result["summary"].items():
        printed, level = own[f"printed {PAPER_Q:g}"], own["level 1e-09"]
        said.append(
            f"{kind}: as printed at q = {PAPER_Q:g} an update is cheaper than an exact one {_from(printed)}"
            + _wrong(printed)
            + f"; with level scores {_from(level)}, with no label wrong, and {level['times_faster']:.0f} "
            f"times at {longest}"
            if level["updates_with_wrong_labels"] == 0
            else f"{kind}: with level scores {level['updates_with_wrong_labels']:.1f} % of the updates are wrong"
        )
    return "; ".join(said)


def _wrong(found):
    share = found["updates_with_wrong_labels"]
    return f" ({share:.1f} % of the updates leave a wrong label)" if share else ""


def sentences(result):
    """What was measured, kind by kind."""
    out = []
    for kind, own in result["summary"].items():
        for name, found in own.items():
            method, q = name.rsplit(" ", 1)
            label = name_of({"method": method, "q": float(q)})
            out.append(
                f"{KINDS[kind].capitalize()}, {label}: less time than an exact update {_from(found)}; "
                f"{found['times_faster']:.1f} times faster and {found['messages_at_longest']:.0f} messages an "
                f"update at the longest; {found['updates_with_wrong_labels']:.1f} % of the updates leave a "
                "wrong label."
            )
    out += [f"No {kind}: {why}." for kind, why in result.get("skipped", {}).items()]
    return out


NOTE = (
    "A part's scores change, and messages are passed anew as far as the rule says. Exact: the cheaper of an "
    "update that stops at nothing and half of passing everything. As printed, a letter that becomes surer "
    "moves all messages behind it by one constant, which never dies away though no label hangs on it; level "
    "scores have that constant taken out beforehand, which changes no label and no margin."
)


def misses(result):
    """Where stopping early as printed does not do what Fig. 7.3 says."""
    out = []
    for kind, own in result["summary"].items():
        never = [name for name, found in own.items() if name.startswith("printed") and not found["pays_from"]]
        if never:
            listed = ", ".join(f"q = {name.split()[1]}" for name in never)
            out.append(
                f"On {KINDS[kind]} stopping messages early as printed does not pay at any length ({listed}): "
                "the change never dies away, for it is one constant for every state."
            )
    return out
