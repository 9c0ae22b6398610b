"""Statements about choosing models and features under a budget: thesis chapters 6 and 7."""

import numpy as np

from experiments.statements.evidence import (
    PAIRED,
    Evidence,
    Found,
    Rows,
    dms,
    halves,
    one_shot,
    policy,
    row_of,
    signed,
    values,
)
from experiments.statements.rules import ALL, MOST, direction, estimate, faster, level, no_loss

ROWS = Rows()
_OTHER = "same task, other data"
_CLIPS = "2 se, 20 clips"
COMPLEX = one_shot("one-shot, parsimonious, complex")


def everything(ev: Evidence) -> np.ndarray:
    """% of letters wrong with all features, shape (folds,)."""
    return np.array([row["error"][-1] for row in ev.budget(COMPLEX)])


@ROWS.add(
    "Choosing models (DMS) errs less than the last model at 2.5x fewer units",
    source="thesis 6.3.1, Fig. 6.1", paper="2.5 (text) to 3 times",
    same_data="yes", needs=ALL, results=("dms-ocr",),
    where="summary speedup_units, chosen_minus_final, _stderr, error_at_chosen, final_error",
)  # fmt: skip
def _saves_units(ev: Evidence) -> Found:
    about = ev["dms-ocr"]["summary"]
    gain = -estimate(about["chosen_minus_final"], about["chosen_minus_final_stderr"], ev.rules)
    times = about["speedup_units"]
    return Found(
        f"{times:.2f} times at {about['error_at_chosen']:.2f} % wrong ({about['final_error']:.2f})",
        f"gain {signed(gain)} points ({PAIRED})",
        [direction("error", gain, 2.5, times)],
        "budget chosen on training words; without unseen n-grams "
        f"{about['speedup_units_without_n_grams']:.2f} times",
        f"{times:.1f} times, {gain.value:.2f} ± {gain.half:.2f} points less wrong",
    )


@ROWS.add(
    "DMS errs less than imitation, uniform spending and one model for all",
    source="thesis 6.3.1, Fig. 6.1", paper="drawing only",
    same_data="yes", needs=MOST, results=("dms-ocr", "budget-ocr"),
    where="budget-ocr fold_rows dms-ocr word: error at features_share 10, 20, 50",
)  # fmt: skip
def _ahead_of_rivals(ev: Evidence) -> Found:
    ours = dms("dms")
    imitation, uniform = (ev.ahead(ours, dms(rival)) for rival in ("imitation", "uniform"))
    middle = ev.ahead(ours, dms("fixed"), (50,))
    rivals = {"imitation": imitation, "uniform": uniform, "middle model": middle}
    early = ev.ahead(ours, dms("imitation"), (5,))[5]
    return Found(
        f"points less: {'; '.join(f'{name} {values(gaps.values())}' for name, gaps in rivals.items())}",
        f"{'; '.join(halves(gaps.values()) for gaps in rivals.values())} ({PAIRED})",
        [direction(f"{name} {share} %", gap) for name, gaps in rivals.items() for share, gap in gaps.items()],
        f"at {_shares(ev)} % of features (the middle model costs 50); at 5 % imitation {signed(early)}",
    )


def _shares(ev):
    return ", ".join(f"{share:g}" for share in ev.rules.shares)


def _arms(ev, gaps):
    """{(joint, part of the time): points ahead} of differences from a rival, above 0 where they are lost."""
    return {
        (joint, part): -estimate(gaps[part][0][i], gaps[part][1][i], ev.rules)
        for part in ("2", "3")
        for i, joint in enumerate(("elbows", "wrists"))
    }


def _arm_parts(gaps, about=""):
    return [direction(f"{about}{joint} 1/{part}", gap) for (joint, part), gap in gaps.items()]


def _arm_words(gaps):
    gaps = list(gaps.values())
    return f"{values(gaps[:2], 1)} (1/2 of the time), {values(gaps[2:], 1)} (1/3)"


