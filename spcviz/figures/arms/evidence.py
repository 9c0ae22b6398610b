"""What only the report says about budgets on arms: sentences worked out from a result's own numbers."""

from spcviz.figures.arms.charts import JOINTS, SHORT, TIER_NAMES, at_tiers, name_of, rows_of
from spcviz.figures.arms.tables import paper_improvement, table_of, verdict

DMS_PAPER = "2 times cheaper at little or no cost (wrists)"
"""Weiss (2013), thesis, Fig. 6.3."""

_PICKED = (
    "What the flow tier looks at, and that predictors of signing clips learn from rendered ones too, was "
    "picked "
    "by errors of plain models on signing clips, each read by models that had not seen its person, before "
    "any "
    "selector or policy was run there: their errors may be a little too low, comparisons at equal time are "
    "not "
    "touched by it."
)
DMS_CAVEAT = (
    "What the selector looks at was picked after partitions of rendered clips with earlier detectors had "
    "been "
    f"seen, and predictions are not smoothed before it. {_PICKED}"
)
POLICY_CAVEAT = (
    "What the policies look at was picked after partitions of rendered clips with earlier detectors had been "
    f"seen. {_PICKED}"
)

ASKED = ("2", "4")
"""Speed-ups at which the learned methods should beat random spending tier by tier."""
_VERDICTS = ("better", "no clear difference", "worse")


def pair(values):
    """Elbows and wrists, as ``9.7 / 23.0``."""
    return " / ".join(f"{value:.1f}" for value in values)


def errors(row):
    """Elbows and wrists wrong in a row."""
    return pair(row[f"{joint}_error"] for joint in JOINTS)


def _points(gaps):
    """(difference, standard error) over speed-ups and joints."""
    return [point for values, spread in gaps.values() for point in zip(values, spread, strict=True)]


def tally(gaps):
    """How often a method is better, not clearly different and worse, over speed-ups and joints.

    Examples
    --------
    >>> tally({"2": [[-1.0, 0.5], [0.2, 0.6]]})
    'better in 1, no clear difference in 1, worse in 0 of 2'
    """
    found = [verdict(value, error) for value, error in _points(gaps)]
    counts = ", ".join(f"{said} in {found.count(said)}" for said in _VERDICTS)
    return f"{counts} of {len(found)}"


def tiers(result):
    """What the tiers of features take, on each set of clips: sentences."""
    out = []
    for clips, about in (result.get("settings", {}).get("data") or {}).items():
        ms = about["tier_ms"]
        each = ", ".join(
            f"{name.lstrip('+ ')} {t:.1f} ms" for name, t in zip(TIER_NAMES[1:], ms[1:], strict=True)
        )
        out.append(
            f"On {_name(clips)} a frame and arm costs {ms[0]:.0f} ms for detectors, proposals and "
            f"{TIER_NAMES[0]}, which everybody pays, then {each}."
        )
    return out


def _name(clips):
    return SHORT.get(clips, clips)


def apart(gaps, speedup):
    """A comparison at one speed-up, both joints, in a few words."""
    parts = zip(JOINTS, *gaps[speedup], strict=True)
    said = [
        f"{joint}s {value:+.1f}" + ("" if error is None else f" ± {error:.1f}")
        for joint, value, error in parts
    ]
    return f"{', '.join(said)} points"


def is_reached(gaps):
    """Whether both joints are better by two standard errors at all of `ASKED`.

    Examples
    --------
    >>> is_reached({"2": [[-1.0, -1.0], [0.4, 0.2]], "4": [[-1.0, -1.0], [0.4, 0.6]]})
    False
    """
    return all(
        verdict(*point) == "better" for speedup in _there(gaps) for point in zip(*gaps[speedup], strict=True)
    )


def _asked(gaps):
    return "; ".join(f"at {speedup} times less time {apart(gaps, speedup)}" for speedup in _there(gaps))


