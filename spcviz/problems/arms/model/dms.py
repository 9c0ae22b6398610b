"""Dynamic model selection on arms: thesis Fig. 6.2 to 6.4.

There is one plain model per tier. A selector reads the last model's output for an arm and predicts how many
joints the next one corrects. Signing clips: one person is tested, the other four train and choose the queue
(by value or per millisecond) by cross-validation. Rendered clips: a random 70 % train, 10 % decide, 20 % are
tested. Buffy's: episodes 3 and 4 train, 2, 5 and 6 test. Curves are at shares of the costs of all later
tiers. Methods are compared where they spent equally many milliseconds, detectors and overhead included;
imitation, which stops early, at what it has spent itself. The *useful* tier is the first whose loss on
training clips comes within `ENOUGH` of the least.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import batch_selection, selector
from spcviz.learning.budgets.batch_selection import Variant
from spcviz.learning.budgets.expansion import at_cost, curve_of, expand, last_within
from spcviz.learning.budgets.methods import EXAMPLE, METHODS, find_method
from spcviz.problems.arms.model import fit, proposals, readings
from spcviz.problems.arms.model.proposals import N_TIERS
from spcviz.problems.arms.model.readings import GRID, N_GRAM_COLUMNS, SHARES, TARGETS, Overhead
from spcviz.problems.arms.model.tallies import Tally, tier_rows
from spcviz.problems.arms.shown import AT_ONCE, EITHER, EVERYONE

RADII = tuple(range(5, 41, 5))  # pixels of Fig. 6.2
RANDOM_STATE = 11
READERS = ("best proposal of a frame", *(f"model {t + 1}" for t in range(N_TIERS)), "nearest allowed path")
"""Readers that Fig. 6.2 compares: no chain at all, the plain models, and a bound no reader can beat."""

ETAS = tuple(np.geomspace(0.003, 3.0, 25))  # prices of all features of a frame, in joints, for imitation

QUEUES = {False: METHODS["dms_by_value"].name, True: METHODS["dms_per_cost"].names[1]}
"""Names in results of DMS with a queue by value (False) and with one by value per cost (True)."""

ENOUGH = 1.0  # percentage points of joints
OPPONENTS = {
    EVERYONE: EVERYONE,
    AT_ONCE: "random clips, at once to the useful tier",
    METHODS["uniform_arms"].name: "random tier by tier",
    METHODS["uniform_loose"].name: "random clips to any tier",
    METHODS["oracle"].name: "oracle",
}
"""Methods that DMS is compared with, and their names in rows."""

RANDOM = METHODS["uniform_arms"].name, METHODS["uniform_loose"].name, AT_ONCE

AS_IMITATION = "dms, for what imitation spends"  # at the milliseconds that imitation has spent, in `equal`
_LOSSES = {METHODS["dms_elbows"].name: [0], METHODS["dms_wrists"].name: [1]}


class Measured(NamedTuple):
    """Sums over partitions of one set of clips."""

    tallies: dict  # at `GRID`, by method
    equal: dict  # by method where it spent everything's time over each of `TARGETS`; `AS_IMITATION` too
    chosen: dict  # of learned methods, at the budget found on training clips
    stops: np.ndarray  # (G, T): mean share of chains that DMS leaves at each model
    within: np.ndarray  # (6, radii, 2): percent of joints within a radius, by `READERS` (Fig. 6.2)
    full_ms: float  # full_ms, base_ms: a frame's later tiers, and its first with proposals
    base_ms: float
    overhead: Overhead
    queues: dict  # how often each queue was chosen, without test clips
    useful: list  # the useful tier of each split, by its training clips
    r2: np.ndarray  # (T - 1,): share of next models' values' variance that the selector explains; 0: the mean
    folds: list  # ``fold`` and ``rows`` of each split: nothing in them depends on the clock
    by_fold: list  # DMS less random by tier: ``fold``, ``target``, ``elbow``, ``wrist``, points


class Split(NamedTuple):
    """One split, read by its models, and what every method does with it."""

    test: proposals.ArmClips
    looked: batch_selection.Looked  # the test chains
    wrong: np.ndarray  # (W, T, 2): wrong elbows and wrists of the test chains
    rows: list  # from `_curves`
    is_per_cost: bool
    useful: int
    errors: np.ndarray  # (2, T - 1): squared errors of the selector's values and of the training mean's
    overhead: Overhead


def measure(trial: fit.Trial, settings: fit.ArmSettings, tick: Callable | None = None) -> Measured:
    """Measure all methods on the partitions of a trial."""
    numbers, base_ms, full_ms = fit.measured_on(trial)
    tables, queues = ({}, {}, {}), dict.fromkeys(QUEUES.values(), 0)
    within, n_tested, stops, errors, overhead, folds, by_fold, useful = 0, 0, 0, 0, None, [], [], []
    for i, name in enumerate(trial.names):
        split = _split(trial, i, settings, numbers, overhead)
        overhead = split.overhead
        queues[QUEUES[split.is_per_cost]] += 1
        useful.append(split.useful)
        at_equal = _count(tables, split, numbers)
        by_fold += [{"fold": name} | line for line in at_equal]
        first = split.rows[0]
        stops = stops + batch_selection.share_stopping(first["words"][last_within(first["cost"], GRID)])
        within = within + _within(split.test, split.looked.labels, settings)
        n_tested, errors = n_tested + split.test.is_known.sum(), errors + split.errors
        folds.append({"fold": name, "rows": _plain_rows(split)})
        if tick is not None:
            tick(f"partition {i + 1} of {len(trial.splits)}")
    return Measured(
        *tables, stops / len(trial.splits), 100 * within / n_tested, full_ms, base_ms, overhead, queues,
        useful, _r2(errors), folds, by_fold,
    )  # fmt: skip


def _r2(errors):
    return 1 - errors[0] / np.maximum(errors[1], 1e-12)


def _split(trial, i, settings, numbers, overhead):
    rng, split = np.random.default_rng([RANDOM_STATE, i]), trial.splits[i]()
    looked, overhead = _look_at(trial, split, settings, rng, overhead)
    costs = [readings.chain_costs(c, fit.costs_of(c, trial.medians[1:])) for c in split]
    plainly = [(chains._replace(meta=chains.meta[:, :, :-N_GRAM_COLUMNS]), wrong) for chains, wrong in looked]
    is_per_cost = goes_per_cost(plainly, costs, split, rng)
    more = {METHODS["dms_with_n_grams"].name: (looked[0][0], looked[-1][0])}
    useful = useful_tier(looked[0][0])
    rows = _curves(plainly, more, costs, split, is_per_cost, useful, numbers, rng)
    by_name = {row["method"]: row for row in rows}
    is_by_tier = _prefers_tiers(plainly[0][0], costs[0], is_per_cost, rng)
    rows.append(_either(rows[0], by_name[METHODS["uniform_arms"].name], is_by_tier))
    for row in rows:
        row["beside"] = _beside(row, overhead)
        row["ms"] = trial.medians[0] + row["cost"] * row["full_ms"] + row["beside"]
        row["all_ms"] = trial.medians[0] + row["full_ms"]
    errors = _value_errors(plainly[0][0], plainly[-1][0], rng)
    return Split(split[-1], *looked[-1], rows, is_per_cost, useful, errors, overhead)


def useful_tier(looked):
    """The first tier whose loss on training chains is within `ENOUGH` of the least, in points of joints."""
    lost = 100 * looked.losses.sum(axis=0) / (2 * looked.sizes.sum())
    return int(np.argmax(lost <= lost.min() + ENOUGH))


def _value_errors(train, test, rng):
    """`Split.errors` of a selector trained as in DMS, with values per frame."""
    gains = [batch_selection.values_of(chains.losses) / chains.sizes[:, None] for chains in (train, test)]
    fitted = selector.fit_selector(train.meta, gains[0], batch_selection.draw_folds(train, rng))
    predictions = selector.predict_values(fitted, test.meta), gains[0].mean(axis=0)
    return np.stack([((gains[1] - prediction) ** 2).sum(axis=0) for prediction in predictions])


def _count(tables, split, numbers):
    """Add a split to the tallies; return its rows of `Measured.by_fold`, without its name."""
    tallies, equal, chosen = tables
    frames, rows = readings.frames_by_clip(split.test, numbers), {row["method"]: row for row in split.rows}
    shares = 1 / np.array(TARGETS)
    targets = split.rows[0]["all_ms"] * shares
    for row in split.rows:
        _add(tallies, row["method"], row, GRID, last_within(row["cost"], GRID), frames)
        _add(equal, row["method"], row, shares, last_within(row["ms"], targets), frames)
        if "chosen" in row:
            share = np.array([min(row["chosen"]["final_error"] / row["whole_ms"], 1.0)])
            _add(chosen, row["method"], row, share, last_within(row["cost"], share), frames)
    ours, other = split.rows[0], rows[METHODS["imitation"].name]
    spent = other["ms"][last_within(other["ms"], targets)]
    _add(equal, AS_IMITATION, ours, shares, last_within(ours["ms"], spent), frames)
    uniform = rows[METHODS["uniform_arms"].name]
    apart = [_wrong(row, last_within(row["ms"], targets), frames).sum(axis=1) for row in (ours, uniform)]
    points = 100 * (apart[0] - apart[1]) / max(frames.sum(), 1)
    rows = zip(TARGETS, points.tolist(), strict=True)
    return [{"target": target, "elbow": elbow, "wrist": wrist} for target, (elbow, wrist) in rows]


def _plain_rows(split):
    """Errors of the plain models on a split, and how well values are predicted: rows for checks."""
    errors = 100 * split.wrong.sum(axis=0) / split.test.is_known.sum()
    values = enumerate(_r2(split.errors).tolist(), 1)
    return tier_rows("model", errors) + [{"value_of_model": t, "r2": r2} for t, r2 in values]


def _look_at(trial, split, settings, rng, overhead):
    """`Looked` with n-grams, and wrong joints, of each set; overhead is measured if None."""
    train, *others = split
    part, (plain, _), readers, seen = fit.learn(trial, train, settings, rng)
    out = [readings.look_unseen(plain, train, part, settings, n_grams=True)]
    for clips in others:
        read = fit.read_plain(readers, clips)
        out.append(readings.look(read, clips, seen, n_grams=True))
    return out, overhead or readings.overhead_of(readers.plain[0], clips, read, seen)


def goes_per_cost(looked, costs, split, rng):
    """Whether the queue by value per cost has less error: on development chains, or cross-validated."""
    train, at = looked[0][0], 0 if len(looked) == 2 else 1
    if at:
        fitted = batch_selection.choose(train, costs[0], rng).selector
        values = batch_selection.predict_values(fitted, looked[1][0])
    else:
        values = _cross_values(train, rng)
    bad, sizes = [], np.diff(split[at].starts)
    for order in (values, batch_selection.per_cost(values, costs[at])):
        bought = expand(order, costs[at])
        row = batch_selection.row_of("", bought, looked[at][1].sum(axis=2), sizes)
        bad.append(row["error"][last_within(row["cost"] / costs[at].sum() * len(sizes), GRID[1:])].mean())
    return bool(np.argmin(bad))


def _cross_values(train, rng):
    """Values of training chains predicted by selectors that have not seen their clips."""
    return batch_selection.cross_values(
        train, batch_selection.values_of(train.losses) / train.sizes[:, None], rng
    )


def _curves(looked, more, costs, split, is_per_cost, useful, numbers, rng):
    """`batch_selection.curves` of each clip's joints and shares of all costs, DMS's own queue first."""
    (train, train_wrong), (test, wrong), clips = looked[0], looked[-1], split[-1]
    per = costs[0], costs[-1]
    chosen = per if is_per_cost else None
    variants = [Variant(name, train, test, per if by_cost else None) for by_cost, name in QUEUES.items()]
    for name, joints in _LOSSES.items():
        only = train._replace(losses=train_wrong[..., joints].sum(axis=2))
        variants.append(Variant(name, only, test, chosen))
    variants += [Variant(name, *pair, chosen) for name, pair in more.items()]
    n, n_tiers, n_joints = wrong.shape
    losses = np.zeros((n, n_tiers, len(numbers), n_joints), dtype=np.int64)
    losses[np.arange(n), :, np.searchsorted(numbers, clips.clip)] = wrong
    prices = np.array(ETAS) / (costs[0].sum() / len(split[0].joints))
    losses = losses.reshape(n, n_tiers, -1)
    rows = batch_selection.curves(variants, per, losses, test.sizes, rng, etas=prices)
    if is_per_cost:  # then the oracle's queue does too
        knows = batch_selection.per_cost(batch_selection.values_of(test.losses), costs[-1])
        name = METHODS["oracle"].name
        at = [row["method"] for row in rows].index(name)
        rows[at] = batch_selection.row_of(name, expand(knows, costs[-1]), losses, test.sizes)
    rows += _everyone(useful, costs[-1], losses, test.sizes, rng)
    nothing = {key: value[:1] for key, value in rows[0].items() if isinstance(value, np.ndarray)}
    for row in rows:
        if row["cost"][0] > 0:  # imitation: below its cheapest point nothing is bought
            row |= {key: np.concatenate([value, row[key]]) for key, value in nothing.items()}
        row["cost"] = row["cost"] * n / costs[-1].sum()
        row |= {"n": len(clips.joints), "full_ms": costs[-1].sum() / len(clips.joints)}
        row["whole_ms"] = costs[0].sum() / len(costs[0])  # of a training chain
    return [rows[int(is_per_cost)] | {"method": METHODS["dms"].name}, *rows]


def _prefers_tiers(train, costs, is_per_cost, rng):
    """At which of `SHARES` training chains lose less tier by tier than by cross-validated values."""
    learned = _cross_values(train, rng)
    by_tier = selector.uniform_values(*learned.shape, rng)
    orders = (batch_selection.per_cost(learned, costs) if is_per_cost else learned), by_tier
    curves = [curve_of(expand(order, costs), train.losses) for order in orders]
    lost = [at_cost(curve, SHARES * costs.sum()) for curve in curves]
    return lost[1] < lost[0]


def _either(ours, other, is_other):
    """Merge two rows: at each of `SHARES`, `other` where preferred; the unspent rest counts as spent."""
    at = [last_within(row["cost"], SHARES) for row in (ours, other)]
    both = {key: (ours[key][at[0]], other[key][at[1]]) for key in ("share", "error", "words")}
    picked = {key: np.where(is_other[:, None], theirs, mine) for key, (mine, theirs) in both.items()}
    return ours | picked | {"method": EITHER, "cost": SHARES}


def _everyone(useful, costs, losses, sizes, rng, n_random=5):
    """Rows of `EVERYONE` and `AT_ONCE`: tiers beyond the useful one come last."""
    fixed = [np.full(len(sizes), t) for t in range(useful + 1)]
    drawn = [at_once(useful, losses.shape[:2], rng) for _ in range(n_random)]
    random = [batch_selection.row_of(AT_ONCE, expand(values, costs), losses, sizes) for values in drawn]
    return [
        batch_selection.stops_row(EVERYONE, fixed, costs, losses, sizes),
        batch_selection.mean_row(random),
    ]


def at_once(useful, shape, rng):
    """Values that lift one random chain after another to the useful tier, then further: (W, T - 1)."""
    n, n_tiers = shape
    tiers = np.arange(n_tiers - 1)
    return rng.random((n, 1)) + np.where(tiers < useful, 0.0, -1.0 - tiers)


def _beside(row, overhead):
    """Milliseconds per frame on top of features, at each step of a row."""
    lifted = row["share"]
    blind = row["method"] in (EVERYONE, AT_ONCE)
    looks = not blind and (row["method"] == EITHER or find_method(row["method"], EXAMPLE).rule.looks)
    reads = 1.0 + lifted.sum(axis=1) if looks else np.ones(len(lifted))
    metas = 1.0 + lifted[:, :-1].sum(axis=1) if looks else np.zeros(len(lifted))
    return reads * overhead.read + metas * (overhead.meta + overhead.looks)


def _wrong(row, at, frames):
    """Wrong elbows and wrists of each clip after some steps, shape (len(at), C, 2)."""
    return row["error"][at].reshape(len(at), len(frames), -1) * row["n"] / 100


def _add(table, name, row, shares, at, frames):
    """Add steps of a row of one partition, found for shares of all costs, to a method's tally."""
    tally = table.setdefault(name, Tally(len(at), len(frames)))
    tally.add(
        _wrong(row, at, frames), frames, budget_share=100 * shares,
        features_share=100 * row["share"][at].mean(axis=1), ms_per_frame=row["ms"][at],
        overhead_ms=row["beside"][at],
    )  # fmt: skip


def _within(test, labels, settings):
    """Counts of elbows and wrists within each of `RADII`, by each of `READERS`: shape (6, radii, 2)."""
    alone = test.state[:, :, 1].argmax(axis=1)  # the best-scoring proposal of its frame
    every = [alone, *labels, fit.find_nearest_paths(test, settings)]
    near = [test.errors[np.arange(len(test.joints)), states] for states in every]  # NaN is near nothing
    return np.stack([[(errors <= r).sum(axis=0) for r in RADII] for errors in near])
