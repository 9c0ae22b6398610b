"""Readings of arms at every tier, of all clips or a page's batch: scores, milliseconds, errors by clip.

Costs are medians of measured milliseconds, the same for every frame of a tier; a first frame has no flow.
Every method pays the first tier (detectors, proposals), and it counts: ``ms_per_frame`` of a row is the whole
time of one frame of an arm. Errors are shares of elbows and wrists more than 20 pixels off where the truth is
known. Standard errors are over clips: each is tested in several partitions or pieces, but only clips are
independent.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.chain import decode
from spcviz.learning.budgets import batch_selection, part_policy
from spcviz.learning.budgets.batch_selection import Looked
from spcviz.learning.budgets.chains.meta import META, chain_meta
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.chains.tiered_states import TieredStates, state_scores, step_tables
from spcviz.problems.arms.model import features, fit
from spcviz.problems.arms.model import proposals as data
from spcviz.problems.arms.model.proposals import N_TIERS, ArmClips
from spcviz.problems.arms.model.tallies import JOINTS, ratio_error
from spcviz.problems.pose.data import render
from spcviz.shared.clock import median_us
from spcviz.shared.work.disk_cache import load_or_compute

TARGETS = (2, 3, 4, 5)  # compared where each method has spent everything's time (detectors too) over this
SPEEDUPS = (1.5, *TARGETS)
GRID = np.unique(np.concatenate([[0.0], np.round(np.geomspace(0.003, 1.0, 25), 5), 1 / np.array(SPEEDUPS)]))
"""Shares of the cost of everything at which curves of different partitions are averaged."""

SHARES = np.linspace(0.0, 1.0, 201)
"""Shares at which training clips choose between two ways to spend."""

_GRAMS = slice(4, len(META))
N_GRAM_COLUMNS = 2 * len(META[_GRAMS])  # columns that `look` adds at the end for n-grams
MOTION_META = (  # for a selector, on top of the thesis' meta-features: how arms move, how proposals score
    *(f"{what} jump of the {joint}" for what in ("mean", "largest") for joint in JOINTS),
    *(f"{what} score {how}" for what in ("mean", "least") for how in ("below the best", "standardised")),
)

TIMED_CLIPS, REPEATS = 3, 9


def tier_ms(model, modes, folder=None):
    """CPU milliseconds by tier, medians over rendered clips; cached, so that all results share one clock."""
    key = {"n_clips": TIMED_CLIPS} | data.made_with(model, modes)
    make = partial(data.tier_medians, model, modes, TIMED_CLIPS)
    return np.array(load_or_compute(folder, "arms-ms", key, data.CODE, make))


class Overhead(NamedTuple):
    """Measured milliseconds per frame on top of features."""

    read: float  # scores of a frame's states and steps at one tier, and its part of the best path
    meta: float  # a selector's further inputs: second best, entropies, n-grams, distances of histograms
    looks: float  # the colour histogram of one arm


def overhead_of(model: TieredStates, clips: ArmClips, read: fit.TierScores, seen: np.ndarray) -> Overhead:
    """Time the pieces with a one-tier model on one thread; medians over repeats."""
    n, lengths = len(clips.joints), np.diff(clips.starts)
    proposals = fit.proposals_of(clips)
    unary, tables = np.ascontiguousarray(read.scores[:, 0]), np.ascontiguousarray(read.tables[:, 0])

    def path():
        for a, b in zip(clips.starts[:-1], clips.starts[1:], strict=True):
            decode(unary[a:b], tables[a + 1 : b])

    score = median_us(lambda: (state_scores(model, proposals), step_tables(model, proposals)), REPEATS)
    decoding = median_us(path, REPEATS)
    looking = median_us(lambda: chain_meta(unary, lengths, tables, seen, clips.looks), REPEATS)
    picture = render.render_clip(0, 1).images[0]

    def histogram():
        return features.colour_histograms(picture, features.points_of(clips.joints[0, :1])[0])

    meta = max(looking - decoding, 0.0)
    return Overhead((score + decoding) / n / 1e3, meta / n / 1e3, median_us(histogram, 99) / 1e3)


def motion(clips, labels):
    """`MOTION_META` of each chain with states `labels`: shape (W, 8)."""
    rows, first, lengths = np.arange(len(labels)), clips.starts[:-1], np.diff(clips.starts)[:, None]
    places = clips.joints[rows, labels][:, 1:].astype(np.float64)
    jump = np.zeros((len(rows), len(JOINTS)))
    jump[1:] = np.linalg.norm(np.diff(places, axis=0), axis=-1) / features.NEAR_PX
    jump[first] = 0.0
    standing = clips.state[rows, labels][:, 1:3].astype(np.float64)
    means = [np.add.reduceat(series, first) / lengths for series in (jump, standing)]
    ends = np.maximum.reduceat(jump, first), np.minimum.reduceat(standing, first)
    return np.concatenate([means[0], ends[0], means[1], ends[1]], axis=1)


def look(
    read: fit.TierScores, clips: ArmClips, seen: np.ndarray, *, n_grams: bool = False
) -> tuple[Looked, np.ndarray]:
    """A selector's inputs for chains at each tier (`n_grams`: the thesis' too), and wrong joints."""
    lengths, rows = np.diff(clips.starts), np.arange(len(clips.joints))
    labels, meta, wrong = [], [], []
    is_wrong = clips.errors > features.NEAR_PX
    for t in range(N_TIERS):
        states, columns = chain_meta(read.scores[:, t], lengths, read.tables[:, t], seen, clips.looks)
        labels.append(states)
        blocks = [columns[:, : _GRAMS.start], columns[:, _GRAMS.stop :], motion(clips, states)]
        if n_grams:
            blocks += [columns[:, _GRAMS] / lengths[:, None], columns[:, _GRAMS] > 0]
        meta.append(np.concatenate(blocks, axis=1))
        wrong.append(np.add.reduceat(is_wrong[rows, states].astype(np.int64), clips.starts[:-1]))
    wrong = np.stack(wrong, axis=1)
    meta = np.stack(meta, axis=1)[:, :-1]
    return Looked(meta, wrong.sum(axis=2), np.stack(labels), clips.clip, lengths), wrong


def look_unseen(read, clips, part, settings, *, n_grams=False):
    """`look` at training chains whose n-grams count as seen only if another part of the clips has them."""
    wrong = np.zeros((len(clips.clip), N_TIERS, len(JOINTS)), dtype=np.int64)
    meta = labels = None
    for p in np.unique(part):
        in_part = part == p
        rows = np.repeat(in_part, np.diff(clips.starts))
        seen = fit.seen_modes(clips.choose(np.flatnonzero(~in_part)), settings)
        held = type(read)(*(values[rows] for values in read))
        looked, wrong[in_part] = look(held, clips.choose(np.flatnonzero(in_part)), seen, n_grams=n_grams)
        if meta is None:
            meta = np.zeros((len(in_part), *looked.meta.shape[1:]))
            labels = np.zeros((N_TIERS, len(rows)), dtype=np.int64)
        meta[in_part], labels[:, rows] = looked.meta, looked.labels
    return Looked(meta, wrong.sum(axis=2), labels, clips.clip, np.diff(clips.starts)), wrong


def chain_costs(clips, part_costs):
    """Cost of each chain's next tier, shape (W, T - 1), summed over its parts."""
    return np.add.reduceat(part_costs, clips.starts[:-1])


