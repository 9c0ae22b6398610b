"""The averaged perceptron as a scikit-learn estimator."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.learning.chains.crf import Examples, Weights
from spcviz.learning.chains.perceptron import Running, begin, fit_perceptron
from spcviz.learning.estimators import rename_parameters
from spcviz.sequences import states
from spcviz.sequences.chain import OnlineTagger, Walk
from spcviz.sequences.input_types import Inputs, Targets
from spcviz.sequences.states import Texts


class PerceptronState(NamedTuple):
    """A fitted `StructuredPerceptron` as plain values."""

    params: str
    classes: str
    names: Texts | None
    weights: Weights
    running: Running | None
    n_edges: int = 0


@rename_parameters(passes="max_iter")
class StructuredPerceptron(OnlineTagger):
    """Averaged structured perceptron: one weight per feature and label, one per transition.

    Collins (2002), Discriminative training methods for hidden Markov models.

    Parameters
    ----------
    max_iter : int
        Passes over the training data.
    random_state : int, numpy.random.Generator or None
        Shuffles each pass.
    fit_intercept, min_count, constraints, class_weight, warm_start, n_jobs, verbose
        As in `ChainCRF`.

    Attributes
    ----------
    classes_, state_weights_, transition_weights_, intercept_, start_weights_, end_weights_
        As in `ChainCRF`.
    n_features_in_, feature_names_in_
        As in `ChainCRF`.
    running_ : Running or None
        The state from which `partial_fit` continues.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]]]
    >>> tagger = StructuredPerceptron(random_state=0).fit(X, [["DT", "NN"]] * 3)
    >>> tagger.predict([[["a"], ["dog"]]])
    [['DT', 'NN']]
    """

    State = PerceptronState
    running_: Running | None

    def __init__(
        self,
        *,
        max_iter: int = 10,
        fit_intercept: bool | str = "auto",
        min_count: int = 1,
        constraints: Any = None,
        class_weight: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            max_iter=max_iter,
            fit_intercept=fit_intercept,
            min_count=min_count,
            constraints=constraints,
            class_weight=class_weight,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.warm_start = warm_start

    def fit(self, X: Inputs, y: Targets, sample_weight: Any = None, *, token_weight: Any = None) -> Self:
        """Train on labelled sequences; `ArgumentError` names the item that is wrong.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict.
        y : list of sequences of str or of int
        sample_weight : array_like, shape (len(X),), optional
            Weights of the sequences, at least 0.
        token_weight : list of array_like, shape (L,) each, optional
            Weights of the tokens, at least 0, multiplied by those of their sequences: the size of the update
            that a mistake there causes.
        """
        self._fit(X, y, sample_weight, token_weight)
        self.running_ = None
        return self

    def partial_fit(
        self,
        X: Inputs,
        y: Targets,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        token_weight: Any = None,
    ) -> Self:
        """Continue training with one pass over these sequences; the weights are averaged over all calls.

        Arguments as in `fit`; new features are added. The first call must name all `classes` that will ever
        occur.
        """
        goes_on = self._may_go_on()
        how = {"goes_on": goes_on, "classes": None if goes_on else classes, "token_weight": token_weight}
        batch = self._read(X, y, sample_weight, **how)
        running: Running | None = None
        if goes_on:
            known = getattr(self, "running_", None) or begin(self._grown_weights(self.n_features_in_))
            running = known.widen(self.n_features_in_ + self.n_edges_, self.n_edges_)
        self.running_ = self._train(batch, 1, running).rest
        return self

    def _running_state(self) -> Running:
        return begin(self._grown_weights(self.n_features_in_))

    def _walk(
        self,
        data: Examples,
        rng: np.random.Generator,
        passes: int,
        begin: Running | None,
        forbidden: np.ndarray | None,
        note: Callable[[str], object],
    ) -> Walk:
        running, was_interrupted = fit_perceptron(
            data,
            rng,
            epochs=passes,
            running=begin,
            forbidden=forbidden,
            tick=lambda _, wrong: note(f"{wrong:.0f} tokens wrong"),
        )
        return Walk(running.average, running.n_steps > 0, was_interrupted, running)

    def _learned_fields(self) -> tuple[Any, ...]:
        return (*super()._learned_fields(), getattr(self, "running_", None), self.n_edges_)

    def take_state(self, state: PerceptronState) -> None:
        super().take_state(state)
        if (running := state.running) is not None:
            checks.integer("running.n_steps", running.n_steps, 0, 2**62)
            for field, weights in (("weights", running.weights), ("late", running.late)):
                n_rows = self.n_features_in_ + self.n_edges_
                states.check_weights(f"running.{field}", weights, n_rows, len(self.classes_))
        self.running_ = running
