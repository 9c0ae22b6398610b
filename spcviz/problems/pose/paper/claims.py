"""Claims about pose-cascade (thesis Fig. 5.5c), pose-ensemble (Fig. 5.5a, b) and pose-people."""

from itertools import pairwise

from spcviz.problems.pose.paper.anyone_shown import NAMES, baseline
from spcviz.web.figures.claims import Claim, NotMeasured, find, twice

_LEVELS = {2: "20 × 20", 4: "40 × 40", 6: "80 × 80"}  # levels that the thesis prints, and their cells
_CURVE, _TIME = "thesis Fig. 5.5(c)", "thesis Fig. 5.5(a, b)"
_OTHER = "The paper's clips are others (VideoPose)."
_COUNTED = {"score": "tolerance kept", "near": "tolerance kept, a state within 25 % is enough"}
_TIES = {
    "hand-set": "ties of 1",
    "learned": "ties learned jointly (5.6)",
    "scaled": "ties of 1 a sub-model",
    "scaled, learned": "learned from ties of 1 a sub-model",
}
_CLIPS = {
    "signs, every 3rd frame": "signing, 0.1 s apart",
    "signs, every 6th frame": "signing, 0.2 s apart",
    "rendered, fast arms, often hidden, 8 frames": "rendered",
    "buffy, every 3rd clip of 4 frames": "Buffy",
}
*_LEARNED_ON, _BUFFY = _CLIPS  # Buffy's clips are followed by the stored model
_RUNS = (
    *((clips, ties) for clips in _LEARNED_ON for ties in _TIES if "learned" in ties),
    (_BUFFY, "hand-set"),
)
_HEADLINES = "scaled, learned"
_CHANGED = "Until ties were learned, and scaled, the headline was that of ties of 1, not learned."


def _at(level, *key, kind="score"):
    """A number of a level under thresholds whose tolerance counts as the thesis' does, or near states too."""

    def number(result):
        for row in result["rows"]:
            is_level = (row["protocol"], row["level"]) == ("annotated", level)
            if is_level and row.get("tolerance_kind", "score") == kind:
                return find(row, key)
        raise NotMeasured(f"level {level}, tolerance by {kind}")

    return number


def _level(level, system, what, key, paper, kind="score", **more):
    cells = f"{_LEVELS[level]} cells"
    return Claim(
        "pose-cascade", system, f"{what}, {cells}", _at(level, key, kind=kind),
        paper=_at(level, "paper", paper, kind=kind), shown="{} %", source=_CURVE, **{"note": _OTHER} | more,
    )  # fmt: skip


def _rising(result):
    """How often the top 4 do not fall from one level of the thesis to the next."""
    shares = [_top4(level)(result) for level in _LEVELS]
    return sum(later >= share for share, later in pairwise(shares))


def _kept(kind):
    """Whether every level keeps a tolerance of one kind on the frames that it was tuned on."""

    def tuning(result):
        for row in result["tuning"]:
            if row["tolerance"] is not None and row.get("tolerance_kind", "score") == kind:
                return row
        raise NotMeasured(f"tuning, {kind}")

    def lost(result):
        return [level["lost"] or 0.0 for level in tuning(result)["losses"]]

    def over(result):
        return sum(share > 100 * tuning(result)["tolerance"] for share in lost(result))

    def alphas(result):
        numbers = ", ".join(f"{alpha:.2f}" for alpha in tuning(result)["alphas"])
        return f"Alphas {numbers}; below 0 the threshold is under the mean."

    return Claim(
        "pose-cascade", "Pose: states pruned at three grids", _COUNTED[kind], over, "holds", decimals=0,
        shown="not at {} of {} levels, up to {:.1f} % lost",
        beside=(lambda result: len(lost(result)), lambda result: max(lost(result))),
        said="alpha chosen to keep it", source="thesis 5.5.2, Definition 1", note=alphas,
        is_aside=kind != "score",
    )  # fmt: skip


def _top4(level):
    return _at(level, "oracle_pcp25_top4")


def _paper_top4(result):
    return " / ".join(f"{_at(level, 'paper', 'oracle_pcp25_top4')(result):g}" for level in _LEVELS)


def _elbows(what, row, value, *more, error="elbow_gain_stderr", **how):
    """A claim about pixels by which a method's elbows are nearer than others'."""
    return Claim(
        "pose-ensemble", "Pose over time: elbows nearer than by single frames, px", what, value, *more,
        spread=twice(*row, error), decimals=2, shown="{} px", **how,
    )  # fmt: skip


