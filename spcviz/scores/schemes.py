"""Chunking schemes BIO (IOB2), IOB1 and BIOES: chunks to labels and back, and which label may follow which.

======  ==============================================================================
BIO     B-x begins a chunk, I-x continues one of the same kind; also called IOB2
IOB1    I-x begins and continues; B-x begins only right after a chunk of the same kind
BIOES   as BIO, a chunk's last token is E-x, and S-x is a chunk of one token; also BILOU
======  ==============================================================================

A label is a role, ``-`` or ``_`` and a kind (B-PER), a kind and then its role (PER-B), or a role alone if
there is only one kind (B, I, O); or the outside label ``O``. The form is inferred from all labels together.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.scores.names import names_of

SCHEMES = ("BIO", "IOB1", "BIOES")
MOST_LABELS = 4_000
"""Most labels for which `bio_transitions` makes a table of all pairs, 128 MB."""
_ALIASES = {"IOB2": "BIO", "BIO2": "BIO", "IOB": "IOB1", "BIO1": "IOB1", "IO": "IOB1"} | dict.fromkeys(
    ("BILOU", "BIOLU", "IOBES", "BMES", "BMEOS", "BMESO", "BMEWO", "BMEW", "BIOEU"), "BIOES"
)

_ROLES = ("B", "I", "E", "S", "O")
_ROLE = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S", "M": "I", "W": "S"}
_OUTSIDE = ("O", "")
_SUFFIXED = re.compile(r"(.+)[-_]([BIESLUMW])", re.DOTALL)

Part = tuple[str, str]
"""Role and kind of a label."""

Rule = Callable[[Any, Any], bool]
"""Whether a label may follow another; None before the first label and after the last."""


class Rules(NamedTuple):
    """Rules as scores: 0 where something is allowed, -inf where it is not.

    ``transitions[j, k]`` (K, K): label k after label j. `start`, `end` (K,): the first and the last label.
    """

    transitions: np.ndarray
    start: np.ndarray
    end: np.ndarray


def parts_of(label: Hashable, form: str = "prefix") -> Part:
    """(role, kind) of a label, or `ArgumentError`; the role is B, I, E or S, or O outside of chunks.

    The form is "prefix", "suffix" or "bare": see `form_of`.

    >>> parts_of("B-PER"), parts_of("L_LOC"), parts_of("O"), parts_of("PER-I", "suffix")
    (('B', 'PER'), ('E', 'LOC'), ('O', ''), ('I', 'PER'))
    """
    part = _part(label, form) if isinstance(label, str) else None
    if part is None:
        raise ArgumentError(f"labels must be O or like B-x, I-x, E-x, S-x, got {label!r:.60}")
    return part


@lru_cache(maxsize=10_000)
def _part(label: str, form: str) -> Part | None:
    if label in _OUTSIDE:
        return "O", ""
    if form == "bare":
        return (_ROLE[label], "") if label in _ROLE else None
    if form == "suffix":
        found = _SUFFIXED.fullmatch(label)
        return (_ROLE[found[2]], found[1]) if found else None
    if len(label) > 1 and label[0] in _ROLE and label[1] in "-_":
        return _ROLE[label[0]], label[2:]
    return None


def form_of(labels: Iterable[Hashable]) -> str:
    """The form in which labels write chunks: "prefix", "suffix", "bare", or "" if they do not.

    Some label must be a chunk label. Bare roles count as chunks if B or I is among them, and another label.

    >>> form_of(["O", "B-X"]), form_of(["X-B", "O"]), form_of(["B", "I", "O"]), form_of(["NN", "B"])
    ('prefix', 'suffix', 'bare', '')
    """
    used = set(labels) - set(_OUTSIDE)
    if not used or not all(isinstance(label, str) for label in used):
        return ""
    for form in ("prefix", "suffix"):
        if all(_part(label, form) is not None for label in used):
            return form
    is_bare = used <= set(_ROLE) and used & {"B", "I"} and (len(used) > 1 or "O" in labels)
    return "bare" if is_bare else ""


def is_chunked(labels: Iterable[Hashable]) -> bool:
    """Whether all labels are chunk labels or O, and some label is not O.

    >>> is_chunked(["O", "B-NP"]), is_chunked(["NN", "DT"]), is_chunked(["O"])
    (True, False, False)
    """
    return bool(form_of(set(labels)))


def kinds_of(labels: Iterable[Hashable]) -> list[str]:
    """The kinds of chunks among some labels, sorted; empty if they do not write chunks.

    >>> kinds_of(["B-PER", "I-PER", "O", "B-LOC"])
    ['LOC', 'PER']
    """
    used = set(labels)
    form = form_of(used)
    return sorted({parts_of(label, form)[1] for label in used} - {""}) if form else []


def scheme_of(sentences: Iterable[Sequence[Hashable]]) -> str:
    """The scheme that some labelled sentences are written in; empty if their labels are not chunk labels.

    BIOES if an E or S occurs; IOB1 if some chunk begins with I; else BIO.

    >>> scheme_of([["B-NP", "I-NP", "O"]]), scheme_of([["I-NP", "I-NP", "O"]]), scheme_of([["NN", "DT"]])
    ('BIO', 'IOB1', '')
    >>> scheme_of([["B", "I", "O"]]), scheme_of([["PER-B", "PER-E"]]), scheme_of([["B", "M", "E", "S"]])
    ('BIO', 'BIOES', 'BIOES')
    """
    rows = [list(sentence) for sentence in sentences]
    used = {label for row in rows for label in row}
    form = form_of(used)
    if not form:
        return ""
    parts = {label: parts_of(label, form) for label in used}
    if {role for role, _ in parts.values()} & {"E", "S"}:
        return "BIOES"
    steps = {step for row in rows for step in pairwise(row)} | {("O", row[0]) for row in rows if row}
    parts.setdefault("O", ("O", ""))
    for before, after in steps:
        (role, kind), (then, other) = parts[before], parts[after]
        if then == "I" and (role == "O" or kind != other):
            return "IOB1"
    return "BIO"


def find_broken(labels: Sequence[Sequence[Hashable]], scheme: str) -> list[tuple[int, int]]:
    """(sentence, token) of every label that the rules of a scheme forbid after the previous one.

    Only pairs that occur are checked, without a table of all pairs. `ArgumentError` as in `bio_transitions`.

    >>> find_broken([["B-X", "I-X"], ["O", "I-X"]], "BIO")
    [(1, 1)]
    """
    used = {label for row in labels for label in row}
    form, named = form_of(used) or "prefix", scheme_name(scheme)
    parts = {label: parts_of(label, form) for label in used}
    known: dict[tuple[Hashable, Hashable], bool] = {}
    faults = []
    for i, row in enumerate(labels):
        before: Part = ("O", "")
        name: Hashable = None
        for at, label in enumerate(row):
            step = (name, label)
            if step not in known:
                known[step] = _may_follow(named, before, parts[label])
            if not known[step]:
                faults.append((i, at))
            name, before = label, parts[label]
    return faults


def scheme_name(scheme: str) -> str:
    """One of `SCHEMES`, from any of its names, in any case.

    >>> scheme_name("IOB2"), scheme_name("BIOES"), scheme_name("bilou"), scheme_name("iob1")
    ('BIO', 'BIOES', 'BIOES', 'IOB1')
    """
    known = scheme.upper() if isinstance(scheme, str) else ""
    if (named := _ALIASES.get(known, known)) not in SCHEMES:
        raise ArgumentError(f"scheme must be one of auto, {', '.join(SCHEMES)}, got {scheme!r:.60}")
    return named


def bio_transitions(labels: Iterable[Hashable], scheme: str = "auto") -> Rules:
    """Which label may follow which, begin a sequence and end it, as scores of 0 and -inf.

    ``from_emissions(emissions, **bio_transitions(labels)._asdict(), labels=labels)`` obeys them.
    `ArgumentError` if a label does not have this form, or the scheme is unknown or lacks a label's role.

    Parameters
    ----------
    labels : sequence of K labels
        Like ``O``, ``B-PER``, ``I-PER``.
    scheme : {"auto", "BIO", "IOB1", "BIOES"}
        "IOB2", "BILOU", "BMES" and other names for these are accepted too. auto: BIOES if a label begins with
        E, S, L or U; IOB1 if some kind has an I and no B, which BIO would forbid everywhere; else BIO.

    Examples
    --------
    >>> rules = bio_transitions(["O", "B-X", "I-X"])
    >>> rules.transitions[0].tolist(), rules.start.tolist()
    ([0.0, 0.0, -inf], [0.0, 0.0, -inf])
    """
    names, parts = _split_labels(labels)
    roles = {role for role, _ in parts}
    unopened = _find_unopened(names, parts)
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
    """`bio_transitions` for one of `SCHEMES`, allowing unreachable labels; `called` names it in errors.

    >>> rules_of(["O", "I-X"], "BIO").start.tolist()
    [0.0, -inf]
    """
    names, parts = _split_labels(labels)
    if scheme != "BIOES" and {role for role, _ in parts} & {"E", "S"}:
        odd = next(name for name, (role, _) in zip(names, parts) if role in "ES")
        raise ArgumentError(f"scheme must have the label {odd!r}, got {(called or scheme)!r}")
    number: dict[str, int] = {}
    kinds = np.array([number.setdefault(kind, len(number)) for _, kind in parts], dtype=np.int64)
    part = np.array([_ROLES.index(role) for role, _ in parts], dtype=np.int64)
    # By roles, for chunks of one kind and of two; then by labels.
    of_one, of_two = (
        np.array([[_may_follow(scheme, (a, "x"), (b, other)) for b in _ROLES] for a in _ROLES])
        for other in ("x", "y")
    )
    is_one = kinds[:, None] == kinds[None, :]
    allowed = np.where(is_one, of_one[part][:, part], of_two[part][:, part])
    outside = _ROLES.index("O")
    return Rules(_scores(allowed), _scores(of_two[outside][part]), _scores(of_two[part, outside]))


def forbidden_steps(constraints: str | Rule | None, classes: np.ndarray) -> np.ndarray | None:
    """Forbidden transitions, (3, K, K) bool as in `spcviz.learning.chains.crf.loss_and_gradient`.

    `constraints` is a function of ``(before, after)``, or a scheme under any name that `bio_transitions` and
    `spcviz.io.read_conll` know, in any case.

    >>> forbidden = forbidden_steps("bio", np.array(["B-A", "I-A", "O"]))
    >>> forbidden[1].astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 1, 0]])
    >>> forbidden[0].diagonal()
    array([False,  True, False])
    """
    if constraints is None:
        return None
    labels = classes.tolist()
    n = len(labels)
    forbidden = np.zeros((3, n, n), dtype=bool)
    at = np.arange(n)
    if callable(constraints):
        for j, before in enumerate(labels):
            forbidden[0, j, j] = not constraints(None, before)
            forbidden[1, j] = [not constraints(before, after) for after in labels]
            forbidden[2, j, j] = not constraints(before, None)
        return forbidden
    scheme = _scheme(constraints)
    try:
        rules = rules_of(labels, scheme)
    except ArgumentError as error:
        raise ArgumentError(f"constraints={constraints!r:.60}: {error}") from None
    forbidden[0, at, at], forbidden[1], forbidden[2, at, at] = (
        np.isneginf(scores) for scores in (rules.start, rules.transitions, rules.end)
    )
    return forbidden


def _scheme(constraints: Any) -> str:
    try:
        return scheme_name(constraints)
    except ArgumentError:
        known = ", ".join(name.lower() for name in SCHEMES)
        raise ArgumentError(
            f"constraints must be one of {known}, a function or None, got {constraints!r:.60}"
        ) from None


def _split_labels(labels: Iterable[Hashable]) -> tuple[tuple[Hashable, ...], list[Part]]:
    """(labels, their roles and kinds); `ArgumentError` if there are too many for a table of pairs."""
    names = names_of(labels)
    if len(names) > MOST_LABELS:
        raise ArgumentError(
            f"labels must be at most {MOST_LABELS:,} for a table of pairs, got {len(names):,}"
        )
    form = form_of(name for name in names if isinstance(name, Hashable)) or "prefix"
    return names, [parts_of(name, form) for name in names]


def _find_unopened(names: Sequence[Hashable], parts: Sequence[Part]) -> list[Hashable]:
    """Labels that continue or end a chunk of a kind that no label begins."""
    begun = {kind for role, kind in parts if role == "B"}
    return [name for name, (role, kind) in zip(names, parts) if role in "IE" and kind not in begun]


def _may_follow(scheme: str, before: tuple[str, str], after: tuple[str, str]) -> bool:
    (role, kind), (then, other) = before, after
    if scheme == "IOB1":
        return then != "B" or (role != "O" and kind == other)
    is_open = role in "BI"
    if scheme == "BIO":
        return then != "I" or (is_open and kind == other)
    if is_open:
        return then in "IE" and kind == other
    return then in "OBS"


def _scores(allowed: np.ndarray) -> np.ndarray:
    return np.where(allowed, 0.0, -np.inf)
