r"""Pack a clip's cascade into few bytes, so that a browser can prune it again at any alpha.

A slider has the alphas 0, 0.001, .. 1 and the tuned one, K in all; if the tuned one lies below 0, under the
mean, steps of a hundredth lead down to it. All a browser needs to know of a state is the number j of their
thresholds that it exceeds: it survives the k-th alpha iff j > k, which is the engine's own comparison, made
here. Within a step the max-marginal is stored to a 32nd, below the first threshold to a 16384th of the range
there, for the drawing and for the numbers on the page; so two bytes hold a state:

.. math:: c = 16384 + 32 (j - 1) + \text{part of the step} \quad (j \ge 1), \qquad
   c < 16384 \text{ below the first threshold.}

The best state of a limb is restored if the limb would lose all (`ensemble.filter_summed`): it never falls.
"""

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from skimage import data as skimage_data

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.thresholds import rule
from spcviz.problems.pose.data import body
from spcviz.problems.pose.data.body import is_reachable
from spcviz.problems.pose.data.pictures import window
from spcviz.problems.pose.model import cascade
from spcviz.problems.pose.model.stored import load_pose
from spcviz.problems.pose.page import live
from spcviz.problems.pose.shown import ClipLevel, ClipTrace, PoseScene
from spcviz.store import StoreError

N_STEPS, N_BELOW, PARTS, ABOVE = 1000, 500, 32, 16384


def warmup(models):
    """Compile what the Pose page calls, on one picture, if a model is stored."""
    with contextlib.suppress(StoreError):
        model = load_pose(models)
        scores, _ = live.scores_of(model, window(skimage_data.astronaut(), *live.ASTRONAUT))
        run_levels(model, [scores])


def slider_alphas(tuned):
    """The alphas that a level can be shown under, ascending.

    >>> len(slider_alphas(0.5)), len(slider_alphas(0.5004)), slider_alphas(-0.14)[:2].tolist()
    (1001, 1002, [-0.2, -0.19])
    """
    n = min(max(-10 * math.floor(10 * tuned), 0), N_BELOW)
    return np.union1d(np.concatenate([np.arange(-n, 0) / 100, np.arange(N_STEPS + 1) / N_STEPS]), [tuned])


def nearest_alpha(tuned, alpha):
    """The slider's alpha that is nearest to one from a URL.

    >>> nearest_alpha(0.5, 0.12345)
    0.123
    """
    slider = slider_alphas(tuned)
    return float(slider[np.abs(slider - checks.alpha("alphas", alpha)).argmin()])


