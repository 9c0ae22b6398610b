r"""The space of a cascade's level: the cliques of a chain of order n, its valid n-grams, as flat arrays.

A level of order n is a chain over (n-1)-grams: *nodes* are (n-1)-grams, *arcs* are n-grams. With
C = L - n + 1 arc columns, column c holds the valid assignments of positions c .. c+n-1; every
complete path takes one arc of each column. An example shorter than n stays at order L.

Within a column arcs are in dictionary order of their symbols, so those that leave a node are adjacent and
ties go to the smallest. Codes are those of `ngrams`: symbols are state + 1, in equal numbers of bits, so
n-grams of different n never share a code.

Legend: W examples, A arcs, N nodes, all examples one after the other. Scores and messages along these arcs
are in `lattice`.
"""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.computed_once import computed_once
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.ngrams.arc_ranges import Runs, runs_of
from spcviz.engine.ngrams.growing import (
    MOST_ARCS,
    LatticeArrays,
    allowed_arcs,
    count_extended,
    fill_extended,
    lay_out_bigrams,
)
from spcviz.engine.ngrams.table import MAX_BITS, symbol_bits


class Lattice(LatticeArrays):
    """Valid n-grams of many examples.

    - `n_states`, `bits`: K, and the bits of a symbol
    - `order` (W,), int64: n of each example: the level's order, or the example's length if that is shorter
    - `row_start`, `col_start` (W + 1,), int64: example w owns rows ``row_start[w] : row_start[w + 1]`` of a
      unary table and likewise arc columns. It has one more node column than arc columns, so its node columns
      begin at ``col_start[w] + w``
    - `arc_start` (arc columns + 1,), `node_start` (node columns + 1,), int64: the start of each column
    - `arc_tail`, `arc_head` (A,), int32: node indices; `arc_key` (A,), int64: the n-gram's code
    - `runs`: the arcs as message passing reads them; made on first access
    """

    @computed_once
    def runs(self) -> Runs:
        starts = self.col_start, self.arc_start, self.node_start
        return Runs(self.col_start, *runs_of(*starts, self.arc_tail, self.arc_head))

    @property
    def example_start(self) -> np.ndarray:
        """First arc of each example, shape (W + 1,)."""
        return self.arc_start[self.col_start]

    @property
    def n_arcs(self) -> int:
        return len(self.arc_key)


