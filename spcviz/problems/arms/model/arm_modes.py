"""Modes of an arm, 32 typical ways to hold it, and detectors that find the best arm of each in a picture.

An arm is (shoulder, elbow, wrist), left or mirrored; a mode is a cluster of training arms. Its proposal is
the arm near its centre that the detectors score highest: exact on a grid of elbows and wrists, with the
shoulder maximised out. A frame's proposals are a chain's states (thesis, 6.3.2, where modes are MODEC's).

Arms of all modes lie in a twelfth of the grid's states. A template's score is summed at these states, 16
channels at a time, and nothing is computed for the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import ARE_COMPILED, add, load, mul, splat, total
from spcviz.problems.pose.data import body
from spcviz.problems.pose.model import cascade, features

N_MODES = 32
SIDES = ("left", "right")
JOINTS = ("shoulder", "elbow", "wrist")
_PLACES = (7, 9, 9)
_REACH = ((9.0, 18.0), (12.0, 24.0), (12.0, 24.0))
"""Each joint is searched on a square of 7 or 9 points a side, within two spreads (clipped to these bounds)
of its centre."""
_SHOULDER_WEIGHT = 0.3
_LEAST_SPREAD, _LEAST_LENGTH_SPREAD = 4.0, 4.0
_PRIOR_SPREAD, _PRIOR_COUNT = 8.0, 10
PRIOR_WEIGHT = 0.3  # of leaving the centre, against standardised detectors; chosen on Buffy's dev. clips
_PARTS = (1, 3)  # the left arm's, upper and lower
_WIDTH = (0,) * 16
_FINEST = body.N_LEVELS - 1


class Modes(NamedTuple):
    """Clusters of arms."""

    centre: np.ndarray  # centre, spread (M, 3, 2): pixels of 240, ``[mode, joint, x or y]``
    spread: np.ndarray
    length: np.ndarray  # length, length_spread (M, 2): of upper and lower arm
    length_spread: np.ndarray
    share: np.ndarray  # (M,): of the training arms
    follows: np.ndarray  # (M, M): of the arms after mode m, the share in each mode, smoothed


class Search(NamedTuple):
    """All arms that `propose` compares: S shoulders, E elbows and W wrists per mode."""

    places: tuple  # (M, S, 2), (M, E, 2), (M, W, 2)
    upper: np.ndarray  # (M, E, S), int32: each upper arm's state in the finest grid
    lower: np.ndarray  # (M, E, W), int32
    upper_prior: np.ndarray  # upper_prior, lower_prior: 0 or less: how unusual the arm is in its mode
    lower_prior: np.ndarray


def arms_of(limbs: np.ndarray) -> np.ndarray:
    """Left and mirrored right arms of limbs, (N, 2, 3, 2); an elbow is midway between its two limb ends.

    >>> arms_of(np.full((1, 5, 2, 2), 100.0))[0, :, 0].tolist()
    [[100.0, 100.0], [140.0, 100.0]]
    """
    limbs = np.asarray(limbs, dtype=float)
    if limbs.ndim != 4 or limbs.shape[1:] != (len(body.PARTS), 2, 2):
        raise ShapeError(f"limbs has shape {limbs.shape}; it needs (N, {len(body.PARTS)}, 2, 2)")
    sides = []
    for upper, lower in ((1, 3), (2, 4)):
        elbow = (limbs[:, upper, 1] + limbs[:, lower, 0]) / 2
        sides.append(np.stack([limbs[:, upper, 0], elbow, limbs[:, lower, 1]], axis=1))
    out = np.stack(sides, axis=1)
    out[:, 1] = mirror_joints(out[:, 1])
    return out


def mirror_joints(joints):
    """Mirror joints (..., 2) of a 240-pixel picture."""
    out = np.array(joints, dtype=float)
    out[..., 0] = body.SIDE - out[..., 0]
    return out


def fit_modes(joints: ArrayLike, starts: ArrayLike, n_modes: int = N_MODES) -> Modes:
    """Cluster arms (N, 3, 2) by elbow, wrist and (weighted less) shoulder: k-means, most common first."""
    from sklearn.cluster import KMeans  # takes a second to import, and only fitting needs it

    joints = checks.scores("joints", joints, 3)
    starts = checks.offsets("starts", starts, len(joints))
    n_modes = checks.integer("n_modes", n_modes, 1, len(joints))
    places = joints * np.array([_SHOULDER_WEIGHT, 1.0, 1.0])[:, None]
    labels = KMeans(n_modes, n_init=5, random_state=0).fit(places.reshape(len(joints), -1)).labels_
    count = np.bincount(labels, minlength=n_modes)
    order = np.argsort(-count, kind="stable")
    members = [joints[labels == k] for k in order]
    centre = np.stack([m.mean(axis=0) for m in members])
    spread = np.stack([_shrink_spread(np.maximum(m.std(axis=0), _LEAST_SPREAD), len(m)) for m in members])
    limbs = [np.linalg.norm(np.diff(m, axis=1), axis=-1) for m in members]
    length = np.stack([lengths.mean(axis=0) for lengths in limbs])
    length_spread = np.maximum(np.stack([lengths.std(axis=0) for lengths in limbs]), _LEAST_LENGTH_SPREAD)
    follows = _transitions(np.argsort(order)[labels], starts, n_modes)
    return Modes(centre, spread, length, length_spread, count[order] / len(joints), follows)


def _transitions(modes, starts, n_modes):
    """Shares of next modes, one pseudo-count spread over all."""
    goes_on = np.ones(len(modes), dtype=bool)
    goes_on[starts[1:] - 1] = False
    at = np.flatnonzero(goes_on)
    count = np.full((n_modes, n_modes), 1.0 / n_modes)
    np.add.at(count, (modes[at], modes[at + 1]), 1.0)
    return count / count.sum(axis=1, keepdims=True)


def _shrink_spread(spread, n):
    return np.sqrt((n * spread**2 + _PRIOR_COUNT * _PRIOR_SPREAD**2) / (n + _PRIOR_COUNT))


def search_tables(modes: Modes) -> Search:
    """The tables that `propose` needs, computed once."""
    places = []
    for joint, n in enumerate(_PLACES):
        step = np.linspace(-1, 1, n)
        square = np.stack(np.meshgrid(step, step), axis=-1).reshape(-1, 2)
        reach = np.clip(2 * modes.spread[:, joint], *_REACH[joint])
        places.append(modes.centre[:, joint, None] + square * reach[:, None])
    shoulders, elbows, wrists = places
    off = [((p - modes.centre[:, j, None]) / modes.spread[:, j, None]) ** 2 for j, p in enumerate(places)]
    shoulder, elbow, wrist = (-0.5 * squares.sum(axis=-1) for squares in off)
    upper, stretched = _limb_states(shoulders[:, None], elbows[:, :, None], modes, 0)
    lower, reached = _limb_states(elbows[:, :, None], wrists[:, None], modes, 1)
    upper_prior = PRIOR_WEIGHT * (shoulder[:, None] + elbow[:, :, None] + stretched)
    lower_prior = PRIOR_WEIGHT * (wrist[:, None] + reached)
    return Search(tuple(places), upper, lower, np.float32(upper_prior), np.float32(lower_prior))


def _limb_states(inner, outer, modes, limb):
    """(states in the finest grid, how unusual the length is) of limbs between two sets of places."""
    ends = np.stack(np.broadcast_arrays(inner, outer), axis=-2)
    shape = (-1, 1, 1)
    length = np.linalg.norm(outer - inner, axis=-1)
    off = (length - modes.length[:, limb].reshape(shape)) / modes.length_spread[:, limb].reshape(shape)
    return body.nearest_states(body.N_LEVELS - 1, ends).astype(np.int32), -0.5 * off**2


def propose(search: Search, upper: np.ndarray, lower: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best arm of every mode, (M, 3, 2), and its score: detectors plus weighted prior."""
    upper_scores = np.take(upper.ravel(), search.upper) + search.upper_prior
    shoulder = upper_scores.argmax(axis=2)
    whole = upper_scores.max(axis=2)[:, :, None] + np.take(lower.ravel(), search.lower) + search.lower_prior
    flat = whole.reshape(len(whole), -1)
    elbow, wrist = np.divmod(flat.argmax(axis=1), whole.shape[2])
    mode = np.arange(len(whole))
    chosen = zip(search.places, (shoulder[mode, elbow], elbow, wrist))
    places = [grid[mode, at] for grid, at in chosen]
    return np.stack(places, axis=1), flat.max(axis=1).astype(np.float64)


