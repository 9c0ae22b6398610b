"""Sentences of the Sweep page, built from its numbers: losses, bounds, guarantees and threshold rules."""

import math
from collections.abc import Mapping

import numpy as np

from spcviz.problems.letters.shown import RuleCurve, SweepChoice, SweepRules
from spcviz.web.figures.filter_curves import METHODS, grams
from spcviz.web.figures.formatting import percent

INTRODUCTION = (
    "# Sweep: every threshold at once\nA gentle threshold keeps nearly everything and saves nothing; a "
    "severe one is fast and throws the truth away. These are the exact curves between the two. **Choose how "
    "many words may lose their truth**; the page finds the most severe threshold that obeys on *development* "
    "words and checks it on *test* words."
)
LOSSES = {"event": "if it happens", "definition": "by Definition 1"}
HELP = {
    "tol": "The tolerance ε: the share of development words that may lose their truth at this level. "
    "α is then the largest that keeps to it. At first it is what training allowed at this level.",
    "by": "*If it happens*: some group of letters of the true word is really pruned. *Definition 1* (filter "
    "loss): the true word's own score is at or below the threshold τ. Definition 1 is never the smaller, and "
    "it is what training can minimise.",
    "margin": "γ: how far on the right side of the threshold counts as safe, as a multiple of the median "
    "distance between the best and the mean max-marginal.",
    "alpha": "α sets the threshold τ = α · best + (1 − α) · mean, over the max-marginals of all groups of "
    "letters left at this level. The max-marginal of a group is the score of the best word that contains it.",
    "dev": "Words of the training folds, each filtered by a model that did not see it; with the open "
    "vocabulary, words of types and letter images that training does not have. α was tuned on them.",
    "test": "Words of the fold that training left out (open vocabulary: of unseen types), at this α. Only "
    "those count whose truth the levels before had kept.",
    "all": "Cumulative loss: also counts test words that earlier levels lost.",
    "pin": "Keeps this α, to compare it with others: a line in the curves and its figures below them.",
    "level": "Level n filters groups of n letters, among those that the levels before have left.",
    "kept": "Efficiency loss: the mean share of the groups of letters left at this level that this filter "
    "keeps.",
}

ONLY_FEW_WORDS = (
    "The three filters are compared on models of the 55 words: choose one of these behind Settings, under "
    "*What it sees*."
)
BOUND_WAITS = (
    "The theorem adds three terms: the loss on known words, a price for how many filters training could have "
    "found, and one for chance. What they come to stays hidden until you have guessed."
)
CLICK = "Click a step of a solid line to choose its α by hand."
LEGEND = (
    "Definition 1 counts a word whose own score is not above the threshold; really lost is one of which a "
    "group of letters is pruned, which is never more."
)
WAITS = "What test words lose stays hidden until you have guessed."
PROMISES = {"tuned": "as tuned", "mean": "on average", "certain": "with 90 % certainty"}
"""Guarantees by their names in the address."""

GUARANTEES: Mapping[str, str | float | None] = {"tuned": None, "mean": "mean", "certain": 0.9}
"""Guarantees in the form that `spcviz.engine.thresholds.guarantees` takes."""

PROMISE_HELP = (
    "*As tuned*: at most the tolerance of the *development* words is lost; nothing is said of others. *On "
    "average*: other words lose at most the tolerance in expectation. *With 90 % certainty*: in nine of ten "
    "draws of development words they do. Both hold whatever the filter is, for words that might have been "
    "drawn in any order with these, and cost a milder threshold."
)

_DEPENDENT = {
    False: "the same 55 words by 150 writers recur, so they are not",
    True: "the words are put together from the same letter images, so they are not",
}
"""Why test words are not independent, by whether the vocabulary is open."""


def figures(level, choice, state):
    """The row of four figures: label, value, note, help."""
    test, dev = choice.test, choice.dev
    cumulative = test.cumulative_by_definition if state["by"] == "definition" else test.cumulative_event
    below = "below the mean; " if choice.alpha < 0 else ""
    lost = f"{round(_loss(test, state) * test.n_words)} of {test.n_words:,} words"
    at_once, earlier = percent(cumulative, 2), f"{level.test.n_lost_before} already lost earlier"
    places = f"{test.n_grams_in:.3g} → {test.n_grams_kept:.3g} a place"
    tuned = f"{below}training chose {level.tuned_alpha:.3f}"
    return (
        ("Threshold setting α", f"{choice.alpha:.3f}", tuned, HELP["alpha"]),
        ("Lost: development", percent(_loss(dev, state), 2), f"of {dev.n_words:,} words", HELP["dev"]),
        ("Lost: test", percent(_loss(test, state), 2), lost, HELP["test"]),
        ("Lost: test, all levels", at_once, earlier, HELP["all"]),
        (f"{grams(level.level).capitalize()} kept", percent(test.efficiency, 1), places, HELP["kept"]),
    )


