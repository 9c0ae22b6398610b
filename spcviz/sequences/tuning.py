"""Retune a fitted cascade's thresholds on other sequences, filter by filter or with a guarantee."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import states_left
from spcviz.engine.thresholds import guarantees, rules
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.learning.cascade import paths
from spcviz.learning.cascade.config import TOLERANCE_KINDS
from spcviz.learning.chains.cascade import LevelFigures
from spcviz.sequences import labels
from spcviz.sequences.filtering import Filtering
from spcviz.sequences.growth import Points, Some
from spcviz.sequences.input_types import Inputs, Targets


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
            (`spcviz.learning.cascade.paths`), and the tolerance is that of the whole cascade. Without one,
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

        def points(some: Some) -> Points:
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
            break_points = Points(*map(np.concatenate, zip(*self._of_blocks(points, X, None)[1])))
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
        """Settings along the path that keep a promise (tolerance, guarantee); see `paths.choose`."""
        places = np.flatnonzero(lengths)  # a sequence without tokens is never lost
        cascade = self.cascade_

        def lost_at(settings: tuple[float, ...], some: np.ndarray) -> np.ndarray:
            of_all = self._of_blocks(lambda block: lost(block, settings), X, None)[1]
            return np.concatenate(of_all)[some]

        begin = [level.alpha for level in cascade.levels[:-1]]
        n = len(places)
        return paths.choose(cascade.rule, begin, n, lost_at, *promise).settings

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
