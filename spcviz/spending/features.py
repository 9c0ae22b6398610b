"""Features of sequences at each tier, as dense arrays or, if named or sparse, as sparse tables.

A table of features (R, F_t) is a 32-bit float array, or a `scipy.sparse.csr_array` with sorted columns,
without duplicates or zeros. Results computed from it are the same to the last bit either way. Names are
numbered by `spcviz.sequences.encoding`, as for the taggers there.
"""

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from scipy import sparse

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError, SpcvizError
from spcviz.learning.budgets.chains.tiered import Table, squared_length
from spcviz.sequences import encoding
from spcviz.sequences.encoding import Vocabulary
from spcviz.sequences.feature_names import key_of_pair
from spcviz.spending.tiers import Tiers, are_keys

MAX_BYTES = 8 << 30
"""Most bytes of features for all positions of one call."""

Wanted = tuple[int, np.ndarray | None]
"""Number of an item, and the positions of it whose features are wanted; None: all."""


def size_of(x: Any) -> int:
    """Positions of an item of X."""
    shape = getattr(x, "shape", None)
    return len(x) if shape is None else shape[0]


def everywhere(X: Any) -> list[Wanted]:
    """All positions of all items that have any."""
    return [(i, None) for i, x in enumerate(X) if size_of(x)]


def first_features(tiers: Tiers, X: Any, tier: int) -> tuple[Table, Vocabulary | None]:
    """Features of one tier at all positions, and the vocabulary of their names; None if they have none."""
    wanted = everywhere(X)
    if are_keys(keys := tiers.columns[tier]):
        items, met = _of_keys(tiers, X, wanted, tier)
        table = _encode_named(tiers, X, items, wanted, tier, vocabulary := Vocabulary(), grow=True)
        if missing := [key for key in keys if key not in met]:
            raise ArgumentError(
                f"tiers.columns[{tier}] must name keys of X's tokens, got {missing[0]!r}, which none has"
            )
        return table, vocabulary
    if callable(tiers.columns[tier]):
        raw, rows = _compute_tier(tiers, X, wanted, tier)
        if encoding.is_named(raw):
            table = _encode_named(tiers, X, raw, wanted, tier, vocabulary := Vocabulary(), grow=True)
            return table, vocabulary
        return _numbers(tiers, raw, rows, wanted, tier), None
    return _columns(tiers, X, wanted, tier), None


def features_at(
    tiers: Tiers, X: Any, wanted: Sequence[Wanted], tier: int, vocabulary: Vocabulary | None
) -> Table:
    """Features of one tier at some or all positions of some items, stacked by rows."""
    if are_keys(tiers.columns[tier]):
        items, _ = _of_keys(tiers, X, wanted, tier)
        return _encode_named(tiers, X, items, wanted, tier, vocabulary, grow=False)
    if not callable(tiers.columns[tier]):
        return _columns(tiers, X, wanted, tier)
    raw, rows = _compute_tier(tiers, X, wanted, tier)
    if vocabulary is not None:
        return _encode_named(tiers, X, raw, wanted, tier, vocabulary, grow=False)
    if encoding.is_named(raw) and any(map(len, rows)):
        raise ArgumentError(
            f"tiers.columns[{tier}] must give numbers, as in training, got names for X[{wanted[0][0]}]"
        )
    return _numbers(tiers, raw, rows, wanted, tier)


def _encode_named(
    tiers: Tiers,
    X: Any,
    items: list[Any],
    wanted: Sequence[Wanted],
    tier: int,
    vocabulary: Vocabulary | None,
    *,
    grow: bool,
) -> sparse.csr_array:
    """Tokens of items as tables of numbered names, read as by the taggers."""
    for (i, positions), item in zip(wanted, items):
        n = size_of(X[i]) if positions is None else len(positions)
        if hasattr(item, "__len__") and len(item) != n:
            raise ShapeError(f"tiers.columns[{tier}] of X[{i}] has {len(item)} tokens; it needs {n}")
    try:
        encoded = encoding.encode(items, vocabulary, None, grow=grow)
    except SpcvizError as error:
        raise type(error)(_restore_places(str(error), wanted, tier)) from None
    rows: Any = encoded.rows
    shape = len(rows.start) - 1, rows.n_features
    return _canonical(sparse.csr_array((rows.values, rows.index, rows.start), shape=shape))


