"""Feature codes by soft vector quantisation, one centre at a time (Grubb et al. 2013, eqs. 28-29).

    d_i(v) = ||v - mu_i||^2,    z_i(v) = mean_j d_j(v) - d_i(v)
           = (mean_j ||mu_j||^2 - ||mu_i||^2) + 2 <mu_i - mean_j mu_j, v>,    code_i = max(0, z_i)

so each code is one inner product, independent of the others. A region's feature is the mean code of its
pixels; a pixel has the code of its grid point.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.problems.scene.model import descriptors

GROUPS = ("TXT", "LBP", "I-SIFT", "C-SIFT")
N_CENTRES = 150
_FEW = 6  # up to this many centres are computed one after the other, each for all points


class Codebook:
    """Codes max(0, <weights_i, v> + constants_i) by centres (150, D) of descriptors v, over `scale`.

    >>> book = Codebook(np.float32([[0, 0], [2, 0]]), np.ones(2, np.float32))
    >>> book.weights[1], book.constants[1]
    (array([2., 0.], dtype=float32), np.float32(-2.0))
    """

    def __init__(self, centres, scale):
        self.centres, self.scale = centres, scale
        squares = (centres**2).sum(axis=1)
        self.weights = 2 * (centres - centres.mean(axis=0)) / scale
        self.constants = squares.mean() - squares


def learn_codebook(samples: np.ndarray, seed: int) -> Codebook:
    """A codebook by k-means from samples (N, D)."""
    from sklearn.cluster import MiniBatchKMeans

    scale = (samples.std(axis=0) + 1e-6).astype(np.float32)
    means = MiniBatchKMeans(N_CENTRES, batch_size=2048, n_init=1, max_iter=40, random_state=seed)
    means.fit(samples / scale)
    return Codebook(means.cluster_centers_.astype(np.float32), scale)


def codes(book, described, wanted):
    """Codes of some centres at every grid point: ndarray of float32, shape (G, n)."""
    weights, constants = book.weights[wanted], book.constants[wanted]
    if len(wanted) > _FEW:
        out = described @ weights.T
        out += constants
        return np.maximum(out, 0, out=out)
    out = weights @ described.T
    out += constants[:, None]
    return np.ascontiguousarray(np.maximum(out, 0, out=out).T)


class Grid(NamedTuple):
    """The grid points of each atom's pixels, with the share of its pixels at each; sorted by point."""

    atom: np.ndarray  # (P,), int32
    point: np.ndarray  # (P,), int32
    share: np.ndarray  # (P,), float32: of the atom's pixels; shares of an atom sum to 1


def grid(atoms, step):
    """The `Grid` of a picture for a group whose points are `step` pixels apart."""
    tall, wide = atoms.shape
    return Grid(*_pairs(atoms, step, (tall // step) * (wide // step), int(atoms.max()) + 1))


@kernel
def _pairs(atoms, step, n_points, n_atoms):
    """Pairs of atom and grid point with their share: each square has few atoms, found by linear search."""
    tall, wide = atoms.shape
    atom = np.empty(n_points * step * step, dtype=np.int32)
    point = np.empty(n_points * step * step, dtype=np.int32)
    share = np.empty(n_points * step * step, dtype=np.float32)
    size = np.zeros(n_atoms, dtype=np.int32)
    at, square = np.uint64(0), 0
    for i in range(0, tall, step):
        for j in range(0, wide, step):
            begin, k = at, at  # the square's pairs; k: the previous pixel's, mostly this one's too
            atom[at], point[at], share[at] = atoms[i, j], square, 0
            at += np.uint64(1)
            for di in range(step):
                for region in atoms[i + di, j : j + step]:
                    if region != atom[k]:
                        k = begin
                        while k < at and atom[k] != region:
                            k += np.uint64(1)
                        if k == at:
                            atom[at], point[at], share[at] = region, square, 0
                            at += np.uint64(1)
                    share[k] += np.float32(1)
                    size[np.uint64(region)] += 1
            square += 1
    for p in range(at):
        share[p] = share[p] / np.float64(size[np.uint64(atom[p])])
    return atom[:at].copy(), point[:at].copy(), share[:at].copy()


@kernel
def _pool(values, to, from_, share, n):
    out = np.zeros((n, values.shape[1]), dtype=np.float32)
    for p in range(len(to)):
        source, row = values[from_[p]], out[to[p]]
        for c in range(values.shape[1]):
            row[c] += share[p] * source[c]
    return out


def pool(values, grid, n_atoms):
    """Mean codes of every atom from those of grid points (G, n): ndarray of float32, shape (A, n)."""
    return _pool(values, grid.atom, grid.point, grid.share, n_atoms)


def raise_to(values: np.ndarray, member: np.ndarray, share: np.ndarray, n_regions: int) -> np.ndarray:
    """Mean codes (R, n) of a level's regions from atoms' (A, n), their regions and shares of these."""
    return _pool(values, member, np.arange(len(member)), share, n_regions)


def describe(picture, group):
    """A group's descriptors of a picture: ndarray of float32, shape (G, D)."""
    return descriptors.DESCRIBE[group](picture)
