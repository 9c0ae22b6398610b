r"""Upper-body pose: limbs, states on ever finer grids, and the share of correct parts.

A limb has a fixed length and a state (x, y, angle): the cell of its middle in a square picture of 240 pixels
and the direction from its inner end (neck, shoulder, elbow) to its outer one. Level l of the cascade divides
the picture into 10 x 10 cells at l = 0 and halves them alternately across and down, up to 80 x 80 at l = 6,
always with 24 angles (thesis, section 5.5.2). State s of an R x C grid is ``(angle * R + row) * C + column``.

Left and right are the picture's, not the person's.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError

SIDE = 240
PITCH = 3.0
N_ANGLES = 24
N_LEVELS = 7
N_FINE = 80
NEAR = 0.25  # share of a limb's length within which both ends of a state must lie to represent the limb
PARTS = ("torso", "left upper arm", "right upper arm", "left lower arm", "right lower arm")
MIRRORED = (0, 2, 1, 4, 3)
LENGTHS = (76.0, 42.0, 42.0, 34.0, 34.0)  # pixels in a normalised picture: medians of the training episodes
TREE = ((0, 1), (0, 2), (1, 3), (2, 4))  # torso - upper arms - lower arms, (parent, child)


class Grid(NamedTuple):
    """Cells of one level."""

    rows: int
    columns: int

    @property
    def n_states(self):
        return N_ANGLES * self.rows * self.columns

    def centres(self, states):
        """(x, y, angle in radians) of states, shape (N, 3)."""
        angle, row, column = self.places_of(states)
        x, y = (column + 0.5) * SIDE / self.columns, (row + 0.5) * SIDE / self.rows
        return np.stack([x, y, angle * (2 * np.pi / N_ANGLES)], axis=-1)

    def places_of(self, states):
        """(angle, row, column) of states."""
        angle, cell = np.divmod(states, self.rows * self.columns)
        return angle, *np.divmod(cell, self.columns)

    def states_at(self, angle, row, column):
        """States of (angle, row, column)."""
        return (np.asarray(angle) * self.rows + row) * self.columns + column


def grid(level: int) -> Grid:
    """The cells of a level, 0 to 6.

    >>> [grid(level) for level in (0, 1, 6)]
    [Grid(rows=10, columns=10), Grid(rows=10, columns=20), Grid(rows=80, columns=80)]
    """
    level = checks.integer("level", level, 0, N_LEVELS - 1)
    return Grid(10 << (level // 2), 10 << ((level + 1) // 2))


def children(level: int, states: np.ndarray) -> np.ndarray:
    """States (2 N,) of the next level that lie in the given ones (N,): two each, ascending.

    >>> children(0, np.array([0, 11])).tolist()
    [0, 1, 22, 23]
    """
    coarse, fine = grid(level), grid(level + 1)
    angle, row, column = coarse.places_of(states)
    down, across = fine.rows // coarse.rows, fine.columns // coarse.columns
    parts = np.ndindex(down, across)
    both = [fine.states_at(angle, row * down + i, column * across + j) for i, j in parts]
    return np.sort(np.stack(both, axis=1).ravel())


def nearest_states(level: int, limbs: np.ndarray) -> np.ndarray:
    """State whose cell, clipped to the grid, holds the middle of limbs (..., inner or outer end, x or y).

    >>> nearest_states(0, np.array([[12.0, 36.0], [36.0, 36.0]]))
    np.int64(11)
    """
    cells = grid(level)
    limbs = np.asarray(limbs, dtype=float)
    if limbs.shape[-2:] != (2, 2):
        raise ShapeError(f"limbs has shape {limbs.shape}; it needs (..., 2, 2)")
    middle = limbs.mean(axis=-2)
    along = limbs[..., 1, :] - limbs[..., 0, :]
    angle = np.rint(np.arctan2(along[..., 1], along[..., 0]) * N_ANGLES / (2 * np.pi)).astype(int) % N_ANGLES
    column = np.clip((middle[..., 0] * cells.columns / SIDE).astype(int), 0, cells.columns - 1)
    row = np.clip((middle[..., 1] * cells.rows / SIDE).astype(int), 0, cells.rows - 1)
    return cells.states_at(angle, row, column)


def limbs_of(level: int, part: int, states: np.ndarray) -> np.ndarray:
    """Both ends of a part in given states (N,): (N, 2, 2).

    >>> limbs_of(0, 1, np.array([0]))[0].tolist()
    [[-9.0, 12.0], [33.0, 12.0]]
    """
    x, y, angle = np.moveaxis(grid(level).centres(states), -1, 0)
    half = LENGTHS[part] / 2 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    middle = np.stack([x, y], axis=-1)
    return np.stack([middle - half, middle + half], axis=-2)


def is_correct(limbs: np.ndarray, truth: np.ndarray, tolerance: float) -> np.ndarray:
    """Whether both ends lie within a share of the true limb's length: 0.5 is "PCP", 0.25 the strict one.

    >>> truth = np.array([[0.0, 0.0], [10.0, 0.0]])
    >>> bool(is_correct(truth + 3.0, truth, 0.5)), bool(is_correct(truth + 3.0, truth, 0.25))
    (True, False)
    """
    allowed = tolerance * np.linalg.norm(truth[..., 1, :] - truth[..., 0, :], axis=-1)
    apart = np.linalg.norm(limbs - truth, axis=-1)
    return (apart <= allowed[..., None]).all(axis=-1)


def is_reachable(number, part, limb):
    """Whether any state of a level's whole grid is within `NEAR` of a limb; a part's states have one length.

    >>> limb = np.array([[120.0, 100.0], [120.0, 142.0]])
    >>> bool(is_reachable(6, 1, limb)), bool(is_reachable(6, 1, limb * (1, 0.3)))
    (True, False)
    """
    cells, middle = grid(number), limb.mean(axis=0)
    reach = NEAR * np.linalg.norm(limb[1] - limb[0])  # middles are no farther apart than the farther ends
    sides = []
    for centre, n in zip(middle, (cells.columns, cells.rows)):
        pitch = SIDE / n
        first, last = (int(np.floor((centre + sign * reach) / pitch)) for sign in (-1, 1))
        sides.append(np.arange(max(first, 0), min(last, n - 1) + 1))
    angle, row, column = np.meshgrid(np.arange(N_ANGLES), sides[1], sides[0], indexing="ij")
    states = cells.states_at(angle, row, column).ravel()
    return is_correct(limbs_of(number, part, states), limb, NEAR).any()
