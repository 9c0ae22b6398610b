"""Labels as users pass and receive them: y and masks as numbers, predictions as lists."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError

UNKNOWN = -1
"""The number of a label that is None (unknown)."""


def flat_labels(y: Any, lengths: np.ndarray, *, may_miss: bool = False) -> list[Any]:
    """The concatenated labels of all sequences; with `may_miss`, None where one is unknown.

    >>> flat_labels([["DT", "NN"], ["VB"]], np.array([2, 1]))
    ['DT', 'NN', 'VB']
    """
    flat = list(chain.from_iterable(rows_of(y, lengths, "tokens")))
    if not set(map(type, flat)) <= {str, int}:
        flat = [plain(label) for label in flat]
    _check_labels(flat, lambda n: place("y", n, lengths), may_miss)
    return flat


def list_classes(given: Any) -> list[Any]:
    """Read the list of all labels that a caller gives; errors call it classes.

    >>> list_classes(np.array(["NN", "DT"]))
    ['NN', 'DT']
    """
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ArgumentError(f"classes must be a list of labels, got {given!r:.60}")
    flat = [plain(label) for label in checks.as_tuple("classes", given)]
    _check_labels(flat, lambda n: f"classes[{n}]", may_miss=False)
    return flat


def rows_of(y: Any, lengths: np.ndarray, parts: str) -> list[Any]:
    """The labels of each sequence, checked to be as many as X has `parts` (the name for them in errors).

    >>> rows_of([("DT", "NN"), iter(["VB"])], np.array([2, 1]), "tokens")
    [('DT', 'NN'), ['VB']]
    """
    if isinstance(y, str | bytes | Mapping | Set) or not isinstance(y, Iterable):
        raise ArgumentError(f"y must be a list of sequences of labels, got {y!r:.60}")
    if hasattr(y, "columns") and hasattr(y, "iloc"):  # iterating over it gives the columns' names
        raise ArgumentError(
            "y must be a list of sequences of labels, got a "
            f"{type(y).__name__} of shape {getattr(y, 'shape', None)} "
            "(a row a token: [group.tolist() for _, group in table.groupby('sentence')['label']])"
        )
    items = list(y)
    if items and isinstance(items[0], str | int | np.integer):
        raise ArgumentError(
            f"y[0] must be a sequence of labels, got {items[0]!r:.60} (for a single sequence: [y])"
        )
    if len(items) != len(lengths):
        raise ShapeError(f"y has {len(items)} sequences; X has {len(lengths)}")
    rows = []
    for i, (item, length) in enumerate(zip(items, lengths.tolist())):
        row = list(item) if isinstance(item, Iterator) else item
        if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
            raise ArgumentError(f"y[{i}] must be a sequence of labels, got {item!r:.60}")
        if isinstance(row, Mapping | Set):
            raise ArgumentError(f"y[{i}] must be a sequence of labels in order, got {item!r:.60}")
        if len(row) != length:
            raise ShapeError(f"y[{i}] has {len(row)} labels; X[{i}] has {length} {parts}")
        rows.append(row.tolist() if isinstance(row, np.ndarray) else row)
    return rows


def plain(label: Any) -> Any:
    """A plain str or int for a label of a subclass or of numpy; anything else unchanged.

    >>> plain(np.str_("DT")), plain(np.int32(3)), plain(None)
    ('DT', 3, None)
    """
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, str):
        return label if type(label) is str else str.__str__(label)
    return int(label) if isinstance(label, int) and not isinstance(label, bool) else label


def _check_labels(flat: list[Any], place_of: Callable[[int], str], may_miss: bool) -> None:
    _check_kinds(flat, place_of, may_miss)
    _check_are_labels(flat, place_of, may_miss)


def _check_are_labels(flat: list[Any], place_of: Callable[[int], str], may_miss: bool) -> None:
    """Refuse numbers below 0, which other libraries use for a missing label.

    -1 and 1 are accepted as two labels if there are no others.
    """
    numbers = set(flat) - {None}
    if not numbers or isinstance(next(iter(numbers)), str) or min(numbers) >= 0 or numbers == {-1, 1}:
        return
    n = next(n for n, label in enumerate(flat) if label is not None and label < 0)
    instead = "None where the label of a token is not known" if may_miss else "no token without a label"
    raise ArgumentError(
        f"{place_of(n)} must be a label, 0 or more, got {flat[n]} ({instead}; labels that are "
        "numbers below 0 as strings)"
    )


def _check_kinds(flat: list[Any], place_of: Callable[[int], str], may_miss: bool) -> None:
    kinds = set(map(type, flat)) - ({type(None)} if may_miss else set())
    are_texts = all(issubclass(kind, str) for kind in kinds)
    are_numbers = all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds)
    if are_texts or are_numbers:
        return
    wanted = str if isinstance(flat[0], str) else int | np.integer
    for n, label in enumerate(flat):
        if (label is None and may_miss) or (isinstance(label, wanted) and not isinstance(label, bool)):
            continue
        rule = "a string as the first is" if wanted is str else "a whole number as the first is"
        first = "a string or a whole number" if n == 0 else rule
        raise ArgumentError(f"{place_of(n)} must be {first}, got {label!r:.60}")


def place(name: str, n: int, lengths: np.ndarray) -> str:
    """The place of the n-th token overall, as y[i][j].

    >>> place("y", 3, np.array([2, 0, 5]))
    'y[2][1]'
    """
    ends = np.cumsum(lengths)
    i = int(np.searchsorted(ends, n, side="right"))
    return f"{name}[{i}][{n - int(ends[i] - lengths[i])}]"


def classes_of(flat: list[Any]) -> np.ndarray:
    """The labels that occur, sorted, None left out.

    >>> classes_of(["b", "a", None, "b"]).tolist()
    ['a', 'b']
    """
    labels = sorted(set(flat) - {None})
    for label in labels:
        if isinstance(label, str) and label.endswith("\0"):
            raise ArgumentError(f"y must have labels that do not end in the sign NUL, got {label!r:.60}")
    return np.array(labels)


def numbers_of(flat: list[Any], classes: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Labels of `flat_labels` as indices into `classes`, None as `UNKNOWN`."""
    number: dict[Any, int] = {label: k for k, label in enumerate(classes.tolist())}
    number[None] = UNKNOWN
    numbers = np.fromiter((number.get(label, len(classes)) for label in flat), np.int64, len(flat))
    if len(numbers) and numbers.max() >= len(classes):
        n = int(numbers.argmax())
        raise ArgumentError(
            f"{place('y', n, lengths)} must be one of the {len(classes)} labels of training (classes_), "
            f"got {flat[n]!r:.60}"
        )
    return numbers


