"""What is shown of grid (thesis Fig. 5.3)."""

from spcviz.figures.common.blocks import Heading, Headline, Link, Shown, Table, Text, bullets, chart
from spcviz.figures.grids import charts, tables, tables_text, text

DECIMALS = {f"{name} %": 2 for name in (*tables.METHODS.values(), "best comb")}
_COMPARED = ("ensemble", "lbp", "tree")


def _blocks(result, features, look):
    said = text.thesis(result)
    return [
        chart(charts.thesis, result, look, alt=said),
        Text(said),
        Text(tables_text.settings(result), on_page=False),
        Table(tables.errors_frame(result), "grid", DECIMALS),
        Heading("Do the combs agree?"),
        Table(tables.agreement_frame(result), "grid-agreement"),
        Heading("What differs from the paper"),
        Text(bullets(tables_text.shortfalls(result), "Nothing that it states.")),
        Link("pages/cascade/loopy.py", "One grid, live", ":material/grid_on:"),
    ]


def _headline(result, kept=(1, 3, 5)):
    s, errors = result["settings"], {(row["method"], row["k"]): row["error"] for row in result["rows"]}
    kept = [k for k in kept if all((method, k) in errors for method in _COMPARED)]
    measured = [
        f"{tables.METHODS[method]} {' / '.join(f'{errors[method, k]:.3f}' for k in kept)}"
        for method in _COMPARED
    ]
    what = (
        f"Loopy {s['rows']} × {s['columns']} grids: error keeping the best {' / '.join(map(str, kept))} of "
        f"{s['n_states']} classes"
    )
    paper = (result.get("paper") or {}).get("order", "–")
    holds = (result.get("order_holds") or {}).get("all")
    order = "; the order holds at every K" if holds else "; the order does not hold at every K"
    return [Headline(what, paper, ", ".join(measured) + order)]


GRID = Shown(
    needs=("method", "k", "error", "stderr"), blocks=_blocks, headline=_headline, misses=tables_text.misses
)
