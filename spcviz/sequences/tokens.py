r"""Named features of tokens as numbers: what dicts, lists, sets and bytes mean.

A dict's pair ``(key, value)`` stands for

- ``key=value``, if the value is a text, or one for each text of a list or set;
- ``key`` with a value, if it is a number; ``True`` is 1, and what is 0 or ``False`` is not there;
- what the inner pairs stand for, behind ``key\:``, if it is a dict; a vector is the dict of its
  places.

``=`` and ``\`` in the key of a text are written ``\=`` and ``\\``, so that ``{"a=b": "c"}`` and
``{"a": "b=c"}`` stay two features. ``{"a=b": True}`` is the text ``a=b`` of a list, and so is ``{"a": "b"}``.
Bytes are UTF-8. A `Vocabulary` remembers the pairs it has numbered: most of a dict is then looked up in one
step, and no text is put together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain, repeat
from numbers import Real
from typing import Any, NamedTuple, NoReturn

import numpy as np

from spcviz.engine.errors import ArgumentError, ScoreError
from spcviz.sequences.labels import place

MAX_VALUE = 1e30
"""Of a feature: squares and sums of what is larger overflow, and then no labelling has a finite score."""
_MOST_NESTED = 20
_ROOM = 100_000
"""Pairs that training has not seen and a tagger remembers as such, beside as many as it has features."""
_NEW = -2
"""The code of a pair that is met for the first time."""
_KINDS = "a string, a number, a boolean or a list of strings"


class Vocabulary(dict[str, int]):
    """Numbers of named features, 0 .. F - 1, in the order in which training saw them."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.pairs: dict[tuple[Any, Any], int] = {}  # of dicts; -1 for those that stand for nothing

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (dict(self),)


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
    numbering = _Numbering(vocabulary, grow)
    try:
        index = numbering.codes(dicts, counts)
    except (_Unfit, UnicodeDecodeError):
        _refuse(dicts, lengths)
    return _spread(counts, index, numbering.odd) if numbering.odd else Numbered(counts, index, None)


def _spread(counts: np.ndarray, index: np.ndarray, odd: list[list[tuple[int, float]]]) -> Numbered:
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


class _Numbering(dict[tuple[Any, Any], int]):
    """Numbers of pairs: -1 of those that are not known, -3 - i of those that ``odd[i]`` spells out."""

    def __init__(self, vocabulary: dict[str, int], grow: bool) -> None:
        super().__init__()
        self.vocabulary, self.grow = vocabulary, grow
        self.odd: list[list[tuple[int, float]]] = []
        self.known = vocabulary.pairs if isinstance(vocabulary, Vocabulary) else {}

    def codes(self, dicts: Sequence[dict], counts: np.ndarray) -> np.ndarray:
        """The code of each pair of each token, int32; `counts` says how many each has.

        No pair is kept longer than it takes to look it up: a hundred thousand of them at a time would set off
        Python's search for cycles again and again.
        """
        n, pairs = int(counts.sum()), chain.from_iterable(map(dict.items, dicts))
        try:
            if not self.known:
                index = np.fromiter(map(self.__getitem__, pairs), np.int32, n)
            else:
                index = np.fromiter(map(self.known.get, pairs, repeat(_NEW)), np.int32, n)
                self._number_new(dicts, counts, index)
        except TypeError:  # lists and dicts have no hash
            self.odd.clear()
            pairs = chain.from_iterable(map(dict.items, dicts))
            index = np.fromiter((self[p] if _has_hash(p) else self._spelt_out(p) for p in pairs), np.int32, n)
        self._remember()
        return index

    def _number_new(self, dicts: Sequence[dict], counts: np.ndarray, index: np.ndarray) -> None:
        """Codes of pairs that are met for the first time, in place."""
        new = np.flatnonzero(index == _NEW)
        if not len(new):
            return
        ends = np.cumsum(counts)
        owners = np.searchsorted(ends, new, side="right")
        firsts = (ends - counts)[owners]
        owner_before, pairs = -1, []
        for at, owner, first in zip(new.tolist(), owners.tolist(), firsts.tolist()):
            if owner != owner_before:
                owner_before, pairs = owner, list(dicts[owner].items())
            index[at] = self[pairs[at - first]]

    def _remember(self) -> None:
        """Keep what was found for the next call, but not without end: texts that are new may always come."""
        if isinstance(self.vocabulary, Vocabulary) and len(self.known) < 2 * len(self.vocabulary) + _ROOM:
            self.known.update(self)

    def __missing__(self, pair: tuple[Any, Any]) -> int:
        name, value = pair
        if type(name) is str and type(value) is str:
            code = self._number(f"{_escaped(name)}={value}")
        elif value is True and type(name) is str:
            code = self._number(name)
        else:
            return self._spelt_out(pair)
        self[pair] = code
        return code

    def _spelt_out(self, pair: tuple[Any, Any]) -> int:
        entries = [(self._number(name), value) for name, value in entries_of(*pair)]
        self.odd.append(entries)
        return -2 - len(self.odd)

    def _number(self, name: str) -> int:
        if self.grow:
            return self.vocabulary.setdefault(name, len(self.vocabulary))
        return self.vocabulary.get(name, -1)


def _has_hash(pair: tuple[Any, Any]) -> bool:
    try:
        hash(pair)
    except TypeError:
        return False
    return True


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
