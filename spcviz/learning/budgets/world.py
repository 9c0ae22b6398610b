"""What a policy may ask of whatever features are bought for: chains, trees, regions of a picture.

A world is a batch of examples (chains, trees, pictures) made of R parts in all (letters, words, regions),
each at a tier 0 .. T - 1 of features. Policies (`part_policy`, `one_shot`, `anytime`) know nothing else of
it, so a new structure is one class; `spcviz.learning.budgets.chains.parts.Parts` is the one for chains.
"""

from typing import NamedTuple, Protocol, Self

import numpy as np


class Rule(NamedTuple):
    """How actions are valued, and inference is done after each.

    Attributes
    ----------
    beta : ndarray, shape (T - 1, D)
        Weights of the features of an action at each tier; not used if `fixed` has rows.
    fixed : ndarray, shape (R, T - 1) or (0, 0)
        Values that do not depend on the state.
    refreshed : bool
        Revalue all actions that a step may have changed; else only the part's own next one, as printed.
    all_at_once : bool
        An action lifts a part to the last tier.
    tolerance : float
        q of quiescent inference, where messages are passed; 0 is exact.
    by_margin : bool
        What q is a fraction of: the margin of a part's best two states, else their range.
    per_cost : bool
        Actions are queued by value per cost, not by value as printed; `fixed` is taken as it is.
    """

    beta: np.ndarray
    fixed: np.ndarray
    refreshed: bool
    all_at_once: bool
    tolerance: float
    by_margin: bool
    per_cost: bool


class Course(NamedTuple):
    """Steps of one run, in order.

    Attributes
    ----------
    part : ndarray, shape (S,), int64
    tier : ndarray, shape (S,), int64
        The tier the part was lifted to.
    value : ndarray, shape (S,)
    cost : ndarray, shape (S,)
    gain : ndarray, shape (S,), int64
        Less loss than before; negative where it got worse.
    messages : ndarray, shape (S,), int64
        Columns of messages passed.
    first, last : ndarray, shape (S,), int64
        Positions of the batch whose max-marginals may have changed.
    features : ndarray, shape (S, D) or (0, D)
        Of the action, if asked for.
    labels_before, labels : ndarray, shape (R,), int64
        Prediction before the first step and after the last.
    tiers : ndarray, shape (R,), int64
        At the end.
    all_values, all_labels : ndarray, shape (S, R) or (0, R)
        Values of every part's next action when the step was chosen (-inf: none), and labels after it.
    """

    part: np.ndarray
    tier: np.ndarray
    value: np.ndarray
    cost: np.ndarray
    gain: np.ndarray
    messages: np.ndarray
    first: np.ndarray
    last: np.ndarray
    features: np.ndarray
    labels_before: np.ndarray
    labels: np.ndarray
    tiers: np.ndarray
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
        """Some examples, in the order chosen, and which parts these were."""

    def lost(self, labels: np.ndarray) -> int:
        """Summed loss of all parts if they are read as ``labels``, shape (R,)."""

    def spend(
        self, rule: Rule, costs: np.ndarray, budget: float, keep_features: bool, keep_all: bool
    ) -> Course:
        """Algorithm 5: the most valuable action that fits, again and again; costs (R, T - 1)."""

    def describe(self, tiers: np.ndarray) -> np.ndarray:
        """Features of every part's next action with parts at some tiers, shape (R, D)."""

    def losses_if(self, tiers: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loss of every example at some tiers, (W,), and with part r at targets[r] instead, (R,)."""
