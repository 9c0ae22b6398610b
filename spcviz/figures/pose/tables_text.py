"""What only the report says about pose-cascade and pose-ensemble: sentences worked out from the numbers."""

from itertools import pairwise

from spcviz.figures.pose.tables import TIES, against_single, compared_with

_HAND = "hand-set weights"


def last_rows(result):
    """{protocol: row of the last level}."""
    last = max(row["level"] for row in result["rows"])
    return {row.get("protocol", ""): row for row in result["rows"] if row["level"] == last}


def compared(result):
    """Rows that the thesis has too, from coarse to fine."""
    rows = [row for row in result["rows"] if (row.get("paper") or {}).get("oracle_pcp25_top4") is not None]
    return sorted(rows, key=lambda row: row["level"])


def cells(row):
    """A level's cells, as ``80 × 80``."""
    return " × ".join(row["grid"].split("x")[:2])


def misses(result):
    """Where fewer limbs have one of the top 4 near than in the thesis, and what else differs: sentences."""
    worse = [
        f"{row['oracle_pcp25_top4']:.1f} against {row['paper']['oracle_pcp25_top4']} % at {cells(row)} cells"
        for row in compared(result)
        if row["oracle_pcp25_top4"] < row["paper"]["oracle_pcp25_top4"]
    ]
    said = "Limbs with one of the top 4 within 25 %, measured against paper (other clips)"
    return [*([f"{said}: {'; '.join(worse)}."] if worse else []), *top4_trend(result), *beyond(result)]


def top4_trend(result):
    """That the paper's top 4 fall from level to level and these do not: a sentence, or none."""
    rows = compared(result)
    measured = [row["oracle_pcp25_top4"] for row in rows]
    paper = [row["paper"]["oracle_pcp25_top4"] for row in rows]
    if not _falls(paper) or _falls(measured):
        return []
    shown = (" / ".join(f"{value:.1f}" for value in values) for values in (measured, paper))
    return ["The share of limbs with one of the top 4 within 25 % does not fall from level to level as the "
            "paper's does: {} against {} %.".format(*shown)]  # fmt: skip


def _falls(values):
    return len(values) > 1 and all(b < a for a, b in pairwise(values))


def beyond(result):
    """Levels at which even alpha = 0 loses more than is tolerated: a sentence, or none."""
    own = next(iter(result.get("tuning", ())), None)
    if own is None or own.get("tolerance") is None:
        return []
    allowed = 100 * own["tolerance"]
    over = [(level, row["lost_at_zero"]) for level, row in enumerate(own["losses"])
            if row["lost_at_zero"] is not None and row["lost_at_zero"] > allowed]  # fmt: skip
    if not over:
        return []
    said = "; ".join(f"{lost:.0f} % at level {level}" for level, lost in over)
    return [
        f"A tolerance of {allowed:g} % of development frames a level (Definition 1) cannot be kept: even at "
        f"alpha = 0 more of the frames that reach a level are lost, {said}."
    ]


def tuned(result):
    """The tuned alphas and what broke; "" without them."""
    own = next(iter(result.get("tuning", ())), None)
    if own is None:
        return ""
    n = result.get("settings", {}).get("n_development", "?")
    alphas = ", ".join(f"{alpha:.2f}" for alpha in own["alphas"])
    broken = sum(row.get("n_broken", 0) for row in result["rows"])
    of = sum(row.get("n_variables", 0) for row in result["rows"])
    return (
        f"Each level's alpha is the largest that loses at most {100 * own['tolerance']:g} % of the {n} "
        f"development frames that reach it (Definition 1), or 0: {alphas}. What is pruned follows from that; "
        f"it is not set. Broken variables, which would have lost every state: {broken} of {of} (both "
        "protocols, all levels)."
    )


def exact_cells(result):
    """Definition 1's own loss at the last level."""
    lost = [
        f"{row['filter_loss_definition_1']:.0f} % on {protocol} crops"
        for protocol, row in last_rows(result).items()
        if row.get("filter_loss_definition_1") is not None
    ]
    if not lost:
        return ""
    return (
        "Definition 1's own loss is another thing: frames in which the exact cell and angle of some limb are "
        f"lost by the last level, though a near one may be kept: {', '.join(lost)}."
    )