def _there(gaps):
    """Speed-ups of `ASKED` that were measured."""
    return [speedup for speedup in ASKED if speedup in gaps]


def dms(result):
    """The models in turn, the best proposal of a frame, who is better: sentences."""
    out, settings = [], result.get("settings", {})
    for clips, s in (result.get("summary") or {}).items():
        rows = at_tiers(rows_of(result, clips).get("fixed", []))
        said = f"On {_name(clips)} the models in turn have "
        said += f"{', '.join(errors(row) for row in rows)} % of elbows / wrists wrong"
        for row in result.get("accuracy") or ():
            near = (row["data"], row["radius_px"], row["reader"])
            if near == (clips, settings.get("near_px"), "best proposal of a frame"):
                said += f"; the best proposal of each frame alone {pair(100 - row[j] for j in JOINTS)}"
        out.append(f"{said}.")
        out += [
            f"DMS less random spending tier by tier, {_name(clips)}, at equal milliseconds: "
            f"{_asked(s['dms_minus_uniform'])}.",
            *_imitation(clips, s),
            *_persons(result, clips),
        ]
    return out


def _imitation(clips, s):
    """How much the imitation baseline spends, and DMS at just that."""
    if "imitation_ms" not in s:
        return []
    spent = "; ".join(
        f"at {speedup} times less time it spends {s['imitation_ms'][speedup]:.1f} ms a frame where DMS "
        "spends "
        f"{s['dms_ms'][speedup]:.1f}, and DMS held to its milliseconds has "
        f"{apart(s['dms_minus_imitation'], speedup)}"
        for speedup in ASKED
    )
    return [f"The imitation baseline on {_name(clips)}: {spent}."]


def _persons(result, clips):
    """For how many persons left out DMS is ahead; of signing clips only."""
    if clips != "signs":
        return []
    out = []
    for target in ASKED:
        rows = [r for r in result.get("by_fold") or () if r["data"] == clips and str(r["target"]) == target]
        by_person = {}
        for row in rows:  # of several repeats
            by_person.setdefault(row["fold"].split()[1], []).append([row[joint] for joint in JOINTS])
        means = [[sum(own) / len(own) for own in zip(*seen, strict=True)] for seen in by_person.values()]
        ahead = [sum(mean[j] < 0 for mean in means) for j in range(len(JOINTS))]
        out.append(
            f"at {target} times less time for {ahead[0]} (elbows) and {ahead[1]} (wrists) of {len(means)}"
        )
    return [f"DMS has fewer wrong than random spending tier by tier {', '.join(out)} persons left out."]


def dms_headline(result):
    """What dms-pose comes to on real clips, or on the first there are: [(what, paper, measured)]."""
    out = []
    for clips, s in list((result.get("summary") or {}).items())[:1]:
        gaps = s["dms_minus_uniform"]
        costs = any(verdict(*point) == "worse" for point in zip(*s["dms_at_2_minus_final"], strict=True))
        said = "not reproduced: " if costs or not is_reached(gaps) else ""
        out.append((
            f"Budgets on arms, choosing models (DMS), {_name(clips)}",
            DMS_PAPER,
            f"{said}at 2 times less time {apart({'2': s['dms_at_2_minus_final']}, '2')} against everything; "
            f"against random spending tier by tier {_asked(gaps)}",
        ))  # fmt: skip
    return out


def dms_misses(result):
    """What the thesis reports of DMS and these numbers do not bear out: sentences."""
    out = []
    for clips, s in (result.get("summary") or {}).items():
        gaps = s["dms_minus_uniform"]
        if s["chosen_speedup"] < 2:
            out.append(
                f"On {_name(clips)} DMS is {s['chosen_speedup']:.1f} times as fast as the last model at the "
                "budget found on training clips, not 2 times; at 2 times less time "
                f"{apart({'2': s['dms_at_2_minus_final']}, '2')}."
            )
        if not is_reached(gaps):
            out.append(
                f"On {_name(clips)} DMS is not better than random spending tier by tier by two standard "
                "errors "
                f"at 2 and 4 times less time: {_asked(gaps)}; over all speed-ups {tally(gaps)} comparisons."
                f"{_why(s, 'random spending')}"
            )
    return out


