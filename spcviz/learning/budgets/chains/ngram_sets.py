"""Sets of the n-grams of states that occurred in training, for kernels.

Codes are those of `spcviz.engine.ngrams.table` (state + 1 in equal numbers of bits), so n-grams of
different lengths never share one.
"""

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel, spliced_kernel
from spcviz.engine.ngrams.table import slot_of, symbol_bits


def seen_grams(labels: np.ndarray, starts: np.ndarray, n_states: int, longest: int = 5) -> np.ndarray:
    """The set of all n-grams of 2 to `longest` states in some sequences.

    Labels (R,) hold one sequence after another, which begin at ``starts`` (W + 1,). The set is an
    open-addressing table for `is_seen`: a power of two int64 entries, 0 = free.

    Examples
    --------
    >>> table = seen_grams([0, 1, 0], [0, 3], 2)
    >>> [count_unseen(table, np.array(word), 2, 2) for word in ([0, 1, 0], [1, 1, 1])]
    [0, 2]
    """
    labels = checks.states("labels", labels, len(labels), n_states)
    starts = checks.offsets("starts", starts, len(labels))
    return _table_of(_codes(labels, starts, n_states, longest))


def seen_in_other_parts(
    labels: np.ndarray, starts: np.ndarray, part: np.ndarray, n_states: int, longest: int = 5
) -> np.ndarray:
    """The set of n-grams that occur in at least two parts of some sequences; arguments as in `seen_grams`.

    A sequence's own n-gram is in it only if a sequence of another part has it too, so the truth of a training
    sequence alone does not count as seen. `part` (W,): the part of each sequence, 0 or more.

    Examples
    --------
    >>> table = seen_in_other_parts([0, 1, 1, 0, 1], [0, 3, 5], [0, 1], 2)
    >>> [count_unseen(table, np.array(word), 2, 2) for word in ([0, 1], [1, 1])]
    [0, 1]
    """
    labels = checks.states("labels", labels, len(labels), n_states)
    starts = checks.offsets("starts", starts, len(labels))
    part = checks.whole_numbers("part", part, 0, 2**31)
    if len(part) != len(starts) - 1:
        raise ShapeError(f"part has shape {part.shape}; starts needs {(len(starts) - 1,)}")
    grams, lengths = [], np.diff(starts)
    for p in np.unique(part):
        in_part = np.repeat(part == p, lengths)
        bounds = np.concatenate([[0], np.cumsum(lengths[part == p])])
        grams.append(_codes(labels[in_part], bounds, n_states, longest))
    codes, times = np.unique(np.concatenate(grams or [np.zeros(0, np.int64)]), return_counts=True)
    return _table_of(codes[times > 1])


def _codes(labels: np.ndarray, starts: np.ndarray, n_states: int, longest: int) -> np.ndarray:
    """Codes of all n-grams of 2 to `longest` states, each once."""
    bits = symbol_bits(n_states)
    longest = checks.integer("longest", longest, 2, 62 // bits)
    codes = [np.zeros(0, dtype=np.int64)]
    end = np.repeat(starts[1:], np.diff(starts))
    for n in range(2, longest + 1):
        first = np.flatnonzero(np.arange(len(labels)) + n <= end)
        code = np.zeros(len(first), dtype=np.int64)
        for i in range(n):
            code = (code << bits) + labels[first + i] + 1
        codes.append(np.unique(code))
    return np.concatenate(codes)


def _table_of(keys: np.ndarray) -> np.ndarray:
    table = np.zeros(1 << max(int(np.ceil(np.log2(2 * len(keys) + 2))), 1), dtype=np.int64)
    _insert(table, keys)
    return table


@spliced_kernel
def is_seen(table: np.ndarray, key: int | np.int64) -> bool:
    """Whether the set has the n-gram with this code."""
    slot = slot_of(key, len(table))
    while table[slot] != 0:
        if table[slot] == key:
            return True
        slot = (slot + 1) & (len(table) - 1)
    return False


@spliced_kernel
def code_of(labels: np.ndarray, first: int, n: int, bits: int) -> np.int64:
    """Code of labels[first : first + n]."""
    key = np.int64(0)
    for i in range(first, first + n):
        key = (key << bits) + labels[i] + 1
    return key


@kernel
def count_unseen(table: np.ndarray, labels: np.ndarray, n_states: int, n: int) -> int:
    """Number of n-grams of one labelling that are not in the set."""
    bits, largest = 0, n_states + 1
    while largest > 0:
        bits += 1
        largest >>= 1
    count = 0
    for i in range(len(labels) - n + 1):
        if not is_seen(table, code_of(labels, i, n, bits)):
            count += 1
    return count


@kernel
def _insert(table: np.ndarray, keys: np.ndarray) -> None:
    for key in keys:
        slot = slot_of(key, len(table))
        while table[slot] != 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = key
