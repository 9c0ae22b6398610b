"""Dynamic model selection on handwriting: thesis Fig. 6.1 and the stopping points of Fig. 6.4."""

from typing import NamedTuple

import numpy as np

from spcviz.experiments import budget_ocr
from spcviz.experiments.budget_ocr import N_TIERS
from spcviz.learning import expansion, selector
from spcviz.learning.chain_meta import META, chain_meta

COSTS = np.ones(N_TIERS - 1)
"""Incremental cost of a word's next model in units (thesis 6.3.1: 0, 1, 1)."""

ETAS = tuple(np.geomspace(0.01, 3.0, 25))
"""Prices of a unit that the imitation baseline is trained for."""


COLUMNS = (*META, "a new 3-gram", "a new 4-gram", "a new 5-gram")
"""What the selector sees: the papers' meta-features, and whether there is any new n-gram at all."""

_SURENESS, _N_GRAMS = list(range(4)), list(range(4, len(COLUMNS)))


class Looked(NamedTuple):
    """What the selector sees and is judged by, of one half of a fold.

    Attributes
    ----------
    meta : ndarray, shape (W, T - 1, 2 d)
        Meta-features after each model but the last, with their changes.
    losses : ndarray, shape (W, T), int64
        Wrong letters.
    labels : ndarray, shape (T, R), int64
        Predictions of each model.
    """

    meta: np.ndarray
    losses: np.ndarray
    labels: np.ndarray


class Chooser(NamedTuple):
    """A selector with all that was learned for it on the training half.

    Attributes
    ----------
    selector : Selector
    budget : float
        Least cost a word with which training words, read by models that had not seen them and valued
        by selectors that had not either, reach the last model's loss; infinity if they never do.
    best_budget : float
        Cost a word of the least loss on training words.
    """

    selector: selector.Selector
    budget: float
    best_budget: float


def look(fold, half_name):
    """Meta-features and losses of a fold's "train" or "test" words.

    Parameters
    ----------
    fold : Fold
    half_name : {"train", "test"}

    Returns
    -------
    Looked
    """
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    meta = np.zeros((len(half.words), N_TIERS, len(META)))
    losses = np.zeros((len(half.words), N_TIERS), dtype=np.int64)
    labels = np.zeros((N_TIERS, len(half.labels)), dtype=np.int64)
    for p in range(len(pairs)):
        words, rows = budget_ocr.rows_of_part(half, p)
        first = np.concatenate([[0], np.cumsum(half.lengths[words])])[:-1]
        for t in range(N_TIERS):
            unary = np.ascontiguousarray(half.plain[rows, t], dtype=np.float64)
            labels[t, rows], meta[words, t] = chain_meta(unary, half.lengths[words], pairs[p, t], fold.seen)
            losses[words, t] = np.add.reduceat(labels[t, rows] != half.labels[rows], first)
    meta = np.concatenate([meta, meta[:, :, 4:] > 0], axis=2)
    return Looked(selector.with_differences(meta[:, :-1]), losses, labels)


def values_of(losses):
    """V of every next model, shape (W, T - 1): losses saved (thesis (6.1))."""
    return (losses[:, :-1] - losses[:, 1:]).astype(np.float64)


def choose(looked, rng, costs=None):
    """Train the selector and find its budgets on training words; costs (W, T - 1): by value per cost."""
    values, folds = values_of(looked.losses), rng.integers(0, 5, len(looked.losses))
    fitted = selector.fit_selector(looked.meta, values, folds)
    crossed = selector.cross_values(looked.meta, values, folds, fitted.penalty)
    if costs is not None:
        crossed = per_cost(crossed, costs)
    curve = expansion.curve_of(expansion.expand(crossed, COSTS), looked.losses)
    n = len(looked.losses)
    budget = expansion.least_cost(curve, looked.losses[:, -1].sum()) / n
    return Chooser(fitted, budget, float(curve.cost[np.argmin(curve.loss)] / n))


def per_cost(values, costs):
    """Values by the µs they cost, for an order that spends time well; what loses comes last, cheap first."""
    return np.where(values > 0, values / costs, values * costs)


