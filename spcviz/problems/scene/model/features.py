"""Features of a picture's regions: their shapes, and codes of descriptors, computed lazily group by group.

Columns: 21 of SHAPE, then 150 codes each of TXT, LBP, I-SIFT and C-SIFT, in 64 steps (`Scales`): linear for
SHAPE, in the root for codes, which crowd at 0.

Shapes follow from moments, extents and border lengths: these are sums, minima or maxima, so those of a region
follow from its atoms', and the pixels are read once for all levels. A code is computed at the grid points,
pooled over atoms, and from there over the regions of a level, each only once; descriptors are computed with a
group's first code.
"""

import json
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import kernel
from spcviz.problems.scene.model import descriptors, segments
from spcviz.problems.scene.model.segments import Hierarchy
from spcviz.shared.folders import RESULTS, shipped_path

SHAPE_NAMES = (
    "log area", "x", "y", "|x - middle|", "left", "right", "top", "bottom", "width", "height", "log aspect",
    "filled", "long axis", "short axis", "roundness", "cos of direction", "sin of direction", "border / root",
    "touches top", "touches bottom", "touches a side",
)  # fmt: skip
N_SHAPE = len(SHAPE_NAMES)
_SUMS, _ALL = 9, 13  # pixels; sums of x, y, xx, yy, xy; pixels at top, bottom, side; extents


def shapes_of_atoms(hierarchy):
    """Sums over the pixels of every atom: ndarray of float, shape (A, 13)."""
    return _of_atoms(hierarchy.atoms, hierarchy.n_regions(0))


def shapes_of_level(sums: np.ndarray, hierarchy: Hierarchy, level: int) -> np.ndarray:
    """SHAPE (R, 21) of a level's regions as in `SHAPE_NAMES`, from the sums of `shapes_of_atoms`.

    Lengths are shares of the picture's.
    """
    n = hierarchy.n_regions(level)
    region_sums = sums if level == 0 else _of_regions(sums, hierarchy.member[level], n)
    borders = hierarchy.borders[level]
    return _features(region_sums, borders.first, borders.length, *hierarchy.atoms.shape)


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


GROUPS = ("SHAPE", *descriptors.GROUPS)
N_STEPS = 64
N_COLUMNS = N_SHAPE + len(descriptors.GROUPS) * descriptors.N_CENTRES
GROUP_OF = np.repeat(np.arange(len(GROUPS)), [N_SHAPE, *[descriptors.N_CENTRES] * len(descriptors.GROUPS)])
"""The group of every column, an index of `GROUPS`."""


def first_column(group):
    """The index of a group's first column.

    >>> first_column("SHAPE"), first_column("LBP")
    (0, 171)
    """
    return int(np.searchsorted(GROUP_OF, GROUPS.index(group)))


class Scales(NamedTuple):
    """The scales that turn values into steps."""

    low: np.ndarray  # low, span (621,), float32: the least value, and the range up to the greatest
    span: np.ndarray

    def write(self, out, values, columns):
        """Steps of some columns: values (R, n) into those columns of `out` (R, 621), uint8."""
        _write_steps(out, values, columns, self.low[columns], self.span[columns])


@kernel
def _write_steps(out, values, columns, low, span):
    for r in range(len(values)):
        for c in range(values.shape[1]):
            share = min(max((values[r, c] - low[c]) / span[c], np.float32(0)), np.float32(1))
            if columns[c] >= N_SHAPE:  # a code
                share = np.sqrt(share)
            out[r, columns[c]] = np.uint8(share * np.float32(N_STEPS - 0.001))


class PictureVocabulary(NamedTuple):
    """Codebooks and scales, which are learned before anything else."""

    books: dict
    scales: Scales


class _Level(NamedTuple):
    """A level's regions: steps (R, 621), which columns are known, each atom's share of its region."""

    steps: np.ndarray
    is_known: np.ndarray
    share: np.ndarray


class LazyPicture:
    """A picture whose features are computed on request; `begun` are the groups requested so far."""

    def __init__(self, picture, vocabulary):
        self.picture = segments.check_picture(picture)
        self.vocabulary = vocabulary
        self.hierarchy = segments.hierarchy(self.picture)
        self.size = np.bincount(self.hierarchy.atoms.ravel()).astype(np.float32)
        self.begun = set()
        self._described, self._grids, self._sums = {}, {}, None
        self._atoms = np.empty((N_COLUMNS, len(self.size)), dtype=np.float32)  # column by column, as bought
        self._has = np.zeros(N_COLUMNS, dtype=bool)
        self._levels = {}

    def steps(self, level: int, columns: np.ndarray) -> np.ndarray:
        """Features (R, 621) of a level with at least these ascending columns; others may be 0."""
        known = self._level(level)
        missing = columns[~known.is_known[columns]]
        if len(missing) and missing[0] < N_SHAPE:
            self.vocabulary.scales.write(known.steps, self._shape(level), np.arange(N_SHAPE))
            known.is_known[:N_SHAPE] = True
            missing = missing[missing >= N_SHAPE]
        if len(missing):
            self.vocabulary.scales.write(known.steps, self.codes(level, missing), missing)
            known.is_known[missing] = True
        return known.steps

    def _level(self, level):
        if level not in self._levels:
            n, member = self.hierarchy.n_regions(level), self.hierarchy.member[level]
            share = (self.size / np.bincount(member, self.size, n)[member]).astype(np.float32)
            steps, is_known = np.zeros((n, N_COLUMNS), dtype=np.uint8), np.zeros(N_COLUMNS, dtype=bool)
            self._levels[level] = _Level(steps, is_known, share)
        return self._levels[level]

    def _shape(self, level):
        self.begun.add("SHAPE")
        if self._sums is None:
            self._sums = shapes_of_atoms(self.hierarchy)
        return shapes_of_level(self._sums, self.hierarchy, level)

    def codes(self, level, columns):
        """Mean codes of a level's regions: ndarray of float32, shape (R, n); no columns of SHAPE."""
        missing = columns[~self._has[columns]]
        for g in np.unique(GROUP_OF[missing]):
            wanted = missing[GROUP_OF[missing] == g]
            self._atoms[wanted] = self._of_atoms(GROUPS[g], wanted).T
            self._has[wanted] = True
        values = np.ascontiguousarray(self._atoms[columns].T)
        if level == 0:
            return values
        known, n = self._level(level), self.hierarchy.n_regions(level)
        return descriptors.raise_to(values, self.hierarchy.member[level], known.share, n)

    def _of_atoms(self, group, columns):
        if group not in self.begun:
            self.begun.add(group)
            self._described[group] = descriptors.describe(self.picture, group)
        centres = columns - first_column(group)
        point_codes = descriptors.codes(self.vocabulary.books[group], self._described[group], centres)
        return descriptors.pool(point_codes, self._grid(descriptors.STEPS[group]), len(self.size))

    def _grid(self, step):
        """The grid of a step, shared by the groups whose points are that far apart."""
        if step not in self._grids:
            self._grids[step] = descriptors.grid(self.hierarchy.atoms, step)
        return self._grids[step]


COSTS = "scene-costs"
"""The result whose rows are the prices that SIM learns with."""


def load_costs():
    """The stored result's rows by piece; `ArgumentError` ends with the command that makes it."""
    path = shipped_path(RESULTS) / f"{COSTS}.json"
    try:
        return {row["piece"]: row for row in json.loads(path.read_bytes())["rows"]}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ArgumentError(f"{path} cannot be read; run: python -m spcviz reproduce {COSTS}") from error
