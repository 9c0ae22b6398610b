"""Tables of loopy grids beside the paper's Fig. 5.3, to show and download."""

import pandas as pd

METHODS = {  # as a column is called
    "ensemble": "all combs (ensemble)",
    "lbp": "LBP",
    "tree": "mean comb",
    "lbp_max": "LBP, max-product",
    "unary": "no neighbours",
    "samples": "samples' own order",
}


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
    """What the thesis says of the combs' agreement, beside what was measured."""
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
