"""Evidence on arms for the Trade-off page: the results of all partitions, as an `Evidence`."""

from spcviz.problems.arms.shown import TERMS
from spcviz.problems.budgets.evidence import Evidence, Gap

CLIPS = "rendered"  # what the page shows, and the rows that are about it
# (name in the summary, rival method): comparisons on the same clips
_DMS = (("dms_minus_uniform", "uniform_arms"), ("dms_minus_unsynchronised", "uniform_loose"))
_POLICY = (("uniform by tiers", "uniform"), ("random", "random"))


def evidence(dms: dict, policy: dict) -> Evidence:
    """Learned methods against random ones; joints as if fully correlated, which bounds their spread."""
    arms, frames = dms["summary"][CLIPS], policy["summary"][CLIPS]
    gaps = [gap for name, rival in _DMS for gap in _gaps("dms", rival, arms[name], arms)]
    points = frames["q_learning_minus"]
    gaps += [gap for name, rival in _POLICY for gap in _gaps("dms_pi", rival, points[name], frames)]
    splits = dms["settings"]["data"][CLIPS]["splits"], policy["settings"]["data"][CLIPS]["splits"]
    over = f"{splits[0]} random partitions of rendered clips ({splits[1]} for single frames)"
    return Evidence(over, "joints off", "us", TERMS, tuple(gaps))


def _gaps(method, rival, points, summary):
    """The gap at each speed-up; `points` has (elbow, wrist) and their standard errors, method less rival.

    A speed-up counts the first tier, which is free on the page. A budget there is a share of the other tiers,
    and nothing is left of it where the first tier takes all the time.
    """
    base, full = summary["base_ms"], summary["full_ms"]
    for speedup, (values, errors) in points.items():
        fewer, spread = -sum(values) / 2, sum(errors)
        share = ((base + full) / float(speedup) - base) / full
        if share > 0:
            yield Gap(method, rival, share, fewer, fewer - spread, fewer + spread)
