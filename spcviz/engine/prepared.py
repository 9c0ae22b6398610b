r"""A transition table made ready once, for many small chains that come one by one.

On a chain of eight letters half of the time of a call goes into what does not depend on the chain: checks of
the table, its transpose, exponentials of all transitions. `Transitions` keeps these; the answers are those
of `spcviz.engine.chain`, to the bit for max and to rounding for sums.
"""

import numpy as np

from spcviz.engine import chain, checks
from spcviz.engine.chain import Decoded, Marginals, MaxMarginals
from spcviz.engine.errors import ShapeError
from spcviz.engine.jit import kernel
from spcviz.engine.vectors import largest, smallest

_FLOAT = np.dtype(np.float64)


class Transitions:
    """One (K, K) table of transition scores, shared by every step of every chain.

    Parameters
    ----------
    pairwise : array_like, shape (K, K)
        ``[from, to]``; -inf forbids. Of float32, `decode` and `max_marginals` of float32 stay in 32 bits.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        As `spcviz.engine.chain.decode`.

    Examples
    --------
    >>> letters = Transitions([[0.0, 0.0], [-3.0, 0.0]])
    >>> letters.decode([[0.0, 1.0], [2.0, 0.0]])
    Decoded(score=2.0, labels=array([0, 0]))
    >>> letters.max_marginals([[0.0, 1.0], [2.0, 0.0]]).unary.tolist()
    [[2.0, 1.0], [2.0, 1.0]]
    """

    def __init__(self, pairwise):
        table = np.array(checks.scores("pairwise", pairwise, 2, chain.precision(pairwise)))
        if table.shape[0] != table.shape[1] or not table.size:
            raise ShapeError(f"pairwise has shape {table.shape}; it needs (K, K), K at least 1")
        self.pairwise = table
        self._dtype, self._n_states = table.dtype, len(table)
        self._no_edge = chain.NO_EDGES[table.dtype.itemsize]
        self._table, self._back = (chain.table_rows(table[None], -np.inf, b) for b in (False, True))
        self._high, low = float(table.max()), float(table.min())
        self._spread = self._high - low if np.isfinite(low) else np.inf
        with np.errstate(invalid="ignore"):
            shifted = np.exp(table - self._high, dtype=np.float64)
        self._exp, self._exp_back = (chain.table_rows(shifted[None], 0.0, b) for b in (False, True))

    def decode(self, unary):
        """Best labelling; see `spcviz.engine.chain.decode`."""
        if self._is_ready(unary):
            labels = np.empty(len(unary), dtype=np.int64)
            best = _decode(unary, self._table, labels)
            if best > -np.inf:
                return Decoded(best, labels)
        return chain.decode(unary, self.pairwise)

    def max_marginals(self, unary):
        """Best score through every state; `spcviz.engine.chain.max_marginals` with ``edges=False``."""
        if self._is_ready(unary):
            node = np.empty_like(unary)
            best = _max_nodes(unary, self._table, self._back, node, self._no_edge)
            if best > -np.inf:
                return MaxMarginals(best, node, None)
        return chain.max_marginals(unary, self.pairwise, edges=False)

    def marginals(self, unary):
        """Probability of every state; `spcviz.engine.chain.marginals` with ``edges=False``."""
        if self._is_ready(unary) and unary.dtype is _FLOAT:
            shifted = np.empty_like(unary)
            shift = _shifted_rows(unary, self._spread, shifted)
            if shift > -np.inf:
                np.exp(shifted, out=shifted)
                node = np.empty_like(unary)
                log_partition = chain.sum_tables(shifted, self._exp, self._exp_back, node, self._no_edge)
                return Marginals(log_partition + shift + (len(unary) - 1) * self._high, node, None)
        return chain.marginals(unary, self.pairwise, edges=False)

    def _is_ready(self, unary):
        """Whether the kernels may have it as it is; all else takes the way round, with its errors."""
        if type(unary) is not np.ndarray or unary.dtype is not self._dtype or not unary.flags.c_contiguous:
            return False
        shape = unary.shape
        return len(shape) == 2 and shape[1] == self._n_states and shape[0] > 0


@kernel
def _decode(unary, table, labels):
    """Best score, and fills labels; -inf if a score is bad or nothing is feasible."""
    if checks.first_bad(unary.reshape(-1)) >= 0:
        return -np.inf
    return chain.decode_into(unary, table, chain.aligned((len(unary) + 1, unary.shape[1]), unary), labels)


@kernel
def _max_nodes(unary, table, back, node, no_edge):
    """Best score, and fills the node table; -inf if a score is bad or nothing is feasible."""
    if checks.first_bad(unary.reshape(-1)) >= 0:
        return -np.inf
    work = chain.aligned((2 * len(unary) + 1, unary.shape[1]), unary)
    return chain.max_tables(unary, table, back, work, node, no_edge)


@kernel
def _shifted_rows(unary, spread, out):
    """Rows with largest entries 0, and the sum of what was taken off; -inf if they must go the slow way."""
    shift, widest = 0.0, 0.0
    if checks.first_bad(unary.reshape(-1)) >= 0:
        return -np.inf
    for i in range(len(unary)):
        row = unary[i]
        top = largest(row)
        widest = max(widest, top - smallest(row))
        shift += top
        for k in range(len(row)):
            out[i, k] = row[k] - top
    return shift if widest + 3 * spread < chain.TAME_RANGE else -np.inf
