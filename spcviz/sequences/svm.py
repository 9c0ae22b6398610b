"""The structured support vector machine as a scikit-learn estimator."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spcviz.learning.chains.crf import Examples, Weights
from spcviz.learning.chains.margin import fit_margin
from spcviz.learning.estimators import rename_parameters
from spcviz.sequences.chain import OnlineTagger, Walk
from spcviz.sequences.states import Texts


class SVMState(NamedTuple):
    """A fitted `StructuredSVM` as plain values."""

    params: str
    classes: str
    names: Texts | None
    weights: Weights
    n_edges: int = 0


@rename_parameters(passes="max_iter", rate="learning_rate")
class StructuredSVM(OnlineTagger):
    """Structured support vector machine: the true labelling must win by a margin for each wrong token.

    Its hinge is that of a filter whose threshold lies a margin below the best score
    (`spcviz.engine.thresholds.rules`), so pruning with ``rule="margin"`` is what it was trained for:
    ``svm.to_scores(X).tune(y, 0.01, rule="margin")``.
    Taskar, Guestrin and Koller (2004), Max-margin Markov networks; Tsochantaridis et al. (2005); Weiss
    (2013), thesis, (3.4) and (3.5).

    Parameters
    ----------
    c2 : float
        Regulariser: c2 times the squared norm of all weights is added to the sum of the hinges.
    margin : float
        How far a labelling should score below the truth for each wrong token; only its size relative to `c2`
        matters.
    learning_rate : float
        Roughly how much the first steps change the score of a label.
    max_iter : int
        Passes over the training data; the weights are averaged over the second half of them.
    random_state : int, numpy.random.Generator or None
        Shuffles each pass.
    class_weight : dict, "balanced" or None
        Weights of labels; a sequence counts with the mean over its tokens.
    fit_intercept, min_count, constraints, n_jobs, verbose
        As in `ChainCRF`.

    Attributes
    ----------
    classes_, state_weights_, transition_weights_, intercept_, start_weights_, end_weights_
        As in `ChainCRF`.
    n_features_in_, feature_names_in_
        As in `ChainCRF`.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]]]
    >>> tagger = StructuredSVM(random_state=0).fit(X, [["DT", "NN"]] * 3)
    >>> tagger.predict([[["a"], ["dog"]]])
    [['DT', 'NN']]
    """

    State = SVMState
    _weighs_tokens = False

    def __init__(
        self,
        *,
        c2: float = 0.1,
        margin: float = 1.0,
        learning_rate: float = 0.5,
        max_iter: int = 20,
        fit_intercept: bool | str = "auto",
        min_count: int = 1,
        constraints: Any = None,
        class_weight: Any = None,
        random_state: Any = None,
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
        self.c2 = c2
        self.margin = margin
        self.learning_rate = learning_rate

    def _walk(
        self,
        data: Examples,
        rng: np.random.Generator,
        passes: int,
        begin: None,
        forbidden: np.ndarray | None,
        note: Callable[[str], object],
    ) -> Walk:
        trained = fit_margin(
            data,
            rng,
            epochs=passes,
            c2=self.c2,
            margin=self.margin,
            learning_rate=self.learning_rate,
            forbidden=forbidden,
            tick=lambda _, hinge: note(f"mean hinge {hinge:.4g}"),
        )
        return Walk(trained.weights, len(trained.objectives) > 0, trained.was_interrupted)

    def _learned_fields(self) -> tuple[Any, ...]:
        return (*super()._learned_fields(), self.n_edges_)
