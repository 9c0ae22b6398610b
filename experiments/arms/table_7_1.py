"""Lines of Table 7.1: every method at equal milliseconds on two clocks, with spreads over clips and persons.

An improvement is the share that a method keeps of the possible gain, from the first tier for all frames to
the last.
"""

import numpy as np
from scipy.special import stdtr

from experiments.arms.dms_pi import FIXED, LENGTHS, THESIS_TARGETS
from spcviz.problems.arms.model.readings import TARGETS
from spcviz.problems.arms.model.tallies import equal_rows, gain_kept, gap_of_both, plain, tidy

TABLE_7_1 = {
    "All": {"error": 44.3, "time_s": 5.20, "speedup": 1.0},
    4: {"error": 44.0, "features_share": 23.1, "time_s": 1.20, "overhead_s": 0.10, "speedup": 4.0},
    8: {"error": 44.5, "features_share": 10.8, "time_s": 0.56, "overhead_s": 0.08, "speedup": 8.0},
    16: {"error": 45.6, "features_share": 4.6, "time_s": 0.24, "overhead_s": 0.08, "speedup": 16.0},
    32: {"error": 46.5, "features_share": 1.5, "time_s": 0.08, "overhead_s": 0.07, "speedup": 32.0},
    "Base only": {"error": 47.7},
}

CLOCKS = {False: "with detectors", True: "without detectors"}
"""Whether the first tier's milliseconds count, as for a user who runs it, or not, as in the thesis."""


def lines_of(measured):
    """All lines for one set of clips, from `dms_pi.measure`."""
    fixed = measured.fixed.rows("single tier")
    base, everything = fixed[0]["error"], fixed[-1]["error"]
    table = []
    for row in equal_rows(measured.targets, TARGETS):
        at = TARGETS.index(row["target"])
        table.append(row | _gain(measured, measured.targets, row["method"], at))
    for row in equal_rows(measured.beyond, THESIS_TARGETS):
        paper = {"paper": TABLE_7_1[row["target"]]} if row["method"] == "q-learning" else {}
        at, tally = THESIS_TARGETS.index(row["target"]), measured.beyond[row["method"]]
        minus = {name: plain(gap_of_both(tally, measured.fixed, at, t)) for t, name in enumerate(FIXED)}
        gain = _gain(measured, measured.beyond, row["method"], at)
        table.append(row | {"is_beyond": True, "error_minus": minus} | gain | paper)
    for t, (name, row) in enumerate(zip(FIXED, fixed, strict=True)):
        gain = _gain(measured, {name: measured.fixed}, name, t)
        paper = {"paper": TABLE_7_1[name]} if name in TABLE_7_1 else {}
        table.append(row | {"method": name} | gain | paper)
    for row in table:
        free = measured.base_ms if row.get("is_beyond") else 0.0
        spent, whole = row["ms_per_frame"] - free, measured.base_ms + measured.full_ms - free
        row["speedup"] = tidy(whole / spent) if spent > 0 else None
        gained = (base - row["error"]) / (base - everything) if base > everything else np.nan
        row["improvement"] = tidy(100 * gained)
    return table


def _gain(measured, tallies, method, at):
    """Spreads of a line of Table 7.1, over clips and over people: of its error, of the share of the possible
    gain that it keeps, and of how much that share exceeds those of the methods before it in `LENGTHS`.
    """
    people = measured.people
    own, fixed = tallies[method], measured.fixed
    rivals = LENGTHS[: LENGTHS.index(method)] if method in LENGTHS else ()
    more = {name: gain_kept(own, fixed, at, tallies[name]) for name in rivals}
    out = {"n_clips": own.n_tested, "improvement_stderr": gain_kept(own, fixed, at)[1]}
    out |= {"n_people": None, "error_stderr_people": None, "improvement_stderr_people": None}
    if people is not None:
        own, fixed = own.by(people), fixed.by(people)
        more = {
            name: (*of, gain_kept(own, fixed, at, tallies[name].by(people))[1]) for name, of in more.items()
        }
        out["n_people"] = own.n_tested
        out["error_stderr_people"] = own.rows(method)[at]["error_stderr"]
        out["improvement_stderr_people"] = gain_kept(own, fixed, at)[1]
    return plain(out | ({"improvement_minus": more} if rivals else {}))


def people_of(measured):
    """The number of persons tested, and the coverage of two standard errors over this few, percent."""
    if measured.people is None:
        return None
    n = measured.fixed.by(measured.people).n_tested
    return {"n": n, "two_stderr_hold": 100 * (1 - 2 * stdtr(n - 1, -2.0)) if n > 1 else None}
