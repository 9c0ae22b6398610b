"""Find features by the hashes that Python has of a token's keys and values, hundreds in one call.

A dict of dicts is asked pair by pair, and each answer waits for three places of memory. Hashes go into one
array, and a table of hashes answers for all at once in half the time; no text is put together, and a feature
that training has not seen costs what any other does.
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, filterfalse, islice

import numpy as np

from spcviz.engine.kernels.hash_table import FREE, find_pairs, insert_pairs
from spcviz.sequences.feature_names import split_name

_TRUE, _FALSE = 1, 2
"""Seconds of a pair: of ``key: True`` and of a text by itself, which is the hash of True; of False, whose own
hash is that of ""."""

_PLAIN = {str, bool, int, float}

MOST_SHAPES = 256
"""Sets of keys whose hashes are kept; where tokens have more, each key is asked for its own."""


class Hashed:
    """The features of a vocabulary by pairs of hashes; what is added to the vocabulary is read when asked.

    >>> hashed = Hashed({"word=The": 0, "is_title": 1})
    >>> hashed.of_dicts([{"word": "The", "is_title": True}, {"word": "never", "is_title": False}]).tolist()
    [0, 1, -1, -1]
    >>> hashed.of_texts(["is_title", "word=The", "never"]).tolist()
    [1, 0, -1]
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary, self._n_read, self._n = vocabulary, 0, 0
        self._has_empty, self._is_sound = False, True
        self._sums, self._numbers = np.zeros(16, np.uint64), np.full(16, FREE, np.int32)
        self._shapes: dict[tuple[str, ...], bytes] = {}
        self._has_shapes = True
        self._reading = threading.Lock()  # two threads may ask a new vocabulary at once

    def of_dicts(self, dicts: Sequence[dict]) -> np.ndarray | None:
        """The number of each pair of each token, (n,) int32; -1 of what is none of training.

        None where a pair has to be looked at by itself, for its value or for what is wrong with it.
        """
        values = list(chain.from_iterable(map(dict.values, dicts)))
        kinds = set(map(type, values))
        # Numbers hash as what they equal, and large ones as small ones.
        if not (kinds <= {str, bool} or (kinds <= _PLAIN and set(filterfalse(_is_text, values)) <= {0, 1})):
            return None
        firsts = self._of_keys(dicts)
        if firsts is None:
            return None
        self._catch_up()
        if kinds == {bool} and False not in values:
            seconds = np.full(len(values), _TRUE)
        else:
            seconds = np.fromiter(map(hash, values), np.int64, len(values))
        if self._has_empty:
            places = np.flatnonzero(seconds == 0)
            seconds[[i for i in places.tolist() if values[i] != ""]] = _FALSE
        return self._find(firsts, seconds)

    def _of_keys(self, dicts: Sequence[dict]) -> np.ndarray | None:
        """Hashes of all keys; None if one is no text. Most extractors give their tokens few sets of keys."""
        if self._has_shapes:
            with suppress(KeyError):
                known = list(map(self._shapes.__getitem__, map(tuple, dicts)))
                return np.frombuffer(bytearray().join(known), np.int64)
        keys = list(chain.from_iterable(dicts))
        if not set(map(type, keys)) <= {str}:
            return None
        if self._has_shapes:
            for shape in set(map(tuple, dicts)) - self._shapes.keys():
                self._shapes[shape] = np.fromiter(map(hash, shape), np.int64, len(shape)).tobytes()
            self._has_shapes = len(self._shapes) <= MOST_SHAPES
        return np.fromiter(map(hash, keys), np.int64, len(keys))

    def of_texts(self, texts: Sequence) -> np.ndarray | None:
        """The number of each text of a list; None if there is something else among them."""
        if not (kinds := set(map(type, texts))) <= {str}:
            if not all(issubclass(kind, str) for kind in kinds):
                return None
            texts = list(map(str.__str__, texts))  # numpy's, say; an enumeration's hash is not its text's
        self._catch_up()
        return self._find(np.fromiter(map(hash, texts), np.int64, len(texts)), np.full(len(texts), _TRUE))

    def _find(self, firsts: np.ndarray, seconds: np.ndarray) -> np.ndarray | None:
        found = np.empty(len(firsts), np.int32)
        find_pairs(self._sums, self._numbers, firsts, seconds, found)
        return found if self._is_sound else None

    def _catch_up(self) -> None:
        if self._n_read != len(self._vocabulary):
            with self._reading:
                self._read_on()

    def _read_on(self) -> None:
        vocabulary = self._vocabulary
        names = list(islice(vocabulary, self._n_read, None))
        numbers = list(islice(vocabulary.values(), self._n_read, None))
        split = [(*split_name(name), n) for name, n in zip(names, numbers) if "=" in name]
        pairs = [(hash(key), hash(value), n) for key, separator, value, n in split if separator]
        self._has_empty = self._has_empty or any(separator and not value for _, separator, value, _ in split)
        flags = [(hash(name), _TRUE, n) for name, n in zip(names, numbers)]
        self._enter(np.array(pairs + flags, dtype=np.int64).reshape(-1, 3))
        self._n_read = len(vocabulary)

    def _enter(self, entries: np.ndarray) -> None:
        self._n += len(entries)
        if 2 * self._n > len(self._sums):
            self._widen(4 * self._n)
        firsts, seconds, numbers = np.ascontiguousarray(entries.T)
        args = self._sums, self._numbers, firsts, seconds, numbers.astype(np.int32)
        self._is_sound = insert_pairs(*args) and self._is_sound

    def _widen(self, n_slots: int) -> None:
        """Room for more: what is there is entered anew, a sum being a pair whose second hash is 0."""
        sums, numbers = self._sums, self._numbers
        n_slots, known = 1 << (n_slots - 1).bit_length(), numbers != FREE
        self._sums, self._numbers = np.zeros(n_slots, np.uint64), np.full(n_slots, FREE, np.int32)
        firsts = sums[known].view(np.int64)
        insert_pairs(self._sums, self._numbers, firsts, np.zeros_like(firsts), numbers[known])


def _is_text(value: object) -> bool:
    return type(value) is str
