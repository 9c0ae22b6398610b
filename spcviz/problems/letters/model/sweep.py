r"""One level's filter at every alpha: exact losses for the Sweep page, generalisation bounds term by term.

Raising alpha only ever prunes more, so each word loses its truth at one alpha and each n-gram falls
at one alpha (`spcviz.engine.thresholds.filtering`). Sorted, these break points are the curves; no grid
over alpha is used.

- development words: all words of the training folds, each filtered by a model that did not see it
  (`HeldOut`, stored with the model); training chose its alpha on them
- test words: the fold that training left out, run here and now at the tuned alphas of earlier levels

Losses are conditional, over the words whose truth earlier levels had kept; the cumulative loss, over
all words, is given as well. The cap on the size of the next lattice plays no part in them.

The sample of the bounds is the test words whose truth reached the level: the theorem needs one that
the earlier levels did not see, because these decide which n-grams exist. It requires factor features of
norm at most 1. Scores do not change when features are divided by R and weights multiplied by R, so

.. math:: B = R \, \|w\|, \qquad R = \max_{x, c} \|f_c(x, y_c)\|

with w all weights of the filter, of letters and of n-grams, and R over the sample's words, bounded from
above by the triangle inequality. m and \|F\| are the largest over these words.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.ngrams.lattice import path_of, score_labels
from spcviz.engine.ngrams.prune import points_of, truth_points
from spcviz.engine.thresholds import filtering, rule, rules
from spcviz.engine.thresholds import results as step_curves
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.learning.cascade import bounds
from spcviz.learning.cascade.cascade import HeldOut, filter_examples
from spcviz.learning.cascade.features import unary_scores
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.shown import (
    BoundTerms,
    LossCurves,
    LossesAt,
    RuleCurve,
    StepCurve,
    SweepBound,
    SweepChoice,
    SweepLevel,
    SweepRules,
)
from spcviz.shared.verdict.filter_verdict import exact_interval

N_DRAWN = 500


class Sample(NamedTuple):
    """One level on the test words: what exact losses and the bound are computed from."""

    # by_definition, event, each (W,): alpha from which each word loses its truth; -inf where an earlier level
    # had lost it
    by_definition: np.ndarray
    event: np.ndarray
    points: np.ndarray  # (A,): alpha from which each n-gram is pruned
    starts: np.ndarray  # (W + 1,): word w owns n-grams ``starts[w] : starts[w + 1]``
    # (W,): score of the truth minus the mean max-marginal; -inf where it was lost before
    truth_gap: np.ndarray
    spread: np.ndarray  # (W,): best minus mean max-marginal
    n_columns: np.ndarray  # (W,)
    # weight_norm, factor_norm: see `SweepBound`
    weight_norm: float
    factor_norm: float
    # margins (A,), margin_event (W,): minus the margin down to which each n-gram, each truth is kept
    margins: np.ndarray = np.zeros(0)
    margin_event: np.ndarray = np.zeros(0)


class Sweep(NamedTuple):
    """A level over all alphas: `curves` for drawing, `dev` and `test` for exact values."""

    curves: SweepLevel
    dev: HeldOut
    test: Sample


def sweep_levels(
    model, *, words: handwriting.Words | None = None, chosen: ArrayLike | None = None
) -> tuple[Sweep, ...]:
    """Every level over all alphas, read-only, on the model's test fold or on the `chosen` of `words`."""
    if words is None:
        words = handwriting.load_words()
        chosen = np.flatnonzero(words.folds == model.test_fold) if chosen is None else chosen
    chosen = np.arange(len(words.lengths)) if chosen is None else np.asarray(chosen)
    rows, lengths = handwriting.rows_of(words, chosen)
    features = model.features(words.pixels[rows], lengths)
    labels, config = words.labels[rows], model.settings.config
    out = []
    for level, step in zip(model.cascade.levels, filter_examples(model.cascade, features, lengths)):
        held_out, test = model.held_out[len(out)], _sample(level.filter, step, features, labels)
        lowest = filtering.lowest_alpha(np.concatenate([*held_out[:2], *test[:2]]))
        whole = step_curves.efficiency_curve(test.points, test.starts, lowest)
        efficiency = step_curves.thin_curve(whole, N_DRAWN)
        curves = SweepLevel(
            level=len(out) + 1,
            tuned_alpha=float(level.alpha),
            tolerance=float(config.tolerances[len(out)]),
            tuned_on="definition" if config.by_definition else "event",
            dev=curves_of("dev", held_out, StepCurve(held_out.alpha, held_out.efficiency), lowest),
            test=curves_of("test", test, StepCurve(*efficiency), lowest),
        )
        out.append(Sweep(curves, held_out, test))
    return tuple(out)


