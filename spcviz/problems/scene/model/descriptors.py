"""Descriptors of a picture on a grid (texture, LBP, gradients) and their codes by soft vector quantisation.

- TXT: 17 filters (Shotton et al. 2009) at every second pixel: three opponent colours at three blurs, blobs
  at four, slopes of intensity at two
- LBP: local binary patterns of the 8 neighbours (Ojala et al. 2002), 59 uniform ones, counted in windows of
  12 x 12 pixels, at every fourth pixel
- I-SIFT: orientation histograms of 4 x 4 cells of 4 pixels, 8 directions (Lowe 2004), of intensity, at every
  fourth pixel
- C-SIFT: the same of red, green and blue, concatenated

A grid point represents the square of pixels around it (`STEPS`).

A descriptor v is coded by one centre mu_i at a time (Grubb et al. 2013, eqs. 28-29):

    d_i(v) = ||v - mu_i||^2,    z_i(v) = mean_j d_j(v) - d_i(v)
           = (mean_j ||mu_j||^2 - ||mu_i||^2) + 2 <mu_i - mean_j mu_j, v>,    code_i = max(0, z_i)

so each code is one inner product, independent of the others. A region's feature is the mean code of its
pixels; a pixel has the code of its grid point.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel

GROUPS = ("TXT", "LBP", "I-SIFT", "C-SIFT")

STEPS = {"TXT": 2, "LBP": 4, "I-SIFT": 4, "C-SIFT": 4}  # pixels between grid points, by group
LENGTHS = {"TXT": 17, "LBP": 59, "I-SIFT": 128, "C-SIFT": 384}  # numbers in a descriptor
_MOST = 0.2
_DIRECTIONS = 8


def texture(picture):
    """TXT of a picture: ndarray of float32, shape (H / 2 * W / 2, 17), columns one after the other."""
    opponent = _opponents(picture)
    maps = np.empty((LENGTHS["TXT"], *opponent.shape[1:]), dtype=np.float32)
    maps[:3] = opponent
    for k, sigma in enumerate((1.0, 2.0), 1):
        for c in range(3):
            maps[3 * k + c] = _blur_map(opponent[c], _bell(sigma))
    _contrasts(maps, *(_blur_map(maps[6], _bell(sigma)) for sigma in (3.5, 7.0)))
    return maps.reshape(len(maps), -1).T  # map after map in memory: a centre's codes read them in sequence


@kernel
def _contrasts(maps, large, largest):
    """Maps 9 .. 16 from grey at five blurs: differences of successive blurs, slopes of two."""
    _, tall, wide = maps.shape
    fine, middle, coarse = maps[0], maps[3], maps[6]
    for i in range(tall):
        for j in range(wide):
            maps[9, i, j] = fine[i, j] - middle[i, j]
            maps[10, i, j] = middle[i, j] - coarse[i, j]
            maps[11, i, j] = coarse[i, j] - large[i, j]
            maps[12, i, j] = large[i, j] - largest[i, j]
        above, below = max(i - 1, 0), min(i + 1, tall - 1)
        for k in range(2):
            grey, down, across = maps[3 + 3 * k], maps[13 + 2 * k, i], maps[14 + 2 * k, i]
            for j in range(wide):
                down[j] = (grey[below, j] - grey[above, j]) / 2
            for j in range(1, wide - 1):
                across[j] = (grey[i, j + 1] - grey[i, j - 1]) / 2
            across[0], across[wide - 1] = (
                (grey[i, 1] - grey[i, 0]) / 2,
                (grey[i, wide - 1] - grey[i, wide - 2]) / 2,
            )


@kernel
def _opponents(picture):
    """Grey, red against green, both against blue, at every second pixel: shape (3, H / 2, W / 2)."""
    tall, wide = picture.shape[0] // 2, picture.shape[1] // 2
    out = np.empty((3, tall, wide), dtype=np.float32)
    mean = np.zeros(3, dtype=np.float32)
    for i in range(tall):
        for j in range(wide):
            for c in range(3):
                upper = np.float32(picture[2 * i, 2 * j, c]) + picture[2 * i, 2 * j + 1, c]
                lower = np.float32(picture[2 * i + 1, 2 * j, c]) + picture[2 * i + 1, 2 * j + 1, c]
                mean[c] = (upper + lower) / np.float32(4 * 255)
            out[0, i, j] = (mean[0] + mean[1] + mean[2]) / 3
            out[1, i, j] = mean[0] - mean[1]
            out[2, i, j] = (mean[0] + mean[1]) / 2 - mean[2]
    return out


@cache
def _bell(sigma):
    """Weights of a Gaussian, cut at three sigma."""
    reach = int(3 * sigma + 0.5)
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
    return (weights / weights.sum()).astype(np.float32)


@kernel
def _blur_map(channel, weights):
    """A map blurred down and across; its edge values are repeated beyond the edges."""
    tall, wide = channel.shape
    reach = len(weights) // 2
    down, out = np.zeros((tall, wide), dtype=np.float32), np.zeros((tall, wide), dtype=np.float32)
    padded = np.empty(wide + 2 * reach, dtype=np.float32)
    for i in range(tall):
        for d in range(len(weights)):
            from_, weight = channel[min(max(i + d - reach, 0), tall - 1)], weights[d]
            for j in range(wide):
                down[i, j] += weight * from_[j]
        for j in range(wide + 2 * reach):
            padded[j] = down[i, min(max(j - reach, 0), wide - 1)]
        for d in range(len(weights)):
            weight = weights[d]
            for j in range(wide):
                out[i, j] += weight * padded[j + d]
    return out


def patterns(picture):
    """LBP of a picture: ndarray of float32, shape (H / 4 * W / 4, 59), root of shares."""
    return _histograms(_ring(_add_border(picture)), _UNIFORM, _ROOTS)


def gradients(picture):
    """I-SIFT of a picture: ndarray of float32, shape (H / 4 * W / 4, 128)."""
    return _sift(picture.mean(axis=2, dtype=np.float32))


def colour_gradients(picture):
    """C-SIFT of a picture: ndarray of float32, shape (H / 4 * W / 4, 384)."""
    return np.concatenate([_sift(picture[..., c].astype(np.float32)) for c in range(3)], axis=1)


DESCRIBE = {"TXT": texture, "LBP": patterns, "I-SIFT": gradients, "C-SIFT": colour_gradients}
"""The function that computes each group's descriptors."""