class Template(NamedTuple):
    """A part's detector and the states at which it is evaluated."""

    points: np.ndarray  # (24, T, 2): rows down and columns right of a state's cell
    weights: np.ndarray  # (24, T, 16), float32: of a map's channels, rotated; standardised
    states: np.ndarray  # (S, 3): angle, row, column, angles in order
    shift: float  # standardised score where weights times channels sum to zero


class ArmDetectors(NamedTuple):
    """The detectors that `propose_arms` evaluates."""

    search: Search  # by index into the templates' states
    templates: tuple  # of the upper and the lower arm
    margin: int  # cells of padding around a map


def arm_detectors(model: cascade.PoseModel, search: Search) -> ArmDetectors:
    """A pose model's arm templates for the states of a search."""
    templates, numbers = [], []
    for part, states in zip(_PARTS, (search.upper, search.lower), strict=True):
        distinct, number = np.unique(states, return_inverse=True)
        numbers.append(number.reshape(states.shape).astype(np.int32))
        where = np.stack(body.grid(_FINEST).places_of(distinct), axis=1).astype(np.int64)
        weights = _turn_template(model.detectors[part] / model.spread[part])
        templates.append(
            Template(features.turn_template(part), weights, where, -model.centre[part] / model.spread[part])
        )
    margin = max(int(np.abs(template.points).max()) for template in templates)
    return ArmDetectors(search._replace(upper=numbers[0], lower=numbers[1]), tuple(templates), margin)


