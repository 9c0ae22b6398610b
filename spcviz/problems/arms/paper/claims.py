"""Claims about dms-pose (thesis Fig. 6.2 to 6.4) and policy-pose (Table 7.1)."""

from functools import partial

from spcviz.problems.arms.page.shown import AT_ONCE, EITHER, EVERYONE
from spcviz.problems.arms.paper.charts import JOINTS
from spcviz.problems.arms.paper.tables import paper_improvement, table_of, verdict
from spcviz.web.figures.claims import Claim, NotMeasured, find

_NAMES = {"signs": "signing", "rendered": "rendered", "buffy": "Buffy"}
_FIGURE, _TABLE = "thesis Fig. 6.3", "thesis Table 7.1"
_OTHERS = "Other clips than the paper's (CLIC)."
_REFERENCE = "Joints are a neural network's."
_THESIS_TARGETS = (8, 4)  # the first tier not counted
_AIMS = {4: 60, 2: 80}  # percent of the improvement, everything counted
_EITHER = (
    "At each budget what training clips preferred: the learned order or random by tier. Added after random "
    "by tier had been seen ahead on test clips."
)
_SPEEDUPS = ("2", "3")  # where something is left to spend behind the first tier
_LOST = 1.0  # points that half of the time may cost


_DMS_RIVALS = {
    "random clips at once": ("dms_minus", AT_ONCE),
    "random clips to any tier": ("dms_minus_unsynchronised",),
    "everyone at the useful tier": ("dms_minus", EVERYONE),
}


def _note(clips, *more):
    return " ".join([*more, *([_REFERENCE] if clips == "signs" else []), _OTHERS])


def _why(clips, *more):
    """What the selector cannot see, as a note: how well it predicts, and how far an oracle is ahead."""

    def note(result):
        summary = result["summary"].get(clips, {})
        notes = ["What the selector cannot predict is spent as if at random"]
        if "r2" in summary:
            least, most = (round(r2, 2) + 0.0 for r2 in (min(summary["r2"]), max(summary["r2"])))
            notes.append(f"R² of values {least:.2f} to {most:.2f}")
        if "2" in summary.get("oracle_minus_at_once", {}):
            (_, wrists), (_, error) = summary["oracle_minus_at_once"]["2"]
            notes.append(f"an oracle's wrists are {-wrists:.1f} ± {error:.1f} points ahead of random clips")
        return _note(clips, "; ".join(notes) + ".", *more)

    return note


def _gained(clips, *more):
    """What all tiers bring beyond the first, as a note."""

    def note(result):
        summary = result["summary"].get(clips, {})
        ends = [summary[key] for key in ("base_error", "final_error") if key in summary]
        errors = " to ".join(f"{elbows:.1f} / {wrists:.1f} %" for elbows, wrists in ends)
        return _note(clips, *more, f"Elbows / wrists wrong, first tier to all: {errors}.")

    return note


def _of(clips, *path):
    """Where something stands in the summary of some clips, which a result need not have."""

    def entry(result):
        if clips not in result["summary"]:
            raise NotMeasured(clips)
        return find(result["summary"][clips], path)

    return entry


def _point(clips, key, speedup, j, sign=1):
    """(value, spread) of a comparison at equal time: a joint's points, and two standard errors."""
    path = key if isinstance(key, tuple) else (key,)
    path = path if speedup is None else (*path, speedup)
    value, error = _of(clips, *path, 0, j), _of(clips, *path, 1, j)
    return lambda result: sign * value(result), lambda result: 2 * error(result)


