"""Encode X, as users pass it, as rows of numbered features.

X is a list with one item per sequence; a sequence is

- an (L, F) array, or a nested list of numbers,
- a scipy sparse matrix of that shape,
- a list of tokens, each a list or set of strings (features that are present) or a dict: ``{"word": "The"}``
  is the feature ``word=The``, ``{"length": 3}`` has a value, ``{"is_title": True}`` is present or absent, and
  ``{"affix": ["a", "b"]}`` is ``affix=a`` and ``affix=b``; see `spcviz.sequences.feature_names`.

Features are numbered in the order in which training sees them. Features not seen in training are ignored.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, repeat
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.rows import CsrRows, Rows, compact
from spcviz.sequences.feature_names import MAX_VALUE
from spcviz.sequences.token_reader import Numbered, TokenReader
from spcviz.sequences.tokens import Vocabulary, numbered_pairs

__all__ = ["Encoded", "Vocabulary", "as_items", "encode", "is_named", "lengths_of"]


class Encoded(NamedTuple):
    """Concatenated sequences: a row per token, and their lengths (W,), int64."""

    rows: Rows
    lengths: np.ndarray


def encode(
    X: Any, vocabulary: dict[str, int] | None, n_features: int | None, *, grow: bool = False
) -> Encoded:
    """X as rows: names by a vocabulary that may `grow`, or `n_features` columns (None: as in the first).

    >>> encoded = encode([[["the", "first"], ["dog"]]], vocabulary := {}, None, grow=True)
    >>> vocabulary, encoded.rows.index.tolist(), encoded.lengths.tolist()
    ({'the': 0, 'first': 1, 'dog': 2}, [0, 1, 2], [2])
    """
    items = as_items(X)
    if is_named(items):
        if vocabulary is None:
            raise ArgumentError(
                f"X must hold arrays of {n_features} columns, as in training, got named features"
            )
        return _of_names(items, vocabulary, grow)
    if vocabulary is not None and any(_length(item, f"X[{i}]") for i, item in enumerate(items)):
        raise ArgumentError("X must hold named features (strings or dicts), as in training, got numbers")
    if vocabulary is not None:
        return _of_names(items, vocabulary, grow)
    return _of_arrays(items, n_features)


def as_items(X: Any) -> Sequence[Any]:
    """The sequences of X as a list or tuple."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):  # iterating over it gives the columns' names
        raise ArgumentError(
            f"X must be a list of sequences, got a {type(X).__name__} of shape {X.shape}, which has no "
            "sequences (a row a token, with a column of sentences' numbers: [group.to_dict('records') for _, "
            "group in X.groupby('sentence')]; for a single sequence of numbers: [X.to_numpy()])"
        )
    if hasattr(X, "get_group"):  # iterating over it gives pairs
        raise ArgumentError(
            f"X must be a list of sequences, got a {type(X).__name__} (its groups as dicts: "
            "[group.to_dict('records') for _, group in X])"
        )
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and X.ndim != 3:
        raise ArgumentError(
            f"X must be a list of sequences, got one array of shape {X.shape} (for a single sequence: [X]; "
            "for all one after the other with lengths: np.split(X, np.cumsum(lengths)[:-1]))"
        )
    if sparse.issparse(X):
        raise ArgumentError(
            f"X must be a list of sequences, got one sparse matrix of shape {X.shape} (for a single "
            "one: [X]; for all one after the other: the rows of each)"
        )
    if isinstance(X, str | bytes | Mapping) or not isinstance(X, Iterable):
        raise ArgumentError(f"X must be a list of sequences, got {X!r:.60}")
    items = X if isinstance(X, list | tuple) else list(X)
    if set(map(type, items)) <= {list, tuple, np.ndarray}:
        return items
    return [_as_tokens(item, f"X[{i}]") for i, item in enumerate(items)]


def lengths_of(items: Sequence[Any]) -> np.ndarray:
    """Number of tokens of each item of `as_items` (W,); the tokens are not inspected."""
    _check_are_lists(items)
    return np.array([_length(item, f"X[{i}]") for i, item in enumerate(items)], dtype=np.int64)


def _as_tokens(item: Any, name: str) -> Any:
    """A sequence that can be read twice; iterators and `pycrfsuite.ItemSequence` become lists of tokens."""
    if isinstance(item, Iterator):
        return list(item)
    if type(item).__name__ == "ItemSequence" and callable(getattr(item, "items", None)):
        return item.items()
    if not (hasattr(item, "shape") or isinstance(item, Iterable)):
        raise ArgumentError(f"{name} must be a list of tokens, got {item!r:.60}")
    return item


