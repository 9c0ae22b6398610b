"""Pack emissions of any form into one table of rows: lists of arrays, padded arrays, one long array."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError


class Packed(NamedTuple):
    """Concatenated chains, as the engine's batch functions take them.

    - `unary` (R, K), float64: includes start and end scores in the first and last row of each chain
    - `lengths` (S,), int64: may be 0
    - `pairwise` (K, K) or (R, K, K): one table for all steps, or for each row the step into it; the one into
      a chain's first row is not used
    """

    unary: np.ndarray
    lengths: np.ndarray
    pairwise: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """First row of each chain, and the end: shape (S + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @property
    def filled_idx(self) -> np.ndarray:
        """Numbers of the chains that have positions."""
        return np.flatnonzero(self.lengths)

    def split(self, rows: np.ndarray) -> list[np.ndarray]:
        """Rows of all chains as one array each."""
        return np.split(rows, self.starts[1:-1]) if len(self.lengths) else []

    def steps(self, first: int, stop: int) -> np.ndarray:
        """Transitions of the chain in some rows, as the engine's functions for one chain take them."""
        return self.pairwise if self.pairwise.ndim == 2 else self.pairwise[first + 1 : stop]

    def score_labellings(self, states: np.ndarray) -> np.ndarray:
        """Scores (S,) of one labelling per chain, given all states (R,); 0 for empty chains."""
        out, scores = np.zeros(len(self.lengths)), self.unary[np.arange(len(states)), states]
        is_first = np.zeros(len(states), dtype=bool)
        is_first[self.starts[:-1][self.filled_idx]] = True
        later = np.flatnonzero(~is_first)
        before, after = states[later - 1], states[later]
        is_one = self.pairwise.ndim == 2
        scores[later] += self.pairwise[before, after] if is_one else self.pairwise[later, before, after]
        np.add.at(out, np.repeat(np.arange(len(self.lengths)), self.lengths), scores)
        return out


def check_feasible(i: int, unary: np.ndarray, steps: np.ndarray) -> None:
    """Raise the engine's error, prefixed with the number of the chain, if no labelling is allowed."""
    try:
        chain.decode(unary, steps)
    except InfeasibleError as error:
        raise InfeasibleError(f"sequence {i}: {error}") from None


def pack(
    emissions: Any,
    transitions: Any,
    *,
    start: ArrayLike | None,
    end: ArrayLike | None,
    mask: Any,
    lengths: ArrayLike | None,
    allowed: Any,
    n_labels: int | None,
) -> Packed:
    """Pack the arguments of `spcviz.scores.from_emissions`."""
    if n_labels is None:
        n_labels = _columns_of(transitions, start, end)
    tables, positions = _tables_of(emissions, mask, lengths)
    checked = [
        _table(f"emissions[{i}]", table if rows is None else table[rows], n_labels)
        for i, (table, rows) in enumerate(zip(tables, positions))
    ]
    sizes = np.array([len(table) for table in checked], dtype=np.int64)
    n = _one_width(checked, n_labels)
    unary = np.concatenate([table for table in checked if len(table)] or [np.zeros((0, n))])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    if allowed is not None:
        is_allowed = [
            _check_allowed(f"allowed[{i}]", table if rows is None else table[rows], (size, n))
            for i, (table, rows, size) in enumerate(zip(_like("allowed", allowed, tables), positions, sizes))
        ]
        unary = np.where(np.concatenate([*is_allowed, np.zeros((0, n), dtype=bool)]), unary, -np.inf)
    filled = sizes > 0
    for name, rows, values in (("start", starts[:-1][filled], start), ("end", starts[1:][filled] - 1, end)):
        if values is not None:
            unary[rows] += _scores_of(name, values, n)
    has_gaps = mask is not None and any(_has_gap(rows) for rows in positions)
    return Packed(unary, sizes, _pairwise(transitions, sizes, n, has_gaps))


def _tables_of(emissions: Any, mask: Any, lengths: ArrayLike | None) -> tuple[list[Any], list[Any]]:
    """(one table per sequence, which of its rows count: a mask, a slice, or None for all)."""
    form = getattr(emissions, "ndim", None)
    if mask is not None and form != 3:
        raise ArgumentError(f"mask must go with padded emissions (B, L, K), got emissions of {_form(form)}")
    if form == 3:
        tables = array_of("emissions", emissions)
        n, longest = tables.shape[:2]
        if mask is not None and lengths is not None:
            raise ArgumentError("mask must not go with lengths: either says which positions are there")
        if mask is not None:
            is_there = checks.mask("mask", array_of("mask", mask))
            if is_there.shape != (n, longest):
                raise ShapeError(
                    f"mask has shape {is_there.shape}; emissions {tables.shape} needs {(n, longest)}"
                )
            return list(tables), list(is_there)
        if lengths is None:
            return list(tables), [None] * n
        sizes = _sizes(lengths, longest)
        if len(sizes) != n:
            raise ShapeError(f"lengths has shape {sizes.shape}; emissions {tables.shape} needs {(n,)}")
        return list(tables), [slice(0, size) for size in sizes]
    if form == 2:
        table = array_of("emissions", emissions)
        if lengths is None:
            raise ArgumentError(
                "lengths must say how many rows each sequence has, got None "
                f"(one sequence: lengths=[{len(table)}])"
            )
        sizes = _sizes(lengths, len(table))
        if sizes.sum() != len(table):
            raise ShapeError(f"lengths add up to {sizes.sum()}; emissions {table.shape} needs {len(table)}")
        return np.split(table, np.cumsum(sizes)[:-1]) if len(sizes) else [], [None] * len(sizes)
    if form is not None:
        shape = getattr(emissions, "shape", ())
        raise ShapeError(
            f"emissions has shape {tuple(shape)}; it needs (B, L, K), (N, K) or a list of (L, K)"
        )
    if isinstance(emissions, str | bytes | dict) or not hasattr(emissions, "__iter__"):
        raise ArgumentError(f"emissions must be a list of (L, K) arrays, got {emissions!r:.60}")
    listed = list(emissions)
    if lengths is not None:
        raise ArgumentError("lengths must go with one (N, K) or a padded (B, L, K) array, got a list")
    return listed, [None] * len(listed)


def _form(form: int | None) -> str:
    return "a list" if form is None else f"{form} dimensions"


def array_of(name: str, values: Any) -> np.ndarray:
    """An array of any library as a numpy array."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentError(f"{name} must be numbers that numpy can read: {error}") from None


def _sizes(lengths: ArrayLike, most: int) -> np.ndarray:
    return checks.whole_numbers("lengths", lengths, 0, most)


def _table(name: str, values: Any, n_labels: int | None) -> np.ndarray:
    """Scores of one sequence; an empty value means no positions."""
    array = array_of(name, values)
    if array.size == 0 and array.ndim < 2:
        return np.zeros((0, n_labels or 0))
    if array.ndim != 2:
        raise ShapeError(f"{name} has shape {array.shape}; it needs (L, K)")
    return checks.scores(name, array, 2)


def _one_width(tables: list[np.ndarray], n_labels: int | None) -> int:
    """K, which must be the same for all sequences."""
    widths = [table.shape[1] for table in tables if len(table)] + [table.shape[1] for table in tables]
    n = next((width for width in widths if width), n_labels or 1)
    for i, table in enumerate(tables):
        if len(table) and table.shape[1] != n:
            raise ShapeError(f"emissions[{i}] has shape {table.shape}; the sequences before it need (L, {n})")
        if len(table) and n == 0:
            raise ShapeError(f"emissions[{i}] has shape {table.shape}; it needs at least one label")
    return n


def _like(name: str, values: Any, tables: list[Any]) -> list[Any]:
    """One item per sequence of an argument in the same form as the emissions."""
    form = getattr(values, "ndim", None)
    if form == 2 and len(values) == sum(len(table) for table in tables):
        return np.split(array_of(name, values), np.cumsum([len(table) for table in tables])[:-1])
    if form is not None and form != 3 and form != 1:
        raise ShapeError(f"{name} has shape {tuple(values.shape)}; it needs that of emissions")
    items = list(values)
    if len(items) != len(tables):
        raise ShapeError(f"{name} has {len(items)} sequences; emissions has {len(tables)}")
    return [array_of(f"{name}[{i}]", item) for i, item in enumerate(items)]


def _check_allowed(name: str, values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    is_allowed = checks.mask(name, values)
    if is_allowed.shape != shape and not (is_allowed.size == 0 and shape[0] == 0):
        raise ShapeError(f"{name} has shape {is_allowed.shape}; its sequence needs {tuple(map(int, shape))}")
    return is_allowed.reshape(shape)


def _scores_of(name: str, values: ArrayLike, n: int) -> np.ndarray:
    scores = checks.scores(name, array_of(name, values), 1)
    if len(scores) != n:
        raise ShapeError(f"{name} has shape {scores.shape}; emissions needs {(n,)}")
    return scores


def _has_gap(rows: Any) -> bool:
    """Whether a mask leaves out a position before one that counts."""
    return isinstance(rows, np.ndarray) and bool((np.diff(rows.astype(np.int8)) > 0).any())


def _pairwise(transitions: Any, sizes: np.ndarray, n: int, has_gaps: bool) -> np.ndarray:
    """Transitions (K, K), or (R, K, K) with the step into each row."""
    if transitions is None:
        return np.zeros((n, n))
    form, rows = getattr(transitions, "ndim", None), int(sizes.sum())
    is_shared = form == 2 or (form is None and _depth(transitions) == 2)
    if is_shared:
        table = checks.scores("transitions", array_of("transitions", transitions), 2)
        if table.shape != (n, n):
            raise ShapeError(f"transitions has shape {table.shape}; emissions needs {(n, n)}")
        return table
    if has_gaps:
        raise ArgumentError("mask must not leave out positions in the middle where each step has a table")
    if form == 3:
        table = checks.scores("transitions", array_of("transitions", transitions), 3)
        if table.shape != (rows, n, n):
            raise ShapeError(
                f"transitions has shape {table.shape}; {rows} rows need {(rows, n, n)} or {(n, n)}"
            )
        return table
    steps = checks.as_tuple("transitions", transitions)
    if len(steps) != len(sizes):
        raise ShapeError(f"transitions has {len(steps)} sequences; emissions has {len(sizes)}")
    out, first = np.zeros((rows, n, n)), 0
    for i, (tables, size) in enumerate(zip(steps, sizes)):
        if size > 1:
            whole = array_of(f"transitions[{i}]", tables)
            tables = checks.scores(f"transitions[{i}]", whole[: size - 1] if form == 4 else whole, 3)
            if tables.shape != (size - 1, n, n):
                wanted = (int(size) - 1, n, n)
                raise ShapeError(f"transitions[{i}] has shape {tables.shape}; its sequence needs {wanted}")
            out[first + 1 : first + size] = tables
        first += size
    return out


def _depth(values: Any) -> int:
    """Nesting depth of lists; an array counts with its number of dimensions."""
    if hasattr(values, "ndim"):
        return values.ndim
    if isinstance(values, list | tuple):
        return 1 + max((_depth(value) for value in values), default=0)
    return 0


def _columns_of(transitions: Any, start: Any, end: Any) -> int | None:
    """K from the other arguments, needed where no sequence has a position; None if none has it."""
    for scores in (start, end):
        if scores is not None:
            return len(scores)
    return len(transitions) if transitions is not None and _depth(transitions) == 2 else None
