"""DMS-pi on arms, frame by frame: thesis Table 7.1 and Fig. 7.2, on rendered clips.

One predictor for all states of extraction; an action lifts one frame of one arm by one tier. Policies learn
from training chains read by models that have not seen them; a third of these decides between discounts, and
between queues by value (as printed) and by value per millisecond.
"""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import batch_selection
from spcviz.learning.budgets.chains import part_policy
from spcviz.problems.arms import data, features, fit
from spcviz.problems.arms import looks as pose_budgets
from spcviz.problems.arms.data import N_TIERS
from spcviz.problems.arms.looks import GRID, Overhead
from spcviz.problems.arms.tallies import Tally
from spcviz.problems.common.clock import median_us

RANDOM_STATE = 13
TARGETS = (4, 8, 16, 32)
"""Speed-ups of Table 7.1."""

FIXED = ("Base only", "All-Colour", "All-Flow", "All")
"""The tiered predictor with all frames at one tier; the thesis has the first and the last two."""

QUEUES = ("q-learning, by value", "q-learning, by value per ms")
_RULES = ("imitation", "greedy", "random", "uniform by tiers")


class Measured(NamedTuple):
    """Sums over splits.

    Attributes
    ----------
    tallies : dict of str to Tally
        At `GRID`, by method.
    targets : dict of str to Tally
        Of learned methods at each of `TARGETS`, everything counted.
    fixed : Tally
        All frames at one tier, for each tier.
    chosen : dict of str to Tally
        Of learned methods, at the budget found on training chains for the error of all features.
    full_ms, base_ms : float
        Features of all tiers after the first, and the first with the proposals; a frame.
    overhead : Overhead
    queues : dict of str to int
        How often held-out training chains chose each queue.
    """

    tallies: dict
    targets: dict
    fixed: Tally
    chosen: dict
    full_ms: float
    base_ms: float
    overhead: Overhead
    queues: dict


class Run(NamedTuple):
    """One method on the test chains of a split, step by step.

    Attributes
    ----------
    ms : ndarray, shape (S + 1,)
        Features bought so far, a frame.
    overhead : ndarray, shape (S + 1,)
        Inference and choosing so far, a frame.
    share : ndarray, shape (S + 1,)
        Of all feature sets, 0 to 1.
    wrong : callable
        wrong(steps) -> wrong elbows and wrists of each clip after so many steps, shape (G, C, 2).
    """

    ms: np.ndarray
    overhead: np.ndarray
    share: np.ndarray
    wrong: callable


