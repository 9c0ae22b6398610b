"""The verdict on a filter: the fixed rule for whether it pays off, and its sentences.

A filter is worth it if it leaves at most half of the labels, and does not lose significantly more test
examples than allowed (the lower end of the 95 % interval of its loss is at most the tolerance). A search of
the last order is faster if the whole 95 % interval of the ratio of times, over the timed groups, lies
above 1.
"""

import math
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import InfeasibleError
from spcviz.engine.thresholds import guarantees, rules

MOST_LEFT = 0.5
"""Share of labels: a filter that leaves more is not worth it."""
N_DRAWS = 2000
"""Bootstrap draws of the timed groups for an interval."""
GUARANTEES: dict[str, guarantees.Guarantee] = {"tuned": None, "mean": "mean", "certain": 0.9}
"""Guarantees by the key of a `Promise`; see `spcviz.engine.thresholds.guarantees`."""
NAMES = {"tuned": "as tuned", "mean": "on average", "certain": "with 90 % certainty"}
"""Names of the promises in a menu."""
GRAMS = {2: "pairs", 3: "triples", 4: "4-grams", 5: "5-grams", 6: "6-grams"}


class Promise(NamedTuple):
    """A guarantee for examples like these, from the half that thresholds are chosen on."""

    key: str  # "tuned", "mean" or "certain"
    tolerance: float
    n: int  # examples of that half that reach the level
    allowed: int  # how many of them may be lost; -1 if it cannot be promised
    needed: float  # number of examples needed; 0 without a guarantee, inf if no number is enough
    alpha: float  # the rule's setting; nan if it cannot be promised
    lost: float  # share of the other half's examples that lose their truth at it
    kept: float  # n-grams per position that it leaves in the other half
    rule: str = "mean_max"  # the rule of the setting


class Times(NamedTuple):
    """Microseconds of groups of examples: by the cascade, and by a dense search of the same order."""

    cascade: np.ndarray
    dense: np.ndarray
    order: int
    n: int  # examples

    def ratio(self, seed: int = 0) -> tuple[float, float, float]:
        """(dense over cascade, ends of its 95 % interval over groups)."""
        draws = np.random.default_rng(seed).integers(0, len(self.dense), (N_DRAWS, len(self.dense)))
        drawn = self.dense[draws].sum(axis=1) / self.cascade[draws].sum(axis=1)
        low, high = np.percentile(drawn, [2.5, 97.5])
        return float(self.dense.sum() / self.cascade.sum()), float(low), float(high)


class VerdictTerms(NamedTuple):
    """Names of examples and their positions in sentences."""

    examples: str = "sentences"
    place: str = "token"
    source: str = "file"
    dead: str = "a label that training has not seen"  # content of a truth that no threshold can keep


class Verdict(NamedTuple):
    """Whether a filter is worth it, with its numbers."""

    is_worth: bool
    n_labels: int
    kept: float  # labels per position, by max-marginals
    kept_by_crf: float  # by marginals, at the same tolerance
    n_lost: int  # test examples
    n_test: int
    lost: tuple[float, float]  # 95 %
    tolerance: float
    left: float  # n-grams of the next order per position
    order: int
    times: Times | None
    timed: str  # where, to follow "timed"
    promises: tuple[Promise, ...]  # of this filter, from `check_guarantees`
    n_unknown: int  # examples left out of choosing thresholds: no threshold can keep their truth
    terms: VerdictTerms = VerdictTerms()


def is_worth(kept: float, n_labels: int, low: float, tolerance: float) -> bool:
    """The rule above, for the labels left per position and the lower end of the loss's interval."""
    return kept <= MOST_LEFT * n_labels and low <= tolerance


def deal_halves(lengths: np.ndarray, seed: int, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Split the non-empty sequences into two random halves by a seed; at most `most` tokens in all.

    >>> [len(half) for half in deal_halves(np.array([5, 0, 5, 5]), seed=0, most=15)]
    [1, 2]
    """
    counts = np.asarray(lengths, dtype=np.int64)
    order = np.random.default_rng(seed).permutation(np.flatnonzero(counts))
    if most is not None:
        order = order[np.cumsum(counts[order]) <= most]
    return np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])


def exact_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Clopper-Pearson interval of a probability from k events in n trials.

    >>> low, high = exact_interval(0, 100)
    >>> low, round(high, 3)
    (0.0, 0.036)
    """
    from scipy.stats import beta  # takes half a second to import, and the Letters page does not need it

    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, k, n - k + 1)) if k > 0 else 0.0
    high = float(beta.ppf(1 - tail, k + 1, n - k)) if k < n else 1.0
    return low, high


