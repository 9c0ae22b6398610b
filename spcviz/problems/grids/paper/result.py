"""How the result grid (thesis Fig. 5.3) is shown."""

from spcviz.problems.grids.page import charts, text
from spcviz.problems.grids.paper import tables
from spcviz.web.figures.blocks import Heading, Link, Shown, Table, Text, chart

DECIMALS = {f"{name} %": 2 for name in (*tables.METHODS.values(), "best comb")}


def _blocks(result, features, look):
    sentence = text.thesis(result)
    return [
        chart(charts.thesis, result, look, alt=sentence),
        Text(sentence),
        Table(tables.errors_frame(result), "grid", DECIMALS),
        Heading("Do the combs agree?"),
        Table(tables.agreement_frame(result), "grid-agreement"),
        Link("pages/cascade/loopy.py", "One grid, live", ":material/grid_on:"),
    ]


def _notes(result):
    s = result.get("settings", {})
    if "lbp_iterations" not in s:
        return []
    return [
        f"Grids are drawn from random state {s['random_state']} with scores of pairs up to "
        f"± {s['strength']:g}; samples come from {s['n_sweeps']} sweeps of Gibbs sampling; "
        f"belief propagation has {s['lbp_iterations']} {s['lbp_schedule']} iterations."
    ]


GRID = Shown(("method", "k", "error", "stderr"), _blocks, _notes)
