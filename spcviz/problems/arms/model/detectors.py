"""Arm detectors at full resolution, evaluated only at the states among which proposals are searched.

Arms of all modes lie in a twelfth of the grid's states. A template's score is summed at these states, 16
channels at a time, and nothing is computed for the others.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import ARE_COMPILED, add, load, mul, splat, total
from spcviz.problems.arms.model import modes
from spcviz.problems.pose.data import body
from spcviz.problems.pose.model import cascade, features

_PARTS = (1, 3)  # the left arm's, upper and lower
_WIDTH = (0,) * 16
_FINEST = body.N_LEVELS - 1


class Template(NamedTuple):
    """A part's detector and the states at which it is evaluated."""

    points: np.ndarray  # (24, T, 2): rows down and columns right of a state's cell
    weights: np.ndarray  # (24, T, 16), float32: of a map's channels, rotated; standardised
    states: np.ndarray  # (S, 3): angle, row, column, angles in order
    shift: float  # standardised score where weights times channels sum to zero


class ArmDetectors(NamedTuple):
    """The detectors that `propose_arms` evaluates."""

    search: modes.Search  # by index into the templates' states
    templates: tuple  # of the upper and the lower arm
    margin: int  # cells of padding around a map


def arm_detectors(model: cascade.PoseModel, search: modes.Search) -> ArmDetectors:
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
    """`modes.propose` for the left arm in a picture whose histograms (80, 80, 14) are given."""
    scores = [scores_at(template, cells, detectors.margin) for template in detectors.templates]
    return modes.propose(detectors.search, *scores)


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