def weights(result):
    """Learned against hand-set weights on development frames; "" without both."""
    rows = {row.get("method"): row for row in result.get("baselines", ()) if row.get("pcp50_upper_arms")}
    learned, hand = rows.get("learned"), rows.get(_HAND)
    if not learned or not hand:
        return ""
    gap = learned["pcp50_upper_arms"] - hand["pcp50_upper_arms"]
    spread = learned.get("pcp50_upper_arms_stderr") or 0.0
    verdict = "cannot be told apart" if abs(gap) <= 2 * spread else "differ"
    return (
        f"On development frames learned and hand-set weights {verdict}: {learned['pcp50_upper_arms']:.1f} "
        f"and {hand['pcp50_upper_arms']:.1f} % of upper arms (PCP 0.5; standard error {spread:.1f})."
    )


def lower_arms(result):
    """Lower arms of the model of five limbs; "" without it."""
    for row in result.get("lower_arms", ()):
        found = [value for part, value in (row.get("pcp50") or {}).items() if "lower arm" in part]
        if found:
            mean = sum(found) / len(found)
            return f"The model of five limbs finds {mean:.1f} % of lower arms (PCP 0.5, best guess)."
    return ""


def times(result):
    """Milliseconds a frame; "" without times."""
    said = [
        f"{row['detect_ms']:.0f} + {row['cascade_ms']:.0f} ms ({protocol} crops)"
        for protocol, row in last_rows(result).items()
        if row.get("detect_ms")
    ]
    return f"A frame takes one core, features and detectors + cascade: {', '.join(said)}." if said else ""


def frames(result):
    """What was measured, in a sentence."""
    settings = result.get("settings", {})
    if "n_frames" not in settings:
        return ""
    said = f"{settings['n_frames']} test frames; "
    if "jitter_px" in settings:
        said += (
            f"jittered windows are off by {settings['jitter_px']:g} px and "
            f"{100 * settings['jitter_scale']:g} % of their size; "
        )
    return said + f"top 4: {settings.get('top4', 'not said')}."


def ensemble_misses(result):
    """Where the ensemble is not clearly better than single frames, the thesis' order: sentences."""
    verdicts = {
        f"{row['clips']}{TIES.get(row.get('ties', 'hand-set'), '')}": against_single(row)
        for row in result["rows"]
        if row["method"] == "ensemble" and row.get("elbow_gain_over_single") is not None
    }
    return [
        f"The thesis has the ensemble best; on {clips} it {verdict}."
        for clips, verdict in verdicts.items()
        if "better" not in verdict
    ]


def reference(result):
    """What stands for the truth on the signing clips; "" without them."""
    settings = result.get("settings", {})
    left = settings.get("joints_left")
    if not left or not any(row.get("data") == "signs" for row in result["rows"]):
        return ""
    fewest = min(left, key=lambda name: left[name][0])
    return (
        f"Signing clips: {settings.get('attribution')}. Their joints are a neural network's, a reference and "
        f"not annotation; with a visibility of {settings['visible']:g} or more, {fewest.replace('_', ' ')} "
        f"counts on {left[fewest][0]} of {left[fewest][1]} frames, every other joint on more. Detectors are "
        f"used {settings.get('detectors')}."
    )


def learning(result):
    """Joint learning beside ties set by hand on the same clips; "" without both."""
    rows = {(row["method"], row.get("ties")): row for row in result["rows"] if row.get("data") == "signs"}
    said = []
    for method in ("ensemble", "torso"):
        hand, learned = rows.get((method, "hand-set")), rows.get((method, "learned"))
        if hand and learned:
            gain, error = learned["elbow_gain_over_hand_set"], learned["elbow_gain_over_hand_set_stderr"]
            said.append(
                f"{method}: joint learning (5.6) {compared_with('ties set by hand', gain, error)} (elbows "
                f"{gain:+.2f} px nearer, standard error {error:.2f} over clips)"
            )
    return f"On the signing clips, {'; '.join(said)}." if said else ""
