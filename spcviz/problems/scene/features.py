"""Features of the regions of a picture, computed when they are asked for and not before.

Columns: 21 of SHAPE, then 150 codes each of TXT, LBP, I-SIFT and C-SIFT. Predictors see them in 64 steps:
linear for SHAPE, linear in the root for codes, which crowd at 0. Steps are fixed from training pictures
(`Scales`).

A code is computed at the grid points, pooled over atoms, and from there over regions of whatever level is
asked about; each of these once. Descriptors of a group are computed with its first code.
"""

import time
from typing import NamedTuple

import numpy as np

from spcviz.problems.scene import codes, descriptors, segments, shape

GROUPS = ("SHAPE", *codes.GROUPS)
N_STEPS = 64
N_COLUMNS = shape.N_SHAPE + len(codes.GROUPS) * codes.N_CENTRES
GROUP_OF = np.repeat(np.arange(len(GROUPS)), [shape.N_SHAPE, *[codes.N_CENTRES] * len(codes.GROUPS)])
"""Of every column, an index of `GROUPS`."""


def first_column(group):
    """Where a group's columns begin.

    Examples
    --------
    >>> first_column("SHAPE"), first_column("LBP")
    (0, 171)
    """
    return int(np.searchsorted(GROUP_OF, GROUPS.index(group)))


class Scales(NamedTuple):
    """How values become steps.

    Attributes
    ----------
    low, span : ndarray of float32, shape (621,)
        The least value, and what lies between it and the greatest.
    """

    low: np.ndarray
    span: np.ndarray

    def steps(self, values, columns):
        """Steps of some columns: values (n, R) -> uint8, same shape."""
        share = (values - self.low[columns, None]) / self.span[columns, None]
        np.clip(share, 0, 1, out=share)
        is_code = GROUP_OF[columns] > 0
        share[is_code] = np.sqrt(share[is_code])
        return (share * np.float32(N_STEPS - 0.001)).astype(np.uint8)


class Vocabulary(NamedTuple):
    """What is learned before anything else: codebooks and scales.

    Attributes
    ----------
    books : dict of str to Codebook
    scales : Scales
    """

    books: dict
    scales: Scales


class Seen:
    """A picture of which only what was asked for has been computed.

    Parameters
    ----------
    picture : ndarray, shape (H, W, 3), uint8
    vocabulary : Vocabulary

    Attributes
    ----------
    hierarchy : Hierarchy
    seconds : dict of str to float
        CPU seconds spent so far on the regions ("regions"), and on each group.
    """

    def __init__(self, picture, vocabulary):
        start = time.process_time()
        self.picture = segments.checked(picture)
        self.vocabulary = vocabulary
        self.hierarchy = segments.hierarchy(self.picture)
        self.size = np.bincount(self.hierarchy.atoms.ravel()).astype(np.float32)
        self.seconds = {"regions": time.process_time() - start}
        self._described, self._grids, self._sums = {}, {}, None
        self._codes = {group: {} for group in codes.GROUPS}
        self._columns = {}

    def steps(self, level, columns):
        """Some columns of a level's regions.

        Parameters
        ----------
        level : int
        columns : ndarray of int
            Rising.

        Returns
        -------
        ndarray of uint8, shape (n, R)
        """
        parts = []
        for g in np.unique(GROUP_OF[columns]):
            own = columns[GROUP_OF[columns] == g]
            start = time.process_time()
            parts.append(self._of_group(level, GROUPS[g], own))
            spent = self.seconds.get(GROUPS[g], 0.0)
            self.seconds[GROUPS[g]] = spent + time.process_time() - start
        return np.concatenate(parts) if parts else np.zeros((0, self.hierarchy.n_regions(level)), np.uint8)

    def _of_group(self, level, group, columns):
        cache = self._columns
        missing = np.array([c for c in columns if (level, c) not in cache], dtype=np.int64)
        if len(missing):
            values = self._shape(level, missing) if group == "SHAPE" else self._raised(level, group, missing)
            cache |= zip(((level, c) for c in missing), self.vocabulary.scales.steps(values, missing))
        return np.stack([cache[level, c] for c in columns])

    def _shape(self, level, columns):
        if self._sums is None:
            self._sums = shape.of_atoms(self.hierarchy)
        return np.ascontiguousarray(shape.of_level(self._sums, self.hierarchy, level).T[columns])

    def _raised(self, level, group, columns):
        values = self.of_atoms(group, columns - first_column(group))
        if level == 0:
            return values
        hierarchy = self.hierarchy
        return codes.raise_to(values, hierarchy.member[level], self.size, hierarchy.n_regions(level))

    def of_atoms(self, group, centres):
        """Mean codes of the atoms: ndarray of float32, shape (n, A)."""
        if group not in self._described:
            self._described[group] = codes.describe(self.picture, group)
            self._grids[group] = codes.grid(self.hierarchy.atoms, descriptors.STEPS[group])
        known = self._codes[group]
        missing = [i for i in centres.tolist() if i not in known]
        if missing:
            found = codes.codes(self.vocabulary.books[group], self._described[group], missing)
            known |= zip(missing, codes.pool(found, self._grids[group], len(self.size)))
        return np.stack([known[i] for i in centres.tolist()])
