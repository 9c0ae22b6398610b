r"""Viterbi and forward-backward with a prepared table of transitions, for small chains one at a time.

On a chain of eight letters half of the time of a call goes into work that does not depend on the chain:
checks of the table, its transpose, exponentials of all transitions. `Transitions` keeps these; the answers
are those of `spcviz.engine.chains.chain`, to the bit for max and to rounding for sums. On 8 x 26, which
`bench engine` times, `decode` is 1.1 times as fast as `chain`'s, `max_marginals` 1.4 times, `marginals` 1.6
times.
"""

from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.best import decode_into, max_tables
from spcviz.engine.chains.chain import Decoded, Marginals, MaxMarginals, best_through, decoded, probabilities
from spcviz.engine.chains.inputs import FLOAT, INDEX, align_rows, precision, there_and_back
from spcviz.engine.chains.peaked import WORTH, Tops, tops_of
from spcviz.engine.chains.sums import exponentials_of, is_tame, scratch, sum_tables
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel


class Transitions:
    """One (K, K) table of transition scores, shared by every step of every chain.

    Errors as in `spcviz.engine.chains.chain.decode`.

    Parameters
    ----------
    pairwise : array_like, shape (K, K)
        ``[from, to]``; -inf forbids. Of float32, `decode` and `max_marginals` of float32 stay in 32 bits.

    Examples
    --------
    >>> letters = Transitions([[0.0, 0.0], [-3.0, 0.0]])
    >>> letters.decode([[0.0, 1.0], [2.0, 0.0]])
    Decoded(score=2.0, labels=array([0, 0]))
    >>> letters.max_marginals([[0.0, 1.0], [2.0, 0.0]]).unary.tolist()
    [[2.0, 1.0], [2.0, 1.0]]
    """

    def __init__(self, pairwise: ArrayLike) -> None:
        table = np.array(checks.scores("pairwise", pairwise, 2, precision(pairwise)))
        if table.shape[0] != table.shape[1] or not table.size:
            raise ShapeError(f"pairwise has shape {table.shape}; it needs (K, K), K at least 1")
        self.pairwise = table
        self._dtype, self._n_states = table.dtype, len(table)
        self._tables = there_and_back(table, -np.inf)
        is_large = len(table) >= WORTH
        self._tops = (np.stack([tops_of(rows) for rows in self._tables]),) if is_large else ()
        self._high, self._spread, self._exponentials = exponentials_of(table)

    def decode(self, unary: ArrayLike) -> Decoded:
        """Best labelling; see `spcviz.engine.chains.chain.decode`."""
        if self._is_ready(unary):
            labels = np.empty(len(unary), INDEX)
            best = _decode(unary, self._tables, labels, *self._tops)
            if best > -np.inf:
                return decoded((best, labels))
        return chain.decode(unary, self.pairwise)

    def max_marginals(self, unary: ArrayLike) -> MaxMarginals:
        """Best score through every state; `spcviz.engine.chains.chain.max_marginals` with ``edges=False``."""
        if self._is_ready(unary):
            node = np.empty_like(unary)
            best = _max_nodes(unary, self._tables, node, *self._tops)
            if best > -np.inf:
                return best_through((best, node, None))
        return chain.max_marginals(unary, self.pairwise, edges=False)

    def marginals(self, unary: ArrayLike) -> Marginals:
        """Probability of every state; `spcviz.engine.chains.chain.marginals` with ``edges=False``."""
        if self._is_ready(unary) and unary.dtype is FLOAT:
            node = np.empty_like(unary)
            log_partition = _sum_nodes(unary, self._spread, self._exponentials, node)
            if log_partition > -np.inf:
                return probabilities((log_partition + (len(unary) - 1) * self._high, node, None))
        return chain.marginals(unary, self.pairwise, edges=False)

    def _is_ready(self, unary: ArrayLike) -> TypeGuard[np.ndarray]:
        """Whether the kernels can take it unchanged; anything else goes through `chain`, with its errors."""
        if type(unary) is not np.ndarray or unary.dtype is not self._dtype or not unary.flags.c_contiguous:
            return False
        shape = unary.shape
        return len(shape) == 2 and shape[1] == self._n_states and shape[0] > 0


@kernel
def _decode(unary: np.ndarray, tables: np.ndarray, labels: np.ndarray, tops: Tops = None) -> float:
    """Best score, and fills labels; -inf if a score is bad or nothing is feasible."""
    if checks.first_bad(unary.reshape(-1)) >= 0:
        return -np.inf
    left = align_rows((len(unary) + 1, unary.shape[1]), unary)
    if tops is None:
        return decode_into(unary, tables[:1], None, left, labels)
    return decode_into(unary, tables[:1], tops[0], left, labels)


@kernel
def _max_nodes(unary: np.ndarray, tables: np.ndarray, node: np.ndarray, tops: Tops = None) -> float:
    """Best score, and fills the node table; -inf if a score is bad or nothing is feasible."""
    if checks.first_bad(unary.reshape(-1)) >= 0:
        return -np.inf
    work = align_rows((np.int64(2), unary.shape[1]), unary)
    if tops is None:
        return max_tables(unary, tables[:1], tables[1:], None, None, work, node, tables[:0])
    return max_tables(unary, tables[:1], tables[1:], tops[0], tops[1], work, node, tables[:0])


@kernel
def _sum_nodes(unary: np.ndarray, spread: float, tables: np.ndarray, node: np.ndarray) -> float:
    """Log partition, and fills the node table; -inf if a score is bad or sums might not hold exponentials."""
    if checks.first_bad(unary.reshape(-1)) >= 0 or not is_tame(unary, spread):
        return -np.inf
    return sum_tables(unary, tables[:1], tables[1:], scratch(unary), node, tables[:0])
