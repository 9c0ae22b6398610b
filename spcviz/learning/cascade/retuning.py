"""Retune a trained cascade's thresholds, by any rule, on examples that its filters have not seen."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import extend, path_of, score_arcs, unigrams
from spcviz.engine.ngrams.prune import prune, truth_points
from spcviz.engine.thresholds import rules
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.learning.cascade import paths
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.decoding import filter_examples, survives
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.learning.cascade.letters_first import all_bigrams, prune_states


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
    factors: Sequence[float] = paths.FACTORS,
) -> tuple[Cascade, paths.Chosen]:
    """Thresholds of all levels together along the cascade's path, with a guarantee; see `paths`.

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

    chosen = paths.choose(cascade.pruned_by, begin, len(lengths), lost_at, tolerance, guarantee, factors)
    rest = [level.alpha for level in cascade.levels[n_levels:]]
    return with_rule(cascade, cascade.pruned_by, [*chosen.settings, *rest]), chosen
