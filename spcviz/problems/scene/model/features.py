"""Features of a picture's regions, computed lazily, group by group.

Columns: 21 of SHAPE, then 150 codes each of TXT, LBP, I-SIFT and C-SIFT, in 64 steps (`Scales`): linear for
SHAPE, in the root for codes, which crowd at 0. A code is computed at the grid points, pooled over atoms, and
from there over the regions of a level, each only once; descriptors are computed with a group's first code.
"""

import json
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import kernel
from spcviz.problems.scene.model import codes, descriptors, segments, shape
from spcviz.shared.folders import RESULTS, shipped_path

COSTS = "scene-costs"
"""The result whose rows are the prices that SIM learns with."""
GROUPS = ("SHAPE", *codes.GROUPS)
N_STEPS = 64
N_COLUMNS = shape.N_SHAPE + len(codes.GROUPS) * codes.N_CENTRES
GROUP_OF = np.repeat(np.arange(len(GROUPS)), [shape.N_SHAPE, *[codes.N_CENTRES] * len(codes.GROUPS)])
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
            if columns[c] >= shape.N_SHAPE:  # a code
                share = np.sqrt(share)
            out[r, columns[c]] = np.uint8(share * np.float32(N_STEPS - 0.001))


class Vocabulary(NamedTuple):
    """Codebooks and scales, which are learned before anything else."""

    books: dict
    scales: Scales


class _Level(NamedTuple):
    """A level's regions: steps (R, 621), which columns are known, each atom's share of its region."""

    steps: np.ndarray
    is_known: np.ndarray
    share: np.ndarray


class Seen:
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
        if len(missing) and missing[0] < shape.N_SHAPE:
            self.vocabulary.scales.write(known.steps, self._shape(level), np.arange(shape.N_SHAPE))
            known.is_known[: shape.N_SHAPE] = True
            missing = missing[missing >= shape.N_SHAPE]
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
            self._sums = shape.shapes_of_atoms(self.hierarchy)
        return shape.shapes_of_level(self._sums, self.hierarchy, level)

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
        return codes.raise_to(values, self.hierarchy.member[level], known.share, n)

    def _of_atoms(self, group, columns):
        if group not in self.begun:
            self.begun.add(group)
            self._described[group] = codes.describe(self.picture, group)
        centres = columns - first_column(group)
        point_codes = codes.codes(self.vocabulary.books[group], self._described[group], centres)
        return codes.pool(point_codes, self._grid(descriptors.STEPS[group]), len(self.size))

    def _grid(self, step):
        """The grid of a step, shared by the groups whose points are that far apart."""
        if step not in self._grids:
            self._grids[step] = codes.grid(self.hierarchy.atoms, step)
        return self._grids[step]


def load_costs():
    """The stored result's rows by piece; `ArgumentError` ends with the command that makes it."""
    path = shipped_path(RESULTS) / f"{COSTS}.json"
    try:
        return {row["piece"]: row for row in json.loads(path.read_bytes())["rows"]}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ArgumentError(f"{path} cannot be read; run: python -m spcviz reproduce {COSTS}") from error