def check_guarantees(
    dev: np.ndarray, test: np.ndarray, points: np.ndarray, n_columns: int, tolerance: float,
    rule: str = "mean_max",
) -> tuple[Promise, ...]:  # fmt: skip
    """One `Promise` for each of `GUARANTEES`.

    It holds for examples that are exchangeable with those that thresholds were chosen on; the other half
    serves to check it.

    Parameters
    ----------
    dev, test : ndarray (W,)
        For each example of both halves, the setting of `rule` from which it loses its truth; -inf: at any.
    points : ndarray (A,)
        The setting from which each n-gram of the other half is pruned.
    n_columns : int
        Number of positions in the other half.
    tolerance : float
        0 to 1.
    rule : str
        One of `spcviz.engine.thresholds.rules.RULES`.
    """
    dev, alive = dev[dev > -np.inf], test[test > -np.inf]
    out = []
    for key, guarantee in GUARANTEES.items():
        needed = guarantees.examples_needed(tolerance, guarantee)
        try:
            allowed = guarantees.n_allowed(len(dev), tolerance, guarantee)
            at = rules.tune_setting(rule, dev, tolerance, guarantee) if len(dev) else 0.0
        except InfeasibleError:
            out.append(Promise(key, tolerance, len(dev), -1, needed, np.nan, np.nan, np.nan, rule))
            continue
        lost = float((alive <= at).mean()) if len(alive) else np.nan
        kept = float((points > at).sum() / max(n_columns, 1))
        out.append(Promise(key, tolerance, len(dev), allowed, needed, at, lost, kept, rule))
    return tuple(out)


def promise(told: Promise, examples: str = "sentences") -> str:
    """A sentence on what one `Promise` guarantees for other examples, or how many it would take.

    >>> from math import inf, nan
    >>> promise(Promise("certain", 0.01, 80, -1, 230, nan, nan, nan))
    'A loss of 1 % with 90 % certainty takes 230 sentences to choose thresholds on; here are 80.'
    """
    share = f"{100 * told.tolerance:.3g} %"
    if told.key == "tuned":
        return (
            f"At most {share} of the {told.n} {examples} that thresholds were chosen on are lost; nothing is "
            f"promised of others. On the other half {100 * told.lost:.3g} % are."
        )
    if told.allowed < 0:
        if told.needed == math.inf:
            return f"A loss of {share} cannot be promised {NAMES[told.key]}: allow more than 0 %."
        if told.n >= told.needed:
            return f"A loss of {share} cannot be promised {NAMES[told.key]}: more are lost at any threshold."
        return (
            f"A loss of {share} {NAMES[told.key]} takes {told.needed:.0f} {examples} to choose thresholds on;"
            f" here are {told.n}."
        )
    name = {"margin": "Margin", "probability": "Probability"}.get(told.rule, "α")
    setting = -told.alpha if told.rule == "margin" else told.alpha
    return (
        f"Promised {NAMES[told.key]}: other {examples} lose at most {share}, if they might have come in any "
        f"order with these {told.n}, of which {told.allowed} may be lost. {name} = {setting:.3f}; on the "
        f"other half {100 * told.lost:.3g} % are lost and {told.kept:.3g} a place are left."
    )


def describe_verdict(verdict: Verdict) -> str:
    """The verdict as two paragraphs of Markdown: the verdict in a word, its numbers, and their limits."""
    v, (examples, place, *_) = verdict, verdict.terms
    lost = (
        f"{v.n_lost} of {v.n_test} test {examples} ({100 * v.lost[0]:.1f} to {100 * v.lost[1]:.1f} %, 95 %)"
    )
    filters = (
        f"the filter leaves **{v.kept:.1f} of {v.n_labels} labels** a {place} (a CRF's marginals: "
        f"{v.kept_by_crf:.1f}) "
        f"and loses {lost}, {100 * v.tolerance:.3g} % allowed"
    )
    head = "**A threshold is worth it here:** " if v.is_worth else "**A threshold is hardly worth it here:** "
    why = ""
    if v.kept > MOST_LEFT * v.n_labels:
        why = " More than half of the labels stay: there is little to save."
    elif not v.is_worth:
        why = f" It loses more than is allowed: choose a smaller tolerance, or bring more {examples}."
    grown = f" Of {v.n_labels**v.order:,} {GRAMS[v.order]} a {place} {v.left:,.0f} are left to score."
    return f"{head}{filters}.{why}{grown}{said_of_times(v)}\n\n{describe_guarantee(v)}"


def describe_guarantee(verdict: Verdict) -> str:
    """A sentence on what is guaranteed for examples outside the file, and at which threshold."""
    examples, _, source, dead = verdict.terms
    told = " ".join(promise(each, examples) for each in verdict.promises if each.key != "tuned")
    text = f"**Guaranteed beyond this {source}:** nothing by the tuned threshold. {told}"
    if not verdict.n_unknown:
        return text
    n = verdict.n_unknown + verdict.promises[0].n
    return (
        f"{text} Of the {n} {examples} for choosing, {verdict.n_unknown} hold {dead}: those are lost at any "
        "threshold, and nothing is promised of their like."
    )


def said_of_times(verdict: Verdict) -> str:
    """A sentence on whether a cascade is faster than a dense search."""
    if verdict.times is None:
        return f" A dense search over {GRAMS[verdict.order - 1]} is too large to be run beside it."
    name = GRAMS[verdict.times.order]
    ratio, low, high = verdict.times.ratio()
    of = f"{verdict.times.n} test {verdict.terms.examples} timed {verdict.timed}"
    span = f"({low:.2f} to {high:.2f}, 95 %, {of})"
    if low > 1:
        return f" **A cascade is worth it:** {ratio:.2f} times as fast as a dense search over {name} {span}."
    if high < 1:
        share = f"a dense search over {name} takes {ratio:.2f} of it {span}"
        return f" **A cascade is not worth its time here:** {share}."
    return f" **A cascade makes no difference in time:** {ratio:.2f} times as fast as dense {name} {span}."
