r"""Compare filters where equally many sentences are lost, with bootstrap intervals over sentences.

Sentence s loses its truth from alpha :math:`e_s` on and still has :math:`k_s(\alpha)` grams. So with weights
:math:`w_s` (1 each, or how often a bootstrap draws it) every curve is a pair of weighted sums:

.. math:: L(\alpha) = \frac{\sum_s w_s [e_s < \alpha]}{\sum_s w_s} \qquad
          G(\alpha) = \frac{\sum_s w_s k_s(\alpha)}{\sum_s w_s n_s}

just below each alpha at which a sentence is lost; :math:`n_s` is its length. Between two of those points
both are interpolated linearly, so any loss has its G. All methods use the same sentences in the same 500
draws, so their differences are paired.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine.ngrams.lattice import path_of, score_arcs
from spcviz.engine.ngrams.prune import points_of, prune
from spcviz.engine.ngrams.space import Lattice
from spcviz.engine.thresholds import filtering
from spcviz.engine.thresholds.rule import ALPHA_CAP
from spcviz.learning.cascade.cascade import Cascade
from spcviz.learning.cascade.features import SparseRows, unary_scores
from spcviz.learning.cascade.online import Model
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model.settings import ABLATED

TARGETS = (0.5, 1.0, 2.0, 5.0)
"""Percent of the sentences that may lose their truth."""
N_DRAWS = 500
RANDOM_STATE = 11
INTERVAL = (2.5, 97.5)
"""Percentiles of an interval's ends."""
N_ALPHAS = 300
"""Largest number of alphas at which a curve is computed."""
MOST_LOST = 50.0
"""Percent of the sentences up to which curves are needed."""
AGAINST = "spc"
"""The method that the others are compared with."""


class Fallen(NamedTuple):
    """The alpha at which each sentence loses its truth, and the grams left until then."""

    event: np.ndarray  # (S,): the alpha from which the truth is lost; -inf: before this filter
    alpha: np.ndarray  # (G,): increasing
    # grams, pairs, each (S, G) int64: numbers left just below each alpha: of the filtered grams, and of those
    # that they join to (the grams of the next size, which the next model sees)
    grams: np.ndarray
    pairs: np.ndarray
    lengths: np.ndarray  # (S,)


def score_filter(
    linear: Model,
    lattice: Lattice,
    features: SparseRows,
    labels: np.ndarray,
    *,
    rule: str,
    more_alphas: Sequence[float] = (),
) -> Fallen:
    """Score a filter on an unpruned space of order 2 or more and find the alphas that prune each gram."""
    scores = score_arcs(lattice, unary_scores(features, linear.weights), linear.table)
    pruned = prune(lattice, scores, 0.0, on_nodes=True, rule=rule)
    points, ends = points_of(pruned), _ends(lattice, pruned.starts)
    event = _events(lattice, points, ends, pruned.best_path, path_of(lattice, labels))
    alpha = np.union1d(alphas_of(event), more_alphas)
    at = np.searchsorted(alpha, points, side="right").astype(np.int32)  # it survives just below alpha[: at]
    at_arcs = np.minimum(at[ends[0]], at[ends[1]])
    at_arcs[pruned.best_path] = len(alpha)  # it is always kept
    at[np.concatenate([side[pruned.best_path] for side in ends])] = len(alpha)
    grams = _left(pruned.starts, at, len(alpha))
    pairs = _left(lattice.example_start, at_arcs, len(alpha))
    return Fallen(event, alpha, grams, pairs, np.diff(lattice.row_start))


def _ends(lattice, starts):
    """Indices of an arc's two ends among the filtered grams; in a sentence of one word both are the arc."""
    count = np.diff(lattice.example_start)
    first_node = lattice.node_start[lattice.col_start[:-1] + np.arange(len(count))]
    shift = np.repeat(starts[:-1] - first_node, count)
    arcs = np.arange(lattice.n_arcs) + np.repeat(starts[:-1] - lattice.example_start[:-1], count)
    is_single = np.repeat(lattice.order == 1, count)
    return [np.where(is_single, arcs, side + shift) for side in (lattice.arc_tail, lattice.arc_head)]


