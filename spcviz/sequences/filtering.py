"""Base classes of the cascade: pruning with its filters, and retuning of their thresholds."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import log_marginals, states_left
from spcviz.engine.thresholds import guarantees, rules
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.learning.cascade import retuning
from spcviz.learning.cascade.config import TOLERANCE_KINDS, Cascade
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.cascade import LevelFigures
from spcviz.learning.chains.crf import blocks_of
from spcviz.learning.chains.survivors import join_lattices
from spcviz.learning.estimators import in_threads
from spcviz.sequences import labels
from spcviz.sequences.base import SequenceTagger
from spcviz.sequences.encoding import Encoded
from spcviz.sequences.input_types import Inputs, Targets
from spcviz.sequences.labels import TagPaths
from spcviz.sequences.lattices import (
    Filtered,
    Grown,
    OneLevel,
    Some,
    TruthPoints,
    features_of,
    levels_of,
    rank_labellings,
    state_shares,
)


class Filtering(SequenceTagger):
    """Abstract base of the cascade: what it does once it is fitted."""

    cascade_: Cascade

    def _encode(self, X: Any) -> Encoded:
        return self._with_edges(super()._encode(X))

    def _best(self) -> Callable[[Some], np.ndarray]:
        return self._grown_cascade().best

    def _shares(self) -> Callable[[Some], list[np.ndarray]]:
        grown = self._grown_cascade()

        def shares(some: Some) -> list[np.ndarray]:
            lattice, scores = grown.last(some)
            _, logs = log_marginals(lattice, scores)
            marginals = state_shares(lattice, np.exp(logs))
            return self._split(marginals / marginals.sum(axis=1, keepdims=True), some.lengths)

        return shares

    def _paths(self, k: int) -> Callable[[Some], list[TagPaths]]:
        grown = self._grown_cascade()

        def paths(some: Some) -> list[TagPaths]:
            lattice, scores = grown.last(some)
            best = [rank_labellings(lattice, scores, w, k) for w in range(len(some.lengths))]
            return [TagPaths(score, self.classes_[states]) for score, states in best]

        return paths

    def filter(
        self,
        X: Inputs,
        *,
        alpha: float | Sequence[float] | None = None,
        margin: float | Sequence[float] | None = None,
        level: int | None = None,
    ) -> Filtered:
        """The labels and n-grams that the filters leave of each sequence.

        `alpha` replaces the tuned thresholds: at most 1 (0: the mean; smaller keeps more), or a probability
        if that is the rule; where the rule is "margin", give `margin`, at least 0, instead. Either is one
        number for all filters or one for each. `level` filters run, 1 .. `order` - 1; all by default.
        """
        self._check_is_fitted()
        most = len(self.cascade_.levels) - 1
        level = most if level is None else checks.integer("level", level, 1, most)
        alphas = [cascade_level.alpha for cascade_level in self.cascade_.levels[:level]]
        name, other = ("margin", "alpha") if self.cascade_.rule == "margin" else ("alpha", "margin")
        number, wrong = (margin, alpha) if name == "margin" else (alpha, margin)
        if wrong is not None:
            raise ArgumentError(f"{other} must be None where the rule is {self.cascade_.rule}; give {name}")
        if number is not None:
            given = checks.settings(name, number)
            if len(given) not in (1, level):
                raise ArgumentError(
                    f"{name} must be one number or {level} of them, one a filter, got {number!r:.60}"
                )
            sign = -1.0 if name == "margin" else 1.0
            alphas = [
                rules.checked_setting(self.cascade_.rule, sign * float(one))
                for one in np.broadcast_to(given, level)
            ]
        grown = self._grown_cascade()
        lengths, lattices = self._of_blocks(lambda some: grown.lattice(some, alphas), X, None)
        if not lattices:
            return Filtered(self._split(np.zeros((0, len(self.classes_)), bool), lengths), None)
        lattice = join_lattices(lattices)
        return Filtered(self._split(states_left(lattice), lengths), lattice)

    def _grown_cascade(self) -> Grown:
        self._check_is_fitted()
        return Grown(self.cascade_, self._forbidden())

    def _of_blocks(
        self, function: Callable[[Some], Any], X: Any, allowed: Any
    ) -> tuple[np.ndarray, list[Any]]:
        """(lengths of all sequences, a function's values per block of non-empty sequences)."""
        encoded = self._encode(X)
        mask = None if allowed is None else labels.allowed_mask(allowed, encoded.lengths, self.classes_)
        places = np.flatnonzero(encoded.lengths)
        lengths = encoded.lengths[places]
        row_start = checks.starts(lengths)

        def of(first: int, last: int) -> Any:
            a, b = row_start[first], row_start[last]
            features = features_of(layouts.part(encoded.rows, a, b))
            part_mask = None if mask is None else mask[a:b]
            return function(Some(features, lengths[first:last], part_mask, places[first:last]))

        jobs = blocks_of(row_start, len(self.classes_)) if len(places) else []
        return encoded.lengths, in_threads(of, jobs, self.n_jobs)

    def levels_of(self, x: Sequence[Any]) -> list[OneLevel]:
        """Each level's n-grams of one sequence, with their scores."""
        grown, encoded = self._grown_cascade(), self._encode([x])
        some = Some(features_of(encoded.rows), encoded.lengths, None, np.zeros(1, np.int64))
        return levels_of(self.cascade_, some.features, lambda alphas: grown.lattice(some, alphas))

    def show(self, x: Sequence[Any], words: Sequence[str] | None = None) -> object:
        """Show the cascade at work on one sequence in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self, x, words)


class Tuned(Filtering):
    """Abstract base of the cascade that sets its thresholds."""

    levels_: tuple[LevelFigures, ...]

    def tune(self, X: Inputs, y: Targets, tolerance: Any = None, *, guarantee: Guarantee = None) -> Self:
        """Retune every threshold on sequences not seen in training.

        Parameters
        ----------
        tolerance : float or tuple of float, optional
            Replaces the estimator's tolerance.
        guarantee : {None, "mean"} or float
            Replaces the estimator's guarantee. With a guarantee the thresholds are chosen jointly, along the
            path of the current ones: one factor scales how far below the best they lie, at all levels alike
            (`spcviz.learning.cascade.retuning`), and the tolerance is that of the whole cascade. Without one,
            they are chosen filter by filter.

        Raises
        ------
        InfeasibleError
            If a guarantee needs more sequences than there are; the message says how many.
        """
        # The estimator's own settings hold until it has been tuned with others.
        guarantee = self.guarantee if guarantee is None else guarantees.check_guarantee(guarantee)
        tolerance = self.tolerance if tolerance is None else tolerance
        encoded, grown = self._encode(X), self._grown_cascade()
        flat = labels.flat_labels(y, encoded.lengths)
        truth = labels.numbers_of(flat, self.classes_, encoded.lengths)
        if not len(truth):
            raise ArgumentError("X must hold at least one token to tune on, got none")
        row_start = checks.starts(encoded.lengths)
        alphas: list[float] = []
        figures = []

        def truth_of(some: Some) -> np.ndarray:
            return truth[row_start[some.places[0]] : row_start[some.places[-1] + 1]]

        def points(some: Some) -> TruthPoints:
            return grown.points(some, truth_of(some), alphas)

        def is_lost(some: Some) -> np.ndarray:
            return grown.is_lost(some, truth_of(some), alphas)

        def kept(some: Some) -> int:
            lattice = grown.lattice(some, alphas)
            return int(states_left(lattice).sum()) if len(alphas) == 1 else lattice.n_arcs

        if guarantees.check_guarantee(guarantee) is not None:
            promise = self._promised_tolerance(tolerance), guarantee
            chosen = self._choose_settings(
                X, encoded.lengths, lambda some, at: grown.is_lost(some, truth_of(some), at), promise
            )
            for t in range(len(chosen)):
                alphas = list(chosen[: t + 1])
                lost = float(np.concatenate(self._of_blocks(is_lost, X, None)[1]).mean())
                n_kept = sum(self._of_blocks(kept, X, None)[1])
                figures.append(LevelFigures(t + 1, alphas[-1], lost, n_kept / len(truth)))
            return self._with_settings(alphas, figures, tolerance, guarantee)
        for t, share in enumerate(self._tolerances(len(self.cascade_.levels), tolerance)):
            break_points = TruthPoints(*map(np.concatenate, zip(*self._of_blocks(points, X, None)[1])))
            is_there = ~break_points.is_lost
            values = (
                break_points.of_positions
                if self.tolerance_kind == "position"
                else break_points.of_examples[is_there]
            )
            alphas.append(rules.tune_setting(self.cascade_.rule, values, share))
            lost = float((break_points.is_lost | (break_points.of_examples <= alphas[-1])).mean())
            n_kept = sum(self._of_blocks(kept, X, None)[1])
            figures.append(LevelFigures(t + 1, alphas[-1], lost, n_kept / len(truth)))
        return self._with_settings(alphas, figures, tolerance, guarantee)

    def _choose_settings(
        self,
        X: Any,
        lengths: np.ndarray,
        lost: Callable[[Some, tuple[float, ...]], np.ndarray],
        promise: tuple[float, Guarantee],
    ) -> tuple[float, ...]:
        """Settings along the path that keep a promise (tolerance, guarantee); see `retuning.choose`."""
        places = np.flatnonzero(lengths)  # a sequence without tokens is never lost
        cascade = self.cascade_

        def lost_at(settings: tuple[float, ...], some: np.ndarray) -> np.ndarray:
            of_all = self._of_blocks(lambda block: lost(block, settings), X, None)[1]
            return np.concatenate(of_all)[some]

        begin = [level.alpha for level in cascade.levels[:-1]]
        n = len(places)
        return retuning.choose(cascade.rule, begin, n, lost_at, *promise).settings

    def _with_settings(
        self, alphas: list[float], figures: list[LevelFigures], tolerance: Any, guarantee: Guarantee
    ) -> Self:
        levels = [level._replace(alpha=alpha) for level, alpha in zip(self.cascade_.levels, [*alphas, 0.0])]
        self.cascade_, self.levels_ = self.cascade_._replace(levels=tuple(levels)), tuple(figures)
        self.tolerance, self.guarantee = tolerance, guarantee
        return self

    def _promised_tolerance(self, tolerance: Any) -> float:
        """The checked tolerance of a guarantee, which is that of the whole cascade."""
        if checks.one_of("tolerance_kind", self.tolerance_kind, TOLERANCE_KINDS) != "example":
            raise ArgumentError("tolerance_kind must be example for a guarantee, which is about sequences")
        if _are_many(tolerance):
            raise ArgumentError(
                f"tolerance must be one number for a guarantee, which is about the whole cascade, got "
                f"{tolerance!r:.60}"
            )
        return checks.fraction("tolerance", tolerance)

    def _tolerances(self, order: int, given: Any) -> tuple[float, ...]:
        if not _are_many(given):
            return (checks.fraction("tolerance", given),) * (order - 1)
        if len(given) != order - 1:
            raise ArgumentError(
                f"tolerance must be one number or {order - 1} of them, one a filter, got {given!r:.60}"
            )
        return tuple(checks.fraction(f"tolerance[{i}]", tolerance) for i, tolerance in enumerate(given))


def _are_many(tolerance: Any) -> bool:
    """Whether a tolerance is given per filter; a text is not, nor is an array without dimensions."""
    if isinstance(tolerance, np.ndarray):
        return tolerance.ndim > 0
    return isinstance(tolerance, Sequence) and not isinstance(tolerance, str | bytes)
