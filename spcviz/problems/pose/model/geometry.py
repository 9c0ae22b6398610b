"""Geometry of a body: relative positions of its parts and their motion, fitted to annotated limbs.

Every feature is a log density up to a constant, so weights of 1 are a hand-set model: a Gaussian for a part's
position in the picture, one for a joint's gap along and across the inner limb, and smoothed histograms for
angles and turns.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.graphs.placed import Joints
from spcviz.problems.pose.data import body


class Geometry(NamedTuple):
    """Fitted densities."""

    place_mean: np.ndarray  # place_mean, place_var (parts, 2): of a part's middle, pixels
    place_var: np.ndarray
    angle: np.ndarray  # (parts, 24): log probabilities
    joints: Joints  # kinds 0 .. parts - 2: `body.TREE`; then one for each part, from frame to frame

    @property
    def n_parts(self):
        return len(self.place_mean)


def fit_geometry(limbs: np.ndarray, clips: np.ndarray, n_parts: int) -> Geometry:
    """Densities of 3 or 5 parts, fitted to limbs (N, 5, 2, 2); a clip's frames are adjacent."""
    limbs = np.asarray(limbs)[:, :n_parts]
    middle, angle = limbs.mean(axis=2), _angle(limbs)
    rows = []
    for first, second in body.TREE[: n_parts - 1]:
        end = -0.5 if first == 0 else 0.5  # arms hang from the neck's end, lower arms from the elbow
        reach = end * body.LENGTHS[first], -0.5 * body.LENGTHS[second]
        rows.append(_joint(reach, middle[:, first], angle[:, first], middle[:, second], angle[:, second]))
    then = np.flatnonzero(clips[1:] == clips[:-1])
    for part in range(n_parts):
        before, after = (middle[then + k, part] for k in (0, 1))
        row = _joint((0.0, 0.0), before, angle[then, part], after, angle[then + 1, part])
        rows.append((row[0], np.zeros(2), np.full(2, row[2].mean()), row[3]))
    reach, mean, var, table = (np.array(column) for column in zip(*rows))
    angles = np.stack([_log_histogram(angle[:, part]) for part in range(n_parts)])
    return Geometry(middle.mean(axis=0), middle.var(axis=0), angles, Joints(reach, mean, 0.5 / var, table))


def state_features(geometry: Geometry, level: int, part: int, states: np.ndarray, scores: np.ndarray):
    """(N, 3): detector score, place and angle of states of a level, from `features.pool_scores`."""
    x, y, _ = body.grid(level).centres(states).T
    angle = body.grid(level).places_of(states)[0]
    gap = np.stack([x, y], axis=1) - geometry.place_mean[part]
    place = -0.5 * (gap**2 / geometry.place_var[part]).sum(axis=1)
    return np.stack([scores[states], place, geometry.angle[part][angle]], axis=1)


def _angle(limbs):
    along = limbs[..., 1, :] - limbs[..., 0, :]
    return np.arctan2(along[..., 1], along[..., 0])


def _joint(reach, first, first_angle, second, second_angle):
    """(reach, mean, var, table) of one kind of joint."""
    u = np.stack([np.cos(first_angle), np.sin(first_angle)], axis=1)
    v = np.stack([np.cos(second_angle), np.sin(second_angle)], axis=1)
    gap = second + reach[1] * v - first - reach[0] * u
    seen = np.stack([(gap * u).sum(axis=1), gap[:, 1] * u[:, 0] - gap[:, 0] * u[:, 1]], axis=1)
    turns = _log_histogram(second_angle - first_angle)
    return reach, seen.mean(axis=0), seen.var(axis=0) + body.PITCH**2, turns


def _log_histogram(angle, sharpness=8.0, floor=0.003):
    """Log probabilities of the 24 angles: a von Mises kernel at every example, and a floor."""
    bins = 2 * np.pi * np.arange(body.N_ANGLES) / body.N_ANGLES
    density = np.exp(sharpness * (np.cos(bins[:, None] - angle) - 1)).sum(axis=1)
    share = (1 - floor * body.N_ANGLES) * density / density.sum() + floor
    return np.log(share)