def without_test(rows):
    """The row of figures while a question asks for those on test words."""
    return [(label, "?", "guess first", meaning) if "test" in label or "kept" in label
            else (label, value, note, meaning) for label, value, note, meaning in rows]  # fmt: skip


def facts(level, choice, state):
    """The row of figures, and the counts behind it, for the sentences of a tour, by name."""
    alpha, dev, test, every, kept = (value for _, value, _, _ in figures(level, choice, state))
    return {
        "alpha": alpha,
        "lost_dev": dev,
        "lost_test": test,
        "lost_all": every,
        "kept": kept,
        "pieces": grams(level.level),
        "words_dev": f"{choice.dev.n_words:,}",
        "words_test": f"{choice.test.n_words:,}",
        "words_lost": str(round(_loss(choice.test, state) * choice.test.n_words)),
        "allowed": percent(choice.tolerance, 2),
    }


def values(choice, state):
    """A level at the chosen alpha for the checks of tasks: shares in percent."""
    test = _loss(choice.test, state)
    return {
        "words_lost": round(test * choice.test.n_words),
        "words_test": choice.test.n_words,
        "lost_test": round(100 * test, 2),
        "kept": round(100 * choice.test.efficiency, 1),
        "broken": bool(test > choice.tolerance),
    }


def describe_pinned(features, choice, state):
    """The losses of a pinned α at the level on display, in words."""
    test, dev = (percent(_loss(at, state), 2) for at in (choice.test, choice.dev))
    lost, kept = f"{test} of test words lost ({dev} of development)", percent(choice.test.efficiency, 1)
    return f"α = {choice.alpha:.3f} ({features}): {lost}, {kept} kept"


def verdict(choice, state):
    """Whether the tolerance holds on test words, in words."""
    test, allowed = _loss(choice.test, state), choice.tolerance
    low, high = choice.test.event_range
    chance = " The threshold lies below the mean." if choice.alpha < 0 else ""
    if state["by"] == "event":
        rate = f"between {percent(low, 2)} and {percent(high, 2)} (95 %)"
        chance += f" With so few words, the true rate is somewhere {rate}."
    against = f"{percent(test, 2)} against {percent(allowed, 2)}"
    if test <= allowed:
        return f":material/check: **Kept on test words**: {against} allowed.{chance}"
    if state["by"] == "event" and low <= allowed:
        more = "**A little more than allowed on test words**"
        return f":material/question_mark: {more}: {against}, which may be chance.{chance}"
    return f":material/close: **Not kept on test words**: {against} allowed.{chance}"


def _loss(at, state):
    return at.by_definition if state["by"] == "definition" else at.event


def missing(name, features):
    """The message in place of a result that has not been made."""
    return (
        f"This comparison has not been made for these features yet. Make it (a few minutes) with: "
        f"`python -m spcviz reproduce {name} --features {features}`"
    )


def filters(tuned, tolerance):
    """Which filter keeps least at the tolerance, level by level, and a table."""
    lines = [
        f"Each filter's threshold chosen on *development* words so that at most {tolerance:g} % lose their "
        "truth; the marks on the lines.",
        "",
        "| level | filter | n-grams kept, test | words that lose their truth, test | on development |",
        "|---|---|---:|---:|---:|",
    ]
    for level, methods in sorted(tuned.items()):
        for at in methods:
            name = METHODS.get(at["method"], at["method"])
            if at["alpha"] is None:
                lines.append(f"| {level} | {name} | no threshold keeps to it | | |")
                continue
            kept, lost, dev = (at[k] for k in ("test_efficiency_loss", "test_filter_loss", "dev_filter_loss"))
            lines.append(f"| {level} | {name} | {kept:.1f} % | {lost:.2f} % | {dev:.2f} % |")
    level_facts = filters_facts(dict(sorted(tuned.items())))
    best = "; ".join(
        f"at level {n} the {level_facts[f'best_{n}']}" for n in sorted(tuned) if f"best_{n}" in level_facts
    )
    lead = f"So prunes most: **{best}**. " if best else ""
    return (
        "\n".join(lines)
        + f"\n\n{lead}All three see the same n-grams: everything at level 1, what the cascade's own "
        "level 1 left at level 2. SPC and perceptron cut at α · best + (1 − α) · mean, each word its own. "
        "The CRF cuts at one probability for all words. All measured here."
    )


