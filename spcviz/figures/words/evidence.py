"""What only the report says about budgets on words: sentences worked out from a result's own numbers."""

DMS_TIMES = 2.5, 3
PAPER = {
    "dms-ocr": f"{DMS_TIMES[0]} to {DMS_TIMES[1]} times cheaper at the final model's error",
    "policy-ocr": "about a fifth of the features, more accurate; 1.5 times faster overall at q = 0.5",
    "constrained-ocr": "up to 50 % of the total running time saved at top performance, one shot ahead of "
    "Q-learning (half of the expensive features, and anytime worse, are what it says of parsing)",
    "budget-ocr": "–",
    "budget-ocr-open": "–",
}
"""What the papers say: Weiss (2013), thesis, Fig. 6.1 and Fig. 7.3; Bolukbasi et al. (2017), Fig. 3."""

WHAT = {
    "dms-ocr": "Budgets on words, choosing models (DMS)",
    "policy-ocr": "Budgets on words, letter by letter (DMS-π)",
    "constrained-ocr": "Budgets on words, one shot",
    "budget-ocr": "Budgets on words, side by side",
    "budget-ocr-open": "Budgets on words of an open vocabulary, side by side",
}
_ONE_SHOT = "one-shot, {search}, {kind}"


def headline(result):
    """What a result comes to in a few words: (what, paper, measured), or None without a summary."""
    name, summary = result["name"], result.get("summary")
    if not summary or name not in PAPER:
        return None
    return WHAT[name], PAPER[name], _MEASURED[name](summary)


def _dms_measured(s):
    return (
        f"{s['speedup_units']:.2f} times cheaper in units, {s['speedup_ms']:.2f} in time, at "
        f"{s['error_at_chosen']:.2f} % of letters wrong against {s['final_error']:.2f}"
    )


def _policy_measured(s):
    return (
        _slows(s) + f"{s['features_share_printed']:.1f} % of the features as printed, at "
        f"{s['error_at_chosen_printed']:.2f} % wrong against {s['all_features_error']:.2f}; "
        f"{s['features_share_refreshed']:.1f} % with fresh values, at {s['error_at_chosen_refreshed']:.2f}"
    )


def _slows(s):
    """Whether stopping messages early pays in total time, budgets chosen on training words."""
    found = s.get("at_chosen")
    if not found:
        return ""
    exact, early = found["range 0"], found["range 0.5"]
    verdict = (
        "stopping messages early slows words down, the opposite of Fig. 7.3"
        if early["speedup"] < exact["speedup"]
        else "stopping messages early makes words faster"
    )
    tried = [f"{found[f'range {q}']['speedup']:.1f} at q = {q}" for q in ("0", "0.25", "0.5")]
    return f"{verdict}: {', '.join(tried)} times faster overall than all features; "


def _constrained_measured(s):
    against = s.get("against_q_learning")
    if not against:
        return (
            f"{s['features_share_at_full_accuracy']:.1f} % at {s['error_at_chosen']:.2f} % wrong against "
            f"{s['all_features_error']:.2f}"
        )
    ours, learned = against["methods"][against["one_shot"]], against["methods"]["q-learning"]
    is_ahead = ours["share"] < learned["share"]
    saved = 100 * (1 - ours["us"] / against["us_all_features"])
    return (
        ("one shot ahead of Q-learning: " if is_ahead else "contradicted, Q-learning is ahead of one shot: ")
        + f"{spread(learned, 'share')} against {spread(ours, 'share')} % of the features at "
        f"{learned['error']:.2f} and {ours['error']:.2f} % wrong (all features: "
        f"{s['all_features_error']:.2f}), cheaper in {against['folds_q_learning_is_cheaper']} of "
        f"{against['folds']} folds; one shot saves {saved:.0f} % of the total time"
    )


def spread(found, key):
    """Mean and standard deviation over folds, as text."""
    sd = found.get(f"{key}_sd")
    return f"{found[key]:.1f}" + (f" ± {sd:.1f}" if sd is not None else "")


def _everything_measured(s):
    overhead = s.get("overhead", {})
    faster = sum(not row["gain_eaten"] for row in overhead.values())
    return f"{faster} of {len(overhead)} methods faster than the fixed middle model, all counted"


_MEASURED = {
    "dms-ocr": _dms_measured,
    "policy-ocr": _policy_measured,
    "constrained-ocr": _constrained_measured,
    "budget-ocr": _everything_measured,
    "budget-ocr-open": _everything_measured,
}


def misses(result):
    """What the papers claim and does not hold on words: sentences."""
    found = {"dms-ocr": _dms_misses, "policy-ocr": _policy_misses, "constrained-ocr": _constrained_misses}
    summary = result.get("summary")
    return found[result["name"]](summary) if summary and result["name"] in found else []


def _dms_misses(s):
    if s["speedup_units"] >= DMS_TIMES[0] and s["error_at_chosen"] <= s["final_error"]:
        return []
    return [
        f"{s['speedup_units']:.2f} times cheaper at {s['error_at_chosen']:.2f} % of letters wrong, the final "
        f"model has {s['final_error']:.2f} %; paper {PAPER['dms-ocr']}."
    ]


