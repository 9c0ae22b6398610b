"""What we found out ourselves: rivals and methods that no document has; same rules."""

from experiments.statements.budgets import COMPLEX
from experiments.statements.ensembles import joint_gain
from experiments.statements.evidence import (
    PAIRED,
    Evidence,
    Found,
    Rows,
    dms,
    halves,
    interval,
    policy,
    row_of,
    signed,
    values,
)
from experiments.statements.rules import (
    ALL,
    FAILS,
    HOLDS,
    MOST,
    OPEN,
    Estimate,
    Part,
    direction,
    estimate,
    exactly,
    faster,
    no_loss,
)

ROWS = Rows()
_PAPERS = "the paper's data"
_UNSEEN = "ours: 2,000 words, open vocabulary"


@ROWS.add(
    "A dictionary of the 55 words reads more of them than order 6",
    source="rival", paper="–", same_data=_PAPERS, needs=MOST, results=("ocr-orders",),
    where="baselines dictionary raw: word_accuracy, word_stderr; fold_rows order 6",
)  # fmt: skip
def _dictionary(ev: Evidence) -> Found:
    words = ev.folds(ev.order(6, "word_accuracy"))
    known = row_of(ev["ocr-orders"]["baselines"], features="raw")
    error = (known["word_stderr"] ** 2 + (words.half / ev.rules.errors) ** 2) ** 0.5
    gap = estimate(known["word_accuracy"] - words.value, error, ev.rules)
    return Found(
        f"{known['word_accuracy']:.2f} against {words.value:.2f} % of words",
        f"{signed(gap)} (2 se, unpaired)",
        [direction("words", gap)],
        "so Table 4.3 measures how well orders learn 55 words",
    )


def _unseen(ev, choice):
    """The cascade or beam that development words chose, on words of unseen types."""
    (chosen,) = (one for one in ev["ocr-open"]["chosen"] if one["features"] == "fourier")
    method = "cascade" if choice == "cascade" else "beam"
    order, width = chosen[choice]["order"], chosen[choice]["width"]
    return row_of(ev["ocr-open"]["rows"], features="fourier", data="unseen", method=method, order=order,
                  width=width)  # fmt: skip


def _binomial(percent, n=2000):
    """The standard error of a share of words, in points."""
    return 100 * (percent / 100 * (1 - percent / 100) / n) ** 0.5


@ROWS.add(
    "Words of unseen types: the cascade reads what no dictionary can",
    source="rival", paper="–", same_data=_UNSEEN, needs=MOST, results=("ocr-open",),
    where="chosen fourier cascade; its row of unseen words: word_accuracy",
)  # fmt: skip
def _unseen_words(ev: Evidence) -> Found:
    right = _unseen(ev, "cascade")["word_accuracy"]
    share = estimate(right, _binomial(right), ev.rules)
    return Found(
        f"{right:.1f} % of words, a dictionary of seen words 0",
        f"± {share.half:.1f} (2 se, binomial)",
        [direction("words", share)],
        "order chosen on development words",
    )


@ROWS.add(
    "There a cascade beats a beam with the same weights",
    source="rival", paper="–", same_data=_UNSEEN, needs=ALL, results=("ocr-open",),
    where="chosen fourier: cascade, in_its_time, as_many; their rows of unseen words",
)  # fmt: skip
def _beam(ev: Evidence) -> Found:
    ours, quick, equal = (_unseen(ev, choice) for choice in ("cascade", "in_its_time", "as_many"))
    gap, ends = ours["word_accuracy"] - quick["word_accuracy"], quick.get("cascade_minus_interval")
    unpaired = sum(_binomial(row["word_accuracy"]) ** 2 for row in (ours, quick)) ** 0.5
    words = Estimate(gap, *ends) if ends else estimate(gap, unpaired, ev.rules)
    return Found(
        f"{ours['word_accuracy']:.1f} against {quick['word_accuracy']:.1f} % in no more time; "
        f"{ours['us_per_word']:.0f} against {equal['us_per_word']:.0f} µs for as many",
        f"{interval(words, 1)} points "
        f"({'95 %, paired' if ends else 'unpaired; paired not stored'}); time: rule RT",
        [direction("words", words), faster("time", equal["us_per_word"] / ours["us_per_word"], ev.rules)],
        "order and width chosen on development words",
    )


