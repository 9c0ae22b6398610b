"""Monitor training: the validation loss that stops it early, and a progress bar."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from tqdm import tqdm

from spcviz.engine import checks
from spcviz.learning.chains.crf import Examples, Weights, loss_and_gradient

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