def is_named(items: Sequence[Any]) -> bool:
    """Whether the very first token is a dict or holds strings (or is a string, which is refused later)."""
    for item in items:
        if isinstance(item, str | bytes | Mapping):
            return True
        if _is_array(item):
            return False
        for token in item if isinstance(item, Iterable) else ():
            if isinstance(token, str | bytes | Mapping):
                return True
            if isinstance(token, list | tuple | Set) and len(token):
                return not isinstance(next(iter(token)), Real)
            if isinstance(token, np.ndarray) and token.dtype.kind in "OUS" and token.ndim == 1:
                return True
            if isinstance(token, np.ndarray | Real):
                return False
    return any(not _is_array(item) and _length(item, "X") for item in items)  # all tokens are empty


def _is_array(item: Any) -> bool:
    """Whether a sequence is a table of numbers from any library rather than a list of tokens."""
    return hasattr(item, "shape") and getattr(getattr(item, "dtype", None), "kind", "f") not in "OUS"


def _length(item: Any, name: str) -> int:
    try:
        return item.shape[0] if sparse.issparse(item) else len(item)
    except TypeError:
        raise ArgumentError(f"{name} must be a sequence of tokens, got {item!r:.60}") from None


def _of_names(items: Sequence[Any], vocabulary: dict[str, int], grow: bool) -> Encoded:
    if not set(map(type, items)) <= {list, tuple}:
        _check_are_lists(items)
    read = None if grow else _reader_of(vocabulary).read_all(items)
    lengths, numbered = read or _number_tokens(items, vocabulary, grow)
    start, index = np.concatenate([[0], np.cumsum(numbered.counts)]), numbered.index
    weights = np.ones(len(index), np.float32) if numbered.values is None else numbered.values
    if len(index) and index.min() < 0:
        is_known = index >= 0
        start = np.concatenate([[0], np.cumsum(is_known)])[start]
        index, weights = index[is_known], weights[is_known]
    return Encoded(CsrRows(start, index, compact(weights), len(vocabulary)), lengths)


def _number_tokens(
    items: Sequence[Any], vocabulary: dict[str, int], grow: bool
) -> tuple[np.ndarray, Numbered]:
    """(lengths, features) of tokens of any kind."""
    lengths = np.fromiter(map(len, items), np.int64, len(items))
    tokens = list(chain.from_iterable(items))
    numbered = None
    if set(map(type, tokens)) <= {list, tuple}:
        numbered = _numbered_names(tokens, vocabulary, grow)
    return lengths, numbered or numbered_pairs(tokens, vocabulary, grow, lengths)


def _reader_of(vocabulary: dict[str, int]) -> TokenReader:
    return vocabulary.reader if isinstance(vocabulary, Vocabulary) else TokenReader(vocabulary)


def _numbered_names(tokens: list[Any], vocabulary: dict[str, int], grow: bool) -> Numbered | None:
    """Features of tokens that are lists of texts; None if something else is in one."""
    numbers: Any = vocabulary
    if grow:
        numbers = defaultdict(None, vocabulary)
        numbers.default_factory = numbers.__len__
    counts = np.fromiter(map(len, tokens), np.int64, len(tokens))
    flat = chain.from_iterable(tokens)
    try:  # intermediate lists take two thirds of the time of chained iterators, but more memory
        indices = map(numbers.__getitem__, flat) if grow else list(map(numbers.get, list(flat), repeat(-1)))
        index = np.fromiter(indices, np.int32, int(counts.sum()))
    except TypeError:  # an unhashable item
        return None
    if grow:
        if not all(isinstance(name, str) for name in numbers):
            return None
        vocabulary.update(numbers)
    elif (
        len(index)
        and index.min() < 0
        and not all(isinstance(name, str) for name in chain.from_iterable(tokens))
    ):
        return None
    return Numbered(counts, index, None)


def _check_are_lists(items: Sequence[Any]) -> None:
    for i, item in enumerate(items):
        if isinstance(item, str | bytes | Mapping) or not hasattr(item, "__len__"):
            raise ArgumentError(f"X[{i}] must be a list of tokens, got {item!r:.60}")


