"""DMS-pi on arms by frames and by spans: thesis Table 7.1 and Fig. 7.2, on signing and rendered clips.

One predictor serves all states of extraction. An action raises one frame of one arm by one tier, or a span of
consecutive frames, up to the whole chain. Policies of all lengths are trained alike, with the same draws, on
training chains read by models that have not seen them. A third of these chains chooses between discounts,
between queues by value (as printed) and by value per millisecond, and between lengths, one of which is whole
chains chosen by a selector from their meta-features.

`measure` sums over splits, and `lines_of` makes the lines of the table from that, with the thesis' figures.
An improvement is the share that a method keeps of the possible gain, from the first tier for all frames to
the last.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from spcviz.learning.budgets import batch_selection, part_policy, selector
from spcviz.learning.budgets.chains.spans import WHOLE, in_spans
from spcviz.learning.budgets.expansion import at_cost, curve_of, expand, last_within
from spcviz.learning.budgets.methods import EXAMPLE, METHODS
from spcviz.problems.arms.model import dms, features, fit, readings
from spcviz.problems.arms.model.proposals import N_TIERS
from spcviz.problems.arms.model.readings import GRID, SHARES, TARGETS, Overhead
from spcviz.problems.arms.model.tallies import (
    Tally,
    equal_rows,
    gain_kept,
    gap_of_both,
    plain,
    tidy,
    tier_rows,
)
from spcviz.problems.arms.shown import ANY_SPANS, AT_ONCE, EITHER, SPAN_LENGTHS, SPANS, WHOLE_SPANS, spans_of
from spcviz.shared.clock import median_us

RANDOM_STATE = 13
THESIS_TARGETS = 4, 8, 16, 32
"""Speed-ups of Table 7.1, where the first tier is free: the later tiers' milliseconds divided by these."""
FIXED = ("Base only", "Coarse flow", "All")
"""Names of the tiered predictor with all frames at one tier; the thesis has the first and the last."""

OPPONENTS = {
    AT_ONCE: dms.OPPONENTS[AT_ONCE],
    METHODS["uniform"].name: "random tier by tier",
    METHODS["random"].name: "random frames to any tier",
    METHODS["oracle"].name: "oracle",
}
"""Names in rows of the methods that DMS-pi is compared with."""

LENGTHS = METHODS["dms_pi"].name, METHODS["dms_pi_whole"].names[-1], WHOLE_SPANS, SPANS, ANY_SPANS
"""Learned methods compared by how much they buy at once, each with those before it."""

CLOCKS = {False: "with detectors", True: "without detectors"}
"""Whether the first tier's milliseconds count, as for a user who runs it, or not, as in the thesis."""

TABLE_7_1 = {
    "All": {"error": 44.3, "time_s": 5.20, "speedup": 1.0},
    4: {"error": 44.0, "features_share": 23.1, "time_s": 1.20, "overhead_s": 0.10, "speedup": 4.0},
    8: {"error": 44.5, "features_share": 10.8, "time_s": 0.56, "overhead_s": 0.08, "speedup": 8.0},
    16: {"error": 45.6, "features_share": 4.6, "time_s": 0.24, "overhead_s": 0.08, "speedup": 16.0},
    32: {"error": 46.5, "features_share": 1.5, "time_s": 0.08, "overhead_s": 0.07, "speedup": 32.0},
    "Base only": {"error": 47.7},
}
"""The thesis' figures by target."""

QUEUES = {False: "dms_pi_by_value", True: "dms_pi_per_cost"}  # by whether a queue goes by value per cost
_PLAIN = ("dms_pi", "imitation_parts", "greedy", "random", "uniform")


class Measured(NamedTuple):
    """Sums over splits."""

    tallies: dict  # at `GRID`, by method
    targets: dict  # by method, at each of `TARGETS`, everything counted
    beyond: dict  # at each of `THESIS_TARGETS`, the first tier not counted
    fixed: Tally  # all frames at one tier, for each tier
    chosen: dict  # of learned methods, at the budget found on training chains for the error of all features
    full_ms: float  # full_ms, base_ms: a frame's later tiers, and its first with proposals
    base_ms: float
    overhead: Overhead
    queues: dict  # how often held-out training chains chose each queue
    useful: list  # the useful tier of each split, see `dms.useful_tier`
    folds: list  # ``fold`` and ``rows`` of each split: the tiered predictor with all frames at one tier
    people: np.ndarray | None  # (C,): the person of each clip, where persons have several clips
    lengths: dict  # by `SPANS` and `ANY_SPANS`: how often held-out training chains chose each `Way`


