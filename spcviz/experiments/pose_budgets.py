"""What budgets on arms are measured by: readings of whole arms, milliseconds of overhead, errors by clip.

An arm of a clip is a chain, a frame a part. Costs are medians of measured milliseconds, the same for every
frame of a tier; a first frame has no flow. Time is what comes after the proposals, as in the thesis, where
the first tier is free. Errors are shares of elbows and wrists more than 20 pixels off. The same clip is
tested in several partitions, so clips are what is independent: standard errors are over clips.
"""

import json
from typing import NamedTuple

import numpy as np

from spcviz.engine.chain import decode
from spcviz.experiments import budget_pose, budget_pose_fit
from spcviz.experiments.budget_pose import N_TIERS
from spcviz.experiments.budget_times import median_us
from spcviz.learning import selector
from spcviz.learning.batch_selection import Looked
from spcviz.learning.chain_meta import META, chain_meta
from spcviz.learning.tiered_states import state_scores, step_tables
from spcviz.store import write_json_atomic
from spcviz.tasks import pose_arms, pose_render

JOINTS = ("elbow", "wrist")
SPEEDUPS = (1.5, 2, 3, 4, 5, 8, 16, 32)
GRID = np.unique(np.concatenate([[0.0], np.round(np.geomspace(0.003, 1.0, 25), 5), 1 / np.array(SPEEDUPS)]))
"""Shares of the cost of everything at which curves of different partitions are averaged."""

_GRAMS = slice(4, len(META))


TIMED_CLIPS = 3


def tier_ms(model, modes, folder=None):
    """Milliseconds of a frame's features of each tier, medians over three rendered clips: shape (T,).

    Of the process's own time, so that other programs do not count. Measured once and kept in the work folder:
    one clock for all results.
    """
    path = None if folder is None else folder / "arms-ms.json"
    if path is not None and path.exists():
        return np.array(json.loads(path.read_text(encoding="utf-8")))
    clips = [budget_pose.rendered_clip(seed) for seed in range(TIMED_CLIPS)]
    chains = [budget_pose.arm_chains(model, modes, clip.images) for clip in clips]
    ms = 1e3 * np.median(np.concatenate([own.seconds for own in chains]), axis=0)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json_atomic(path, ms.tolist())
    return ms


class Overhead(NamedTuple):
    """Measured milliseconds a frame beside features.

    Attributes
    ----------
    read : float
        Scores of a frame's states and steps at one tier, and its part of the best path.
    meta : float
        What a selector looks at more: second best, entropies, n-grams, distances of looks.
    looks : float
        The colour histogram of one arm.
    """

    read: float
    meta: float
    looks: float


def overhead_of(model, clips, read, seen, repeats=9):
    """Time the pieces on some chains; one process, one thread.

    Parameters
    ----------
    model : TieredStates
        With one tier.
    clips : ArmClips
    read : Read
    seen : ndarray
    repeats : int
        Medians over this many.

    Returns
    -------
    Overhead
    """
    n, lengths = len(clips.joints), np.diff(clips.starts)
    proposals = budget_pose_fit.proposals_of(clips)
    unary, tables = np.ascontiguousarray(read.scores[:, 0]), np.ascontiguousarray(read.tables[:, 0])

    def path():
        for a, b in zip(clips.starts[:-1], clips.starts[1:], strict=True):
            decode(unary[a:b], tables[a + 1 : b])

    score = median_us(lambda: (state_scores(model, proposals), step_tables(model, proposals)), repeats)
    decoding = median_us(path, repeats)
    looking = median_us(lambda: chain_meta(unary, lengths, tables, seen, clips.looks), repeats)
    picture = pose_render.render_clip(0, 1).images[0]

    def histogram():
        return pose_arms.colour_histograms(picture, pose_arms.points_of(clips.joints[0, :1])[0])

    return Overhead(
        (score + decoding) / n / 1e3, max(looking - decoding, 0.0) / n / 1e3, median_us(histogram, 99) / 1e3
    )


def look(read, clips, seen):
    """What a selector sees of chains that stand at one tier each, and how many joints are wrong there.

    Parameters
    ----------
    read : Read
    clips : ArmClips
    seen : ndarray
        N-grams of modes.

    Returns
    -------
    Looked
        Its losses are wrong elbows and wrists together. Both arms of a clip are one group.
    ndarray, shape (W, T, 2), int64
        Frames with a wrong elbow, and with a wrong wrist.
    """
    lengths, rows = np.diff(clips.starts), np.arange(len(clips.joints))
    labels, meta, wrong = [], [], []
    is_wrong = clips.errors > pose_arms.NEAR_PX
    for t in range(N_TIERS):
        found, seen_here = chain_meta(read.scores[:, t], lengths, read.tables[:, t], seen, clips.looks)
        labels.append(found)
        meta.append(np.concatenate([seen_here, seen_here[:, _GRAMS] > 0], axis=1))
        wrong.append(np.add.reduceat(is_wrong[rows, found].astype(np.int64), clips.starts[:-1]))
    wrong = np.stack(wrong, axis=1)
    columns = selector.with_differences(np.stack(meta, axis=1)[:, :-1])
    return Looked(columns, wrong.sum(axis=2), np.stack(labels), clips.clip, lengths), wrong


