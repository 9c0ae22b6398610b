"""Error of a method over time on a clip, frame by frame, and means over many clips.

Errors are stored frame by frame. Standard errors are over clips; differences from single frames are paired by
frame, which makes it possible to separate the methods.
"""

import time
from collections.abc import Sequence

import numpy as np

from spcviz.problems.pose.data import body
from spcviz.problems.pose.model import cascade
from spcviz.problems.pose.page import live

WITHIN_PX = 20.0
MEASURES = ("elbow_error", "shoulder_error", "elbow_within_20px", "pcp50_upper_arms")
"""Measures of one frame, means over both arms: pixels, pixels, percent, percent."""
GAINED = ("elbow", "shoulder")
"""Joints whose gain over single frames is reported, paired by frame."""


def detect(model, images):
    """(scores of every frame as float16, CPU ms per frame)."""
    began = time.process_time()
    fine = [scores.astype(np.float16) for scores in cascade.detect(model, images)]
    return fine, 1e3 * (time.process_time() - began) / len(fine)


def follow(model: cascade.PoseModel, fine: Sequence[np.ndarray], truth: np.ndarray, method: str) -> dict:
    """Run a method on a clip: `MEASURES` by frame, the states kept, losses, and CPU ``ms``."""
    n = model.geometry.n_parts
    runs = [[f] for f in range(len(fine))] if method == "single" else [list(range(len(fine)))]
    limbs = np.empty((len(fine), n, 2, 2))
    ms, kept, n_lost, n_broken = 0.0, 0, 0, 0
    for run in runs:
        scores = [fine[f] for f in run]
        began = time.process_time()
        levels = list(cascade.run_cascade(model, scores, method))
        top = [live.top_limbs(levels[-1], v, v % n, 1)[0] for v in range(len(run) * n)]
        ms += 1e3 * (time.process_time() - began)
        limbs[run] = np.reshape(top, (len(run), n, 2, 2))
        kept += int(levels[-1].keep.sum())
        n_broken += sum(level.n_rescued for level in levels)
        n_lost += any(
            cascade.is_lost(model, scores, number, level, truth[run], method)
            for number, level in enumerate(levels)
        )
    return {
        "frames": measures(limbs, truth).tolist(),
        "states_kept": kept / (n * len(fine)),
        "n_runs": len(runs),
        "n_lost": n_lost,
        "n_broken": n_broken,
        "n_variables": n * len(fine) * body.N_LEVELS,
        "ms": ms,
    }


def measures(limbs, truth):
    """`MEASURES` of every frame, shape (frames, 4).

    >>> truth = np.zeros((1, 3, 2, 2)) + np.array([[0.0, 0.0], [0.0, 40.0]])
    >>> measures(truth + (3.0, 4.0), truth).tolist()
    [[5.0, 5.0, 100.0, 100.0]]
    """
    guess, wanted = limbs[:, 1:3], truth[:, 1:3]
    off = np.linalg.norm(guess - wanted, axis=-1)
    right = body.is_correct(guess, wanted, 0.5)
    columns = off[..., 1], off[..., 0], 100.0 * (off[..., 1] <= WITHIN_PX), 100.0 * right
    return np.stack([column.mean(axis=1) for column in columns], axis=1)


def row(pieces: list[dict], single: list[dict]) -> dict:
    """Means over frames, gains over single frames; quartiles: the mean between them, as the thesis draws."""
    frames, clips = _frames(pieces), _clips(pieces)
    low, high = np.quantile(frames[:, 0], [0.25, 0.75])
    middle = frames[(frames[:, 0] >= low) & (frames[:, 0] <= high), 0]
    made = {"n_clips": len(np.unique(clips)), "n_pieces": len(pieces), "n_frames": len(frames)}
    for name, column in zip(MEASURES, frames.T):
        made |= {name: column.mean(), f"{name}_stderr": clip_error(column, clips)}
    total = {key: sum(one[key] for one in pieces) for key in ("n_runs", "n_lost", "n_broken", "n_variables")}
    lengths = [len(one["frames"]) for one in pieces]
    kept = np.average([one["states_kept"] for one in pieces], weights=lengths)
    made |= {
        "elbow_error_quartiles": middle.mean(),
        **{
            f"{joint}_gain_{what}": value
            for joint in GAINED
            for what, value in zip(("over_single", "stderr"), gain(pieces, single, joint))
        },
        "states_kept": kept,
        "efficiency": 100 * (1 - kept / body.grid(body.N_LEVELS - 1).n_states),
        "joint_loss": 100 * total["n_lost"] / total["n_runs"],
        "n_broken": total["n_broken"],
        "n_variables": total["n_variables"],
    }
    return {key: value if isinstance(value, int) else round_value(value) for key, value in made.items()}


def gain(pieces, other, joint="elbow"):
    """(pixels by which joints are nearer than another method's on the same frames, standard error)."""
    column = MEASURES.index(f"{joint}_error")
    nearer = (_frames(other) - _frames(pieces))[:, column]
    return float(nearer.mean()), clip_error(nearer, _clips(pieces))


def _frames(pieces):
    return np.concatenate([one["frames"] for one in pieces])


def _clips(pieces):
    return np.concatenate([np.repeat(one["clip"], len(one["frames"])) for one in pieces])


def round_value(value):
    """A number for a table, or None if it cannot be estimated, as the spread of one clip."""
    return round(float(value), 3) if np.isfinite(value) else None


def clip_error(values, clips):
    """Standard error of a mean over frames whose clips are the independent units; nan for one clip.

    >>> clip_error(np.array([0.0, 0.0, 2.0, 2.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    numbers, of = np.unique(clips, return_inverse=True)
    if len(numbers) < 2:
        return float("nan")
    sums = np.bincount(of, weights=np.asarray(values) - np.mean(values))
    return float(np.sqrt(len(numbers) / (len(numbers) - 1) * (sums**2).sum()) / len(clips))
