"""Dynamic model selection on arms: thesis Fig. 6.2 to 6.4.

Four plain models, one a tier; a selector reads what the last one said of an arm and predicts how many elbows
and wrists the next one would put right. Rendered clips in random partitions: 70 % train, 10 % decide between
queues by value and by value per millisecond, 20 % test. Buffy's clips of 4 frames stand beside: trained on
episodes 3 and 4, tested on 2, 5 and 6.
"""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import batch_selection
from spcviz.learning.budgets.batch_selection import Variant
from spcviz.learning.budgets.expansion import last_within
from spcviz.learning.budgets.methods import EXAMPLE, METHODS, named
from spcviz.problems.arms import data, fit, readings
from spcviz.problems.arms.data import N_TIERS
from spcviz.problems.arms.readings import GRID, N_GRAM_COLUMNS, Overhead
from spcviz.problems.arms.tallies import Tally

RADII = tuple(range(5, 41, 5))
"""Pixels of Fig. 6.2."""

RANDOM_STATE = 11
READERS = ("best proposal of a frame", *(f"model {t + 1}" for t in range(N_TIERS)), "nearest allowed path")
"""Whose elbows and wrists Fig. 6.2 counts: no chain at all, the plain models, what no reader can beat."""

ETAS = tuple(np.geomspace(0.003, 3.0, 25))
"""Prices of a frame's worth of all features, in wrong joints, that the imitation baseline is trained for."""

QUEUES = {False: METHODS["dms_by_value"].name, True: METHODS["dms_per_cost"].names[1]}
"""Whether a queue goes by value per cost, to what results call DMS with that queue."""

_LOSSES = {METHODS["dms_elbows"].name: [0], METHODS["dms_wrists"].name: [1]}


class Measured(NamedTuple):
    """Sums over partitions of one set of clips.

    Attributes
    ----------
    tallies : dict of str to Tally
        At `GRID`, by method.
    chosen : dict of str to Tally
        Of learned methods, at the budget found on training clips.
    stops : ndarray, shape (G, T)
        Mean share of chains that DMS leaves at each model.
    within : ndarray, shape (6, len(RADII), 2)
        Percent of elbows and wrists that near, by each of `READERS` (Fig. 6.2).
    full_ms, base_ms : float
        Features of all tiers after the first, and the first with the proposals; a frame.
    overhead : Overhead
    queues : dict of str to int
        How often development clips chose each queue.
    """

    tallies: dict
    chosen: dict
    stops: np.ndarray
    within: np.ndarray
    full_ms: float
    base_ms: float
    overhead: Overhead
    queues: dict


def measure(splits, settings, medians, tick=None):
    """All methods on some partitions.

    Parameters
    ----------
    splits : list of callable
        Each returns training, development and test chains: copies, so not all are held at once.
    settings : ArmSettings
    medians : ndarray, shape (T,)
        Milliseconds of a frame's features of each tier.
    tick : callable, optional

    Returns
    -------
    Measured
    """
    everything = data.joined(splits[0]())
    base_ms, medians = float(medians[0]), medians[1:]
    numbers = np.unique(everything.clip)
    tallies, chosen, queues, overhead = {}, {}, dict.fromkeys(QUEUES.values(), 0), None
    within, n_tested, stops = 0, 0, 0
    for i, draw in enumerate(splits):
        rng, split = np.random.default_rng([RANDOM_STATE, i]), draw()
        test = split[2]
        looked, overhead = _look_at(split, settings, rng, overhead)
        costs = [readings.chain_costs(c, fit.costs_of(c, medians)) for c in split]
        plainly = [(own._replace(meta=own.meta[:, :, :-N_GRAM_COLUMNS]), wrong) for own, wrong in looked]
        is_per_cost = goes_per_cost(plainly, costs, split, rng)
        queues[QUEUES[is_per_cost]] += 1
        more = {METHODS["dms_with_n_grams"].name: (looked[0][0], looked[2][0])}
        rows = _curves(plainly, more, costs, split, is_per_cost, numbers, rng)
        frames = readings.frames_by_clip(test, numbers)
        for row in rows:
            tally = tallies.setdefault(row["method"], Tally(len(GRID), len(numbers)))
            _add(tally, row, GRID, frames, overhead)
            if "chosen" in row:
                share = row["chosen"]["final_error"] * len(costs[0]) / costs[0].sum()
                tally = chosen.setdefault(row["method"], Tally(1, len(numbers)))
                _add(tally, row, np.array([min(share, 1.0)]), frames, overhead)
        stops = stops + batch_selection.stopped(rows[0]["words"][last_within(rows[0]["cost"], GRID)])
        within, n_tested = within + _within(test, looked[2][0].labels, settings), n_tested + len(test.joints)
        if tick is not None:
            tick(f"partition {i + 1} of {len(splits)}")
    full = fit.costs_of(everything, medians).sum() / len(everything.joints)
    return Measured(
        tallies, chosen, stops / len(splits), 100 * within / n_tested, full, base_ms, overhead, queues
    )


