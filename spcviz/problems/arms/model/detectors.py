"""Detectors of arms at two resolutions: everywhere at half of it, and fully at proposals only.

Templates are the pose model's own. At half the resolution they meet histograms of the picture at half its
size, a quarter as many cells; nothing is trained for that.
"""

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.problems.arms.model import modes
from spcviz.problems.pose.model import body, cascade, features, templates

_ARM = (1, 3)  # the left arm's parts, upper and lower
_FINEST = body.N_LEVELS - 1


def coarse_scores(model: cascade.PoseModel, picture: np.ndarray) -> np.ndarray:
    """Standardised scores of both arms' parts at half the resolution: (5, 24, 40, 40), the torso's are 0."""
    cells, side = features.coarse_histograms(picture), body.N_FINE // 2
    out = np.zeros((len(body.PARTS), body.N_ANGLES, side, side), dtype=np.float32)
    for part in range(1, len(body.PARTS)):
        kind = part if part in _ARM else body.MIRRORED[part]
        weights = model.detectors[kind]
        if part != kind:
            weights = features.mirrored_weights(kind, weights)
        found = templates.respond(cells, features.turned(kind, 2 * body.PITCH), weights)
        out[part] = (found - model.centre[part]) / model.spread[part]
    return out


def coarse_search(search: modes.Search) -> modes.Search:
    """The same arms, by states of the grid of `coarse_scores`."""
    side = body.N_FINE // 2

    def coarse(states):
        angle, row, column = body.grid(_FINEST).unpacked(states)
        return ((angle * side + row // 2) * side + column // 2).astype(np.int32)

    return search._replace(upper=coarse(search.upper), lower=coarse(search.lower))


def fine_scores(model: cascade.PoseModel, cells: np.ndarray, joints: np.ndarray) -> np.ndarray:
    """Standardised scores (M,) of left arms (M, 3, 2), each part's best in the states next to its own."""
    grid, total = body.grid(_FINEST), np.zeros(len(joints))
    for limb, part in enumerate(_ARM):
        states = np.stack(grid.unpacked(body.nearest_states(_FINEST, joints[:, limb : limb + 2])), axis=1)
        score = _best_beside(cells, features.turned(part), model.detectors[part], states)
        total += (score - model.centre[part]) / model.spread[part]
    return total


@kernel
def _best_beside(cells, points, weights, states):
    """Best score of a template in the nine cells about each state (angle, row, column): (M,)."""
    height, width, n_channels = cells.shape
    n_angles = len(points)
    n_bins = n_angles // 2
    best = np.full(len(states), -np.inf)
    for m in range(len(states)):
        angle = states[m, 0]
        for y in range(states[m, 1] - 1, states[m, 1] + 2):
            for x in range(states[m, 2] - 1, states[m, 2] + 2):
                score = 0.0
                for t in range(len(weights)):
                    row, column = y + points[angle, t, 0], x + points[angle, t, 1]
                    if 0 <= row < height and 0 <= column < width:
                        for b in range(n_bins):  # orientations turn with the template
                            score += weights[t, b] * cells[row, column, (b + angle) % n_bins]
                        for b in range(n_bins, n_channels):
                            score += weights[t, b] * cells[row, column, b]
                best[m] = max(best[m], score)
    return best
