"""Measure the pose cascade on frames: the states, and the true ones, that each level keeps.

The truth of a limb survives a level if a kept state lies within 25 % of the limb's length of both true ends;
it is lost if the level's whole grid has such a state and none is kept. Definition 1's loss and the loss of
the exact cell are given separately.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from experiments.pose.follow import clip_error
from spcviz.problems.pose.data import body
from spcviz.problems.pose.model import cascade
from spcviz.problems.pose.page import live


class Measured(NamedTuple):
    """Measurements of a cascade by frame, before averaging."""

    # (frames, 7, 7, P): ``[frame, level, what, part]``; what: share of the level's grid kept; whether a kept
    # state, one of the top 4, the exact cell and any state of the whole grid is the truth's; Definition 1's
    found: np.ndarray  # loss, and how many variables would have lost everything, both of the frame
    best: np.ndarray  # (frames, 7, P, 2, 2): best limb of each level
    ms: np.ndarray  # (frames, 2): CPU time of features and detectors, and of the cascade


def join_measured(parts):
    """Concatenate the frames of several `Measured`."""
    return Measured(*(np.concatenate(arrays) for arrays in zip(*parts)))


def measure(
    model: cascade.PoseModel,
    images: Sequence[np.ndarray],
    limbs: np.ndarray,
    fine: list[np.ndarray] | None = None,
    *,
    tick: Callable | None = None,
    rule: str = "mean_max",
) -> Measured:
    """Run frames one by one; scores are taken from `fine` if it holds them, else appended to it."""
    n, fine = model.geometry.n_parts, [] if fine is None else fine
    survival = np.zeros((len(images), body.N_LEVELS, 7, n))
    best = np.zeros((len(images), body.N_LEVELS, n, 2, 2))
    ms = np.full((len(images), 2), np.nan)
    for f, image in enumerate(images):
        began = time.process_time()
        if len(fine) == f:
            fine.append(next(cascade.detect(model, [image])).astype(np.float16))
            ms[f, 0] = 1e3 * (time.process_time() - began)
        began = time.process_time()
        levels = list(cascade.run_cascade(model, fine[f : f + 1], rule=rule))
        ms[f, 1] = 1e3 * (time.process_time() - began)
        for number, level in enumerate(levels):
            survival[f, number, 5] = cascade.is_lost(model, fine[f : f + 1], number, level, limbs[f][None])
            survival[f, number, 6] = level.n_rescued
            for part in range(n):
                survival[f, number, :5, part] = _survival(level, number, part, limbs[f, part])
                best[f, number, part] = live.top_limbs(level, part, part, 1, number)[0]
        if tick is not None and f % 10 == 0:
            tick(f"frame {f + 1} of {len(images)}")
    return Measured(survival, best, ms)


def _survival(level, number, part, truth):
    """(kept share, near state kept, near one in the top 4, exact cell kept, near state in the whole grid)."""
    at = level.of(part)
    states = level.states[at][level.keep[at]]
    kept = len(states) / body.grid(number).n_states
    survives = body.is_correct(body.limbs_of(number, part, states), truth, body.NEAR).any()
    top = body.is_correct(live.top_limbs(level, part, part, number=number), truth, body.NEAR).any()
    exact = (states == body.nearest_states(number, truth)).any()
    return kept, survives, top, exact, survives or body.is_reachable(number, part, truth)


def rows(measured: Measured, limbs: np.ndarray, clips: np.ndarray) -> list[dict]:
    """One row per level: percent (PCP of the best guess), standard errors over clips, median CPU ms."""
    out = []
    for number in range(body.N_LEVELS):
        row = _row(number, measured.found[:, number], clips)
        out.append(row | pcp(measured.best[:, number], limbs, clips))
    for key, column in zip(("detect_ms", "cascade_ms"), measured.ms.T):
        if np.isfinite(column).all():  # given scores have no time
            out[-1][key] = round(float(np.median(column)), 1)
    return out


def _row(number, survival, clips):
    """Means over frames; `survival` is ``[frame, what, part]``."""
    cells = body.grid(number)
    kept = survival[:, 0].mean()
    upper = survival[:, :, :3]  # as in the paper: torso and upper arms
    _, survives, top, exact, reachable = (upper[:, what] for what in range(5))
    last = body.grid(body.N_LEVELS - 1).n_states
    row = {
        "level": number,
        "grid": f"{cells.columns}x{cells.rows}x{body.N_ANGLES}",
        "efficiency": 100 * (1 - kept),
        "efficiency_of_final": 100 * (1 - kept * cells.n_states / last),
        "states_kept": kept * cells.n_states,
        "oracle_pcp25": 100 * survives.mean(),
        "oracle_pcp25_stderr": clip_error(100 * survives.mean(axis=1), clips),
        "oracle_pcp25_by_part": _by_part(100 * survival[:, 1].mean(axis=0)),
        "oracle_pcp25_unpruned": 100 * reachable.mean(),
        "truth_lost": 100 * (reachable.sum() - survives.sum()) / max(reachable.sum(), 1),
        "oracle_pcp25_top4": 100 * top.mean(),
        "oracle_pcp25_top4_stderr": clip_error(100 * top.mean(axis=1), clips),
        "exact_cell_kept": 100 * exact.mean(),
        "filter_loss_definition_1": 100 * survival[:, 5, 0].mean(),
        "n_broken": int(survival[:, 6, 0].sum()),
        "n_variables": int(survival[:, 6].size),
    }
    return {key: round(float(value), 2) if isinstance(value, float) else value for key, value in row.items()}


def _by_part(values):
    return {name: round(float(value), 2) for name, value in zip(body.PARTS, values)}


def pcp(guesses: np.ndarray, limbs: np.ndarray, clips: np.ndarray) -> dict:
    """PCP of one guess for each limb, guesses (frames, P, 2, 2)."""
    truth = limbs[:, : guesses.shape[1]]
    half, quarter = (100 * body.is_correct(guesses, truth, share) for share in (0.5, body.NEAR))
    return {
        "pcp50": _by_part(half.mean(axis=0)),
        "pcp50_upper_arms": round(float(half[:, 1:3].mean()), 2),
        "pcp50_upper_arms_stderr": round(clip_error(half[:, 1:3].mean(axis=1), clips), 2),
        "pcp25": _by_part(quarter.mean(axis=0)),
        "pcp25_mean": round(float(quarter[:, :3].mean()), 2),
    }
