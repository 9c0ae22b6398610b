"""What the stored result says of DMS on all of CamVid's test pictures: for the Trade-off page."""

from spcviz.problems.budgets.evidence import Evidence, Gap
from spcviz.problems.scene.page.shown import TERMS

_RIVALS = {"uniform": "uniform_arms", "myopic": "least_sure"}  # the result's names: keys of methods


def evidence(result: dict) -> Evidence:
    """DMS against random pictures, and against the least sure."""
    gaps = tuple(
        Gap(
            "dms",
            _RIVALS[row["method"]],
            row["share"],
            -row["points"],
            -row["interval"][1],
            -row["interval"][0],
        )
        for row in result["compared"]
    )
    over = f"CamVid's {result['n_pictures']} test pictures"
    return Evidence(over, "wrong pixels", "us", TERMS, gaps)