@ROWS.add(
    "Unseen n-grams carry DMS's saving on words",
    source="ablation", paper="–", same_data=_PAPERS, needs=MOST,
    results=("dms-ocr", "budget-ocr", "budget-ocr-open"),
    where="summary speedup_units, speedup_units_without_n_grams; budget-ocr fold_rows at 20",
)  # fmt: skip
def _unseen_n_grams(ev: Evidence) -> Found:
    about, others = ev["dms-ocr"]["summary"], ev["budget-ocr-open"]["summary"]["dms-ocr"]
    gap = ev.ahead(dms("dms"), dms("dms, no n-grams"), (20,))[20]
    error = estimate(others["chosen_minus_final"], others["chosen_minus_final_stderr"], ev.rules)
    return Found(
        f"{about['speedup_units']:.2f} times with, {about['speedup_units_without_n_grams']:.2f} without",
        f"at 20 % of features {signed(gap)} points ({PAIRED})",
        [direction("20 %", gap)],
        f"on an open vocabulary {others['speedup_units']:.2f} times, at {signed(error)} points of error",
    )


@ROWS.add(
    "With a fast HoG letter-level Q-learning still beats one fixed model",
    source="rival", paper="–", same_data=_PAPERS, needs=MOST,
    results=("policy-ocr", "dms-ocr", "constrained-ocr", "budget-ocr", "budget-ocr-open"),
    where="summary fast_hog: us, us_middle_model",
)  # fmt: skip
def _fast_hog(ev: Evidence) -> Found:
    words = ev["dms-ocr"]["summary"]["fast_hog"]
    ours = ev["policy-ocr"]["summary"]["fast_hog"]["letter: q-learning"]["us"]
    shot = ev["constrained-ocr"]["summary"]["fast_hog"]["letter: one-shot, parsimonious, complex"]["us"]
    every = [ev[name]["summary"]["overhead"].values() for name in ("budget-ocr", "budget-ocr-open")]
    pays = [f"{sum(not row['gain_eaten'] for row in rows)} of {len(rows)}" for rows in every]
    return Found(
        f"µs a word: Q-learning {ours:.0f}, DMS {words['word: dms']['us']:.0f}, one shot {shot:.0f}, "
        f"middle model {words['us_middle_model']:.0f}",
        "one run: rule RT",
        [faster("Q-learning", words["us_middle_model"] / ours, ev.rules)],
        f"with scikit-image's HoG {pays[0]} methods beat it, on an open vocabulary {pays[1]}",
    )


@ROWS.add(
    "Letter-level Q-learning with feedback beats one shot",
    source="rival", paper="–", same_data=_PAPERS, needs=MOST, results=("budget-ocr",),
    where="fold_rows q-learning letter against one-shot complex: error at 10, 20, 50",
)  # fmt: skip
def _feedback(ev: Evidence) -> Found:
    gaps = ev.ahead(policy("q-learning"), COMPLEX)
    return Found(
        f"points less: {values(gaps.values())}",
        f"{halves(gaps.values())} ({PAIRED})",
        [direction(f"{share} %", gap) for share, gap in gaps.items()],
        "no paper compares these two",
    )


@ROWS.add(
    "On words Q-learning beats imitation, and greedy values do as well",
    source="ablation", paper="–", same_data=_PAPERS, needs=ALL, results=("policy-ocr", "budget-ocr"),
    where="budget-ocr fold_rows; summary greedy_minus_q_learning, _stderr",
)  # fmt: skip
def _greedy(ev: Evidence) -> Found:
    gaps = ev.ahead(policy("q-learning"), policy("imitation"))
    about = ev["policy-ocr"]["summary"]
    greedy = estimate(about["greedy_minus_q_learning"], about["greedy_minus_q_learning_stderr"], ev.rules)
    return Found(
        f"imitation {values(gaps.values())} points behind; greedy {greedy.value:+.3f} points of error",
        f"{halves(gaps.values())}; ± {greedy.half:.3f} ({PAIRED})",
        [direction(f"imitation {share} %", gap) for share, gap in gaps.items()]
        + [no_loss("greedy", -greedy, ev.rules.margin)],
        "nothing to gain here by looking ahead",
    )


