"""What is shown of policy-theorems (Bolukbasi et al., Theorems 2.1 to 2.3)."""

import pandas as pd

from spcviz.figures.common.blocks import Heading, Headline, Link, Shown, Table, Text, bullets

POLICIES = {
    "word": "each word by itself",
    "length": "words of a length alike",
    "all": "one state for all",
    "trajectory": "trajectory search",
    "parsimonious": "parsimonious search",
}
SHARED = {"length": "words of a length must share a state", "all": "all words must share a state"}
CLAIMS = {
    "2.1": "2.1: equal but for a constant",
    "2.2": "2.2: a bound from above",
    "2.3": "2.3: 2.1 at each anytime step",
    "search": "labels found by",
}


def _row(result, theorem, policies):
    rows = (r for r in result["rows"] if (r["theorem"], r["policies"]) == (theorem, policies))
    return next(rows, None)


def _percent(row, key="astray"):
    spread = row.get(f"{key}_se")
    return f"{100 * row[key]:.1f} %" + (f" ± {100 * spread:.1f}" if spread is not None else "")


def theorems_frame(result):
    """Every claim with its policies, how many were tried, how many broke it, and what its minimiser costs."""
    rows = [
        {
            "claim": CLAIMS.get(row["theorem"], row["theorem"]),
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


def misses(result):
    """What the theorems do not promise, though it is easily read into them."""
    out = []
    broken = sum(row["violations"] for row in result["rows"])
    if broken:
        out.append(f"{broken} policies break a theorem: a bug, or the theorem is wrong.")
    for policies in ("length", "all"):
        row = _row(result, "2.2", policies)
        if row and row["astray"] > 0:
            out.append(
                f"Theorem 2.2 is a bound, not an equivalence: where {SHARED[policies]}, the "
                f"policy that minimises it is not the best in {_percent(row)} of the problems "
                f"({row['excess']:.3f} wrong letters a word more, on average)."
            )
    for search in ("trajectory", "parsimonious"):
        row = _row(result, "search", search)
        if row and row["astray"] > 0:
            out.append(
                f"{POLICIES[search].capitalize()} misses the best state of {_percent(row)} of the words "
                f"({row['excess']:.3f} wrong letters a word more, on average)."
            )
    row = _row(result, "2.3", "word")
    if row and row["astray"] > 0:
        out.append(
            f"Buying greedily, step by step (Algorithm 1), is not the best order for {_percent(row)} of the "
            "words."
        )
    return out


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
        Table(
            theorems_frame(result),
            "policy-theorems",
            {"not": 1, "±": 1, "wrong": 3, "problems": 0, "tried": 0},
        ),
        Heading("What the theorems do not promise"),
        Text(bullets(misses(result), "Nothing was found.")),
        Link("pages/budget/policy.py", "Policies at work", ":material/query_stats:"),
    ]


def _headline(result):
    tried = sum(row["n_policies"] for row in result["rows"] if row["theorem"] != "search")
    broken = sum(row["violations"] for row in result["rows"])
    measured = f"{broken} of {tried:,} policies break one"
    row = _row(result, "2.2", "all")
    if row:
        measured += f"; 2.2's minimiser is not the best in {_percent(row)} of problems with one state for all"
    return [Headline("Bolukbasi's Theorems 2.1 to 2.3, every policy", "proved", measured)]


THEOREMS = Shown(
    needs=("theorem", "policies", "n_problems", "n_policies", "violations", "astray", "excess"),
    blocks=_blocks,
    headline=_headline,
    misses=misses,
)
