"""Records of SPC-pi: words, a controller's model and rule, the steps of a trajectory."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.variable_order.weights import VariableOrderWeights
from spcviz.learning.budgets.world import some_rows

FEATURES = (
    "always 1",
    "doubt",
    "root of doubt",
    "doubt on the left",
    "doubt on the right",
    "doubt in the letters before",
    "image undecided",
    "image overruled",
    "odd n-gram",
    "odd n-gram on the right",
    "doubt and image undecided",
    "doubt and odd n-gram",
    "tier",
    "order",
    "doubt and tier",
    "doubt and order",
    "tier on the left",
    "tier on the right",
    "assignments",
    "at the end",
)
"""Columns of an action's features. Doubt: 1 - 1 / sum over letters of exp(max-marginal less the best)."""

N_FEATURES = len(FEATURES)

ALONE = np.inf
"""As a share of the best value: no other action is done together with the best."""

ODD_AT = 8.0
"""An n-gram whose log probability is minus this number, or less, has the highest oddness."""


class WordBatch(NamedTuple):
    """Words one after another, R letters in all."""

    unary: np.ndarray  # (R, T, K) log p(letter | image) at every tier
    labels: np.ndarray  # (R,) int64
    starts: np.ndarray  # (W + 1,) int64

    def some(self, chosen: np.ndarray) -> tuple["WordBatch", np.ndarray]:
        """Some words, in the order chosen, and their rows."""
        starts, rows = some_rows(self.starts, chosen)
        return WordBatch(np.ascontiguousarray(self.unary[rows]), self.labels[rows], starts), rows


class AdaptiveModel(NamedTuple):
    """Weights to filter with and to predict with; the same where one model does both."""

    filters: VariableOrderWeights
    predicts: VariableOrderWeights
    is_one: bool  # whether they are the same: then the filter's lattice is decoded as it is
    alphas: np.ndarray  # (blocks,)
    first_alpha: float  # of the pairs that every word begins with


class ActionRule(NamedTuple):
    """How actions are valued."""

    beta: np.ndarray  # (blocks, D)
    fixed: np.ndarray  # values that do not depend on the state, (R, blocks), instead of `beta`; or (0, 0)
    prices: np.ndarray  # (blocks,) of an action; actions that gain are ordered by gain per price
    arc_price: float  # further price of each arc that a raised order makes
    # n_orders, n_tiers: limits of both: 1 means that there are no such actions
    n_orders: int
    n_tiers: int
    together: float  # least share of the best value to join a round; `ALONE`: each action is done alone


class ActionCourse(NamedTuple):
    """Actions taken, word by word: S actions, those of word w at starts[w] .. starts[w + 1] - 1."""

    starts: np.ndarray  # (W + 1,) int64
    # row, block (S,) int64: position and kind of action
    row: np.ndarray
    block: np.ndarray
    # (S,) the value it was chosen for; inf for a round's actions after its first: a queue takes them with it
    value: np.ndarray
    # (S,) int64: more letters right than before; negative where fewer; a round's is at its last action
    gain: np.ndarray
    # (S, 5) int64: arcs made, arcs passed, actions valued, letters scored (of a bought tier), sweeps; a
    # round's are at its first action
    work: np.ndarray
    features: np.ndarray  # (S, D) or (0, D)
    # (W, 2) int64: pairs of letters that the first filter leaves of each word; actions valued then
    begun: np.ndarray
    # before, after (R,) int64: predicted letters at the beginning and at the end
    before: np.ndarray
    after: np.ndarray
