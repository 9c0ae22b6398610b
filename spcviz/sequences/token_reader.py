"""Read plain tokens in one call: Python writes them as bytes, a kernel finds their features there.

`marshal` goes once through lists, dicts and texts, in a tenth of the time of a loop, and takes nothing but
Python's own types; its second format has a letter for each and the length of each text. What is not plain (a
list of texts, a large integer, a type of somebody's own) ends the reading, and is left to
`spcviz.sequences.tokens`, which says what is wrong with it, if anything is.
"""

import marshal
import os
import threading
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import numpy as np

from spcviz.engine.kernels.jit import inlined_kernel, kernel, spliced_kernel
from spcviz.engine.kernels.text_table import (
    HEAD,
    UNIT,
    add_text,
    find_records,
    index_records,
    int_at,
    write_records,
)
from spcviz.sequences.feature_names import MAX_VALUE, split_name

TOGETHER = 32
"""Sequences at a time: what is written of them stays in the processor's cache until it is read."""

ONES, VALUES, SHARED, ODD = 0, 1, 2, 3
"""What tokens are: features that are there; with values; with lists that are there twice; not plain."""

_LIST, _TUPLE, _SMALL_TUPLE, _DICT, _END, _AGAIN = (ord(letter) for letter in "[(){0r")
_TEXT, _INTERNED, _ASCII, _ASCII_INTERNED, _SHORT, _SHORT_INTERNED = (ord(letter) for letter in "utaAzZ")
_TRUE, _FALSE, _INT, _FLOAT = (ord(letter) for letter in "TFig")
_LETTER = 127
"""The bits of a letter; the eighth says that the object may be named again, by its number among such."""

_QUICK, _WHOLE = 4, 2
"""Formats: where an object that is there twice is written once, and where it is written twice."""

_KEY, _OTHER = "".join(["k", "e", "y"]), "".join(["e", "x"])
_SAMPLE = [
    [{_KEY: "é".join(["", "", ""]), _OTHER: True}, [_KEY, "x " * 128]],
    ({_OTHER: -1, _KEY: 0.5, "é" * 3: False},),
]
_WRITTEN = {
    _WHOLE: (
        b"[\2\0\0\0[\2\0\0\0{u\3\0\0\0keyu\4\0\0\0\xc3\xa9\xc3\xa9u\2\0\0\0exT0"
        b"[\2\0\0\0u\3\0\0\0keyu\0\1\0\0" + b"x " * 128 + b"(\1\0\0\0{u\2\0\0\0exi\xff\xff\xff\xff"
        b"u\3\0\0\0keyg\0\0\0\0\0\0\xe0?u\6\0\0\0\xc3\xa9\xc3\xa9\xc3\xa9F0"
    ),
    _QUICK: (
        b"[\2\0\0\0[\2\0\0\0{z\3keyu\4\0\0\0\xc3\xa9\xc3\xa9z\2exT0[\2\0\0\0r\1\0\0\0a\0\1\0\0"
        + b"x " * 128
        + b")\1{r\2\0\0\0i\xff\xff\xff\xffr\1\0\0\0g\0\0\0\0\0\0\xe0?u\6\0\0\0\xc3\xa9\xc3\xa9\xc3\xa9F0"
    ),
}


def _is_written(form: int) -> bool:
    """Whether this Python writes a format as it is read here: its makers may change it."""
    written = marshal.dumps(_SAMPLE, form), _WRITTEN[form]
    return len(written[0]) == len(written[1]) and all(a in (b, b | 128) for a, b in zip(*written))


_FORMS = tuple(form for form in (_QUICK, _WHOLE) if _is_written(form))
_NOTHING = np.empty(0)
_SECRET = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)


class Numbered(NamedTuple):
    """Features of tokens: how many each has (N,), their numbers (-1: unknown), values (None: all 1)."""

    counts: np.ndarray
    index: np.ndarray  # type: ignore[assignment]  # nobody asks a tuple's own index here
    values: np.ndarray | None


Int = Any
"""A whole number: of Python where it is written, of 64 bits in kernels."""


class _Table(NamedTuple):
    """Names of features for `read_tokens`: records, where they end, slots."""

    records: np.ndarray
    end: int
    slots: np.ndarray