def _look_at(split, settings, rng, overhead):
    """`Looked`, n-grams and all, and wrong joints of training, development and test chains.

    Overhead is measured if None.
    """
    train, *others = split
    part = fit.draw_parts(train, settings, rng)
    plain, _ = fit.read_unseen(train, settings, rng, part)
    out = [readings.look_unseen(plain, train, part, settings, n_grams=True)]
    readers = fit.fit_readers(train, settings, rng)
    seen = fit.seen_modes(train, settings)
    for clips in others:
        read = fit.read_plain(readers, clips)
        out.append(readings.look(read, clips, seen, n_grams=True))
    overhead = overhead or readings.overhead_of(readers.plain[0], clips, read, seen)
    return out, overhead


def goes_per_cost(looked, costs, split, rng):
    """Whether the queue by value per cost wastes less on development chains, over all budgets."""
    (train, _), (dev, wrong), _ = looked
    bad = []
    for per in (None, (costs[0], costs[1])):
        variant, sizes = Variant("", train, dev, per), np.diff(split[1].starts)
        row = batch_selection.learned_row(variant, costs[0], costs[1], wrong.sum(axis=2), sizes, rng)
        bad.append(row["error"][last_within(row["cost"] / costs[1].sum() * len(sizes), GRID[1:])].mean())
    return bool(np.argmin(bad))


def _curves(looked, more, costs, split, is_per_cost, numbers, rng):
    """Rows of `batch_selection.curves`, DMS with its chosen queue first.

    Errors are of each clip's two joints, costs are shares of all. `more`: further learned methods by name,
    `Looked` of training and of test chains.
    """
    (train, train_wrong), _, (test, wrong) = looked
    per = costs[0], costs[2]
    chosen = per if is_per_cost else None
    variants = [Variant(name, train, test, per if own else None) for own, name in QUEUES.items()]
    for name, joints in _LOSSES.items():
        only = train._replace(losses=train_wrong[..., joints].sum(axis=2))
        variants.append(Variant(name, only, test, chosen))
    variants += [Variant(name, *own, chosen) for name, own in more.items()]
    n, n_tiers, n_joints = wrong.shape
    losses = np.zeros((n, n_tiers, len(numbers), n_joints), dtype=np.int64)
    losses[np.arange(n), :, np.searchsorted(numbers, split[2].clip)] = wrong
    prices = np.array(ETAS) / (costs[0].sum() / len(split[0].joints))
    rows = batch_selection.curves(
        variants, per, losses.reshape(n, n_tiers, -1), np.diff(split[2].starts), rng, etas=prices
    )
    nothing = {key: value[:1] for key, value in rows[0].items() if isinstance(value, np.ndarray)}
    for row in rows:
        if row["cost"][0] > 0:  # imitation: with less than its cheapest point nothing is bought
            row |= {key: np.concatenate([value, row[key]]) for key, value in nothing.items()}
        row["cost"] = row["cost"] * n / costs[2].sum()
        row["full_ms"] = costs[2].sum() / len(split[2].joints)
    return [rows[int(is_per_cost)] | {"method": METHODS["dms"].name}, *rows]


def _add(tally, row, shares, frames, overhead):
    """Add a row of one partition to a method's tally."""
    at, n = last_within(row["cost"], shares), frames.sum()
    wrong = row["error"][at].reshape(len(at), len(frames), -1) * n / 100
    lifted = row["share"][at]
    looks = named(row["method"], EXAMPLE).rule.looks
    reads = 1.0 + lifted.sum(axis=1) if looks else np.ones(len(at))
    metas = 1.0 + lifted[:, :-1].sum(axis=1) if looks else np.zeros(len(at))
    beside = reads * overhead.read + metas * (overhead.meta + overhead.looks)
    features = row["cost"][at] * row["full_ms"]
    tally.add(
        wrong, frames, budget_share=100 * shares, features_share=100 * lifted.mean(axis=1),
        ms_per_frame=features + beside, overhead_ms=beside,
    )  # fmt: skip


def _within(test, labels, settings):
    """Counts of elbows and wrists within each of `RADII`, by each of `READERS`: shape (6, radii, 2)."""
    alone = test.state[:, :, 1].argmax(axis=1)  # the proposal of best score in its frame
    every = [alone, *labels, fit.wanted(test, settings)]
    near = [test.errors[np.arange(len(test.joints)), states] for states in every]
    return np.stack([[(own <= r).sum(axis=0) for r in RADII] for own in near])