def _sample(linear, step, features, labels):
    lattice, pruned = step.lattice, step.pruned
    unary = unary_scores(features, linear.weights)
    truth_scores = score_labels(lattice, unary, linear.table, labels)
    truth = path_of(lattice, labels)
    by_definition, event = truth_points(lattice, pruned, truth, truth_scores)
    points = filtering.break_points_batch(pruned.values, pruned.starts)
    mean, spread = pruned.limits.mean, pruned.limits.best - pruned.limits.mean
    gap = np.where(event == -np.inf, -np.inf, truth_scores - mean)
    by_margin = pruned._replace(rule="margin")
    margins, margin_event = points_of(by_margin), truth_points(lattice, by_margin, truth, truth_scores)[1]
    arrays = by_definition, event, points, pruned.starts, gap, spread, np.diff(lattice.col_start)
    for array in (*arrays, margins, margin_event):
        array.flags.writeable = False
    norm = float(np.hypot(np.linalg.norm(linear.weights), np.linalg.norm(linear.values.astype(np.float64))))
    return Sample(*arrays, norm, _factor_norm(lattice, features, linear.table), margins, margin_event)


def _factor_norm(lattice, features, table):
    """Upper bound on the norms of factors' features (triangle inequality in the first column)."""
    # A column's n-gram has its last position's features and an indicator; a word's first n-gram has those of
    # all its positions and indicators of orders 2 to n, twice where n-grams that begin words have their own.
    norms = np.linalg.norm(features.values.astype(np.float64), axis=1)
    n, first = lattice.order, lattice.row_start[:-1]
    running = np.concatenate([[0.0], np.cumsum(norms)])
    at_first = (running[first + n] - running[first]) ** 2 + (1 + table.has_begin) * (n - 1)
    later = norms.max() ** 2 + (n.max() > 1)
    return float(np.sqrt(max(at_first.max(), later) + table.has_end))


def curves_of(split, points, efficiency, lowest=0.0):
    """`LossCurves` from each truth's break points (``by_definition``, ``event``) and an efficiency curve."""
    is_alive = points.event > -np.inf
    weights = np.full(is_alive.sum(), 1.0 / max(is_alive.sum(), 1))
    return LossCurves(
        split=split,
        n_words=len(is_alive),
        n_lost_before=int((~is_alive).sum()),
        by_definition=_thin_drawn(step_curves.curve(points.by_definition[is_alive], weights, lowest)),
        event=_thin_drawn(step_curves.curve(points.event[is_alive], weights, lowest)),
        efficiency=efficiency,
    )


def _thin_drawn(curve):
    """Every step up to a loss of 5 %, then about `N_DRAWN` of the others."""
    n_low = int(np.searchsorted(curve.value, 0.05, side="right"))
    if len(curve.alpha) - n_low <= N_DRAWN:
        return StepCurve(*curve)
    high = step_curves.thin_curve(StepCurve(curve.alpha[n_low:], curve.value[n_low:]), N_DRAWN)
    return StepCurve(*(np.concatenate([array[:n_low], rest]) for array, rest in zip(curve, high)))