def _of_arrays(items: Sequence[Any], n_features: int | None) -> Encoded:
    """Rows of arrays or sparse matrices that have the same number of columns."""
    is_sparse = any(sparse.issparse(item) for item in items)
    arrays, wanted, reference = [], n_features, "training"
    for i, item in enumerate(items):
        array = _array(item, i, is_sparse)
        if array.shape[0] == 0 and (array.shape[1] == 0 or wanted is None):
            array = None  # an empty sequence does not define the number of columns
        elif wanted is None:
            wanted, reference = array.shape[1], f"X[{i}]"
        elif array.shape[1] != wanted:
            raise ShapeError(f"X[{i}] has {array.shape[1]} columns; {reference} has {wanted}")
        arrays.append(array)
    lengths = np.array([0 if array is None else array.shape[0] for array in arrays], dtype=np.int64)
    used, columns = [array for array in arrays if array is not None], wanted or 0
    rows: Rows
    if is_sparse:
        rows = _stack(used, columns)
    elif used:
        kind = np.float32 if all(array.dtype == np.float32 for array in used) else np.float64
        rows = DenseRows(np.concatenate(used, dtype=kind))
    else:
        rows = DenseRows(np.empty((0, columns)))
    # Checked all at once: a call for each sequence takes longer.
    if (
        rows.values.size
        and not max(abs(float(rows.values.min())), abs(float(rows.values.max()))) <= MAX_VALUE
    ):
        for i, array in enumerate(arrays):
            _check_is_finite(array, i)
    return Encoded(rows, lengths)


def _array(item: Any, i: int, is_sparse: bool) -> Any:
    """One sequence of numbers, checked."""
    if sparse.issparse(item):
        array = item.tocsr()
        kind = array.dtype.kind
    else:
        if is_sparse and len(item):
            raise ArgumentError(f"X[{i}] must be sparse as others are, got {type(item).__name__}")
        try:
            array = np.asarray(item)
        except ValueError:
            raise ShapeError(
                f"X[{i}] must have tokens of the same number of features, got {item!r:.60}"
            ) from None
        if n_masked := checks.count_masked(item):  # numpy would pass on the values behind the mask
            raise ArgumentError(f"X[{i}] must have no masked entries, got {n_masked} masked")
        if array.size == 0 and array.ndim < 2:
            array = np.empty((0, 0))
        kind = array.dtype.kind
    if kind not in "biuf" and hasattr(item, "columns"):
        raise ArgumentError(
            f"X[{i}] must hold numbers, got a {type(item).__name__} of shape {item.shape} (for named "
            "features: its .to_dict('records'))"
        )
    if kind not in "biuf":
        raise ArgumentError(f"X[{i}] must hold numbers, got {item!r:.60}")
    if array.ndim != 2:
        raise ShapeError(f"X[{i}] has shape {array.shape}; it needs (tokens, features)")
    return array


def _check_is_finite(array: Any, i: int) -> None:
    """Refuse NaN, infinities and values beyond `MAX_VALUE` in one sequence; the error names the place."""
    values = array.data if sparse.issparse(array) else np.zeros(0) if array is None else array.reshape(-1)
    is_fit = np.abs(values) <= MAX_VALUE
    if not is_fit.all():
        at = int(is_fit.argmin())
        if sparse.issparse(array):
            row, column = int(np.searchsorted(array.indptr, at, side="right")) - 1, int(array.indices[at])
        else:
            row, column = divmod(at, array.shape[1])
        wanted = f"from -{MAX_VALUE:g} to {MAX_VALUE:g}" if np.isfinite(values[at]) else "finite"
        raise ScoreError(f"X[{i}][{row}, {column}] must be {wanted}, got {values[at]}")


def _stack(arrays: list[Any], n_features: int) -> CsrRows:
    """Stack sparse matrices by rows; one numpy call for each would take longer than decoding it."""
    sizes = np.fromiter((array.indptr[-1] for array in arrays), np.int64, len(arrays))
    if sizes.sum() != sum(len(array.data) for array in arrays):  # a matrix has unused entries
        arrays = [array.copy() for array in arrays]
        for array in arrays:
            array.prune()
    start = np.concatenate([np.zeros(1, np.int64), *(array.indptr[1:] for array in arrays)])
    start[1:] += np.repeat(np.cumsum(sizes) - sizes, [len(array.indptr) - 1 for array in arrays])
    index = np.concatenate([np.zeros(0, np.int32), *(array.indices for array in arrays)]).astype(np.int32)
    values = np.concatenate([np.zeros(0), *(array.data for array in arrays)])
    return CsrRows(start, index, compact(values), n_features)
