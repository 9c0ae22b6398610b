"""What a region's outline says: size, place, extent, orientation, and which edges of the picture it touches.

Moments, extents and border lengths are sums, least or greatest values, so those of a region follow from its
atoms': the pixels are read once for all levels.
"""

import numpy as np

from spcviz.engine.jit import kernel

NAMES = (
    "log area", "x", "y", "|x - middle|", "left", "right", "top", "bottom", "width", "height", "log aspect",
    "filled", "long axis", "short axis", "roundness", "cos of direction", "sin of direction", "border / root",
    "touches top", "touches bottom", "touches a side",
)  # fmt: skip
N_SHAPE = len(NAMES)
_SUMS, _ALL = 9, 13
"""Columns: pixels, sums of x, y, xx, yy, xy; pixels at the top, the bottom and a side; then extents."""


@kernel
def _of_atoms(atoms, n):
    tall, wide = atoms.shape
    out = np.zeros((n, _ALL), dtype=np.float64)
    for r in range(n):
        out[r, 9], out[r, 10], out[r, 11], out[r, 12] = wide, -1, tall, -1
    for i in range(tall):
        for j in range(wide):
            o = out[atoms[i, j]]
            o[0] += 1
            o[1] += j
            o[2] += i
            o[3] += j * j
            o[4] += i * i
            o[5] += i * j
            o[6] += i == 0
            o[7] += i == tall - 1
            o[8] += (j == 0) + (j == wide - 1)
            o[9] = min(o[9], j)
            o[10] = max(o[10], j)
            o[11] = min(o[11], i)
            o[12] = max(o[12], i)
    return out


@kernel
def _of_regions(atoms, member, n):
    out = np.zeros((n, _ALL), dtype=np.float64)
    for r in range(n):
        out[r, 9], out[r, 10], out[r, 11], out[r, 12] = 1e9, -1, 1e9, -1
    for a in range(len(atoms)):
        o, own = out[member[a]], atoms[a]
        for c in range(_SUMS):
            o[c] += own[c]
        for c in range(_SUMS, _ALL, 2):
            o[c] = min(o[c], own[c])
            o[c + 1] = max(o[c + 1], own[c + 1])
    return out


def of_atoms(hierarchy):
    """Sums over the pixels of every atom: ndarray of float, shape (A, 13)."""
    return _of_atoms(hierarchy.atoms, hierarchy.n_regions(0))


def of_level(sums, hierarchy, level):
    """SHAPE of a level's regions.

    Parameters
    ----------
    sums : ndarray, shape (A, 13)
        From `of_atoms`.
    hierarchy : Hierarchy
    level : int

    Returns
    -------
    ndarray of float32, shape (R, 21)
        Columns are `NAMES`; lengths are shares of the picture's.
    """
    n = hierarchy.n_regions(level)
    own = sums if level == 0 else _of_regions(sums, hierarchy.member[level], n)
    borders = hierarchy.borders[level]
    around = np.bincount(borders.first, borders.length[:, 0], minlength=n)
    return _features(own, around, *hierarchy.atoms.shape)


def _features(own, around, tall, wide):
    size = own[:, 0]
    x, y = own[:, 1] / size, own[:, 2] / size
    xx, yy = own[:, 3] / size - x * x + 1 / 12, own[:, 4] / size - y * y + 1 / 12
    xy = own[:, 5] / size - x * y
    middle, half = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
    long, short = np.sqrt(middle + half), np.sqrt(np.maximum(middle - half, 1e-6))
    left, right, top, bottom = own[:, 9], own[:, 10] + 1, own[:, 11], own[:, 12] + 1
    across, down = right - left, bottom - top
    diagonal = np.hypot(tall, wide)
    columns = (
        np.log(size / (tall * wide)), x / wide, y / tall, np.abs(x / wide - 0.5),
        left / wide, right / wide, top / tall, bottom / tall, across / wide, down / tall,
        np.log(across / down), size / (across * down), long / diagonal, short / diagonal, short / long,
        (xx - yy) / (2 * half + 1e-6), xy / (half + 1e-6), around / np.sqrt(size),
        own[:, 6] / wide, own[:, 7] / wide, own[:, 8] / tall,
    )  # fmt: skip
    return np.stack(columns, axis=1).astype(np.float32)
