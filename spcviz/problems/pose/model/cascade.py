"""Run a clip through the pose cascade, level by level, with densities fitted to places and motion of limbs.

Every feature of a state or a pair is a log density up to a constant, so weights of 1 are a hand-set model: a
Gaussian for a part's position in the picture, one for a joint's gap along and across the inner limb, and
smoothed histograms for angles and turns.

Variable f P + p is part p in frame f. Sub-models share every frame's tree of limbs; each but "single" adds
the edges of one limb from frame to frame (thesis, Fig. 5.2), so all are forests; their max-marginals are
summed.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine.graphs import placed
from spcviz.engine.graphs.placed import Joints
from spcviz.learning.ensemble import coarse_to_fine
from spcviz.learning.ensemble.coarse_to_fine import PlacedModel
from spcviz.problems.pose.data import body
from spcviz.problems.pose.model import features


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


SUB_MODELS = {  # by method: the limb that each sub-model ties from frame to frame
    "single": ("single",),
    "torso": ("torso",),
    "ensemble": ("torso", "left upper arm", "right upper arm"),
}


class PoseModel(NamedTuple):
    """Everything trained."""

    detectors: dict[int, np.ndarray]  # (T, 14)
    centre: np.ndarray  # centre, spread (P,): mean, std. dev. of a part's detector in training
    spread: np.ndarray
    geometry: Geometry
    # (7, sub-models, n_weights): by method, a key of `SUB_MODELS`. The last filter's best limbs are the
    # guess: a predictor trained after it by the structured hinge (3.4) was no better on development frames
    weights: dict[str, np.ndarray]
    alphas: dict[str, np.ndarray]  # (7,)


def with_method(model, method, weights, alphas):
    """The model with other weights and thresholds of a method."""
    return model._replace(weights=model.weights | {method: weights}, alphas=model.alphas | {method: alphas})


def detect(model: PoseModel, pictures: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Standardised detector scores of every picture's parts, (P, 24, 80, 80) float32."""
    for picture in pictures:
        yield detect_standardised(model, features.histograms(picture))


def detect_standardised(model, cells):
    """`detect` for a picture whose histograms (80, 80, 14) are known."""
    fine = features.responses(cells, model.detectors)
    shape = (-1, 1, 1, 1)
    fine -= model.centre.reshape(shape)
    fine /= model.spread.reshape(shape)
    return fine


def edges_over_time(n_frames: int, n_parts: int, limb: str) -> tuple[np.ndarray, np.ndarray]:
    """(edges (E, 2), kinds (E,)) of a sub-model that ties `limb` over time, or no limb if "single".

    >>> edges_over_time(2, 3, "torso")[0].tolist()
    [[0, 1], [0, 2], [3, 4], [3, 5], [0, 3]]
    """
    tree = np.array(body.TREE[: n_parts - 1])
    edges = np.concatenate([tree + f * n_parts for f in range(n_frames)])
    kinds = np.tile(np.arange(n_parts - 1), n_frames)
    if limb == "single" or n_frames < 2:
        return edges, kinds
    part = body.PARTS.index(limb)
    chain = part + n_parts * np.stack([np.arange(n_frames - 1), np.arange(1, n_frames)], axis=1)
    return np.concatenate([edges, chain]), np.concatenate([kinds, np.full(len(chain), n_parts - 1 + part)])


def sub_models(geometry, fine, level, start, states, limbs) -> tuple[PlacedModel, ...]:
    """Sub-models of a level, one for each limb, over the listed states; float16 scores are enough."""
    n = geometry.n_parts
    rows = []
    for f, scores in enumerate(fine):
        pooled = features.pool_scores(np.asarray(scores, dtype=np.float32), level)
        for part in range(n):
            part_states = states[start[f * n + part] : start[f * n + part + 1]]
            rows.append(state_features(geometry, level, part, part_states, pooled[part]))
    n_frames = (len(start) - 1) // n
    x, y, _ = body.grid(level).centres(states).T
    places = placed.Places(start, x, y, body.grid(level).places_of(states)[0])
    rest = places, np.tile(np.arange(n), n_frames), np.concatenate(rows)
    return tuple(
        PlacedModel(*rest, *edges_over_time(n_frames, n, limb), geometry.joints, n) for limb in limbs
    )


def run_cascade(
    model: PoseModel, fine: Sequence[np.ndarray], method: str = "single", alphas=None, rule: str = "mean_max"
):
    """The levels of `filtered_models`."""
    return (level for _, level in filtered_models(model, fine, method, alphas, rule=rule))


def filtered_models(model, fine, method="single", alphas=None, run=map, rule="mean_max"):
    """Filter a clip at every level: yields (sub-models, `coarse_to_fine.FilteredLevel`).

    `alphas` are settings of the rule, "mean_max" or "margin"; by default the model's own.
    """
    alphas = model.alphas[method] if alphas is None else alphas
    start, states = first_states(len(fine) * model.geometry.n_parts)
    for level in range(body.N_LEVELS):
        models = sub_models(model.geometry, fine, level, start, states, SUB_MODELS[method])
        filtered = coarse_to_fine.filter_level(
            models, model.weights[method][level], start, states, alphas[level], run, rule
        )
        yield models, filtered
        if level + 1 < body.N_LEVELS:
            start, states = coarse_to_fine.refine(filtered, lambda kept, at=level: body.children(at, kept))


def is_lost(
    model: PoseModel,
    fine: Sequence[np.ndarray],
    number: int,
    level: coarse_to_fine.FilteredLevel,
    limbs: np.ndarray,
    method: str = "single",
) -> bool:
    """Joint filter loss (Definition 4) of a level: the true labelling scores at most the threshold."""
    states = body.nearest_states(number, limbs[:, : model.geometry.n_parts]).ravel()
    start, weights = np.arange(len(states) + 1), model.weights[method][number]
    truths = sub_models(model.geometry, fine, number, start, states, SUB_MODELS[method])
    score = sum(truth.max_marginals(w).best for truth, w in zip(truths, weights))
    return bool(score <= level.threshold)


def first_states(n_variables):
    """(start, states) of level 0: every state of every variable."""
    first = body.grid(0).n_states
    return np.arange(n_variables + 1) * first, np.tile(np.arange(first), n_variables)
