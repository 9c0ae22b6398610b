"""The training problem of one cascade level: lattices with their truth, and one pass of learning over them.

A pass scores one example after another, takes the gradient of its loss and steps along it.
"""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel, spliced_kernel
from spcviz.engine.kernels.once import fill_new, larger_of
from spcviz.engine.kernels.vectors import copy
from spcviz.engine.ngrams.lattice import Lattice, path_of
from spcviz.engine.ngrams.table import begin_code, slot_of
from spcviz.learning.cascade.features import Features, add_row, check_features, n_rows, score_row
from spcviz.learning.cascade.losses import Loss, Scratch, arc_gradient

MAX_SHORT_BITS = 24
"""Most bits of an n-gram code that is looked up in a table, of at most 64 MB."""


class LevelProblem(NamedTuple):
    """One level's training problem, prepared once for any number of passes."""

    lattice: Lattice
    features: Features  # rows in the lattice's order
    truth: np.ndarray  # (arc columns,) int64
    has_truth: np.ndarray  # (W,) bool: False where the truth is not in the lattice
    gram_start: np.ndarray  # (A + 1,) int64
    gram_index: np.ndarray  # int32: n-grams completed by each arc, as indices into `keys`
    keys: np.ndarray  # (G,) int64


def prepare(
    lattice: Lattice,
    features: Features,
    labels: np.ndarray,
    *,
    has_end: bool = False,
    has_begin: bool = False,
) -> LevelProblem:
    """Look up the truth, labels (rows,), and number the n-grams of a lattice.

    With `has_end` n-grams that end in the end mark count too; with `has_begin` those of two or more states
    that begin with the begin mark.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        If features or labels do not fit the lattice.
    """
    rows = int(lattice.row_start[-1])
    features = check_features(features)
    if n_rows(features) != rows:
        raise ShapeError(f"features has {n_rows(features)} rows; the lattice needs {rows}")
    truth = path_of(lattice, labels)
    survives = (
        np.logical_and.reduceat(truth >= 0, lattice.col_start[:-1]) if len(truth) else np.zeros(0, bool)
    )
    if has_begin and lattice.n_states + 2 >= 1 << lattice.bits:
        raise ArgumentError(
            f"has_begin must be False: {lattice.n_states} states leave no symbol for ^, got True"
        )
    start = _gram_counts(lattice, has_end, has_begin)
    index, keys = _gram_index(lattice, has_end, has_begin, start, _short_codes(lattice, int(start[-1])))
    return LevelProblem(lattice, features, truth, survives, start, index, keys)


def _short_codes(lattice: Lattice, n_entries: int) -> np.ndarray:
    """Zeros for the numbers of short n-grams, by their codes: as many as the number of entries justifies."""
    longest = int(lattice.order.max(initial=1)) + 2  # and both marks
    n_bits = min(lattice.bits * longest, MAX_SHORT_BITS, (2 * n_entries + 4096).bit_length())
    return np.zeros(1 << n_bits, dtype=np.int32)


@kernel
def _gram_counts(lattice: Lattice, has_end: bool, has_begin: bool) -> np.ndarray:
    """Where each arc's n-grams begin: shape (A + 1,)."""
    start = fill_new(lattice.arc_start[-1] + 1, np.int64, 0)
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        for c in range(first, last):
            count = n - 1
            if c == first:
                count += (n - 1) * (n - 2) // 2  # completed by the prefixes
                count += n - 1 if has_begin else 0
            if c == last - 1 and has_end:
                count += n
            for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
                start[a + 1] = start[a] + count
    return start