def _restore_places(message: str, wanted: Sequence[Wanted], tier: int) -> str:
    """An error about "X[0][1]" of the encoded items, reworded with their places in X."""

    def place(found: re.Match[str]) -> str:
        i, positions = wanted[int(found[1])]
        at = (
            ""
            if found[2] is None
            else f"[{int(found[2]) if positions is None else positions[int(found[2])]}]"
        )
        return f"tiers.columns[{tier}] of X[{i}]{at}"

    placed = re.sub(r"^X\[(\d+)\](?:\[(\d+)\])?", place, message)
    return placed if placed != message else f"tiers.columns[{tier}]: {message}"


def _canonical(table: Any) -> sparse.csr_array:
    """The table in 32 bits, with sorted columns in each row and without duplicates or zeros."""
    table = sparse.csr_array(table, copy=True)
    table.sum_duplicates()
    with np.errstate(over="ignore"):  # values that become infinite are refused later, with their place
        table = table.astype(np.float32)
    table.eliminate_zeros()
    return table


def _of_keys(tiers: Tiers, X: Any, wanted: Sequence[Wanted], tier: int) -> tuple[list[Any], set[str]]:
    """(tokens of items with only the features of a tier's keys, the keys that occur)."""
    keys, met, of_name = frozenset(tiers.columns[tier]), set[str](), dict[str | bytes, str]()
    items = []
    for i, positions in wanted:
        x = X[i]
        if isinstance(x, str | bytes | Mapping) or hasattr(x, "tocsr") or not encoding.is_named([x]):
            raise ArgumentError(
                f"X[{i}] must be a list of dicts or of lists of texts, since tier {tiers.names[tier]!r} "
                f"has keys, got {x!r:.60}"
            )
        tokens = list(x) if positions is None else [x[p] for p in positions.tolist()]
        items.append([_pick_features(token, keys, met, of_name) for token in tokens])
    return items, met


def _pick_features(token: Any, keys: frozenset[str], met: set[str], of_name: dict[str | bytes, str]) -> Any:
    """A token with only the features of some keys; an invalid token is returned for the encoder to refuse."""
    if isinstance(token, Mapping):
        out: dict[Any, Any] = {}
        for name, value in token.items():
            key = key_of_pair(name, value)
            if key is None:
                return token
            if key in keys:
                out[name] = value
                met.add(key)
        return out
    if isinstance(token, str | bytes) or not isinstance(token, list | tuple | Set | np.ndarray):
        return token
    names = []
    for name in token:
        key = of_name.get(name) if isinstance(name, str | bytes) else None
        if key is None:
            if not isinstance(name, str | bytes) or (key := key_of_pair(name, True)) is None:
                return token
            of_name[name] = key
        if key in keys:
            names.append(name)
            met.add(key)
    return set(names) if isinstance(token, Set) else names


def _compute_tier(
    tiers: Tiers, X: Any, wanted: Sequence[Wanted], tier: int
) -> tuple[list[Any], list[np.ndarray]]:
    """(the result of a tier's function for each item, the positions that were requested)."""
    rows = [np.arange(size_of(X[i])) if positions is None else positions for i, positions in wanted]
    items, function = [X[i] for i, _ in wanted], tiers.columns[tier]
    if not tiers.batch:
        return [function(x, positions) for x, positions in zip(items, rows)], rows
    if not items:
        return [], rows
    tables = function(items, rows)
    if not hasattr(tables, "__len__") or isinstance(tables, str | bytes | dict) or hasattr(tables, "tocsr"):
        raise ArgumentError(
            f"tiers.columns[{tier}] must return a list of features, one of each item, got {tables!r:.60}"
        )
    if len(tables) != len(items):
        raise ShapeError(f"tiers.columns[{tier}] gave features of {len(tables)} items; it got {len(items)}")
    return list(tables), rows


def _numbers(
    tiers: Tiers, raw: list[Any], rows: list[np.ndarray], wanted: Sequence[Wanted], tier: int
) -> Table:
    """Results of a tier's function, stacked by rows."""
    tables = [_plain(f"tiers.columns[{tier}] of X[{i}]", given) for (i, _), given in zip(wanted, raw)]
    for (i, _), table, asked in zip(wanted, tables, rows):
        if table.ndim != 2 or table.shape[0] != len(asked):
            raise ShapeError(
                f"tiers.columns[{tier}] of X[{i}] has shape {table.shape}; it needs {len(asked)} rows"
            )
    return _below(tiers, tables, wanted, tier)


