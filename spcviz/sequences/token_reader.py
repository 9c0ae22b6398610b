"""Read plain tokens in one call: Python serialises them to bytes, and a kernel finds their features there.

`marshal` walks lists, dicts and texts once, without a Python loop, and accepts only Python's built-in types;
it writes a letter for the type of each object, and the length of each text. Anything that is not plain (a
list of texts as a value, a large integer, a user-defined type) stops the reader and is left to
`spcviz.sequences.tokens`, which reports what is wrong with it, if anything.
"""

import os
import threading
from collections.abc import Sequence
from itertools import islice
from marshal import dumps
from typing import Any, NamedTuple, cast

import numpy as np

from spcviz.engine.kernels.jit import bare_kernel, spliced_kernel
from spcviz.engine.kernels.text_table import UNIT, add_text, find_records, index_records, int_at, record_of
from spcviz.sequences.feature_names import MAX_VALUE, split_name

TOGETHER = 32
"""Sequences per call: their bytes stay in the processor's cache until they are read."""

ONES, VALUES, SHARED, ODD = 0, 1, 2, 3
"""Kinds of tokens: all values 1; with other values; with a list that occurs twice; not plain."""

_LIST, _TUPLE, _SMALL_TUPLE, _DICT, _END, _AGAIN = (ord(letter) for letter in "[(){0r")
_TEXT, _INTERNED, _ASCII, _ASCII_INTERNED, _SHORT, _SHORT_INTERNED = (ord(letter) for letter in "utaAzZ")
_TRUE, _FALSE, _INT, _FLOAT = (ord(letter) for letter in "TFig")
_LETTER = 127
"""The bits of a letter; the eighth marks an object that may be referenced again, by its index."""

_QUICK, _WHOLE = 4, 2
"""Formats of `marshal`: the first writes an object that occurs twice once, the second twice."""

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
    """Whether this Python's `marshal` writes a format as it is read here: versions may change it."""
    written = dumps(_SAMPLE, form), _WRITTEN[form]
    return len(written[0]) == len(written[1]) and all(a in (b, b | 128) for a, b in zip(*written))


_FORMS = tuple(form for form in (_QUICK, _WHOLE) if _is_written(form))
_ALL, _SEQUENCE, _TOKEN, _VALUE = 0, 1, 2, 3
"""The reader's state: before the outer list, in a sequence or between two, in a token, before a value."""

_MOST = 2**31 - 1  # bytes: places have 32 bits
_NOTHING = np.empty(0)
_SECRET = np.uint64(int.from_bytes(os.urandom(8), "little") | 1)


class Numbered(NamedTuple):
    """Features of tokens: how many each has (N,), their numbers (-1: unknown), values (None: all 1)."""

    counts: np.ndarray
    index: np.ndarray  # type: ignore[assignment]  # the method tuple.index is not used here
    values: np.ndarray | None


Int = Any
"""A whole number: Python's where it is written, 64 bits in kernels."""


class _Table(NamedTuple):
    """Feature names for `find_records`: records, followed by `UNIT` bytes, and slots."""

    records: np.ndarray
    slots: np.ndarray


