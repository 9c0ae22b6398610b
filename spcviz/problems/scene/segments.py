"""A picture cut into ever larger regions: 7 levels, every region a union of regions of the level before.

Level 0 is the graph-based segmentation of the pixels (Felzenszwalb and Huttenlocher 2004) that
`felzenszwalb` of scikit-image computes: edges join 8 neighbours, weighted by the distance of their colours.
Here edges are sorted by counting, so it takes a third of that function's time; regions differ where weights
tie. The levels above run the same criterion again, on the regions of the level before: regions are the nodes,
edges join regions that touch, and an edge's weight is the distance of their mean colours ("recursively
executing", Grubb et al. 2013, 5.1.1). Two components join if the edge between them is no heavier than

    min(Int(C1) + k / |C1|, Int(C2) + k / |C2|),

Int the heaviest edge that made the component, |C| its pixels; then components below a least size join their
nearest neighbour. So the labels of all levels are constant on the regions of level 0, the *atoms*: a
prediction for all pixels is a prediction for some 800 atoms.

The paper's parameters are degenerate at 240 x 180 (its scales leave a handful of regions); these give about
800, 400, 200, 100, 50, 25 and 12 of them.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.jit import kernel

SIGMA, SCALE, LEAST = 0.25, 25, 12
"""Of level 0: blur in pixels, FH's scale, least number of pixels."""
SCALES = (100.0, 250.0, 600.0, 1500.0, 4000.0, 12000.0)
LEASTS = (24, 48, 96, 200, 400, 900)
"""Of the levels above; for 240 x 180 pixels, and in proportion for other sizes."""
N_LEVELS = 1 + len(SCALES)
N_PIXELS = 240 * 180
_N_WEIGHTS = 1 << 15
LEAST_SIDE, MOST_PIXELS = 16, 4 * N_PIXELS


class Borders(NamedTuple):
    """Which regions of a level touch; a row for each ordered pair, sorted by the first.

    Attributes
    ----------
    first, second : ndarray of int32, shape (B,)
    length : ndarray of float32, shape (B, 3)
        Pixel sides that they share: all, those where the second lies above the first, and below it.
    """

    first: np.ndarray
    second: np.ndarray
    length: np.ndarray


class Hierarchy(NamedTuple):
    """A picture's regions.

    Attributes
    ----------
    atoms : ndarray of int32, shape (H, W)
        Region of level 0 of every pixel, 0 .. A - 1.
    member : ndarray of int32, shape (7, A)
        Region of each level in which an atom lies; ``member[0]`` is 0 .. A - 1.
    borders : tuple of Borders
        Of each level.
    """

    atoms: np.ndarray
    member: np.ndarray
    borders: tuple

    def n_regions(self, level):
        """How many regions a level has."""
        return int(self.member[level].max()) + 1


def checked(picture):
    """A colour picture that can be cut, or ArgumentError.

    Parameters
    ----------
    picture : array_like, shape (H, W, 3), uint8
        Both sides multiples of 4, at least 16 pixels; at most 172,800 pixels.

    Returns
    -------
    ndarray
    """
    picture = np.asarray(picture)
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise ArgumentError(
            f"picture must have shape (H, W, 3) of bytes, got {picture.shape} of {picture.dtype}"
        )
    tall, wide = picture.shape[:2]
    if min(tall, wide) < LEAST_SIDE or tall % 4 or wide % 4 or tall * wide > MOST_PIXELS:
        raise ArgumentError(
            f"picture must have sides that are multiples of 4, at least {LEAST_SIDE}, and at most "
            f"{MOST_PIXELS} pixels, got {wide} x {tall}"
        )
    return np.require(picture, requirements=("C", "W"))  # kernels compile anew for what cannot be written


