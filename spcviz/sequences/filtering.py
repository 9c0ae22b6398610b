"""Prune sequences with a fitted cascade: survivors of its filters, their best labellings and marginals."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import log_marginals, states_left
from spcviz.engine.thresholds import rules
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import blocks_of
from spcviz.learning.chains.spaces import join_lattices
from spcviz.learning.workers import in_threads
from spcviz.sequences import labels
from spcviz.sequences.answers import TagPaths
from spcviz.sequences.base import SequenceTagger
from spcviz.sequences.encoding import Encoded
from spcviz.sequences.growth import Grown, Some, rank_labellings
from spcviz.sequences.input_types import Inputs
from spcviz.sequences.lattices import Filtered, OneLevel, features_of, levels_of, state_shares


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
