"""Map label names to states of the engine, and back."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError


def names_of(labels: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Labels as a tuple; ArgumentError for a text, which is one name and not many."""
    if isinstance(labels, str | bytes | Mapping):
        raise ArgumentError(f"labels must be a sequence of names, got {labels!r:.60}")
    return checks.as_tuple("labels", labels)


class Names:
    """Names of states 0 .. K - 1, all different; without names a state is its number."""

    def __init__(self, given: tuple[Hashable, ...] | None, n_states: int) -> None:
        self.n_states, self.given = n_states, given
        if given is None:
            return
        self._index: dict[Hashable, int] = {}
        for k, name in enumerate(given):
            try:
                twice = self._index.setdefault(name, k) != k
            except TypeError:
                raise ArgumentError(f"labels[{k}] must be hashable, got {name!r:.60}") from None
            if twice:
                raise ArgumentError(f"labels must be different, got {name!r} twice")
        if len(given) != n_states:
            raise ShapeError(f"labels has {len(given)} names; emissions has {n_states} columns")
        self._array = named_array(given)

    def of(self, states: np.ndarray) -> np.ndarray:
        """Names in place of states, in an array of the same shape."""
        return states if self.given is None else self._array[states]

    def at(self, state: int) -> Hashable:
        """The name of one state."""
        return state if self.given is None else self.given[state]

    def state(self, what: str, label: Any) -> int:
        """The state of one label, or an error that begins with `what`."""
        if self.given is None:
            return checks.integer(what, label, 0, self.n_states - 1)
        try:
            return self._index[label]
        except (KeyError, TypeError):
            shown = ", ".join(repr(name) for name in self.given[:8])
            more = ", ..." if len(self.given) > 8 else ""
            raise ArgumentError(f"{what} must be one of {shown}{more}, got {label!r:.60}") from None

    def states(self, what: str, labels: Sequence[Any], length: int) -> np.ndarray:
        """The states of a labelling, int64 of shape (length,)."""
        if isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
            raise ArgumentError(f"{what} must be a sequence of labels, got {labels!r:.60}")
        if len(labels) != length:
            raise ShapeError(f"{what} has {len(labels)} labels; its sequence has {length} positions")
        if self.given is None and length:
            return checks.states(what, labels, length, self.n_states)
        states = (self.state(f"{what}[{i}]", label) for i, label in enumerate(labels))
        return np.fromiter(states, dtype=np.int64, count=length)

    def all_states(self, what: str, y: Sequence[Sequence[Any]], lengths: np.ndarray) -> np.ndarray:
        """The concatenated states of a labelling of each sequence, int64 of shape (R,)."""
        y = checks.as_tuple(what, y)
        if len(y) != len(lengths):
            raise ShapeError(f"{what} has {len(y)} sequences; emissions has {len(lengths)}")
        states = [
            self.states(f"{what}[{i}]", labels, int(n)) for i, (labels, n) in enumerate(zip(y, lengths))
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *states])


def named_array(names: Sequence[Hashable]) -> np.ndarray:
    """An array that returns each name unchanged: of texts or of numbers if it can be, else of objects.

    >>> named_array(["B", "I"]).tolist(), named_array([1, "a"]).tolist()
    (['B', 'I'], [1, 'a'])
    """
    if {type(name) for name in names} in ({str}, {int}):
        with_kind = np.array(names)
        if with_kind.tolist() == list(names):  # numpy drops NUL characters at the end of a text
            return with_kind
    out = np.empty(len(names), dtype=object)
    out[:] = names
    return out
