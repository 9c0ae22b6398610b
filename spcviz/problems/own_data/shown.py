"""Records that the page Your data draws: named tuples of plain arrays."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.methods import Terms

LEVEL_NAMES = ("labels", "pairs of labels", "triples of labels", "4-grams of labels", "5-grams of labels")
SHORT_NAMES = {1: "labels", 2: "pairs", 3: "triples", 4: "4-grams", 5: "5-grams"}

TERMS = Terms("sentence", "sentences", "token", "tokens", free="words")


class Points(NamedTuple):
    """One level's filter on some sentences, at every alpha: where each truth and each n-gram falls."""

    # by_definition, event, each (W,): the alpha from which each sentence loses its truth, by Definition 1 and
    # in fact; -inf where an earlier level had lost it, or training has not seen the label
    by_definition: np.ndarray
    event: np.ndarray
    points: np.ndarray  # (A,): the alpha from which each n-gram falls
    starts: np.ndarray  # (W + 1,): sentence w owns n-grams ``starts[w] : starts[w + 1]``
    n_columns: np.ndarray  # (W,)


class Swept(NamedTuple):
    """One level on the sentences that chose its threshold and on those that check it."""

    tuned_alpha: float
    dev: Points
    test: Points


class Report(NamedTuple):
    """Results of training; tokens are those of the held-out sentences, concatenated."""

    labels: tuple[str, ...]
    n_train: int  # training sentences
    n_train_tokens: int
    n_features: int
    cpu_seconds: float
    # dev, test: indices of the held-out sentences in the file
    dev: np.ndarray
    test: np.ndarray
    starts: np.ndarray  # (W + 1,): where each held-out sentence begins, those of dev first
    truth: np.ndarray  # (N,) index of the gold label; -1 where training has not seen it
    guess: np.ndarray  # (N,)
    sure: np.ndarray  # (N,): the probability that the model gives its own answer
    levels: tuple[Swept, ...]
    # the first level again, filtered by sum-product marginals as in a CRF: points are probabilities
    by_marginals: Swept
    n_grown: float  # n-grams of the next order left per position of test sentences, at the last alpha
    has_probabilities: bool  # whether `sure` are probabilities, or scores that only rank


class RuleChoice(NamedTuple):
    """One filter rule at the threshold that loses no more than allowed on the first half."""

    key: str  # of `spcviz.web.figures.filter_curves.METHODS`
    threshold: float
    lost_dev: float
    lost_test: float
    kept: float  # labels per token, test sentences
    kept_share: float


class Trained(NamedTuple):
    """The outcome of training: the model as `spcviz.io.zipped` writes it, and the report."""

    model: bytes
    report: Report


class Compared(NamedTuple):
    """A measure of two models on the same sentences: the second minus the first, its interval, a p-value."""

    measure: str
    first: float
    second: float
    low: float
    high: float
    p: float


class Point(NamedTuple):
    """One part: the size of its training data, and the results on the held-out sentences."""

    n_sentences: int
    n_tokens: int
    n_features: int
    right: tuple[float, float, float]  # share of the tokens, and its interval
    f1: tuple[float, float, float]


class LearningCurve(NamedTuple):
    """Parts from small to large, and whether the last doubling helped (`first`: half, `second`: all)."""

    points: tuple[Point, ...]
    doubled: tuple[Compared, ...]
    n_held: int  # held-out tokens that all parts are evaluated on