@ROWS.add(
    "Arms: half of the time at hardly any loss, ahead of uniform spending",
    source="thesis 6.3.4, Fig. 6.3", paper="2 times (wrists); elbows 5 for uniform's 2",
    same_data=_OTHER, needs=ALL, results=("dms-pose",),
    where="summary signs dms_at_2_minus_final, dms_minus_uniform 2, 3",
)  # fmt: skip
def _half_the_time(ev: Evidence) -> Found:
    about = ev["dms-pose"]["summary"]["signs"]
    means, errors = about["dms_at_2_minus_final"]
    change = [-estimate(mean, error, ev.rules) for mean, error in zip(means, errors, strict=True)]
    ahead = _arms(ev, about["dms_minus_uniform"])
    without = about["full_ms"] / (about["chosen_ms"] - about["base_ms"])
    return Found(
        f"points lost: elbows {-change[0].value:+.1f}, wrists {-change[1].value:+.1f}; "
        f"ahead of uniform {_arm_words(ahead)}",
        f"{halves(change, 1)}; {halves(ahead.values(), 1)} ({_CLIPS})",
        [
            no_loss(joint, gap, ev.rules.margin)
            for joint, gap in zip(("elbows", "wrists"), change, strict=True)
        ]
        + _arm_parts(ahead, "uniform "),
        f"budget chosen in training: {about['chosen_speedup']:.1f} times with detectors, "
        f"{without:.1f} without "
        "(the paper's clock); five persons",
    )


@ROWS.add(
    "A fifth of the features: more accurate, and 1.5 times faster at q = 0.5",
    source="thesis 7.4.2, Fig. 7.3", paper="1/5 of features, 1.5 times",
    same_data="yes (other clock)", needs=ALL, results=("policy-ocr", "budget-ocr", "constrained-ocr"),
    where="summary at_chosen range 0.5; budget-ocr chosen.final_error, error[-1]; equal_share_folds",
)  # fmt: skip
def _a_fifth_of_features(ev: Evidence) -> Found:
    about = ev["policy-ocr"]["summary"]
    early = about["at_chosen"]["range 0.5"]
    chosen = [row["chosen"]["final_error"] for row in ev.budget(policy("q-learning", q=0.5))]
    better = ev.folds(everything(ev) - np.array([one["error"] for one in chosen]))
    share = ev.folds([one["share"] for one in chosen])
    methods = ev["constrained-ocr"]["summary"]["against_q_learning"]["methods"]
    equal = ev.folds(methods["q-learning"]["equal_share_folds"])
    return Found(
        f"{early['share']:.1f} % of features, {early['speedup']:.1f} times, {early['error']:.2f} % wrong "
        f"({about['all_features_error']:.2f})",
        f"better by {better.value:+.3f} ± {better.half:.3f} points, share ± {share.half:.1f} ({PAIRED}); "
        "time: rule RT",
        [
            direction("more accurate", better),
            faster("time", early["speedup"], ev.rules, 1.5),
            level("features", share, 20, lower_is_better=True),
        ],
        f"as accurate, not more; exact messages, equal error: {equal.value:.1f} ± {equal.half:.1f} "
        "% of features",
    )


@ROWS.add(
    "Buying letter by letter needs far fewer features than word by word",
    source="thesis 7.4.2, Fig. 7.3", paper="far fewer (drawing)",
    same_data="yes", needs=MOST, results=("policy-ocr", "budget-ocr"),
    where="budget-ocr fold_rows policy-ocr q-learning letter, word: error at 10, 20, 50",
)  # fmt: skip
def _letters_beat_words(ev: Evidence) -> Found:
    gaps = ev.ahead(policy("q-learning"), policy("q-learning", "word"))
    needed = ev["policy-ocr"]["summary"]["share_on_test_curve"]
    first = next(iter(gaps.values()))
    return Found(
        f"points less: {values(gaps.values())}",
        f"{halves(gaps.values())} ({PAIRED})",
        [direction(f"{share} %", gap) for share, gap in gaps.items()],
        f"equal error needs {needed['q-learning']:.1f} against {needed['words, q-learning']:.1f} % "
        "of features "
        "(test curve)",
        f"{first.value:.1f} ± {first.half:.1f} points less wrong at {ev.rules.shares[0]:g} %",
    )


def _minus(ev, rival):
    return _arms(ev, ev["policy-pose"]["summary"]["signs"]["q_learning_minus"][rival])


def _gain(ev, method, target, data="signs"):
    """% of the gain of all features that is kept at a speed-up beyond detectors."""
    rows = ev["policy-pose"]["table"]
    return row_of(rows, data=data, method=method, target=target, is_beyond=True)["improvement"]


@ROWS.add(
    "Arms: buying frame by frame beats buying whole clips",
    source="thesis Fig. 7.2", paper="far less effective (drawing)",
    same_data=_OTHER, needs=MOST, results=("policy-pose",),
    where="summary signs q_learning_minus whole clips 2, 3; table is_beyond improvement",
)  # fmt: skip
def _frames_beat_clips(ev: Evidence) -> Found:
    gaps = _minus(ev, "q-learning, whole clips")
    kept = [_gain(ev, method, 8) for method in ("q-learning", "q-learning, whole clips")]
    elbows, wrists = gaps["elbows", "3"], gaps["wrists", "3"]
    return Found(
        f"points ahead: {_arm_words(gaps)}",
        f"{halves(gaps.values(), 1)} ({_CLIPS})",
        _arm_parts(gaps),
        f"share of the gain at 8x: frames {kept[0]:.0f}, clips {kept[1]:.0f} %; flow belongs to two frames",
        f"elbows {signed(elbows, 1)}, wrists {signed(wrists, 1)} points (1/3 of time)",
    )