def _why(s, other):
    """What the best selector could do, and how well this one predicts."""
    if "oracle_minus_uniform" not in s:
        return ""
    said = f" A selector that knew the truth would be ahead of {other}: {_asked(s['oracle_minus_uniform'])}"
    if not s.get("r2"):
        return f"{said}."
    shares = ", ".join(
        f"{100 * r2:.0f} % ({name.lstrip('+ ')})" for name, r2 in zip(TIER_NAMES[1:], s["r2"], strict=True)
    )
    return (
        f"{said}; the learned one predicts this share of the variance of what the next model puts right: "
        f"{shares}. What is not predicted is spent as if at random."
    )


def policy(result):
    """Who is better, and what single tiers come to: sentences."""
    out = []
    for clips, s in (result.get("summary") or {}).items():
        out += [
            f"DMS-π on {_name(clips)} against “{name_of(result, name)}”, at equal milliseconds: "
            f"{tally(gaps)} "
            "comparisons."
            for name, gaps in s.get("q_learning_minus", {}).items()
        ]
        rows = table_of(result, clips)
        out += [*_single_tiers(clips, rows), *_queues(clips, s), *_overhead(clips, s, rows)]
        out += filter(None, [_whole_arms(clips, rows)[0]])
    return out


def _single_tiers(clips, rows):
    """All frames at one tier."""
    fixed = {method: row for (method, target), row in rows.items() if not target}
    out = []
    if (colour := fixed.get("All-Colour")) and colour.get("improvement") is not None:
        out.append(
            f"Colour alone, for all frames of {_name(clips)}, brings {colour['improvement']:.0f} % of the "
            f"improvement for {colour['ms_per_frame']:.1f} ms a frame, and is one of three feature sets: "
            "shares "
            "of feature sets cannot be compared with the paper's."
        )
    if {"All-Flow", "All"} <= set(fixed):
        out.append(
            f"On {_name(clips)} everything but flow has {errors(fixed['All-Flow'])} % of elbows / wrists "
            "wrong, "
            f"everything {errors(fixed['All'])}."
        )
    return out


def _queues(clips, s):
    """The printed queue by value against the one chosen."""
    lost = [-value for value, _ in _points(s.get("q_learning_minus", {}).get("q-learning, by value", {}))]
    if not lost:
        return []
    return [
        f"On {_name(clips)} the queue by value, as printed, has {min(lost):+.1f} to {max(lost):+.1f} points "
        "more "
        "wrong than the queue chosen without test clips."
    ]


def _overhead(clips, s, rows):
    """Overhead at the speed-ups of Table 7.1, and what is left of them with the first tier."""
    ours = [row for (method, target), row in rows.items() if method == "q-learning" and target]
    if not ours:
        return []
    ms, last = [row["overhead_ms"] for row in ours], ours[-1]
    out = [
        f"Overhead on {_name(clips)} is {min(ms):.2f} to {max(ms):.2f} ms a frame at the speed-ups of the "
        "table."
    ]
    if last.get("end_to_end_speedup"):
        out.append(
            f"With the first tier's {s['base_ms']:.0f} ms, which everybody pays, {last['target']} times "
            "faster "
            f"is {last['end_to_end_speedup']:.1f} times end to end on {_name(clips)}."
        )
    return out


