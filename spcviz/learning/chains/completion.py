"""Fill in unknown labels by models of partial labels that have not seen the sequence.

A cascade's filters are tuned by whether the truth survives, so every label must exist. Missing ones are
predicted by a chain CRF that was trained on the other parts (all labellings that agree with the known labels
count, as in `spcviz.learning.chains.crf`): the best labelling among those that agree with the sequence's own
labels.
"""

import numpy as np

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.batch import Which, fit_crf
from spcviz.learning.chains.crf import Examples, Weights, agreeing, blocks_of, forbid, take_examples

ITERATIONS = 50


def with_all_labels(examples: Examples, part: np.ndarray, *, c2: float, which: Which) -> np.ndarray:
    """Labels (R,), known ones unchanged; sequences of each part (W,) are read by a model of the other parts.

    Raises
    ------
    ArgumentError
        If the sequences of all other parts have no known label.
    InfeasibleError
        If the forbidden steps leave a sequence no labelling that agrees with its labels.
    """
    labels = examples.labels.copy()
    is_open = np.add.reduceat(labels < 0, examples.row_start[:-1]) > 0
    shapes = (layouts.n_features(examples.rows), examples.n_states), (examples.n_states,) * 2
    _read(
        examples, np.flatnonzero(is_open), Weights(*map(np.zeros, shapes)), which
    )  # refused before training
    for p in np.unique(part[is_open]):
        others = take_examples(examples, np.flatnonzero(part != p))
        if (others.labels < 0).all():
            raise ArgumentError("y must have known labels in more than one part of cv, got them in one")
        weights = fit_crf(others, c2=c2, max_iterations=ITERATIONS, which=which).weights
        chosen = np.flatnonzero(is_open & (part == p))
        rows = layouts.ranges(examples.row_start[chosen], np.diff(examples.row_start)[chosen])
        labels[rows] = _read(examples, chosen, weights, which)
    return labels


def _read(examples: Examples, chosen: np.ndarray, weights: Weights, which: Which) -> np.ndarray:
    """The best labels of some chains among those that agree with the known ones, chain after chain."""
    some, read, steps = take_examples(examples, chosen), [], weights.pairwise
    if which.forbidden is not None:
        steps = np.where(which.forbidden[1], -np.inf, steps)
    for first, last in blocks_of(some.row_start, some.n_states):
        a, b = some.row_start[first], some.row_start[last]
        unary = layouts.emissions(layouts.part(some.rows, a, b), weights.unary)
        if which.forbidden is not None:
            forbid(unary, some.row_start[first : last + 1] - a, which.forbidden)
        agreed = agreeing(some, slice(a, b), unary)
        lengths = np.diff(some.row_start[first : last + 1])
        best = chain.decode_batch(unary if agreed is None else agreed, lengths, steps)
        if best.scores.min() == -np.inf:
            w = chosen[first + int(best.scores.argmin())]
            raise InfeasibleError(f"no labelling of sequence {w} agrees with its labels and the constraints")
        read.append(best.labels)
    return np.concatenate([np.zeros(0, np.int64), *read])
