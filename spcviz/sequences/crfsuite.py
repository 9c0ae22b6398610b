"""The door for programs that were written for sklearn-crfsuite: the same class name and the same arguments.

>>> from spcviz.sequences.crfsuite import CRF
>>> crf = CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True)
>>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "a"}, {"word": "cat"}]]
>>> crf.fit(X, [["DT", "NN"], ["DT", "NN"]]).predict(X)
[['DT', 'NN'], ['DT', 'NN']]
"""

import math
from typing import Any, Self

from spcviz.engine.errors import ArgumentError
from spcviz.sequences.crf import ChainCRF
from spcviz.sequences.typed import Inputs, Targets

_UNLIMITED = 100_000
_TOL = 1e-5


class CRF(ChainCRF):
    """`ChainCRF` by the arguments of `sklearn_crfsuite.CRF`: it minimises the same function.

    Parameters
    ----------
    algorithm : {"lbfgs"}
        Of "ap", `StructuredPerceptron` is the better; the others are refused.
    min_freq : float
        Features that occur less often are left out.
    all_possible_states, all_possible_transitions : bool
        Weights also for features with labels, and for steps, that the training data does not show.
    c1, c2 : float
        As of `ChainCRF`.
    max_iterations : int or None
        None: until it has converged.
    delta : float
        Stop once an iteration improves the loss by less than this share of it.
    num_memories, epsilon, period, linesearch, max_linesearch
        Of CRFsuite's own optimiser; taken and not used.
    verbose : bool

    Attributes
    ----------
    classes_, state_features_, transition_features_, attributes_
        As sklearn-crfsuite has them; and those of `ChainCRF`.
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float = 0.0,
        c2: float = 1.0,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.verbose = verbose
        self.n_jobs = n_jobs

    # What `ChainCRF` goes by, under its own names.
    warm_start, constraints, class_weight, random_state, learning_rate = False, None, None, None, 0.1
    fit_intercept = False  # CRFsuite has the features that it is given, and no others

    @property
    def max_iter(self) -> int:  # type: ignore[override]
        """Iterations at most."""
        return _UNLIMITED if self.max_iterations is None else self.max_iterations

    @property
    def tol(self) -> float:  # type: ignore[override]
        """Share of the loss."""
        return _TOL if self.delta is None else self.delta

    @property
    def min_count(self) -> int:  # type: ignore[override]
        """Occurrences of a feature."""
        return max(math.ceil(self.min_freq or 0), 1)

    def fit(self, X: Inputs, y: Targets, X_dev: Inputs | None = None, y_dev: Targets | None = None) -> Self:  # type: ignore[override]
        """As `ChainCRF.fit`; with `X_dev` and `y_dev` training stops when they are read best."""
        if self.algorithm not in (None, "lbfgs"):
            raise ArgumentError(
                f"algorithm must be lbfgs, got {self.algorithm!r:.60}; for ap there is StructuredPerceptron"
            )
        return super().fit(X, y, X_dev=X_dev, y_dev=y_dev)

    @property
    def attributes_(self) -> list[str]:
        """Names of the features."""
        return self.feature_names_in_.tolist()

    def predict_marginals(self, X: Inputs, *, allowed: Any = None, as_dicts: bool = True) -> list:
        """``{label: probability}`` for each token of each sequence."""
        return super().predict_marginals(X, allowed=allowed, as_dicts=as_dicts)