def alpha_for(
    sweep: Sweep, tolerance: float, *, by_definition: bool = False, guarantee: Guarantee = None
) -> float:
    """Largest alpha at which development words lose at most a share `tolerance` (thesis, end of 4.3).

    `guarantee`: the promise for other words that reach the level, if they are exchangeable with these;
    `InfeasibleError` if there are too few for it.
    """
    points = sweep.dev.by_definition if by_definition else sweep.dev.event
    return filtering.largest_alpha(points[sweep.dev.event > -np.inf], tolerance, guarantee=guarantee)


def rule_curves(sweep: Sweep, most: float = 0.2) -> SweepRules:
    """n-grams left against words lost by each rule, up to a share `most` of test words, every step of it."""
    test = sweep.test
    positions = int(test.n_columns.sum())
    n_in = float((test.points > -np.inf).sum() / positions)
    by_rule = (("mean_max", test.points, test.event), ("margin", test.margins, test.margin_event))
    mean_max, margin = (_rule_curve(*of, positions, most) for of in by_rule)
    return SweepRules(sweep.curves.level, int((test.event > -np.inf).sum()), n_in, mean_max, margin)


def _rule_curve(name, points, event, positions, most):
    """A `RuleCurve`: for each number of lost words, the hardest setting that loses no more."""
    alive = np.sort(event[event > -np.inf])
    falling = alive[alive < np.inf][: int(most * len(alive)) + 1]
    settings = np.array([rules.just_below(name, point) for point in np.unique(falling)])
    rising = np.sort(points[points > -np.inf])
    kept = (len(rising) - np.searchsorted(rising, settings, side="right")) / positions
    lost = np.searchsorted(alive, settings, side="right") / max(len(alive), 1)
    return RuleCurve(name, settings, lost, kept)


def losses_at(sweep: Sweep, split: Literal["dev", "test"], alpha: float) -> LossesAt:
    """Exact losses (Definitions 1 and 2) at one alpha; efficiency of "dev" is read off its curve."""
    alpha = rule.cap_alpha(checks.alpha("alpha", alpha))
    points = sweep.dev if split == "dev" else sweep.test
    is_alive = points.event > -np.inf
    n_alive, n_words = int(is_alive.sum()), len(is_alive)
    n_before = n_words - n_alive
    n_event, n_definition = (int((p[is_alive] <= alpha).sum()) for p in (points.event, points.by_definition))
    n_in = n_kept = np.nan
    if split == "dev":
        at = np.searchsorted(points.alpha, alpha, side="right") - 1
        efficiency = float(points.efficiency[at]) if at >= 0 else np.nan
    else:
        kept = np.add.reduceat(points.points > alpha, points.starts[:-1])
        valid = np.add.reduceat(points.points > -np.inf, points.starts[:-1])
        efficiency = float(np.mean(kept / valid))
        n_in, n_kept = (float(v.sum() / points.n_columns.sum()) for v in (valid, kept))
    alone = (n / max(n_alive, 1) for n in (n_definition, n_event))
    cumulative = ((n_before + n) / n_words for n in (n_definition, n_event))
    of_events = n_event, exact_interval(n_event, n_alive)
    return LossesAt(split, n_alive, *alone, efficiency, *of_events, *cumulative, n_in, n_kept)


def choose(sweep, tolerance, *, by_definition=False, alpha=None, guarantee=None) -> SweepChoice:
    """The alpha that a tolerance gives, or the given one, with its losses; see `alpha_for`."""
    if alpha is None:
        alpha = alpha_for(sweep, tolerance, by_definition=by_definition, guarantee=guarantee)
    alpha = checks.alpha("alpha", alpha)
    dev, test = (losses_at(sweep, split, alpha) for split in ("dev", "test"))
    return SweepChoice(alpha, tolerance, dev, test)


