"""Statements about buying in one shot and at any time: Bolukbasi et al.; theorems, handwriting, parsing."""

import numpy as np

from experiments.statements.budgets import COMPLEX, everything
from experiments.statements.evidence import (
    PAIRED,
    Evidence,
    Found,
    Rows,
    halves,
    interval,
    one_shot,
    policy,
    row_of,
    signed,
    values,
)
from experiments.statements.rules import ALL, MOST, Estimate, direction, estimate, exactly, faster, no_loss

ROWS = Rows()
_DATA = {"wsj": "WSJ", "ewt": "EWT"}
_OTHER = "same task, other data"


@ROWS.add(
    "Theorems 2.1 to 2.3 hold for every policy",
    source="Bolukbasi 2", paper="proved",
    same_data="small problems of our own", needs=ALL, results=("policy-theorems",),
    where="rows violations, n_policies (without searches)",
)  # fmt: skip
def _theorems(ev: Evidence) -> Found:
    rows = [row for row in ev["policy-theorems"]["rows"] if row["theorem"] != "search"]
    broken, tried = (sum(row[key] for row in rows) for key in ("violations", "n_policies"))
    return Found(
        f"{broken} of {tried:,} policies break one",
        "exact",
        [exactly("all", broken == 0)],
        "every policy of small problems was tried",
    )


def _half(ev, data, **wanted):
    return row_of(ev["parsing"]["compared"], data=data, features_share=0.5, **wanted)


def _compared(row, key):
    return Estimate(row[key], *row[f"{key}_interval"])


@ROWS.add(
    "One-shot policies err less than uniform spending at every budget",
    source="Bolukbasi 4, Figs. 3, 4", paper="drawing only",
    same_data="letters yes; heads other data", needs=ALL,
    results=("constrained-ocr", "budget-ocr", "parsing"),
    where="budget-ocr fold_rows constrained-ocr: error at 10, 20, 50; parsing compared 0.5 is_chosen",
)  # fmt: skip
def _ahead_of_uniform(ev: Evidence) -> Found:
    letters = ev.ahead(COMPLEX, one_shot("uniform"))
    heads = {
        name: _compared(_half(ev, data, is_chosen=True), "minus_uniform") for data, name in _DATA.items()
    }
    first = next(iter(letters.values()))
    return Found(
        f"letters {values(letters.values())} points; heads WSJ {heads['WSJ'].value:.2f}, EWT "
        f"{heads['EWT'].value:.2f}",
        f"{halves(letters.values())} ({PAIRED}); {', '.join(map(interval, heads.values()))} (95 %)",
        [direction(f"{share} %", gap) for share, gap in letters.items()]
        + [direction(name, gap) for name, gap in heads.items()],
        "two HoG tiers here, one there; heads: policy chosen on development sentences, half of the words",
        f"by {first.value:.1f}; {heads['WSJ'].value:.1f} (WSJ), {heads['EWT'].value:.1f} (EWT) points",
    )


@ROWS.add(
    "One shot saves up to half of the time at full accuracy",
    source="Bolukbasi 4, Fig. 3", paper="up to 50 %",
    same_data="yes (other clock)", needs=ALL, results=("constrained-ocr", "budget-ocr"),
    where="against_q_learning methods one-shot parsimonious complex: us, error_folds; us_all_features",
)  # fmt: skip
def _half_the_time(ev: Evidence) -> Found:
    about = ev["constrained-ocr"]["summary"]
    against = about["against_q_learning"]
    ours = against["methods"]["one-shot, parsimonious, complex"]
    change = ev.folds(everything(ev) - np.array(ours["error_folds"]))
    fast = about["fast_hog"]
    saved = 100 * (1 - ours["us"] / against["us_all_features"])
    fast_saved = 100 * (1 - fast["letter: one-shot, parsimonious, complex"]["us"] / fast["us_final_model"])
    return Found(
        f"{saved:.0f} % of the time at {ours['error']:.2f} % wrong (all {about['all_features_error']:.2f})",
        f"{signed(change)} points ({PAIRED}); time: rule RT",
        [
            no_loss("error", change, ev.rules.margin),
            faster("time", against["us_all_features"] / ours["us"], ev.rules, 2),
        ],
        f"budget chosen on training words; with a fast HoG it saves {fast_saved:.0f} %",
    )