def look_unseen(read, clips, part, settings):
    """`look` at training chains whose n-grams count as seen only if another part of the clips has them."""
    wrong = np.zeros((len(clips.clip), N_TIERS, len(JOINTS)), dtype=np.int64)
    meta = labels = None
    for p in np.unique(part):
        own = part == p
        rows = np.repeat(own, np.diff(clips.starts))
        seen = budget_pose_fit.seen_modes(clips.chosen(np.flatnonzero(~own)), settings)
        held = type(read)(*(values[rows] for values in read))
        found, wrong[own] = look(held, clips.chosen(np.flatnonzero(own)), seen)
        if meta is None:
            meta = np.zeros((len(own), *found.meta.shape[1:]))
            labels = np.zeros((N_TIERS, len(rows)), dtype=np.int64)
        meta[own], labels[:, rows] = found.meta, found.labels
    return Looked(meta, wrong.sum(axis=2), labels, clips.clip, np.diff(clips.starts)), wrong


def chain_costs(clips, part_costs):
    """Cost of each chain's next tier, shape (W, T - 1), from that of its parts."""
    return np.add.reduceat(part_costs, clips.starts[:-1])


def frames_by_clip(clips, numbers):
    """Frames of each of some clips, both arms, shape (C,)."""
    at = np.searchsorted(numbers, clips.clip)
    return np.bincount(at, weights=np.diff(clips.starts), minlength=len(numbers))


class Tally:
    """Sums over partitions of one method's figures at some budgets.

    Attributes
    ----------
    wrong : ndarray, shape (G, C, 2)
        Wrong elbows and wrists of each clip, at each of G budgets.
    frames : ndarray, shape (C,)
        Frames of each clip that were tested, both arms.
    means : dict of str to ndarray
        Sums of other figures, first axis G.
    n : int
        Partitions.
    """

    def __init__(self, n_budgets, n_clips):
        self.wrong, self.frames = np.zeros((n_budgets, n_clips, 2)), np.zeros(n_clips)
        self.means, self.n = {}, 0

    def add(self, wrong, frames, **means):
        """Add a partition."""
        self.wrong += wrong
        self.frames += frames
        self.n += 1
        for name, values in means.items():
            self.means[name] = self.means.get(name, 0.0) + np.asarray(values, dtype=float)

    def mean(self, name):
        """Mean over partitions."""
        return self.means[name] / self.n

    @property
    def error(self):
        """Percent of elbows and of wrists that are wrong, shape (G, 2)."""
        return 100 * self.wrong.sum(axis=1) / self.frames.sum()

    def stderr(self):
        """Standard errors of `error`."""
        return ratio_error(self.wrong, self.frames)

    def rows(self, method, **more):
        """One row a budget of a result.

        Parameters
        ----------
        method : str
        **more
            Further entries of all rows.
        """
        error, spread = self.error, self.stderr()
        both = error.mean(axis=1)
        both_spread = ratio_error(self.wrong.mean(axis=2, keepdims=True), self.frames)
        out = []
        for g in range(len(error)):
            row = {"method": method} | more
            row |= {name: float(self.mean(name)[g]) for name in self.means if self.means[name].ndim == 1}
            for j, joint in enumerate(JOINTS):
                row |= {f"{joint}_error": error[g, j], f"{joint}_error_stderr": spread[g, j]}
            row |= {"error": both[g], "error_stderr": both_spread[g, 0]}
            out.append({key: tidy(value) for key, value in row.items()})
        return out


def ratio_error(wrong, frames):
    """Standard error over clips of percentages ``100 * wrong.sum(clips) / frames.sum()``.

    Parameters
    ----------
    wrong : ndarray, shape (G, C, J)
    frames : ndarray, shape (C,)
        Clips without frames do not count.

    Returns
    -------
    ndarray, shape (G, J)

    Examples
    --------
    >>> ratio_error(np.array([[[0.0], [2.0]]]), np.array([2.0, 2.0])).tolist()
    [[50.0]]
    """
    tested = frames > 0
    n, wrong, frames = int(tested.sum()), wrong[:, tested], frames[tested]
    if n < 2:
        return np.full((len(wrong), wrong.shape[2]), np.nan)
    off = wrong - frames[:, None] * (wrong.sum(axis=1) / frames.sum())[:, None]
    return 100 * np.sqrt(n / (n - 1) * (off**2).sum(axis=1)) / frames.sum()


def gap(one, other, at, at_other=None):
    """(one's error minus other's, its standard error over clips) at a budget, both joints: shapes (2,).

    Parameters
    ----------
    one, other : Tally
        Of the same partitions.
    at, at_other : int
        Index of the budget; the same for both if one is given.
    """
    apart = one.wrong[at] - other.wrong[at if at_other is None else at_other]
    return 100 * apart.sum(axis=0) / one.frames.sum(), ratio_error(apart[None], one.frames)[0]


def tidy(value):
    """A number for JSON: rounded, None for NaN."""
    if isinstance(value, float | np.floating):
        return round(float(value), 4) if np.isfinite(value) else None
    return value