def _dms(clips):
    system = f"Budgets on arms, choosing models (DMS), {_NAMES[clips]}"
    claim = partial(Claim, "dms-pose", system)
    fast = {"paper": 2, "shown": "{} times", "said": "{} times", "source": _FIGURE, "is_headline": True}
    note = _gained(clips, "Budget chosen on training clips.")
    out = [claim("times as fast at the last model's error", _of(clips, "chosen_speedup"), note=note, **fast)]
    for j, joint in enumerate(JOINTS):
        value, spread = _point(clips, "dms_at_2_minus_final", None, j)
        out.append(claim(
            f"{joint}s lost in 1/2 of the time", value, "level", 0, "lower", spread, shown="{} points",
            said="little or no cost", source=_FIGURE, note=_note(clips),
        ))  # fmt: skip
    lost, _ = _point(clips, "dms_at_2_minus_final", None, 1)
    out.append(claim(
        "wrists lost in 1/2 of the time, aim", lost, paper=_LOST, better="lower", shown="{} points",
        said="aim: at most {}", note=_note(clips),
    ))  # fmt: skip
    what = "better than every random, 1/2 of the time"
    randoms = [key for rival, key in _DMS_RIVALS.items() if rival.startswith("random")]
    out.append(_each("dms-pose", system, what, clips, ("dms_minus_uniform",), *randoms, speedups=("2",)))
    for speedup in _SPEEDUPS if clips == "signs" else ("2",):
        for j, joint in list(enumerate(JOINTS))[0 if clips == "signs" else 1 :]:
            value, spread = _point(clips, "dms_minus_uniform", speedup, j, -1)
            at_once, _ = _point(clips, ("dms_minus", AT_ONCE), speedup, j, -1)
            out.append(claim(
                f"{joint}s ahead of random by tier, 1/{speedup} of the time", value, "ahead", spread=spread,
                shown="{} points ({:+.1f} of random clips at once)", beside=(at_once,), said="DMS ahead",
                source=_FIGURE, note=_why(clips),
            ))  # fmt: skip
    if clips == "signs":
        out += _rivals(claim, clips)
    out.append(claim(
        "frames with a near proposal", _of(clips, "modes_near", 0), paper=80,
        spread=lambda result: 2 * (_of(clips, "modes_near", 1)(result) or 0), shown="{} %",
        said="over {} %", source="thesis 6.3.2", note="One of 32 within 20 px. " + _note(clips),
    ))  # fmt: skip
    return [claim._replace(is_aside=clips != "signs") for claim in out]


def _rivals(claim, clips):
    """Wrists at half of the time beside each rival's, an oracle's, and of a method that may go by tier."""
    lost, _ = _point(clips, "either_at_2_minus_final", None, 1)
    out = [claim(
        f"wrists lost in 1/2 of the time, {EITHER}, aim", lost, paper=_LOST, better="lower",
        shown="{} points", said="aim: at most {}", note=_note(clips, _EITHER),
    )]  # fmt: skip
    for rival, key in _DMS_RIVALS.items():
        value, spread = _point(clips, key, "2", 1, -1)
        out.append(claim(
            f"wrists ahead of {rival}, 1/2 of the time", value, "rival", 0, spread=spread,
            shown="{} points", said="it here: 0", note=_why(clips),
        ))  # fmt: skip
    value, spread = _point(clips, ("dms_minus", "oracle"), "2", 1)
    out.append(claim(
        "wrists behind an oracle, 1/2 of the time", value, "new", spread=spread, shown="{} points",
        note=_note(clips, "It knows which joints the next model mends."),
    ))  # fmt: skip
    return out


def _row(result, clips, method, target, is_beyond=False):
    if (row := table_of(result, clips, is_beyond).get((method, target))) is None:
        raise NotMeasured(f"{method} at {target}")
    return row


def _printed(method, target):
    def share(result):
        if (method, target) not in (shares := paper_improvement(result)):
            raise NotMeasured(f"{method} at {target} of Table 7.1")
        return shares[method, target]

    return share


def _share(clips, method, *where):
    return lambda result: _row(result, clips, method, *where)["improvement"]


def _as_printed(clips, target):
    """Share of the improvement at a speed-up of Table 7.1, counted as there; random spending's beside it."""
    what = f"share of the gain, {target}x faster, detectors free, {_NAMES[clips]}"
    claim = partial(
        Claim, "policy-pose", "Budgets on arms, frame by frame (DMS-π)", decimals=0, shown="{} %",
    )  # fmt: skip
    note = _why(clips, "Of the improvement by everything. Detectors are free, as in the paper.")
    by_tier = _share(clips, "uniform by tiers", target, True)
    ours = claim(
        what=what, value=_share(clips, "q-learning", target, True), said="{} %", source=_TABLE, note=note,
        paper=_printed("q-learning", target), is_headline=target == 8,
    )  # fmt: skip
    return ours, claim(what=f"{what}, random by tier", value=by_tier, kind="new")


