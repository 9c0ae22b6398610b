"""The averaged perceptron as a scikit-learn estimator."""

import warnings
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.learning.chains.crf import Weights, examples_of
from spcviz.learning.chains.perceptron import Running, begin, fit_perceptron
from spcviz.learning.dice import generator
from spcviz.sequences import stored
from spcviz.sequences.base import Bar, Batch, Texts
from spcviz.sequences.chain import ChainTagger


class PerceptronState(NamedTuple):
    """A fitted `StructuredPerceptron` as plain values."""

    params: str
    classes: str
    names: Texts | None
    weights: Weights
    running: Running | None


class StructuredPerceptron(ChainTagger):
    """Averaged structured perceptron: one weight a feature and label, one a step from label to label.

    Collins (2002), Discriminative training methods for hidden Markov models.

    Parameters
    ----------
    passes : int
        Over the training data.
    random_state : int, numpy.random.Generator or None
        Orders each pass.
    min_count, constraints, class_weight, warm_start, n_jobs, verbose
        As of `ChainCRF`.

    Attributes
    ----------
    classes_, state_weights_, transition_weights_, n_features_in_, feature_names_in_
        As of `ChainCRF`.
    running_ : Running or None
        What `partial_fit` goes on with.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]]]
    >>> tagger = StructuredPerceptron(random_state=0).fit(X, [["DT", "NN"]] * 3)
    >>> tagger.predict([[["a"], ["dog"]]])
    [['DT', 'NN']]
    """

    State = PerceptronState

    def __init__(
        self,
        *,
        passes: int = 10,
        min_count: int = 1,
        constraints: Any = None,
        class_weight: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.passes = passes
        self.min_count = min_count
        self.constraints = constraints
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on labelled sequences; `ArgumentError` with the item that is wrong.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict.
        y : list of sequences of str or of int
        sample_weight : array_like, shape (len(X),), optional
            Of sequences, at least 0.
        """
        goes_on = bool(self.warm_start) and self._may_go_on()
        batch = self._read(X, y, sample_weight, goes_on=goes_on, min_count=self.min_count)
        running = begin(self._grown(self.n_features_in_)) if goes_on else None
        self._train(batch, running, checks.integer("passes", self.passes, 1, 1_000_000))
        self.running_ = None
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on training with one pass over these sequences; the weights are averaged over all calls.

        Arguments as in `fit`; new features are added. The first call is told all `classes` there will ever
        be.
        """
        goes_on = self._may_go_on()
        batch = self._read(X, y, sample_weight, goes_on=goes_on, classes=None if goes_on else classes)
        running = None
        if goes_on:
            known = getattr(self, "running_", None) or begin(self._grown(self.n_features_in_))
            running = _grown(known, self.n_features_in_)
        self.running_ = self._train(batch, running, 1)
        return self

    def _train(self, batch: Batch, running: Running | None, epochs: int) -> Running:
        forbidden = self._forbidden()
        self._check_steps(batch, forbidden)
        data = examples_of(*batch.encoded, batch.labels, len(self.classes_), weights=batch.weights)
        rng = generator(self.random_state)
        with Bar(type(self).__name__, epochs, self.verbose) as bar:
            trained, was_interrupted = fit_perceptron(
                data,
                rng,
                epochs=epochs,
                running=running,
                forbidden=forbidden,
                tick=lambda _, wrong: bar.tick(f"{wrong:.0f} tokens wrong"),
            )
        self._set_weights(trained.average)
        if was_interrupted:
            if trained.n_steps == 0:
                raise KeyboardInterrupt
            warnings.warn("fit was interrupted: the model is fitted as far as it came", stacklevel=3)
        return trained

    def _learned(self) -> tuple[Any, ...]:
        return (*super()._learned(), getattr(self, "running_", None))

    def take_state(self, state: PerceptronState) -> None:
        super().take_state(state)
        if (running := state.running) is not None:
            checks.integer("running.n_steps", running.n_steps, 0, 2**62)
            for field, weights in (("weights", running.weights), ("late", running.late)):
                stored.check_weights(f"running.{field}", weights, self.n_features_in_, len(self.classes_))
        self.running_ = running


def _grown(running: Running, n_features: int) -> Running:
    """A perceptron on its way, with zeros for features that are new."""
    more = n_features - len(running.weights.unary)
    wider = (
        weights._replace(unary=np.pad(weights.unary, ((0, more), (0, 0))))
        for weights in (running.weights, running.late)
    )
    return Running(*wider, running.n_steps)