class Run(NamedTuple):
    """One method on the test chains of a split, step by step."""

    ms: np.ndarray  # (S + 1,): features bought so far beyond the first tier, per frame
    overhead: np.ndarray  # (S + 1,): inference and selection so far, per frame
    share: np.ndarray  # (S + 1,): of all feature sets, 0 to 1
    wrong: callable  # wrong(steps) -> wrong elbows and wrists of each clip after these steps, (G, C, 2)


class Way(NamedTuple):
    """One length of the spans bought at once, for training chains to choose from."""

    badness: float  # of its policy on the held-out training chains
    run: Run  # on the test chains


def measure(trial: fit.Trial, settings: fit.ArmSettings, tick: Callable | None = None) -> Measured:
    """Measure all methods on some splits, each of training and test chains."""
    numbers, base_ms, full_ms = fit.measured_on(trial)
    queues = {METHODS[key].name: 0 for key in QUEUES.values()}
    people = None if trial.people is None else trial.people[numbers]
    fixed = Tally(N_TIERS, len(numbers))
    measured = Measured({}, {}, {}, fixed, {}, full_ms, base_ms, None, queues, [], [], people, {})
    for i in range(len(trial.splits)):
        measured = _one_split(measured, trial, i, settings, numbers)
        if tick is not None:
            tick(f"split {i + 1} of {len(trial.splits)}")
    return measured


def _one_split(measured, trial, i, settings, numbers):
    rng, (train, test) = np.random.default_rng([RANDOM_STATE, i]), trial.splits[i]()
    part, (_, unseen), readers, seen = fit.learn(trial, train, settings, rng)
    read = fit.read_tiered(readers, test)
    learn = fit.parts_of(unseen, train, seen)
    parts = fit.parts_of(read, test, seen, learn.scale)
    costs = [fit.costs_of(clips, trial.medians[1:]) for clips in (train, test)]
    if measured.overhead is None:
        measured = measured._replace(overhead=readings.overhead_of(readers.plain[0], test, read, seen))
    draws = deepcopy(rng)
    learn, parts = in_spans(learn, 1), in_spans(parts, 1)
    rules, shares, best = policies(learn, parts, costs[0], train.clip, rng)
    is_per_cost = best.per_cost
    measured.queues[METHODS[QUEUES[is_per_cost]].name] += 1
    frames = readings.frames_by_clip(test, numbers)
    runs = {}
    for key, how in rules.items():
        runs[key] = _spans_run(parts, test, how, costs[1], numbers, measured.overhead)
        _add(measured, key, runs[key], frames, costs[1], shares.get(key))
    ways = {"1": Way(best.badness, runs["dms_pi"])}
    for length in (*SPAN_LENGTHS, WHOLE):
        spans = [in_spans(ones.parts, length) for ones in (learn, parts)]
        queue = best_queue(spans[0], draws, costs[0], train.clip)
        how = part_policy.rule(queue.policy.beta, per_cost=queue.per_cost)
        run = _spans_run(spans[1], test, how, costs[1], numbers, measured.overhead)
        name, said = (WHOLE_SPANS, "all") if length == WHOLE else (spans_of(length), str(length))
        ways[said] = Way(queue.badness, run)
        _add(measured, name, run, frames, costs[1], None)
    is_by_tier = _prefers_tiers(learn, rules["dms_pi"], costs[0], rng)
    either = _either(runs["dms_pi"], runs["uniform"], is_by_tier, costs[1].sum() / len(costs[1]))
    _add(measured, EITHER, either, frames, costs[1], None)
    looked = readings.look_unseen(unseen, train, part, settings)[0]
    looked_test, wrong = readings.look(read, test, seen)
    chains = [readings.chain_costs(clips, ms) for clips, ms in zip((train, test), costs, strict=True)]
    per = chains[1] if is_per_cost else None
    orders = batch_selection.whole_orders(looked, looked_test, chains[1], rng, per)
    knows = batch_selection.values_of(looked_test.losses)  # of the best selector with one step of lookahead
    orders["oracle"] = expand(knows if per is None else batch_selection.per_cost(knows, per), chains[1])
    measured.useful.append(dms.useful_tier(looked))
    orders[AT_ONCE] = expand(dms.at_once(measured.useful[-1], wrong.shape[:2], rng), chains[1])
    for key, bought in orders.items():
        runs[key] = _chains_run(bought, wrong, test, numbers, measured.overhead, looks=key != AT_ONCE)
        _add(measured, key, runs[key], frames, costs[1], None)
    wasted = _wasted_by_clips(looked, chains[0], is_per_cost, best.held, deepcopy(rng))
    ways["clips"] = Way(wasted, runs["dms_pi_whole"])
    for key, names in ((SPANS, map(str, SPAN_LENGTHS)), (ANY_SPANS, ways)):
        run = _chosen_way(measured.lengths.setdefault(key, {}), {name: ways[name] for name in names})
        _add(measured, key, run, frames, costs[1], None)
    _add_fixed(measured, wrong, test, numbers, frames, costs[1])
    errors = 100 * wrong.sum(axis=0) / frames.sum()
    measured.folds.append({"fold": trial.names[i], "rows": tier_rows("tier", errors)})
    return measured


