"""Hash table in kernels from texts, or pairs of texts, to numbers: open addressing, compared byte by byte.

A record holds a number and the bytes that it belongs to; all records lie in one array. A slot holds the
position of a record and half of its hash, so that a missing text is mostly recognised without reading a
record. Hashes begin with a secret of the process: nobody can craft texts that share their slots.

Legend: S slots, a power of two greater than the number of records; 0 marks a free slot.
"""

import struct

import numpy as np

from spcviz.engine.kernels.jit import bare_kernel, spliced_kernel

HEAD = 12
"""Bytes of a record before its texts: a number, and the lengths of both; -1 for a missing second text."""

UNIT = 4
"""Records begin at multiples of this many bytes: slots hold 32 bits for the position."""

NOT_THERE = -1
_HEAD = struct.Struct("<iii")
_LOW = np.int64(0xFFFFFFFF)


@spliced_kernel
def int_at(data: np.ndarray, at: int | np.integer) -> np.int32:
    """The signed 32-bit number that begins at a byte, lowest byte first."""
    low = np.uint32(data[at]) | np.uint32(data[at + 1]) << np.uint32(8)
    return np.int32(low | np.uint32(data[at + 2]) << np.uint32(16) | np.uint32(data[at + 3]) << np.uint32(24))


@spliced_kernel
def add_text(
    total: np.uint64, data: np.ndarray, at: int | np.integer, length: int | np.integer, secret: np.uint64
) -> np.uint64:
    """A hash continued over some bytes; it begins with `secret`, which is odd."""
    for i in range(at, at + length):
        total = (total + np.uint64(data[i]) + np.uint64(1)) * secret
        total ^= total >> np.uint64(32)
    return (total ^ np.uint64(length)) * secret  # "a", "bc" and "ab", "c" are two pairs


@spliced_kernel
def _slot_of(total: np.uint64, slots: np.ndarray) -> np.integer:
    return np.int64((total ^ (total >> np.uint64(29))) & np.uint64(len(slots) - 1))


@spliced_kernel
def _is_half(entry: np.int64, total: np.uint64) -> bool:
    """Whether a slot may belong to a hash: their halves agree."""
    return (entry ^ np.int64(total)) >> 32 == 0


@spliced_kernel
def _half_of(total: np.uint64) -> np.integer:
    """The bits of a hash that its slot holds."""
    return np.int64(total >> np.uint64(32)) << 32


@spliced_kernel
def _is_same(one: np.ndarray, a: int, other: np.ndarray, b: int, length: int) -> bool:
    i = 0
    while i < length and one[a + i] == other[b + i]:
        i += 1
    return i == length


def record_of(number: int, first: bytes, second: bytes | None = None) -> bytes:
    """A record's bytes.

    >>> record_of(7, b"word", b"The").hex(" ", 4)
    '07000000 04000000 03000000 776f7264 54686500'
    """
    length = len(first) + len(second or b"")
    head = _HEAD.pack(number, len(first), -1 if second is None else len(second))
    return head + first + (second or b"") + bytes(-length % UNIT)


@bare_kernel
def index_records(records: np.ndarray, first: int, last: int, slots: np.ndarray, secret: np.uint64) -> None:
    """Enter the records from byte `first` up to `last` into slots (S,) int64."""
    at: int | np.integer = first
    while at < last:
        length, more = int_at(records, at + 4), int_at(records, at + 8)
        total = add_text(secret, records, at + HEAD, length, secret)
        if more >= 0:
            total = add_text(total, records, at + HEAD + length, more, secret)
            length += more
        slot = _slot_of(total, slots)
        while slots[slot] != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = _half_of(total) | (at // UNIT + 1)
        at += (HEAD + length + UNIT - 1) // UNIT * UNIT


@bare_kernel
def find_records(
    data: np.ndarray,
    places: np.ndarray,
    totals: np.ndarray,
    records: np.ndarray,
    slots: np.ndarray,
    found: np.ndarray,
) -> None:
    """Fill found (n,) int32 with the numbers of texts, or `NOT_THERE`.

    Slots and records are fetched in separate loops: a processor waits for many at once if nothing depends on
    what it fetches.

    data (B,) uint8; places (n, 4) int32: start and length of two texts in it, -1 for a missing one; totals
    (n,) uint64: their hashes, 0 for a text that is not to be found
    """
    n, touched = len(found), np.uint8(0)
    for i in range(n):
        entry = slots[_slot_of(totals[i], slots)]
        # A text marked `NOT_THERE` here may merely share its slot; it is still searched for below.
        found[i] = entry & _LOW if entry == 0 or _is_half(entry, totals[i]) else NOT_THERE
    for i in range(n):
        if found[i] > 0:
            touched ^= records[(np.int64(found[i]) - 1) * UNIT]
    for i in range(n):
        slot, number = _slot_of(totals[i], slots), np.int32(NOT_THERE)
        while found[i] != 0 and totals[i] != 0 and slots[slot] != 0:
            begin = ((slots[slot] & _LOW) - 1) * UNIT
            if _is_half(slots[slot], totals[i]) and _is_record(records, begin, data, places[i]):
                number = int_at(records, begin)
                break
            slot = (slot + 1) & (len(slots) - 1)
        found[i] = number
    if n and touched == 77 and totals[0] == 0:
        found[0] = NOT_THERE  # true anyway; without a use of `touched` the fetching loop is optimised away


@spliced_kernel
def _is_record(records: np.ndarray, at: int, data: np.ndarray, place: np.ndarray) -> bool:
    first, n_first, second, n_second = place
    return (
        int_at(records, at + 4) == n_first
        and int_at(records, at + 8) == n_second
        and _is_same(records, at + HEAD, data, first, n_first)
        and (n_second < 0 or _is_same(records, at + HEAD + n_first, data, second, n_second))
    )