def filters_facts(tuned):
    """What each filter keeps at each level, and which keeps least, for the sentences of a tour."""
    facts_by_name = {}
    for level, methods in tuned.items():
        able = [at for at in methods if at["alpha"] is not None]
        for at in able:
            facts_by_name[f"{at['method']}_{level}"] = f"{at['test_efficiency_loss']:.1f} %"
        if able:
            first = min(able, key=lambda at: at["test_efficiency_loss"])
            facts_by_name[f"best_{level}"] = METHODS.get(first["method"], first["method"])
    return facts_by_name


def bound(terms, is_open=False):
    """What the theorem says here, and what a test set says."""
    loss = terms.filter_loss
    if loss.is_vacuous:
        sentence = (
            f":material/block: **Vacuous**: the theorem promises that at most {_power(100 * loss.total)} % "
            "of all words lose their truth. True but useless: no loss exceeds 100 %. A useful bound would "
            f"need {_power(loss.samples_needed)} words; we have {terms.n_samples:,}."
        )
    else:
        sentence = (
            f"The theorem promises that at most {percent(loss.total, 2)} of all words lose their truth."
        )
    return (
        f"{sentence} It pays for every filter that training could have found. **Test words need no such "
        "fee**, since nothing was fitted to them: by Hoeffding's inequality at most "
        f"**{percent(terms.held_out, 2)}** (filter loss by Definition 1, {percent(1 - terms.delta, 0)} sure, "
        f"if words were drawn independently; here {_DEPENDENT[is_open]})."
    )


def bound_facts(terms):
    """The theorem's numbers for the sentences of a tour, by name."""
    return {
        "words": f"{terms.n_samples:,}",
        "held_out": percent(terms.held_out, 2),
        "assignments": f"{terms.n_assignments:,}",
        "norm": f"{terms.norm:,.0f}",
        "margin": f"{terms.margin:.3g}",
        "measured": f"{terms.filter_loss.empirical:.3f}",
        "vacuous": str(int(terms.filter_loss.is_vacuous)),
    }


def bound_symbols(terms, level):
    """The formula and a table of its symbols."""
    rows = (
        (r"$\hat E[L^\gamma]$",
         "loss on these words, where being less than γ on the right side counts in part",
         f"{terms.filter_loss.empirical:.3f} (truth), {terms.efficiency_loss.empirical:.3f} (n-grams)"),
        ("$n$", "test words whose truth reached this level (no filter was fitted to them)",
         f"{terms.n_samples:,}"),
        ("$m$", f"{grams(level.level)} in the largest of their lattices", f"{terms.n_assignments:,}"),
        (r"$\lvert F \rvert$", "places that a lattice has, at most", terms.n_factors),
        ("$B$", "norm of the weights where a place's features have norm at most 1: "
         f"{terms.weight_norm:.4g} (all weights of the filter) × {terms.factor_norm:.4g} (longest feature "
         "vector, from above)", f"{terms.norm:,.0f}"),
        (r"$\gamma$", f"margin, in points of score; best minus mean is {terms.spread:.3g} in the median",
         f"{terms.margin:.3g}"),
        (r"$\delta$", "how often such a bound may be wrong", f"{terms.delta:g}"),
        ("$c$", "left open in the source; its proof gives 4√π", f"{4 * math.sqrt(math.pi):.2f}"),
    )  # fmt: skip
    table = "\n".join(f"| {symbol} | {meaning} | {value} |" for symbol, meaning, value in rows)
    return (
        r"$$E[L] \le \underbrace{\hat E[L^\gamma]}_{1} + "
        r"\underbrace{\frac{c\,m\,B\sqrt{|F|}}{\gamma\sqrt n}}_{2} + "
        r"\underbrace{\sqrt{\frac{8\ln(2/\delta)}{n}}}_{3}$$"
        f"\n\n| symbol | meaning | here, measured |\n|---|---|---|\n{table}\n\n"
        "Theorem 1 of Weiss (2013), for a fixed α; for all levels together each takes a share of δ."
    )


def _power(value):
    """A large number as a power of ten."""
    if not math.isfinite(value):
        return "no number of"
    if value < 1e5:
        return f"{value:,.0f}"
    power = int(math.log10(value))
    return rf"${value / 10**power:.1f} \times 10^{{{power}}}$"


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
