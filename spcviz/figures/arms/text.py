"""What the Paper tables page says about budgets on arms: sentences worked out from a result's own numbers."""

NOTE = (
    "An elbow or wrist is wrong if it is more than 20 pixels off. Times are milliseconds of one frame of one "
    "arm beyond the first tier (detectors, proposals), which everybody pays, as in the thesis; standard "
    "errors are over clips. The thesis measured real films (CLIC). Most clips here are rendered, with exact "
    "truth: orderings can be compared, not levels."
)
_JOINTS = ("elbows", "wrists")


def sentences(result):
    """The findings of one of the two results, in order.

    Parameters
    ----------
    result : dict

    Returns
    -------
    list of str
    """
    summary = result.get("summary")
    if not summary:
        return []
    if result["name"] == "policy-pose":
        return _policy(summary, result.get("settings", {}))
    return [s for clips, own in summary.items() for s in _dms(clips, own, result.get("settings", {}))]


def _dms(clips, s, settings):
    where = {"rendered": "Rendered clips", "buffy": "Buffy's clips of 4 frames"}.get(clips, clips)
    said = [
        f"**{where}** ({s['n_clips_tested']} tested): the last model has {_pair(s['final_error'])} wrong, "
        f"the first {_pair(s['base_error'])}. At the budget found on training clips DMS is "
        f"{s['chosen_speedup']:.1f} times as fast as the last model with {_pair(s['chosen_error'])} wrong."
    ]
    said.append(
        f"At 2 times less cost DMS against the last model: {_gap(*s['dms_at_2_minus_final'])} (paper, "
        f"wrists: little or no cost). At 5 times less against random clips at 2 times less: "
        f"{_gap(*s['dms_at_5_minus_uniform_at_2'])} (paper, elbows: equal)."
    )
    if s.get("modes_near"):
        near, spread = s["modes_near"]
        said.append(
            f"One of the 32 proposals has elbow and wrist both within 20 pixels in {near:.1f}"
            f"{'' if spread is None else f' ± {spread:.1f}'} % of frames (paper, other clips: over 80)."
        )
    if clips == "rendered" and "partitions" in settings:
        said.append(
            f"{settings['partitions']} random partitions of {settings['n_clips']} clips (paper: 200 of 362)."
        )
    return said


def _policy(s, settings):
    said = [
        f"**{s['chosen_speedup']:.1f} times as fast** as computing everything, overhead included, with "
        f"{s['chosen_features_share']:.0f} % of the feature sets, at the budget found on training clips: "
        f"{_pair(s['chosen_error'])} wrong against {_pair(s['all_features_error'])} with everything "
        f"({_gap(*s['chosen_minus_all'])}); {_pair(s['base_error'])} with nothing bought.",
        f"The least error on the curve is {s['least_error_ratio'][0]:.2f} (elbows) and "
        f"{s['least_error_ratio'][1]:.2f} (wrists) of that with everything.",
    ]
    said.append(
        f"Overhead is {s['least_overhead_ms']:.2f} ms a frame at least, {s['full_ms']:.0f} ms all features "
        f"beyond the first tier, {s['base_ms']:.0f} ms the first tier itself."
    )
    if "partitions" in settings:
        said.append(f"{settings['partitions']} random splits of {settings['n_clips']} clips (paper: 50).")
    return said


def _pair(values):
    return " / ".join(f"{v:.1f}" for v in values) + " % of elbows / wrists"


def _gap(values, spread):
    """Differences with what they are worth."""
    parts = []
    for joint, value, error in zip(_JOINTS, values, spread, strict=True):
        worth = "" if error is None else f" ± {error:.2f}"
        clear = error is None or abs(value) > 2 * error
        parts.append(f"{joint} {value:+.2f}{worth} points" + ("" if clear else ", no clear difference"))
    return "; ".join(parts)