def tuned_on_dev(rows: list[dict], tolerance: float) -> list[dict]:
    """Each method's alpha chosen on its "dev" row of ocr-sweep, with its losses there and on "test"."""
    by_split = {(row["method"], row["split"]): row for row in rows}
    out = []
    for method in dict.fromkeys(row["method"] for row in rows):
        dev, test = by_split.get((method, "dev")), by_split.get((method, "test"))
        if dev is None or test is None:
            continue
        fits = np.flatnonzero(np.asarray(dev["filter_loss"]) <= tolerance + 1e-9)
        tuned = {"method": method, "alpha": None}
        if len(fits):
            tuned["alpha"] = alpha = dev["alpha"][fits[-1]]
            at = max(int(np.searchsorted(test["alpha"], alpha, side="right")) - 1, 0)
            for split, row, i in (("dev", dev, fits[-1]), ("test", test, at)):
                for loss in ("filter_loss", "efficiency_loss"):
                    tuned[f"{split}_{loss}"] = row[loss][i]
        out.append(tuned)
    return out


def bound(sweep: Sweep, alpha: float, *, margin_share: float = 1.0, delta: float = 0.05) -> SweepBound:
    """Theorem 1, (4.10) to (4.14), for both losses; gamma is `margin_share` times the median spread."""
    sample = sweep.test
    alpha = rule.cap_alpha(checks.alpha("alpha", alpha))
    is_alive = sample.event > -np.inf
    spread = float(np.median(sample.spread))
    margin = checks.number("margin_share", margin_share, 1e-9) * max(spread, 1e-300)
    losses = losses_at(sweep, "test", alpha)
    lead = rule.lead(sample.truth_gap[is_alive], sample.spread[is_alive], alpha)
    # On the best path itself the break point is stored as inf (never pruned) and counts as 1.
    sizes = np.diff(sample.starts)
    points = np.where(sample.points == np.inf, 1.0, sample.points)
    lag = rule.lag(points, np.repeat(sample.spread, sizes), alpha)
    kept = np.where(sample.points > -np.inf, bounds.margin_loss(lag, margin), 0.0)
    valid = np.add.reduceat(sample.points > -np.inf, sample.starts[:-1])
    empirical = (
        float(np.mean(bounds.margin_loss(lead, margin))) if len(lead) else 0.0,
        float(np.mean(np.add.reduceat(kept, sample.starts[:-1]) / valid)),
    )
    n = max(int(is_alive.sum()), 1)
    given = {"n_samples": n, "n_assignments": int(valid.max()), "n_factors": int(sample.n_columns.max())}
    given |= {"norm": sample.weight_norm * sample.factor_norm, "margin": margin, "delta": delta}
    terms = [bounds.theorem_1(value, **given) for value in empirical]
    return SweepBound(
        alpha=alpha,
        spread=spread,
        weight_norm=sample.weight_norm,
        factor_norm=sample.factor_norm,
        filter_loss=BoundTerms(*terms[0], losses.by_definition),
        efficiency_loss=BoundTerms(*terms[1], losses.efficiency),
        held_out=float(losses.by_definition + np.sqrt(np.log(1 / delta) / (2 * n))),
        **given,
    )


class EnsembleBound(NamedTuple):
    """Theorem 2 on a filter's joint loss."""

    n_models: int  # P
    # printed, tight: with P, as in the thesis, and with its square root, as derived here
    printed: bounds.Bound
    tight: bounds.Bound


def ensemble_bound(one_model: SweepBound, n_models: int) -> EnsembleBound:
    r"""Theorem 2 (thesis, (5.8)) for a filter in P = `n_models` equal parts, from Theorem 1 for the filter.

    Let every sub-model be a P-th of the filter, :math:`w_p = w / P`. Scores, thresholds and so the joint loss
    are then those of the whole, and :math:`\|w_p\| \le B / P` holds, as the theorem requires. So nothing is
    measured again, and the theorem's price for an ensemble as such is isolated.
    """
    names = ("n_samples", "n_assignments", "n_factors", "norm", "margin", "delta")
    terms = {name: getattr(one_model, name) for name in names}
    printed, tight = (
        bounds.theorem_2(one_model.filter_loss.empirical, n_models=n_models, is_tight=is_tight, **terms)
        for is_tight in (False, True)
    )
    return EnsembleBound(n_models, printed, tight)
