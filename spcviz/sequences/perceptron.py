"""The averaged perceptron as a scikit-learn estimator."""

import json
import warnings
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.learning.chains.crf import Weights, examples_of
from spcviz.learning.chains.perceptron import Running, begin, fit_perceptron
from spcviz.sequences.base import Bar, Batch, Texts, restore_names
from spcviz.sequences.chain import ChainTagger, examples


class PerceptronState(NamedTuple):
    """A fitted `StructuredPerceptron` as plain values."""

    params: str
    classes: str
    names: Texts | None
    weights: Weights
    running: Running | None


class StructuredPerceptron(ChainTagger):
    """Averaged structured perceptron: one weight a feature and label, one a step from label to label.

    Parameters
    ----------
    passes : int
        Over the training data.
    min_count : int
        Named features that occur less often are left out.
    constraints : {"bio", "bioes", "bilou"}, callable or None
        Which label may follow which: a scheme that the labels are written in, or a function of
        ``(before, after)`` where None is the beginning and the end. Kept in training and prediction.
    class_weight : dict, "balanced" or None
        Weights of labels; a sequence counts with the mean over its tokens, times its `sample_weight`.
    random_state : int, numpy.random.Generator or None
        Orders each pass.
    warm_start : bool
        `fit` begins at the weights of the fit before, with the same labels; new features are added.
    n_jobs : int or None
        Threads that predict; -1: as many as there are processors.
    verbose : int
        1 shows progress on standard error.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
    state_weights_ : ndarray, shape (F, K)
    transition_weights_ : ndarray, shape (K, K)
        ``[from, to]``.
    feature_names_in_ : ndarray, shape (F,)
        Where features are named.
    n_features_in_ : int
    running_ : Running or None
        What `partial_fit` goes on with.

    References
    ----------
    Collins (2002), Discriminative training methods for hidden Markov models.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]]]
    >>> tagger = StructuredPerceptron(random_state=0).fit(X, [["DT", "NN"]] * 3)
    >>> tagger.predict([[["a"], ["dog"]]])
    [array(['DT', 'NN'], dtype='<U2')]
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
        """Train on labelled sequences.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict.
        y : list of sequences of str or of int
        sample_weight : array_like, shape (len(X),), optional
            Of sequences, at least 0.

        Returns
        -------
        self

        Raises
        ------
        spcviz.engine.errors.ArgumentError
            If X or y is not of that kind, with the item.
        """
        goes_on = bool(self.warm_start) and self._may_go_on()
        batch = self._read(X, y, sample_weight, goes_on=goes_on, min_count=self._min_count())
        running = begin(self._grown(self.n_features_in_)) if goes_on else None
        self._train(batch, running, checks.integer("passes", self.passes, 1, 1_000_000))
        self.running_ = None
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on training with one pass over these sequences; the weights are averaged over all calls.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. New features are added.
        classes : list of str or of int, optional
            All labels there will ever be; for the first call.

        Returns
        -------
        self
        """
        goes_on = self._may_go_on()
        batch = self._read(X, y, sample_weight, goes_on=goes_on, classes=None if goes_on else classes)
        running = None
        if goes_on:
            known = getattr(self, "running_", None) or begin(self._grown(self.n_features_in_))
            running = _grown(known, self.n_features_in_)
        self.running_ = self._train(batch, running, 1)
        return self

    def _min_count(self) -> int:
        return checks.integer("min_count", self.min_count, 1, 2**31 - 1)

    def _train(self, batch: Batch, running: Running | None, epochs: int) -> Running:
        forbidden = self._forbidden()
        self._check_steps(batch, forbidden)
        data = examples_of(*examples(batch), len(self.classes_), weights=batch.weights)
        rng = np.random.default_rng(self.random_state)
        with Bar(type(self).__name__, epochs, self.verbose) as bar:
            found, was_interrupted = fit_perceptron(
                data,
                rng,
                epochs=epochs,
                running=running,
                forbidden=forbidden,
                tick=lambda _, wrong: bar.tick(f"{wrong:.0f} tokens wrong"),
            )
        self._set_weights(found.average)
        if was_interrupted:
            if found.n_steps == 0:
                raise KeyboardInterrupt
            warnings.warn("fit was interrupted: the model is fitted as far as it came", stacklevel=3)
        return found

    def to_state(self) -> PerceptronState:
        """The fitted model as plain arrays and texts; `from_state` takes it back."""
        self._check_is_fitted()
        classes = json.dumps(self.classes_.tolist())
        weights = Weights(self.state_weights_, self.transition_weights_)
        return PerceptronState(
            self._params_as_json(), classes, self._names_state(), weights, getattr(self, "running_", None)
        )

    @classmethod
    def from_state(cls, state: PerceptronState) -> Self:
        """The fitted model that `to_state` took apart."""
        if not isinstance(state, PerceptronState):
            raise ArgumentError(f"state must be a PerceptronState, got {type(state).__name__}")
        tagger = cls._from_json(state.params)
        restore_names(tagger, state.classes, state.names, len(state.weights.unary))
        tagger.state_weights_, tagger.transition_weights_ = state.weights
        tagger.running_ = state.running
        return tagger


def _grown(running: Running, n_features: int) -> Running:
    """A perceptron on its way, with zeros for features that are new."""
    more = n_features - len(running.weights.unary)
    wider = (
        own._replace(unary=np.pad(own.unary, ((0, more), (0, 0)))) for own in (running.weights, running.late)
    )
    return Running(*wider, running.n_steps)
