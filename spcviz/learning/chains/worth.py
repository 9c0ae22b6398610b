r"""Decide whether a cascade's last level pays: its held-out accuracy against its first model's.

.. math:: g = \frac{\sum_w d_w}{\sum_w L_w}, \qquad
          s^2 = \frac{n}{n - 1} \, \frac{\sum_w (d_w - g L_w)^2}{(\sum_w L_w)^2}

with :math:`d_w` the number of additional positions of example w that the last level gets right. It pays if
g > s: a gain of less than a standard error may as well be a loss elsewhere. Legend: n examples of lengths
L_w, all from one part, which neither the models compared nor the filters before them have seen.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains.chain import decode_batch
from spcviz.engine.ngrams.lattice import decode, score_arcs
from spcviz.learning.cascade.features import unary_scores
from spcviz.learning.cascade.online import Model
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Examples, Weights, forbid, take_examples
from spcviz.learning.chains.spaces import Space


class Worth(NamedTuple):
    """Shares of right positions of the first model and of the last level; `standard_error` of the gain."""

    order: int  # of the last level
    n_examples: int
    first: float
    last: float
    standard_error: float

    @property
    def gain(self) -> float:
        """Share of positions that the last level gets right beyond the first model's."""
        return self.last - self.first

    @property
    def pays(self) -> bool:
        """Whether the gain is above its standard error."""
        return self.gain > self.standard_error


def worth_of(order: int, first: np.ndarray, last: np.ndarray, lengths: np.ndarray) -> Worth:
    """`Worth` from the numbers of right positions in each example, (n,) for each of the two models.

    >>> worth_of(3, np.array([1, 2, 3]), np.array([2, 2, 3]), np.array([4, 4, 4]))._asdict()["last"]
    0.5833333333333334
    >>> worth_of(3, np.array([1, 2]), np.array([2, 3]), np.array([4, 4])).pays
    True
    """
    total, n = max(int(lengths.sum()), 1), len(lengths)
    more = last - first
    gain = more.sum() / total
    spread = np.square(more - gain * lengths).sum() * n / (n - 1) if n > 1 else np.inf
    return Worth(
        order, n, float(first.sum() / total), float(last.sum() / total), float(np.sqrt(spread)) / total
    )


def right_by_chain(
    examples: Examples, chosen: np.ndarray, weights: Weights, forbidden: np.ndarray | None
) -> np.ndarray:
    """Number of positions of each chosen example that a chain model gets right; no example may be empty."""
    block = take_examples(examples, chosen)
    unary, pairwise = layouts.emissions(block.rows, weights.unary), weights.pairwise
    if forbidden is not None:
        forbid(unary, block.row_start, forbidden)
        pairwise = np.where(forbidden[1], -np.inf, pairwise)
    labels = decode_batch(unary, np.diff(block.row_start), pairwise).labels
    return np.add.reduceat((labels == block.labels).astype(np.int64), block.row_start[:-1])


def right_by_grams(space: Space, chosen: np.ndarray, model: Model) -> np.ndarray:
    """Number of positions of each chosen example that the best labelling of n-grams gets right."""
    right, lengths = [], np.diff(space.survivors.row_start)
    for some in space.batches(chosen):
        lattice, rows = space.lattice(some), space.rows(some)
        unary = unary_scores(layouts.take_rows(space.features, rows), model.weights)
        labels = decode(lattice, score_arcs(lattice, unary, model.table)).labels
        starts = np.cumsum(lengths[some]) - lengths[some]
        right.append(np.add.reduceat((labels == space.labels[rows]).astype(np.int64), starts))
    return np.concatenate(right)
