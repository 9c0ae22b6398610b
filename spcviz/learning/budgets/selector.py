r"""Dynamic structured model selection: predict how much the next model would help, from meta-features.

The value of model i on an example is :math:`V(h_i, x, y) = \mathrm{Loss}(h_{i-1}(x), y) -
\mathrm{Loss}(h_i(x), y)` (thesis (6.1)); the selector predicts it from the outputs of models 1 .. i - 1, by
ridge regression with a block of weights per level (6.3). There are two other ways to decide: a classifier
that imitates an oracle (6.5), and orders that use no features.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError

LAMBDAS = tuple(10.0**k for k in range(-4, 5))


class Selector(NamedTuple):
    """One ridge regression per level."""

    beta: np.ndarray  # (T - 1, d + 1) weights of the standardised meta-features, then the constant
    # mean, scale (T - 1, d): used to standardise them
    mean: np.ndarray
    scale: np.ndarray
    penalty: float  # lambda of (6.3), chosen by cross-validation


def fit_selector(
    meta: np.ndarray, values: np.ndarray, folds: np.ndarray, *, penalties: Sequence[float] = LAMBDAS
) -> Selector:
    """Fit a selector; its lambda is the best over the folds.

    Parameters
    ----------
    meta : array_like, shape (n, T - 1, d)
        Column i: features of the models up to i + 1, known before model i + 2 runs (counting from 1).
    values : array_like, shape (n, T - 1)
        Gain of the next model.
    folds : array_like of int, shape (n,)
        Cross-validation fold of each example.

    Raises
    ------
    ShapeError
        If the arrays disagree.
    """
    meta, values, folds = _check_meta(meta, values, folds)
    errors = [((cross_values(meta, values, folds, p) - values) ** 2).sum() for p in penalties]
    return _fit(meta, values, penalties[int(np.argmin(errors))])


def cross_values(meta: np.ndarray, values: np.ndarray, folds: np.ndarray, penalty: float) -> np.ndarray:
    """Values of every example, predicted by the selector fitted on the other folds, shape (n, T - 1)."""
    meta, values, folds = _check_meta(meta, values, folds)
    out = np.zeros_like(values)
    for fold in np.unique(folds):
        held = folds == fold
        out[held] = predict_values(_fit(meta[~held], values[~held], penalty), meta[held])
    return out


def predict_values(selector: Selector, meta: np.ndarray) -> np.ndarray:
    """Predicted values, shape (n, T - 1), of meta-features (n, T - 1, d)."""
    inputs = (np.asarray(meta) - selector.mean) / selector.scale
    return np.einsum("nld,ld->nl", inputs, selector.beta[:, :-1]) + selector.beta[:, -1]


def _fit(meta: np.ndarray, values: np.ndarray, penalty: float) -> Selector:
    inputs, mean, scale = _standardise_features(meta)
    beta = np.zeros((meta.shape[1], meta.shape[2] + 1))
    for i in range(meta.shape[1]):
        phi = inputs[:, i]
        target = values[:, i].mean()  # the constant is not shrunk
        gram = phi.T @ phi + penalty / 2 * np.eye(phi.shape[1])
        beta[i, :-1] = np.linalg.solve(gram, phi.T @ (values[:, i] - target))
        beta[i, -1] = target
    return Selector(beta, mean, scale, float(penalty))


def _standardise_features(meta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(standardised features, mean, scale)."""
    mean, scale = meta.mean(axis=0), meta.std(axis=0)
    scale = np.where(scale > 1e-12, scale, 1.0)
    return (meta - mean) / scale, mean, scale


def _check_meta(
    meta: np.ndarray, values: np.ndarray, folds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    meta, values = checks.scores("meta", meta, 3), checks.scores("values", values, 2)
    folds = checks.whole_numbers("folds", folds, 0, 10**6)
    if meta.shape[:2] != values.shape or len(folds) != len(values):
        raise ShapeError(f"meta has shape {meta.shape}; values {values.shape} and folds must agree with it")
    return meta, values, folds


def with_differences(meta: np.ndarray) -> np.ndarray:
    """Meta-features (n, T - 1, d) followed by their changes since the level before (0 at the first)."""
    before = np.concatenate([np.zeros_like(meta[:, :1]), np.diff(meta, axis=1)], axis=1)
    return np.concatenate([meta, before], axis=2)


def oracle_stops(losses: np.ndarray, costs: np.ndarray, eta: float) -> np.ndarray:
    r"""The tier with the least loss plus eta times cumulative cost, the first of equals: shape (n,).

    losses (n, T); incremental costs (T - 1,) or (n, T - 1).

    Examples
    --------
    >>> oracle_stops(np.array([[3, 1, 0], [1, 1, 1]]), np.array([1.0, 1.0]), 1.5).tolist()
    [1, 0]
    """
    costs = np.broadcast_to(costs, (len(losses), losses.shape[1] - 1))
    total = np.concatenate([np.zeros((len(losses), 1)), np.cumsum(costs, axis=1)], axis=1)
    return np.argmin(losses + eta * total, axis=1)


class Imitator(NamedTuple):
    """One linear classifier per level: continue where ``inputs @ weights + constant > 0``."""

    weights: np.ndarray  # (T - 1, d)
    constant: np.ndarray  # (T - 1,)
    mean: np.ndarray  # (T - 1, d)
    scale: np.ndarray  # (T - 1, d)


def fit_imitator(meta: np.ndarray, stops: np.ndarray) -> Imitator:
    """Learn to continue where the oracle does, on all states that its trajectories pass (thesis (6.5)).

    Linear support vector machines on meta-features (n, T - 1, d); `stops` (n,) is the oracle's tier of each
    example. Where the oracle always does the same, so does the imitator.
    """
    from sklearn.svm import LinearSVC  # takes a second to import, only fitting needs it

    inputs, mean, scale = _standardise_features(meta)
    weights, constant = np.zeros((meta.shape[1], meta.shape[2])), np.full(meta.shape[1], -1.0)
    for i in range(meta.shape[1]):
        there = stops >= i
        goes_on = stops[there] > i
        if goes_on.any() and not goes_on.all():
            svm = LinearSVC(C=0.1, dual=False).fit(inputs[there, i], goes_on)
            weights[i], constant[i] = svm.coef_[0], svm.intercept_[0]
        elif goes_on.any():
            constant[i] = 1.0
    return Imitator(weights, constant, mean, scale)


def imitate(imitator: Imitator, meta: np.ndarray) -> np.ndarray:
    """Tier at which the imitator stops each example, shape (n,)."""
    inputs = (np.asarray(meta) - imitator.mean) / imitator.scale
    goes_on = np.einsum("nld,ld->nl", inputs, imitator.weights) + imitator.constant > 0
    return np.logical_and.accumulate(goes_on, axis=1).sum(axis=1)


def uniform_values(n: int, n_more: int, rng: np.random.Generator, *, synchronised: bool = True) -> np.ndarray:
    """Random values (n, n_more); synchronised: their order lifts all to one tier before any to the next."""
    drawn = rng.random((n, n_more))
    return drawn - np.arange(n_more) if synchronised else drawn