def curves(fold, rng, us, n_random=5):
    """Curves of all word-level methods on the test words of a fold.

    Parameters
    ----------
    fold : Fold
    rng : numpy.random.Generator
    us : array_like, shape (T - 1,)
        Microseconds of a letter's next tier, for the order by value per time.
    n_random : int
        Random orders that are averaged.

    Returns
    -------
    list of dict
        ``method``, ``share`` (S + 1, T - 1) of letters and ``words`` of words lifted to each tier, ``cost``
        a word in units, ``error`` in percent of letters; ``chosen``, budgets a word found on training words.
    """
    train, test = look(fold, "train"), look(fold, "test")
    lengths = fold.test.lengths
    chooser = choose(train, rng)
    values = selector.predict_values(chooser.selector, test.meta)
    out = [_row("dms", expansion.expand(values, COSTS), test.losses, lengths)]
    out[0]["chosen"] = {"final_error": chooser.budget, "least_error": chooser.best_budget}
    costs, test_costs = fold.train.lengths[:, None] * np.asarray(us), lengths[:, None] * np.asarray(us)
    by_time = choose(train, rng, costs)
    out.append(
        _row(
            "dms, by value per µs",
            expansion.expand(per_cost(values, test_costs), COSTS),
            test.losses,
            lengths,
        )
    )
    out[-1]["chosen"] = {"final_error": by_time.budget, "least_error": by_time.best_budget}
    for name, columns in (("dms, no n-grams", _SURENESS), ("dms, n-grams only", _N_GRAMS)):
        keep = np.array([*columns, *(len(COLUMNS) + np.array(columns))])
        part = Looked(train.meta[:, :, keep], train.losses, train.labels)
        fitted = choose(part, rng)
        values = selector.predict_values(fitted.selector, test.meta[:, :, keep])
        out.append(_row(name, expansion.expand(values, COSTS), test.losses, lengths))
        out[-1]["chosen"] = {"final_error": fitted.budget, "least_error": fitted.best_budget}
    out.append(_row("oracle", expansion.expand(values_of(test.losses), COSTS), test.losses, lengths))
    for name, together in (("uniform", True), ("uniform, not by tiers", False)):
        drawn = [
            expansion.expand(
                selector.uniform_values(len(lengths), N_TIERS - 1, rng, synchronised=together), COSTS
            )
            for _ in range(n_random)
        ]
        rows = [_row(name, e, test.losses, lengths) for e in drawn]
        mean = {
            key: np.mean([row[key] for row in rows], axis=0) for key in ("cost", "share", "error", "words")
        }
        out.append({"method": name} | mean)
    # The least sure words first, all tiers at once: the gap of the best two is all that is looked at.
    unsure = np.repeat(-test.meta[:, :1, 0], N_TIERS - 1, axis=1) + np.arange(N_TIERS - 1) * 1e-9
    together = np.maximum(unsure, unsure[:, :1])
    out.append(_row("myopic", expansion.expand(together, COSTS), test.losses, lengths))
    out.append(_stopping_points("imitation", _imitated(train, test), test.losses, lengths))
    fixed = [np.full(len(lengths), t) for t in range(N_TIERS)]
    out.append(_stopping_points("fixed", fixed, test.losses, lengths))
    return out


def _imitated(train, test):
    stops = []
    for eta in ETAS:
        oracle = selector.oracle_stops(train.losses, COSTS, eta)
        stops.append(selector.imitate(selector.fit_imitator(train.meta, oracle), test.meta))
    return stops


def _row(method, bought, losses, lengths):
    curve = expansion.curve_of(bought, losses)
    share = np.zeros((len(bought.example) + 1, N_TIERS - 1))
    share[np.arange(1, len(share)), bought.tier - 1] = lengths[bought.example] / lengths.sum()
    return {
        "method": method,
        "cost": curve.cost / len(lengths),
        "share": np.cumsum(share, axis=0),
        "error": 100 * curve.loss / lengths.sum(),
        "words": np.cumsum(share > 0, axis=0) / len(lengths),
    }


def _stopping_points(method, stops, losses, lengths):
    """One point for each way to stop, by rising cost."""
    every, total = np.arange(len(lengths)), np.concatenate([[0.0], np.cumsum(COSTS)])
    stops = sorted(stops, key=lambda s: total[s].sum())
    share = [[(lengths * (s >= t)).sum() / lengths.sum() for t in range(1, N_TIERS)] for s in stops]
    return {
        "method": method,
        "cost": np.array([total[s].mean() for s in stops]),
        "share": np.array(share),
        "error": np.array([100 * losses[every, s].sum() / lengths.sum() for s in stops]),
        "words": np.array([[(s >= t).mean() for t in range(1, N_TIERS)] for s in stops]),
    }
