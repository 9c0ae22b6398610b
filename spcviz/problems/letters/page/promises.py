"""Sentences of the Sweep page on guarantees and threshold rules, built from its numbers."""

from collections.abc import Mapping

import numpy as np

from spcviz.problems.letters.shown import RuleCurve, SweepChoice, SweepRules
from spcviz.web.figures.filter_curves import grams
from spcviz.web.figures.numbers import percent

PROMISES = {"tuned": "as tuned", "mean": "on average", "certain": "with 90 % certainty"}
"""Guarantees by their names in the address."""

GUARANTEES: Mapping[str, str | float | None] = {"tuned": None, "mean": "mean", "certain": 0.9}
"""The same in the form that `spcviz.engine.thresholds.guarantees` takes."""

PROMISE_HELP = (
    "*As tuned*: at most the tolerance of the *development* words is lost; nothing is said of others. *On "
    "average*: other words lose at most the tolerance in expectation. *With 90 % certainty*: in nine of ten "
    "draws of development words they do. Both hold whatever the filter is, for words that might have been "
    "drawn in any order with these, and cost a milder threshold."
)


def cost(plain: SweepChoice, promised: SweepChoice, promise: str) -> str:
    """The cost of a promise compared with the tuned threshold, in words; "" without a promise."""
    if promise == "tuned":
        return ""
    before, after = plain.test.n_grams_kept, promised.test.n_grams_kept
    return (
        f"Promised **{PROMISES[promise]}**: other words lose at most {percent(promised.tolerance, 2)} here, "
        "if they might have come in any order with the development words. It costs "
        f"α = {promised.alpha:.3f} in place of {plain.alpha:.3f}: {after:.3g} n-grams a place in place of "
        f"{before:.3g} ({after / max(before, 1e-12):.2f} times)."
    )


def beside_theorems(plain: SweepChoice, promised: Mapping[str, SweepChoice | str]) -> str:
    """A table of promises that hold, to compare with two theorems that hold and say nothing."""
    rows = ["| promised | α | words lost, test | n-grams kept a place |", "|---|---:|---:|---:|"]
    for name, choice in {"tuned": plain, **promised}.items():
        if isinstance(choice, str):
            rows.append(f"| {PROMISES[name]} | {choice} | | |")
            continue
        test = choice.test
        cells = f"{choice.alpha:.3f} | {percent(test.event, 2)} | {test.n_grams_kept:.3g}"
        rows.append(f"| {PROMISES[name]} | {cells} |")
    return (
        f"**What can be promised without a theorem about all filters**: at most {percent(plain.tolerance, 2)}"
        " of other words lost, from the order of the development words alone. With k of n development words "
        "allowed, a new word is lost with probability (k + 1) / (n + 1) at most; for 90 % certainty k comes "
        "from the binomial tail. It holds for any weights, for words that might have come in any order with "
        "these.\n\n" + "\n".join(rows)
    )


def at_loss(curve: RuleCurve, share: float) -> float:
    """n-grams per position that a rule leaves where it loses at most a share of the words."""
    fits = np.flatnonzero(curve.lost <= share + 1e-12)
    return float(curve.kept[fits[-1]]) if len(fits) else float("nan")


def rules_facts(both: SweepRules, tolerance: float) -> dict[str, str]:
    """Numbers of the chart of both rules, for the sentences of a tour, by name."""
    mean, margin = (at_loss(curve, tolerance) for curve in (both.mean_max, both.margin))
    ratio = margin / mean if mean > 0 else float("nan")
    fewer = "the margin" if ratio < 0.95 else "the mean" if ratio > 1.05 else "neither"
    return {
        "by_mean": f"{mean:.3g}",
        "by_margin": f"{margin:.3g}",
        "ratio": f"{ratio:.2f}",
        "fewer": fewer,
        "pieces": grams(both.level),
        "words": f"{both.n_words:,}",
        "allowed": percent(tolerance, 2),
        "before": f"{both.n_grams_in:.3g}",
    }


def rules_sentence(both: SweepRules, tolerance: float) -> str:
    """Which rule leaves fewer n-grams at equal loss, and what that means."""
    facts = rules_facts(both, tolerance)
    verdicts = {
        "the margin": "**The margin leaves fewer**",
        "the mean": "**Mean and best leave fewer**",
        "neither": "**Neither leaves clearly fewer**",
    }
    return (
        f"{verdicts[facts['fewer']]} {facts['pieces']} where both lose {facts['allowed']} of these "
        f"{facts['words']} test words: {facts['by_margin']} a place by a margin, {facts['by_mean']} between "
        f"mean and best ({facts['ratio']} times), of {facts['before']}. Same filter, same scores; only the "
        "line is drawn otherwise. This is one filter alone, with its threshold read off test words: behind "
        "several filters that each went by a rule of their own the difference adds up, and thresholds are "
        "tuned on development words (Paper tables)."
    )
