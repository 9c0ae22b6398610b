r"""Feature names: the string that a pair ``(key, value)`` of a token's dict stands for.

- ``key=value``, if the value is a text, or one for each text of a list or set;
- ``key`` with a value, if it is a number; ``True`` is 1, and 0 or ``False`` means the feature is absent;
- the names of the inner pairs, prefixed with ``key\:``, if the value is a dict; a vector is read as the dict
  of its indices.

``=`` and ``\`` in the key of a text are written ``\=`` and ``\\``, so that ``{"a=b": "c"}`` and
``{"a": "b=c"}`` stay two features. ``{"a=b": True}`` is the text ``a=b`` of a list, and so is ``{"a": "b"}``.
Bytes are UTF-8.
"""

from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from spcviz.engine.errors import ArgumentError, ScoreError

MAX_VALUE = 1e30
"""Largest feature value: squares and sums of larger ones overflow, and no labelling has a finite score."""

_MOST_NESTED = 20
_KINDS = "a string, a number, a boolean or a list of strings"


def split_name(name: str) -> tuple[str, str, str]:
    r"""Key, "=" and value of a feature that stems from a text in a dict; three empty texts for any other.

    >>> split_name("word=a=b"), split_name(r"a\=b=c"), split_name(r"in\:word=a"), split_name("title")
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
    r"""The dict key that a feature belongs to; for a text that stems from no dict, as in a list, all of it.

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
    r"""`key_of` all features that a dict pair stands for; None if it cannot stand for any.

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


class UnfitError(Exception):
    """A pair cannot be a feature."""


def entries_of(name: Any, value: Any) -> list[tuple[str, float]]:
    r"""The features that a dict pair stands for, with their values.

    >>> entries_of("word", "The"), entries_of("length", 3), entries_of("is_title", False)
    ([('word=The', 1.0)], [('length', 3.0)], [])
    >>> entries_of("suffix", {"long": "ing", "rare": True})
    [('suffix\\:long=ing', 1.0), ('suffix\\:rare', 1.0)]
    """
    return list(_entries("", name, value, 0))


def _entries(outer: str, name: Any, value: Any, depth: int) -> Iterable[tuple[str, float]]:
    key = _text(name)
    if key is None:
        raise UnfitError
    if depth > _MOST_NESTED:
        raise UnfitError
    if (text := _text(value)) is not None:
        yield f"{outer}{escape(key)}={text}", 1.0
    elif isinstance(value, bool | np.bool_ | Real):
        if not abs(float(value)) <= MAX_VALUE:
            raise UnfitError
        if value:
            yield f"{outer}{key}", float(value)
    elif isinstance(value, Mapping):
        for inner, content in value.items():
            yield from _entries(f"{outer}{key}\\:", inner, content, depth + 1)
    elif isinstance(value, list | tuple | np.ndarray | Set):
        yield from _entries_of_many(outer, key, value, depth)
    else:
        raise UnfitError


def _entries_of_many(outer: str, key: str, value: Any, depth: int) -> Iterable[tuple[str, float]]:
    """The entries of a list or set of texts, or of a vector of numbers."""
    listed = sort_names(value) if isinstance(value, Set) else list(value)
    texts = [_text(item) for item in listed]
    if None not in texts:
        yield from ((f"{outer}{escape(key)}={text}", 1.0) for text in texts)
    elif not isinstance(value, Set) and all(isinstance(item, Real | np.bool_) for item in listed):
        yield from _entries(outer, key, {str(i): number for i, number in enumerate(listed)}, depth)
    else:
        raise UnfitError


def escape(key: str) -> str:
    return key.replace("\\", "\\\\").replace("=", "\\=") if "=" in key or "\\" in key else key


def _text(value: Any) -> str | None:
    """A text, decoded if it is bytes; None for anything else."""
    if isinstance(value, str):
        return str(value) if type(value) is not str else value
    return bytes(value).decode() if isinstance(value, bytes | bytearray) else None


def sort_names(names: Iterable[Any]) -> list[Any]:
    return sorted(names, key=str)  # so that features get the same numbers in every run


def refuse_pair(where: str, name: Any, value: Any, depth: int = 0) -> NoReturn:
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
            except (UnfitError, UnicodeDecodeError):
                refuse_pair(f"{where}[{name!r:.60}]", inner, content, depth + 1)
        raise ArgumentError(f"{where:.60} must have dicts in dicts no deeper than {_MOST_NESTED}") from None
    if isinstance(value, list | tuple | np.ndarray) and all(isinstance(item, Real) for item in value):
        for i, number in enumerate(value):
            if not abs(float(number)) <= MAX_VALUE:
                refuse_pair(where, f"{_text(name)}\\:{i}", number)
    raise ArgumentError(f"{where}[{name!r}] must be {_KINDS}, got {value!r:.60}") from None
