"""StructuredSpeedBoost: repeatedly add the weak predictor that lowers the risk most per millisecond.

    R[f] = - sum_j sum_k p_jk log q(f)_jk,    q = softmax                         (eqs. 18, 19)
    h_t, alpha_t = argmax (R[f_{t-1}] - R[f_{t-1} + alpha h]) / c(h)               (eq. 8)
    h_P = argmin sum_{S chosen} |S| || mean_{j in S} (p_j - q_j) - h_P(psi_S) ||^2  (eq. 22)

Targets are the negative gradient (the source prints the gradient). The selector is (theta, level), so chosen
regions do not overlap (the source leaves that open).

Stacking (3.3) with contiguous folds: besides f, one model for each fold learns without it. Context and
selection of an example come from the model that has not seen it; each model's targets come from its own
scores; step length and gain are those of the held-out risk. Read literally (targets from held-out scores too)
the risk stops falling after a few steps.

OPEN in the source, chosen here: each round tries a random part of the selectors and learners, and each tree
a random part of columns and regions (drawn by weight), because all of them would take days. All columns of
one group are always among them, so that the value of a whole group can pay its price at once. The line
search uses a sample of elements; the winner's answers and its line search are repeated on all. Learning ends
when `patience` rounds in a row find no predictor that lowers the held-out risk. Bought features are free, so
every tree may use them again. A step predicts the mean of several trees (`BoostSettings.n_trees`): the source
grows one; several, which buy nothing more, lower the held-out risk of a drive that was not learned from far
sooner.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.speedboost import structure as structures
from spcviz.learning.speedboost import trees
from spcviz.learning.speedboost.predictor import (
    WeakPredictor,
    region_gradient,
    risk,
    select_regions,
    step_length,
)
from spcviz.learning.speedboost.structure import Structure


@dataclass(frozen=True)
class BoostSettings:
    """Settings of the learner."""

    n_turns: int = 150
    thetas: tuple[float, ...] = (0.0, 0.4, 0.9, 1.5)  # of the selectors, in nats
    # depth and lambda (per millisecond) of the trees
    learners: tuple[tuple[int, float], ...] = ((4, 0.0005), (6, 0.0002), (6, 0.0))
    n_folds: int = 3  # at least 2
    n_candidates: int = 8  # selectors with learners tried in a round; all in the first
    # of a step: a round's winner is joined by others, grown on regions drawn anew, that use no new features;
    # the step predicts their mean. One tree alone fits the regions that it was grown on too closely
    n_trees: int = 4
    # regions, drawn by weight, that a tree is fitted to; the winner's answers are means over all
    n_rows: int = 3000
    # column_share, context_share: of the columns that were not bought, and of context, that a candidate may
    # use. It may also use all columns of a group drawn at random, and those that were bought: they no longer
    # cost anything. bought_share: of the bought ones, for each of the trees that join the winner
    column_share: float = 0.1
    context_share: float = 0.4
    bought_share: float = 0.5
    least: float = 0.002  # least share of the weight on either side of a split
    n_searched: int = 15_000  # elements that a line search uses
    patience: int = 3


class PredictorCosts(NamedTuple):
    """Costs of a weak predictor, milliseconds."""

    prices: trees.Prices  # of features; context costs nothing extra
    # select_ms, predict_ms: of every selection and every prediction
    select_ms: float
    predict_ms: float

    @property
    def n_features(self) -> int:
        """Columns that are not context."""
        return len(self.prices.group)


class Turn(NamedTuple):
    """The result of one round."""

    step: WeakPredictor
    risk: float  # held out, after it
    ms: float  # modelled, of this step


class _Candidate(NamedTuple):
    step: WeakPredictor
    learner: tuple[int, float]
    trees: list[trees.Tree]
    chosen: np.ndarray
    ratio: float
    ms: float


def boost(
    structure: Structure,
    target: np.ndarray,
    costs: PredictorCosts,
    settings: BoostSettings,
    rng: np.random.Generator,
    tick: Callable[[str], object] | None = None,
    origin: np.ndarray | None = None,
) -> list[Turn]:
    """Learn a predictor by boosting.

    Parameters
    ----------
    structure : Structure
        With at least as many examples as there are folds, and features of all regions.
    target : ndarray, shape (E, K)
        Weight of each class in an element; rows of zeros are ignored.
    tick : callable, optional
        Called with a few words after each round.
    origin : ndarray of int, optional
        The original of each example, if some are changed copies of others (`structure.folds`).

    Returns
    -------
    list of Turn
        The predictor is their steps.

    Raises
    ------
    ArgumentError, ShapeError
    """
    fold = structures.folds(structures.check_structure(structure), settings.n_folds, origin)
    learner = _Learner(structure, target, fold, costs, settings, rng)
    turns: list[Turn] = []
    idle = 0
    while len(turns) < settings.n_turns and idle < settings.patience:
        turn = learner.turn(is_first=not turns)
        idle = 0 if turn else idle + 1
        if turn:
            turns.append(turn)
            if tick is not None:
                tick(f"turn {len(turns)}: held-out risk {turn.risk:.4f}")
    return turns


class _Learner:
    """Scores of all models, and a round's intermediate results, computed when first needed."""

    def __init__(
        self,
        structure: Structure,
        target: np.ndarray,
        fold: np.ndarray,
        costs: PredictorCosts,
        settings: BoostSettings,
        rng: np.random.Generator,
    ) -> None:
        if target.shape != (len(structure.example), structure.n_classes):
            raise ShapeError(
                f"target has shape {target.shape}; it needs {(len(structure.example), structure.n_classes)}"
            )
        if not np.isfinite(target).all() or target.min() < 0 or target.sum() <= 0:
            raise ArgumentError("target must be finite, not negative, and positive somewhere")
        self.structure, self.costs, self.settings, self.rng = structure, costs, settings, rng
        self.target = target.astype(np.float32)
        self.mass = self.target.sum(axis=1)
        self.fold = fold
        self.scores = [np.zeros_like(self.target) for _ in range(settings.n_folds + 1)]
        self.prices = _with_context(costs.prices, structure.n_context())
        self.bought_all = trees.nothing_bought(self.prices)
        self.region_fold = [self._by_region(at, self.fold) for at in range(len(structure.levels))]
        self._begin()

    def _by_region(self, level: int, values: np.ndarray) -> np.ndarray:
        """One value per region of a level, from values of elements that agree within each region."""
        out = np.zeros(self.structure.n_regions(level), dtype=values.dtype)
        out[self.structure.levels[level].member] = values
        return out

    def _begin(self) -> None:
        """Begin a round: held-out predictions, and empty caches."""
        self.held = _pick_held_out(np.stack(self.scores[1:]), self.fold)
        self.share = structures.chances(self.held)
        self.entropy = structures.entropies(self.share)
        self.sample = np.sort(
            self.rng.choice(len(self.fold), min(self.settings.n_searched, len(self.fold)), replace=False)
        )
        self._contexts: dict[int, np.ndarray] = {}
        self._gradients: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        self._chances: dict[int, np.ndarray] = {}

    def turn(self, *, is_first: bool) -> Turn | None:
        """Add the best weak predictor to all models: its `Turn`, or None if none helps."""
        best = None
        for level, theta, (depth, price_weight) in self._candidates(is_first):
            chosen = select_regions(self.structure, self.entropy, level, theta)
            if chosen.any():
                better = self._try(level, theta, chosen, (depth, price_weight), best.ratio if best else 0.0)
                best = better or best
        turn = self._add_candidate(best) if best else None
        self._begin()
        return turn._replace(risk=risk(self.held, self.target)) if turn else None

    def _add_candidate(self, best: _Candidate) -> Turn | None:
        """Add the best candidate, with answers and length from all examples, to all models: its `Turn`.

        None if it helps a sample of elements but not all of them.
        """
        step = best.step
        member = self.structure.levels[step.level].member
        before, self.bought_all = self.bought_all, self.bought_all.copy()
        self.bought_all.add(self.prices, step.columns)
        answers = [self._join_trees(best, tree, k) for k, tree in enumerate(best.trees)]
        alpha, _ = self._search(step.level, [added for _, added in answers[1:]], np.arange(len(self.fold)))
        if alpha <= 0:
            self.bought_all = before
            return None
        for scores, (_, values) in zip(self.scores, answers):
            scores += np.float32(alpha) * values[member]
        return Turn(replace(step, alpha=float(alpha), trees=answers[0][0]), np.nan, best.ms)

    def _join_trees(
        self, best: _Candidate, tree: trees.Tree, model: int
    ) -> tuple[tuple[trees.Tree, ...], np.ndarray]:
        """(trees, values they add to every region) of a model: the winner's, and some that buy nothing."""
        level, grown = best.step.level, [tree]
        for _ in range(self.settings.n_trees - 1):
            grown.append(self._fit(level, best.chosen, best.learner, self._bought_columns(), model))
        answers = [self._answer_regions(level, best.chosen, grown_tree, model) for grown_tree in grown]
        total = sum((values for _, values in answers), start=np.zeros_like(answers[0][1]))
        return tuple(answered for answered, _ in answers), total / np.float32(len(answers))

    def _candidates(self, is_first: bool) -> list[tuple[int, float, tuple[int, float]]]:
        """(level, theta, learner), a random selection of all combinations."""
        some = [
            (level, theta, learner)
            for level in range(len(self.structure.levels))
            for theta in self.settings.thetas
            for learner in self.settings.learners
        ]
        if is_first:  # nothing is certain yet: all thetas choose everything
            return [candidate for candidate in some if candidate[1] == self.settings.thetas[0]]
        n = min(self.settings.n_candidates, len(some))
        return [some[i] for i in self.rng.choice(len(some), n, replace=False)]

    def _try(
        self, level: int, theta: float, chosen: np.ndarray, learner: tuple[int, float], ratio: float
    ) -> _Candidate | None:
        """A `_Candidate` if it is better than `ratio`, else None."""
        columns = self._columns()
        folds = range(self.settings.n_folds)
        fold_trees = [self._fit(level, chosen, learner, columns, k + 1) for k in folds]
        near = np.unique(self.structure.levels[level].member[self.sample])
        near = near[chosen[near]]
        held = [near[self.region_fold[level][near] == k] for k in folds]
        values = [
            self._values(level, tree, regions, self._leaves(level, tree, regions))
            for tree, regions in zip(fold_trees, held)
        ]
        alpha, gain = self._search(level, values, self.sample)
        least_ms = self.costs.select_ms + self.costs.predict_ms
        if alpha <= 0 or gain <= 1e-9 or gain / least_ms <= ratio:
            return None
        tree = self._fit(level, chosen, learner, columns, 0)
        ms = least_ms + self.bought_all.price(self.prices, tree.columns())
        if gain / ms <= ratio:
            return None
        step = WeakPredictor(level, float(theta), float(alpha), (tree,))
        return _Candidate(step, learner, [tree, *fold_trees], chosen, gain / ms, ms)

    def _own(self, level: int, chosen: np.ndarray, model: int) -> np.ndarray:
        """Chosen regions that a model learns from."""
        may = chosen & (self._gradient(level, model)[1] > 0)
        if model > 0:
            may &= self.region_fold[level] != model - 1
        return np.flatnonzero(may)

    def _fit(
        self,
        level: int,
        chosen: np.ndarray,
        learner: tuple[int, float],
        columns: tuple[np.ndarray, np.ndarray],
        model: int,
    ) -> trees.Tree:
        """Fit a model's tree to some chosen regions of its own examples."""
        gradient, mass = self._gradient(level, model)
        rows = self._own(level, chosen, model)
        if not len(rows):  # none of its examples is uncertain: it changes nothing
            return _silent(self.structure.n_classes)
        steps, context = self.structure.levels[level].steps, self._context(level)
        some = trees.draw_rows(rows, mass, self.settings.n_rows, self.rng)
        features, near = (steps[some], columns[0]), (context[some], columns[1])
        fitted = trees.rows_of(features, near, gradient[some])
        depth, price_weight = learner
        return trees.fit(fitted, self.prices, self.bought_all, price_weight, depth, self.settings.least)

    def _leaves(self, level: int, tree: trees.Tree, rows: np.ndarray) -> np.ndarray:
        steps, context = self.structure.levels[level].steps, self._context(level)
        return trees.leaves(tree.feature, tree.threshold, steps, context, rows)

    def _values(self, level: int, tree: trees.Tree, rows: np.ndarray, leaf: np.ndarray) -> np.ndarray:
        """Values that a tree adds to every region: those of the leaves of some regions, 0 for others."""
        values = np.zeros((self.structure.n_regions(level), self.structure.n_classes), dtype=np.float32)
        values[rows] = tree.value[leaf]
        return values

    def _answer_regions(
        self, level: int, chosen: np.ndarray, tree: trees.Tree, model: int
    ) -> tuple[trees.Tree, np.ndarray]:
        """The tree with the mean gradients of all its regions, and the values it adds to every region."""
        gradient, mass = self._gradient(level, model)
        every, rows = np.flatnonzero(chosen), self._own(level, chosen, model)
        leaf = self._leaves(level, tree, every)
        if len(rows):
            leaves = leaf[np.searchsorted(every, rows)]
            tree = trees.answering(tree, leaves, gradient[rows], mass[rows])
        return tree, self._values(level, tree, every, leaf)

    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns that a candidate may use, rising: features, all of one group among them; context."""
        group = self.costs.prices.group
        may_ask = self.bought_all.columns[: len(group)] | (
            self.rng.random(len(group)) < self.settings.column_share
        )
        may_ask |= group == self.rng.choice(np.unique(group))
        return np.flatnonzero(may_ask), self._near()

    def _bought_columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns that a tree joining the winner's may use, rising: bought features; context."""
        is_bought = self.bought_all.columns[: self.costs.n_features]
        return np.flatnonzero(
            is_bought & (self.rng.random(len(is_bought)) < self.settings.bought_share)
        ), self._near()

    def _near(self) -> np.ndarray:
        """Columns of context that a tree may use, rising."""
        n = self.structure.n_context()
        return np.sort(self.rng.choice(n, max(1, round(self.settings.context_share * n)), replace=False))

    def _search(self, level: int, values: Sequence[np.ndarray], elements: np.ndarray) -> tuple[float, float]:
        """(alpha, gain) on held-out scores of some elements; `values` are those of the folds' models."""
        held = _pick_held_out(np.stack(values), self.region_fold[level])
        member = self.structure.levels[level].member
        return step_length(self.held, self.target, elements, member, held)

    def _context(self, level: int) -> np.ndarray:
        if level not in self._contexts:
            self._contexts[level] = structures.context(self.structure, self.share, level)
        return self._contexts[level]

    def _gradient(self, level: int, model: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean negative gradient of a model in every region, and the regions' masses."""
        if (level, model) not in self._gradients:
            if model not in self._chances:
                self._chances[model] = structures.chances(self.scores[model])
            self._gradients[level, model] = region_gradient(
                self._chances[model], self.target, self.structure.levels[level].member,
                self.structure.n_regions(level),
            )  # fmt: skip
        return self._gradients[level, model]


def _with_context(prices: trees.Prices, n_context: int) -> trees.Prices:
    """Prices followed by those of the columns of context, which cost nothing."""
    return trees.Prices(
        np.concatenate([prices.group, np.full(n_context, -1)]).astype(np.int32),
        np.asarray(prices.group_ms, dtype=float),
        np.concatenate([prices.column_ms, np.zeros(n_context)]),
        np.asarray(prices.call_ms, dtype=float),
    )


def _silent(n_classes: int) -> trees.Tree:
    return trees.Tree(np.full(1, -1, np.int32), np.zeros(1, np.uint8), np.zeros((1, n_classes), np.float32))


def _pick_held_out(stacked: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Take each row from the model that learned without its fold."""
    return np.ascontiguousarray(stacked[fold, np.arange(len(fold))])