@ROWS.add(
    "One shot, letter by letter, beats Weiss' policy of whole words",
    source="Bolukbasi 4, Fig. 3", paper="drawing only",
    same_data="yes", needs=MOST, results=("constrained-ocr", "budget-ocr"),
    where="budget-ocr fold_rows one-shot complex streamed, policy-ocr word q-learning: error at 10, 20, 50",
)  # fmt: skip
def _beats_whole_words(ev: Evidence) -> Found:
    gaps = ev.ahead(one_shot("one-shot, parsimonious, complex, streamed"), policy("q-learning", "word"))
    return Found(
        f"points less: {values(gaps.values(), 2, '+')}",
        f"{halves(gaps.values())} ({PAIRED})",
        [direction(f"{share} %", gap) for share, gap in gaps.items()],
        "against Weiss' letter-level policy it is behind everywhere (our own table)",
    )


def _at_us(ev, method, us):
    """% of letters wrong when so many microseconds a word are spent, read off the mean curve."""
    rows = [row for row in ev["constrained-ocr"]["rows"] if row["method"] == method]
    rows.sort(key=lambda row: row["us"])
    return np.interp(us, [row["us"] for row in rows], [row["char_error"] for row in rows])


@ROWS.add(
    "A policy that sees a first reading needs fewer features than one without",
    source="Bolukbasi Fig. 3", paper="drawing only",
    same_data="yes", needs=MOST, results=("constrained-ocr", "budget-ocr"),
    where="budget-ocr fold_rows one-shot parsimonious complex, simple: error at 10, 20, 50",
)  # fmt: skip
def _a_first_reading_helps(ev: Evidence) -> Found:
    gaps = ev.ahead(COMPLEX, one_shot("one-shot, parsimonious, simple"))
    simple, complex_ = (_at_us(ev, f"one-shot, parsimonious, {kind}", 50) for kind in ("simple", "complex"))
    return Found(
        f"points less: {values(gaps.values())}",
        f"{halves(gaps.values())} ({PAIRED})",
        [direction(f"{share} %", gap) for share, gap in gaps.items()],
        f"in time simple should win early; here only below 20 µs (50 µs: {simple:.1f} against "
        f"{complex_:.1f} % wrong)",
    )


def _gain_kept(ev, data):
    """% of what all features gain that half of them keep."""
    about = {"data": data, "policy": ev["parsing"]["best"][data], "dictionary": False}
    none, half, all_ = (
        row_of(ev["parsing"]["rows"], features_share=s, **about)["uas"] for s in (0.0, 0.5, 1.0)
    )
    return 100 * (half - none) / (all_ - none)


@ROWS.add(
    "Half of the expensive features lose next to nothing (parsing)",
    source="Bolukbasi 4, Fig. 4", paper="negligible",
    same_data=_OTHER, needs=MOST, results=("parsing",),
    where="compared 0.5 is_chosen: minus_full, minus_full_interval",
)  # fmt: skip
def _half_the_features(ev: Evidence) -> Found:
    change = {name: _compared(_half(ev, data, is_chosen=True), "minus_full") for data, name in _DATA.items()}
    return Found(
        f"heads right: WSJ sample {change['WSJ'].value:+.2f}, EWT {change['EWT'].value:+.2f} points",
        f"{', '.join(map(interval, change.values()))} (95 %)",
        [no_loss(name, gap, ev.rules.margin) for name, gap in change.items()],
        f"EWT keeps {_gain_kept(ev, 'ewt'):.0f} % of what all features gain. Negligible: half a point",
        f"WSJ {change['WSJ'].value:+.2f}, EWT {change['EWT'].value:+.2f} points",
    )