@ROWS.add(
    "Messages stop early without a wrong label if scores are levelled",
    source="our method", paper="–", same_data="ours: long lines", needs=ALL, results=("quiescence",),
    where="summary letters, tags: level 1e-09, printed 0.5",
)  # fmt: skip
def _level_scores(ev: Evidence) -> Found:
    ours = {kind: ev["quiescence"]["summary"][kind]["level 1e-09"] for kind in ("letters", "tags")}
    printed = ev["quiescence"]["summary"]["letters"]["printed 0.5"]["updates_with_wrong_labels"]
    wrong = [row["updates_with_wrong_labels"] for row in ours.values()]
    return Found(
        f"{values([row['times_faster'] for row in ours.values()], 0)} times faster at 800 labels, "
        f"{values(wrong, 0)} % of updates wrong; printed rule {printed:.1f} % wrong",
        "labels exact; times: rule RT",
        [faster(f"{kind}, time", row["times_faster"], ev.rules) for kind, row in ours.items()]
        + [exactly(f"{kind}, labels", row["updates_with_wrong_labels"] == 0) for kind, row in ours.items()],
        f"pays from {ours['letters']['pays_from']:.0f} letters, {ours['tags']['pays_from']:.0f} tags",
    )


@ROWS.add(
    "Steps bought apart from letters help a little, with them they harm",
    source="ablation", paper="–", same_data=_PAPERS, needs=ALL, results=("steps-ocr",),
    where="rows error_minus_letters, _sd",
)  # fmt: skip
def _steps(ev: Evidence) -> Found:
    result = ev["steps-ocr"]
    rows = {row["method"]: row for row in result["rows"]}
    apart, together = (
        -estimate(
            rows[name]["error_minus_letters"],
            rows[name]["error_minus_letters_sd"] / result["folds"] ** 0.5,
            ev.rules,
        )
        for name in ("q-learning, steps apart", "q-learning, with steps")
    )
    return Found(
        f"{apart.value:+.2f} and {together.value:+.2f} points",
        f"{halves([apart, together])} (2 se, {result['folds']} folds)",
        [direction("apart", apart), direction("with them", -together)],
        "at equal units",
    )


def _ratios(ev, data, method):
    rows = ev["hybrid"]["compared"]
    wanted = {"data": data, "method": method, "against": "parents"}
    return [row for row in rows if wanted.items() <= row.items() and row["ratio"] is not None]


def _dearer(rows):
    return 100 * sum(row["ratio"] > 1 for row in rows) / len(rows)


def _surely(ev, rows):
    """% of accuracies at which it is dearer, and cheaper, beyond the spread; None where none is stored."""
    known = [
        estimate(row["ratio"], row["ratio_sd"] / row["folds_both_reach"] ** 0.5, ev.rules)
        for row in rows
        if row["ratio_sd"] is not None
    ]
    if not known:
        return None
    return [
        100 * sum(is_so) / len(known) for is_so in ([k.low > 1 for k in known], [k.high < 1 for k in known])
    ]


def _price_part(label, surely, holds, fails):
    if surely is None:
        return Part(label, OPEN)
    return Part(label, HOLDS if holds(*surely) else FAILS if fails(*surely) else OPEN)


@ROWS.add(
    "Orders and features bought together by the letter (SPC-π) cost more than apart",
    source="our method", paper="–", same_data="ours, and the paper's data", needs=MOST, results=("hybrid",),
    where="compared spc_pi, whole_words, against parents: ratio, ratio_sd, folds_both_reach",
)  # fmt: skip
def _together(ev: Evidence) -> Found:
    kinds = ("open", "ocr")
    rows = {
        (kind, method): _ratios(ev, kind, method) for kind in kinds for method in ("spc_pi", "whole_words")
    }
    share = {key: _dearer(of) for key, of in rows.items()}
    surely = {kind: _surely(ev, rows[kind, "spc_pi"]) for kind in kinds}
    by_word = _surely(ev, rows["ocr", "whole_words"])
    names = {"open": "open vocabulary", "ocr": "handwritten"}
    return Found(
        f"dearer than the better parent at {values([share[k, 'spc_pi'] for k in kinds], 0, mark=' / ')} % of "
        f"accuracies; by whole words {values([share[k, 'whole_words'] for k in kinds], 0, mark=' / ')}",
        f"handwritten, beyond 2 se: {surely['ocr'][0]:.0f} and {by_word[0]:.0f} %; open vocabulary: "
        "one fold, "
        "spread not stored",
        [
            _price_part(names[k], surely[k], lambda dear, cheap: dear > 50, lambda dear, cheap: cheap > 50)
            for k in kinds
        ],
        "open vocabulary / handwritten; thesis chapter 8 proposes it and measures nothing",
    )