def propose_arms(detectors: ArmDetectors, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`propose` for the left arm in a picture whose histograms (80, 80, 14) are given."""
    scores = [scores_at(template, cells, detectors.margin) for template in detectors.templates]
    return propose(detectors.search, *scores)


def scores_at(template: Template, cells: np.ndarray, margin: int) -> np.ndarray:
    """Standardised score of a template in each of its states, (S,) float32; cells outside a map count 0."""
    height, width, n_channels = cells.shape
    framed = np.zeros((height + 2 * margin, width + 2 * margin, len(_WIDTH)), dtype=np.float32)
    framed[margin:-margin, margin:-margin, :n_channels] = cells
    sums = _sums if ARE_COMPILED else _plain_sums
    return sums(framed, template.points + margin, template.weights, template.states) + np.float32(
        template.shift
    )


def _turn_template(weights):
    """A template's weights at every angle, (24, T, 16): orientations rotate with it; zero-padded."""
    n_bins = body.N_ANGLES // 2
    out = np.zeros((body.N_ANGLES, len(weights), len(_WIDTH)), dtype=np.float32)
    for angle in range(body.N_ANGLES):
        out[angle, :, (np.arange(n_bins) + angle) % n_bins] = weights[:, :n_bins].T
        out[angle, :, n_bins : weights.shape[1]] = weights[:, n_bins:]
    return out


@kernel
def _sums(framed, points, weights, states):
    """Sum over a template's points of weights times channels, for each state (angle, row, column)."""
    out = np.empty(len(states), dtype=np.float32)
    zero = np.float32(0.0)
    for s in range(len(states)):
        angle, row, column = states[s]
        met = splat(_WIDTH, zero)
        for t in range(points.shape[1]):
            at = row + points[angle, t, 0], column + points[angle, t, 1], 0
            met = add(met, mul(load(_WIDTH, framed, at), load(_WIDTH, weights, (angle, t, 0))))
        out[s] = total(met)
    return out


def _plain_sums(framed, points, weights, states):
    angle, row, column = states.T
    seen = framed[row[:, None] + points[angle, :, 0], column[:, None] + points[angle, :, 1]]
    return np.einsum("stc,stc->s", seen, weights[angle])