@ROWS.add(
    "With a length dictionary 2.9 times faster at 1 point less",
    source="Bolukbasi 4", paper="2.9 times, 89.7 % of heads",
    same_data="other data and machine", needs=MOST, results=("parsing",),
    where="chosen loss 1.0, dictionary: times_faster, uas, uas_full",
)  # fmt: skip
def _faster_with_dictionary(ev: Evidence) -> Found:
    rows = {name: row_of(ev["parsing"]["chosen"], data=data, loss=1.0, dictionary=True)
            for data, name in _DATA.items()}  # fmt: skip
    each = [
        f"{name} {r['times_faster']:.1f} times at {r['uas'] - r['uas_full']:+.2f}" for name, r in rows.items()
    ]
    return Found(
        "; ".join(each),
        "one run: rule RT",
        [faster(name, row["times_faster"], ev.rules, 2.9) for name, row in rows.items()],
        "policy and share chosen on development sentences; EWT: policy and dictionary save the same arcs",
        ", ".join(f"{name} {row['times_faster']:.1f}" for name, row in rows.items()),
    )


def _shot_ahead(ev, data):
    """Points of heads by which one shot is ahead of anytime at half of the words, whether paired."""
    ours, anytime = _half(ev, data, is_chosen=True), _half(ev, data, policy="anytime")
    if "minus_one_shot_interval" in anytime:
        return -_compared(anytime, "minus_one_shot"), True
    one, other = _compared(ours, "minus_full"), _compared(anytime, "minus_full")
    return Estimate(one.value - other.value, one.low - other.high, one.high - other.low), False


@ROWS.add(
    "An anytime policy errs more than one shot at equal budgets",
    source="Bolukbasi 4, Fig. 4", paper="at all budgets (drawing)",
    same_data=_OTHER, needs=MOST, results=("parsing", "constrained-ocr"),
    where="compared 0.5 anytime minus_one_shot (or minus_full); constrained-ocr anytime_minus_one_shot",
)  # fmt: skip
def _anytime_errs_more(ev: Evidence) -> Found:
    (wsj, is_paired), (ewt, _) = (_shot_ahead(ev, data) for data in _DATA)
    about = ev["constrained-ocr"]["summary"]
    letters = estimate(about["anytime_minus_one_shot"], about["anytime_minus_one_shot_stderr"], ev.rules)
    return Found(
        f"half of the words: EWT {ewt.value:.2f}, WSJ {wsj.value:.2f} points; letters {letters.value:.2f}",
        f"{interval(ewt)}, {interval(wsj)} (95 %, {'paired' if is_paired else 'ends of two intervals'}); "
        f"letters ± {letters.half:.2f}",
        [direction("EWT", ewt), direction("WSJ", wsj), direction("letters", letters)],
        "letters: mean over the curve" + ("" if is_paired else "; paired difference not stored"),
    )


def _by_depth(ev, data):
    """% bought at depths 0 to 2 less % at 3 to 7, its spread, and the % of roots bought."""
    row = row_of(ev["parsing"]["depth"], data=data, policy="anytime", features_share=0.3)
    words, bought = np.array(row["words"], float), np.array(row["bought"], float)
    n = np.divide(words, bought, out=np.zeros_like(words), where=bought > 0)  # words of a depth
    share, many = zip(
        *((words[at].sum() / n[at].sum(), n[at].sum()) for at in (slice(3), slice(3, 8))), strict=True
    )
    gap = 100 * (share[0] - share[1])
    if "near_minus_far_interval" in row:
        return Estimate(gap, *row["near_minus_far_interval"]), 100 * bought[0], True
    error = 100 * sum(p * (1 - p) / k for p, k in zip(share, many, strict=True)) ** 0.5
    return estimate(gap, error, ev.rules), 100 * bought[0], False


@ROWS.add(
    "Anytime, expensive features go to words near the root first",
    source="Bolukbasi Fig. 4, right", paper="drawing only",
    same_data=_OTHER, needs=MOST, results=("parsing",),
    where="depth policy anytime, 0.3: words, bought; depths 0 to 2 less 3 to 7",
)  # fmt: skip
def _near_the_root(ev: Evidence) -> Found:
    gap, roots, is_paired = zip(*(_by_depth(ev, data) for data in _DATA), strict=True)
    return Found(
        f"% bought, depths 0 to 2 less 3 to 7: WSJ {gap[0].value:+.1f}, EWT {gap[1].value:+.1f}; "
        f"roots {values(roots, 0)}",
        f"{halves(gap, 1)} "
        f"({'95 %, bootstrap of sentences' if is_paired[0] else '2 se, binomial over words'})",
        [direction(name, one) for name, one in zip(_DATA.values(), gap, strict=True)],
        "at 30 % of the words; one-shot policies show no such order",
    )