def unigrams(lengths: ArrayLike, n_states: int, allowed: ArrayLike | None = None) -> Lattice:
    """The lattice of order 1: every state at every position, or those allowed.

    `ArgumentError`, `ShapeError` if a length or K is out of range, or the mask has the wrong shape or an
    empty row.

    Parameters
    ----------
    lengths : array_like of int, shape (W,)
        At least 1 each.
    n_states : int
        K, 1 to 10,000.
    allowed : array_like of bool, shape (sum of lengths, K), optional
        At least one state per position.

    Examples
    --------
    >>> unigrams([3, 2], 26).n_arcs
    130
    """
    n_states = checks.integer("n_states", n_states, 1, 10_000)
    lengths = checks.lengths(lengths, MOST_ARCS // n_states)
    if lengths.sum() * n_states > MOST_ARCS:
        raise ArgumentError(f"lengths must add up to at most {MOST_ARCS // n_states}, got {lengths.sum()}")
    row_start = checks.starts(lengths)
    rows = int(row_start[-1])
    if allowed is None:
        allowed = np.ones((rows, n_states), dtype=bool)
    allowed = checks.mask("allowed", allowed)
    if allowed.shape != (rows, n_states):
        raise ShapeError(f"allowed has shape {allowed.shape}; lengths needs {(rows, n_states)}")
    if rows and not allowed.any(axis=1).all():
        raise ArgumentError(
            f"allowed must leave a state everywhere, got none at row {allowed.any(axis=1).argmin()}"
        )
    arc_start = checks.starts(allowed.sum(axis=1))
    order, node_start = np.ones(len(lengths), np.int64), np.arange(rows + len(lengths) + 1, dtype=np.int64)
    starts = row_start, row_start.copy(), arc_start, node_start
    tail, state = allowed_arcs(allowed, row_start, int(arc_start[-1]))
    return Lattice(n_states, symbol_bits(n_states), order, *starts, tail, tail + np.int32(1), state)


def bigrams(lengths: ArrayLike, n_states: int, allowed: ArrayLike) -> Lattice:
    """`extend` of all that `unigrams` lays out, in one step: the lattice of order 2 over allowed states.

    Arguments as in `unigrams`; the mask is not optional. Its nodes are the allowed states, row by row;
    examples of length 1 stay at order 1.

    >>> bigrams([2], 3, [[True, False, True], [True, True, False]]).n_arcs
    4
    """
    n_states = checks.integer("n_states", n_states, 1, 10_000)
    lengths = checks.lengths(lengths, MOST_ARCS // n_states)
    allowed = np.ascontiguousarray(checks.mask("allowed", allowed))
    row_start = checks.starts(lengths)
    if allowed.shape != (row_start[-1], n_states):
        wanted = (int(row_start[-1]), n_states)
        raise ShapeError(f"allowed has shape {allowed.shape}; lengths needs {wanted}")
    first, states = _list_states(allowed)
    if len(allowed) and np.diff(first).min() == 0:
        raise ArgumentError(
            f"allowed must leave a state everywhere, got none at row {np.diff(first).argmin()}"
        )
    bits = symbol_bits(n_states)
    return Lattice(n_states, bits, *lay_out_bigrams(row_start, first, states, bits))


@kernel
def _list_states(allowed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The allowed states row by row: those of row r are ``states[first[r] : first[r + 1]]``."""
    first = fill_new(len(allowed) + 1, np.int64, 0)
    states = np.empty(allowed.size + 1, np.int64)
    n = 0
    for r in range(len(allowed)):
        row = allowed[r]
        for s in range(len(row)):
            states[n] = s
            n += row[s]
        first[r + 1] = n
    return first, states[:n].copy()


def extend(lattice: Lattice, keep: ArrayLike, *, grow: bool = True) -> Lattice:
    """The next level's lattice: an (n+1)-gram is valid iff both its n-grams survived.

    Order n + 1; examples of length n stay at order n, restricted to their survivors. Luo, summary of SPC,
    equation (3); Weiss (2013), thesis, section 4.5.

    Parameters
    ----------
    keep : ndarray of bool, shape (A,)
        Survivors.
    grow : bool
        False restricts the lattice to its survivors at the same order.

    Raises
    ------
    ShapeError
        If the mask does not fit.
    InfeasibleError
        If an example keeps no arc in some column.
    ArgumentError
        If the codes of the larger n-grams do not fit 62 bits.

    Examples
    --------
    >>> letters = unigrams([3], 4)
    >>> extend(letters, letters.arc_key <= 2).n_arcs
    8
    """
    keep = _checked_keep(lattice, keep)
    largest = int(lattice.order.max(initial=1))
    if lattice.bits * (largest + 2) > MAX_BITS:  # one symbol to grow by, one for the end mark
        raise ArgumentError(
            f"lattice of order {largest} cannot grow: "
            f"codes of {lattice.n_states} states overflow {MAX_BITS} bits"
        )
    kept = checks.starts(keep)
    survivors = np.diff(kept[lattice.arc_start])
    if len(survivors) and survivors.min() == 0:
        column = int(survivors.argmin())
        example = int(np.searchsorted(lattice.col_start, column, side="right")) - 1
        raise InfeasibleError(
            f"keep leaves no arc in column {column - lattice.col_start[example]} of example {example}"
        )
    return Lattice(*fill_extended(lattice, keep, kept, grow))


def _checked_keep(lattice: Lattice, keep: ArrayLike) -> np.ndarray:
    wanted = checks.of_own_type("lattice", lattice, Lattice).arc_key.shape
    keep = checks.typed_array("keep", keep, "biuf", "yes and no")
    if keep.shape != wanted or keep.dtype != bool:
        raise ShapeError(f"keep has shape {keep.shape}, dtype {keep.dtype}; it needs {wanted} bool")
    return keep


def extended_size(lattice: Lattice, keep: ArrayLike) -> np.ndarray:
    """Number of arcs `extend` would make for each example, without making them; shape (W,)."""
    keep = _checked_keep(lattice, keep)
    return count_extended(lattice, keep)


def states_left(lattice: Lattice) -> np.ndarray:
    """Mask of the states of each row that some arc still uses, shape (rows, K) bool.

    >>> states_left(unigrams([1], 3, [[True, False, True]]))
    array([[ True, False,  True]])
    """
    out = np.zeros((int(lattice.row_start[-1]), lattice.n_states), dtype=np.bool_)
    _states_left(lattice, out)
    return out


def symbols(lattice: Lattice, example: int = 0) -> np.ndarray:
    """The states of each arc of one example, shape (arcs of the example, n), int32.

    >>> symbols(unigrams([1], 3)).ravel().tolist()
    [0, 1, 2]
    """
    checks.of_own_type("lattice", lattice, Lattice)
    example = checks.integer("example", example, 0, len(lattice.order) - 1)
    start, stop = lattice.example_start[example : example + 2]
    keys, n = lattice.arc_key[start:stop], int(lattice.order[example])
    shifts = lattice.bits * np.arange(n - 1, -1, -1)
    return ((keys[:, None] >> shifts & (1 << lattice.bits) - 1) - 1).astype(np.int32)


def path_of(lattice: Lattice, labels: ArrayLike) -> np.ndarray:
    """The arcs that spell given labellings.

    From one labelling per example, (rows,) of int, to (arc columns,), int64: -1 where the n-gram is not in
    the lattice.

    >>> path_of(unigrams([3], 4), [2, 0, 3])
    array([ 2,  4, 11])
    """
    checks.of_own_type("lattice", lattice, Lattice)
    labels = checks.states("labels", labels, int(lattice.row_start[-1]), lattice.n_states)
    return _path_of(lattice, labels)


def labels_of(lattice: Lattice, arcs: ArrayLike) -> np.ndarray:
    """States spelled by one path per example, shape (rows,), int64; -1 where there is no path."""
    arcs = checks.whole_numbers("arcs", arcs, -1, lattice.n_arcs - 1)
    if len(arcs) != lattice.col_start[-1]:
        raise ShapeError(f"arcs has shape {arcs.shape}; the lattice needs {(int(lattice.col_start[-1]),)}")
    labels = np.empty(int(lattice.row_start[-1]), dtype=np.int64)
    spell(lattice.order, lattice.row_start, lattice.col_start, lattice.bits, lattice.arc_key, arcs, labels)
    return labels


@kernel
def _states_left(lattice: Lattice, out: np.ndarray) -> None:
    bits, mask = lattice.bits, (1 << lattice.bits) - 1
    arc_key, arc_start = lattice.arc_key, lattice.arc_start
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        for c in range(lattice.col_start[w], lattice.col_start[w + 1]):
            row = lattice.row_start[w] + c - lattice.col_start[w] + n - 1
            for a in range(arc_start[c], arc_start[c + 1]):
                key = arc_key[a]
                out[row, (key & mask) - 1] = True
                # An arc counts for its last position; those of the first column also for the ones before it.
                if c == lattice.col_start[w]:
                    for j in range(1, n):
                        key >>= bits
                        out[row - j, (key & mask) - 1] = True


@kernel
def spell(
    order: np.ndarray,
    row_start: np.ndarray,
    col_start: np.ndarray,
    bits: int,
    arc_key: np.ndarray,
    arcs: np.ndarray,
    labels: np.ndarray,
) -> None:
    """`labels_of` for kernels, from a lattice's fields; fills labels (rows,)."""
    mask = (1 << bits) - 1
    for w in range(len(order)):
        n, first = order[w], col_start[w]
        row = row_start[w] + n - 1
        labels[row_start[w] : row_start[w + 1]] = -1
        for c in range(first, col_start[w + 1]):
            if arcs[c] >= 0:
                labels[row + c - first] = (arc_key[arcs[c]] & mask) - 1
        if arcs[first] >= 0:
            key = arc_key[arcs[first]]
            for j in range(1, n):
                key >>= bits
                labels[row - j] = (key & mask) - 1


@kernel
def _path_of(lattice: Lattice, labels: np.ndarray) -> np.ndarray:
    arcs = fill_new(lattice.col_start[-1], np.int64, -1)
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        for c in range(lattice.col_start[w], lattice.col_start[w + 1]):
            row = lattice.row_start[w] + c - lattice.col_start[w]
            key = 0
            for j in range(n):
                key = (key << lattice.bits) + labels[row + j] + 1
            a, b = lattice.arc_start[c], lattice.arc_start[c + 1]
            while a < b:  # the first whose key is no smaller
                middle = (a + b) // 2
                a, b = (middle + 1, b) if lattice.arc_key[middle] < key else (a, middle)
            if a < lattice.arc_start[c + 1] and lattice.arc_key[a] == key:
                arcs[c] = a
    return arcs
