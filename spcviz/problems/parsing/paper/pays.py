"""Evidence on parsing for the Trade-off page: the stored result as an `Evidence`."""

from spcviz.problems.budgets.evidence import Evidence, Gap, is_simple
from spcviz.problems.parsing.shown import METHOD_OF, TERMS, TRADED

DATA = "ewt"
"""The corpus of the page, and of the rows that are used."""


def evidence(result: dict) -> Evidence:
    """Every learned policy that the page offers against every simple one."""
    # The result has intervals against random words. Against another simple rival the ends farthest apart are
    # combined: the interval is too wide rather than too narrow.
    rows = {
        (METHOD_OF.get(row["policy"], row["policy"]), row["features_share"]): row
        for row in result["compared"]
        if row["data"] == DATA
    }
    gaps = [
        _gap(key, rival, share, row, other)
        for (key, share), row in rows.items()
        for (rival, at), other in rows.items()
        if at == share and {key, rival} <= set(TRADED) and not is_simple(key) and is_simple(rival)
    ]
    over = f"{result['test_words'][DATA]:,} test words of the English Web Treebank"
    return Evidence(over, "wrong heads", "units", TERMS, tuple(gaps))


def _gap(key, rival, share, row, other):
    (low, high), (least, most) = row["minus_uniform_interval"], other["minus_uniform_interval"]
    fewer = row["minus_uniform"] - other["minus_uniform"]
    return Gap(key, rival, share, fewer, low - most, high - least)
