"""What the Paper tables page says about budgets on arms: sentences worked out from a result's own numbers."""

from spcviz.figures.arms.charts import SHORT

NOTE = (
    "An elbow or wrist is wrong if it is more than 20 pixels off. Times are milliseconds of one frame of one "
    "arm beyond the first tier (detectors, proposals), which everybody pays, as in the thesis; standard "
    "errors are over clips. The thesis measured real films (CLIC). Signing clips are real; what they are "
    "measured against is a reference by a neural network, not annotation by people. Rendered clips have "
    "exact "
    "truth. Orderings can be compared with the thesis, not levels."
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
    say = _policy if result["name"] == "policy-pose" else _dms
    about = result.get("settings", {}).get("data") or {}
    return [
        sentence
        for clips, own in (result.get("summary") or {}).items()
        for sentence in say(clips, own, about.get(clips, {}))
    ]


def _dms(clips, s, about):
    said = [
        f"{_where(clips, s)}: the last model has {_pair(s['final_error'])} wrong, "
        f"the first {_pair(s['base_error'])}. At the budget found on training clips DMS is "
        f"{s['chosen_speedup']:.1f} times as fast as the last model with {_pair(s['chosen_error'])} wrong."
    ]
    said.append(
        f"At 2 times less time DMS against the last model: {gap(*s['dms_at_2_minus_final'])} (paper, "
        f"wrists: little or no cost). At 5 times less against random clips at 2 times less: "
        f"{gap(*s['dms_at_5_minus_uniform_at_2'])} (paper, elbows: equal)."
    )
    if s.get("r2"):
        said.append(
            f"The selector predicts {_percents(s['r2'])} of the variance of what the next model puts right, "
            "tier by tier, on clips that it has not seen."
        )
    if s.get("modes_near"):
        near, spread = s["modes_near"]
        said.append(
            f"One of the 32 proposals has elbow and wrist both within 20 pixels in {near:.1f}"
            f"{'' if spread is None else f' ± {spread:.1f}'} % of frames (paper, other clips: over 80)."
        )
    return [*said, *_about(about, "paper: 200 random partitions of 362 clips")]


def _policy(clips, s, about):
    said = [
        f"{_where(clips, s)}: **{s['chosen_speedup']:.1f} times as fast** as computing everything, overhead "
        f"included, with {s['chosen_features_share']:.0f} % of the feature sets, at the budget found on "
        f"training clips: {_pair(s['chosen_error'])} wrong against {_pair(s['all_features_error'])} with "
        f"everything ({gap(*s['chosen_minus_all'])}); {_pair(s['base_error'])} with nothing bought.",
        f"The least error on the curve is {s['least_error_ratio'][0]:.2f} (elbows) and "
        f"{s['least_error_ratio'][1]:.2f} (wrists) of that with everything.",
    ]
    said.append(
        f"Overhead is {s['least_overhead_ms']:.2f} ms a frame at least, {s['full_ms']:.0f} ms all features "
        f"beyond the first tier, {s['base_ms']:.0f} ms the first tier itself."
    )
    return [*said, *_about(about, "paper: 50 random splits")]


def _where(clips, s):
    name = SHORT.get(clips, clips)
    return f"**{name[:1].upper()}{name[1:]}** ({s['n_clips_tested']} tested)"


def _about(about, paper):
    if not about:
        return []
    known = (
        "" if about["frames_known"] >= 100 else f", {about['frames_known']:.1f} % of them with a reference"
    )
    return [
        f"{about['splits']} splits ({about['how']}) of {about['n_clips']} clips: {about['n_chains']} chains, "
        f"{about['n_frames']} frames of an arm{known} ({paper})."
    ]


def _percents(shares):
    return " / ".join(f"{100 * share:.0f}" for share in shares) + " %"


def _pair(values):
    return " / ".join(f"{v:.1f}" for v in values) + " % of elbows / wrists"


def gap(values, spread):
    """Differences with what they are worth.

    Examples
    --------
    >>> gap([-1.0, 0.5], [0.2, 0.6])
    'elbows -1.00 ± 0.20 points; wrists +0.50 ± 0.60 points, no clear difference'
    """
    parts = []
    for joint, value, error in zip(_JOINTS, values, spread, strict=True):
        worth = "" if error is None else f" ± {error:.2f}"
        clear = error is not None and abs(value) > 2 * error
        parts.append(f"{joint} {value:+.2f}{worth} points" + ("" if clear else ", no clear difference"))
    return "; ".join(parts)
