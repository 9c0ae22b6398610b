"""Claims about the result grid (thesis Fig. 5.3), as data."""

from spcviz.web.figures.claims import Claim, find, twice

_SYSTEM, _FIGURE = "Loopy grids: error keeping the best K of 8 classes", "thesis Fig. 5.3"


def _gap(rival, name, k):
    row = "gaps", {"method": rival, "k": k}
    ours, theirs = (("rows", {"method": method, "k": k}, "error") for method in ("ensemble", rival))
    return Claim(
        "grid", _SYSTEM, f"ensemble below {name}, K = {k}", (*row, "gap"), "ahead", decimals=3,
        spread=twice(*row, "stderr"), shown="{1:.3f} against {2:.3f}", beside=(ours, theirs),
        said="below at every K", source=_FIGURE,
    )  # fmt: skip


def _rho(result):
    k = result["paper"]["agreement_error_rho"]["k"]
    return find(result, ("agreement", "by_k", {"k": k}, "error_rho"))


def _paper_rho(result):
    paper = result["paper"]["agreement_error_rho"]
    return f"rho {paper['rho']:g} at K = {paper['k']}"


def _largest_gain_rho(result):
    return max(row["gain_rho"] for row in result["agreement"]["by_k"] if row["gain_rho"] is not None)


CLAIMS = (
    Claim(
        "grid", _SYSTEM, "order at every K",
        lambda result: len(result["order_holds"]["broken_at_k"]),
        "holds", decimals=0, shown="ensemble {1:.3f}, LBP {2:.3f} (K = 3); broken at {0}",
        beside=tuple(("rows", {"method": method, "k": 3}, "error") for method in ("ensemble", "lbp")),
        said="ensemble below LBP and every tree", source=_FIGURE,
        note="The paper gives its curves as a drawing only: the order can be compared, not the levels.",
        is_headline=True,
    ),
    *(_gap(rival, name, k) for rival, name in (("lbp", "LBP"), ("tree", "mean comb")) for k in (1, 3, 5)),
    Claim(
        "grid", "Loopy grids: agreement of the combs", "median agreement", ("agreement", "median"),
        paper=("paper", "median_agreement"), decimals=2, source=_FIGURE, is_aside=True,
    ),
    Claim(
        "grid", "Loopy grids: agreement of the combs", "more agreement, less error",
        lambda result: int(_rho(result) >= 0), "holds", decimals=0, shown="rho {1:.3f}", beside=(_rho,),
        said=_paper_rho, source=_FIGURE,
        note="The sign is the paper's, closer here; it does not say how it averages before ranking.",
        is_aside=True, is_headline=True,
    ),
    Claim(
        "grid", "Loopy grids: agreement of the combs", "uncorrelated with gain over LBP",
        _largest_gain_rho, paper=("paper", "agreement_gain_rho", "max_rho"), better="lower", decimals=3,
        shown="largest rho {}", said="largest rho {}", source=_FIGURE, note="Small in both.", is_aside=True,
    ),
)  # fmt: skip