def _gain(method, clips, ties):
    return ("rows", {"method": method, "clips": clips, "ties": ties})


def _over_time(clips, ties):
    row, what = _gain("ensemble", clips, ties), f"ensemble, {_CLIPS[clips]}, {_TIES[ties]}"
    is_headline = clips == _BUFFY or (ties == _HEADLINES and "6th" not in clips)
    return _elbows(
        what, row, (*row, "elbow_gain_over_single"), "ahead", said="ensemble best for every joint",
        source=_TIME, is_headline=is_headline, note=_CHANGED if is_headline and clips != _BUFFY else "",
    )  # fmt: skip


def _torso(clips, ties):
    row, what = _gain("torso", clips, ties), f"single frames than torso only, {_CLIPS[clips]}, {_TIES[ties]}"
    how = {"said": "single frames nearer", "source": _TIME}
    return _elbows(what, row, lambda result: -find(result, (*row, "elbow_gain_over_single")), "ahead", **how)


def _learned(clips, ties):
    row, gain = _gain("ensemble", clips, ties), "elbow_gain_over_unlearned"
    what = f"ensemble, {_CLIPS[clips]}: {_TIES[ties]} than not learned"
    return _elbows(what, row, (*row, gain), "rival", 0, error=f"{gain}_stderr", said="–")


def _people(data):
    row = "rows", {"data": data}
    return Claim(
        "pose-people", "Pose on people never trained on: best guess, PCP 0.5", NAMES[data],
        (*row, "best_pcp50"), "rival", lambda result: baseline(find(result, row)),
        spread=twice(*row, "best_pcp50_stderr"), shown="{} % of limbs", said="mean pose here: {} %",
        note="The joints are a neural network's, no annotation." if data == "signs" else "",
    )  # fmt: skip


CLAIMS = (
    *(
        _level(level, "Pose: states pruned at three grids", "states pruned", "efficiency", "efficiency",
               is_headline=True)
        for level in _LEVELS
    ),
    *(_kept(kind) for kind in _COUNTED),
    *(
        _level(level, "Pose: limbs with one of the top 4 within 25 %", "top 4", "oracle_pcp25_top4",
               "oracle_pcp25_top4", is_headline=True)
        for level in _LEVELS
    ),
    Claim(
        "pose-cascade", "Pose: limbs with one of the top 4 within 25 %", "fall from level to level", _rising,
        "holds", decimals=0, shown="{1:.1f} / {2:.1f} / {3:.1f} %", beside=tuple(map(_top4, _LEVELS)),
        said=_paper_top4, source=_CURVE, note=_OTHER,
    ),
    *(
        _level(level, "Pose: limbs with a surviving state within 25 %", "survivors", "oracle_pcp25",
               "oracle_pcp25_top4", note=f"The other reading of the paper's curve. {_OTHER}", is_aside=True)
        for level in _LEVELS
    ),
    Claim(
        "pose-cascade", "Pose: learned weights against weights set by hand", "upper arms right, PCP 0.5",
        ("baselines", {"method": "learned"}, "pcp50_upper_arms"), "rival",
        ("baselines", {"method": "hand-set weights"}, "pcp50_upper_arms"),
        spread=twice("baselines", {"method": "learned"}, "pcp50_upper_arms_stderr"), shown="{} %",
        said="hand-set here: {} %", note="Development frames.", is_aside=True,
    ),
    *(
        _level(level, "Pose: a tolerance that counts near states", what, key, paper, "near", is_aside=True,
               note=f"One of the limb's states within 25 % is enough. {_OTHER}")
        for level in _LEVELS
        for what, key, paper in (
            ("states pruned", "efficiency", "efficiency"),
            ("top 4", "oracle_pcp25_top4", "oracle_pcp25_top4"),
            ("survivors", "oracle_pcp25", "oracle_pcp25_top4"),
        )
    ),
    *(
        _level(level, "Pose: 1200 states a level", "states pruned", "efficiency", "efficiency", "size",
               is_aside=True,
               note=f"The paper's shares are those of 1200: 1 - 1/8, 1 - 1/32, 1 - 1/128. {_OTHER}")
        for level in _LEVELS
    ),
    *(_over_time(*run) for run in _RUNS),
    *(_torso(*run) for run in _RUNS if not run[1].startswith("scaled")),
    *(_learned(clips, ties) for clips in _LEARNED_ON for ties in _TIES if "learned" in ties),
    *(_people(data) for data in NAMES if data != "astronaut"),
)  # fmt: skip
