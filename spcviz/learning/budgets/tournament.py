"""The largest of many changing values, for kernels: a tree in which every parent is its larger child.

``tree[1]`` is the largest leaf, ``tree[i]`` the larger of ``tree[2 i]`` and ``tree[2 i + 1]``; leaves start
at `width`, a power of two. One change costs log2 of the width.
"""

import numpy as np

from spcviz.engine.kernels.jit import spliced_kernel
from spcviz.engine.kernels.once import fill_new, larger_of


@spliced_kernel
def new_tree(n_leaves: int) -> tuple[np.ndarray, int]:
    """(tree, width) with all leaves -inf."""
    width = 1
    while width < n_leaves:
        width *= 2
    return fill_new(2 * width, np.float64, -np.inf), width


@spliced_kernel
def best_of(values: np.ndarray, a: int, b: int) -> float:
    """Largest of values[a:b]."""
    best = -np.inf
    for i in range(a, b):
        best = larger_of(best, values[i])
    return best


@spliced_kernel
def set_leaf(tree: np.ndarray, width: int, leaf: int, value: float) -> None:
    """Change one leaf."""
    at = width + leaf
    tree[at] = value
    at //= 2
    while at >= 1:
        tree[at] = larger_of(tree[2 * at], tree[2 * at + 1])
        at //= 2


@spliced_kernel
def leaf_of(tree: np.ndarray, width: int) -> int:
    """The first leaf that holds the largest value."""
    at = 1
    while at < width:
        at = 2 * at if tree[2 * at] == tree[at] else 2 * at + 1
    return at - width
