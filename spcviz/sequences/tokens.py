r"""Named features of tokens as numbers: what dicts, lists, sets and bytes mean.

A dict's pair ``(key, value)`` stands for

- ``key=value``, if the value is a text, or one for each text of a list or set;
- ``key`` with a value, if it is a number; ``True`` is 1, and what is 0 or ``False`` is not there;
- what the inner pairs stand for, behind ``key\:``, if it is a dict; a vector is the dict of its
  places.

``=`` and ``\`` in the key of a text are written ``\=`` and ``\\``, so that ``{"a=b": "c"}`` and
``{"a": "b=c"}`` stay two features. ``{"a=b": True}`` is the text ``a=b`` of a list, and so is ``{"a": "b"}``.
Bytes are UTF-8. A `Vocabulary` has its features by key and value, too: a dict is looked up key by key, and no
text is put together, be the value known or not.
"""

import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, islice, repeat
from numbers import Real
from typing import Any, NamedTuple, NoReturn

import numpy as np

from spcviz.engine.errors import ArgumentError, ScoreError
from spcviz.sequences.labels import place

MAX_VALUE = 1e30
"""Of a feature: squares and sums of what is larger overflow, and then no labelling has a finite score."""
_MOST_NESTED = 20
UNKNOWN, _NEW = -1, -2
"""What is no feature of training; what a `Pairs` does not say of a pair, which has to be looked at."""
_KINDS = "a string, a number, a boolean or a list of strings"


class Vocabulary(dict[str, int]):
    """Numbers of named features, 0 .. F - 1, in the order in which training saw them."""

    _pairs: "Pairs | None" = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (dict(self),)

    @property
    def pairs(self) -> "Pairs":
        """The same by key and value."""
        if self._pairs is None:
            self._pairs = Pairs(self)
        return self._pairs.caught_up()