def policies(learn, parts, costs, group, rng):
    """Rules by method for test parts, shares found on held-out chains, and the queue that those chose."""
    queues = part_policy.train_queues(learn, rng, costs, group=group)
    best = min(queues, key=lambda trained: trained.badness)
    noise = rng.random((parts.shape[0], N_TIERS - 1))
    policy = best.policy.beta, best.policy.myopic, best.imitation
    learned = part_policy.Learned(*policy, noise, {}, best.per_cost)
    rules = {key: part_policy.rule_of(METHODS[key], learned) for key in _PLAIN}
    rules |= {QUEUES[t.per_cost]: part_policy.rule(t.policy.beta, per_cost=t.per_cost) for t in queues}
    shares = {QUEUES[trained.per_cost]: trained.budgets["final_error"] for trained in queues}
    return rules, shares | {"dms_pi": shares[QUEUES[best.per_cost]]}, best


def best_queue(learn, draws, costs, group):
    """The queue that held-out chains choose for spans, trained with the draws of the frames' policy."""
    queues = part_policy.train_queues(learn, deepcopy(draws), learn.costs(costs), group=group)
    return min(queues, key=lambda trained: trained.badness)


def _wasted_by_clips(looked, costs, is_per_cost, held, rng):
    """Badness of buying whole chains on the held-out ones, by selectors that have not seen their clips."""
    gains = batch_selection.values_of(looked.losses) / looked.sizes[:, None]
    values = batch_selection.cross_values(looked, batch_selection.with_later(gains), rng)[held]
    costs = costs[held]
    order = batch_selection.per_cost(values, costs) if is_per_cost else values
    curve = curve_of(expand(order, costs), looked.losses[held])
    return part_policy.badness(curve._replace(cost=curve.cost / costs.sum()))


def _chosen_way(counted, ways):
    """The run whose policy wastes least on held-out chains (ties: the first); counts the choice."""
    chosen = min(ways, key=lambda name: ways[name].badness)
    for name in ways:
        counted[name] = counted.get(name, 0) + (name == chosen)
    return ways[chosen].run


def _prefers_tiers(learn, how, costs, rng):
    """Where, among `SHARES`, training chains lose less by random tier by tier than by the rule `how`."""
    by_tier = part_policy.rule(fixed=selector.uniform_values(len(costs), N_TIERS - 1, rng))
    spent = [part_policy.spend(learn, rule, costs=costs) for rule in (how, by_tier)]
    lost = [at_cost(part_policy.curve(learn, trajectory, costs), SHARES) for trajectory in spent]
    return lost[1] < lost[0]


