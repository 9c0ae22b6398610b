"""Levels of features that can be bought, and the features of sequences at all of them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError

MAX_BYTES = 8 << 30
"""Of the features of all positions of one call, in 32 bits."""

Compute = Callable[[Any, Any], Any]
Wanted = tuple[int, np.ndarray | None]
"""Number of an item, and the positions of it whose features are wanted; None: all."""


class FeatureTiers(NamedTuple):
    """Tiers of features, each an addition to those before it.

    Attributes
    ----------
    names : sequence of str
        T different names, at least two.
    columns : sequence of (array_like of int, or callable)
        Of each tier: numbers of columns of X's arrays; or a function that is called as ``f(x, positions)``
        with one item of X and an array of positions of it, and returns their features, (len(positions), F_t).
        A later tier's is called for what is bought, when it is bought, and for nothing else.
    costs : sequence of float
        Of buying each tier for one position, in the unit of budgets. The first is free: 0.
    batch : bool
        Whether functions are called as ``f(items, positions)`` with a list of items and a list of arrays of
        positions, one of each item, and return a list of their features. All that is certain to be bought is
        then computed in one call a tier, as a neural network or a server likes it; what is bought is the
        same. One sequence buys position by position, so that this pays where `predict` gets many.

    Examples
    --------
    >>> FeatureTiers(("cheap", "dear"), ([0, 1], [2, 3, 4]), (0, 2.5)).costs
    (0, 2.5)
    """

    names: Sequence[str]
    columns: Sequence[ArrayLike | Compute]
    costs: Sequence[float]
    batch: bool = False


class Detached(NamedTuple):
    """In place of a tier's function in an estimator that was loaded: functions are code, and not stored."""

    name: str

    def __call__(self, x: Any, positions: np.ndarray) -> ArrayLike:
        raise ArgumentError(
            f"tier {self.name!r} is computed by a function, which is not stored with the estimator: call "
            f"attach({self.name!r}, function) before anything is bought"
        )


