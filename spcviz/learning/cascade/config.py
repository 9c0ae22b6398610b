"""Settings, results and per-level reports of training a cascade."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.thresholds.rules import checked_rule
from spcviz.learning.cascade.online import Fit, Model

METHODS = ("spc", "perceptron", "crf")

TOLERANCE_KINDS = ("example", "position")


@dataclass(frozen=True)
class CascadeConfig:
    """How a cascade is trained."""

    # allowed share of examples that lose their truth at each level, or of positions (see `tolerance_kind`);
    # its length is the number of levels
    tolerances: tuple[float, ...] = (0.01, 0.01, 0.01, 0.01, 0.005, 0.0025)
    # {"example", "position"}: what tolerances count: examples with a true n-gram pruned, or true n-grams
    # pruned, each among those that had not been lost before
    tolerance_kind: str = "example"
    # tune alpha on Definition 1's filter loss; False: on the event that it bounds (some n-gram of the truth
    # pruned), which prunes more at the same true loss
    by_definition: bool = False
    # how far below the best a filter keeps: {"mean_max", "mean_max_first", "margin", "probability"}, see
    # `spcviz.engine.thresholds.rules`; a CRF's filters always use "probability"
    rule: str = "mean_max"
    # candidates for alpha in the hinge; the filter that ends up smallest is kept (B14)
    train_alphas: tuple[float, ...] = (0.8,)
    # further candidates: margins below the best, for thresholds learned with the structured SVM's hinge
    train_margins: tuple[float, ...] = ()
    # instead of candidates: one hinge per level, each ("alpha", its alpha) or ("margin", its margin)
    hinges: tuple[tuple[str, float], ...] = ()
    margin: float = 1.0  # of the hinge, for each position
    # filter_epochs, predictor_epochs: passes over the data
    filter_epochs: int = 10
    predictor_epochs: int = 10
    # passes for the first level's filter, if different: it is cheap, and what it loses is lost to all levels
    first_epochs: int | None = None
    # filter_rate, predictor_rate: step sizes; see `online.fit`. A perceptron's matters only relative to its
    # initial weights
    filter_rate: float = 4.0
    predictor_rate: float = 40.0
    gram_rate: float = 0.3  # step of n-gram weights relative to the unary ones; see `online`
    decay: float = 0.0  # lambda in (4.8)
    has_end: bool = False  # n-grams that end the word have their own weights
    has_begin: bool = False  # so do those that begin it
    parts: int = 3  # number of held-out parts, at least 2
    max_arcs: int = 100_000  # cap on the arcs of one example at any level
    on_nodes: bool = False  # filter (n-1)-grams rather than n-grams
    # model that filters single states at the first level: 1, each position alone; 2, a bigram model over all
    # pairs (`letters_first`)
    first_order: int = 1
    warm_start: bool = True  # begin each level's filter at the weights of the one before
    warm_predictor: bool = True  # begin each predictor at its level's filter rather than at zero
    # {"spc", "perceptron", "crf"}: the loss of the filters: the hinge (4.8), a perceptron's zero loss, or the
    # log loss; a CRF prunes by sum-product marginals, the others by max-marginals
    method: str = "spc"
    # SPC only: number of passes with the log loss first; the hinge starts from their weights
    crf_epochs: int = 0
    crf_rate: float = 4.0  # their step size
    dropout: float = 0.0  # share of indicator features hidden from filters in each pass; see `online.fit`
    falling: bool = False  # filters' step sizes fall as the regulariser prescribes; see `online.Rates`
    # filters stop early: after this many passes without one that leaves fewer n-grams at the tolerance (held
    # out), after `filter_epochs` at most, and the best pass is kept. None: `filter_epochs` passes
    patience: int | None = None

    def __post_init__(self) -> None:
        for name in ("tolerances", "train_alphas", "train_margins"):  # a stored model has them as lists
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "hinges", tuple(map(_checked_hinge, self.hinges)))
        if self.hinges and (len(self.hinges) != len(self.tolerances) or self.method != "spc"):
            raise ArgumentError(
                f"hinges must be one for each of {len(self.tolerances)} levels of an SPC, "
                f"got {len(self.hinges)} and {self.method!r}"
            )
        checks.one_of("method", self.method, METHODS)
        checked_rule(self.rule)
        checks.one_of("tolerance_kind", self.tolerance_kind, TOLERANCE_KINDS)
        if self.tolerance_kind == "position" and (self.by_definition or self.on_nodes):
            raise ArgumentError("tolerance_kind must be example where by_definition or on_nodes is set")
        checks.integer("first_order", self.first_order, 1, 2)
        checks.fraction("dropout", self.dropout, below_one=True)
        checks.integer("crf_epochs", self.crf_epochs, 0, 2**40)
        if not self.tolerances or not (self.train_alphas or self.train_margins):
            raise ArgumentError(
                f"tolerances and train_alphas must not be empty, got {self.tolerances}, {self.train_alphas}"
            )
        for value in self.tolerances:
            checks.fraction("tolerances", value)
        for value in self.train_alphas:
            checks.fraction("train_alphas", value, below_one=True)
        for value in self.train_margins:
            checks.strength("train_margins", value)
        if self.first_order == 2 and self.has_begin:
            raise ArgumentError("has_begin must be False where first_order is 2, got True")
        if self.first_order == 2 and (self.on_nodes or self.method == "crf"):
            raise ArgumentError("first_order must be 1 with on_nodes or a CRF's filters, got 2")
        if self.pruned_by == "probability" and self.by_definition:
            raise ArgumentError("by_definition must be False where the rule is probability, got True")
        for name in ("filter_epochs", "predictor_epochs", "max_arcs"):
            checks.integer(name, getattr(self, name), 1, 2**40)
        for name in ("margin", "filter_rate", "predictor_rate", "gram_rate", "decay", "crf_rate"):
            checks.strength(name, getattr(self, name))
        if self.first_epochs is not None:
            checks.integer("first_epochs", self.first_epochs, 1, 2**40)
        if self.patience is not None:
            checks.integer("patience", self.patience, 1, 2**40)
        checks.integer("parts", self.parts, 2, 1000)

    @property
    def pruned_by(self) -> str:
        """The rule that filters apply."""
        return "probability" if self.method == "crf" else self.rule


def _checked_hinge(hinge: Any) -> tuple[str, float]:
    """A hinge as (kind, value), else ArgumentError; a stored model has it as a list."""
    if isinstance(hinge, Sequence) and len(hinge) == 2 and hinge[0] in ("alpha", "margin"):
        if hinge[0] == "alpha":
            return "alpha", checks.fraction("hinges", hinge[1], below_one=True)
        return "margin", checks.strength("hinges", hinge[1])
    raise ArgumentError(f'hinges must be pairs of "alpha" or "margin" and a number, got {hinge!r:.60}')


class Level(NamedTuple):
    """One level of a trained cascade."""

    filter: Model
    alpha: float  # the rule's setting: an alpha, a probability, or minus a margin
    predictor: Model  # averaged perceptron for the level's own order on the level's own space


class Cascade(NamedTuple):
    """A trained cascade."""

    n_states: int
    levels: tuple[Level, ...]  # orders 1, 2, ...
    on_nodes: bool
    max_arcs: int
    by_marginals: bool = False  # pruned as a CRF prunes: by probabilities, regardless of `rule`
    first_order: int = 1  # see `CascadeConfig`
    rule: str = "mean_max"  # see `CascadeConfig`

    @property
    def pruned_by(self) -> str:
        """The rule that filters apply."""
        return "probability" if self.by_marginals else self.rule


class LevelReport(NamedTuple):
    """Held-out figures of one level, on the pooled parts."""

    order: int
    train_alpha: float | None  # of the hinge that was chosen; None for the structured SVM's
    alpha: float
    # filter_loss, was_pruned: share of examples lost, cumulative over levels: by Definition 1 at this level
    # (or in fact before it), and in fact
    filter_loss: float
    was_pruned: float
    efficiency_loss: float  # share of this level's valid assignments that survive
    # arcs_in, arcs_kept: mean per column
    arcs_in: float
    arcs_kept: float
    n_capped: int
    # share of examples lost when each is pruned by a filter that saw it, minus held out; negative means the
    # training figure flatters
    optimism: float
    # filter_hinge, predictor_loss: mean loss in the last pass
    filter_hinge: float
    predictor_loss: float
    n_passes: int  # of the filter over the data
    # accuracy, example_accuracy: held-out accuracy of predictors trained without the part, per position and
    # per example; None if not requested
    accuracy: float | None
    example_accuracy: float | None
    position_loss: float  # share of the true n-grams that are pruned, at this level or before
    train_margin: float | None = None  # of the structured SVM's hinge, if that was chosen


class HeldOut(NamedTuple):
    """One level's filter on the pooled held-out parts, at every alpha."""

    # by_definition, event (W,): the alpha from which each example loses its truth, by Definition 1 and in
    # fact; -inf where an earlier level had lost it
    by_definition: np.ndarray
    event: np.ndarray
    # alpha, efficiency (S,): efficiency loss as a step function of alpha, thinned to about 500 steps
    alpha: np.ndarray
    efficiency: np.ndarray


class First(NamedTuple):
    """The first level as learned: filters of each candidate alpha, and the random state after them."""

    candidates: list[Sequence[Fit]]
    rng_state: Mapping[str, Any]


class TrainedCascade(NamedTuple):
    """What `train_cascade` returns: cascade, a `LevelReport` and a `HeldOut` per level, and the `First`.

    With early stopping there is no `First` (None): the learned filters depend on the tolerance.
    """

    cascade: Cascade
    reports: tuple[LevelReport, ...]
    held_out: tuple[HeldOut, ...]
    first: First | None
