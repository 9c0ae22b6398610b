r"""Learning an ensemble of trees to filter jointly: the update of thesis chapter 5.

P sub-models share all variables; each is a tree (or forest) with its own weights :math:`w_p`. The
ensemble's margin problem (5.5) over examples :math:`(x^i, y^i)` is

.. math:: \min_{w_1 .. w_P} \frac{\lambda}{2} \sum_p \|w_p\|^2 + \frac{1}{n} \sum_i \Big[ \sum_p \tau_p(x^i)
   - \sum_p \psi_p(x^i, y^i) + \ell^i \Big]_+

with :math:`\tau_p = \alpha \max_y \psi_p + (1 - \alpha) \operatorname{mean}_{j,k} \psi^*_p(x, y_j = k)`. Its
sub-gradient moves every sub-model at once, and only when the ensemble errs jointly (5.6):

.. math:: w_p \leftarrow (1 - \eta \lambda) w_p + \eta \Big[ f_p(x, y) - \alpha f_p(x, y^*_p)
   - \frac{1 - \alpha}{M_p} \sum_{j, k} f_p(x, y^*_p(x, y_j = k)) \Big]

(The thesis prints no step size; this is (4.9)'s.)

A sub-model of an example is anything whose scores are linear in ``n_weights`` weights, over ``n_variables``
variables, with ``margin_parts(weights, truth, alpha)`` -> (truth's features, best, mean, threshold's
gradient), such as `coarse_to_fine.PlacedModel`; the optional ``at_least_zero()`` says which weights may not
become negative.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.thresholds import rule, rules


class MarginModel(Protocol):
    """The interface of a sub-model of an example; ``at_least_zero`` is optional."""

    @property
    def n_variables(self) -> int: ...

    @property
    def n_weights(self) -> int: ...

    def margin_parts(
        self, weights: np.ndarray, truth: Any, alpha: float
    ) -> tuple[np.ndarray, float, float, np.ndarray]:
        """(truth's features, best, mean, threshold's gradient)."""


class JointExample(NamedTuple):
    """One training example."""

    models: Sequence[MarginModel]  # one for each p, over the same N variables
    truth: Sequence[Any]  # the truth for each, as its ``margin_parts`` takes it


class MarginTerms(NamedTuple):
    """One sub-model's part in the joint margin of one example."""

    truth_score: float
    best: float
    mean: float
    threshold: float
    # truth_features, threshold_gradient (n_weights,): gradients of `truth_score` and `threshold`
    truth_features: np.ndarray
    threshold_gradient: np.ndarray


class Joint(NamedTuple):
    """The joint hinge of one example."""

    hinge: float  # [sum of thresholds - truth's score + margin]_+, without the regulariser
    is_lost: bool  # the joint filter loss (5.3): the truth's score is not over the summed threshold
    # minus the sub-gradient of `hinge` in each sub-model's weights; zeros if the hinge is 0
    directions: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Config:
    """Settings of `train`."""

    alpha: float = 0.0  # 0 <= alpha < 1, as in the threshold; for the rule "margin", minus the margin
    rule: str = "mean_max"  # or "margin": each sub-model's threshold lies a margin below its best
    regularisation: float = 1e-2  # lambda of (5.5), over 0
    n_epochs: int = 10
    step: float | None = None  # constant eta, or None for 1 / (lambda t)
    margin: float | None = None  # the margin of each example, or None for its number of variables


class Ensemble(NamedTuple):
    """Trained weights."""

    weights: tuple[np.ndarray, ...]  # (n_weights of p,) averaged over all updates: to filter with
    last: tuple[np.ndarray, ...]  # after the last update
    # hinges, losses (n_epochs,): mean hinge and mean joint filter loss during each epoch
    hinges: np.ndarray
    losses: np.ndarray


def sub_model_terms(
    model: MarginModel, weights: np.ndarray, truth: Any, alpha: float, rule_name: str = "mean_max"
) -> MarginTerms:
    """Scores and gradients of one sub-model on one example (thesis equations (4.3), (5.6)).

    `weights` has shape (n_weights,), `truth` is in the form that the sub-model takes, and 0 <= alpha < 1. For
    the rule "margin" alpha is minus the margin, and the threshold's gradient that of the best labelling
    alone. Errors of the sub-model are passed on.
    """
    by_margin = rules.checked_rule(rule_name) == "margin"
    if rule_name not in ("mean_max", "margin"):
        raise ArgumentError(f"rule must be mean_max or margin for an ensemble, got {rule_name!r}")
    delta = -rules.checked_setting("margin", alpha) if by_margin else 0.0
    alpha = 1.0 if by_margin else checks.fraction("alpha", alpha, below_one=True)
    weights = checks.scores("weights", weights, 1)
    if weights.shape != (model.n_weights,):
        raise ShapeError(f"weights has shape {weights.shape}; the sub-model needs {(model.n_weights,)}")
    of_truth, best, mean, gradient = model.margin_parts(weights, truth, alpha)
    return MarginTerms(
        truth_score=float(weights @ of_truth),
        best=best,
        mean=mean,
        threshold=best - delta if by_margin else rule.threshold(best, best - mean, alpha),
        truth_features=of_truth,
        threshold_gradient=gradient,
    )