def _either(ours, other, is_other, full):
    """Combine two runs: at each of `SHARES`, the other where it is preferred; unspent budget counts too."""
    at = [last_within(run.ms, SHARES * full) for run in (ours, other)]
    overhead, share = (
        np.where(is_other, getattr(other, name)[at[1]], getattr(ours, name)[at[0]])
        for name in ("overhead", "share")
    )
    wrong = np.where(is_other[:, None, None], other.wrong(at[1]), ours.wrong(at[0]))
    return Run(SHARES * full, overhead, share, lambda steps: wrong[steps])


def _spans_run(spans, test, how, costs, numbers, overhead):
    """A rule on the test chains in spans, timed; costs (R, T - 1) are per frame."""
    n, costs = len(costs), spans.costs(costs)
    begin = median_us(lambda: part_policy.spend(spans, how, 0.0, costs), 3) / 1e3
    whole = median_us(lambda: part_policy.spend(spans, how, costs=costs), 1) / 1e3
    trajectory = part_policy.spend(spans, how, costs=costs, keep_all=True)
    steps = len(trajectory.part)
    labels = np.concatenate([trajectory.labels_before[None], trajectory.all_labels])
    lifted = np.concatenate([[0], np.cumsum(np.diff(spans.first)[trajectory.part])])
    looked_at = n + np.concatenate([[0], np.cumsum((np.diff(labels, axis=0) != 0).sum(axis=1))])
    if len(how.fixed):
        looked_at = np.zeros(steps + 1)
    each = max(whole - begin, 0.0) / max(steps, 1)
    beside = begin + np.arange(steps + 1) * each + lifted * overhead.read + looked_at * overhead.looks

    def wrong(at):
        is_wrong = test.errors > features.NEAR_PX
        of_frames = is_wrong[np.arange(n), labels[at]]
        return _by_clip(np.add.reduceat(of_frames.astype(float), test.starts[:-1], axis=1), test, numbers)

    ms = np.concatenate([[0.0], np.cumsum(trajectory.cost)]) / n
    return Run(ms, beside / n, lifted / (n * (N_TIERS - 1)), wrong)


def _chains_run(bought, wrong_at, test, numbers, overhead, *, looks):
    lengths = np.diff(test.starts)
    n = lengths.sum()
    tiers = np.zeros((len(bought.tier) + 1, len(lengths)), dtype=np.int64)
    for s, (w, t) in enumerate(zip(bought.example, bought.tier, strict=True), 1):
        tiers[s:, w] = t
    frames = np.concatenate([[0], np.cumsum(lengths[bought.example])])
    beside = (n + frames) * overhead.read
    if looks:
        seen = np.concatenate([[0], np.cumsum(lengths[bought.example] * (bought.tier < N_TIERS - 1))])
        beside = beside + (n + seen) * (overhead.meta + overhead.looks)

    def wrong(at):
        return _by_clip(wrong_at[np.arange(len(lengths)), tiers[at]].astype(float), test, numbers)

    ms = np.concatenate([[0.0], np.cumsum(bought.cost)]) / n
    return Run(ms, beside / n, frames / (n * (N_TIERS - 1)), wrong)


def _by_clip(values, test, numbers):
    """Sums over the chains of each clip: (G, W, 2) to (G, C, 2)."""
    out = np.zeros((len(values), len(numbers), values.shape[-1]))
    np.add.at(out, (slice(None), np.searchsorted(numbers, test.clip)), values)
    return out


def _add(measured, key, run, frames, costs, share):
    full, name = costs.sum() / len(costs), _name(key)

    def tally(table, at):
        entry = table.setdefault(name, Tally(len(at), len(frames)))
        entry.add(
            run.wrong(at), frames, budget_share=100 * run.ms[at] / full, features_share=100 * run.share[at],
            ms_per_frame=measured.base_ms + run.ms[at] + run.overhead[at], overhead_ms=run.overhead[at],
        )  # fmt: skip

    tally(measured.tallies, last_within(run.ms, GRID * full))
    if share is not None:
        tally(measured.chosen, last_within(run.ms, np.array([min(share, 1.0) * full])))
    limits = (measured.base_ms + full) / np.array(TARGETS)
    tally(measured.targets, last_within(measured.base_ms + run.ms + run.overhead, limits))
    tally(measured.beyond, last_within(run.ms + run.overhead, full / np.array(THESIS_TARGETS)))