def _columns(tiers: Tiers, X: Any, wanted: Sequence[Wanted], tier: int) -> Table:
    """Columns of items at some or all positions, stacked by rows."""
    chosen, name, tables = tiers.columns[tier], tiers.names[tier], []
    for i, positions in wanted:
        x = X[i]
        if not hasattr(x, "shape") and encoding.is_named([x]):
            raise ArgumentError(
                f"X[{i}] must be an array of numbers, since tier {name!r} has columns of arrays, got named "
                "features (tiers of these have keys: FeatureTiers(names, (['word'], ['before']), costs))"
            )
        whole = _plain(f"X[{i}]", x)
        if len(whole.shape) != 2:
            raise ShapeError(f"X[{i}] has shape {tuple(whole.shape)}; it needs (L, F)")
        if chosen.max() >= whole.shape[1]:
            raise ShapeError(
                f"X[{i}] has {whole.shape[1]} columns; tier {name!r} needs column {chosen.max()}"
            )
        tables.append((whole if positions is None else whole[positions])[:, chosen])
    return _below(tiers, tables, wanted, tier)


def _plain(name: str, values: Any) -> Any:
    """An array of numbers, or a sparse matrix by rows."""
    if hasattr(values, "tocsr"):
        values = sparse.csr_array(values)
        checks.typed_array(name, values.data, "biuf", "numbers")
        return values
    return checks.typed_array(name, values, "biuf", "numbers")


def _below(tiers: Tiers, tables: list[Any], wanted: Sequence[Wanted], tier: int) -> Table:
    """Tables of items, stacked by rows, in 32 bits."""
    tables = [_canonical(table) if sparse.issparse(table) else table.astype(np.float32) for table in tables]
    for (i, positions), table in zip(wanted, tables):
        _check_finite(i, table, positions, tiers.names[tier])
    widths = {table.shape[1] for table in tables}
    if len(widths) > 1:
        raise ShapeError(f"tiers.columns[{tier}] must give equally many features, got {sorted(widths)}")
    n_bytes = sum(table.data.nbytes for table in tables)
    if n_bytes > MAX_BYTES:
        raise ArgumentError(f"X must have at most {MAX_BYTES} bytes of features in a tier, got {n_bytes}")
    return below(tables) if tables else np.zeros((0, 0), dtype=np.float32)


def _check_finite(i: int, table: Table, positions: np.ndarray | None, name: str) -> None:
    values = table.data if sparse.issparse(table) else table
    if not np.isfinite(values).all():
        if sparse.issparse(table):
            at = int(np.searchsorted(table.indptr, np.isfinite(values).argmin(), side="right")) - 1
        else:
            at = int((~np.isfinite(table).all(axis=1)).argmax())
        at = at if positions is None else int(positions[at])
        raise ScoreError(f"X[{i}] must have finite features, got others at position {at} in tier {name!r}")


def below(tables: Sequence[Table]) -> Table:
    """Stack the rows of at least one table."""
    if any(sparse.issparse(table) for table in tables):
        return sparse.csr_array(sparse.vstack([sparse.csr_array(table) for table in tables], format="csr"))
    return np.concatenate(tables)


def beside(tables: Sequence[Table], n_columns: int | None = None) -> Table:
    """Tables side by side, padded with zero columns up to `n_columns`."""
    width, n_rows = sum(table.shape[1] for table in tables), tables[0].shape[0]
    n_columns = width if n_columns is None else n_columns
    if any(sparse.issparse(table) for table in tables):
        rest = sparse.csr_array((n_rows, n_columns - width), dtype=np.float32)
        whole = sparse.hstack([*map(sparse.csr_array, tables), rest], format="csr", dtype=np.float32)
        return sparse.csr_array(whole)
    rest = np.zeros((n_rows, n_columns - width), dtype=np.float32)
    return np.ascontiguousarray(np.concatenate([*tables, rest], axis=1))


def scales_of(tables: Sequence[Table]) -> np.ndarray:
    """Factors that give all tiers the first one's mean squared length, so that learning moves them alike."""
    squares = np.array([squared_length(table) for table in tables])
    squares = np.where(squares > 0, squares, 1.0)
    return np.sqrt(squares[0] / squares)


def scale_table(table: Table, scale: float) -> Table:
    """A tier's features, multiplied by its scale."""
    return table * np.float32(scale)