@ROWS.add(
    "A portfolio of all methods is seldom dearer than the best of them",
    source="our method", paper="–", same_data="ours, and the paper's data", needs=MOST, results=("hybrid",),
    where="compared portfolio, against parents: ratio, ratio_sd, folds_both_reach",
)  # fmt: skip
def _portfolio(ev: Evidence) -> Found:
    rows = {
        "open vocabulary": _ratios(ev, "open", "portfolio"),
        "handwritten": _ratios(ev, "ocr", "portfolio"),
    }
    surely = {name: _surely(ev, of) for name, of in rows.items()}
    least, most = ([end(row["ratio"] for row in of) for of in rows.values()] for end in (min, max))
    return Found(
        f"dearer at {values(map(_dearer, rows.values()), 0, mark=' / ')} % of accuracies, "
        f"up to {values(most, mark=' / ')} times",
        f"handwritten, beyond 2 se: {surely['handwritten'][0]:.0f} %; open vocabulary: one fold, "
        "spread not stored",
        [
            _price_part(name, sure, lambda dear, cheap: dear <= 10, lambda dear, cheap: dear > 10)
            for name, sure in surely.items()
        ],
        f"cheapest: {values(least, mark=' / ')} of the better parent's time; seldom: at most a tenth",
    )


@ROWS.add(
    "Rendered clips, exact truth: the ensemble over time is nearer",
    source="thesis 5.5.2 on our clips", paper="–", same_data="ours", needs=MOST, results=("pose-ensemble",),
    where="rows rendered ensemble learned, scaled learned: elbow_gain_over_single, elbow_gain_stderr",
)  # fmt: skip
def _rendered(ev: Evidence) -> Found:
    gain, scaled = (joint_gain(ev, "rendered", "ensemble", ties) for ties in ("learned", "scaled, learned"))
    return Found(
        f"elbows {gain.value:+.2f} px (scaled ties {scaled.value:+.2f})",
        f"± {gain.half:.2f} ({scaled.half:.2f}) (2 se, 150 clips)",
        [direction("elbows", gain)],
        "fast arms, often hidden: on real clips the ties have less to mend",
    )


@ROWS.add(
    "Street pictures: a learned selector beats chance",
    source="our own task", paper="–", same_data="ours", needs=MOST, results=("dms-scene",),
    where="compared uniform 0.25: points, interval",
)  # fmt: skip
def _streets(ev: Evidence) -> Found:
    row = row_of(ev["dms-scene"]["compared"], method="uniform", share=0.25)
    ahead = -Estimate(row["points"], *row["interval"])
    return Found(
        f"{ahead.value:+.2f} points at a quarter of the cost",
        f"{interval(ahead)} (95 %)",
        [direction("chance", ahead)],
        "the second tier brings nearly all; a selector of 101 pictures overspends",
    )


@ROWS.add(
    "Exact Viterbi that skips rows is much faster where scores are peaked",
    source="our method", paper="–", same_data="random scores", needs=MOST, results=("bench-engine",),
    where="rows Viterbi 25 x 300, peaked, flat: python-crfsuite ratio",
)  # fmt: skip
def _skips_rows(ev: Evidence) -> Found:
    peaked, flat = (
        row_of(ev["bench-engine"]["rows"], operation=f"Viterbi 25 x 300, {kind}", contender="python-crfsuite")
        for kind in ("peaked", "flat")
    )
    return Found(
        f"{peaked['ratio']:.0f} times CRFsuite's speed at 300 labels, {flat['ratio']:.0f} on flat scores",
        "medians of 20 turns: rule RT",
        [faster("peaked", peaked["ratio"], ev.rules)],
        "same labels; one processor",
    )
