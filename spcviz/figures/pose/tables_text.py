"""What only the report says about pose-cascade and pose-ensemble: sentences worked out from the numbers."""

from spcviz.figures.pose.tables import against_single

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
    """Where fewer limbs have one of the top 4 near than in the thesis: a sentence, or none."""
    worse = [
        f"{row['oracle_pcp25_top4']:.1f} against {row['paper']['oracle_pcp25_top4']} % at {cells(row)} cells"
        for row in compared(result)
        if row["oracle_pcp25_top4"] < row["paper"]["oracle_pcp25_top4"]
    ]
    said = "Limbs with one of the top 4 within 25 %, measured against paper (other clips)"
    return [f"{said}: {'; '.join(worse)}."] if worse else []


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
        row["clips"]: against_single(row)
        for row in result["rows"]
        if row["method"] == "ensemble" and row.get("elbow_gain_over_single") is not None
    }
    return [
        f"The thesis has the ensemble best; on {clips} it {verdict}."
        for clips, verdict in verdicts.items()
        if "better" not in verdict
    ]