def allowed_mask(allowed: Any, lengths: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Which labels each token may have, (R, K) bool, from what the taggers' `predict` takes.

    >>> allowed_mask([[["a"], None]], np.array([2]), np.array(["a", "b"]))
    array([[ True, False],
           [ True,  True]])
    """
    if isinstance(allowed, str | bytes | Mapping | Set) or not hasattr(allowed, "__len__"):
        raise ArgumentError(f"allowed must be a list with an item for each sequence, got {allowed!r:.60}")
    if len(allowed) != len(lengths):
        raise ShapeError(f"allowed has {len(allowed)} sequences; X has {len(lengths)}")
    mask = np.ones((int(lengths.sum()), len(classes)), dtype=bool)
    number = {label: k for k, label in enumerate(classes.tolist())}
    first = 0
    for i, (item, length) in enumerate(zip(allowed, lengths.tolist())):
        rows = mask[first : first + length]
        first += length
        if item is None:
            continue
        if isinstance(item, np.ndarray) and item.dtype == bool:
            if item.shape != rows.shape:
                raise ShapeError(f"allowed[{i}] has shape {item.shape}; X[{i}] needs {rows.shape}")
            rows[:] = item
        elif (
            isinstance(item, np.ndarray) and item.ndim > 1 and item.dtype.kind in "iuf"
        ):  # 1 and 0 may be labels
            raise ArgumentError(f"allowed[{i}] must be of bool to be a mask, got dtype {item.dtype}")
        else:
            _fill(rows, item, number, i)
        if not rows.any(axis=1).all():
            t = int(rows.any(axis=1).argmin())
            raise ArgumentError(f"allowed[{i}][{t}] must allow at least one label, got none")
    return mask


def _fill(rows: np.ndarray, item: Any, number: dict[Any, int], i: int) -> None:
    if isinstance(item, str | bytes | Mapping | Set) or not hasattr(item, "__len__"):
        raise ArgumentError(
            f"allowed[{i}] must be None, a mask or a list with an item a token, got {item!r:.60}"
        )
    if len(item) != len(rows):
        raise ShapeError(f"allowed[{i}] has {len(item)} tokens; X[{i}] has {len(rows)}")
    for t, labels in enumerate(item):
        if labels is None:
            continue
        if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
            raise ArgumentError(f"allowed[{i}][{t}] must be None or a list of labels, got {labels!r:.60}")
        rows[t] = False
        for label in labels:
            if (known := _number_of(label, number)) is None:
                raise ArgumentError(
                    f"allowed[{i}][{t}] must name labels of training (classes_), got {label!r:.60}"
                )
            rows[t, known] = True


def _number_of(label: Any, number: dict[Any, int]) -> int | None:
    """Number of a label; None if it is not a label, such as True, which equals 1."""
    known = plain(label)
    try:
        return None if isinstance(known, bool) else number.get(known)
    except TypeError:  # it is unhashable
        return None


def weights_of_tokens(token_weight: Any, lengths: np.ndarray) -> np.ndarray | None:
    """Concatenated weights of all tokens (R,), from a list with an array for each sequence.

    >>> weights_of_tokens([[1, 2], [0.5]], np.array([2, 1])).tolist()
    [1.0, 2.0, 0.5]
    """
    if token_weight is None:
        return None
    if isinstance(token_weight, str | Mapping) or not isinstance(token_weight, Iterable):
        raise ArgumentError(
            f"token_weight must be a list with weights for each sequence, got {token_weight!r:.60}"
        )
    items = list(token_weight)
    if len(items) != len(lengths):
        raise ShapeError(f"token_weight has {len(items)} sequences; X has {len(lengths)}")
    each = []
    for i, (item, length) in enumerate(zip(items, lengths.tolist())):
        if not length and hasattr(item, "__len__") and not len(item):
            continue
        weights = checks.strengths(f"token_weight[{i}]", item)
        if len(weights) != length:
            raise ShapeError(f"token_weight[{i}] has {len(weights)} entries; X[{i}] has {length} tokens")
        each.append(weights)
    flat = np.concatenate([np.zeros(0), *each])
    if not flat.any():
        raise ArgumentError("token_weight must be above 0 for a token, got 0 for all")
    return flat


def groups_of(groups: Any, n: int, parts: int) -> np.ndarray:
    """Group numbers, one per sequence."""
    if isinstance(groups, str | bytes | Mapping | Set) or not isinstance(groups, Iterable):
        raise ArgumentError(f"groups must be a list with a group for each sequence, got {groups!r:.60}")
    given = checks.as_tuple("groups", groups)
    if len(given) != n:
        raise ShapeError(f"groups has {len(given)} entries; X has {n} sequences")
    for i, group in enumerate(given):
        if not isinstance(group, Hashable) or group != group:  # NaN does not equal itself
            raise ArgumentError(f"groups[{i}] must be a text or a number, got {group!r:.60}")
    number = {group: i for i, group in enumerate(dict.fromkeys(given))}
    if len(number) < parts:
        raise ArgumentError(f"groups must be at least the {parts} of cv, got {len(number)}")
    return np.array([number[group] for group in given])


class TagPaths(NamedTuple):
    """The best labellings (m, L) of a sequence, best first; scores (m,), a `ChainCRF`'s log-probabilities."""

    scores: np.ndarray
    labels: np.ndarray


class Labellings(list[list[Any]]):
    """A list of labels for each sequence, in a list.

    `seqeval`, `sklearn_crfsuite.metrics` and the like accept it as it is. Converted to an array, as
    `sklearn.model_selection.cross_val_predict` does, it has one entry per sequence.

    >>> np.asarray(Labellings([["DT", "NN"], ["VB"]]))
    array([list(['DT', 'NN']), list(['VB'])], dtype=object)
    """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if dtype not in (None, object):
            raise TypeError(f"labels of sequences must be an array of objects, not of {np.dtype(dtype)}")
        out = np.empty(len(self), dtype=object)
        for i, labels in enumerate(self):
            out[i] = labels
        return out


def split_list(flat: list[Any], lengths: np.ndarray) -> Labellings:
    """Split the concatenated labels of all sequences into one list per sequence.

    >>> split_list(["DT", "NN", "VB"], np.array([2, 0, 1]))
    [['DT', 'NN'], [], ['VB']]
    """
    ends = np.cumsum(lengths).tolist()
    return Labellings(flat[a:b] for a, b in zip([0, *ends[:-1]], ends))
