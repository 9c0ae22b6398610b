"""Spend a budget by rereading whole words with fixed cascades, most letters corrected per microsecond first.

All words begin as chains of pairs at tier 0. Features of these predict how many letters each cascade would
correct. At a price per microsecond, in letters, each word goes to the cascade with the largest predicted gain
less its price, or to none if no gain is positive.
"""

from typing import NamedTuple

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from spcviz.learning.budgets.chains.parts import Parts, describe_parts
from spcviz.learning.hybrid.policy import CoursePoints
from spcviz.learning.hybrid.records import WordBatch
from spcviz.problems.hybrid.model import parents, worlds
from spcviz.problems.words.model.folds import N_TIERS

COURSES = tuple((tier, order) for tier in range(N_TIERS) for order in range(1, worlds.N_ORDERS + 1))
"""(tier, order) of all fixed cascades."""

RIDGES = np.geomspace(1.0, 1e4, 9)
PRICES = np.geomspace(1.0, 1e-6, 300)
"""Letters that a microsecond has to correct, from many to few: one point of the curve each."""
N_PARTS = 5
"""Number of parts of the development words; each is predicted by a predictor that has not seen it."""


class CascadeReadings(NamedTuple):
    """Readings of a batch of W words by every cascade."""

    starts: np.ndarray  # (W + 1,)
    wrong: np.ndarray  # (W, C): letters read wrong by each of `COURSES`
    # (W,): by the cascade of pairs at tier 0, which differs from the chain only where its filter errs
    at_first: np.ndarray
    features: np.ndarray  # (W, D): of that chain, see `look`


class Predictor(NamedTuple):
    """Letters that each cascade corrects, linear in a word's features."""

    weights: np.ndarray  # (D, C)
    constant: np.ndarray  # (C,)


def read(world: worlds.WordSplits, theta: np.ndarray, cascades: tuple, batch: WordBatch) -> CascadeReadings:
    """Read a batch by all cascades (one for each tier), and by the chain of pairs."""
    lengths, firsts = np.diff(batch.starts), batch.starts[:-1]
    seen = [parents.features_of(batch, tier) for tier in range(N_TIERS)]
    labels = [parents.read(cascades[tier], order, seen[tier], lengths) for tier, order in COURSES]
    wrong = np.stack([np.add.reduceat(labelling != batch.labels, firsts) for labelling in labels], axis=1)
    chains = parents.chains(world, theta, batch, parents.chains(world, theta, world.dev).scale)
    pairs = COURSES.index((0, 2))
    return CascadeReadings(batch.starts, wrong, wrong[:, pairs], look(chains))


def look(chains: Parts) -> np.ndarray:
    """Features of each word from chains at tier 0: sums and maxima over letters, and its length, (W, D)."""
    shown = describe_parts(chains, np.zeros(len(chains.scores), dtype=np.int64))
    firsts = chains.starts[:-1]
    over = [ufunc.reduceat(shown, firsts) for ufunc in (np.add, np.maximum)]
    return np.column_stack([*over, np.diff(chains.starts)])


def _letters_mended(done: CascadeReadings) -> np.ndarray:
    return done.at_first[:, None] - done.wrong


def _ridge():
    return make_pipeline(StandardScaler(), RidgeCV(RIDGES))


def fit(done: CascadeReadings) -> Predictor:
    """Learn how many letters cascades correct, from words that were read by all of them."""
    model = _ridge().fit(done.features, _letters_mended(done))
    scaler, ridge = model[0], model[1]
    weights = (ridge.coef_ / scaler.scale_).T
    return Predictor(weights, ridge.intercept_ - scaler.mean_ @ weights)


def predict_mended(predictor: Predictor, features: np.ndarray) -> np.ndarray:
    """Letters that each cascade would correct, (W, C)."""
    return features @ predictor.weights + predictor.constant


def predicted_unseen(done: CascadeReadings) -> np.ndarray:
    """The same for the words to learn from, each by a predictor that has not seen it."""
    return cross_val_predict(_ridge(), done.features, _letters_mended(done), cv=KFold(N_PARTS))


def us_of(clock, parents_us: dict, lengths: np.ndarray) -> np.ndarray:
    """Microseconds of rereading words by each cascade, (W, C), timed on the harder words, which go first."""
    letter = []
    for tier, order in COURSES:
        bought = sum(clock.feature[: tier + 1]) + clock.score[tier] if tier else 0.0
        letter.append(parents_us["spc_hard"][tier][order - 1] + bought)
    return lengths[:, None] * np.array(letter)


def begun_us(clock, parents_us: dict, n_letters: int) -> float:
    """Microseconds of a whole batch before the first word is reread."""
    return n_letters * (clock.score[0] + parents_us["whole_words"])


def points_of(done: CascadeReadings, mended: np.ndarray, us: np.ndarray, begun: float) -> CoursePoints:
    """The batch's points at falling `PRICES`; `mended` is from `predict_mended`, `us` from `us_of`."""
    words = np.arange(len(mended))
    spent, wrong, wrong_words = [], [], []
    for price in PRICES:
        worth = mended - price * us
        best = worth.argmax(axis=1)
        goes = worth[words, best] > 0
        left = np.where(goes, done.wrong[words, best], done.at_first)
        spent.append(begun + us[words, best][goes].sum())
        wrong.append(left.sum())
        wrong_words.append((left > 0).sum())
    return CoursePoints(np.array(spent), np.array(wrong), np.array(wrong_words))
