"""Encode tokens (dicts, lists, sets, bytes) as feature numbers, and keep the vocabulary of features.

`spcviz.sequences.feature_names` defines which feature a dict's pair stands for. A `Vocabulary` also indexes
its features by key and value, so that looking up a pair builds no string, whether the value is known or not.
Plain tokens are read by a kernel (`spcviz.sequences.token_reader`) when no new feature is to be numbered.
"""

import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, islice
from typing import Any, NoReturn

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.sequences.feature_names import UnfitError, entries_of, escape, refuse_pair, sort_names, split_name
from spcviz.sequences.labels import place
from spcviz.sequences.token_reader import Numbered, TokenReader

UNKNOWN, _NEW = -1, -2
"""Codes: a feature not seen in training; a pair that `Pairs` does not cover and that is spelt out."""


class Vocabulary(dict[str, int]):
    """Numbers of named features, 0 .. F - 1, in the order of training."""

    _pairs: "Pairs | None" = None
    _reader: TokenReader | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (dict(self),)

    @property
    def pairs(self) -> "Pairs":
        """This vocabulary indexed by key and value."""
        if self._pairs is None:
            self._pairs = Pairs(self)
        return self._pairs.caught_up()

    @property
    def reader(self) -> TokenReader:
        """The reader that finds the features of plain tokens."""
        if self._reader is None:
            self._reader = TokenReader(self)
        return self._reader


