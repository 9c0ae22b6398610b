"""Base class of taggers that learn online, sequence by sequence, pass by pass."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.learning.chains.crf import Examples, Weights, examples_of
from spcviz.learning.estimators import generator
from spcviz.sequences import training_data
from spcviz.sequences.chain import ChainTagger
from spcviz.sequences.input_types import Inputs, Targets
from spcviz.sequences.training_data import Batch
from spcviz.sequences.watching import Bar


class Walk(NamedTuple):
    """Where training stopped: weights, whether a pass was completed, and the state to continue from."""

    weights: Weights
    has_begun: bool
    was_interrupted: bool
    rest: Any = None


class OnlineTagger(ChainTagger):
    """Abstract base of the taggers that learn from one sequence at a time."""

    warm_start: bool = False

    def __init__(
        self,
        *,
        max_iter: int,
        fit_intercept: bool | str,
        min_count: int,
        constraints: Any,
        class_weight: Any,
        random_state: Any,
        n_jobs: int | None,
        verbose: int,
    ) -> None:
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.min_count = min_count
        self.constraints = constraints
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Inputs, y: Targets, sample_weight: Any = None) -> Self:
        """Train on labelled sequences; `ArgumentError` names the item that is wrong.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict.
        y : list of sequences of str or of int
        sample_weight : array_like, shape (len(X),), optional
            Weights of the sequences, at least 0.
        """
        return self._fit(X, y, sample_weight, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any, token_weight: Any) -> Self:
        passes = checks.integer("max_iter", self.max_iter, 1, 1_000_000)
        goes_on = checks.switch("warm_start", self.warm_start) and self._may_go_on()
        how = {"goes_on": goes_on, "min_count": self.min_count, "token_weight": token_weight}
        batch = self._read(X, y, sample_weight, **how)
        self._train(batch, passes, self._running_state() if goes_on else None)
        return self

    def _train(self, batch: Batch, passes: int, begin: Any) -> Walk:
        """Learn from a batch; `begin` is the state to continue from, None at the start."""
        forbidden = self._forbidden()
        training_data.check_steps(batch, forbidden, self.classes_, self.constraints)
        data = examples_of(
            *batch.encoded,
            batch.labels,
            len(self.classes_),
            weights=batch.weights,
            position_weights=batch.token_weights,
        )
        rng = generator(self.random_state)
        with Bar(type(self).__name__, passes, self.verbose) as bar:
            walk = self._walk(data, rng, passes, begin, forbidden, bar.tick)
        self.set_weights(walk.weights)
        if walk.was_interrupted:
            if not walk.has_begun:
                raise KeyboardInterrupt
            warnings.warn("fit was interrupted: the model is fitted as far as it came", stacklevel=4)
        return walk

    def _running_state(self) -> Any:
        """The state from which training continues, built from the current weights."""
        raise NotImplementedError

    def _walk(
        self,
        data: Examples,
        rng: np.random.Generator,
        passes: int,
        begin: Any,
        forbidden: np.ndarray | None,
        note: Callable[[str], object],
    ) -> Walk:
        """Run the passes; `note` is called after each with a text on how it went."""
        raise NotImplementedError
