r"""One max-plus step among many states: exact, and mostly with far fewer than K^2 sums.

Scores of trained chains have peaks: of hundreds of morphological tags a handful can be the best predecessor
of any tag. With :math:`v_i` the best score up to state i, :math:`w_{ij}` a transition and
:math:`W_i = \max_j w_{ij}`, state i is no state's best predecessor once

.. math:: v_i + W_i \le \min_j \max_{i' \text{ seen}} (v_{i'} + w_{i'j}).

So the best state is processed first, then those that pass this test: each costs K sums, testing all of them
costs K. Once more than a quarter of the states pass, the step is done in full, and so are the next few:
scores without peaks cost hardly more than without the test. The result is the same to the last bit.
`bench engine` times `decode` of flat and of peaked scores, `bench library` tagging with 290 tags.

The bound is that of Esposito and Radicioni (2009), CarpeDiem: optimizing the Viterbi algorithm and
applications to supervised sequential learning, JMLR 10; there states are opened one by one, here rows are.
"""

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, kernel
from spcviz.engine.kernels.once import larger_of
from spcviz.engine.kernels.semirings import MAX_PLUS, combine
from spcviz.engine.kernels.vectors import largest, smallest

WORTH = 128
"""Number of states from which the test pays."""

PAUSE = 4
"""Number of steps done in full after one that had to be; twice as many after the next in a row."""

Wait = tuple[int, int]
"""Steps still to be done in full, and how many to do in full after the next that has to be."""

Tops = np.ndarray | None
"""`tops_of` a table, or None where steps are done in full."""


@kernel
def tops_of(table: np.ndarray) -> np.ndarray:
    """Largest entry of each row."""
    tops = np.empty(len(table), table.dtype)
    for i in range(len(table)):
        tops[i] = largest(table[i])
    return tops


def tops_of_many(table: np.ndarray, *, is_back: bool = False) -> Tops:
    """`tops_of` a table (K, K), or of its transpose, if there are enough states to be worth it."""
    if len(table) < WORTH:
        return None
    return tops_of(np.ascontiguousarray(table.T) if is_back else table)


@bare_inlined_kernel
def combine_best(vector: np.ndarray, table: np.ndarray, tops: Tops, out: np.ndarray, wait: Wait) -> Wait:
    """`combine` of MAX_PLUS, by `tops_of` the table; `wait`: (0, PAUSE), then the previous step's result."""
    if tops is None:
        combine(MAX_PLUS, vector, table, out)
        return wait
    resting, pause = wait
    if resting == 0:
        if _combine_peaked(vector, table, tops, out):
            return 0, PAUSE
        resting, pause = pause, 2 * pause
    combine(MAX_PLUS, vector, table, out)
    return larger_of(resting - 1, 0), pause


@bare_kernel
def _combine_peaked(vector: np.ndarray, table: np.ndarray, tops: np.ndarray, out: np.ndarray) -> bool:
    """Fill `out`; False, with `out` unreliable, where too many states matter."""
    n = len(tops)
    best, first = largest(vector), 0
    while vector[first] < best:
        first += 1
    row = table[first]
    for j in range(len(out)):
        out[j] = best + row[j]
    least, n_more = smallest(out[:n]), n // 4
    for i in range(n):
        # A state that cannot reach the least entry changes none; `least` rises, so ever fewer states matter.
        if vector[i] + tops[i] > least and i != first:
            if n_more == 0:
                return False
            n_more -= 1
            score, row = vector[i], table[i]
            for j in range(len(out)):
                value = score + row[j]
                out[j] = value if value > out[j] else out[j]
            least = smallest(out[:n])
    return True
