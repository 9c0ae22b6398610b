"""Claims about policy-theorems (Bolukbasi et al., Theorems 2.1 to 2.3), as data."""

from spcviz.web.figures.claims import Claim, find

_BOUNDS = "Bolukbasi's theorems, what they do not promise"
_PROMISED_NOT = (
    ("2.2", "all", "2.2's minimiser, one state for all", "problems", "a bound, no equivalence"),
    ("2.2", "length", "2.2's minimiser, words of a length alike", "problems",
     "a bound, no equivalence"),
    ("search", "parsimonious", "parsimonious search", "words", "a heuristic"),
    ("search", "trajectory", "trajectory search", "words", "a heuristic"),
    ("2.3", "word", "greedy steps (Algorithm 1)", "words", "a heuristic"),
)  # fmt: skip


def _astray(theorem, policies, what, of, text):
    """How often what is easily read into a theorem is not so."""

    def percent(result, key):
        row = next(r for r in result["rows"] if (r["theorem"], r["policies"]) == (theorem, policies))
        return 100 * row[key]

    return Claim(
        "policy-theorems", _BOUNDS, what, lambda result: percent(result, "astray"), "level", 0,
        better="lower", spread=lambda result: 2 * percent(result, "astray_se"), shown="not best for {} %",
        note=f"Of the {of}.", is_aside=True,
        said=text, source=f"Theorem {theorem}" if theorem != "search" else "searches",
    )  # fmt: skip


def _tried(result):
    return sum(row["n_policies"] for row in result["rows"] if row["theorem"] != "search")


def _bound(result):
    """How often 2.2's minimiser is not the best where all words must share a state, percent."""
    return 100 * find(result, ("rows", {"theorem": "2.2", "policies": "all"}, "astray"))


CLAIMS = (
    Claim(
        "policy-theorems", "Bolukbasi's Theorems 2.1 to 2.3, every policy tried", "theorems hold",
        lambda result: sum(row["violations"] for row in result["rows"]), "holds", decimals=0,
        shown="{} of {:,} policies break one; 2.2's bound misleads in {:.0f} %",
        beside=(_tried, _bound), said="proved", source="Theorems 2.1 to 2.3", is_headline=True,
    ),
    *(_astray(*row) for row in _PROMISED_NOT),
)  # fmt: skip