def policy_headline(result, target=8):
    """What policy-pose comes to on each set of clips, real ones first: [(what, paper, measured)]."""
    out, gained = [], paper_improvement(result)
    paper_share = gained.get(("q-learning", target))
    for clips, s in (result.get("summary") or {}).items():
        ours = table_of(result, clips).get(("q-learning", target))
        if not ours or ours.get("improvement") is None:
            continue
        paper, is_less = "–", False
        if paper_share is not None:
            paper = f"{paper_share:.0f} %, {ours['paper']['features_share']:.1f} % of feature sets"
            is_less = ours["improvement"] < paper_share
        measured = f"{ours['improvement']:.0f} %, {ours['features_share']:.0f} % of feature sets"
        if ours.get("end_to_end_speedup"):
            measured += f" ({ours['end_to_end_speedup']:.1f} times end to end)"
        gaps = s.get("q_learning_minus", {}).get("uniform by tiers", {})
        if set(ASKED) <= set(gaps):
            is_less = is_less or not is_reached(gaps)
            measured += f"; against random spending tier by tier {_asked(gaps)}"
        what = (
            f"Budgets on arms, frame by frame (DMS-π), {_name(clips)}, {target} times faster: share of the "
        )
        out.append((f"{what}improvement", paper, ("not reproduced in full: " if is_less else "") + measured))
    return out


def policy_misses(result):
    """What the thesis reports of DMS-pi and these numbers do not bear out: sentences."""
    out = _below_paper(result)
    for clips, s in (result.get("summary") or {}).items():
        found = s.get("q_learning_minus", {})
        for name in ("uniform by tiers", "imitation", "greedy"):
            if name in found and any(verdict(*point) != "better" for point in _points(found[name])):
                asked = f"; {_asked(found[name])}" if set(ASKED) <= set(found[name]) else ""
                out.append(
                    f"On {_name(clips)} DMS-π is not clearly better than “{name_of(result, name)}” "
                    "everywhere: "
                    f"{tally(found[name])} comparisons{asked}."
                )
        if "uniform by tiers" in found and set(ASKED) <= set(found["uniform by tiers"]):
            reached = is_reached(found["uniform by tiers"])
            why = f"{_why(s, 'random spending of frames')}{_dear_step(table_of(result, clips))}"
            out += [] if reached else [f"On {_name(clips)}:{why}"]
        said, is_tie = _whole_arms(clips, table_of(result, clips))
        out += [said] if is_tie else []
    return out


def _dear_step(rows):
    """What has to be bought before flow, and what it brings."""
    before, everything = rows.get(("All-Flow", None)), rows.get(("All", None))
    if not before or not everything or before.get("improvement") is None:
        return ""
    return (
        f" Superpixels have to be bought before flow: up to them a frame takes "
        f"{100 * before['ms_per_frame'] / everything['ms_per_frame']:.0f} % of the time of everything and "
        "gets "
        f"{before['improvement']:.0f} % of the improvement; at 4 times less time at most a quarter of the "
        "frames "
        "can have flow."
    )


def _whole_arms(clips, rows, target=4):
    """Whole arms against single frames, which the thesis finds far better: (a sentence or "", a tie)."""
    both = [rows.get((name, target)) for name in ("q-learning, whole clips", "q-learning")]
    if not all(row and row.get("improvement") is not None for row in both):
        return "", False
    whole, frames = (row["improvement"] for row in both)
    said = (
        f"On {_name(clips)} lifting whole arms reaches {whole:.0f} % of the improvement at {target} times "
        "less "
        f"time, lifting single frames {frames:.0f} %; the thesis finds whole examples far less effective."
    )
    return said, whole > 0.8 * frames


def _below_paper(result):
    """Where a smaller share of the improvement is reached than in Table 7.1."""
    out, gained = [], paper_improvement(result)
    for clips in result.get("summary") or {}:
        rows = table_of(result, clips)
        below = [
            f"{rows[method, target]['improvement']:.0f} against {share:.0f} % at {target} times"
            for (method, target), share in gained.items()
            if target and (rows.get((method, target)) or {}).get("improvement") is not None
            and rows[method, target]["improvement"] < share
        ]  # fmt: skip
        said = f"Share of the improvement that DMS-π reaches on {_name(clips)}, measured against paper"
        out += [f"{said}: {'; '.join(below)} faster."] if below else []
    return out