class _Values(dict[Any, int]):
    """Numbers of a key's features by value; a lookup with brackets numbers new values."""

    def __init__(self, key: str, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self.key, self.vocabulary = key, vocabulary

    def __missing__(self, value: Any) -> int:
        numbers = self.vocabulary
        if type(value) is str:
            code = numbers.setdefault(f"{escape(self.key)}={value}", len(numbers))
        elif value is True:
            code = numbers.setdefault(self.key, len(numbers))
        else:
            for name, _ in entries_of(self.key, value):
                numbers.setdefault(name, len(numbers))
            return _NEW  # it has a value of its own, or stands for several features
        self[value] = code
        return code


class Pairs(dict[str, dict[Any, int]]):
    r"""A vocabulary by key and value, for dict pairs that stand for one feature of value 1.

    >>> pairs = Vocabulary({"word=The": 0, "is_title": 1, r"a\=b=c": 2}).pairs
    >>> pairs["word"]["The"], pairs["is_title"][True], pairs["a=b"]["c"], pairs["never"].get("The", -2)
    (0, 1, 2, -2)
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self.vocabulary, self.n_read, self.grows = vocabulary, 0, False
        self._nothing: dict[Any, int] = {}

    def caught_up(self) -> "Pairs":
        """This index, brought up to date with the vocabulary."""
        if self.n_read == len(self.vocabulary):
            return self
        for name, number in islice(self.vocabulary.items(), self.n_read, None):
            key, separator, value = split_name(name)
            if separator:
                self._of(key)[value] = number
            if name in self:
                self[name][True] = number
        self.n_read = len(self.vocabulary)
        return self

    def _of(self, key: str) -> dict[Any, int]:
        table = self.get(key)
        if table is None:
            table = _Values(key, self.vocabulary)
            table[False] = UNKNOWN
            if (number := self.vocabulary.get(key)) is not None:
                table[True] = number
            self[key] = table
        return table

    def __missing__(self, key: str) -> dict[Any, int]:
        if type(key) is not str:
            raise TypeError("keys are looked at one by one")
        return self._of(key) if self.grows or key in self.vocabulary else self._nothing


def numbered_pairs(
    tokens: Sequence[Any], vocabulary: dict[str, int], grow: bool, lengths: np.ndarray
) -> Numbered:
    """Number tokens that include dicts, sets or bytes; `lengths` of their sequences are for errors."""
    dicts = (
        tokens if set(map(type, tokens)) == {dict} else [_dict(t, n, lengths) for n, t in enumerate(tokens)]
    )
    counts = np.fromiter(map(len, dicts), np.int64, len(dicts))
    pairs = vocabulary.pairs if isinstance(vocabulary, Vocabulary) else Pairs(vocabulary).caught_up()
    try:
        index, odd = _grown_codes(dicts, counts, pairs) if grow else _codes(dicts, counts, pairs)
    except (UnfitError, UnicodeDecodeError):
        _refuse(dicts, lengths)
    return _spread(counts, index, odd) if odd else Numbered(counts, index, None)


Odd = list[list[tuple[int, float]]]
"""Feature numbers and values of pairs that do not stand for a single feature of value 1."""


def _codes(dicts: Sequence[dict[Any, Any]], counts: np.ndarray, pairs: Pairs) -> tuple[np.ndarray, Odd]:
    """(the code of each pair of each token, int32; the features that codes from -3 down stand for)."""
    odd: Odd = []
    items = chain.from_iterable(map(dict.items, dicts))
    codes = (_code(pairs, name, value, odd) for name, value in items)
    return np.fromiter(codes, np.int32, int(counts.sum())), odd


def _code(pairs: Pairs, name: Any, value: Any, odd: Odd) -> int:
    if type(name) is str and type(value) in (str, bool, int, float):
        code = pairs[name].get(value, _NEW)
        if code != _NEW or type(value) is str:
            return code
    return _spelt_out(pairs.vocabulary, name, value, odd)


def _spelt_out(numbers: dict[str, int], name: Any, value: Any, odd: Odd) -> int:
    odd.append([(numbers.get(each, UNKNOWN), amount) for each, amount in entries_of(name, value)])
    return _NEW - len(odd)


def _grown_codes(dicts: Sequence[dict[Any, Any]], counts: np.ndarray, pairs: Pairs) -> tuple[np.ndarray, Odd]:
    """`_codes`, numbering new features in order of appearance."""
    n, numbers = int(counts.sum()), pairs.vocabulary
    odd: Odd = []
    pairs.grows = True
    try:
        tables = map(pairs.__getitem__, chain.from_iterable(dicts))
        values = chain.from_iterable(map(dict.values, dicts))
        index = np.fromiter(map(operator.getitem, tables, values), np.int32, n)
        places = np.flatnonzero(index == _NEW)
        for at, (name, value) in zip(places.tolist(), _pairs_at(dicts, counts, places)):
            index[at] = _spelt_out(numbers, name, value, odd)
    except TypeError:
        items = list(chain.from_iterable(map(dict.items, dicts)))
        for name, value in items:
            for each, _ in entries_of(name, value):
                numbers.setdefault(each, len(numbers))
        pairs.caught_up()
        odd.clear()
        index = np.fromiter((_code(pairs, name, value, odd) for name, value in items), np.int32, n)
    finally:
        pairs.grows = False
    return index, odd


def _pairs_at(
    dicts: Sequence[dict[Any, Any]], counts: np.ndarray, places: np.ndarray
) -> Iterable[tuple[Any, Any]]:
    """The pairs at some places in the concatenation of all tokens' pairs."""
    ends = np.cumsum(counts)
    owners = np.searchsorted(ends, places, side="right")
    firsts = (ends - counts)[owners]
    owner_before, items = -1, []
    for at, owner, first in zip(places.tolist(), owners.tolist(), firsts.tolist()):
        if owner != owner_before:
            owner_before, items = owner, list(dicts[owner].items())
        yield items[at - first]


def _spread(counts: np.ndarray, index: np.ndarray, odd: Odd) -> Numbered:
    """Insert, in place, the features of pairs that stand for none, for several, or for one with a value."""
    places = np.flatnonzero(index < _NEW)
    entries = [odd[-3 - code] for code in index[places].tolist()]
    sizes = np.ones(len(index), dtype=np.int64)
    sizes[places] = [len(each) for each in entries]
    is_odd = np.repeat(index < _NEW, sizes)
    spread, values = np.repeat(index, sizes), np.ones(int(sizes.sum()))
    inner = list(chain.from_iterable(entries))
    spread[is_odd], values[is_odd] = [n for n, _ in inner], [value for _, value in inner]
    ends = np.concatenate([[0], np.cumsum(sizes)])[np.cumsum(counts)]
    return Numbered(np.diff(ends, prepend=0), spread.astype(np.int32), values)


def _dict(token: Any, n: int, lengths: np.ndarray) -> dict[Any, Any]:
    """A token as a dict; in a list of names, a name that occurs n > 1 times has the value n."""
    if isinstance(token, dict):
        return token
    if isinstance(token, Mapping):
        return dict(token)
    if isinstance(token, list | tuple | Set) or (isinstance(token, np.ndarray) and token.ndim == 1):
        names = sort_names(token) if isinstance(token, Set) else list(token)
        for f, name in enumerate(names):
            if not isinstance(name, str | bytes):
                raise ArgumentError(f"{place('X', n, lengths)}[{f}] must be a string, got {name!r:.60}")
        times = Counter(names)
        return {name: True if count == 1 else count for name, count in times.items()}
    kind = "a dict or a list of strings"
    raise ArgumentError(f"{place('X', n, lengths)} must be {kind}, got {token!r:.60}")


def _refuse(dicts: Sequence[dict[Any, Any]], lengths: np.ndarray) -> NoReturn:
    """Raise the error that names the first pair that stands for no feature, and its token."""
    for n, token in enumerate(dicts):
        for name, value in token.items():
            try:
                entries_of(name, value)
            except UnicodeDecodeError:
                got = f"{name!r:.60}: {value!r:.60}"
                raise ArgumentError(
                    f"{place('X', n, lengths)} must have UTF-8 for bytes, got {got}"
                ) from None
            except UnfitError:
                refuse_pair(place("X", n, lengths), name, value)
    raise ArgumentError("X must hold strings or dicts")