class _Values(dict[Any, int]):
    """Numbers of a key's features by value; asked with brackets it numbers what is new."""

    def __init__(self, key: str, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self.key, self.vocabulary = key, vocabulary

    def __missing__(self, value: Any) -> int:
        numbers = self.vocabulary
        if type(value) is str:
            code = numbers.setdefault(f"{_escaped(self.key)}={value}", len(numbers))
        elif value is True:
            code = numbers.setdefault(self.key, len(numbers))
        else:
            for name, _ in entries_of(self.key, value):
                numbers.setdefault(name, len(numbers))
            return _NEW  # its value counts, or there are several
        self[value] = code
        return code


class Pairs(dict[str, dict[Any, int]]):
    r"""A vocabulary by key and value: what a pair of a dict stands for, where that is one feature of value 1.

    >>> pairs = Vocabulary({"word=The": 0, "is_title": 1, r"a\=b=c": 2}).pairs
    >>> pairs["word"]["The"], pairs["is_title"][True], pairs["a=b"]["c"], pairs["never"].get("The", -2)
    (0, 1, 2, -2)
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self.vocabulary, self.n_read, self.grows = vocabulary, 0, False
        self._nothing: dict[Any, int] = {}

    def caught_up(self) -> "Pairs":
        """With the features that the vocabulary has been given since."""
        if self.n_read == len(self.vocabulary):
            return self
        for name, number in islice(self.vocabulary.items(), self.n_read, None):
            key, separator, value = _parted(name)
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


def _parted(name: str) -> tuple[str, str, str]:
    r"""Key, "=" and value of a feature that a text in a dict stands for; without "=" if it is none such.

    >>> _parted("word=a=b"), _parted(r"a\=b=c"), _parted(r"in\:word=a"), _parted("title")
    (('word', '=', 'a=b'), ('a=b', '=', 'c'), ('', '', ''), ('', '', ''))
    """
    key, separator, value = name.partition("=")
    if "\\" in key:
        key, i = "", 0
        while i < len(name) and name[i] != "=":
            if name[i] == "\\":
                i += 1
                if name[i : i + 1] not in ("=", "\\"):
                    return "", "", ""
            key += name[i]
            i += 1
        separator, value = name[i : i + 1], name[i + 1 :]
    return (key, separator, value) if separator else ("", "", "")


def key_of(name: str) -> str:
    r"""The key of a dict that a feature is of; of a text that no dict stands for, as in a list, all of it.

    >>> key_of("word=a=b"), key_of(r"a\=b=c"), key_of(r"in\:word=a"), key_of("title")
    ('word', 'a=b', 'in', 'title')
    """
    if "\\" not in name:
        return name.partition("=")[0] if "=" in name else name
    key, i = "", 0
    while i < len(name) and name[i] != "=":
        if name[i] == "\\" and name[i + 1 : i + 2] == ":":
            break
        if name[i] == "\\" and name[i + 1 : i + 2] in ("=", "\\") and i + 1 < len(name):
            i += 1
        key += name[i]
        i += 1
    return key


def key_of_pair(name: Any, value: Any) -> str | None:
    r"""`key_of` all features that a pair of a dict stands for; None where it cannot stand for any.

    >>> key_of_pair("a=b", "c"), key_of_pair("a=b", True), key_of_pair("a", ["b", "c"]), key_of_pair(3, "a")
    ('a=b', 'a', 'a', None)
    """
    try:
        key = _text(name)
    except UnicodeDecodeError:
        return None
    if key is None or ("=" not in key and "\\" not in key):
        return key
    if isinstance(value, list | tuple | np.ndarray | Set):
        is_text = all(isinstance(item, str | bytes) for item in value)
    else:
        is_text = isinstance(value, str | bytes | bytearray)
    return key if is_text else key_of(key)


class Numbered(NamedTuple):
    """Features of tokens: how many each has (N,), their numbers (-1: unknown), values (None: all 1)."""

    counts: np.ndarray
    index: np.ndarray
    values: np.ndarray | None


class _Unfit(Exception):
    """What a pair holds that no feature is."""


def numbered_pairs(tokens: Sequence, vocabulary: dict[str, int], grow: bool, lengths: np.ndarray) -> Numbered:
    """Tokens with dicts, sets or bytes among them; `lengths` are of their sequences, for errors."""
    dicts = (
        tokens if set(map(type, tokens)) == {dict} else [_dict(t, n, lengths) for n, t in enumerate(tokens)]
    )
    counts = np.fromiter(map(len, dicts), np.int64, len(dicts))
    pairs = vocabulary.pairs if isinstance(vocabulary, Vocabulary) else Pairs(vocabulary).caught_up()
    try:
        index, odd = _grown_codes(dicts, counts, pairs) if grow else _codes(dicts, counts, pairs)
    except (_Unfit, UnicodeDecodeError):
        _refuse(dicts, lengths)
    return _spread(counts, index, odd) if odd else Numbered(counts, index, None)


Odd = list[list[tuple[int, float]]]
"""What pairs stand for that are not one feature of value 1: numbers and values."""


def known_codes(dicts: Sequence[dict], pairs: Pairs) -> np.ndarray | None:
    """The number of each pair of each token, int32; negative where it is none of training.

    None where a pair has to be looked at by itself, for its value or for what is wrong with it. No pair is
    made into an object: hundreds of thousands would set off Python's search for cycles again and again.
    """
    values = list(chain.from_iterable(map(dict.values, dicts)))
    kinds = set(map(type, values))
    try:
        tables = map(pairs.__getitem__, chain.from_iterable(dicts))
        codes = np.fromiter(map(dict.get, tables, values, repeat(_NEW)), np.int32, len(values))
    except TypeError:  # a list has no hash, or a key is no text
        return None
    if not kinds <= {str, bool}:
        new = map(values.__getitem__, np.flatnonzero(codes == _NEW).tolist())
        if not set(map(type, new)) <= {str, bool}:
            return None
    return codes


def _codes(dicts: Sequence[dict], counts: np.ndarray, pairs: Pairs) -> tuple[np.ndarray, Odd]:
    """(the code of each pair of each token, int32; what codes from -3 down stand for)."""
    n = int(counts.sum())
    codes = known_codes(dicts, pairs)
    if codes is not None:
        return codes, []
    odd: Odd = []
    items = chain.from_iterable(map(dict.items, dicts))
    return np.fromiter((_code(pairs, name, value, odd) for name, value in items), np.int32, n), odd


def _code(pairs: Pairs, name: Any, value: Any, odd: Odd) -> int:
    if type(name) is str and type(value) in (str, bool, int, float):
        code = pairs[name].get(value, _NEW)
        if code != _NEW or type(value) is str:
            return code
    return _spelt_out(pairs.vocabulary, name, value, odd)


def _spelt_out(numbers: dict[str, int], name: Any, value: Any, odd: Odd) -> int:
    odd.append([(numbers.get(each, UNKNOWN), amount) for each, amount in entries_of(name, value)])
    return _NEW - len(odd)


def _grown_codes(dicts: Sequence[dict], counts: np.ndarray, pairs: Pairs) -> tuple[np.ndarray, Odd]:
    """`_codes`, where what is new is numbered in the order in which it comes."""
    n, odd, numbers = int(counts.sum()), [], pairs.vocabulary
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
        odd = []
        index = np.fromiter((_code(pairs, name, value, odd) for name, value in items), np.int32, n)
    finally:
        pairs.grows = False
    return index, odd


def _pairs_at(dicts: Sequence[dict], counts: np.ndarray, places: np.ndarray) -> Iterable[tuple[Any, Any]]:
    """The pairs at some places of all tokens' pairs one after the other."""
    ends = np.cumsum(counts)
    owners = np.searchsorted(ends, places, side="right")
    firsts = (ends - counts)[owners]
    owner_before, items = -1, []
    for at, owner, first in zip(places.tolist(), owners.tolist(), firsts.tolist()):
        if owner != owner_before:
            owner_before, items = owner, list(dicts[owner].items())
        yield items[at - first]


def _spread(counts: np.ndarray, index: np.ndarray, odd: Odd) -> Numbered:
    """Features of pairs that stand for none, for several, or for one with a value, in their places."""
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


def entries_of(name: Any, value: Any) -> list[tuple[str, float]]:
    r"""The features that a pair of a dict stands for, with their values.

    >>> entries_of("word", "The"), entries_of("length", 3), entries_of("is_title", False)
    ([('word=The', 1.0)], [('length', 3.0)], [])
    >>> entries_of("suffix", {"long": "ing", "rare": True})
    [('suffix\\:long=ing', 1.0), ('suffix\\:rare', 1.0)]
    """
    return list(_entries("", name, value, 0))


def _entries(outer: str, name: Any, value: Any, depth: int) -> Iterable[tuple[str, float]]:
    key = _text(name)
    if key is None:
        raise _Unfit
    if depth > _MOST_NESTED:
        raise _Unfit
    if (text := _text(value)) is not None:
        yield f"{outer}{_escaped(key)}={text}", 1.0
    elif isinstance(value, bool | np.bool_ | Real):
        if not abs(float(value)) <= MAX_VALUE:
            raise _Unfit
        if value:
            yield f"{outer}{key}", float(value)
    elif isinstance(value, Mapping):
        for inner, content in value.items():
            yield from _entries(f"{outer}{key}\\:", inner, content, depth + 1)
    elif isinstance(value, list | tuple | np.ndarray | Set):
        yield from _entries_of_many(outer, key, value, depth)
    else:
        raise _Unfit


def _entries_of_many(outer: str, key: str, value: Any, depth: int) -> Iterable[tuple[str, float]]:
    """Of a list or set of texts, or of a vector of numbers."""
    listed = _sorted(value) if isinstance(value, Set) else list(value)
    texts = [_text(item) for item in listed]
    if None not in texts:
        yield from ((f"{outer}{_escaped(key)}={text}", 1.0) for text in texts)
    elif not isinstance(value, Set) and all(isinstance(item, Real | np.bool_) for item in listed):
        yield from _entries(outer, key, {str(i): number for i, number in enumerate(listed)}, depth)
    else:
        raise _Unfit


def _escaped(key: str) -> str:
    return key.replace("\\", "\\\\").replace("=", "\\=") if "=" in key or "\\" in key else key


def _text(value: Any) -> str | None:
    """A text, also of bytes; None of anything else."""
    if isinstance(value, str):
        return str(value) if type(value) is not str else value
    return bytes(value).decode() if isinstance(value, bytes | bytearray) else None


def _sorted(names: Iterable) -> list:
    return sorted(names, key=str)  # the same numbers in every run


def _dict(token: Any, n: int, lengths: np.ndarray) -> dict:
    """A token as a dict; that of many names has each as often as it is there."""
    if isinstance(token, dict):
        return token
    if isinstance(token, Mapping):
        return dict(token)
    if isinstance(token, list | tuple | Set) or (isinstance(token, np.ndarray) and token.ndim == 1):
        names = _sorted(token) if isinstance(token, Set) else list(token)
        for f, name in enumerate(names):
            if not isinstance(name, str | bytes):
                raise ArgumentError(f"{place('X', n, lengths)}[{f}] must be a string, got {name!r:.60}")
        times = Counter(names)
        return {name: True if count == 1 else count for name, count in times.items()}
    kind = "a dict or a list of strings"
    raise ArgumentError(f"{place('X', n, lengths)} must be {kind}, got {token!r:.60}")


def _refuse(dicts: Sequence[dict], lengths: np.ndarray) -> NoReturn:
    """Say which pair of which token stands for no feature."""
    for n, token in enumerate(dicts):
        for name, value in token.items():
            try:
                entries_of(name, value)
            except UnicodeDecodeError:
                got = f"{name!r:.60}: {value!r:.60}"
                raise ArgumentError(
                    f"{place('X', n, lengths)} must have UTF-8 for bytes, got {got}"
                ) from None
            except _Unfit:
                _refuse_pair(place("X", n, lengths), name, value)
    raise ArgumentError("X must hold strings or dicts")


def _refuse_pair(where: str, name: Any, value: Any, depth: int = 0) -> NoReturn:
    if depth > _MOST_NESTED:
        raise ArgumentError(f"{where:.60} must have dicts in dicts no deeper than {_MOST_NESTED}") from None
    if not isinstance(name, str | bytes):
        raise ArgumentError(f"{where} must have strings for keys, got {name!r:.60}") from None
    if isinstance(value, Real) and not np.isfinite(float(value)):
        raise ScoreError(f"{where} must have finite values, got {value}") from None
    if isinstance(value, Real):
        raise ScoreError(
            f"{where}[{name!r}] must be from -{MAX_VALUE:g} to {MAX_VALUE:g}, got {value}"
        ) from None
    if isinstance(value, Mapping):
        for inner, content in value.items():
            try:
                entries_of(inner, content)
            except (_Unfit, UnicodeDecodeError):
                _refuse_pair(f"{where}[{name!r:.60}]", inner, content, depth + 1)
        raise ArgumentError(f"{where:.60} must have dicts in dicts no deeper than {_MOST_NESTED}") from None
    if isinstance(value, list | tuple | np.ndarray) and all(isinstance(item, Real) for item in value):
        for i, number in enumerate(value):
            if not abs(float(number)) <= MAX_VALUE:
                _refuse_pair(where, f"{name}\\:{i}", number)
    raise ArgumentError(f"{where}[{name!r}] must be {_KINDS}, got {value!r:.60}") from None