def _dms_limits(s):
    """What keeps the speed-up of DMS from carrying over."""
    out = []
    with_n_grams, without = s["speedup_units"], s["speedup_units_without_n_grams"]
    if without < with_n_grams / 2:
        out.append(
            "Nearly all of the selector's skill is whether an n-gram of the reading was ever seen: without "
            f"that {without:.2f} times cheaper instead of {with_n_grams:.2f}."
        )
    fast = s.get("fast_hog", {})
    if "word: dms" in fast and fast["word: dms"]["us"] > fast["us_middle_model"]:
        out.append(
            "With HoG computed in batches choosing words costs more than it saves: "
            f"{fast['word: dms']['us']:.0f} µs a word against {fast['us_middle_model']:.0f} for the middle "
            "model."
        )
    return out


def _policy_misses(s):
    out = []
    found = s.get("at_chosen")
    if found and found["range 0.5"]["speedup"] < found["range 0"]["speedup"]:
        exact, early = found["range 0"], found["range 0.5"]
        out.append(
            f"On words of 8 letters stopping messages early costs time: {early['speedup']:.1f} times faster "
            f"than all features at q = 0.5, {exact['speedup']:.1f} with exact messages; paper 1.5 times "
            "faster overall at q = 0.5, the less overhead the larger q. What it saves of messages is little "
            "beside the features that its errors make it buy."
        )
    gap, deviation = s["greedy_minus_q_learning"], s.get("greedy_minus_q_learning_stderr") or 0.0
    if gap < 2 * deviation:
        out.append(
            "Looking ahead (Q-learning) is no better than looking one step ahead (greedy): greedy's error "
            f"less Q-learning's is {gap:+.3f} ± {deviation:.3f} points on average."
        )
    return out


def _constrained_misses(s):
    out = []
    against = s.get("against_q_learning")
    if against and against["difference"] > 0:
        learned, ours = against["methods"]["q-learning"], against["methods"][against["one_shot"]]
        out.append(
            f"Q-learning is ahead of the best one-shot policy ({against['one_shot']}): "
            f"{spread(learned, 'share')} against {spread(ours, 'share')} % of the features for as few "
            f"letters wrong as with all features, in {against['folds_q_learning_is_cheaper']} of "
            f"{against['folds']} folds (spread: standard deviation over folds)."
        )
    for kind in ("simple", "complex"):
        shares = [
            s.get("methods", {}).get(_ONE_SHOT.format(search=search, kind=kind), {}).get("chosen")
            for search in ("parsimonious", "trajectory")
        ]
        if all(shares) and shares[0]["share"] < shares[1]["share"]:
            out.append(
                f"Parsimonious search beats trajectory search with {kind} features of the state: "
                f"{shares[0]['share']:.1f} against {shares[1]['share']:.1f} % of the features at the chosen "
                "budget."
            )
    return out


def sentences(result):
    """What the numbers say beyond the page's own sentences, in order."""
    found = {"dms-ocr": _dms, "policy-ocr": _policy, "constrained-ocr": _constrained}
    summary = result.get("summary")
    said = found[result["name"]](summary) if summary and result["name"] in found else []
    return [*said, *_features(result)]


def _features(result):
    """What a letter's features take, letter by letter and in batches."""
    times = result.get("times") or {}
    if not {"feature", "feature_fast"} <= set(times):
        return []
    slow, fast = (" and ".join(f"{us:.0f}" for us in times[key][1:]) for key in ("feature", "feature_fast"))
    return [
        f"Features of the two costly tiers: {slow} µs a letter with scikit-image's HoG, {fast} µs with the "
        "project's HoG in batches."
    ]


def _dms(s):
    if "least_gap_to_uniform" not in s:
        return []
    verdict = "below" if s["below_uniform_at_speedups_1.5_to_8"] else "not below"
    return [
        f"DMS is {verdict} uniform spending at every speed-up from 1.5 to 8, by "
        f"{s['least_gap_to_uniform']:.2f} points at least.",
        f"With the queue by value per µs {s['speedup_ms_by_value_per_us']:.2f} times in time.",
        *_dms_limits(s),
    ]


def _policy(s):
    reached, fast = s.get("share_on_test_curve", {}), s.get("fast_hog", {})
    out = [
        f"On the test curve {reached[key]:.1f} % of the features reach the error of all with {name}."
        for key, name in (("q-learning", "fresh values"), ("q-learning, as printed", "stale values"))
        if reached.get(key)
    ]
    each = [
        f"{s[f'total_speedup_q{q}']:.1f} times at q = {q}"
        for q in ("0", "0.25", "0.5")
        if f"total_speedup_q{q}" in s
    ]
    if each:
        out.append(
            f"With budgets read off the test curve, faster overall than all features: {', '.join(each)}."
        )
    for name, found in s.get("at_chosen", {}).items():
        scale, q = name.split()
        out.append(
            f"q = {q}"
            + (" (exact)" if q == "0" else f" of the {scale}")
            + f", budget chosen on training words: {found['speedup']:.1f} times faster overall, "
            f"{found['error']:.2f} % wrong with {found['share']:.1f} % of the features; "
            f"{found['messages_share']:.1f} % of all messages, {found['us_overhead']:.1f} µs a word of "
            "messages and policy."
        )
    if ours := fast.get("letter: q-learning"):
        out.append(
            f"With HoG in batches choosing letters takes {ours['us']:.0f} µs a word, the fixed middle model "
            f"{fast['us_middle_model']:.0f}."
        )
    return out


def _constrained(s):
    deviation = s.get("anytime_minus_one_shot_stderr")
    if deviation is None:
        return []
    gap = s["anytime_minus_one_shot"]
    return [f"Anytime against one shot: {gap:+.2f} ± {deviation:.2f} points on average."]
