"""How Paper tables shows policy-theorems (Bolukbasi et al., Theorems 2.1 to 2.3)."""

import pandas as pd

from spcviz.web.figures.stored_results import Link, Shown, Table, Text

POLICIES = {
    "word": "each word by itself",
    "length": "words of a length alike",
    "all": "one state for all",
    "trajectory": "trajectory search",
    "parsimonious": "parsimonious search",
}
_NAMES = {
    "2.1": "2.1: equal but for a constant",
    "2.2": "2.2: a bound from above",
    "2.3": "2.3: 2.1 at each anytime step",
    "search": "labels found by",
}
DECIMALS = {"not": 1, "±": 1, "wrong": 3, "problems": 0, "tried": 0}


def theorems_frame(result):
    """Every claim with its policies, how many were tried, how many broke it, and what its minimiser costs."""
    rows = [
        {
            "claim": _NAMES.get(row["theorem"], row["theorem"]),
            "policies": POLICIES.get(row["policies"], row["policies"]),
            "problems": row["n_problems"],
            "tried": row["n_policies"],
            "broken": "–" if row["theorem"] == "search" else str(row["violations"]),
            "not the best %": 100 * row["astray"],
            "± one s.e.": None if row.get("astray_se") is None else 100 * row["astray_se"],
            "wrong letters more": row["excess"],
        }
        for row in result["rows"]
    ]
    return pd.DataFrame(rows)


def _blocks(result, features, look):
    s = result["settings"]
    share = f"{s['cost_letter_bought']}/{s['cost_wrong_letter']}"
    return [
        Text(
            f"Real words, {s['letters_theorems']} letters each (the searches: {s['letters_searches']}); free "
            f"is the {s['free']}, the rest can be bought letter by letter for {share} of a wrong letter. "
            "Every state and **every policy** is tried; costs are whole numbers, so a theorem holds or it "
            "does not. *Not the best*: how often what minimises the theorem's sum costs more than need be; "
            "for the searches, how often the state they label is not the best; for 2.3, how often greedy "
            "steps are not the best order."
        ),
        Table(theorems_frame(result), "policy-theorems", DECIMALS),
        Link("pages/budget/policy.py", "Policies at work", ":material/query_stats:"),
    ]


THEOREMS = Shown(
    needs=("theorem", "policies", "n_problems", "n_policies", "violations", "astray", "excess"),
    blocks=_blocks,
)