def _in_all(clips, target):
    """The same with detectors counted, beside the aim."""
    claim = partial(
        Claim, "policy-pose", "Budgets on arms, frame by frame (DMS-π)", decimals=0, shown="{} %",
        paper=_AIMS[target], said="aim: {} %",
    )  # fmt: skip
    what = f"share of the gain, {target}x faster in all, {_NAMES[clips]}"
    ours = claim(what=what, value=_share(clips, "q-learning", target), note=_paid(clips))
    if target == 4 or clips != "signs":
        return (ours,)
    by_tier = _share(clips, "uniform by tiers", target)
    return (
        ours,
        claim(what=f"{what}, {EITHER}", value=_share(clips, EITHER, target), note=_note(clips, _EITHER)),
        claim(what=f"{what}, random by tier", value=by_tier, kind="new", paper=None, said="{}"),
    )


def _paid(clips):
    """What detectors alone take, as a note: a quarter of the time can be less."""

    def note(result):
        summary = result["summary"].get(clips, {})
        if not {"base_ms", "full_ms"} <= summary.keys():
            return _note(clips)
        base, whole = summary["base_ms"], summary["base_ms"] + summary["full_ms"]
        return _note(clips, f"Detectors alone take {base:.1f} of {whole:.1f} ms.")

    return note


def _bought(clips):
    def row(result):
        return _row(result, clips, "q-learning", 8, True)

    return Claim(
        "policy-pose", "Budgets on arms, frame by frame (DMS-π)",
        f"feature sets bought, 8x faster, detectors free, {_NAMES[clips]}",
        lambda result: row(result)["features_share"],
        paper=lambda result: row(result)["paper"]["features_share"], better="lower", decimals=0,
        shown="{} %", said="{} %", source=_TABLE, note="Tiers are others: shares are not the paper's.",
    )  # fmt: skip


def _points(result, clips, where, speedups):
    """Verdicts of comparisons with a rival, over speed-ups and joints."""
    gaps = _of(clips, *where)(result)
    chosen = [gaps[speedup] for speedup in speedups]
    return [verdict(*point) for values, spread in chosen for point in zip(values, spread, strict=True)]


def _each(name, system, what, clips, *rivals, speedups):
    """Whether a method is clearly better than rivals in every comparison."""

    def verdicts(result):
        return [word for where in rivals for word in _points(result, clips, where, speedups)]

    return Claim(
        name, system, what, lambda result: len(verdicts(result)) - verdicts(result).count("better"), "holds",
        decimals=0, shown="not in {} of {} (worse in {})",
        beside=(lambda result: len(verdicts(result)), lambda result: verdicts(result).count("worse")),
        said="ahead", note=_why(clips),
    )  # fmt: skip


def _against(clips, rival, name):
    system, what = "Budgets on arms, frame by frame (DMS-π)", f"better than {name}, {_NAMES[clips]}"
    return _each("policy-pose", system, what, clips, ("q_learning_minus", rival), speedups=_SPEEDUPS)


def _whole_arms(clips):
    def share(result, method):
        return _row(result, clips, method, 4, True)["improvement"]

    def whole(result):
        return share(result, "q-learning, whole clips")

    return Claim(
        "policy-pose", "Budgets on arms, frame by frame (DMS-π)",
        f"whole arms less effective, {_NAMES[clips]}",
        lambda result: int(whole(result) > 0.8 * share(result, "q-learning")), "holds", decimals=0,
        shown="{1:.0f} against {2:.0f} % of the improvement",
        beside=(whole, lambda result: share(result, "q-learning")), said="far less", source=_TABLE,
        note="At 4 times less time beyond detectors; counted as far less below 0.8 of it.",
    )  # fmt: skip


_RIVALS = (
    ("uniform by tiers", "random by tier"), (AT_ONCE, "random clips at once"), ("imitation", "imitation"),
    ("greedy", "greedy"),
)  # fmt: skip
CLAIMS = (
    *(claim for clips in _NAMES for claim in _dms(clips)),
    *(
        claim
        for clips in ("signs", "rendered")
        for claim in (
            *(share for target in _THESIS_TARGETS for share in _as_printed(clips, target)),
            *(share for target in _AIMS for share in _in_all(clips, target)),
            *(_against(clips, *rival) for rival in _RIVALS[: None if clips == "signs" else 2]),
            _whole_arms(clips),
        )
    ),
    _bought("signs"),
)  # fmt: skip
