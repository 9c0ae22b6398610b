"""The structured support vector machine as a scikit-learn estimator."""

import warnings
from typing import Any, NamedTuple, Self

from spcviz.engine import checks
from spcviz.learning.chains.crf import Weights, examples_of
from spcviz.learning.chains.margin import fit_margin
from spcviz.learning.dice import generator
from spcviz.sequences.base import Bar, Texts
from spcviz.sequences.chain import ChainTagger


class SVMState(NamedTuple):
    """A fitted `StructuredSVM` as plain values."""

    params: str
    classes: str
    names: Texts | None
    weights: Weights


class StructuredSVM(ChainTagger):
    """Structured support vector machine: the true labelling wins by a margin for each token that is wrong.

    Its hinge is that of a filter whose threshold lies a margin below the best score
    (`spcviz.engine.thresholds.rules`), so that what it prunes with ``rule="margin"`` is what it was trained
    for: ``from_emissions(X @ svm.state_weights_, svm.transition_weights_).tune(y, 0.01, rule="margin")``.
    Taskar, Guestrin and Koller (2004), Max-margin Markov networks; Tsochantaridis et al. (2005); Weiss
    (2013), thesis, (3.4) and (3.5).

    Parameters
    ----------
    c2 : float
        Regulariser: c2 times the squared norm of all weights is added to the sum of the hinges.
    margin : float
        How far behind the truth a labelling should be for each token that it has wrong; only its size beside
        `c2` matters.
    rate : float
        By about how much the first steps change the score of a label.
    passes : int
        Over the training data; the weights are averaged over the second half of them.
    random_state : int, numpy.random.Generator or None
        Orders each pass.
    min_count, constraints, class_weight, n_jobs, verbose
        As of `ChainCRF`.

    Attributes
    ----------
    classes_, state_weights_, transition_weights_, n_features_in_, feature_names_in_
        As of `ChainCRF`.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]]]
    >>> tagger = StructuredSVM(random_state=0).fit(X, [["DT", "NN"]] * 3)
    >>> tagger.predict([[["a"], ["dog"]]])
    [['DT', 'NN']]
    """

    State = SVMState

    def __init__(
        self,
        *,
        c2: float = 0.1,
        margin: float = 1.0,
        rate: float = 0.5,
        passes: int = 20,
        min_count: int = 1,
        constraints: Any = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.c2 = c2
        self.margin = margin
        self.rate = rate
        self.passes = passes
        self.min_count = min_count
        self.constraints = constraints
        self.class_weight = class_weight
        self.random_state = random_state
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
        passes = checks.integer("passes", self.passes, 1, 1_000_000)
        batch = self._read(X, y, sample_weight, goes_on=False, min_count=self.min_count)
        forbidden = self._forbidden()
        self._check_steps(batch, forbidden)
        data = examples_of(*batch.encoded, batch.labels, len(self.classes_), weights=batch.weights)
        with Bar(type(self).__name__, passes, self.verbose) as bar:
            trained = fit_margin(
                data,
                generator(self.random_state),
                epochs=passes,
                c2=self.c2,
                margin=self.margin,
                rate=self.rate,
                forbidden=forbidden,
                tick=lambda _, hinge: bar.tick(f"mean hinge {hinge:.4g}"),
            )
        self._set_weights(trained.weights)
        if trained.was_interrupted:
            if not len(trained.objectives):
                raise KeyboardInterrupt
            warnings.warn("fit was interrupted: the model is fitted as far as it came", stacklevel=2)
        return self