def _events(lattice, points, ends, best_path, truth):
    """The alpha from which each sentence's truth is lost; -inf where it is not in the space."""
    at_column = np.minimum(points[ends[0][truth]], points[ends[1][truth]])
    at_column[truth == best_path] = np.inf
    at_column[truth < 0] = -np.inf
    return np.minimum.reduceat(at_column, lattice.col_start[:-1])


def alphas_of(event):
    """Alphas at which sentences are lost, thinned to at most `N_ALPHAS`; the lowest and the cap."""
    first = np.sort(event)[: 1 + int(len(event) * MOST_LOST / 100)]
    some = first[np.linspace(0, len(first) - 1, min(len(first), N_ALPHAS)).astype(int)]
    is_inside = (some > -np.inf) & (some < ALPHA_CAP)
    return np.unique([filtering.lowest_alpha(event), *some[is_inside], ALPHA_CAP])


def _left(starts, at, n_alphas):
    """How many of each sentence's grams survive just below each alpha, shape (S, G)."""
    n_sentences = len(starts) - 1
    code = np.repeat(np.arange(n_sentences) * (n_alphas + 1), np.diff(starts)) + at
    table = np.bincount(code, minlength=n_sentences * (n_alphas + 1)).reshape(n_sentences, n_alphas + 1)
    return table[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


class Curves(NamedTuple):
    """Curves of one filter, one row per draw of the bootstrap (the first: every sentence once)."""

    loss: np.ndarray  # (D, G): percent of the sentences lost just below each alpha; increasing
    # grams, pairs, each (D, G): left per position
    grams: np.ndarray
    pairs: np.ndarray


def draws(n_sentences, n_draws=N_DRAWS, random_state=RANDOM_STATE):
    """How often each draw takes each sentence, shape (1 + n_draws, S); the first takes each once."""
    rng = np.random.default_rng(random_state)
    drawn = rng.multinomial(n_sentences, np.full(n_sentences, 1 / n_sentences), size=n_draws)
    return np.concatenate([np.ones((1, n_sentences)), drawn])


def curves_of(losses, weights):
    """All curves at once: `Curves` of `Fallen` under weights (D, S)."""
    lost = (losses.event[:, None] < losses.alpha).astype(np.float64)
    positions = (weights @ losses.lengths)[:, None]
    return Curves(
        100 * (weights @ lost) / weights.sum(axis=1, keepdims=True),
        weights @ losses.grams.astype(np.float64) / positions,
        weights @ losses.pairs.astype(np.float64) / positions,
    )


def at_loss(loss: np.ndarray, kept: np.ndarray, target: float) -> np.ndarray:
    """The value of `kept` (D,) where exactly `target` is lost, by row; inf where the first alpha loses more.

    >>> at_loss(np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([[9.0, 8.0, 6.0, 5.0]]), 1.0)
    array([7.])
    """
    before = (loss <= target).sum(axis=1) - 1
    rows, here = np.arange(len(loss)), np.maximum(before, 0)
    after = np.minimum(here + 1, loss.shape[1] - 1)
    step = loss[rows, after] - loss[rows, here]
    share = np.where(step > 0, (target - loss[rows, here]) / np.where(step > 0, step, 1.0), 0.0)
    value = kept[rows, here] + share * (kept[rows, after] - kept[rows, here])
    return np.where(before >= 0, value, np.inf)


def interval(values):
    """(low, high) of the draws after the first; each is the value of a draw, and may be infinite."""
    low, high = np.percentile(values[1:], INTERVAL, method="inverted_cdf")
    return float(low), float(high)


def difference(mine, theirs):
    """mine - theirs, draw by draw; 0 where neither has a value.

    >>> difference(np.array([3.0, np.inf, np.inf, 1.0]), np.array([2.0, 2.0, np.inf, np.inf]))
    array([  1.,  inf,   0., -inf])
    """
    both = np.isinf(mine) & np.isinf(theirs)
    return np.where(both, 0.0, np.where(both, 0.0, mine) - np.where(both, 0.0, theirs))


def verdict(more):
    """ "fewer", "more", or "as many" if the interval holds 0; None where the sample itself has no value."""
    if not np.isfinite(more[0]):
        return None
    low, high = interval(more)
    return "fewer" if high < 0 else "more" if low > 0 else "as many"


def compare(part: experiment.Prepared, cascades: dict[str, Cascade], tags_loss: float) -> list[dict]:
    """Cascades at equal sentences lost on the test part; whole cascades also at the loss of Tags,
    `tags_loss`.

    A row for each filter, method and target. ``filter`` 1 (the bigram model on tags) and 2 (the trigram model
    on bigrams): all methods but those of `ABLATED` in the spaces that the SPC's earlier levels leave, with
    losses over the sentences whose truth is in them; "cascade": each method's own levels, with losses over
    all sentences. ``alpha`` is the largest that keeps the target on development sentences; ``loss``,
    ``grams`` and ``pairs`` (per position) are its figures on test; ``_equal``: those where exactly the target
    is lost on test, with the interval's ends; ``pairs_more``: the difference from the SPC, paired. None: a
    filter cannot lose that little, or there is no such end.
    """
    rows = []
    for name in (1, 2, "cascade"):
        compared = list(cascades) if name == "cascade" else [m for m in cascades if m not in ABLATED]
        targets = TARGETS if name != "cascade" else (*TARGETS, tags_loss)
        dev, test = {}, {}
        for m in compared:
            dev[m] = _score_method(name, part, cascades, m, "dev")
            alphas = [filtering.largest_alpha(dev[m].event, target / 100) for target in targets]
            test[m] = _score_method(name, part, cascades, m, "test", alphas)
        weights = draws(len(test[AGAINST].event))
        curves = {method: curves_of(losses, weights) for method, losses in test.items()}
        for target in targets:
            mine = {m: at_loss(c.loss, c.pairs, target) for m, c in curves.items()}
            for method in compared:
                row = {"filter": name, "method": method, "target": target}
                row |= _tune_alpha(dev[method], test[method], target)
                row |= _at_target(curves[method], target)
                more = difference(mine[method], mine[AGAINST])
                is_known = np.isfinite(mine[method][0]) and np.isfinite(mine[AGAINST][0])
                row |= {"against_spc": verdict(more) if is_known and method != AGAINST else None}
                rows.append(row | _with_interval("pairs_more", more))
    return rows


def fallen_of(part, cascade: Cascade, pruner: Cascade, level: int, split: str, more_alphas=()) -> Fallen:
    """`score_filter` of a cascade's level on a split, in the space that `pruner` leaves before it."""
    corpus, table = part.corpus[split], part.tables[split]
    lattice = experiment.space_of(pruner, level, table, corpus.lengths)
    more = {"rule": cascade.pruned_by, "more_alphas": more_alphas}
    return score_filter(cascade.levels[level - 1].filter, lattice, table, np.maximum(corpus.tags, 0), **more)


def _score_method(name, part, cascades, method, split, more_alphas=()):
    """`Fallen` of one method; for a single filter, without sentences whose truth is not in the space."""
    cascade, pruner = cascades[method], cascades[method if name == "cascade" else AGAINST]
    level = 2 if name == "cascade" else name + 1
    losses = fallen_of(part, cascade, pruner, level, split, more_alphas)
    if name == "cascade":
        return losses
    alive, of_sentences = losses.event > -np.inf, ("event", "grams", "pairs", "lengths")
    return losses._replace(**{name: getattr(losses, name)[alive] for name in of_sentences})


def _tune_alpha(dev, test, target):
    """The alpha tuned on development sentences, and its figures on test sentences."""
    alpha = filtering.largest_alpha(dev.event, target / 100)
    dev_loss = float(100 * (dev.event <= alpha).mean())
    at, positions = int(np.searchsorted(test.alpha, alpha)), test.lengths.sum()
    return {
        "alpha": alpha,
        "dev_loss": dev_loss,
        "is_kept_on_dev": dev_loss <= target + 1e-9,
        "loss": float(100 * (test.event <= alpha).mean()),
        "grams": float(test.grams[:, at].sum() / positions),
        "pairs": float(test.pairs[:, at].sum() / positions),
    }


def _at_target(curves, target):
    grams, pairs = (at_loss(curves.loss, kept, target) for kept in (curves.grams, curves.pairs))
    return _with_interval("grams_equal", grams) | _with_interval("pairs_equal", pairs)


def _with_interval(name, values):
    low, high = interval(values)
    figures = {name: float(values[0]), f"{name}_low": low, f"{name}_high": high}
    return {key: value if np.isfinite(value) else None for key, value in figures.items()}