@ROWS.add(
    "Arms: Q-learning is consistently ahead of imitation",
    source="thesis 7.4.1, Fig. 7.2", paper="consistently (drawing)",
    same_data=_OTHER, needs=ALL, results=("policy-pose",),
    where="summary signs q_learning_minus imitation 2, 3",
)  # fmt: skip
def _ahead_of_imitation(ev: Evidence) -> Found:
    gaps = _minus(ev, "imitation")
    kept = [_gain(ev, method, 8) for method in ("imitation", "q-learning")]
    n_behind = sum(gap.high is not None and gap.high < 0 for gap in gaps.values())
    return Found(
        f"points ahead: {_arm_words(gaps)}",
        f"{halves(gaps.values(), 1)} ({_CLIPS})",
        _arm_parts(gaps),
        f"{n_behind} of 4 comparisons is behind; at 8x imitation keeps {kept[0]:.0f}, Q-learning "
        f"{kept[1]:.0f} % "
        "of the gain",
    )


@ROWS.add(
    "Arms: 4 times faster and more accurate than all, or all but flow",
    source="thesis Table 7.1", paper="44.0 at 4x; All 44.3, All-Flow 46.3 at 5.1x",
    same_data=_OTHER, needs=ALL, results=("policy-pose",),
    where="table signs is_beyond target 4: error_minus, _stderr; All, Coarse flow: error",
)  # fmt: skip
def _faster_and_better(ev: Evidence) -> Found:
    rows = ev["policy-pose"]["table"]
    ours = row_of(rows, data="signs", method="q-learning", target=4, is_beyond=True)
    all_, coarse = (row_of(rows, data="signs", method=method) for method in ("All", "Coarse flow"))
    gaps = {}
    for label, name in (("all", "All"), ("coarse flow", "Coarse flow")):
        mean, error = ours.get("error_minus", {}).get(name, (float("nan"), None))
        gaps[label] = -estimate(mean, error, ev.rules)
    is_stored = all(gap.low is not None for gap in gaps.values())
    unpaired = f"unpaired se {ours['error_stderr']:.1f}; paired spread not stored"
    kept = [_gain(ev, "q-learning", n, data) for data in ("signs", "rendered") for n in (4, 8)]
    return Found(
        f"% wrong: {ours['error']:.1f} at 4x, all {all_['error']:.1f}, coarse flow for all "
        f"{coarse['error']:.1f} at {100 / coarse['budget_share']:.1f}x",
        f"ahead by {values(gaps.values(), 1)} {halves(gaps.values(), 1)} ({_CLIPS})"
        if is_stored
        else unpaired,
        [direction(label, gap) for label, gap in gaps.items()],
        f"gain kept: {values(kept[:2], 0, mark=' / ')} % at 4x / 8x (paper 109 / 94), rendered "
        f"{values(kept[2:], 0, mark=' / ')}",
    )


@ROWS.add(
    "Stopping messages early (q = 0.5) makes the whole policy faster on words",
    source="thesis 7.2, Algorithm 4, Fig. 7.3", paper="needed: overhead as dear as features",
    same_data="yes (other clock)", needs=MOST, results=("policy-ocr", "quiescence"),
    where="summary at_chosen range 0.5, margin 0.5, range 0: speedup",
)  # fmt: skip
def _messages_stop(ev: Evidence) -> Found:
    about = ev["policy-ocr"]["summary"]
    exact = about["at_chosen"]["range 0"]
    ratio = {
        name: about["at_chosen"][f"{name} 0.5"]["speedup"] / exact["speedup"] for name in ("range", "margin")
    }
    share = 100 * about["taken_apart"]["letter: q-learning"]["us_inference"] / exact["us"]
    long = ev["quiescence"]["courses_summary"]
    printed, text = (long[name]["times_faster"]["800"] for name in ("printed 0.5", "margin 0.5"))
    return Found(
        f"tau as Algorithm 4 prints it {ratio['range']:.2f} times, as the text has it "
        f"{ratio['margin']:.2f} times",
        "one run: rule RT",
        [faster("printed", ratio["range"], ev.rules), faster("text", ratio["margin"], ev.rules)],
        f"messages are {share:.0f} % of our time; lines of 800 letters: {printed:.1f} (text "
        f"{text:.1f}) times",
    )
