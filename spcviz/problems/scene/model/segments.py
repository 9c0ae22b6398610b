"""Segment a picture into 7 levels of regions, each a union of regions of the level before.

Level 0 is the segmentation of Felzenszwalb and Huttenlocher (2004) as `felzenszwalb` of scikit-image computes
it, on edges to 8 neighbours weighted by the distance of colours; edges are sorted by counting and each pixel
stores its component directly, which takes about a ninth of that function's time; regions differ where weights
tie. The levels above run it on touching regions, by their mean colours ("recursively executing", Grubb et al.
2013, 5.1.1). Components join if the edge between them is no heavier than

    min(Int(C1) + k / |C1|, Int(C2) + k / |C2|),

where Int(C) is the heaviest edge that formed C and |C| its number of pixels; then components below a least
size join their nearest neighbour. Labels are constant on the regions of level 0, the *atoms*. The paper's
scales leave a handful of regions at 240 x 180; the scales here about 800, 400, 200, 100, 50, 25 and 12.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import inlined_kernel, kernel

SIGMA, SCALE, LEAST = 0.25, 25, 12  # of level 0: blur in pixels, FH's scale, least number of pixels
SCALES = (100.0, 250.0, 600.0, 1500.0, 4000.0, 12000.0)
LEASTS = (24, 48, 96, 200, 400, 900)  # of the levels above, at 240 x 180; other sizes in proportion
N_LEVELS = 1 + len(SCALES)
N_PIXELS = 240 * 180
_N_WEIGHTS = 1 << 15
LEAST_SIDE, MOST_PIXELS = 16, 4 * N_PIXELS


class Borders(NamedTuple):
    """Touching regions of a level: a row for each ordered pair, sorted by the first."""

    first: np.ndarray  # (B,), int32
    second: np.ndarray  # (B,), int32
    length: np.ndarray  # (B, 3), float32: shared pixel sides: all, second above first, below it


class Hierarchy(NamedTuple):
    """A picture's regions."""

    atoms: np.ndarray  # (H, W), int32: region of level 0 of every pixel, 0 .. A - 1
    member: np.ndarray  # (7, A), int32: an atom's region in each level; ``member[0]``: 0 .. A - 1
    borders: tuple  # of each level

    def n_regions(self, level):
        """The number of regions of a level."""
        return int(self.member[level].max()) + 1


def check_picture(picture: ArrayLike) -> np.ndarray:
    """A colour picture (H, W, 3) that can be segmented, or `ArgumentError`."""
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
    return np.require(picture, requirements=("C", "W"))  # kernels compile anew for read-only arrays


def hierarchy(picture: np.ndarray, n_levels: int = N_LEVELS) -> Hierarchy:
    """The `n_levels` lowest levels of a picture (see `check_picture`), the smallest regions first.

    >>> regions = hierarchy(np.zeros((16, 16, 3), dtype=np.uint8))
    >>> regions.member.shape, int(regions.atoms.max())
    ((7, 1), 0)
    """
    picture = check_picture(picture)
    tall, wide = picture.shape[:2]
    edges = _pixel_edges(_smooth(picture))
    atoms = _merge(edges, np.ones(tall * wide, dtype=np.uint32), SCALE, LEAST).reshape(tall, wide)
    n, share = int(atoms.max()) + 1, atoms.size / N_PIXELS
    size, sums = _sums(atoms, picture, n)
    members = [np.arange(n, dtype=np.int32)]
    borders = [Borders(*_collect_pairs(*_both_ways(*_stretches(atoms)), n))]
    for scale, least in zip(SCALES[: n_levels - 1], LEASTS):
        touch = borders[-1]
        merged = _merge(_region_edges(touch, size, sums), size.copy(), scale * share, least * share)
        n = int(merged.max()) + 1
        members.append(merged[members[-1]])
        borders.append(Borders(*_collect_pairs(merged[touch.first], merged[touch.second], touch.length, n)))
        size, sums = _joined_sums(merged, size, sums, n)
    return Hierarchy(atoms, np.stack(members), tuple(borders))