class TokenReader:
    """Find a vocabulary's features in plain tokens, including features added to it later.

    >>> reader = TokenReader({"word=The": 0, "is_title": 1})
    >>> lengths, tokens = reader.read([[{"word": "The", "is_title": True}, ["is_title", "never"]], []])
    >>> lengths.tolist(), tokens.counts.tolist(), tokens.index.tolist(), tokens.values
    ([2, 0], [2, 2], [0, 1, 1, -1], None)
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary, self._n_read, self._n = vocabulary, 0, 0
        self._table = _Table(np.frombuffer(bytes(UNIT), np.uint8), np.zeros(16, np.int64))
        self._reading = threading.Lock()  # two threads may read with a new vocabulary at once

    def read(self, items: Sequence[Any], *, has_values: bool = True) -> tuple[np.ndarray, Numbered] | None:
        """(lengths, features) of sequences of plain tokens; None if anything in them is not plain.

        Without `has_values`, only the values 0 and 1 are plain.
        """
        if self._n_read != len(self._vocabulary):
            with self._reading:
                self._catch_up()
        for form in _FORMS:
            try:
                n_items, data = len(items), np.frombuffer(dumps(cast(Any, items), form), np.uint8)
            except (ValueError, TypeError):
                return None
            if len(data) > _MOST:
                return None
            most, eight = len(data) // 2, np.empty(8, np.uint8)
            lengths, counts = np.empty(n_items, np.int64), np.empty(most, np.int64)
            places, totals = np.empty((most, 4), np.int32), np.empty(most, np.uint64)
            values = np.empty(most) if has_values else _NOTHING
            n_tokens, n, kind = read_tokens(
                data,
                _SECRET,
                np.empty(most, np.int32),
                (eight, eight.view(np.float64)),
                lengths,
                counts,
                places,
                totals,
                values,
            )
            if kind != SHARED:
                break
        else:
            return None
        if kind == ODD:
            return None
        index, table = np.empty(n, np.int32), self._table
        find_records(data, places, totals, table.records, table.slots, index)
        return lengths, Numbered(counts[:n_tokens], index, values[:n] if kind == VALUES else None)

    def read_all(self, items: Sequence[Any]) -> tuple[np.ndarray, Numbered] | None:
        """`read` of many sequences, `TOGETHER` at a time."""
        if len(items) <= TOGETHER:
            return self.read(items)
        parts: list[tuple[np.ndarray, Numbered]] = []
        for first in range(0, len(items), TOGETHER):
            part = self.read(items[first : first + TOGETHER])
            if part is None:
                return None
            size, tokens = part
            parts.append((size, tokens._replace(counts=tokens.counts.copy())))  # or the buffer stays alive
        lengths, numbered = zip(*parts)
        return np.concatenate(lengths), _join_parts(numbered)

    def _catch_up(self) -> None:
        """Add the vocabulary's new features; tables that another thread is using stay unchanged."""
        names = list(islice(self._vocabulary, self._n_read, None))
        numbers = list(islice(self._vocabulary.values(), self._n_read, None))
        new = [record_of(number, _utf8(name)) for name, number in zip(names, numbers)]
        split = [(*split_name(name), number) for name, number in zip(names, numbers) if "=" in name]
        new += [
            record_of(number, _utf8(key), _utf8(value)) for key, is_pair, value, number in split if is_pair
        ]
        old, last = self._table, len(self._table.records) - UNIT
        records = np.frombuffer(old.records[:last].tobytes() + b"".join(new) + bytes(UNIT), np.uint8)
        self._n += len(new)
        slots = old.slots.copy()
        if 2 * self._n > len(slots):
            slots, last = np.zeros(1 << (3 * self._n).bit_length(), np.int64), 0
        index_records(records, last, len(records) - UNIT, slots, _SECRET)
        self._table, self._n_read = _Table(records, slots), self._n_read + len(names)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # as `marshal` does


def _join_parts(parts: Sequence[Numbered]) -> Numbered:
    values = None
    if any(part.values is not None for part in parts):
        values = np.concatenate([np.ones(len(p.index)) if p.values is None else p.values for p in parts])
    counts, index = (np.concatenate([part[k] for part in parts]) for k in range(2))
    return Numbered(counts, index, values)


@spliced_kernel
def _begin_text(data: np.ndarray, letter: Int, at: Int) -> tuple[Int, Int]:
    """(where a text's bytes begin, their number); -1 if it is no text."""
    first, length = at + 5, np.int64(-1)
    if letter in (_SHORT, _SHORT_INTERNED):
        first, length = at + 2, np.int64(data[at + 1])
    elif letter in (_TEXT, _INTERNED, _ASCII, _ASCII_INTERNED):
        length = np.int64(int_at(data, at + 1))
    return first, length


