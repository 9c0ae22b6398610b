"""Chunks written as labels of tokens: BIO (IOB2), IOB1, BIOES; which label may follow which.

======  ==============================================================================
BIO     B-x begins a chunk, I-x continues one of the same kind; also called IOB2
IOB1    I-x begins and continues; B-x begins only right after a chunk of the same kind
BIOES   as BIO, a chunk's last token is E-x, and S-x is a chunk of one token; also BILOU
======  ==============================================================================

A label is a prefix, ``-`` or ``_`` and a kind, or the outside label ``O``.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.errors import ArgumentError
from spcviz.scores.names import names_of

SCHEMES = ("BIO", "IOB1", "BIOES")
_ALIASES = {"IOB2": "BIO", "BIO2": "BIO", "BIO1": "IOB1"} | dict.fromkeys(
    ("BILOU", "IOBES", "BMEWO", "BMESO", "BIOLU"), "BIOES"
)
_ROLE = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S", "M": "I", "W": "S"}
_OUTSIDE = ("O", "")
MOST_LABELS = 4_000
"""Of which `bio_transitions` makes a table of all pairs, 128 MB."""


class Rules(NamedTuple):
    """Scores of 0 where something is allowed and -inf where it is not.

    ``transitions[j, k]`` (K, K): label k after label j. `start`, `end` (K,): of a sequence's first and last.
    """

    transitions: np.ndarray
    start: np.ndarray
    end: np.ndarray


def parts_of(label: Hashable) -> tuple[str, str]:
    """(role, kind) of a label; the role is one of B, I, E, S, and O of a label outside, or `ArgumentError`.

    >>> parts_of("B-PER"), parts_of("L_LOC"), parts_of("O")
    (('B', 'PER'), ('E', 'LOC'), ('O', ''))
    """
    if label in _OUTSIDE:
        return "O", ""
    if isinstance(label, str) and len(label) > 1 and label[0] in _ROLE and label[1] in "-_":
        return _ROLE[label[0]], label[2:]
    raise ArgumentError(f"labels must be O or like B-x, I-x, E-x, S-x, got {label!r:.60}")


def is_chunked(labels: Iterable[Hashable]) -> bool:
    """Whether all labels are those of chunks, and some is not O.

    >>> is_chunked(["O", "B-NP"]), is_chunked(["NN", "DT"]), is_chunked(["O"])
    (True, False, False)
    """
    has_chunk = False
    for label in labels:
        try:
            has_chunk |= parts_of(label)[0] != "O"
        except ArgumentError:
            return False
    return has_chunk


def scheme_of(sentences: Iterable[Sequence[Hashable]]) -> str:
    """The scheme that some labelled sentences are written in; empty if their labels are no chunks.

    BIOES if an E or S occurs; IOB1 if some chunk begins with I; else BIO.

    >>> scheme_of([["B-NP", "I-NP", "O"]]), scheme_of([["I-NP", "I-NP", "O"]]), scheme_of([["NN", "DT"]])
    ('BIO', 'IOB1', '')
    """
    seen, begins_inside = set(), False
    for sentence in sentences:
        before = ("O", "")
        for label in sentence:
            try:
                now = parts_of(label)
            except ArgumentError:
                return ""
            begins_inside |= now[0] == "I" and (before[0] == "O" or before[1] != now[1])
            seen.add(now[0])
            before = now
    if seen <= {"O"}:
        return ""
    return "BIOES" if seen & {"E", "S"} else "IOB1" if begins_inside else "BIO"


def scheme_name(scheme: str) -> str:
    """One of `SCHEMES`, from any of its names, in small letters or large.

    >>> scheme_name("IOB2"), scheme_name("bilou")
    ('BIO', 'BIOES')
    """
    upper = scheme.upper() if isinstance(scheme, str) else ""
    if (named := _ALIASES.get(upper, upper)) not in SCHEMES:
        raise ArgumentError(f"scheme must be one of auto, {', '.join(SCHEMES)}, got {scheme!r:.60}")
    return named


def bio_transitions(labels: Iterable[Hashable], scheme: str = "auto") -> Rules:
    """Which label may follow which, begin and end a sequence, as scores of 0 and -inf.

    ``from_emissions(emissions, **bio_transitions(labels)._asdict(), labels=labels)`` obeys them.
    `ArgumentError` if a label is not of this form, or the scheme is unknown or does not have it.

    Parameters
    ----------
    labels : sequence of K labels
        Like ``O``, ``B-PER``, ``I-PER``.
    scheme : {"auto", "BIO", "IOB1", "BIOES"}
        "IOB2", "BILOU" and other names of these are known too, in small letters or large. auto: BIOES if a
        label begins with E, S, L or U; IOB1 if a kind has I-x but not B-x, which BIO would never reach; else
        BIO.

    Examples
    --------
    >>> rules = bio_transitions(["O", "B-X", "I-X"])
    >>> rules.transitions[0].tolist(), rules.start.tolist()
    ([0.0, 0.0, -inf], [0.0, 0.0, -inf])
    """
    names = names_of(labels)
    parts = [parts_of(name) for name in names]
    roles = {role for role, _ in parts}
    unopened = _unopened(names, parts)
    if scheme == "auto":
        named = "BIOES" if roles & {"E", "S"} else "IOB1" if unopened else "BIO"
    else:
        named = scheme_name(scheme)
    rules = rules_of(names, named, scheme)
    if named != "IOB1" and unopened:
        kind = parts[names.index(unopened[0])][1]
        raise ArgumentError(
            f"labels must have B-{kind} beside {unopened[0]!r}: in {named} nothing else leads to it, so it "
            "would be forbidden everywhere (in IOB1 it may begin a chunk)"
        )
    return rules


def rules_of(labels: Iterable[Hashable], scheme: str, called: str | None = None) -> Rules:
    """`bio_transitions` of one of `SCHEMES`, with labels that nothing leads to; `called` is for errors.

    >>> rules_of(["O", "I-X"], "BIO").start.tolist()
    [0.0, -inf]
    """
    names = names_of(labels)
    parts = [parts_of(name) for name in names]
    if scheme != "BIOES" and {role for role, _ in parts} & {"E", "S"}:
        odd = next(name for name, (role, _) in zip(names, parts) if role in "ES")
        raise ArgumentError(f"scheme must have the label {odd!r}, got {(called or scheme)!r}")
    if len(names) > MOST_LABELS:
        raise ArgumentError(
            f"labels must be at most {MOST_LABELS:,} for a table of pairs, got {len(names):,}"
        )
    every, outside = _coded([*parts, ("O", "")]), len(parts)
    before, after = np.arange(outside)[:, None], np.arange(outside)
    return Rules(
        _scores(_may_follow(scheme, every, before, after)),
        _scores(_may_follow(scheme, every, outside, after)),
        _scores(_may_follow(scheme, every, after, outside)),
    )


def _unopened(names: Sequence[Hashable], parts: Sequence[tuple[str, str]]) -> list[Hashable]:
    """Labels that continue or end a chunk of a kind that no label begins."""
    begun = {kind for role, kind in parts if role == "B"}
    return [name for name, (role, kind) in zip(names, parts) if role in "IE" and kind not in begun]


def broken(labels: Sequence[Sequence[Hashable]], scheme: str) -> list[tuple[int, int]]:
    """(sentence, token) of every label that the rules of a scheme forbid where it stands.

    Only the pairs that occur are looked at: it takes as long as there are tokens, however many labels.

    >>> broken([["B-X", "I-X"], ["O", "I-X"]], "BIO")
    [(1, 1)]
    """
    number: dict[Hashable, int] = {}
    flat = np.array(
        [number.setdefault(label, len(number)) for row in labels for label in row], dtype=np.int64
    )
    if not len(flat):
        return []
    every = _coded([*map(parts_of, number), ("O", "")])
    lengths = np.array([len(row) for row in labels])
    starts = np.cumsum(lengths) - lengths
    before = np.concatenate([[len(number)], flat[:-1]])
    before[starts[lengths > 0]] = len(number)
    at = np.flatnonzero(~_may_follow(scheme_name(scheme), every, before, flat))
    sentence = np.repeat(np.arange(len(lengths)), lengths)[at]
    return list(zip(sentence.tolist(), (at - starts[sentence]).tolist()))


class _Coded(NamedTuple):
    """Roles of labels, and numbers of their kinds."""

    role: np.ndarray
    kind: np.ndarray


def _coded(parts: Sequence[tuple[str, str]]) -> _Coded:
    kinds: dict[str, int] = {}
    numbers = [kinds.setdefault(kind, len(kinds)) for _, kind in parts]
    return _Coded(np.array([role for role, _ in parts]), np.array(numbers))


def _may_follow(scheme: str, every: _Coded, before: ArrayLike, after: ArrayLike) -> np.ndarray:
    """Whether labels, by their numbers in `every`, may follow others."""
    role, then = every.role[before], every.role[after]
    is_same = every.kind[before] == every.kind[after]
    if scheme == "IOB1":
        return (then != "B") | ((role != "O") & is_same)
    is_open, goes_on = (role == "B") | (role == "I"), (then == "I") | (then == "E")
    if scheme == "BIO":
        return (then != "I") | (is_open & is_same)
    return np.where(is_open, goes_on & is_same, ~goes_on)


def _scores(allowed: np.ndarray) -> np.ndarray:
    return np.where(allowed, 0.0, -np.inf)
