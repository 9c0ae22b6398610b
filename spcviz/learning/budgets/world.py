"""`World`, the protocol that policies spend on: chains, trees, or the regions of a picture.

A world is a batch of examples (chains, trees, pictures) made of R parts in all (letters, words, regions),
each at a tier 0 .. T - 1 of features. Policies (`part_policy`, `classifiers`) know nothing else about it, so
a new structure takes one class; `spcviz.learning.budgets.chains.parts.Parts` is the one for chains.
"""

from typing import NamedTuple, Protocol, Self

import numpy as np


class Rule(NamedTuple):
    """How actions are valued, and how inference runs after each."""

    # (T - 1, D) weights of the features of an action at each tier; not used if `fixed` has rows
    beta: np.ndarray
    fixed: np.ndarray  # (R, T - 1) or (0, 0) values that do not depend on the state
    # revalue all actions that a step may have changed; else only the part's own next one, as printed
    refreshed: bool
    all_at_once: bool  # an action lifts a part to the last tier
    tolerance: float  # q of quiescent inference, where messages are passed; 0 is exact
    by_margin: bool  # q is a fraction of the margin of a part's best two states, else of the states' range
    per_cost: bool  # actions are queued by value per cost, not by value as printed; `fixed` is used as it is


class Trajectory(NamedTuple):
    """Steps of one run, in order."""

    part: np.ndarray  # (S,) int64
    tier: np.ndarray  # (S,) int64: the tier the part was lifted to
    value: np.ndarray  # (S,)
    cost: np.ndarray  # (S,)
    gain: np.ndarray  # (S,) int64: decrease of the loss; negative where it rose
    messages: np.ndarray  # (S,) int64: columns of messages passed
    # first, last (S,) int64: positions of the batch whose max-marginals may have changed
    first: np.ndarray
    last: np.ndarray
    features: np.ndarray  # (S, D) of the action if requested, else (0, D)
    # labels_before, labels (R,) int64: prediction before the first step and after the last
    labels_before: np.ndarray
    labels: np.ndarray
    tiers: np.ndarray  # (R,) int64: at the end
    # all_values, all_labels (S, R) or (0, R): values of every part's next action when the step was chosen
    # (-inf: none), and labels after it
    all_values: np.ndarray
    all_labels: np.ndarray


class World(Protocol):
    """A batch of examples with features to buy.

    Attributes
    ----------
    shape : (int, int)
        R parts, T tiers.
    starts : ndarray, shape (W + 1,), int64
        First part of each example.
    """

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def starts(self) -> np.ndarray: ...

    def some(self, chosen: np.ndarray) -> tuple[Self, np.ndarray]:
        """Some examples, in the order chosen, and the indices that their parts have here."""

    def loss_of(self, labels: np.ndarray) -> int:
        """Summed loss of all parts if they are read as ``labels``, shape (R,)."""

    def spend(
        self, rule: Rule, costs: np.ndarray, budget: float, keep_features: bool, keep_all: bool
    ) -> Trajectory:
        """Algorithm 5: the most valuable action that fits, again and again; costs (R, T - 1)."""

    def describe(self, tiers: np.ndarray) -> np.ndarray:
        """Features of every part's next action when parts are at the given tiers, shape (R, D)."""

    def losses_if(self, tiers: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loss of every example at the given tiers, (W,), and with part r at targets[r] instead, (R,)."""


def some_rows(starts: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For some examples, in the order chosen: (starts of a batch of them alone, their rows in this batch).

    Examples
    --------
    >>> [array.tolist() for array in some_rows(np.array([0, 2, 5]), [1])]
    [[0, 3], [2, 3, 4]]
    """
    chosen = np.asarray(chosen, dtype=np.int64)
    lengths = np.diff(starts)[chosen]
    new_starts = np.concatenate([[0], np.cumsum(lengths)])
    return new_starts, np.repeat(starts[:-1][chosen] - new_starts[:-1], lengths) + np.arange(new_starts[-1])