def hierarchy(picture, n_levels=N_LEVELS):
    """The levels of a picture.

    Parameters
    ----------
    picture : ndarray, shape (H, W, 3), uint8
        See `checked`.
    n_levels : int
        So many of them, from the smallest regions on.

    Returns
    -------
    Hierarchy

    Raises
    ------
    ArgumentError

    Examples
    --------
    >>> found = hierarchy(np.zeros((16, 16, 3), dtype=np.uint8))
    >>> found.member.shape, int(found.atoms.max())
    ((7, 1), 0)
    """
    picture = checked(picture)
    tall, wide = picture.shape[:2]
    merged = _merge(*_sorted_edges(_smooth(picture)), np.ones(tall * wide), SCALE, LEAST)
    atoms = merged.reshape(tall, wide)
    n, share = int(atoms.max()) + 1, atoms.size / N_PIXELS
    size, colour = _means(atoms, picture, n)
    members, borders = [np.arange(n, dtype=np.int32)], [_touching(atoms, n)]
    for scale, least in zip(SCALES[: n_levels - 1], LEASTS):
        touch, last = borders[-1], members[-1]
        once = touch.first < touch.second
        a, b = touch.first[once], touch.second[once]
        weight = np.sqrt(((colour[a] - colour[b]) ** 2).sum(axis=1))
        order = np.argsort(weight, kind="stable")
        merged = _merge(a[order], b[order], weight[order], size, scale * share, least * share)
        n = int(merged.max()) + 1
        members.append(merged[last])
        borders.append(_mapped(touch, merged, n))
        colour = colour * size[:, None]
        size = np.bincount(merged, weights=size, minlength=n)
        colour = np.stack([np.bincount(merged, colour[:, c], n) for c in range(3)], axis=1) / size[:, None]
    return Hierarchy(atoms, np.stack(members).astype(np.int32), tuple(borders))


def _smooth(picture):
    """The picture blurred by a Gaussian of `SIGMA`, so narrow that it reaches one pixel: float32."""
    near = np.exp(-1 / (2 * SIGMA**2))
    return _blurred(picture, np.float32(1 / (1 + 2 * near)), np.float32(near / (1 + 2 * near)))


@kernel
def _blurred(picture, middle, near):
    tall, wide, n = picture.shape
    rows, out = np.empty((tall, wide, n), dtype=np.float32), np.empty((tall, wide, n), dtype=np.float32)
    for i in range(tall):
        above, below = picture[max(i - 1, 0)], picture[min(i + 1, tall - 1)]
        for j in range(wide):
            for c in range(n):
                rows[i, j, c] = middle * picture[i, j, c] + near * (above[j, c] + below[j, c])
    for i in range(tall):
        for j in range(wide):
            for c in range(n):
                sides = rows[i, max(j - 1, 0), c] + rows[i, min(j + 1, wide - 1), c]
                out[i, j, c] = middle * rows[i, j, c] + near * sides
    return out


@kernel
def _sorted_edges(colour):
    """Edges between pixels and their 8 neighbours, lightest first: (first, second, weight).

    Sorted by counting, in `_N_WEIGHTS` equal steps of weight; edges of one step stay in their order.
    """
    tall, wide, n_colours = colour.shape
    weight = np.empty((tall * wide, 4), dtype=np.float32)
    start = np.zeros(_N_WEIGHTS + 1, dtype=np.int64)
    fine = np.float32(_N_WEIGHTS / 442.0)
    for i in range(tall):
        for j in range(wide):
            for way in range(4):  # right, down to the left, down, down to the right
                di, dj = min(way, 1), (1 if way == 0 else way - 2)
                own = np.float32(-1)
                if i + di < tall and 0 <= j + dj < wide:
                    own = np.float32(0)
                    for c in range(n_colours):
                        gap = colour[i, j, c] - colour[i + di, j + dj, c]
                        own += gap * gap
                    own = np.sqrt(own)
                    start[int(own * fine) + 1] += 1
                weight[i * wide + j, way] = own
    for w in range(_N_WEIGHTS):
        start[w + 1] += start[w]
    first = np.empty(start[_N_WEIGHTS], dtype=np.int32)
    second = np.empty(start[_N_WEIGHTS], dtype=np.int32)
    sorted_weight = np.empty(start[_N_WEIGHTS], dtype=np.float32)
    for p in range(tall * wide):
        for way in range(4):
            own = weight[p, way]
            if own >= 0:
                at = start[int(own * fine)]
                start[int(own * fine)] += 1
                first[at], sorted_weight[at] = p, own
                second[at] = p + (1 if way == 0 else wide + way - 2)
    return first, second, sorted_weight


