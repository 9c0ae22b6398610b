"""What the Paper tables page says about budgets: sentences worked out from a result's own numbers."""

UNITS_NOTE = (
    "Features come in three tiers: pixels (free), HoG with cells of 3 pixels, HoG with cells of 2 pixels. A "
    "word with every tier costs 2 units. Microseconds hold everything: features, scores, inference, "
    "looking and choosing. Budgets called “chosen” were found on training words, read by models that had "
    "not seen them."
)


def sentences(result):
    """The findings of one of the four results, in order.

    Parameters
    ----------
    result : dict

    Returns
    -------
    list of str
    """
    said = {
        "dms-ocr": _dms,
        "policy-ocr": _policy,
        "constrained-ocr": _constrained,
        "budget-ocr": _everything,
        "budget-ocr-open": _everything,
    }
    summary = result.get("summary")
    if not summary or result["name"] not in said:
        return []
    folds = result.get("folds", 1)
    return [*said[result["name"]](summary), f"Means over {folds} test fold{'s' if folds > 1 else ''}."]


def _dms(s):
    out = [
        f"**{s['speedup_units']:.1f} times cheaper** in units and {s['speedup_ms']:.1f} times in time than "
        f"the final model, with {s['error_at_chosen']:.2f} % of letters wrong against its "
        f"{s['final_error']:.2f} %.",
        f"The least error on the curve is {s['min_error_ratio']:.2f} of the final model's.",
        f"n-grams that training never showed carry nearly all of it: with them alone "
        f"{s['speedup_units_n_grams_only']:.1f} times, without them {s['speedup_units_without_n_grams']:.1f} "
        "times. The data have only 55 distinct words.",
    ]
    gap, points = s["imitation_minus_dms_at_its_points"] or 0.0, s["imitation_points"]
    out.append(
        f"Imitation is {abs(gap):.2f} points {'worse' if gap > 0 else 'better'} at speed-ups 1.5 to 8 where "
        f"it has points, but it has only {min(points)} to {max(points)} a fold, and nothing between them."
    )
    out.append(_middle(s["us_at_chosen"], s["us_middle_model"], "scikit-image's HoG"))
    if "fast_hog" in s:
        fast = s["fast_hog"]
        out.append(_middle(fast["word: dms"]["us"], fast["us_middle_model"], "the project's batch HoG"))
    return out


def _middle(us, middle, which):
    verb = "faster" if us < middle else "slower"
    ratio = max(us, middle) / max(min(us, middle), 1e-9)
    times = f"({us:.0f} and {middle:.0f} µs)"
    return f"With {which}, {ratio:.2f} times **{verb}** than the fixed middle model {times}."


def _policy(s):
    gap, spread = s["greedy_minus_q_learning"], s.get("greedy_minus_q_learning_stderr")
    within = f" ± {spread:.3f}" if spread is not None else ""
    quiet = s["quiescent_range_0.25"]
    return [
        f"**{s['features_share_refreshed']:.0f} % of features** for the error of all of them where the "
        f"values of a word are worked out anew after each purchase, {s['features_share_printed']:.0f} % with "
        f"stale values as printed (errors {s['error_at_chosen_refreshed']:.2f} and "
        f"{s['error_at_chosen_printed']:.2f} % against {s['all_features_error']:.2f} %).",
        f"The least error is {s['min_error_ratio']:.2f} of that with all features.",
        f"Q-learning against the greedy values: {gap:+.3f}{within} points on average"
        + (": no better than looking one step ahead." if gap < 2 * (spread or 0) else "."),
        f"q = 0.25 of the range passes {quiet['messages_share']:.1f} % of the messages"
        + (f" (exact updates {s['exact_messages_share']:.0f} %)" if "exact_messages_share" in s else "")
        + " and adds "
        f"{quiet['error_added_whole_curve']:+.2f} points; of the margin "
        f"{s['quiescent_margin_0.25']['messages_share']:.0f} % and "
        f"{s['quiescent_margin_0.25']['error_added_whole_curve']:+.2f}.",
    ]


def _constrained(s):
    gap = s["anytime_minus_one_shot"]
    return [
        f"**{s['features_share_at_full_accuracy']:.0f} % of features** at the budget chosen for full "
        f"accuracy ({s['policy']}): {s['error_at_chosen']:.2f} % of letters wrong, "
        f"{s['all_features_error']:.2f} % with all features.",
        f"Anytime is {abs(gap):.2f} points {'worse' if gap > 0 else 'better'} than that policy on average.",
    ]


def _everything(s):
    eaten = [name for name, row in s.get("overhead", {}).items() if row["gain_eaten"]]
    listed = "; ".join(eaten) if eaten else "none"
    out = [f"Slower than the fixed middle model at its chosen budget, all counted: {listed}."]
    for name in ("dms-ocr", "policy-ocr", "constrained-ocr"):
        if name in s:
            out += {"dms-ocr": _dms, "policy-ocr": _policy, "constrained-ocr": _constrained}[name](s[name])[
                :1
            ]
    return out


STEPS_NOTE = (
    "A step's feature is which of eight kinds the facing halves of its two letters look like (nearest centre "
    "of their HoG); a unit a tier, as of letters. The papers have no step features of handwriting."
)


def steps_measured(result):
    """Whether steps apart are worth their actions, at equal units."""
    alone, along, apart = result["rows"]
    return (
        f"steps apart {_points(apart)} points more letters wrong than letters alone at equal units, with "
        f"their letters {_points(along)}; with everything {apart['final_error']:.2f} % wrong against "
        f"{alone['final_error']:.2f}"
    )


def _points(row):
    spread = row["error_minus_letters_sd"]
    return f"{row['error_minus_letters']:+.2f}" + (f" ± {spread:.2f}" if spread is not None else "")


def steps_sentences(result):
    """The headline, and how much the policy spends on steps."""
    apart = result["rows"][-1]
    point = [p for p in apart["points"] if p["units"] <= 1 + 1e-9][-1]
    return [
        f"{steps_measured(result).capitalize()} (± standard deviation over {result['folds']} test folds).",
        f"Free to choose, DMS-π spends {point['share_of_steps']:.0f} % of the first unit a letter on steps.",
    ]