@kernel
def _gram_index(
    lattice: Lattice, has_end: bool, has_begin: bool, start: np.ndarray, short: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(index of each arc's n-grams into keys, keys), numbered in order of appearance.

    `short[key]` is one more than the number of a key that is small enough for this table; others are hashed.
    """
    bits = lattice.bits
    index = np.empty(start[-1], np.int32)
    slots = fill_new(1 << 12, np.int64, 0)
    ids = fill_new(len(slots), np.int32, 0)
    keys = np.empty(1 << 11, np.int64)
    size: Any = np.int64(0)  # one type throughout: a literal 0 would compile everything once more
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        for c in range(first, last):
            for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
                at = start[a]
                if 2 * (size + n * n) >= len(keys):  # more than one arc can add
                    keys, slots, ids = _grow_tables(keys, slots, ids, size)
                shortest = 1 if c == first else n  # shortest prefix whose n-grams this arc completes
                key = lattice.arc_key[a]
                for m in range(n, shortest - 1, -1):
                    front = begin_code(has_begin and c == first, lattice.n_states, bits, m)
                    with_mark = m + (front > 0)
                    at, size = _number_suffixes(
                        front + key, with_mark, bits, index, at, keys, slots, ids, short, size
                    )
                    key >>= bits
                if c == last - 1 and has_end:
                    key = (lattice.arc_key[a] << bits) + lattice.n_states + 1
                    at, size = _number_suffixes(key, n + 1, bits, index, at, keys, slots, ids, short, size)
    return index, keys[:size].copy()


@kernel
def _number_suffixes(
    key: int | np.int64,
    n: int | np.signedinteger,
    bits: int,
    index: np.ndarray,
    at: int,
    keys: np.ndarray,
    slots: np.ndarray,
    ids: np.ndarray,
    short: np.ndarray,
    size: int,
) -> tuple[int, int]:
    """Number the suffixes of 2 .. n symbols; returns the next place in the index and the number of keys."""
    for m in range(2, n + 1):
        suffix = key & ((np.int64(1) << (bits * m)) - 1)
        if suffix < len(short):
            if short[suffix] == 0:
                keys[size] = suffix
                size += 1
                short[suffix] = size
            index[at] = short[suffix] - 1
        else:
            index[at], size = _number(suffix, keys, slots, ids, size)
        at += 1
    return at, size


@spliced_kernel
def _number(
    key: int | np.int64, keys: np.ndarray, slots: np.ndarray, ids: np.ndarray, size: int
) -> tuple[np.int32, int]:
    """(number of the key, number of keys now); new keys get the next number."""
    slot = slot_of(key, len(slots))
    while slots[slot] != 0:
        if slots[slot] == key:
            return ids[slot], size
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot], ids[slot], keys[size] = key, size, key
    return np.int32(size), size + 1


@kernel
def _grow_tables(
    keys: np.ndarray, slots: np.ndarray, ids: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same numbering, in tables four times as large."""
    more_keys = np.empty(4 * len(keys), np.int64)
    more_slots = fill_new(4 * len(slots), np.int64, 0)
    more_ids = fill_new(len(more_slots), np.int32, 0)
    copy(keys, more_keys[: len(keys)])
    for i in range(len(slots)):
        if slots[i] != 0:
            slot = slot_of(slots[i], len(more_slots))
            while more_slots[slot] != 0:
                slot = (slot + 1) & (len(more_slots) - 1)
            more_slots[slot], more_ids[slot] = slots[i], ids[i]
    return more_keys, more_slots, more_ids


class LearningStep(NamedTuple):
    """Parameters of a step."""

    rate: float  # eta of unary weights at step 0
    gram_rate: float  # multiplies it for n-grams
    decay: float  # lambda
    fall: float  # step t is rate / (1 + fall * t)
    taken: int  # steps before this stretch
    # scale, scale_sum: values to continue this stretch from; 1 and 0 at its beginning
    scale: float = 1.0
    scale_sum: float = 0.0


class Moving(NamedTuple):
    """Weights (F, K) and n-gram weights (G,) that a pass moves, and what the average subtracts from each."""

    weights: np.ndarray
    weight_late: np.ndarray
    grams: np.ndarray
    gram_late: np.ndarray


@kernel
def run_epoch(
    loss: Loss,
    problem: LevelProblem,
    order: np.ndarray,
    step: LearningStep,
    moving: Moving,
    arc_score: np.ndarray,
    work: Scratch,
) -> tuple[float, float, float]:
    """One pass. Returns (sum of losses, final scale, sum of scales); the weights stay unscaled."""
    lattice = problem.lattice
    n_states = lattice.n_states
    weights, weight_late, grams = moving.weights, moving.weight_late, moving.grams
    scale, scale_sum, loss_sum = step.scale, step.scale_sum, 0.0
    longest = 0
    for w in range(len(lattice.order)):
        longest = larger_of(longest, lattice.row_start[w + 1] - lattice.row_start[w])
    unary = np.empty(longest * n_states, np.float64).reshape((longest, n_states))
    toward = np.empty(longest * n_states, np.float64).reshape((longest, n_states))
    for t, w in enumerate(order):
        row, length = lattice.row_start[w], lattice.row_start[w + 1] - lattice.row_start[w]
        rate = step.rate / (1.0 + step.fall * (step.taken + t))
        for i in range(length):
            score_row(problem.features, row + i, weights, unary[i])
        _score_example(problem, w, unary, grams, scale, arc_score)
        value = arc_gradient(loss, lattice, w, arc_score, problem.truth, work)
        scale *= 1.0 - rate * step.decay  # (4.9): the old weights shrink, then comes the step
        if value > 0.0:
            loss_sum += value
            amount = rate / scale
            toward[:length] = 0.0
            _push_grams(problem, w, work.gradient, amount * step.gram_rate, scale_sum, toward, moving)
            for i in range(length):
                moved = False
                for k in range(n_states):
                    toward[i, k] *= amount
                    moved |= toward[i, k] != 0.0
                if moved:
                    add_row(problem.features, row + i, toward[i], weights)
                    for k in range(n_states):
                        toward[i, k] *= scale_sum
                    add_row(problem.features, row + i, toward[i], weight_late)
        scale_sum += scale
    return loss_sum, scale, scale_sum


@spliced_kernel
def _score_example(
    problem: LevelProblem, w: int, unary: np.ndarray, grams: np.ndarray, scale: float, arc_score: np.ndarray
) -> None:
    lattice = problem.lattice
    bits, n = lattice.bits, lattice.order[w]
    mask = (1 << bits) - 1
    arc_key, gram_start, gram_index = lattice.arc_key, problem.gram_start, problem.gram_index
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    for c in range(first, last):
        i = c - first + n - 1
        for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
            key = arc_key[a]
            s = unary[i, (key & mask) - 1]
            if c == first:
                for j in range(1, n):
                    key >>= bits
                    s += unary[i - j, (key & mask) - 1]
            for g in range(gram_start[a], gram_start[a + 1]):
                s += grams[gram_index[g]]
            arc_score[a] = scale * s


@kernel
def _push_grams(
    problem: LevelProblem,
    w: int,
    gradient: np.ndarray,
    amount: float,
    scale_sum: float,
    toward: np.ndarray,
    moving: Moving,
) -> None:
    """Step the n-gram weights along the arcs' gradient; collect the unary part in `toward` (L, K)."""
    lattice, grams, gram_late = problem.lattice, moving.grams, moving.gram_late
    bits, n = lattice.bits, lattice.order[w]
    mask = (1 << bits) - 1
    arc_key, gram_start, gram_index = lattice.arc_key, problem.gram_start, problem.gram_index
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    for c in range(first, last):
        i = c - first + n - 1
        for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
            g = gradient[a]
            if g == 0.0:
                continue
            key = arc_key[a]
            toward[i, (key & mask) - 1] += g
            if c == first:
                for j in range(1, n):
                    key >>= bits
                    toward[i - j, (key & mask) - 1] += g
            for at in range(gram_start[a], gram_start[a + 1]):
                grams[gram_index[at]] += amount * g
                gram_late[gram_index[at]] += scale_sum * amount * g