@kernel
def _means(labels, colour, n):
    """Pixels and mean colour of every region."""
    size, sums = np.zeros(n), np.zeros((n, colour.shape[2]))
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            size[labels[i, j]] += 1
            for c in range(colour.shape[2]):
                sums[labels[i, j], c] += colour[i, j, c]
    for r in range(n):
        for c in range(colour.shape[2]):
            sums[r, c] /= size[r]
    return size, sums


@kernel
def _root(root, i):
    """Where a chain of joined regions ends; shortens the chain."""
    while root[i] != i:
        root[i] = root[root[i]]
        i = root[i]
    return i


@kernel
def _merge(a, b, weight, size, scale, least):
    """FH's criterion on edges that are sorted by weight; new numbers 0 .. n - 1 of the old regions."""
    n = len(size)
    root, own, limit = np.arange(n).astype(np.int32), size.copy(), scale / size  # Int(C) + k / |C|
    left, n_left = np.empty(len(a), dtype=np.int32), 0  # edges that joined nothing
    for e in range(len(a)):
        i, j = _root(root, a[e]), _root(root, b[e])
        if i != j:
            if weight[e] <= min(limit[i], limit[j]):
                i, j = min(i, j), max(i, j)
                root[j] = i
                own[i] += own[j]
                limit[i] = weight[e] + scale / own[i]
            else:
                left[n_left] = e
                n_left += 1
    for e in left[:n_left]:
        i, j = _root(root, a[e]), _root(root, b[e])
        if i != j and min(own[i], own[j]) < least:
            i, j = min(i, j), max(i, j)
            root[j] = i
            own[i] += own[j]
    number, found = np.full(n, -1), 0
    out = np.empty(n, dtype=np.int32)
    for i in range(n):
        r = _root(root, i)
        if number[r] < 0:
            number[r] = found
            found += 1
        out[i] = number[r]
    return out


@kernel
def _sides(atoms):
    """Every side between pixels of two atoms, both ways: (first, second, rows of `Borders.length`)."""
    tall, wide = atoms.shape
    first = np.empty(4 * tall * wide, dtype=np.int32)
    second = np.empty(4 * tall * wide, dtype=np.int32)
    length = np.zeros((4 * tall * wide, 3), dtype=np.float32)
    n = 0
    for i in range(tall):
        for j in range(wide):
            for down in range(2):
                if i + down < tall and j + 1 - down < wide:
                    a, b = atoms[i, j], atoms[i + down, j + 1 - down]
                    if a != b:
                        first[n], second[n], first[n + 1], second[n + 1] = a, b, b, a
                        length[n, 0], length[n + 1, 0] = 1, 1
                        length[n, 2], length[n + 1, 1] = down, down
                        n += 2
    return first[:n].copy(), second[:n].copy(), length[:n].copy()


@kernel
def _collected(first, second, length, n):
    """One row for each ordered pair, lengths added up, sorted by the first; pairs of one region fall away."""
    start = np.zeros(n + 1, dtype=np.int64)
    for b in range(len(first)):
        start[first[b] + 1] += first[b] != second[b]
    for r in range(n):
        start[r + 1] += start[r]
    at, row = start[:-1].copy(), np.empty(start[n], dtype=np.int64)
    for b in range(len(first)):
        if first[b] != second[b]:
            row[at[first[b]]] = b
            at[first[b]] += 1
    own_first = np.empty(start[n], dtype=np.int32)
    own_second = np.empty(start[n], dtype=np.int32)
    out = np.zeros((start[n], length.shape[1]), dtype=np.float32)
    slot, found = np.full(n, -1), 0
    for r in range(n):
        begin = found
        for k in range(start[r], start[r + 1]):
            b = row[k]
            if slot[second[b]] < begin:
                slot[second[b]] = found
                own_first[found], own_second[found] = r, second[b]
                found += 1
            for c in range(length.shape[1]):
                out[slot[second[b]], c] += length[b, c]
    return own_first[:found].copy(), own_second[:found].copy(), out[:found].copy()


def _touching(atoms, n):
    """`Borders` of level 0 from the pixels."""
    return Borders(*_collected(*_sides(atoms), n))


def _mapped(borders, merged, n):
    """`Borders` of the next level, whose regions are unions of these."""
    return Borders(*_collected(merged[borders.first], merged[borders.second], borders.length, n))