def _name(key):
    """The name of a method in the result: methods on whole clips have separate names."""
    if key not in METHODS:
        return key
    method = METHODS[key]
    return method.names[-1] if method.level == EXAMPLE else method.name


def _add_fixed(measured, wrong, test, numbers, frames, costs):
    """Add all frames at one tier: the thesis has All and Base only, too."""
    ms = np.concatenate([[0.0], np.cumsum(costs.sum(axis=0))]) / len(costs)
    measured.fixed.add(
        _by_clip(np.moveaxis(wrong, 1, 0).astype(float), test, numbers), frames,
        budget_share=100 * ms / ms[-1],
        features_share=100 * np.arange(N_TIERS) / (N_TIERS - 1), ms_per_frame=measured.base_ms + ms,
        overhead_ms=0.0 * ms,
    )  # fmt: skip


def lines_of(measured):
    """All lines for one set of clips, from `measure`."""
    fixed = measured.fixed.rows("single tier")
    base, everything = fixed[0]["error"], fixed[-1]["error"]
    table = []
    for row in equal_rows(measured.targets, TARGETS):
        at = TARGETS.index(row["target"])
        table.append(row | _gain(measured, measured.targets, row["method"], at))
    for row in equal_rows(measured.beyond, THESIS_TARGETS):
        paper = {"paper": TABLE_7_1[row["target"]]} if row["method"] == "q-learning" else {}
        at, tally = THESIS_TARGETS.index(row["target"]), measured.beyond[row["method"]]
        minus = {name: plain(gap_of_both(tally, measured.fixed, at, t)) for t, name in enumerate(FIXED)}
        gain = _gain(measured, measured.beyond, row["method"], at)
        table.append(row | {"is_beyond": True, "error_minus": minus} | gain | paper)
    for t, (name, row) in enumerate(zip(FIXED, fixed, strict=True)):
        gain = _gain(measured, {name: measured.fixed}, name, t)
        paper = {"paper": TABLE_7_1[name]} if name in TABLE_7_1 else {}
        table.append(row | {"method": name} | gain | paper)
    for row in table:
        free = measured.base_ms if row.get("is_beyond") else 0.0
        spent, whole = row["ms_per_frame"] - free, measured.base_ms + measured.full_ms - free
        row["speedup"] = tidy(whole / spent) if spent > 0 else None
        gained = (base - row["error"]) / (base - everything) if base > everything else np.nan
        row["improvement"] = tidy(100 * gained)
    return table


def _gain(measured, tallies, method, at):
    """Spreads of a line of Table 7.1, over clips and over people: of its error, of the share of the possible
    gain that it keeps, and of how much that share exceeds those of the methods before it in `LENGTHS`.
    """
    people = measured.people
    own, fixed = tallies[method], measured.fixed
    rivals = LENGTHS[: LENGTHS.index(method)] if method in LENGTHS else ()
    more = {name: gain_kept(own, fixed, at, tallies[name]) for name in rivals}
    out = {"n_clips": own.n_tested, "improvement_stderr": gain_kept(own, fixed, at)[1]}
    out |= {"n_people": None, "error_stderr_people": None, "improvement_stderr_people": None}
    if people is not None:
        own, fixed = own.by(people), fixed.by(people)
        more = {
            name: (*of, gain_kept(own, fixed, at, tallies[name].by(people))[1]) for name, of in more.items()
        }
        out["n_people"] = own.n_tested
        out["error_stderr_people"] = own.rows(method)[at]["error_stderr"]
        out["improvement_stderr_people"] = gain_kept(own, fixed, at)[1]
    return plain(out | ({"improvement_minus": more} if rivals else {}))


def people_of(measured):
    """The number of persons tested, and the coverage of two standard errors over this few, percent."""
    if measured.people is None:
        return None
    n = measured.fixed.by(measured.people).n_tested
    return {"n": n, "two_stderr_hold": 100 * (1 - 2 * stdtr(n - 1, -2.0)) if n > 1 else None}