def measure(splits, settings, medians, tick=None):
    """All methods on some splits.

    Parameters
    ----------
    splits : list of callable
        Each returns training and test chains: copies, so not all are held at once.
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
    found = Measured({}, {}, Tally(N_TIERS, len(numbers)), {}, 0.0, base_ms, None, dict.fromkeys(QUEUES, 0))
    full = fit.costs_of(everything, medians).sum() / len(everything.joints)
    for i, draw in enumerate(splits):
        rng = np.random.default_rng([RANDOM_STATE, i])
        found = _one_split(found, *draw(), settings, medians, numbers, rng)
        if tick is not None:
            tick(f"split {i + 1} of {len(splits)}")
    return found._replace(full_ms=full)


def _one_split(found, train, test, settings, medians, numbers, rng):
    """Add a split to all tallies."""
    part = fit.draw_parts(train, settings, rng)
    _, unseen = fit.read_unseen(train, settings, rng, part)
    readers = fit.fit_readers(train, settings, rng)
    seen, read = fit.seen_modes(train, settings), fit.read_tiered(readers, test)
    learn = fit.parts_of(unseen, train, seen)
    parts = fit.parts_of(read, test, seen, learn.scale)
    costs = [fit.costs_of(clips, medians) for clips in (train, test)]
    if found.overhead is None:
        found = found._replace(overhead=pose_budgets.overhead_of(readers.plain[0], test, read, seen))
    rules, shares, queue = policies(learn, parts, costs[0], train.clip, rng)
    found.queues[queue] += 1
    frames = pose_budgets.frames_by_clip(test, numbers)
    for name, how in rules.items():
        run = _frames_run(parts, test, how, costs[1], numbers, found.overhead)
        _add(found, name, run, frames, costs[1], shares.get(name))
    looked = pose_budgets.look_unseen(unseen, train, part, settings)[0]
    looked_test, wrong = pose_budgets.look(read, test, seen)
    chains = [pose_budgets.chain_costs(clips, own) for clips, own in zip((train, test), costs, strict=True)]
    per = chains[1] if queue == QUEUES[1] else None
    for name, bought in batch_selection.whole_orders(looked, looked_test, chains[1], rng, per).items():
        run = _chains_run(bought, wrong, test, numbers, found.overhead)
        _add(found, f"{name}, whole clips", run, frames, costs[1], None)
    _add_fixed(found, wrong, test, numbers, frames, costs[1])
    return found


def policies(learn, parts, costs, group, rng):
    """Rules by name for test parts, shares found on held-out chains, and the queue those chains chose."""
    trained = dict(zip(QUEUES, part_policy.train_queues(learn, rng, costs, group=group), strict=True))
    queue = min(QUEUES, key=lambda name: trained[name].badness)
    best = trained[queue]
    own = part_policy.rules(best.policy, best.imitation, parts, rng, per_cost=best.per_cost)
    rules = {"q-learning": own["q-learning"]} | {name: own[name] for name in _RULES}
    rules |= {n: part_policy.rule(t.policy.beta, per_cost=t.per_cost) for n, t in trained.items()}
    shares = {name: found.budgets["final_error"] for name, found in trained.items()}
    return rules, shares | {"q-learning": shares[queue]}, queue


def _frames_run(parts, test, how, costs, numbers, overhead):
    """A rule on the test chains, timed."""
    n = len(parts.scores)
    begin = median_us(lambda: part_policy.spend(parts, how, 0.0, costs), 3) / 1e3
    whole = median_us(lambda: part_policy.spend(parts, how, costs=costs), 1) / 1e3
    course = part_policy.spend(parts, how, costs=costs, keep_all=True)
    steps = len(course.part)
    labels = np.concatenate([course.labels_before[None], course.all_labels])
    looked_at = n + np.concatenate([[0], np.cumsum((np.diff(labels, axis=0) != 0).sum(axis=1))])
    if len(how.fixed):
        looked_at = np.zeros(steps + 1)
    each = max(whole - begin, 0.0) / max(steps, 1)
    beside = begin + np.arange(steps + 1) * (each + overhead.read) + looked_at * overhead.looks

    def wrong(at):
        is_wrong = test.errors > features.NEAR_PX
        of_frames = is_wrong[np.arange(n), labels[at]]
        return _by_clip(np.add.reduceat(of_frames.astype(float), test.starts[:-1], axis=1), test, numbers)

    ms = np.concatenate([[0.0], np.cumsum(course.cost)]) / n
    return Run(ms, beside / n, np.arange(steps + 1) / (n * (N_TIERS - 1)), wrong)


def _chains_run(bought, wrong_at, test, numbers, overhead):
    """Whole chains in an order."""
    lengths = np.diff(test.starts)
    n = lengths.sum()
    tiers = np.zeros((len(bought.tier) + 1, len(lengths)), dtype=np.int64)
    for s, (w, t) in enumerate(zip(bought.example, bought.tier, strict=True)):
        tiers[s + 1] = tiers[s]
        tiers[s + 1, w] = t
    frames = np.concatenate([[0], np.cumsum(lengths[bought.example])])
    looks = np.concatenate([[0], np.cumsum(lengths[bought.example] * (bought.tier < N_TIERS - 1))])
    beside = (n + frames) * overhead.read + (n + looks) * (overhead.meta + overhead.looks)

    def wrong(at):
        return _by_clip(wrong_at[np.arange(len(lengths)), tiers[at]].astype(float), test, numbers)

    ms = np.concatenate([[0.0], np.cumsum(bought.cost)]) / n
    return Run(ms, beside / n, frames / (n * (N_TIERS - 1)), wrong)


def _by_clip(values, test, numbers):
    """Sums over the chains of each clip: (G, W, 2) to (G, C, 2)."""
    out = np.zeros((len(values), len(numbers), values.shape[-1]))
    np.add.at(out, (slice(None), np.searchsorted(numbers, test.clip)), values)
    return out


def _add(found, name, run, frames, costs, share):
    """Add a method's run to its tallies."""
    full = costs.sum() / frames.sum()

    def tally(table, at):
        own = table.setdefault(name, Tally(len(at), len(frames)))
        own.add(
            run.wrong(at), frames, budget_share=100 * run.ms[at] / full, features_share=100 * run.share[at],
            ms_per_frame=run.ms[at] + run.overhead[at], overhead_ms=run.overhead[at],
        )  # fmt: skip

    tally(found.tallies, _last_within(run.ms, GRID * full))
    if share is not None:
        tally(found.chosen, _last_within(run.ms, np.array([min(share, 1.0) * full])))
    if name.startswith("q-learning") or name in ("imitation", "greedy"):
        tally(found.targets, _last_within(run.ms + run.overhead, full / np.array(TARGETS)))


def _last_within(rising, limits):
    """Last index of rising values within each limit; the first if even that is beyond."""
    return np.maximum(np.searchsorted(rising, limits * (1 + 1e-9) + 1e-12, side="right") - 1, 0)


def _add_fixed(found, wrong, test, numbers, frames, costs):
    """All frames at one tier: what the thesis calls All, All-Flow and Base only."""
    ms = np.concatenate([[0.0], np.cumsum(costs.sum(axis=0))]) / frames.sum()
    found.fixed.add(
        _by_clip(np.moveaxis(wrong, 1, 0).astype(float), test, numbers), frames,
        budget_share=100 * ms / ms[-1],
        features_share=100 * np.arange(N_TIERS) / (N_TIERS - 1), ms_per_frame=ms, overhead_ms=0.0 * ms,
    )  # fmt: skip
