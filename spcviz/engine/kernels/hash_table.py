"""A table of numbers by pairs of 64-bit hashes, with open addressing: thousands of look-ups in one call.

A hash is an unsigned number drawn as if by chance (Python's of texts are, by a secret of the process). Two
pairs that differ have the same sum of bits with a chance of 1 in 2^64, and the table holds no more than that
sum: of a billion look-ups in a million entries one in ten thousand runs would find what is not there.
"""

import numpy as np

from spcviz.engine.kernels.jit import kernel, spliced_kernel

FREE = -1
"""The number of a slot that holds nothing, and of what is not found."""

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: the same hash twice does not cancel itself out


@spliced_kernel
def _sum_of(first: np.int64, second: np.int64) -> np.uint64:
    return np.uint64(first) ^ (np.uint64(second) * _SPREAD)


@kernel
def insert_pairs(
    sums: np.ndarray, numbers: np.ndarray, firsts: np.ndarray, seconds: np.ndarray, new: np.ndarray
) -> bool:
    """Enter pairs into a table that has more slots than entries; whether the sum of each was new.

    sums (S,) uint64, numbers (S,) int32: the table, `FREE` where there is room; S a power of two
    firsts, seconds : (n,) int64: hashes of the pairs; new (n,) int32: their numbers, from 0 on
    """
    is_new = True
    last = np.uint64(len(sums) - 1)
    for i in range(len(firsts)):
        total = _sum_of(firsts[i], seconds[i])
        slot = total & last
        while numbers[slot] != FREE and sums[slot] != total:
            slot = (slot + np.uint64(1)) & last
        is_new = is_new and numbers[slot] == FREE
        sums[slot], numbers[slot] = total, new[i]
    return is_new


@kernel
def find_pairs(
    sums: np.ndarray, numbers: np.ndarray, firsts: np.ndarray, seconds: np.ndarray, found: np.ndarray
) -> None:
    """Fills found (n,) int32 with numbers of pairs, `FREE` where there is none; rest as `insert_pairs`."""
    last = np.uint64(len(sums) - 1)
    for i in range(len(firsts)):
        total = _sum_of(firsts[i], seconds[i])
        slot = total & last
        while numbers[slot] != FREE and sums[slot] != total:
            slot = (slot + np.uint64(1)) & last
        found[i] = numbers[slot]
