"""Shape features of a region: size, place, extent, orientation, the picture's edges that it touches.

Moments, extents and border lengths are sums, minima or maxima, so those of a region follow from its atoms':
the pixels are read once for all levels.
"""

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.problems.scene.model.segments import Hierarchy

SHAPE_NAMES = (
    "log area", "x", "y", "|x - middle|", "left", "right", "top", "bottom", "width", "height", "log aspect",
    "filled", "long axis", "short axis", "roundness", "cos of direction", "sin of direction", "border / root",
    "touches top", "touches bottom", "touches a side",
)  # fmt: skip
N_SHAPE = len(SHAPE_NAMES)
_SUMS, _ALL = 9, 13  # pixels; sums of x, y, xx, yy, xy; pixels at top, bottom, side; extents


@kernel
def _of_atoms(atoms, n):
    tall, wide = atoms.shape
    out = np.zeros((n, _ALL), dtype=np.float64)
    for r in range(n):
        out[r, 9], out[r, 10], out[r, 11], out[r, 12] = wide, -1, tall, -1
    sums, squares = np.zeros(wide + 1), np.zeros(wide + 1)  # of x and x x over the pixels before
    for j in range(wide):
        sums[j + 1], squares[j + 1] = sums[j] + j, squares[j] + j * j
    for i in range(tall):
        row, end = atoms[i], 0
        while end < wide:
            r, start = row[end], end
            while end < wide and row[end] == r:
                end += 1
            o, many, last = out[r], end - start, end - 1  # a run of pixels of one atom, added up at once
            x = sums[end] - sums[start]
            o[0] += many
            o[1] += x
            o[2] += many * i
            o[3] += squares[end] - squares[start]
            o[4] += many * i * i
            o[5] += x * i
            o[6] += many * (i == 0)
            o[7] += many * (i == tall - 1)
            o[8] += (start == 0) + (end == wide)
            o[9] = min(o[9], start)
            o[10] = max(o[10], last)
            o[11] = min(o[11], i)
            o[12] = max(o[12], i)
    return out


@kernel
def _of_regions(atoms, member, n):
    out = np.zeros((n, _ALL), dtype=np.float64)
    for r in range(n):
        out[r, 9], out[r, 10], out[r, 11], out[r, 12] = 1e9, -1, 1e9, -1
    for a in range(len(atoms)):
        o, atom = out[member[a]], atoms[a]
        for c in range(_SUMS):
            o[c] += atom[c]
        for c in range(_SUMS, _ALL, 2):
            o[c] = min(o[c], atom[c])
            o[c + 1] = max(o[c + 1], atom[c + 1])
    return out


def shapes_of_atoms(hierarchy):
    """Sums over the pixels of every atom: ndarray of float, shape (A, 13)."""
    return _of_atoms(hierarchy.atoms, hierarchy.n_regions(0))


def shapes_of_level(sums: np.ndarray, hierarchy: Hierarchy, level: int) -> np.ndarray:
    """SHAPE (R, 21) of a level's regions as in `SHAPE_NAMES`, from `shapes_of_atoms`; lengths as shares of the picture."""
    n = hierarchy.n_regions(level)
    region_sums = sums if level == 0 else _of_regions(sums, hierarchy.member[level], n)
    borders = hierarchy.borders[level]
    return _features(region_sums, borders.first, borders.length, *hierarchy.atoms.shape)


@kernel
def _features(sums, first, length, tall, wide):
    out = np.empty((len(sums), N_SHAPE), dtype=np.float32)
    around, diagonal = np.zeros(len(sums)), np.hypot(tall, wide)
    for b in range(len(first)):
        around[first[b]] += length[b, 0]
    for r in range(len(sums)):
        region, to = sums[r], out[r]
        size = region[0]
        x, y = region[1] / size, region[2] / size
        xx, yy = region[3] / size - x * x + 1 / 12, region[4] / size - y * y + 1 / 12
        xy = region[5] / size - x * y
        middle, half = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
        long, short = np.sqrt(middle + half), np.sqrt(max(middle - half, 1e-6))
        left, right, top, bottom = region[9], region[10] + 1, region[11], region[12] + 1
        across, down = right - left, bottom - top
        to[0], to[1], to[2], to[3] = np.log(size / (tall * wide)), x / wide, y / tall, abs(x / wide - 0.5)
        to[4], to[5], to[6], to[7] = left / wide, right / wide, top / tall, bottom / tall
        to[8], to[9], to[10] = across / wide, down / tall, np.log(across / down)
        to[11], to[12], to[13] = size / (across * down), long / diagonal, short / diagonal
        to[14] = short / long
        to[15], to[16], to[17] = (xx - yy) / (2 * half + 1e-6), xy / (half + 1e-6), around[r] / np.sqrt(size)
        to[18], to[19], to[20] = region[6] / wide, region[7] / wide, region[8] / tall
    return out