def codes_of(summed: np.ndarray, extremes: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """Summed max-marginals (S,) as two bytes each; extremes (2, sub-models) are largest and mean.

    >>> codes_of(np.array([0.0, 1.0, 1.5, 2.0]), np.array([[2.0], [1.0]]), np.array([0.0, 0.5, 1.0])).tolist()
    [0, 16383, 16415, 16479]
    """
    best, means = extremes
    if not rule.has_spread(best, best - means).any():
        return np.full(len(summed), ABOVE + PARTS * len(alphas) - 1, dtype=np.uint16)
    used = np.minimum(alphas, rule.ALPHA_CAP)
    taus = rule.threshold(best[:, None], (best - means)[:, None], used).sum(axis=0)
    over = np.searchsorted(taus, summed, side="left")  # how many lie strictly below
    low = min(float(summed.min()), taus[0])
    below = np.floor((ABOVE - 1) * (np.minimum(summed, taus[0]) - low) / max(taus[0] - low, 1e-300))
    first, last = taus[np.maximum(over - 1, 0)], taus[np.minimum(over, len(taus) - 1)]
    share = np.where(last > first, (summed - first) / np.where(last > first, last - first, 1.0), 1.0)
    inside = np.minimum(np.floor(PARTS * share), PARTS - 1)
    code = np.where(over > 0, ABOVE + PARTS * (over - 1) + inside, np.clip(below, 0, ABOVE - 1))
    return code.astype(np.uint16)


def run_levels(
    model: cascade.PoseModel,
    fine: Sequence[np.ndarray],
    method: str = "single",
    alphas: Sequence[float] | None = None,
    run: Callable = map,
) -> tuple[list[ClipLevel], float]:
    """(Levels of frames filtered together at the slider's nearest alphas, cascade's processor seconds)."""
    if method not in cascade.SUB_MODELS:
        raise ArgumentError(f"method must be one of {', '.join(cascade.SUB_MODELS)}, got {method!r}")
    tuned = model.alphas[method].tolist()
    alphas = [None] * body.N_LEVELS if alphas is None else list(alphas)
    if len(alphas) != body.N_LEVELS:
        raise ArgumentError(f"alphas must be {body.N_LEVELS} numbers, got {len(alphas)}")
    alphas = [default if a is None else nearest_alpha(default, a) for default, a in zip(tuned, alphas)]
    clock = time.thread_time if run is map else time.process_time
    out, seconds, start = [], 0.0, clock()
    for number, (models, level) in enumerate(cascade.filtered_models(model, fine, method, alphas, run)):
        seconds += clock() - start
        weights = model.weights[method][number]
        out.append(_pack_level(number, models, weights, level, (alphas[number], tuned[number])))
        start = clock()
    return out, seconds


def _pack_level(number, models, weights, level, alphas):
    n = models[0].n_node_kinds
    sizes = np.diff(level.start)
    n_frames = len(sizes) // n
    first = [int(level.summed[level.of(v)].argmax()) for v in range(len(sizes))]
    unary, joints = models[0].scores(weights[0])
    is_tree = len(models) == 1
    span = level.start[::n]
    ranges = [(unary[a:b].min(), unary[a:b].max()) for a, b in pairwise(span)]
    low, high = (np.repeat(column, np.diff(span)) for column in np.array(ranges).T)
    share = (unary - low) / np.maximum(high - low, 1e-300)
    cells, kinds = body.grid(number), slice(0, n - 1)
    return ClipLevel(
        cells.rows, cells.columns, *alphas,
        sizes.reshape(n_frames, n).astype(np.int32),
        np.full(n_frames, level.best), np.full(n_frames, level.mean),
        np.full(n_frames, level.summed.min()),
        codes_of(level.summed, level.extremes, slider_alphas(alphas[1])),
        np.array(first, dtype=np.int32).reshape(n_frames, n),
        np.rint(65535 * share).astype(np.uint16) if is_tree else np.zeros(0, np.uint16),
        np.array(ranges),
        np.stack([_bytes_of(marginals) for marginals in level.each[:-1]]) if not is_tree
        else np.zeros((0, len(unary)), np.uint8),
        joints.reach[kinds], joints.mean[kinds], joints.weight[kinds], joints.table[kinds],
    )  # fmt: skip


def _bytes_of(values):
    low, high = values.min(), values.max()
    return np.rint(255 * (values - low) / max(high - low, 1e-300)).astype(np.uint8)


def join_levels(runs: Sequence[list[ClipLevel]]):
    """Levels of several runs of the same model, method and alphas, frame after frame: a list of ClipLevel."""
    out, names = [], ("n_given", "best", "mean", "low", "codes", "first", "unary", "unary_range")
    for same in zip(*runs):
        arrays = {name: np.concatenate([getattr(level, name) for level in same]) for name in names}
        arrays["each"] = np.concatenate([level.each for level in same], axis=1)
        out.append(same[0]._replace(**arrays))
    return out


def clip_trace(
    scene: PoseScene, method: str, levels: list[ClipLevel], seconds: tuple[float, float]
) -> ClipTrace:
    """The record of a clip that the page draws; `seconds` of features and detectors, and of the cascade."""
    n, n_parts = levels[0].n_given.shape
    truth = None if scene.truth is None else np.asarray(scene.truth[:n, :n_parts], dtype=float)
    near = np.zeros((n, body.N_LEVELS, n_parts), dtype=bool)
    for f, level, part in np.ndindex(near.shape if truth is not None else (0, 0, 0)):
        limb = truth[f, part]
        near[f, level, part] = np.isfinite(limb).all() and is_reachable(level, part, limb)
    return ClipTrace(
        scene.title, scene.credit, method, scene.rate, scene.pictures[:n], len(scene.pictures),
        tuple(levels), truth, scene.truth_name, near, *seconds, lit_part(scene.images),
    )  # fmt: skip


def lit_part(images):
    """Bounds (x1, y1, x2, y2) of the pixels not black in every frame; the whole frame if all are black.

    >>> images = np.zeros((2, 240, 240, 3), np.uint8)
    >>> images[1, 30:200, 10:] = 9
    >>> lit_part(images), lit_part(images[:1])
    ((10.0, 30.0, 240.0, 200.0), (0.0, 0.0, 240.0, 240.0))
    """
    lit = (images > 0).any(axis=(0, 3))
    rows, columns = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
    if not len(rows):
        return 0.0, 0.0, float(body.SIDE), float(body.SIDE)
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)
