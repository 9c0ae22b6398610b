"""Evidence on street scenes for the Trade-off page: DMS on all of CamVid's test pictures."""

from spcviz.problems.budgets.evidence import Evidence, Gap
from spcviz.problems.scene.shown import TERMS

_RIVALS = {"uniform": "uniform_arms", "myopic": "least_sure"}  # the result's names: keys of methods


def evidence(result: dict) -> Evidence:
    """DMS against random pictures, and against the least sure."""
    gaps = []
    for row in result["compared"]:
        low, high = row["interval"]
        gaps.append(Gap("dms", _RIVALS[row["method"]], row["share"], -row["points"], -high, -low))
    over = f"CamVid's {result['n_pictures']} test pictures"
    return Evidence(over, "wrong pixels", "us", TERMS, tuple(gaps))
