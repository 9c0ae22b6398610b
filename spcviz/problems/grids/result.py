"""How Paper tables shows grid (thesis Fig. 5.3) and grid-rules."""

import pandas as pd

from spcviz.problems.grids.page import charts, text
from spcviz.web.figures.stored_results import (
    RULE_NAMES,
    WHAT_DECIDES,
    Heading,
    Link,
    Shown,
    Table,
    Text,
    chart,
    interval,
)

METHODS = {  # names in columns
    "ensemble": "all combs (ensemble)",
    "lbp": "LBP",
    "tree": "mean comb",
    "lbp_max": "LBP, max-product",
    "unary": "no neighbours",
    "samples": "samples' own order",
}
DECIMALS = {f"{name} %": 2 for name in (*METHODS.values(), "best comb")}
NAMES_OF_RULES = RULE_NAMES | {"top_k": "the k best of each variable (Fig. 5.3)"}


def _blocks(result, features, look):
    sentence = text.thesis(result)
    return [
        chart(charts.thesis, result, look, alt=sentence),
        Text(sentence),
        Table(errors_frame(result), "grid", DECIMALS),
        Heading("Do the combs agree?"),
        Table(agreement_frame(result), "grid-agreement"),
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


def errors_frame(result: dict) -> pd.DataFrame:
    """Fig. 5.3 in percent, one row per K; "best comb" is the single comb with the least error there."""
    table = {}
    for row in (*result["rows"], *result.get("baselines", ())):
        name = METHODS.get(row["method"], row["method"])
        line = table.setdefault(row["k"], {})
        line[f"{name} %, measured"] = 100 * row["error"]
        line[f"{name} %, std. error"] = 100 * row["stderr"]
    for k, line in table.items():
        each = [row for row in result.get("trees", ()) if row["k"] == k]
        if each:
            best = min(each, key=lambda row: row["error"])
            line["best comb %, measured"] = 100 * best["error"]
            line["best comb %, std. error"] = 100 * best["stderr"]
    names = [*METHODS.values()]
    names.insert(3, "best comb")
    columns = [f"{name} %, {kind}" for name in names for kind in ("measured", "std. error")]
    frame = pd.DataFrame.from_dict(table, orient="index").sort_index().rename_axis("states kept, K")
    return frame.reindex(columns=[c for c in columns if c in frame])


def agreement_frame(result: dict) -> pd.DataFrame:
    """The combs' agreement as measured, next to the thesis' numbers."""
    agreed, paper = result.get("agreement") or {}, result.get("paper") or {}
    by_k = [row for row in agreed.get("by_k", ()) if row.get("error_rho") is not None]
    error = paper.get("agreement_error_rho") or {}
    at = error.get("k", 5)
    here = next((row for row in by_k if row["k"] == at), {})
    peak = min(by_k, key=lambda row: row["error_rho"], default={})
    gain = max(by_k, key=lambda row: row["gain_rho"], default={})
    settled = (result.get("convergence") or {}).get("variables_unconverged")
    printed = (paper.get("agreement_gain_rho") or {}).get("max_rho")
    name = "agreement against gain over LBP, largest rho"
    known = (
        ("median agreement of the combs", agreed.get("median"), paper.get("median_agreement")),
        ("variables where all combs agree, %", _percent(agreed.get("complete")), 0.0),
        (f"agreement against ensemble's error, rho at K = {at}", here.get("error_rho"), error.get("rho")),
        (f"the same at its peak, here K = {peak.get('k')}", peak.get("error_rho"), -0.143),
        (f"{name}, here K = {gain.get('k')}", gain.get("gain_rho"), printed),
        ("variables that LBP does not settle, %", _percent(settled), None),
    )
    frame = pd.DataFrame(known, columns=["quantity", "measured", "paper"]).set_index("quantity")
    return frame.apply(pd.to_numeric, errors="coerce").dropna(how="all", subset=["measured"])


def _percent(share):
    return None if share is None else 100 * share


def rules_frame(result: dict) -> pd.DataFrame:
    """States left where equally much is lost, and at settings that were tuned on other grids."""
    return pd.DataFrame(
        [
            {
                "lost %": row["target"],
                "rule": NAMES_OF_RULES[row["rule"]],
                "states a variable": row["states_equal"],
                "over thesis' rule": row["ratio"][0],
                "95 % of draws of grids": interval(*row["ratio"][1:]),
                "tuned: states": row["states"],
                "tuned: lost on other grids %": row["loss"],
            }
            for row in result["rows"]
        ]
    )


def _rule_blocks(result, features, look):
    return [Table(rules_frame(result), "grid-rules", {"states": 2, "over": 2, "tuned": 2, "lost": 1})]


def _rule_notes(result):
    chosen = f"Chosen on: {result['settings']['chosen_on']}."
    return [
        WHAT_DECIDES,
        "One setting for all grids, summed max-marginals of all combs; a variable's best state stays.",
        chosen,
    ]


RULES = Shown(
    needs=("target", "rule", "guarantee", "states_equal", "ratio", "loss", "states"),
    blocks=_rule_blocks,
    notes=_rule_notes,
)
