r"""Features of an arm's proposals, tier by tier in the order of purchase, and the optical flow behind them.

Every tier is a set of features of a proposal (state) or of a step from one frame's proposal to the next
frame's, and takes real time. Pictures are mirrored for right arms, so that the arm is always on the left;
flow looks at the left 160 columns only. An arm is two rectangles, sampled at points that each represent a
share of its area.

Flow moves the square B(p) around a pixel p, 2 HALF + 1 pixels a side, from picture I to picture J by

.. math:: d(p) = \arg\min_d \sum_{q \in B(p)} \min(\|I(q) - J(q + d)\|_1, \mathrm{CAP})
    + \mathrm{WEIGHT} \, |B| \, \|d\|_2

over all whole-pixel steps d of length at most REACH. Outside a picture its nearest pixel counts. Between two
frames arms move as far as they are wide. A coarse-to-fine flow (TV-L1) loses them, so here every step is
tried.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.problems.pose.data import body


class FeatureNames(NamedTuple):
    """Names of what is learned from features bought together."""

    state: tuple = ()
    step: tuple = ()


_FLOW = FeatureNames(
    ("upper arm moves", "lower arm moves", "end of the lower arm moves"), ("flow", "flow less background")
)
SOURCES = {
    "detectors": FeatureNames(  # these make the proposals; plus how proposals move
        ("prior of the mode", "score below the best", "score, standardised"),
        ("prior of the pair", "upper arm turns", "lower arm turns", "elbow jumps", "wrist jumps",
         "elbow jumps, at most 20 px", "wrist jumps, at most 20 px"),
    ),
    # arms moved back by optical flow against those before, and how much more they move than others
    "coarse_flow": _FLOW,  # at a third of the resolution
    "flow": _FLOW,  # at half the resolution
}  # fmt: skip
LADDER = "detectors", "coarse_flow", "flow"
"""Ordered by what each gained for its time on persons left out of training. There the thesis' colour and
superpixels, tried after detectors at half the resolution, did not reduce the number of wrong joints."""
STATE_EDGES = tuple(np.cumsum([len(SOURCES[key].state) for key in LADDER]).tolist())
STEP_EDGES = tuple(np.cumsum([len(SOURCES[key].step) for key in LADDER]).tolist())
"""Tier t uses the features before edge t."""

N_BEFORE = 5
WINDOW = 160
N_COLOURS = 4  # levels per channel of the colour histograms
_ALONG, _ACROSS = 12, 4
_WIDTHS = (16.0, 12.0)
PITCHES = {"coarse_flow": 3, "flow": 2}  # side of the square of pixels that flow sees as one
REACH, HALF, WEIGHT, CAP = 12, 4, 1.0, 60
"""Of `match_blocks`, chosen on other rendered clips: true arms moved by the flow match the next frame's with
intersection over union 0.76 (0.72 by TV-L1, 0.52 unmoved, 0.85 by the renderer's own true flow)."""

_PIECE = 12  # points of an arm, a quarter of a limb, that move together: by the median of their flow
_CELL = 4
_BODY = (70, 65)  # columns right of and rows below these are the person's: the rest is background
NEAR_PX = 20.0


def points_of(joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (N, 96, 2) that cover arms, upper arm first, and the area in pixels that each represents."""
    along = (np.arange(_ALONG) + 0.5) / _ALONG
    across = (np.arange(_ACROSS) + 0.5) / _ACROSS - 0.5
    points, area = [], []
    for limb, width in enumerate(_WIDTHS):
        start, step = joints[:, limb], joints[:, limb + 1] - joints[:, limb]
        length = np.maximum(np.linalg.norm(step, axis=1), 1e-9)
        aside = np.stack([-step[:, 1], step[:, 0]], axis=1) * (width / length)[:, None]
        here = start[:, None, None] + along[:, None, None] * step[:, None, None]
        points.append((here + across[:, None] * aside[:, None, None]).reshape(len(joints), -1, 2))
        area.append(np.repeat(length * width / (_ALONG * _ACROSS), _ALONG * _ACROSS).reshape(len(joints), -1))
    return np.concatenate(points, axis=1), np.concatenate(area, axis=1)


def _pixels(points, shape, cell=1):
    """(row, column) of the pixel or cell under each point; outside, of the nearest."""
    column = np.clip(points[..., 0] // cell, 0, shape[1] - 1).astype(int)
    row = np.clip(points[..., 1] // cell, 0, shape[0] - 1).astype(int)
    return row, column


def nearest_before(joints: np.ndarray, before: np.ndarray, n: int = N_BEFORE) -> np.ndarray:
    """The n proposals of the previous frame (M, 3, 2) nearest to each, nearest first: (M, n)."""
    apart = ((joints[:, None] - before[None]) ** 2).sum(axis=(2, 3))
    return np.argsort(apart, axis=1, kind="stable")[:, :n]


def kinematics(joints, before, chosen):
    """Turns and jumps of steps, shape (M, n, 6), in units of half turns and of 20 pixels.

    The columns are step features 1 to 6 of the detectors in `SOURCES`.
    """
    old, new = before[chosen], joints[:, None]
    turns = []
    for limb in (0, 1):
        step = [arms[..., limb + 1, :] - arms[..., limb, :] for arms in (old, new)]
        angle = [np.arctan2(s[..., 1], s[..., 0]) for s in step]
        turns.append(np.abs((angle[1] - angle[0] + np.pi) % (2 * np.pi) - np.pi) / np.pi)
    jumps = [np.linalg.norm(new[..., j, :] - old[..., j, :], axis=-1) / NEAR_PX for j in (1, 2)]
    return np.stack([*turns, *jumps, *(np.minimum(j, 1.0) for j in jumps)], axis=-1)


def standing(score):
    """Relative scores of a frame's proposals: below the best, and standardised, shape (M, 2)."""
    below = score - score.max()
    return np.stack([below / 5.0, (score - score.mean()) / max(score.std(), 1e-9)], axis=-1)


def colour_histograms(picture: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Histogram of each arm's colours, (N, 64), rows summing to 1; `points` is (N, P, 2)."""
    colours = picture[_pixels(points, picture.shape)].astype(int) * N_COLOURS // 256
    code = (colours * np.array([N_COLOURS**2, N_COLOURS, 1])).sum(axis=-1)
    n_bins = N_COLOURS**3
    flat = (code + n_bins * np.arange(len(points))[:, None]).ravel()
    count = np.bincount(flat, minlength=n_bins * len(points)).reshape(len(points), n_bins)
    return (count / points.shape[1]).astype(np.float32)


class Flow(NamedTuple):
    """Optical flow back to the previous frame."""

    steps: np.ndarray  # (H, W, 2): (x, y) back to the previous frame, pixels
    background: np.ndarray  # (2,): median of what lies outside the person
    pitch: int  # pixels from one step to the next


def flow_between(picture: np.ndarray, before: np.ndarray, pitch: int = 2) -> Flow:
    """Flow back to the previous frame at every `pitch`-th pixel."""
    reach, half = round(2 * REACH / pitch), round(2 * HALF / pitch)
    steps = pitch * match_blocks(_small(picture, pitch), _small(before, pitch), reach, half).astype(float)
    row, column = np.mgrid[: steps.shape[0], : steps.shape[1]] * pitch
    outside = ~((column > _BODY[0]) & (row > _BODY[1]))
    return Flow(steps, np.median(steps[outside], axis=0), pitch)


def _small(picture, pitch):
    """The window, `pitch` times smaller, in whole numbers."""
    whole = picture[: len(picture) // pitch * pitch, : WINDOW // pitch * pitch]
    corners = [(down, right) for down in range(pitch) for right in range(pitch)]
    pixels = sum(whole[down::pitch, right::pitch].astype(float) for down, right in corners)
    return np.rint(pixels / pitch**2).astype(np.int64)


def motion(flow: Flow, joints: np.ndarray) -> np.ndarray:
    """Flow of arm and hand (M, 3) less the background's, in standard deviations (at least a pixel)."""
    size = np.linalg.norm(_flow_at(flow, points_of(joints)[0]) - flow.background, axis=-1)
    half = size.shape[1] // 2
    pieces = (size[:, :half], size[:, half:], size[:, -_PIECE:])
    medians = np.stack([np.median(piece, axis=1) for piece in pieces], axis=-1)
    # relative to the other proposals: those next to a moving arm stand still
    return (medians - medians.mean(axis=0)) / np.maximum(medians.std(axis=0), 1.0)


def _flow_at(flow, points):
    return flow.steps[_pixels(points, flow.steps.shape, flow.pitch)]


def flow_overlap(flow: Flow, joints: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Intersection over union (M, M, 2) of arms moved back and arms `before`.

    The arms are moved by the flow, as is and less the background's.
    """
    points = points_of(joints)[0]
    pieces = np.median(_flow_at(flow, points).reshape(len(points), -1, _PIECE, 2), axis=2)
    moved = points + np.repeat(pieces, _PIECE, axis=1)
    old = _cells(points_of(before)[0])
    out = []  # which one is informative depends on whether the window follows the person or the scene
    for shift in (np.zeros(2), flow.background):
        now = _cells(moved - shift)
        common = now @ old.T
        out.append(common / (now.sum(axis=1)[:, None] + old.sum(axis=1)[None] - common))
    return np.stack(out, axis=-1)


def _cells(points):
    """Which cells of 4 x 4 pixels each arm covers, shape (N, cells) of zeros and ones."""
    side = body.SIDE // _CELL
    row, column = _pixels(points, (side, side), _CELL)
    out = np.zeros((len(points), side * side), dtype=np.float32)
    np.put_along_axis(out, row * side + column, 1.0, axis=1)
    return out


def match_blocks(
    before: ArrayLike,
    after: ArrayLike,
    reach: int = REACH,
    half: int = HALF,
    weight: float = WEIGHT,
    cap: int = CAP,
) -> np.ndarray:
    """Steps (x, y) of pixels (H, W, C) to the next picture, (H, W, 2); ties go to the shortest step.

    >>> picture = np.random.default_rng(0).integers(0, 256, (20, 20, 3))
    >>> match_blocks(picture, np.roll(picture, 2, axis=1), reach=3, half=1)[10, 10].tolist()
    [2, 0]
    """
    before, after = (np.ascontiguousarray(picture, dtype=np.int64) for picture in (before, after))
    if before.ndim != 3 or before.shape != after.shape:
        raise ShapeError(f"before has shape {before.shape}; after has {after.shape}: both need (H, W, C)")
    reach, half = checks.integer("reach", reach, 0, 100), checks.integer("half", half, 0, 100)
    padded = np.pad(after, ((reach, reach), (reach, reach), (0, 0)), mode="edge")
    area = (2 * half + 1) ** 2
    steps = _steps(reach)
    price = checks.number("weight", weight, 0) * area * np.linalg.norm(steps, axis=1)
    return steps[_match(before, padded, steps, price, half, checks.integer("cap", cap, 1, 10_000))]


@cache
def _steps(reach):
    """All steps (x, y) of at most `reach` pixels, shortest first."""
    one = np.arange(-reach, reach + 1)
    steps = np.stack(np.meshgrid(one, one), axis=-1).reshape(-1, 2)
    squares = (steps**2).sum(axis=1)
    order = np.argsort(squares, kind="stable")
    steps = steps[order[squares[order] <= reach**2]]
    steps.flags.writeable = False
    return steps


@kernel
def _match(before, padded, steps, price, half, cap):
    """Index of every pixel's best step; sums over blocks are running sums along rows, then columns."""
    height, width, n_colours = before.shape
    reach = (padded.shape[0] - height) // 2
    best = np.zeros((height, width), dtype=np.int64)
    least = np.full((height, width), np.inf)
    apart, along = np.empty(width, dtype=np.int64), np.empty((height, width), dtype=np.int64)
    for s in range(len(steps)):
        dx, dy = steps[s, 0] + reach, steps[s, 1] + reach
        for y in range(height):
            for x in range(width):
                total = 0
                for c in range(n_colours):
                    total += abs(before[y, x, c] - padded[y + dy, x + dx, c])
                apart[x] = min(total, cap)
            total = 0
            # A running sum: the time for a block does not grow with its size. Beyond the edge the last pixel
            # is repeated, so that every block counts equally many pixels.
            for x in range(-half, half + 1):
                total += apart[min(max(x, 0), width - 1)]
            for x in range(width):
                along[y, x] = total
                total += apart[min(x + half + 1, width - 1)] - apart[max(x - half, 0)]
        block = np.zeros(width, dtype=np.int64)
        for y in range(-half, half + 1):
            block += along[min(max(y, 0), height - 1)]
        for y in range(height):
            for x in range(width):
                cost = block[x] + price[s]
                if cost < least[y, x]:
                    least[y, x], best[y, x] = cost, s
            block += along[min(y + half + 1, height - 1)] - along[max(y - half, 0)]
    return best