def _smooth(picture) -> np.ndarray:
    """The picture blurred by a Gaussian of `SIGMA`, so narrow that it reaches one pixel: (3, H, W)."""
    near = np.exp(-1 / (2 * SIGMA**2))
    return _blur_picture(picture, np.float32(1 / (1 + 2 * near)), np.float32(near / (1 + 2 * near)))


@kernel
def _blur_picture(picture, middle, near):
    tall, wide, n = picture.shape
    out = np.empty((n, tall, wide), dtype=np.float32)
    down = np.empty(wide + 2, dtype=np.float32)
    for c in range(n):
        for i in range(tall):
            row, above, below = picture[i], picture[max(i - 1, 0)], picture[min(i + 1, tall - 1)]
            for j in range(wide):
                down[j + 1] = middle * row[j, c] + near * (above[j, c] + below[j, c])
            down[0], down[wide + 1] = down[1], down[wide]
            for j in range(wide):
                out[c, i, j] = middle * down[j + 1] + near * (down[j] + down[j + 2])
    return out


@kernel
def _weights(colour) -> tuple[np.ndarray, np.ndarray]:
    """Edges right, down left, down, down right: weights (4, H, W), their steps (`_N_WEIGHTS`: no edge)."""
    _, tall, wide = colour.shape
    weight = np.empty((4, tall, wide), dtype=np.float32)
    step = np.full((4, tall, wide), _N_WEIGHTS, dtype=np.uint16)
    fine = np.float32(_N_WEIGHTS / 442.0)
    for way in range(4):
        di, dj = min(way, 1), (1 if way == 0 else way - 2)
        low, high = max(-dj, 0), wide - max(dj, 0)
        for i in range(tall - di):
            red, red_on = colour[0, i, low:high], colour[0, i + di, low + dj : high + dj]
            green, green_on = colour[1, i, low:high], colour[1, i + di, low + dj : high + dj]
            blue, blue_on = colour[2, i, low:high], colour[2, i + di, low + dj : high + dj]
            distance, into = weight[way, i, low:high], step[way, i, low:high]
            for j in range(high - low):
                gap = red[j] - red_on[j]
                total = gap * gap
                gap = green[j] - green_on[j]
                total += gap * gap
                gap = blue[j] - blue_on[j]
                total += gap * gap
                distance[j] = np.sqrt(total)
            for j in range(high - low):
                into[j] = np.uint16(np.int32(distance[j] * fine))
    return weight, step


@kernel
def _sort_edges(step):
    """Edges 4 * pixel + way in the order of their steps, sorted by counting; stable."""
    steps = step.reshape(4, -1)
    n = steps.shape[1]
    start = np.zeros(_N_WEIGHTS + 2, dtype=np.uint32)
    for way in range(4):
        for p in range(n):
            start[np.uint64(steps[way, p]) + np.uint64(1)] += np.uint32(1)
    for w in range(_N_WEIGHTS + 1):
        start[w + 1] += start[w]
    order = np.empty(4 * n, dtype=np.uint32)
    for p in range(n):
        for way in range(4):
            key = np.uint64(steps[way, p])
            order[np.uint64(start[key])] = 4 * p + way
            start[key] += np.uint32(1)
    return order[: start[_N_WEIGHTS - 1]]  # where the last step ends; no edges after it


class _Edges(NamedTuple):
    """Edges of a graph."""

    order: np.ndarray  # their numbers, lightest first
    weight: np.ndarray  # (N,) or (4, P)
    # first, second (N,), uint32: nodes that an edge joins; empty if the nodes are pixels, whose edges are
    # numbered as in `_sort_edges`
    first: np.ndarray
    second: np.ndarray
    ahead: np.ndarray  # (4,) or (0,), uint32: number of pixels from an edge's first to its second, by way


_NONE = np.zeros(0, dtype=np.uint32)


def _pixel_edges(colour):
    weight, step = _weights(colour)
    wide = colour.shape[2]
    ahead = np.array([1, wide - 1, wide, wide + 1], dtype=np.uint32)
    return _Edges(_sort_edges(step), weight.reshape(4, -1), _NONE, _NONE, ahead)