class Tiers(NamedTuple):
    """`FeatureTiers`, checked; costs (T - 1,) of lifting a position to tier 1, 2, ..."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]
    costs: np.ndarray
    batch: bool = False

    @property
    def has_functions(self) -> bool:
        """Whether features of some tier that is not free are computed when they are bought."""
        return any(callable(columns) for columns in self.columns[1:])


def checked(tiers: Any, *, is_stored: bool = False) -> Tiers:
    """Tiers as they are used, or the error that names what is wrong; stored ones may share columns."""
    if not isinstance(tiers, tuple) or len(tiers) not in (3, 4):
        raise ArgumentError(f"tiers must be FeatureTiers(names, columns, costs), got {tiers!r:.60}")
    names, columns = (
        checks.listed(f"tiers.{what}", field) for what, field in zip(("names", "columns"), tiers)
    )
    if len(names) < 2:
        raise ArgumentError(f"tiers.names must be at least 2, got {len(names)}")
    if len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"tiers.names must be different texts, got {names!r:.80}")
    if len(columns) != len(names):
        raise ShapeError(f"tiers.columns has {len(columns)} tiers; tiers.names has {len(names)}")
    checked_columns: list[Any] = []
    for t, tier_columns in enumerate(columns):
        if not callable(tier_columns):
            tier_columns = checks.whole_numbers(f"tiers.columns[{t}]", tier_columns, 0, 2**31 - 1)
            if not len(tier_columns):
                raise ArgumentError(f"tiers.columns[{t}] must have at least one column, got none")
            if not is_stored:
                _refuse_bought_twice(t, tier_columns, checked_columns)
        checked_columns.append(tier_columns)
    costs = checks.scores("tiers.costs", tiers[2], 1)
    if len(costs) != len(names):
        raise ShapeError(f"tiers.costs has {len(costs)} tiers; tiers.names has {len(names)}")
    if costs[0] != 0:
        raise ArgumentError(f"tiers.costs[0] must be 0, since the first tier is free, got {costs[0]}")
    if not costs.min() >= 0:
        raise ArgumentError(f"tiers.costs must not be negative, got {costs.min()}")
    batch = tiers[3] if len(tiers) == 4 else False
    if not isinstance(batch, bool | np.bool_):
        raise ArgumentError(f"tiers.batch must be True or False, got {batch!r:.60}")
    return Tiers(names, tuple(checked_columns), costs[1:], bool(batch))


def _refuse_bought_twice(t: int, columns: np.ndarray, before: list) -> None:
    """A column of an earlier tier is there already when a later one is bought: it would be paid for twice."""
    values, counts = np.unique(columns, return_counts=True)
    if counts.max() > 1:
        raise ArgumentError(
            f"tiers.columns[{t}] must name each column once, got {values[counts.argmax()]} twice"
        )
    for earlier, other in enumerate(before):
        shared = np.intersect1d(columns, other) if not callable(other) else []
        if len(shared):
            raise ArgumentError(
                f"tiers.columns[{t}] must not name column {shared[0]}, which tier {earlier} has: tiers add "
                "to each other, so it would be paid for twice"
            )


def lengths_of(X: Any) -> np.ndarray:
    """Positions of each item of X, shape (S,)."""
    if isinstance(X, str | bytes | dict) or not hasattr(X, "__len__"):
        raise ArgumentError(f"X must be a list of sequences, got {X!r:.60}")
    sizes = []
    for i, x in enumerate(X):
        shape = getattr(x, "shape", None)
        if shape is None and not hasattr(x, "__len__"):
            raise ArgumentError(f"X[{i}] must be a sequence, got {x!r:.60}")
        if shape is not None and not shape:
            raise ShapeError(f"X[{i}] has shape (); it needs (L, F)")
        sizes.append(len(x) if shape is None else shape[0])
    return np.array(sizes, dtype=np.int64)


def features_of(tiers: Tiers, X: Any, tier: int) -> np.ndarray:
    """Features of one tier at all positions of all items, (R, F_t) float32."""
    tables = features_at(tiers, X, [(i, None) for i, x in enumerate(X) if _length(x)], tier)
    widths = {table.shape[1] for table in tables}
    if len(widths) > 1:
        raise ShapeError(f"tiers.columns[{tier}] must give equally many features, got {sorted(widths)}")
    n_bytes = sum(table.nbytes for table in tables)
    if n_bytes > MAX_BYTES:
        raise ArgumentError(f"X must have at most {MAX_BYTES} bytes of features in a tier, got {n_bytes}")
    return np.concatenate(tables) if tables else np.zeros((0, 0), dtype=np.float32)


def _length(x: Any) -> int:
    shape = getattr(x, "shape", None)
    return len(x) if shape is None else shape[0]


def features_at(tiers: Tiers, X: Any, wanted: Sequence[Wanted], tier: int) -> list[np.ndarray]:
    """Features of one tier at some positions of some items, or at all of each: (L, F_t) float32 of each."""
    chosen = tiers.columns[tier]
    if not callable(chosen):
        raw = [_columns_of(tiers, i, X[i], tier, positions) for i, positions in wanted]
    else:
        rows = [np.arange(_length(X[i])) if positions is None else positions for i, positions in wanted]
        raw = _computed(tiers, [X[i] for i, _ in wanted], rows, tier)
        raw = [_dense(f"tiers.columns[{tier}] of X[{i}]", table) for (i, _), table in zip(wanted, raw)]
        for (i, _), table, asked in zip(wanted, raw, rows):
            if table.ndim != 2 or len(table) != len(asked):
                raise ShapeError(
                    f"tiers.columns[{tier}] of X[{i}] has shape {table.shape}; it needs {len(asked)} rows"
                )
    return [
        _finite(i, table.astype(np.float32), positions, tiers.names[tier])
        for (i, positions), table in zip(wanted, raw)
    ]


def _computed(tiers: Tiers, items: list, rows: list[np.ndarray], tier: int) -> list:
    """What the function of a tier gives for each item, in one call or in one for each."""
    function = tiers.columns[tier]
    if not tiers.batch:
        return [function(x, positions) for x, positions in zip(items, rows)]
    if not items:
        return []
    tables = function(items, rows)
    if not hasattr(tables, "__len__") or isinstance(tables, str | bytes | dict) or hasattr(tables, "tocsr"):
        raise ArgumentError(
            f"tiers.columns[{tier}] must return a list of features, one of each item, got {tables!r:.60}"
        )
    if len(tables) != len(items):
        raise ShapeError(f"tiers.columns[{tier}] gave features of {len(tables)} items; it got {len(items)}")
    return list(tables)


def _columns_of(tiers: Tiers, i: int, x: Any, tier: int, positions: np.ndarray | None) -> np.ndarray:
    """Columns of an item, at some positions or at all."""
    chosen, name = tiers.columns[tier], tiers.names[tier]
    whole = x.tocsr() if hasattr(x, "tocsr") else _dense(f"X[{i}]", x)
    if len(whole.shape) != 2:
        raise ShapeError(f"X[{i}] has shape {tuple(whole.shape)}; it needs (L, F)")
    if chosen.max() >= whole.shape[1]:
        raise ShapeError(f"X[{i}] has {whole.shape[1]} columns; tier {name!r} needs column {chosen.max()}")
    return _dense(f"X[{i}]", (whole if positions is None else whole[positions])[:, chosen])


def _finite(i: int, table: np.ndarray, positions: np.ndarray | None, name: str) -> np.ndarray:
    if not np.isfinite(table).all():
        at = int((~np.isfinite(table).all(axis=1)).argmax())
        at = at if positions is None else int(positions[at])
        raise ScoreError(f"X[{i}] must have finite features, got others at position {at} in tier {name!r}")
    return table


def _dense(name: str, values: Any) -> np.ndarray:
    if hasattr(values, "toarray"):
        values = values.toarray()
    return checks.typed(name, values, "biuf", "numbers")


def stacked(parts: Iterable[np.ndarray], scales: np.ndarray) -> np.ndarray:
    """Tiers side by side, each brought to its scale."""
    scaled = [np.float32(scale) * part for part, scale in zip(parts, scales)]
    return np.ascontiguousarray(np.concatenate(scaled, axis=1))


def scales_of(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Factors that give all tiers the mean squared length of the first, so that learning moves them alike."""
    squares = np.array([np.einsum("rf,rf->", part, part, dtype=np.float64) for part in parts])
    squares = np.where(squares > 0, squares, 1.0)
    return np.sqrt(squares[0] / squares)
