"""Label a picture three ways from the same scores: pixel by pixel, row by row, and as a grid.

Rows are solved exactly. With all four neighbours there are cycles, which leave only an approximation, here
max-product messages (lecture 12).
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import exhaustive
from spcviz.problems.pictures import stereo
from spcviz.problems.pictures.data import pictures
from spcviz.problems.pictures.shown import PictureReadings

DOTS = "dots"
DOTS_WEIGHT, PAIR_WEIGHT = 0.5, 0.25
CUT = 0.1  # colour differences beyond it count alike. It and `PAIR_WEIGHT` were chosen on Cones
SLACK = 1  # a disparity that is off by more (shrunken) pixels than this is wrong
ITERATIONS, DAMPING = 40, 0.3  # 20 more iterations cost a third of the time and change no error by 0.2 points


def stereo_readings(
    name: str,
    seed: int,
    noise: float,
    weight: float | None = None,
    *,
    load: Callable = pictures.load_pair,
    folder: str | Path | None = None,
    height: int = 48,
    width: int = 64,
    n_disparities: int = 7,
) -> PictureReadings:
    """A stereo pair read three ways: "dots", or one of `PAIRS` with a share of the right view spoiled.

    >>> dots = stereo_readings("dots", 0, 0.1, height=10, width=16, n_disparities=3)
    >>> dots.readings[2].shape
    (10, 16)
    """
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**63))
    if name == DOTS:
        pair = stereo.random_dots(rng, height, width, n_disparities, noise)
        weight, cut, slack, n = DOTS_WEIGHT if weight is None else weight, 1.0, 0, n_disparities
    else:
        pair = load(name, folder)
        right = pair.right.copy()
        is_hit = rng.random(right.shape[:2]) < checks.fraction("noise", noise)
        right[is_hit] = rng.random((int(is_hit.sum()), 3))
        pair, cut, slack = pair._replace(right=right), CUT, SLACK
        weight, n = PAIR_WEIGHT if weight is None else weight, pair.n_disparities
    unary = stereo.matching_scores(pair.left, pair.right, n, cut)
    return _read(name, (pair.left, pair.right), pair.disparity, unary, weight, slack)


def clean_readings(
    name: str, seed: int, noise: float, weight: float | None = None, *, load: Callable = pictures.load_picture
) -> PictureReadings:
    """One of `pictures.PICTURES`, a share of its pixels replaced, cleaned three ways.

    >>> one, rows, grid = clean_readings("horse", 1, 0.1).errors
    >>> grid < rows <= one
    True
    """
    if name not in pictures.PICTURES:
        raise ArgumentError(f"name must be one of {', '.join(pictures.PICTURES)}, got {name!r}")
    picture, truth = pictures.PICTURES[name], load(name)
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**63))
    seen = pictures.spoil(truth, picture.n_classes, noise, rng)
    unary = pictures.seen_scores(seen, picture.n_classes, noise)
    weight = picture.weight if weight is None else weight
    return _read(name, (seen / (picture.n_classes - 1),), truth, unary, weight, 0)


def _read(name, seen, truth, unary, weight, slack):
    """The three readings, timed and measured against the truth."""
    n = unary.shape[2]
    smooth = stereo.smoothness(n, weight)
    times = [time.perf_counter()]
    one = unary.argmax(axis=2)
    times.append(time.perf_counter())
    lines = exhaustive.scanlines(unary, smooth)
    times.append(time.perf_counter())
    how = {"max_iterations": ITERATIONS, "damping": DAMPING}
    beliefs = stereo.propagate_near(unary.astype(np.float32), weight, **how)
    times.append(time.perf_counter())
    readings = tuple(labels.astype(np.uint8) for labels in (one, lines, beliefs.labels))
    measured = [stereo.errors_of(labels, truth, slack) for labels in readings]
    return PictureReadings(
        name=name,
        seen=seen,
        truth=np.asarray(truth, dtype=float),
        readings=readings,
        errors=tuple(wrong for wrong, _ in measured),
        mean_off=tuple(off for _, off in measured),
        seconds=tuple(np.diff(times).tolist()),
        slack=slack,
        n_states=n,
        weight=float(weight),
        n_iterations=beliefs.n_iterations,
        settled=float(beliefs.converged.mean()),
    )


def warmup(_models):
    """Compile, or load from the disk cache, every kernel that the page calls."""
    for n in (2, 7, 15, 20):  # each width of states that a picture has
        stereo_readings(DOTS, 0, 0.1, height=4, width=30, n_disparities=n)
