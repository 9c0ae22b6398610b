"""Soft vector quantisation, one centre at a time (Grubb et al. 2013, eqs. 28-29).

    d_i(v) = ||v - mu_i||^2,    z_i(v) = mean_j d_j(v) - d_i(v)
           = (mean_j ||mu_j||^2 - ||mu_i||^2) + 2 <mu_i - mean_j mu_j, v>,    code_i = max(0, z_i)

so each code is one inner product, whatever became of the others. A region's feature is the mean code of its
pixels; a pixel has the code of its grid point.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.jit import kernel
from spcviz.problems.scene import descriptors

GROUPS = ("TXT", "LBP", "I-SIFT", "C-SIFT")
N_CENTRES = 150


class Codebook(NamedTuple):
    """Centres of a group's descriptors.

    Attributes
    ----------
    centres : ndarray of float32, shape (150, D)
        Of descriptors divided by `scale`.
    scale : ndarray of float32, shape (D,)
        Standard deviations in training.
    """

    centres: np.ndarray
    scale: np.ndarray

    def plane(self, wanted):
        """(weights, constants) of the codes of some centres: shapes (D, n) and (n,), float32.

        Examples
        --------
        >>> book = Codebook(np.float32([[0, 0], [2, 0]]), np.ones(2, np.float32))
        >>> book.plane([1])
        (array([[2.],
               [0.]], dtype=float32), array([-2.], dtype=float32))
        """
        centres = self.centres
        squares = (centres**2).sum(axis=1)
        weights = 2 * (centres[wanted] - centres.mean(axis=0)) / self.scale
        return np.ascontiguousarray(weights.T), squares.mean() - squares[wanted]


def learn(samples, seed):
    """A codebook by k-means.

    Parameters
    ----------
    samples : ndarray, shape (N, D)
    seed : int

    Returns
    -------
    Codebook
    """
    from sklearn.cluster import MiniBatchKMeans

    scale = (samples.std(axis=0) + 1e-6).astype(np.float32)
    means = MiniBatchKMeans(N_CENTRES, batch_size=2048, n_init=1, max_iter=40, random_state=seed)
    means.fit(samples / scale)
    return Codebook(means.cluster_centers_.astype(np.float32), scale)


def codes(book, described, wanted):
    """Codes of some centres at every grid point: ndarray of float32, shape (n, G)."""
    weights, constants = book.plane(np.asarray(wanted))
    out = weights.T @ described.T
    out += constants[:, None]
    return np.maximum(out, 0, out=out)


class Grid(NamedTuple):
    """Which grid points the pixels of an atom have, and how many pixels have each; sorted by atom.

    Attributes
    ----------
    atom, point : ndarray of int32, shape (P,)
    share : ndarray of float32, shape (P,)
        Of the atom's pixels; shares of an atom sum to 1.
    """

    atom: np.ndarray
    point: np.ndarray
    share: np.ndarray


def grid(atoms, step):
    """The `Grid` of a picture for a group whose points are `step` pixels apart."""
    tall, wide = atoms.shape
    n_points = (tall // step) * (wide // step)
    atom, point, count = _pairs(atoms, step, n_points)
    size = np.bincount(atom, count)
    return Grid(atom, point, (count / size[atom]).astype(np.float32))


@kernel
def _pairs(atoms, step, n_points):
    """Pairs of atom and grid point with their pixels: each square has few atoms, found by looking."""
    tall, wide = atoms.shape
    most = step * step
    seen = np.empty(most, dtype=np.int32)
    counts = np.empty(most, dtype=np.int32)
    atom = np.empty(n_points * most, dtype=np.int32)
    point = np.empty(n_points * most, dtype=np.int32)
    count = np.empty(n_points * most, dtype=np.int32)
    at = 0
    for i in range(tall // step):
        for j in range(wide // step):
            n = 0
            for di in range(step):
                for dj in range(step):
                    own = atoms[i * step + di, j * step + dj]
                    k = 0
                    while k < n and seen[k] != own:
                        k += 1
                    if k == n:
                        seen[k], counts[k] = own, 0
                        n += 1
                    counts[k] += 1
            for k in range(n):
                atom[at], point[at], count[at] = seen[k], i * (wide // step) + j, counts[k]
                at += 1
    return atom[:at].copy(), point[:at].copy(), count[:at].copy()


@kernel
def _pool(values, atom, point, share, n):
    out = np.zeros((len(values), n), dtype=np.float32)
    for c in range(len(values)):
        own, to = values[c], out[c]
        for p in range(len(atom)):
            to[atom[p]] += share[p] * own[point[p]]
    return out


def pool(values, grid, n_atoms):
    """Mean codes of every atom: ndarray of float32, shape (n, A)."""
    return _pool(values, grid.atom, grid.point, grid.share, n_atoms)


@kernel
def _raise(values, member, weight, n):
    out = np.zeros((len(values), n), dtype=np.float32)
    total = np.zeros(n)
    for a in range(len(member)):
        total[member[a]] += weight[a]
    for c in range(len(values)):
        own, to = values[c], out[c]
        for a in range(len(member)):
            to[member[a]] += own[a] * (weight[a] / total[member[a]])
    return out


def raise_to(values, member, weight, n_regions):
    """Mean codes of a level's regions from those of atoms (n, A): shape (n, R)."""
    return _raise(values, member, weight, n_regions)


def describe(picture, group):
    """A group's descriptors of a picture: ndarray of float32, shape (G, D)."""
    return descriptors.DESCRIBE[group](picture)