@bare_kernel
def read_tokens(
    data: np.ndarray,
    secret: np.uint64,
    shared: np.ndarray,
    eight: tuple[np.ndarray, np.ndarray],
    lengths: np.ndarray,
    counts: np.ndarray,
    places: np.ndarray,
    totals: np.ndarray,
    values: np.ndarray,
) -> tuple[Int, Int, Int]:
    """(tokens, features, one of `ONES`, `VALUES`, `SHARED`, `ODD`); fills all arrays but data and secret.

    Each iteration of its loop opens one object: the outer list, a sequence, a token, a text or key, a value.

    data (B,) uint8: a list or tuple of W sequences as `marshal` writes it
    shared (B // 2,) int32: starts of objects that may be referenced again; eight: a float as bytes and number
    lengths (W,), counts (B // 2,): tokens of each sequence, features of each token
    places, totals : of each feature, (B // 2, 4) and (B // 2,), as `find_records` expects them
    values (B // 2,): of each feature; (0,) if values other than 0 and 1 count as `ODD`
    """
    n_shared, at, w = np.int64(0), np.int64(0), np.int64(-1)
    n_tokens, n, kind = np.int64(0), np.int64(0), np.int64(ONES)
    tokens_left, texts_left, n_before = np.int64(0), np.int64(0), np.int64(0)
    is_dict, first, n_first, total, where = False, np.int64(0), np.int64(0), secret, _ALL
    while True:
        if where == _TOKEN and ((is_dict and data[at] == _END) or (not is_dict and texts_left == 0)):
            at += 1 if is_dict else 0
            counts[n_tokens] = n - n_before
            n_tokens += 1
            tokens_left -= 1
            where = _SEQUENCE
        if where == _SEQUENCE and tokens_left == 0:
            w += 1
            if w == len(lengths):
                return n_tokens, n, kind
        letter, place, after = np.int64(data[at] & _LETTER), at, np.int64(0)
        if data[at] > _LETTER:
            shared[n_shared] = at
            n_shared += 1
        if letter == _AGAIN:
            after, place = at + 5, np.int64(shared[int_at(data, at + 1)])
            letter = np.int64(data[place] & _LETTER)
        if where < _TOKEN:
            length = np.int64(-1)
            if letter in (_LIST, _TUPLE):
                length, at = np.int64(int_at(data, place + 1)), place + 5
            elif letter == _SMALL_TUPLE:
                length, at = np.int64(data[place + 1]), place + 2
            elif letter == _DICT and where == _SEQUENCE and tokens_left:
                at = place + 1
            else:
                return n_tokens, n, np.int64(ODD)
            if after:  # scan the rest first: in the format without references, data may not be finite
                kind, at = np.int64(SHARED), after
                tokens_left -= 1 if tokens_left else 0
                continue
            if where == _ALL:
                if length != len(lengths):
                    return n_tokens, n, np.int64(ODD)
                where = _SEQUENCE
            elif tokens_left:
                is_dict, texts_left, n_before, where = letter == _DICT, length, n, _TOKEN
            else:
                lengths[w] = tokens_left = length
            continue
        begin, size = _begin_text(data, letter, place)
        if where == _TOKEN:
            if size < 0:
                return n_tokens, n, np.int64(ODD)
            first, n_first, total = begin, size, add_text(secret, data, begin, size, secret)
            at = after if after else begin + size
            texts_left -= 1
            if is_dict:
                where = _VALUE
                continue
            begin, size, value = np.int64(0), np.int64(-1), 1.0
        else:
            value, end = 1.0, place + 1
            if size >= 0:
                total, end = add_text(total, data, begin, size, secret), begin + size
            elif letter == _FALSE:
                value = 0.0
            elif letter == _INT:
                value, end = float(int_at(data, place + 1)), place + 5
            elif letter == _FLOAT:
                for i in range(8):
                    eight[0][i] = data[place + 1 + i]
                value, end = eight[1][0], place + 9
            elif letter != _TRUE:
                return n_tokens, n, np.int64(ODD)
            is_whole = value == 0.0 or value == 1.0
            if not (abs(value) <= MAX_VALUE and (is_whole or len(values) > 0)):
                return n_tokens, n, np.int64(ODD)
            if not is_whole and kind != SHARED:
                kind = np.int64(VALUES)
            at, where = after if after else end, _TOKEN
        places[n, 0], places[n, 1], places[n, 2], places[n, 3] = first, n_first, begin, size
        totals[n] = total if value != 0.0 else np.uint64(0)
        if len(values) > 0:
            values[n] = value
        n += 1