def describe(picture, group):
    """A group's descriptors of a picture: ndarray of float32, shape (G, D)."""
    return DESCRIBE[group](picture)


def _uniform_numbers():
    """Each of 256 patterns' number among those with at most two changes around, 58 for all others."""
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    smooth = (bits != np.roll(bits, 1, axis=1)).sum(axis=1) <= 2
    return np.where(smooth, np.cumsum(smooth) - 1, 58).astype(np.int64)


_UNIFORM = _uniform_numbers()
_N_UNIFORM = 59
_ROOTS = np.sqrt(np.arange(16 * 9 + 1) / (16 * np.arange(1, 10)[:, None])).astype(np.float32)
"""Root of the share that 0, 1, .. pixels (columns) are of windows of 1 .. 9 cells (rows) of 16 pixels."""


@kernel
def _add_border(picture):
    """Sum of a picture's colour channels, one pixel wider on all sides: int16."""
    tall, wide, _ = picture.shape
    out = np.empty((tall + 2, wide + 2), dtype=np.int16)
    for i in range(tall + 2):
        row, to = picture[min(max(i - 1, 0), tall - 1)], out[i]
        for j in range(wide):
            to[j + 1] = np.int16(row[j, 0]) + np.int16(row[j, 1]) + np.int16(row[j, 2])
        to[0], to[wide + 1] = to[1], to[wide]
    return out


@kernel
def _ring(grey):
    """A bit for each of the 8 neighbours that is at least as light: uint8, one pixel less on all sides."""
    tall, wide = grey.shape[0] - 2, grey.shape[1] - 2
    out = np.empty((tall, wide), dtype=np.uint8)
    for i in range(tall):
        above, row, below, to = grey[i], grey[i + 1], grey[i + 2], out[i]
        for j in range(wide):
            c = row[j + 1]
            code = np.uint8(above[j] >= c) | np.uint8(above[j + 1] >= c) << 1
            code |= np.uint8(above[j + 2] >= c) << 2 | np.uint8(row[j + 2] >= c) << 3
            code |= np.uint8(below[j + 2] >= c) << 4 | np.uint8(below[j + 1] >= c) << 5
            to[j] = code | np.uint8(below[j] >= c) << 6 | np.uint8(row[j] >= c) << 7
    return out


