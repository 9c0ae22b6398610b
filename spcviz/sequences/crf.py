"""The conditional random field as a scikit-learn estimator."""

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.learning.chains.crf import Examples, Weights, examples_of, log_partitions
from spcviz.learning.chains.crf_training import Adapting, Optimisation, Which, begin, fit_crf, fit_stochastic
from spcviz.learning.estimators import generator, rename_parameters
from spcviz.sequences import labels, states, training
from spcviz.sequences.chain import ChainTagger
from spcviz.sequences.input_types import Inputs, Targets
from spcviz.sequences.states import Texts
from spcviz.sequences.training import Bar, TrainingData, Watch


class CRFState(NamedTuple):
    """A fitted `ChainCRF` as plain values."""

    params: str
    classes: str
    names: Texts | None
    weights: Weights
    n_iter: int
    has_converged: bool
    adapting: Adapting | None
    n_edges: int = 0


@rename_parameters(rate="learning_rate")
class ChainCRF(ChainTagger):
    """Conditional random field on chains, trained on all sequences at once by L-BFGS.

    Minimises the negative log-likelihood of the labels + `c2` times the sum of squares of the weights + `c1`
    times the sum of their absolute values, as CRFsuite does. Lafferty, McCallum and Pereira (2001),
    Conditional random fields; Sha and Pereira (2003), Shallow parsing with conditional random fields.

    Parameters
    ----------
    c1, c2 : float
        Regularisers; with `c1` above 0 many weights become 0.
    max_iter : int
        Maximum number of iterations; a `sklearn.exceptions.ConvergenceWarning` says if it was too small.
    tol : float
        Stop once an iteration improves the loss by less than this share of it.
    min_count : int
        Named features that occur less often are left out.
    all_possible_states, all_possible_transitions : bool
        Also give weights to feature-label pairs, and to transitions, that do not occur in training data.
    constraints : {"bio", "bioes", "bilou"}, callable or None
        Which label may follow which: the scheme in which the labels are written, or a function of
        ``(before, after)``, where None is the beginning or the end. Enforced in training and prediction.
    class_weight : dict, "balanced" or None
        Weights of labels: a token counts with the weight of its label, as with `token_weight` in `fit`. If
        any label is unknown, a sequence counts with the mean over its known labels.
    fit_intercept : {"auto", True, False}
        Weights of each label that need no feature: at every token, at the first and at the last. "auto":
        only if X has arrays of numbers; named features are left as in CRFsuite, which adds nothing to them.
    learning_rate : float
        Step size of `partial_fit`.
    random_state : int, numpy.random.Generator or None
        Shuffles the sequences of `partial_fit`; `fit` uses no random numbers.
    warm_start : bool
        `fit` starts from the weights of the previous fit, with the same labels; new features are added.
    n_jobs : int or None
        Number of threads for prediction; -1: one per processor.
    verbose : int
        1 shows progress on standard error.

    Attributes
    ----------
    classes_, state_weights_, transition_weights_ : ndarray, shapes (K,), (F, K), (K, K)
        Labels, sorted; transitions are ``[from, to]``.
    intercept_, start_weights_, end_weights_ : ndarray, shape (K,)
        What `fit_intercept` adds to the scores of every token, of the first and of the last.
    n_features_in_, feature_names_in_ : int, ndarray of shape (F,)
        Names exist only if features are named.
    n_iter_, has_converged_ : int, bool
        Iterations, and whether `tol` was reached before `max_iter` or `X_dev` stopped training.
    adapting_ : Adapting or None
        The state from which `partial_fit` continues.

    Examples
    --------
    >>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "dog"}, {"word": "barks"}]]
    >>> tagger = ChainCRF(c2=0.1).fit(X, [["DT", "NN"], ["NN", "VB"]])
    >>> tagger.predict([[{"word": "the"}, {"word": "dog"}, {"word": "barks"}]])[0]
    ['DT', 'NN', 'VB']
    """

    State = CRFState
    adapting_: Adapting | None
    all_possible_states: bool | None
    all_possible_transitions: bool | None

    def __init__(
        self,
        *,
        c1: float = 0.0,
        c2: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        min_count: int = 1,
        all_possible_states: bool = False,
        all_possible_transitions: bool = True,
        constraints: Any = None,
        class_weight: Any = None,
        fit_intercept: bool | str = "auto",
        learning_rate: float = 0.1,
        random_state: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.c1 = c1
        self.c2 = c2
        self.max_iter = max_iter
        self.tol = tol
        self.min_count = min_count
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.constraints = constraints
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Inputs,
        y: Targets,
        sample_weight: Any = None,
        *,
        token_weight: Any = None,
        allowed: Any = None,
        X_dev: Inputs | None = None,
        y_dev: Targets | None = None,
    ) -> Self:
        """Train on labelled, or partly labelled, sequences; `ArgumentError` names the item that is wrong.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict.
        y : list of sequences of str or of int
            None where the label of a token is unknown.
        sample_weight : array_like, shape (len(X),), optional
            Weights of the sequences, at least 0.
        token_weight : list of array_like, shape (L,) each, optional
            Weights of the tokens, at least 0, multiplied by those of their sequences. Each weighs the term
            of a token's label given the previous one (`spcviz.learning.chains.weighted`). Every label must
            then be known.
        allowed : list, optional
            What an unknown label may be; as in `predict`. Such a sequence counts with the total probability
            of all labellings that agree with it (partial labels).
        X_dev, y_dev : as X and y, optional
            A development set: training stops once its log-loss has not fallen for 20 iterations, and keeps
            the weights with the smallest. `dev_losses_` has the loss per token at every fifth iteration.
        """
        if (X_dev is None) != (y_dev is None):
            raise ArgumentError("X_dev and y_dev must be given both, or neither")
        goes_on = checks.switch("warm_start", self.warm_start) and self._may_go_on()
        generator(self.random_state)  # checked now, used by `partial_fit`
        checks.strength("learning_rate", self.learning_rate)
        batch = self._read(
            X,
            y,
            sample_weight,
            goes_on=goes_on,
            may_miss=True,
            min_count=self.min_count,
            token_weight=token_weight,
        )
        data, forbidden = self._examples(batch, allowed), self._forbidden()
        max_iter = checks.integer("max_iter", self.max_iter, 1, 1_000_000)
        with Bar(type(self).__name__, max_iter, self.verbose) as bar:
            watch = None
            if X_dev is not None:
                watch = Watch(self._set_aside(X_dev, y_dev), forbidden, lambda loss: None)
            course = fit_crf(
                data,
                c1=checks.strength("c1", self.c1),
                c2=checks.strength("c2", self.c2),
                max_iterations=max_iter,
                tolerance=checks.strength("tol", self.tol),
                initial=self._grown_weights(self.n_features_in_) if goes_on else None,
                which=Which(
                    checks.switch("all_possible_states", self.all_possible_states),
                    checks.switch("all_possible_transitions", self.all_possible_transitions),
                    forbidden,
                    self.n_edges_,
                ),
                tick=lambda _, loss: bar.tick(f"loss {loss:.1f}"),
                watch=watch,
            )
        if watch is not None:
            weights, n = watch.best(course.weights, course.n_iterations)
            has_converged = course.has_converged or watch.has_stopped
            course = course._replace(weights=weights, n_iterations=n, has_converged=has_converged)
            self.dev_losses_ = np.array(watch.losses)
        self._take(course)
        return self

    def _set_aside(self, X: Any, y: Any) -> Examples:
        """The development set, encoded with the features and labels of training."""
        encoded = self._with_edges(self._encode(X))
        try:
            flat = labels.flat_labels(y, encoded.lengths, may_miss=True)
            numbers = labels.numbers_of(flat, self.classes_, encoded.lengths)
        except SpcvizError as error:
            raise type(error)(f"of X_dev and y_dev: {error}") from None
        if not len(numbers):
            raise ArgumentError("X_dev must hold at least one token, got none")
        return examples_of(*encoded, numbers, len(self.classes_))

    def partial_fit(
        self,
        X: Inputs,
        y: Targets,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        token_weight: Any = None,
        allowed: Any = None,
    ) -> Self:
        """Continue training with one pass over these sequences, by stochastic gradients (AdaGrad).

        Arguments as in `fit`; new features are added. The first call must name all `classes` that will ever
        occur.
        """
        goes_on = self._may_go_on()
        classes = None if goes_on else classes
        how = {"goes_on": goes_on, "classes": classes, "may_miss": True, "token_weight": token_weight}
        batch = self._read(X, y, sample_weight, **how)
        data, n = self._examples(batch, allowed), len(self.classes_)
        shape = (self.n_features_in_ + self.n_edges_, n)
        none = Weights(np.zeros(shape), np.zeros((n, n)))
        weights = self._grown_weights(self.n_features_in_) if goes_on else none
        known = getattr(self, "adapting_", None)
        start = begin(weights) if known is None else known.widen(weights, self.n_edges_)
        adapting = fit_stochastic(
            data,
            generator(self.random_state),
            start,
            rate=checks.strength("learning_rate", self.learning_rate),
            c2=checks.strength("c2", self.c2),
            forbidden=self._forbidden(),
        )
        self.adapting_ = adapting
        self.set_weights(adapting.weights)
        self.n_iter_, self.has_converged_ = getattr(self, "n_iter_", 0) + 1, False
        return self

    def _examples(self, batch: TrainingData, allowed: Any) -> Examples:
        training.check_steps(batch, self._forbidden(), self.classes_, self.constraints)
        mask = None
        if allowed is not None:
            mask = labels.allowed_mask(allowed, batch.encoded.lengths, self.classes_)
            known = np.flatnonzero(batch.labels >= 0)
            wrong = known[~mask[known, batch.labels[known]]]
            if len(wrong):
                where = labels.place("y", int(wrong[0]), batch.encoded.lengths)
                label = self.classes_[batch.labels[wrong[0]]].item()
                raise ArgumentError(f"{where} must be among what allowed says, got {label!r}")
        return examples_of(
            *batch.encoded,
            batch.labels,
            len(self.classes_),
            allowed=mask,
            weights=batch.weights,
            position_weights=batch.token_weights,
        )

    def _take(self, course: Optimisation) -> None:
        self.set_weights(course.weights)
        self.n_iter_, self.has_converged_ = course.n_iterations, course.has_converged
        self.adapting_ = None
        if course.was_interrupted:
            text = f"fit was interrupted after {course.n_iterations} iterations: the model is the best so far"
            warnings.warn(text, stacklevel=3)
        elif not course.has_converged:
            warnings.warn(_why_not(course, self.max_iter), ConvergenceWarning, stacklevel=3)

    def _log_partition(self, unary: np.ndarray, steps: np.ndarray) -> float:
        return float(log_partitions(unary.copy(), np.array([0, len(unary)]), steps)[0])

    def _learned_fields(self) -> tuple[Any, ...]:
        about = self.n_iter_, self.has_converged_, getattr(self, "adapting_", None), self.n_edges_
        return (*super()._learned_fields(), *about)

    def take_state(self, state: CRFState) -> None:
        super().take_state(state)
        checks.integer("n_iter", state.n_iter, 0, 2**62)
        states.check_flag("has_converged", state.has_converged)
        if state.adapting is not None:
            for field, weights in zip(state.adapting._fields, state.adapting):
                n_rows = self.n_features_in_ + self.n_edges_
                states.check_weights(f"adapting.{field}", weights, n_rows, len(self.classes_))
        self.n_iter_, self.has_converged_, self.adapting_ = state.n_iter, state.has_converged, state.adapting


def _why_not(course: Optimisation, max_iter: int) -> str:
    """The warning of a fit that did not converge."""
    if course.n_iterations >= max_iter:
        return (
            f"fit stopped at max_iter={max_iter} before the loss ({course.loss:.6g}) stood still: the "
            "weights are not yet those that minimise it; raise max_iter, or tol"
        )
    return (
        f"fit found no step down from a loss of {course.loss:.6g} after {course.n_iterations} iterations, "
        "though it still fell by more than tol: values of very different size among the features may be why"
    )
