"""`Sequences`: label scores of any model, with every exact query on them as a method.

Queries return one array per sequence, in the order given; it is empty for a sequence without positions.
Labels are passed and returned by name if `from_emissions` was given names, else as numbers 0 .. K - 1.
"""

from collections.abc import Hashable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import BatchMarginals, k_best_batch, marginals_batch
from spcviz.engine.computed_once import computed_once
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.ngrams.space import bigrams
from spcviz.engine.thresholds import filtering, results, rules
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.engine.thresholds.rule import survives
from spcviz.scores.lattices import Lattices, check_n_arcs
from spcviz.scores.names import Names
from spcviz.scores.packing import Packed, check_feasible
from spcviz.scores.queries import Curves, Ranked, Witness, read_rule, write_rule


class Sequences:
    """Chains with scores of states and transitions; made by `from_emissions` and `from_hf`."""

    def __init__(self, packed: Packed, names: Names) -> None:
        self._packed, self._names = packed, names
        self.lengths = packed.lengths
        self.n_labels = packed.unary.shape[1]
        self.labels = names.given

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        shape = f"{len(self)} sequences, {int(self.lengths.sum())} positions, {self.n_labels} labels"
        return f"<Sequences: {shape}>"

    def take(self, numbers: Sequence[int] | np.ndarray) -> "Sequences":
        """Select some of the sequences by their numbers, from 0, in the order given.

        `ArgumentError`, `ShapeError` unless `numbers` are whole numbers from 0 to that of the last sequence.

        >>> from spcviz.scores import from_emissions
        >>> from_emissions([[[0.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]]).take([1])
        <Sequences: 1 sequences, 2 positions, 2 labels>
        """
        chosen = checks.whole_numbers("numbers", numbers, 0, len(self) - 1)
        starts, steps = self._packed.starts, self._packed.pairwise
        rows = np.concatenate([np.zeros(0, np.int64), *(np.arange(*starts[i : i + 2]) for i in chosen)])
        steps = steps if steps.ndim == 2 else steps[rows]
        return Sequences(Packed(self._packed.unary[rows], self.lengths[chosen], steps), self._names)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(scores (N, K) of all positions, lengths (S,), transitions).

        Start and end scores are included in those of first and last positions. Transitions are (K, K) or, if
        steps differ, (N, K, K): the step into each position.
        """
        return self._packed.unary, self.lengths, self._packed.pairwise

    def decode(self) -> list[np.ndarray]:
        """The best labelling of each sequence (Viterbi); ties go to the first label, last position first.

        Like every method except `score`, it raises `InfeasibleError` if a sequence has no labelling with a
        finite score.
        """
        return self._packed.split(self._names.of(self._best))

    def score(self, y: Sequence[Sequence[Any]]) -> np.ndarray:
        """Score of one labelling of each sequence, shape (S,); -inf where it is forbidden.

        `ShapeError`, `ArgumentError` if labels are missing, too many, or unknown.
        """
        return self._packed.score_labellings(self._names.all_states("y", y, self.lengths))

    def log_partition(self) -> np.ndarray:
        """log of the sum of exp(score) over all labellings, shape (S,).

        exp(score - log partition) is a labelling's probability; a sequence without positions has 0.
        """
        out = np.zeros(len(self))
        out[self._packed.filled_idx] = self._sums.log_partition
        return out

    def marginals(self) -> list[np.ndarray]:
        """Probability of each label at each position, (L_i, K) each.

        >>> from spcviz.scores import from_emissions
        >>> from_emissions([[[0.0, 0.0]]]).marginals()
        [array([[0.5, 0.5]])]
        """
        return self._packed.split(self._sums.unary)

    def max_marginals(self) -> list[np.ndarray]:
        """Score of the best labelling with each label at each position, (L_i, K) each."""
        return self._packed.split(self._node)

    def k_best(self, k: int) -> list[Ranked]:
        """The k best labellings of each sequence, best first; k is 1 .. 10,000."""
        packed, filled = self._packed, self._packed.filled_idx
        k = checks.integer("k", k, 1, 10_000)
        ranked = k_best_batch(packed.unary, packed.lengths[filled], packed.pairwise, k)
        self._refuse(np.flatnonzero(ranked.n_found == 0))
        empty = self._names.of(np.zeros((0, 0), dtype=np.int64))
        out, starts = [Ranked(np.zeros(0), empty)] * len(self), packed.starts
        for w, i in enumerate(filled):
            n = ranked.n_found[w]
            labels = ranked.labels[:n, starts[i] : starts[i + 1]]
            out[i] = Ranked(ranked.scores[w, :n], self._names.of(labels))
        return out

    def witness(self, i: int, position: int, label: Hashable) -> Witness:
        """The best labelling of sequence i with a given label at a position; it attains the max-marginal.

        `ArgumentError` if there is no such sequence, position or label; `InfeasibleError` if no labelling
        with it has a finite score.

        >>> from spcviz.scores import from_emissions
        >>> from_emissions([[[0.0, 1.0], [2.0, 0.0]]], [[0, 0], [-3, 0]]).witness(0, 1, 1)
        Witness(score=1.0, labels=array([1, 1]))
        """
        i = checks.integer("i", i, 0, len(self) - 1)
        first, stop = self._packed.starts[i : i + 2]
        position = checks.integer("position", position, 0, int(stop - first) - 1)
        state = self._names.state("label", label)
        unary = self._packed.unary[first:stop]
        try:
            best = chain.witness(unary, self._packed.steps(first, stop), position, state)
        except InfeasibleError:
            raise InfeasibleError(
                f"sequence {i}: no labelling with label {label!r} at position {position} has a finite score"
            ) from None
        return Witness(best.score, self._names.of(best.labels))

    def break_points(self, rule: str = "mean_max") -> list[np.ndarray]:
        """The alpha from which each label at each position is pruned, (L_i, K) each.

        Below 0: its max-marginal is below the mean. inf: never pruned (it is on a best labelling, or all are
        equal). -inf: forbidden from the start. With `rule` "margin", the margin down to which it is kept, so
        reversed: -inf never pruned, inf from the start. With "probability", the probability from which it is
        pruned.
        """
        return self._packed.split(write_rule(rule, self._points_of(rule)))

    def curves(self, y: Sequence[Sequence[Any]], rule: str = "mean_max") -> Curves:
        """Filter loss and efficiency loss of the truth against alpha, exactly, without a grid.

        Sequences without positions do not count. With rule "margin" the curves are over minus the margin,
        with "probability" over the probability, where Definition 1 coincides with losing a true label. Weiss
        (2013), thesis, Definitions 1 and 2.
        """
        states = self._names.all_states("y", y, self.lengths)
        by_definition, event = self._truth_points(states, rule)
        weights = np.full(len(by_definition), 1.0 / max(len(by_definition), 1))
        points = self._points_of(rule).reshape(-1)
        lowest = rules.lowest(rules.at_first(rule), np.concatenate([points, by_definition]))
        efficiency = results.efficiency_curve(points, self._starts * self.n_labels, lowest)
        lost, pruned = (results.curve(truth, weights, lowest) for truth in (by_definition, event))
        return Curves(lost, pruned, efficiency)

    def tune(
        self,
        y: Sequence[Sequence[Any]],
        tolerance: float,
        *,
        guarantee: Guarantee = None,
        rule: str = "mean_max",
        by_definition: bool = False,
    ) -> float:
        """The alpha that prunes hardest but loses the truth of at most a share `tolerance` of the sequences.

        It is below 0, a threshold under the mean, if the mean would lose more. If more truths are forbidden
        outright, it is the largest alpha at which no other truth is pruned. Pass it to `prune`; with `rule`
        "margin" it is the margin, with "probability" the probability.

        Parameters
        ----------
        y : list of sequences of labels
            The truth of sequences that the model was not trained on.
        tolerance : float
            0 to 1.
        guarantee : {None, "mean"} or float
            None: the share holds for these sequences. "mean": it holds on average for others, 0.9: with 90 %
            confidence for others, if these are exchangeable with the given ones; see
            `spcviz.engine.thresholds.guarantees`.
        rule : {"mean_max", "mean_max_first", "margin", "probability"}
            Nothing has been filtered before, so the first two are the same here.
        by_definition : bool
            Count a sequence as lost by Definition 1, an upper bound that keeps far more; False: only if a
            true label is pruned.

        Raises
        ------
        InfeasibleError
            If a guarantee needs more sequences than there are; the message says how many.

        Examples
        --------
        >>> from spcviz.scores import from_emissions
        >>> sequences = from_emissions([[[0.0, 1.0, 0.9]], [[2.0, 0.0, 0.1]], [[0.0, 0.5, 4.0]]])
        >>> round(sequences.tune([[1], [0], [1]], 0.0, rule="margin"), 6)
        3.5
        """
        points = self._truth_points(self._names.all_states("y", y, self.lengths), rule)
        points_of = points[0 if checks.switch("by_definition", by_definition) else 1]
        return float(
            write_rule(rule, rules.tune_setting(rules.at_first(rule), points_of, tolerance, guarantee))
        )

    def verdict(
        self, y: Sequence[Sequence[Any]], tolerance: float = 0.05, *, rule: str = "mean_max", seed: int = 0
    ) -> Any:
        """Judge whether a cascade is worth it on these scores: labels left, loss, time, guarantee.

        A random half of the sequences chooses the threshold, the other half checks it. Printed, the verdict
        is two paragraphs; in a notebook it is a figure (needs ``pip install "spcviz[app]"``); its
        ``show().html`` is one file that works offline.

        Parameters
        ----------
        y : list of sequences of labels
            The truth of sequences that the model was not trained on.
        tolerance : float
            Share of the sequences that may lose a true label, 0 to 1.
        rule : {"mean_max", "margin", "probability"}
            The threshold's rule, as in `tune`.
        seed : int
            Seed of the random split.

        Returns
        -------
        spcviz.shared.verdict.sequences.Judgement

        Raises
        ------
        ArgumentError, ShapeError
            If there are fewer than two sequences with positions, or y is not a labelling of them.
        """
        made = import_module("spcviz.shared.verdict.sequences")
        return made.of_sequences(self, y, tolerance, rule=rule, seed=seed)

    def show(self, number: int = 0, words: Sequence[str] | None = None, *, alpha: float = 0.0) -> object:
        """Show what pruning leaves of one sequence, in a notebook that can prune further; see `spcviz.show`.

        Parameters
        ----------
        number : int
            Number of the sequence, from 0.
        words : sequence of str, optional
            Names for its positions.
        alpha : float
            At most 1: the threshold applied before drawing; a smaller alpha draws more.
        """
        return import_module("spcviz").show(self.take([number]).prune(alpha), None, words)

    def prune(
        self,
        alpha: ArrayLike | None = None,
        *,
        margin: ArrayLike | None = None,
        probability: ArrayLike | None = None,
    ) -> Lattices:
        """Keep the labels whose max-marginal exceeds the threshold of their sequence.

        With `alpha` the threshold is alpha times the best score plus 1 - alpha times the mean of the
        max-marginals of all labels; with `margin` it lies that far below the best score; with `probability`,
        more probable labels are kept. The best labelling always survives. The lattices consist of the
        transitions between the labels left. Weiss (2013), thesis, equation (4.3);
        `spcviz.engine.thresholds.rules`.

        Parameters
        ----------
        alpha : float or array_like (S,), optional
            At most 1: larger keeps less. 0 is the mean; below 0 the threshold lies under it.
        margin : float or array_like (S,), optional
            At least 0, in the unit of the scores: larger keeps more.
        probability : float or array_like (S,), optional
            0 to 1: larger keeps less.

        Examples
        --------
        >>> from spcviz.scores import from_emissions
        >>> sequences = from_emissions([[[0.0, 1.0, 0.9], [2.0, 0.0, 0.1], [0.0, 0.0, 4.0]]])
        >>> sequences.prune(0.0).n_arcs, sequences.prune(0.9).n_arcs
        (4, 3)
        >>> sequences.prune(margin=2.5).n_arcs
        12
        """
        filled, lengths = self._packed.filled_idx, self.lengths[self._packed.filled_idx]
        name, settings = read_rule(alpha, margin, probability, None, len(self))
        settings = settings[filled] if np.ndim(settings) else settings
        values, starts = self._values(name), self._starts * self.n_labels
        way = rules.way_of(name, settings)
        limits = filtering.threshold_batch(values.reshape(-1), starts, way.alpha, way.yardstick)
        tau = np.broadcast_to(settings, lengths.shape) if way.by_marginals else limits.tau
        kept = survives(values, np.repeat(tau, lengths)[:, None]) & (values > -np.inf)
        kept[np.arange(len(kept)), self._best] = True
        check_n_arcs(kept)
        gaps = filtering.threshold_batch(self._node.reshape(-1), starts, 0.0)
        lattice = bigrams(lengths, max(self.n_labels, 1), kept)
        return Lattices(self._packed, self._names, lattice, first_gap=gaps.best - gaps.mean)

    @computed_once
    def _starts(self) -> np.ndarray:
        """First row of each sequence that has positions, and the end."""
        return np.concatenate([[0], np.cumsum(self.lengths[self._packed.filled_idx])])

    @computed_once
    def _best(self) -> np.ndarray:
        """States of the best labellings, shape (R,)."""
        packed, filled = self._packed, self._packed.filled_idx
        if packed.pairwise.ndim == 3:
            labels = [chain.decode(*scores).labels for scores in self._each()]
            return np.concatenate([np.zeros(0, dtype=np.int64), *labels])
        if not len(filled):
            return np.zeros(0, dtype=np.int64)
        batch = chain.decode_batch(packed.unary, packed.lengths[filled], packed.pairwise)
        self._refuse(np.flatnonzero(np.isneginf(batch.scores)))
        return batch.labels

    @computed_once
    def _node(self) -> np.ndarray:
        """Max-marginals, shape (R, K)."""
        packed, filled = self._packed, self._packed.filled_idx
        if packed.pairwise.ndim == 3:
            marginals = [chain.max_marginals(*scores, edges=False) for scores in self._each()]
            return np.concatenate([packed.unary[:0], *(table.unary for table in marginals)])
        if not len(filled):
            return packed.unary[:0]
        batch = chain.max_marginals_batch(packed.unary, packed.lengths[filled], packed.pairwise)
        self._refuse(np.flatnonzero(np.isneginf(batch.best)))
        return batch.unary

    @computed_once
    def _sums(self) -> BatchMarginals:
        packed, filled = self._packed, self._packed.filled_idx
        if not len(filled):
            return BatchMarginals(np.zeros(0), packed.unary[:0])
        sums = marginals_batch(packed.unary, packed.lengths[filled], packed.pairwise)
        self._refuse(np.flatnonzero(np.isneginf(sums.log_partition)))
        return sums

    def _values(self, rule: str) -> np.ndarray:
        """The values that a rule thresholds, shape (R, K): max-marginals or probabilities."""
        return self._sums.unary if rules.at_first(rule) == "probability" else self._node

    def _points_of(self, rule: str) -> np.ndarray:
        """Break points as settings of a rule, shape (R, K)."""
        values = self._values(rule)
        flat = rules.break_points(rules.at_first(rule), values.reshape(-1), self._starts * self.n_labels)
        points = flat.reshape(values.shape).copy()
        points[np.arange(len(points)), self._best] = np.inf  # a max-marginal may round below the best
        return points

    def _each(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(unary, pairwise) of each sequence that has positions; an error inside names the sequence."""
        starts = self._packed.starts
        for i in self._packed.filled_idx:
            unary = self._packed.unary[starts[i] : starts[i + 1]]
            steps = self._packed.steps(starts[i], starts[i + 1])
            check_feasible(i, unary, steps)
            yield unary, steps

    def _refuse(self, dead: np.ndarray) -> None:
        """Raise the error of the first of some sequences (counted among those with positions), if any."""
        if len(dead):
            i = int(self._packed.filled_idx[dead[0]])
            first, stop = self._packed.starts[i : i + 2]
            check_feasible(i, self._packed.unary[first:stop], self._packed.steps(first, stop))

    def _truth_points(self, states: np.ndarray, rule: str) -> tuple[np.ndarray, np.ndarray]:
        """Settings from which each non-empty sequence loses its truth, by Definition 1 and in fact."""
        values, starts = self._values(rule), self._starts
        if len(starts) == 1:
            return np.zeros(0), np.zeros(0)
        truth = self._packed.score_labellings(states)[self._packed.filled_idx]
        is_best = np.logical_and.reduceat(states == self._best, starts[:-1])
        at_truth = self._points_of(rule)[np.arange(len(states)), states]
        event = np.minimum.reduceat(at_truth, starts[:-1])
        if rule == "probability":
            return event, event
        flat = values.reshape(-1)
        by_definition = rules.truth_points(rules.at_first(rule), truth, flat, starts * self.n_labels)
        by_definition[is_best] = np.inf  # summed in another order, it may round below the best
        return np.minimum(by_definition, event), event