@kernel
def _histograms(ring, number, roots):
    """Root of the share of each uniform pattern in the 3 x 3 cells of 4 x 4 pixels around each cell."""
    tall, wide = ring.shape[0] // 4, ring.shape[1] // 4
    cells = np.zeros((tall + 2, wide + 2, _N_UNIFORM), dtype=np.uint8)
    for i in range(4 * tall):
        row, into = ring[i], cells[i // 4 + 1]
        for j in range(4 * wide):
            into[np.uint64(j // 4 + 1), np.uint64(number[np.uint64(row[j])])] += np.uint8(1)
    out = np.empty((tall * wide, _N_UNIFORM), dtype=np.float32)
    three = np.empty((wide + 2, _N_UNIFORM), dtype=np.uint8)
    for i in range(tall):
        for j in range(wide + 2):
            for b in range(_N_UNIFORM):
                three[j, b] = cells[i, j, b] + cells[i + 1, j, b] + cells[i + 2, j, b]
        down = min(i + 1, tall - 1) - max(i - 1, 0) + 1
        for j in range(wide):
            root, to = roots[down * (min(j + 1, wide - 1) - max(j - 1, 0) + 1) - 1], out[i * wide + j]
            for b in range(_N_UNIFORM):
                to[b] = root[np.uint64(three[j, b] + three[j + 1, b] + three[j + 2, b])]
    return out


@kernel
def _sift(grey):
    tall, wide = grey.shape[0] // 4, grey.shape[1] // 4
    cells = np.zeros((tall + 3, wide + 3, _DIRECTIONS), dtype=np.float32)
    for i in range(4 * tall):
        for j in range(4 * wide):
            dx = grey[i, min(j + 1, 4 * wide - 1)] - grey[i, max(j - 1, 0)]
            dy = grey[min(i + 1, 4 * tall - 1), j] - grey[max(i - 1, 0), j]
            length = np.sqrt(dx * dx + dy * dy)
            if length > 0:
                at = (np.arctan2(dy, dx) / (2 * np.pi) + 1) * _DIRECTIONS
                low = int(at)
                share = at - low
                cell = cells[i // 4 + 2, j // 4 + 2]
                cell[low & (_DIRECTIONS - 1)] += length * (1 - share)  # a power of 2: cheaper than %
                cell[(low + 1) & (_DIRECTIONS - 1)] += length * share
    out = np.empty((tall * wide, 16 * _DIRECTIONS), dtype=np.float32)
    for i in range(tall):
        for j in range(wide):
            histogram, at = out[i * wide + j], 0
            for di in range(4):
                for dj in range(4):
                    for b in range(_DIRECTIONS):
                        histogram[at] = cells[i + di, j + dj, b]
                        at += 1
            for turn in range(2):  # clipped, then normalised to length 1 again; flat places stay near 0
                total = np.float32(1e-4)
                for at in range(len(histogram)):
                    total += histogram[at] * histogram[at]
                scale = 1 / (np.sqrt(total) + (16.0 if turn == 0 else 0.0))
                for at in range(len(histogram)):
                    histogram[at] = min(histogram[at] * scale, _MOST) if turn == 0 else histogram[at] * scale
    return out


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


class AtomGrid(NamedTuple):
    """The grid points of each atom's pixels, with the share of its pixels at each; sorted by point."""

    atom: np.ndarray  # (P,), int32
    point: np.ndarray  # (P,), int32
    share: np.ndarray  # (P,), float32: of the atom's pixels; shares of an atom sum to 1


def grid(atoms, step):
    """The `AtomGrid` of a picture for a group whose points are `step` pixels apart."""
    tall, wide = atoms.shape
    return AtomGrid(*_pairs(atoms, step, (tall // step) * (wide // step), int(atoms.max()) + 1))


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
