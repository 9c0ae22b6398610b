r"""Retune a trained cascade's thresholds on unseen examples, level by level or all by one number.

`retune` tunes one level after another, each with its own tolerance; `check_guarantees` moves all of them
together, with one guarantee for the whole cascade.

A cascade of T filters has T settings. Along its *path* one number sets them all: let :math:`\sigma_t` be the
setting tuned for level t, and :math:`r_t` how far below the best its threshold lies; at a factor c every
threshold lies :math:`c\,r_t` below the best (`rules.scale_setting`; for probabilities: in logs). Small
factors prune hard, large ones keep nearly everything.

The choice of c gives the guarantee. Let the factors :math:`c_1 > c_2 > \dots > c_G` and the settings
:math:`\sigma_t` be fixed before the calibration examples are seen, and let an example's break point be the
first j at which *the cascade at* :math:`c_j` *loses its truth, whichever level does it*:

.. math:: s_i = \min \{ j : \text{the truth of } i \text{ is lost at } c_j \}, \qquad
   \mathrm{lost}_i(j) \le 1[s_i \le j]

The set lost at :math:`c_j` need not grow with j: after harder filters a best score may fall, and a later
threshold with it. But the set *lost at j or before* does grow, and contains it. So the :math:`s_i` are break
points of one filter, exchangeable if the examples are, since each is computed from its own example alone.
`guarantees` then says how many of n may have :math:`s_i \le j`, and its proofs hold word for word: with k
allowed losses, take the last j before more than k are lost at :math:`c_j` or before. All levels share these k
losses as they occur: nothing is allotted to levels beforehand, and there is no union bound over levels.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.ngrams.lattice import extend, path_of, score_arcs, unigrams
from spcviz.engine.ngrams.prune import prune, truth_points
from spcviz.engine.thresholds import guarantees, rules
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.decoding import filter_examples, survives
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.learning.cascade.letters_first import all_bigrams, prune_states

FACTORS = tuple(float(2.0 ** (3 - j / 4)) for j in range(25))
"""From eight times as far below the best to an eighth, in steps of a fourth root of two."""


class Chosen(NamedTuple):
    """A cascade's thresholds, chosen together."""

    factor: float
    settings: tuple[float, ...]
    first_lost: np.ndarray  # (n,) int64: index of the first factor that loses each; number of factors: none
    allowed: int  # number of examples that might be lost


def retune(
    cascade: Cascade,
    rule: str,
    features: Features,
    labels: np.ndarray,
    lengths: np.ndarray,
    tolerances: Sequence[float],
) -> Cascade:
    """Tune one level after another on what the levels before leave.

    Parameters
    ----------
    rule : str
        See `spcviz.engine.thresholds.rules`; the cascade's own does not matter.
    labels, lengths : ndarray of int, shapes (rows,) and (W,)
    tolerances : sequence of float
        One per level: share of the examples whose truth has survived so far that may lose it.

    Raises
    ------
    ArgumentError
        If there is not one tolerance per level, or the rule is unknown.
    """
    if len(tolerances) != len(cascade.levels):
        raise ArgumentError(f"tolerances must hold {len(cascade.levels)} numbers, got {tolerances!r:.60}")
    how: dict[str, Any] = {"on_nodes": cascade.on_nodes}
    lattice = unigrams(lengths, cascade.n_states)
    first_gap: np.ndarray | None = None
    settings: list[float] = []
    for t, (level, tolerance) in enumerate(zip(cascade.levels, tolerances)):
        unary = unary_scores(features, level.filter.weights)
        name = rules.at_first(rule) if t == 0 else rule
        by_pairs = t == 0 and cascade.first_order == 2
        space = all_bigrams(lengths, cascade.n_states) if by_pairs else lattice
        score = score_arcs(space, unary, level.filter.table)
        more = how | {"rule": name, "first_gap": first_gap}
        begun = prune_states(space, score, 0.0, name) if by_pairs else prune(space, score, 0.0, **more)
        truth = path_of(lattice, labels)
        has_truth = np.logical_and.reduceat(truth >= 0, lattice.col_start[:-1])
        _, event = truth_points(lattice, begun, truth, np.where(has_truth, 0.0, -np.inf))
        settings.append(rules.tune_setting(rule, event[has_truth], tolerance))
        if t == 0:
            first_gap = begun.limits.best - begun.limits.mean
        if by_pairs:
            pruned = prune_states(space, score, settings[-1], name)
        else:
            pruned = prune(space, score, settings[-1], max_arcs=cascade.max_arcs, **more)
        if t + 1 < len(cascade.levels):
            lattice = extend(lattice, pruned.keep)
    return with_rule(cascade, rule, settings)


