"""What is predicted above, below, left and right of regions, in all of their example.

An example is a square of `N_CELLS` x `N_CELLS` cells, and T[i, j] sums what elements hold in the cells above
row i and left of column j; so four entries of T give the sum over any box. With (y, x) the cell of a region's
middle, the boxes are: rows before y - 1; rows after y + 1; of the three rows between, columns before x - 1,
and columns after x + 1.
"""

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.learning.speedboost import structure as structures
from spcviz.learning.speedboost.structure import Structure

N_CELLS, N_DIRECTIONS = 16, 4


def around(structure: Structure, share: np.ndarray, place: np.ndarray, level: int) -> np.ndarray:
    """Mean prediction in each direction from the regions of a level, (R, 4 K); zeros where nothing lies.

    ``share`` (E, K) are predicted chances, ``place`` (E, 2) where elements lie, (x, y) from 0 to 1.
    """
    n, member = structure.n_regions(level), structure.levels[level].member
    example = np.zeros(n, dtype=np.int64)
    example[member] = structure.example
    middle = _cells(structures.region_means(place.astype(np.float32), structure.size, member, n))
    n_examples = int(structure.example[-1]) + 1
    table = _table(share, structure.size, structure.example, _cells(place), n_examples)
    return _in_boxes(table, middle, example).reshape(n, -1)


def _cells(place: np.ndarray) -> np.ndarray:
    return np.clip(place * N_CELLS, 0, N_CELLS - 1).astype(np.int64)


@kernel
def _table(
    share: np.ndarray, size: np.ndarray, example: np.ndarray, cell: np.ndarray, n_examples: int
) -> np.ndarray:
    """T of every example: (X, N + 1, N + 1, K + 1), the last is the size of elements."""
    k_all = share.shape[1]
    out = np.zeros((n_examples, N_CELLS + 1, N_CELLS + 1, k_all + 1))
    for e in range(len(example)):
        own = out[example[e], cell[e, 1] + 1, cell[e, 0] + 1]
        for k in range(k_all):
            own[k] += size[e] * share[e, k]
        own[k_all] += size[e]
    for table in out:
        for i in range(1, N_CELLS + 1):
            for j in range(1, N_CELLS + 1):
                for k in range(k_all + 1):
                    table[i, j, k] += table[i - 1, j, k] + table[i, j - 1, k] - table[i - 1, j - 1, k]
    return out


@kernel
def _in_boxes(tables: np.ndarray, middle: np.ndarray, example: np.ndarray) -> np.ndarray:
    k_all = tables.shape[3] - 1
    out = np.zeros((len(middle), N_DIRECTIONS, k_all), dtype=np.float32)
    for r in range(len(middle)):
        t, x, y = tables[example[r]], middle[r, 0], middle[r, 1]
        high, low = max(y - 1, 0), min(y + 2, N_CELLS)
        boxes = (
            (0, high, 0, N_CELLS),
            (low, N_CELLS, 0, N_CELLS),
            (high, low, 0, max(x - 1, 0)),
            (high, low, min(x + 2, N_CELLS), N_CELLS),
        )
        least = 1e-9 * t[N_CELLS, N_CELLS, k_all]
        for d in range(N_DIRECTIONS):
            a, b, c, e = boxes[d]
            size = t[b, e, k_all] - t[a, e, k_all] - t[b, c, k_all] + t[a, c, k_all]
            if size > least:
                for k in range(k_all):
                    out[r, d, k] = (t[b, e, k] - t[a, e, k] - t[b, c, k] + t[a, c, k]) / size
    return out
