"""Inspect NamedTuples and dataclasses: their fields, annotations, and the classes that annotations name."""

import dataclasses
import types
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from spcviz.engine.errors import ArgumentError

_NUMBERS = (bool, int, float)


def is_record(kind: Any) -> bool:
    """Whether something is a NamedTuple or a dataclass.

    >>> is_record(dict), is_record(3)
    (False, False)
    """
    if not isinstance(kind, type):
        return False
    return dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


@cache
def fields_of(kind: type) -> tuple[str, ...]:
    """Names of a record's fields, in order."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind) if field.init)
    return getattr(kind, "_fields")  # noqa: B009


@cache
def defaults_of(kind: type) -> frozenset[str]:
    """Names of the fields of a NamedTuple that have a default; none of a dataclass."""
    return frozenset(getattr(kind, "_field_defaults", {}))


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """The annotation of each field of a record; `typing.Any` for a field without one."""
    hints = get_type_hints(kind)
    return {field: hints.get(field, Any) for field in fields_of(kind)}


def known_classes(given: type | Iterable[type]) -> dict[str, type]:
    """Records by name: those given, and all that their annotations refer to.

    `ArgumentError` if one is not a record, or two share a name.
    """
    given = (given,) if isinstance(given, type) else tuple(given)
    for kind in given:
        if not is_record(kind):
            raise ArgumentError(f"types must be NamedTuples or dataclasses, got {kind!r}")
    return dict(_collect(given))


@cache
def _collect(given: tuple[type, ...]) -> dict[str, type]:
    known: dict[str, type] = {}
    left = list(given)
    while left:
        kind = left.pop()
        if known.setdefault(kind.__name__, kind) is not kind:
            raise ArgumentError(f"types must have names of their own, got two of {kind.__name__!r}")
        named = [record for hint in hints_of(kind).values() for record in _named_in(hint)]
        left += [record for record in named if record not in known.values()]
    return known


def _named_in(hint: Any) -> list[type]:
    if is_record(hint):
        return [hint]
    if get_origin(hint) is Literal:
        return []
    return [record for inner in get_args(hint) for record in _named_in(inner)]


def check_field(kind: type, field: str, value: Any, path: str, error: type[Exception]) -> None:
    """Raise `error` unless a field's value is of the kind that its annotation says.

    Only the type of a container is checked, not its items. Any number passes for any other, also a single
    number in an array: annotations here say int where numpy gives int64.
    """
    hint = hints_of(kind)[field]
    if not _fits(value, hint):
        wanted = hint.__name__ if isinstance(hint, type) else str(hint)
        raise error(f"{path} must be of kind {wanted}, got {type(value).__name__}")


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) in (Union, types.UnionType):
        return any(_fits(value, choice) for choice in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is Any:
        return True
    if hint is None:
        return value is None
    hint = get_origin(hint) or hint
    if hint in _NUMBERS:
        is_single = isinstance(value, np.ndarray) and not value.shape
        return is_single or isinstance(value, (*_NUMBERS, np.generic))
    return isinstance(value, hint) if isinstance(hint, type) else True