def check_guarantees(
    cascade: Cascade,
    features: Sequence[Features],
    labels: np.ndarray,
    lengths: np.ndarray,
    tolerance: float,
    guarantee: Guarantee,
    *,
    n_levels: int | None = None,
    factors: Sequence[float] = FACTORS,
) -> tuple[Cascade, Chosen]:
    """Thresholds of all levels together along the cascade's path, with a guarantee.

    Parameters
    ----------
    features : sequence of Features
        Of one example each.
    tolerance : float
        Share of examples that the first `n_levels` filters together may lose (all by default).

    Raises
    ------
    InfeasibleError
        If the guarantee needs more examples than there are; the message says how many.
    """
    lengths = checks.lengths(lengths, 2**31 - 1)
    starts = checks.starts(lengths)
    n_levels = len(cascade.levels) if n_levels is None else n_levels
    begin = [level.alpha for level in cascade.levels[:n_levels]]

    def lost_at(settings: tuple[float, ...], some: np.ndarray) -> np.ndarray:
        out = np.zeros(len(some), dtype=bool)
        for at, i in enumerate(some):
            truth = labels[starts[i] : starts[i + 1]]
            steps = filter_examples(cascade, features[i], lengths[i : i + 1], n_levels, settings)
            out[at] = not all(survives(step.lattice, step.pruned.keep, truth)[0] for step in steps)
        return out

    chosen = choose(cascade.pruned_by, begin, len(lengths), lost_at, tolerance, guarantee, factors)
    rest = [level.alpha for level in cascade.levels[n_levels:]]
    return with_rule(cascade, cascade.pruned_by, [*chosen.settings, *rest]), chosen


def choose(
    rule: str,
    settings: Sequence[float],
    n_examples: int,
    lost_at: Callable[[tuple[float, ...], np.ndarray], np.ndarray],
    tolerance: float,
    guarantee: Guarantee,
    factors: Sequence[float] = FACTORS,
) -> Chosen:
    """The hardest thresholds on a cascade's path that keep a guarantee.

    Parameters
    ----------
    rule : str
        Of the cascade.
    settings : sequence of float
        Of its filters; they must not have been tuned on the calibration examples.
    n_examples : int
        Calibration examples.
    lost_at : callable
        ``lost_at(settings of all levels, indices of some examples)`` returns whether any level loses the
        truth of each, bool.
    tolerance : float
        Allowed share of examples, 0 to 1, over all levels together.
    guarantee : {None, "mean"} or float
        See `guarantees`.
    factors : sequence of float
        Falling.

    Raises
    ------
    InfeasibleError
        If the guarantee needs more examples than there are, or too many are already lost at the first factor.
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> scores = np.array([-1.0, -3.0, -0.2, -0.4])
    >>> chosen = choose("margin", (-1.0,), 4, lambda at, some: scores[some] <= at[0], 0.5, "mean")
    >>> round(chosen.factor, 3), chosen.allowed
    (1.189, 1)
    """
    factors = [checks.number("factors", factor, 0.0) for factor in factors]
    if not factors or (np.diff(factors) >= 0).any():
        raise ArgumentError(f"factors must fall, got {factors!r:.60}")
    allowed = guarantees.n_allowed(n_examples, tolerance, guarantee)
    first_lost = np.full(n_examples, len(factors))
    best = -1
    for j, factor in enumerate(factors):
        alive = np.flatnonzero(first_lost == len(factors))
        lost = lost_at(settings_at(rule, settings, factor), alive)
        first_lost[alive[lost]] = j
        if (first_lost <= j).sum() > allowed:
            break
        best = j
    if best < 0:
        raise InfeasibleError(
            f"{int((first_lost == 0).sum())} of {n_examples} calibration examples are lost at thresholds "
            f"{factors[0]:g} times as far below the best, and a loss of {100 * tolerance:g} % "
            f"{guarantees.describe_guarantee(guarantee)} allows {allowed}: raise the tolerance"
        )
    return Chosen(factors[best], settings_at(rule, settings, factors[best]), first_lost, allowed)


def settings_at(rule: str, settings: Sequence[float], factor: float) -> tuple[float, ...]:
    """The settings of all levels at a factor.

    >>> settings_at("margin", (-4.0, -2.0), 0.5)
    (-2.0, -1.0)
    """
    return tuple(rules.scale_setting(rule, setting, factor) for setting in settings)


def with_rule(cascade: Cascade, rule: str, settings: Sequence[float]) -> Cascade:
    """The same models under a rule, with one setting per level."""
    if len(settings) != len(cascade.levels):
        raise ArgumentError(
            f"settings must hold {len(cascade.levels)} numbers, one a level, got {settings!r:.60}"
        )
    levels = tuple(
        level._replace(alpha=rules.checked_setting(rule, float(setting)))
        for level, setting in zip(cascade.levels, settings)
    )
    return cascade._replace(levels=levels, rule=rules.checked_rule(rule), by_marginals=rule == "probability")
