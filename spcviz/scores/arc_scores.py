r"""Scores of a lattice's arcs: emissions, transitions of any kind, and n-gram scores of any number of labels.

`spcviz.engine.ngrams.lattice.score_arcs` does the same for models with one finite table for all steps and up
to 200 labels, and is called many times in training; here each step may have its own table, -inf forbids, and
there may be 10,000 labels. An arc carries what its last label adds; an arc of the first column, what all its
labels add.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.space import Lattice
from spcviz.engine.ngrams.table import MAX_BITS, symbol_bits
from spcviz.scores.names import Names
from spcviz.scores.packing import Packed


class Grams(NamedTuple):
    """Scores (G,) of n-grams by their sorted codes (G,), int64 (`spcviz.engine.ngrams.table`)."""

    keys: np.ndarray
    weights: np.ndarray
    longest: int


def grams_of(scores: Any, names: Names, order: int) -> Grams:
    """Scores of n-grams by code, from a dict by tuples of labels or an array with one dimension per label."""
    bits = symbol_bits(names.n_states)
    if isinstance(scores, Mapping):
        coded = {}
        for gram, weight in scores.items():
            if not isinstance(gram, tuple) or not gram:
                raise ArgumentError(f"ngram_scores must have tuples of labels as keys, got {gram!r:.60}")
            _fits(f"ngram_scores[{gram!r:.60}]", len(gram), order)
            code = 0
            for label in gram:
                code = (code << bits) + names.state(f"ngram_scores[{gram!r:.60}]", label) + 1
            if isinstance(weight, bool | np.bool_):
                raise ArgumentError(f"ngram_scores[{gram!r:.60}] must be a number, got {weight}")
            coded[code] = checks.scores(f"ngram_scores[{gram!r:.60}]", weight, 0)
        keys, weights = np.array(list(coded), dtype=np.int64), np.array(list(coded.values()), dtype=float)
        by_code, longest = np.argsort(keys), max(map(len, scores), default=1)
        return Grams(keys[by_code], weights[by_code].reshape(-1), longest)
    table = checks.scores("ngram_scores", scores, tuple(range(1, 9)))
    if set(table.shape) != {names.n_states}:
        wanted = (names.n_states,) * table.ndim
        raise ShapeError(f"ngram_scores has shape {table.shape}; the labels need {wanted}")
    _fits("ngram_scores", table.ndim, order)
    if bits * table.ndim > MAX_BITS:
        raise ArgumentError(f"ngram_scores must be of at most {MAX_BITS // bits} labels, got {table.ndim}")
    at = np.nonzero(table)
    codes = np.zeros(len(at[0]), dtype=np.int64)
    for states in at:
        codes = (codes << bits) + states + 1
    return Grams(codes, table[at], table.ndim)  # in lexicographic order, so the codes are sorted


def _fits(what: str, n: int, order: int) -> None:
    if n > order:
        raise ArgumentError(
            f"{what} must have at most {order} labels, the lattices' order, got {n}: extend() first"
        )


def base_scores(lattice: Lattice, packed: Packed) -> np.ndarray:
    """Score of every arc under the sequences' own scores, shape (A,)."""
    unary, pairwise = packed.unary, packed.pairwise
    row, order, is_first = _places(lattice)
    last = _symbol(lattice, lattice.arc_key, 0)
    score = unary[row, last]

    def add(arcs: np.ndarray, back: int) -> None:
        """Add the score of the step into the label `back` from the end."""
        before, after = (_symbol(lattice, lattice.arc_key[arcs], b) for b in (back + 1, back))
        rows = row[arcs] - back
        score[arcs] += pairwise[before, after] if pairwise.ndim == 2 else pairwise[rows, before, after]

    add(np.flatnonzero(order > 1), 0)
    for back in range(1, int(order.max(initial=1))):
        arcs = np.flatnonzero(is_first & (order > back))
        score[arcs] += unary[row[arcs] - back, _symbol(lattice, lattice.arc_key[arcs], back)]
        add(arcs[order[arcs] > back + 1], back)
    return score


def gram_scores(lattice: Lattice, grams: Grams) -> np.ndarray:
    """The sum of n-gram scores on every arc, shape (A,)."""
    _, order, is_first = _places(lattice)
    out = np.zeros(lattice.n_arcs)

    def add(arcs: np.ndarray, back: int) -> None:
        """Add the scores of the n-grams that end in the label `back` from the end."""
        keys = lattice.arc_key[arcs] >> lattice.bits * back
        for n in range(1, grams.longest + 1):
            has = order[arcs] - back >= n
            code = keys[has] & (np.int64(1) << lattice.bits * n) - 1
            out[arcs[has]] += _weights_of(grams, code)

    add(np.arange(lattice.n_arcs), 0)
    for back in range(1, int(order.max(initial=1))):
        add(np.flatnonzero(is_first & (order > back)), back)
    return out


def _weights_of(grams: Grams, codes: np.ndarray) -> np.ndarray:
    """Score of each code; 0 for a code without one."""
    if not len(grams.keys):
        return np.zeros(len(codes))
    at = np.minimum(np.searchsorted(grams.keys, codes), len(grams.keys) - 1)
    return np.where(grams.keys[at] == codes, grams.weights[at], 0.0)


def _places(lattice: Lattice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every arc: the row of its last label, its n, and whether it is in a first column."""
    sizes = np.diff(lattice.arc_start)
    example = np.repeat(np.arange(len(lattice.order)), np.diff(lattice.col_start))
    column = np.arange(len(sizes)) - lattice.col_start[example]
    order = lattice.order[example]
    row = lattice.row_start[example] + column + order - 1
    return np.repeat(row, sizes), np.repeat(order, sizes), np.repeat(column == 0, sizes)


def _symbol(lattice: Lattice, keys: np.ndarray, back: int) -> np.ndarray:
    """The state `back` from the end of each n-gram."""
    return (keys >> lattice.bits * back & (1 << lattice.bits) - 1) - 1