def _region_edges(touch, size, sums):
    """`_Edges` between touching regions, from their numbers of pixels and sums of colours."""
    first, second, weight = _gaps(touch.first, touch.second, size, sums)
    order = np.argsort(weight)  # far faster than a stable sort, which only ties need
    ordered = weight[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.argsort(weight, kind="stable")
    return _Edges(order.astype(np.uint32), weight[None], first, second, _NONE)


@kernel
def _gaps(first, second, size, sums):
    """Pairs of regions, each once, and the distances between their mean colours."""
    n, a, b = 0, np.empty(len(first), dtype=np.uint32), np.empty(len(first), dtype=np.uint32)
    weight = np.empty(len(first))
    for k in range(len(first)):
        i, j = first[k], second[k]
        if i < j:
            total = 0.0
            for c in range(3):
                gap = sums[i, c] / size[i] - sums[j, c] / size[j]
                total += gap * gap
            a[n], b[n], weight[n] = i, j, np.sqrt(total)
            n += 1
    return a[:n], b[:n], weight[:n]


@kernel
def _sums(labels, picture, n):
    """Number of pixels of every region, and the sums of their colours."""
    size, sums = np.zeros(n, dtype=np.uint32), np.zeros((n, 3))
    tall, wide = labels.shape
    for i in range(tall):
        row, colour, j = labels[i], picture[i], 0
        while j < wide:
            r, start = row[j], j
            red, green, blue = 0, 0, 0
            while j < wide and row[j] == r:  # regions lie in runs: add up a run, look up once
                red += colour[j, 0]
                green += colour[j, 1]
                blue += colour[j, 2]
                j += 1
            size[r] += np.uint32(j - start)
            sums[r, 0] += red
            sums[r, 1] += green
            sums[r, 2] += blue
    return size, sums


@kernel
def _joined_sums(merged, size, sums, n):
    """`_sums` of regions that are unions of others."""
    out_size, out = np.zeros(n, dtype=np.uint32), np.zeros((n, 3))
    for r in range(len(merged)):
        out_size[merged[r]] += size[r]
        for c in range(3):
            out[merged[r], c] += sums[r, c]
    return out_size, out


@inlined_kernel
def _join(label, after, size, i, j):
    """Relabel the smaller of two components, so labels rarely change; its members are a ring in `after`."""
    if size[i] < size[j]:
        i, j = j, i
    last, m = j, j
    while True:
        label[m] = i
        last, m = m, np.uint64(after[m])
        if m == j:
            break
    after[last] = after[i]
    after[i] = j
    size[i] += size[j]
    return i


@inlined_kernel
def _ends(edges, label, e):
    """(label of an edge's first node, of its second, its weight)."""
    if len(edges.ahead):
        way, p = np.uint64(e & np.uint32(3)), np.uint64(e >> np.uint32(2))
        return np.uint64(label[p]), np.uint64(label[p + np.uint64(edges.ahead[way])]), edges.weight[way, p]
    a, b = np.uint64(edges.first[np.uint64(e)]), np.uint64(edges.second[np.uint64(e)])
    return np.uint64(label[a]), np.uint64(label[b]), edges.weight[0, np.uint64(e)]


@kernel
def _merge(edges, size, scale, least):
    """FH's criterion: new numbers 0 .. n - 1 of the nodes. Unsigned numbers, branch-free conditions and
    little new memory each save much time here; overwrites `size` and ``edges.order``.
    """
    n = len(size)
    label = np.arange(n).astype(np.uint32)
    after, limit = label.copy(), scale / size  # limit: Int(C) + k / |C|
    left, n_left = edges.order, 0  # edges that joined nothing
    for k in range(len(left)):
        e = left[k]
        i, j, weight = _ends(edges, label, e)
        left[n_left] = e
        n_left += i != j
        if (i != j) & (weight <= limit[i]) & (weight <= limit[j]):
            n_left -= 1
            i = _join(label, after, size, i, j)
            limit[i] = weight + scale / size[i]
    n_some = 0
    for k in range(n_left):  # components only grow: large ones stay large enough
        i, j, _ = _ends(edges, label, left[k])
        left[n_some] = left[k]
        n_some += (i != j) & ((size[i] < least) | (size[j] < least))
    for k in range(n_some):
        i, j, _ = _ends(edges, label, left[k])
        if (i != j) & ((size[i] < least) | (size[j] < least)):
            _join(label, after, size, i, j)
    number, n_components = after, 0
    number[:] = n
    out = np.empty(n, dtype=np.int32)
    for r in range(n):
        component = np.uint64(label[r])
        if number[component] == n:
            number[component] = n_components
            n_components += 1
        out[r] = number[component]
    return out


@kernel
def _stretches(atoms) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Stretches of sides between two atoms: the one left or above, the other, sides across and down."""
    tall, wide = atoms.shape
    first, second = np.empty(2 * tall * wide, dtype=np.uint32), np.empty(2 * tall * wide, dtype=np.uint32)
    across, down = np.empty(2 * tall * wide, dtype=np.uint32), np.empty(2 * tall * wide, dtype=np.uint32)
    newest = np.zeros(
        wide + 1, dtype=np.uint32
    )  # stretch of sides to the right in a column, and of sides down
    first[0], second[0], n = 0, 0, np.uint64(1)  # 0 means none
    for i in range(tall):
        row, below = atoms[i], atoms[min(i + 1, tall - 1)]
        for j in range(wide):
            a, right, under = row[j], row[min(j + 1, wide - 1)], below[j]
            for b, slot in ((right, j), (under, wide)):
                if a != b:
                    at = np.uint64(newest[np.uint64(slot)])
                    if first[at] != np.uint32(a) or second[at] != np.uint32(b):
                        at = n
                        newest[np.uint64(slot)] = n
                        first[n], second[n], across[n], down[n] = a, b, 0, 0
                        n += np.uint64(1)
                    across[at] += np.uint32(slot < wide)
                    down[at] += np.uint32(slot == wide)
    return first[1:n], second[1:n], across[1:n], down[1:n]


@kernel
def _both_ways(first, second, across, down):
    """Stretches as (first, second, rows of `Borders.length`), each in both directions."""
    n = len(first)
    a, b = np.empty(2 * n, dtype=np.int32), np.empty(2 * n, dtype=np.int32)
    length = np.zeros((2 * n, 3), dtype=np.float32)
    for s in range(n):
        a[2 * s], b[2 * s], a[2 * s + 1], b[2 * s + 1] = first[s], second[s], second[s], first[s]
        for row in range(2 * s, 2 * s + 2):
            length[row, 0] = across[s] + down[s]
        length[2 * s, 2], length[2 * s + 1, 1] = down[s], down[s]
    return a, b, length


@kernel
def _collect_pairs(first, second, length, n):
    """One row per ordered pair, lengths added up, sorted by the first; pairs within a region are dropped."""
    kinds = length.shape[1]
    start = np.zeros(n + 1, dtype=np.uint32)
    for b in range(len(first)):
        start[np.uint64(first[b]) + np.uint64(1)] += np.uint32(first[b] != second[b])
    for r in range(n):
        start[r + 1] += start[r]
    row = np.empty(start[n], dtype=np.uint32)
    for b in range(len(first)):
        if first[b] != second[b]:
            r = np.uint64(first[b])
            row[np.uint64(start[r])] = b
            start[r] += np.uint32(1)  # at the end: where the rows of r stop
    pair_first = np.empty(len(row), dtype=np.int32)
    pair_second = np.empty(len(row), dtype=np.int32)
    out = np.empty((len(row), kinds), dtype=np.float32)
    slot, n_pairs, k = np.zeros(n, dtype=np.uint32), np.uint64(0), np.uint64(0)  # slot: the row plus one
    for r in range(n):
        begin = n_pairs
        while k < np.uint64(start[r]):
            b = np.uint64(row[k])
            j = np.uint64(second[b])
            at = np.uint64(slot[j])
            if at > begin:
                for c in range(kinds):
                    out[at - np.uint64(1), c] += length[b, c]
            else:
                pair_first[n_pairs], pair_second[n_pairs] = r, second[b]
                for c in range(kinds):
                    out[n_pairs, c] = length[b, c]
                n_pairs += np.uint64(1)
                slot[j] = n_pairs
            k += np.uint64(1)
    return pair_first[:n_pairs].copy(), pair_second[:n_pairs].copy(), out[:n_pairs].copy()