class TokenReader:
    """Finds a vocabulary's features in plain tokens; what the vocabulary is given later is found, too.

    >>> reader = TokenReader({"word=The": 0, "is_title": 1})
    >>> lengths, tokens = reader.read([[{"word": "The", "is_title": True}, ["is_title", "never"]], []])
    >>> lengths.tolist(), tokens.counts.tolist(), tokens.index.tolist(), tokens.values
    ([2, 0], [2, 2], [0, 1, 1, -1], None)
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary, self._n_read, self._n = vocabulary, 0, 0
        self._table = _Table(np.zeros(64, np.uint8), 0, np.zeros(16, np.int64))
        self._reading = threading.Lock()  # two threads may ask a new vocabulary at once

    def read(self, items: Sequence, *, has_values: bool = True) -> tuple[np.ndarray, Numbered] | None:
        """(lengths, features) of sequences of plain tokens; None if anything in them is not plain.

        Without `has_values` a value that is not 1 is not plain.
        """
        for form in _FORMS:
            try:
                data = np.frombuffer(marshal.dumps(cast(Any, items), form), np.uint8)
            except (ValueError, TypeError):
                return None
            if self._n_read != len(self._vocabulary):
                with self._reading:
                    self._catch_up()
            most, table = len(data) // 2, self._table
            lengths, counts, index = (
                np.empty(len(items), np.int64),
                np.empty(most, np.int64),
                np.empty(most, np.int32),
            )
            values = np.empty(most) if has_values else _NOTHING
            read = read_tokens(data, table.records, table.slots, _SECRET, lengths, counts, index, values)
            n_tokens, n, kind = read
            if kind != SHARED:
                break
        else:
            return None
        if kind == ODD:
            return None
        return lengths, Numbered(counts[:n_tokens], index[:n], values[:n] if kind == VALUES else None)

    def read_all(self, items: Sequence) -> tuple[np.ndarray, Numbered] | None:
        """`read` of many sequences, `TOGETHER` at a time."""
        if len(items) <= TOGETHER:
            return self.read(items)
        parts: list[tuple[np.ndarray, Numbered]] = []
        for first in range(0, len(items), TOGETHER):
            part = self.read(items[first : first + TOGETHER])
            if part is None:
                return None
            parts.append(part)
        lengths, numbered = zip(*parts)
        return np.concatenate(lengths), _joined(numbered)

    def _catch_up(self) -> None:
        """Read what the vocabulary has been given; tables that a reader holds stay as they are."""
        names = list(islice(self._vocabulary, self._n_read, None))
        numbers = list(islice(self._vocabulary.values(), self._n_read, None))
        whole = [(name, "", number) for name, number in zip(names, numbers)]
        split = [(*split_name(name), number) for name, number in zip(names, numbers) if "=" in name]
        pairs = [(key, value, number) for key, separator, value, number in split if separator]
        texts = [text.encode("utf-8", "surrogatepass") for one in (*whole, *pairs) for text in one[:2]]
        sizes = np.fromiter(map(len, texts), np.int32, len(texts))
        firsts, seconds = sizes[::2].copy(), sizes[1::2].copy()
        seconds[: len(whole)] = -1
        old, last = self._table, self._table.end
        room = last + (HEAD + UNIT) * len(firsts) + int(sizes.sum())
        records = np.zeros(max(room, 64), np.uint8)
        records[:last] = old.records[:last]
        n_numbers = np.array([one[2] for one in chain(whole, pairs)], dtype=np.int32)
        flat = np.frombuffer(b"".join(texts), np.uint8)
        end = write_records(flat, firsts, seconds, n_numbers, records, last)
        self._n += len(firsts)
        slots = old.slots.copy()
        if 2 * self._n > len(slots):
            slots, last = np.zeros(1 << (3 * self._n).bit_length(), np.int64), 0
        index_records(records, last, end, slots, _SECRET)
        self._table, self._n_read = _Table(records, end, slots), self._n_read + len(names)


@inlined_kernel
def _float_at(data: np.ndarray, at: int, eight: np.ndarray) -> float:
    for i in range(8):
        eight[i] = data[at + i]
    return eight.view(np.float64)[0]


def _joined(parts: Sequence[Numbered]) -> Numbered:
    values = None
    if any(part.values is not None for part in parts):
        values = np.concatenate([np.ones(len(p.index)) if p.values is None else p.values for p in parts])
    counts, index = (np.concatenate([part[k] for part in parts]) for k in range(2))
    return Numbered(counts, index, values)


@inlined_kernel
def _open(data: np.ndarray, at: Int, shared: np.ndarray, n_shared: Int) -> tuple[Int, Int, Int, Int]:
    """(letter of the object that begins here, where it is written, what comes after if elsewhere or 0,
    how many objects may be named again)."""
    if data[at] > _LETTER:
        shared[n_shared] = at
        n_shared += 1
    letter, after = np.int64(data[at] & _LETTER), np.int64(0)
    if letter == _AGAIN:
        after, at = at + 5, np.int64(shared[int_at(data, at + 1)])
        letter = np.int64(data[at] & _LETTER)
    return letter, at, after, n_shared


@spliced_kernel
def _begin_text(data: np.ndarray, letter: Int, at: Int) -> tuple[Int, Int]:
    """(where a text's bytes begin, how many they are); -1 if it is no text."""
    if letter in (_SHORT, _SHORT_INTERNED):
        return at + 2, np.int64(data[at + 1])
    if letter in (_TEXT, _INTERNED, _ASCII, _ASCII_INTERNED):
        return at + 5, np.int64(int_at(data, at + 1))
    return at, np.int64(-1)


@inlined_kernel
def _begin_number(data: np.ndarray, letter: Int, at: Int, eight: np.ndarray) -> tuple[float, Int]:
    """(a number, its end); NaN if it is none."""
    if letter in (_TRUE, _FALSE):
        return (1.0 if letter == _TRUE else 0.0), at + 1
    if letter == _INT:
        return float(int_at(data, at + 1)), at + 5
    if letter == _FLOAT:
        for i in range(8):
            eight[i] = data[at + 1 + i]
        return eight.view(np.float64)[0], at + 9
    return np.nan, at


@spliced_kernel
def _begin_list(data: np.ndarray, letter: Int, at: Int) -> tuple[Int, Int]:
    """(length of a list or tuple, where its items begin); -1 if it is none."""
    if letter in (_LIST, _TUPLE):
        return np.int64(int_at(data, at + 1)), at + 5
    if letter == _SMALL_TUPLE:
        return np.int64(data[at + 1]), at + 2
    return np.int64(-1), at


@kernel
def read_tokens(
    data: np.ndarray,
    records: np.ndarray,
    slots: np.ndarray,
    secret: np.uint64,
    lengths: np.ndarray,
    counts: np.ndarray,
    index: np.ndarray,
    values: np.ndarray,
) -> tuple[Int, Int, Int]:
    """(tokens, features, one of `ONES`, `VALUES`, `SHARED`, `ODD`); fills lengths and what `Numbered` has.

    data (B,) uint8: a list or tuple of W sequences as `marshal` writes it; records, slots: of the features'
    names
    counts, index, values (B // 2,): as many as B bytes can hold; without values, (0,), they are `ODD`
    """
    places, totals = np.empty((len(index), 4), np.int32), np.empty(len(index), np.uint64)
    n_tokens, n, kind = _parse(data, secret, lengths, counts, places, totals, values)
    if kind < SHARED:
        find_records(data, places, totals, records, slots, index[:n])
    return n_tokens, n, kind


@kernel
def _parse(
    data: np.ndarray,
    secret: np.uint64,
    lengths: np.ndarray,
    counts: np.ndarray,
    places: np.ndarray,
    totals: np.ndarray,
    values: np.ndarray,
) -> tuple[Int, Int, Int]:
    """What `read_tokens` returns; places and totals of each feature, as `find_records` wants them."""
    n_tokens, n, kind = np.int64(0), np.int64(0), np.int64(ONES)
    shared, n_shared = np.empty(len(data) // 2 + 1, np.int32), np.int64(0)
    eight = np.empty(8, np.uint8)
    letter, at, after, n_shared = _open(data, np.int64(0), shared, n_shared)
    n_sequences, at = _begin_list(data, letter, at)
    if n_sequences != len(lengths):
        return n_tokens, n, np.int64(ODD)
    for w in range(len(lengths)):
        letter, at, after, n_shared = _open(data, at, shared, n_shared)
        lengths[w], at = _begin_list(data, letter, at)
        if lengths[w] < 0 or after:
            return n_tokens, n, np.int64(SHARED if after else ODD)
        for _ in range(lengths[w]):
            before = n
            letter, at, after, n_shared = _open(data, at, shared, n_shared)
            n_texts, at = _begin_list(data, letter, at)
            is_dict = letter == _DICT
            if (n_texts < 0 and not is_dict) or after:
                return n_tokens, n, np.int64(SHARED if after else ODD)
            at += 1 if is_dict else 0
            while data[at] != _END if is_dict else n - before < n_texts:
                letter, place, after, n_shared = _open(data, at, shared, n_shared)
                first, n_first = _begin_text(data, letter, place)
                if n_first < 0:
                    return n_tokens, n, np.int64(ODD)
                at = after if after else first + n_first
                total = add_text(secret, data, first, n_first, secret)
                second, n_second, value = np.int64(0), np.int64(-1), 1.0
                if is_dict:
                    letter, place, after, n_shared = _open(data, at, shared, n_shared)
                    second, n_second = _begin_text(data, letter, place)
                    if n_second >= 0:
                        end = second + n_second
                        total = add_text(total, data, second, n_second, secret)
                    else:
                        value, end = _begin_number(data, letter, place, eight)
                        is_whole = value == 0.0 or value == 1.0
                        if not (abs(value) <= MAX_VALUE and (is_whole or len(values))):
                            return n_tokens, n, np.int64(ODD)
                        if not is_whole:
                            kind = np.int64(VALUES)
                    at = after if after else end
                places[n, 0], places[n, 1], places[n, 2], places[n, 3] = first, n_first, second, n_second
                totals[n] = total if value != 0.0 else np.uint64(0)
                if len(values):
                    values[n] = value
                n += 1
            at += 1 if is_dict else 0
            counts[n_tokens] = n - before
            n_tokens += 1
    return n_tokens, n, kind