def frames_by_clip(clips, numbers):
    """Number of frames with known truth in each clip, both arms counted, shape (C,)."""
    at = np.searchsorted(numbers, clips.clip)
    known = np.add.reduceat(clips.is_known.astype(float), clips.starts[:-1])
    return np.bincount(at, weights=known, minlength=len(numbers))


def near_share(clips: ArmClips) -> tuple[float, ...]:
    """Percent of frames with a proposal whose elbow and wrist are near, and its standard error."""
    numbers = np.unique(clips.clip)
    near = (clips.is_known & (clips.loss.min(axis=1) == 0)).astype(float)
    by_clip = np.zeros(len(numbers))
    np.add.at(by_clip, np.searchsorted(numbers, np.repeat(clips.clip, np.diff(clips.starts))), near)
    spread = ratio_error(by_clip[None, :, None], frames_by_clip(clips, numbers))
    return 100 * float(near.sum() / clips.is_known.sum()), float(spread[0, 0])


class ArmBatch(NamedTuple):
    """Some arms with the models' scores, predicted values and costs."""

    clips: ArmClips
    parts: Parts  # by the tiered model
    looked: Looked  # by the plain models
    values: np.ndarray  # (W, T - 1): predicted by the selector
    costs: np.ndarray  # (R, T - 1): milliseconds


def read_batch(model, clips: ArmClips) -> ArmBatch:
    """Read arms at all tiers with all models."""
    looked, _ = look(fit.read_plain(model.readers, clips), clips, model.seen)
    tiered = fit.read_tiered(model.readers, clips)
    parts = fit.parts_of(tiered, clips, model.seen, model.scale)
    costs = fit.costs_of(clips)
    values = batch_selection.predict_values(model.selector, looked)
    if model.is_per_cost[0]:  # a chain of one frame has no flow to pay for
        values = batch_selection.per_cost(values, np.maximum(chain_costs(clips, costs), 1e-9))
    return ArmBatch(clips, parts, looked, values, costs)


def policy_rule(model):
    """The `Rule` of DMS-pi."""
    return part_policy.rule(model.beta, per_cost=model.is_per_cost[1])


def clips_of(model):
    """Numbers of the test clips."""
    return np.unique(model.clips.clip).tolist()


def draw_batch(model, n_clips, seed):
    """Chains of a random batch of test clips, both arms of each."""
    numbers = clips_of(model)
    n = checks.integer("n_clips", n_clips, 1, len(numbers))
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**31))
    chosen = rng.choice(numbers, n, replace=False)
    return np.concatenate([np.flatnonzero(model.clips.clip == number) for number in chosen])


def metrics_of(model):
    """Percent of elbows and wrists off on test clips, plain and after a tenth of the time; ms a tier."""
    batch = read_batch(model, model.clips)
    joints = 2 * len(batch.costs)
    trajectory = part_policy.spend(batch.parts, policy_rule(model), 0.1 * batch.costs.sum(), batch.costs)
    lost = part_policy.curve(batch.parts, trajectory, batch.costs).loss[-1]
    return {
        "plain_error": [100 * float(wrong) / joints for wrong in batch.looked.losses.sum(axis=0)],
        "error_of_a_tenth": 100 * float(lost) / joints,
        "ms": (1e3 * model.clips.seconds[0]).tolist(),
    }