def joint_hinge(
    example: JointExample,
    weights: Sequence[np.ndarray],
    alpha: float,
    margin: float | None = None,
    rule_name: str = "mean_max",
) -> Joint:
    """The hinge of one example and every sub-model's direction of descent (thesis (5.3), (5.5), (5.6)).

    `weights` are one array for each sub-model, 0 <= alpha < 1, `margin` is at least 0; the number of
    variables by default. The truth is scored by its features, even where one of its states has been pruned.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        Also any error of a sub-model.
    """
    if len(weights) != len(example.models) or not len(weights):
        raise ShapeError(
            f"weights has length {len(weights)}; the example has {len(example.models)} sub-models"
        )
    margin = (
        example.models[0].n_variables if margin is None else float(checks.scores("margin", [margin], 1)[0])
    )
    if margin < 0:
        raise ArgumentError(f"margin must be at least 0, got {margin}")
    each = zip(example.models, weights, example.truth)
    terms = [sub_model_terms(m, w, t, alpha, rule_name) for m, w, t in each]
    lead = sum(t.truth_score for t in terms) - sum(t.threshold for t in terms)
    hinge = max(0.0, margin - lead)
    errs = float(hinge > 0.0)
    directions = tuple(errs * (t.truth_features - t.threshold_gradient) for t in terms)
    return Joint(hinge, lead <= 0.0, directions)


def update(
    weights: Sequence[np.ndarray], directions: Sequence[np.ndarray], regularisation: float, step: float
) -> tuple[np.ndarray, ...]:
    """One step for every sub-model (thesis (5.6), (4.9)): w <- (1 - eta lambda) w + eta direction.

    Examples
    --------
    >>> update([np.ones(2)], [np.array([1.0, 0.0])], regularisation=0.5, step=1.0)
    (array([1.5, 0.5]),)
    """
    shrink = 1.0 - step * regularisation
    return tuple(shrink * w + step * d for w, d in zip(weights, directions))


def objective(
    examples: Sequence[JointExample],
    weights: Sequence[np.ndarray],
    alpha: float,
    regularisation: float,
    margin: float | None = None,
) -> float:
    """The value of (5.5)."""
    hinges = [joint_hinge(example, weights, alpha, margin).hinge for example in examples]
    return float(regularisation / 2 * sum(w @ w for w in weights) + np.mean(hinges))


def train(
    examples: Sequence[JointExample],
    config: Config,
    rng: np.random.Generator,
    progress: Callable[[int, int], object] | None = None,
    start: Sequence[np.ndarray] | None = None,
) -> Ensemble:
    """Stochastic sub-gradient descent on (5.5), weights averaged over all updates.

    Parameters
    ----------
    examples : sequence of JointExample
        Their sub-models have the same numbers of weights in all examples.
    rng : numpy.random.Generator
        Shuffles the examples.
    progress : callable, optional
        Called with (epochs done, epochs in all).
    start : sequence of ndarray, optional
        Weights to start from and to shrink towards: the regulariser is on w - start. Zeros by default.

    Raises
    ------
    ArgumentError, ShapeError, ScoreError
        If there are no examples or a setting is out of range; also any error of a sub-model.

    References
    ----------
    Weiss (2013), thesis, section 5.3; Algorithm 2 with (5.5) for (4.8).
    """
    if not len(examples):
        raise ArgumentError("examples must hold at least one example, got 0")
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    n_epochs = checks.integer("n_epochs", config.n_epochs, 1, 100_000)
    if not config.regularisation > 0:
        raise ArgumentError(f"regularisation must be over 0, got {config.regularisation}")
    start = [np.zeros(m.n_weights) for m in examples[0].models] if start is None else start
    weights = tuple(np.array(w, dtype=float) for w in start)
    low = [_lowest(model) for model in examples[0].models]
    averaged = tuple(w.copy() for w in weights)
    hinges, losses = np.zeros(n_epochs), np.zeros(n_epochs)
    t = 0
    for epoch in range(n_epochs):
        for at in rng.permutation(len(examples)):
            t += 1
            joint = joint_hinge(examples[at], weights, config.alpha, config.margin, config.rule)
            step = 1.0 / (config.regularisation * t) if config.step is None else config.step
            moved = [d + config.regularisation * s for d, s in zip(joint.directions, start)]
            weights = update(weights, moved, config.regularisation, step)
            weights = tuple(np.maximum(w, least) for w, least in zip(weights, low))
            averaged = tuple(a + (w - a) / t for a, w in zip(averaged, weights))
            hinges[epoch] += joint.hinge / len(examples)
            losses[epoch] += joint.is_lost / len(examples)
        if progress is not None:
            progress(epoch + 1, n_epochs)
    return Ensemble(averaged, weights, hinges, losses)


def _lowest(model: MarginModel) -> np.ndarray:
    """Least value of every weight: 0 where `at_least_zero` says so."""
    if not hasattr(model, "at_least_zero"):
        return np.full(model.n_weights, -np.inf)
    return np.where(model.at_least_zero(), 0.0, -np.inf)
