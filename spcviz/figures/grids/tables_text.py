"""What the Paper tables page and the report say about Fig. 5.3: sentences worked out from its numbers."""


def shortfalls(result):
    """Where the grid's numbers differ from what the paper says: sentences."""
    out, agreed, paper = [], result.get("agreement") or {}, result.get("paper") or {}
    held = result.get("order_holds") or {}
    if not held.get("all", True):
        out.append(f"**The order of the methods** does not hold at K = {held.get('broken_at_k')}.")
    by_k = {row["k"]: row for row in agreed.get("by_k", ()) if row.get("error_rho") is not None}
    wanted = paper.get("agreement_error_rho") or {}
    here = by_k.get(wanted.get("k"))
    if here and wanted.get("rho") is not None:
        out.append(
            f"**Agreement and error** go together more closely here: rho {here['error_rho']:.3f} measured, "
            f"{wanted['rho']} paper, at K = {wanted['k']}. The sign is the same; the paper does not "
            "say how it averages over samples before ranking."
        )
    most = max((row["gain_rho"] for row in by_k.values()), default=None)
    limit = (paper.get("agreement_gain_rho") or {}).get("max_rho")
    if most is not None and limit is not None and most > limit:
        out.append(
            f"**Agreement and gain over LBP**: largest rho {most:.3f} measured, {limit} paper, which "
            "calls its own “not correlated”. Small in both."
        )
    return out


def settings(result):
    """How the grids were made and read, in a sentence; "" where it is not said."""
    s = result.get("settings", {})
    if "lbp_iterations" not in s:
        return ""
    return (
        f"Grids are drawn from random state {s['random_state']} with scores of pairs up to "
        f"± {s['strength']:g}; samples come from {s['n_sweeps']} sweeps of Gibbs sampling; "
        f"belief propagation has {s['lbp_iterations']} {s['lbp_schedule']} iterations."
    )


def misses(result):
    """Where the paper's order of the methods does not hold: a sentence, or none."""
    held = result.get("order_holds") or {}
    if held.get("all", True):
        return []
    return [f"The paper's order of the methods does not hold at K = {held.get('broken_at_k')}."]
