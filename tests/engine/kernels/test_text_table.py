"""The table of texts finds what was entered, and nothing else, however full it is."""

import numpy as np
import pytest

from spcviz.engine.kernels.text_table import (
    NOT_THERE,
    add_text,
    find_records,
    index_records,
    int_at,
    record_of,
)

SECRET = np.uint64(0x9E3779B97F4A7C15)


def total_of(data, places, secret=SECRET):
    total = secret
    for first, length in (places[:2], places[2:]):
        if length >= 0:
            total = add_text(np.uint64(total), data, int(first), int(length), secret)
    return total


def table_of(pairs, n_slots, secret=SECRET):
    """Records and slots of pairs of texts, whose second may be None; numbered from 100."""
    rows = [
        (k, *(None if text is None else text.encode() for text in pair)) for k, pair in enumerate(pairs, 100)
    ]
    records = np.frombuffer(b"".join(record_of(*row) for row in rows) + b"\0", np.uint8)
    end = len(records) - 1
    slots = np.zeros(n_slots, np.int64)
    index_records(records, 0, end, slots, secret)
    return records, slots


def found_in(table, pairs, secret=SECRET):
    data, places = b"", []
    for first, second in pairs:
        row = []
        for text in (first, second):
            row += [len(data), -1 if text is None else len(text.encode())]
            data += (text or "").encode()
        places.append(row)
    data, places = np.frombuffer(data + b"\0", np.uint8), np.array(places, np.int32).reshape(-1, 4)
    totals = np.array([total_of(data, place, secret) for place in places], np.uint64)
    found = np.full(len(pairs), 7, np.int32)
    find_records(data, places, totals, *table, found)
    return found.tolist()


PAIRS = [
    ("w", "the"),
    ("wt", "he"),
    ("w", None),
    ("", ""),
    ("", None),
    ("wthe", None),
    ("ä", "x" * 300),
    ("the", "w"),
]


@pytest.mark.parametrize("n_slots", [16, 64])
def test_pairs_and_texts_are_told_apart(n_slots):
    table = table_of(PAIRS, n_slots)
    assert found_in(table, PAIRS) == list(range(100, 100 + len(PAIRS)))
    others = [
        ("w", "th"),
        ("wth", "e"),
        ("wthe", ""),
        ("", "wthe"),
        ("the", None),
        ("ä", "x" * 299 + "y"),
        ("a", "b"),
    ]
    assert found_in(table, others) == [NOT_THERE] * len(others)
    assert found_in(table, []) == []


@pytest.mark.parametrize("n", [1, 7, 200])
def test_what_shares_slots_is_found(n):
    """With a secret of 1 many hashes are near each other; the table is as full as it may be."""
    pairs = [(f"{i}", None if i % 3 else f"{i * i}") for i in range(n)]
    for secret in (np.uint64(1), SECRET):
        table = table_of(pairs, 1 << n.bit_length(), secret)
        assert found_in(table, pairs[::-1], secret) == list(range(100, 100 + n))[::-1]
        assert found_in(table, [(f"{i}x", None) for i in range(n)], secret) == [NOT_THERE] * n


def test_one_hash_of_two_texts_is_no_confusion():
    """Records are compared, not hashes: here all slots claim the hash that is looked up."""
    records, slots = table_of([("a", None), ("b", None), ("c", None)], 4)
    data, places = np.frombuffer(b"bx", np.uint8), np.array([[0, 1, 0, -1], [1, 1, 0, -1]], np.int32)
    totals = np.array([total_of(data, place) for place in places], np.uint64)
    units = np.sort(slots[slots != 0] & 0xFFFFFFFF)  # of the three records
    for k, wanted in enumerate((101, NOT_THERE)):
        half = np.int64(totals[k] >> np.uint64(32)) << 32
        slot = int((totals[k] ^ (totals[k] >> np.uint64(29))) & np.uint64(3))
        mine = np.zeros(4, np.int64)
        mine[(slot + np.arange(3)) % 4] = half | units
        found = np.zeros(1, np.int32)
        find_records(data, places[k : k + 1], totals[k : k + 1], records, mine, found)
        assert found[0] == wanted


def test_a_total_of_zero_is_nothing():
    table = table_of([("", None)], 2)
    found = np.zeros(1, np.int32)
    find_records(
        np.zeros(1, np.uint8), np.array([[0, 0, 0, -1]], np.int32), np.zeros(1, np.uint64), *table, found
    )
    assert found.tolist() == [NOT_THERE]


def test_numbers_are_read_with_their_sign():
    for number in (0, 1, -1, 255, 256, -(2**31), 2**31 - 1):
        data = np.frombuffer(b"x" + number.to_bytes(4, "little", signed=True), np.uint8)
        assert int_at(data, 1) == number
