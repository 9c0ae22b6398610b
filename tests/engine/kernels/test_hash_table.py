"""The table of hashes finds what was entered, and nothing else, however full it is."""

import numpy as np
import pytest

from spcviz.engine.kernels.hash_table import FREE, find_pairs, insert_pairs


def empty(n_slots):
    return np.zeros(n_slots, np.uint64), np.full(n_slots, FREE, np.int32)


def found_in(table, firsts, seconds):
    out = np.full(len(firsts), 77, np.int32)
    find_pairs(*table, firsts, seconds, out)
    return out.tolist()


@pytest.mark.parametrize("n", [0, 1, 5, 15, 200])
@pytest.mark.parametrize("spread", ["by chance", "same slots"])
def test_what_was_entered_is_found_with_its_number(n, spread):
    rng = np.random.default_rng(n)
    table = empty(1 << (n + 1).bit_length())
    firsts = rng.integers(-(2**63), 2**63 - 1, 2 * n + 4)
    if spread == "same slots":
        firsts &= ~np.int64(len(table[0]) - 1)  # their lowest bits decide on the slot, seconds being 0
    seconds = rng.integers(-(2**63), 2**63 - 1, len(firsts)) if spread == "by chance" else 0 * firsts
    numbers = rng.permutation(n).astype(np.int32)
    assert insert_pairs(*table, firsts[:n], seconds[:n], numbers)
    assert (table[1] != FREE).sum() == n
    assert found_in(table, firsts, seconds) == [*numbers.tolist(), *[FREE] * (n + 4)]
    assert found_in(table, seconds[:n] + 1, firsts[:n]) == [FREE] * n, "which is first counts"


def test_the_same_pair_twice_is_told_and_the_same_hash_twice_is_a_pair_of_its_own():
    table = empty(8)
    same = np.array([5, 5, 9])
    assert insert_pairs(*table, same, same, np.array([0, 1, 2], np.int32)) is False
    table = empty(8)
    assert insert_pairs(*table, np.array([5, 9, 5]), np.array([5, 9, 9]), np.array([0, 1, 2], np.int32))
    assert found_in(table, np.array([5, 9, 5, 9, 0]), np.array([5, 9, 9, 5, 0])) == [0, 1, 2, FREE, FREE]


def test_zeros_are_hashes_like_others():
    table = empty(4)
    zero = np.zeros(1, np.int64)
    assert found_in(table, zero, zero) == [FREE]
    assert insert_pairs(*table, zero, zero, np.array([3], np.int32))
    assert found_in(table, zero, zero) == [3]
