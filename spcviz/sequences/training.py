"""Training of taggers: labels, weights and frequent features; validation loss and progress bar."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from tqdm import tqdm

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.chains.crf import Examples, Weights, loss_and_gradient
from spcviz.learning.chains.rows import CsrRows
from spcviz.sequences import labels
from spcviz.sequences.encoding import Encoded
from spcviz.sequences.tokens import Vocabulary


class TrainingData(NamedTuple):
    """Training data as numbers: X, labels (R,), weights of sequences (W,) and of tokens (R,)."""

    encoded: Encoded
    labels: np.ndarray
    weights: np.ndarray
    token_weights: np.ndarray | None = None  # in addition to `weights`; None: all tokens count alike


def choose_classes(flat: list[Any], given: Any) -> np.ndarray:
    """The labels that occur, or those given; sorted in both cases."""
    if given is None:
        classes = labels.classes_of(flat)
    else:
        classes = labels.classes_of(labels.list_classes(given))
    if not len(classes):
        raise ArgumentError("y must hold at least one label, got none")
    return classes


def weights_of_sequences(sample_weight: Any, n: int) -> np.ndarray:
    if sample_weight is None:
        return np.ones(n)
    weights = checks.strengths("sample_weight", sample_weight)
    if len(weights) != n and weights.sum() == n and weights.dtype.kind in "iuf":
        raise ShapeError(
            f"sample_weight has {len(weights)} entries; X has {n} sequences (these look like lengths, as "
            "fit(X, y, lengths) takes elsewhere: hand over a list of sequences instead)"
        )
    if len(weights) != n:
        raise ShapeError(f"sample_weight has {len(weights)} entries; X has {n} sequences")
    return weights


def mean_weights(each: np.ndarray, numbers: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Mean over each sequence's tokens with a known label (W,); 1 for a sequence without any."""
    is_known = numbers >= 0
    owner = np.repeat(np.arange(len(lengths)), lengths)[is_known]
    total = np.bincount(owner, each[is_known], len(lengths))
    n = np.bincount(owner, minlength=len(lengths))
    return np.where(n > 0, total / np.maximum(n, 1), 1.0)


def drop_rare(vocabulary: Vocabulary, encoded: Encoded, min_count: int) -> tuple[Vocabulary, Encoded]:
    """Drop the features that occur less often than `min_count`."""
    rows = encoded.rows
    if not isinstance(rows, CsrRows):
        return vocabulary, encoded
    is_kept = np.bincount(rows.index, minlength=len(vocabulary)) >= min_count
    number = np.cumsum(is_kept) - 1
    names = [name for name, kept in zip(vocabulary, is_kept.tolist()) if kept]
    chosen = is_kept[rows.index]
    start = np.concatenate([[0], np.cumsum(chosen)])[rows.start]
    index = number[rows.index[chosen]].astype(np.int32)
    fewer = CsrRows(start, index, rows.values[chosen], len(names))
    return Vocabulary(zip(names, range(len(names)))), encoded._replace(rows=fewer)


def weights_of_classes(wanted: Any, numbers: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Weight of each token's label, (R,), 1 where it is unknown; None if no weights are wanted."""
    if wanted is None:
        return None
    is_known = numbers >= 0
    counts = np.bincount(numbers[is_known], minlength=len(classes))
    if isinstance(wanted, str) and wanted == "balanced":
        each = counts.sum() / (max((counts > 0).sum(), 1) * np.maximum(counts, 1))
    elif isinstance(wanted, dict):
        each = np.ones(len(classes))
        number = {label: k for k, label in enumerate(classes.tolist())}
        for label, weight in wanted.items():
            if label not in number:
                raise ArgumentError(f"class_weight must name labels of y, got {label!r:.60}")
            each[number[label]] = checks.strength(f"class_weight[{label!r}]", weight)
    else:
        raise ArgumentError(f"class_weight must be a dict, 'balanced' or None, got {wanted!r:.60}")
    return np.where(is_known, each[numbers], 1.0)


def check_steps(
    batch: TrainingData, forbidden: np.ndarray | None, classes: np.ndarray, constraints: Any
) -> None:
    """Refuse training labels that break the constraints."""
    if forbidden is None:
        return
    lengths, numbers = batch.encoded.lengths, batch.labels
    ends = np.cumsum(lengths)
    is_first, is_last = np.zeros(len(numbers), dtype=bool), np.zeros(len(numbers), dtype=bool)
    is_first[(ends - lengths)[lengths > 0]], is_last[ends[lengths > 0] - 1] = True, True
    before = np.concatenate([[labels.UNKNOWN], numbers[:-1]])
    is_known = numbers >= 0
    wrong = is_known & is_first & forbidden[0].diagonal()[numbers]
    wrong |= is_known & is_last & forbidden[2].diagonal()[numbers]
    wrong |= is_known & ~is_first & (before >= 0) & forbidden[1][before, numbers]
    if wrong.any():
        n = int(wrong.argmax())
        step = repr(classes[numbers[n]].item())
        if not is_first[n] and before[n] >= 0:
            step += f" behind {classes[before[n]].item()!r}"
        raise ArgumentError(
            f"{labels.place('y', n, lengths)} must keep to constraints={constraints!r}, got {step}"
        )


EVERY = 5
"""Iterations between two evaluations of the validation loss."""
PATIENCE = 4
"""Evaluations in a row without a smaller loss after which training stops."""


class Watch:
    """Track the loss on sequences that training does not see, and keep the best weights."""

    def __init__(
        self, examples: Examples, forbidden: np.ndarray | None, note: Callable[[float], object]
    ) -> None:
        self._examples, self._forbidden, self._note = examples, forbidden, note
        self.losses: list[float] = []  # per token, one for each evaluation
        self.weights: Weights | None = None
        self.iteration = 0
        self.has_stopped = False

    def __call__(self, iteration: int, weights: Weights) -> bool:
        """Whether training should stop."""
        if iteration % EVERY:
            return False
        loss = self._loss(weights)
        if not self.losses or loss < min(self.losses):
            self.weights, self.iteration = weights, iteration
        self.losses.append(loss)
        self._note(loss)
        self.has_stopped = len(self.losses) - 1 - int(np.argmin(self.losses)) >= PATIENCE
        return self.has_stopped

    def best(self, last: Weights, n_iterations: int) -> tuple[Weights, int]:
        """The weights to keep and their iteration, given the weights that training ended with."""
        loss = self._loss(last)
        if self.weights is None or loss < min(self.losses):
            self.losses.append(loss)
            return last, n_iterations
        return self.weights, self.iteration

    def _loss(self, weights: Weights) -> float:
        loss, _ = loss_and_gradient(self._examples, weights, forbidden=self._forbidden)
        return loss / max(int(self._examples.row_start[-1]), 1)


class Bar:
    """A context manager that shows a progress bar on standard error if `verbose`."""

    def __init__(self, name: str, total: int | None, verbose: Any) -> None:
        if not isinstance(verbose, bool | np.bool_ | None):
            checks.integer("verbose", verbose, 0, 2**31 - 1)
        self._bar = tqdm(desc=name, total=total, disable=not verbose)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def tick(self, text: str = "") -> None:
        """Advance by one step, with an optional text."""
        if text:
            self._bar.set_postfix_str(text, refresh=False)
        self._bar.update()
