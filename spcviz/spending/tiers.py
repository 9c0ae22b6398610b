"""`FeatureTiers`: levels of features that can be bought; checks of tiers and of the lengths of X."""

from collections import Counter
from collections.abc import Callable, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError

Compute = Callable[[Any, Any], Any]


class FeatureTiers(NamedTuple):
    """Tiers of features, each an addition to those before it.

    Attributes
    ----------
    names : sequence of str
        T different names, at least two.
    columns : sequence of (array_like of int, sequence of str, or callable)
        For each tier one of these:

        - column numbers of X's arrays or scipy.sparse matrices;
        - keys of X's tokens, if these are dicts, or lists of texts such as ``"word=The"``, whose key is
          ``word``: all features with these keys;
        - a function that is called as ``f(x, positions)`` with one item of X and an array of positions in it,
          and returns their features: (len(positions), F_t), sparse or dense, or a list with a dict or list of
          texts for each position. The function of a later tier is called only for purchases, when they are
          made.

        Named features are numbered as by the taggers of `spcviz.sequences`, separately in each tier. Absent
        ones take no memory, nor do zeros of sparse matrices.
    costs : sequence of float
        Cost of each tier for one position, in the unit of budgets. The first is free: 0.
    batch : bool
        Whether functions are called as ``f(items, positions)`` with a list of items and a list of arrays of
        positions, one per item, and return a list of their features. All purchases that are certain are then
        computed in one call per tier, which suits a neural network or a server; the purchases are the same.
        A single sequence buys position by position, so this pays off when `predict` gets many.

    Examples
    --------
    >>> FeatureTiers(("cheap", "dear"), ([0, 1], [2, 3, 4]), (0, 2.5)).costs
    (0, 2.5)
    >>> tiers = FeatureTiers(("ending", "word"), (["ending"], ["word", "before"]), (0, 1))
    >>> def tokens(text):
    ...     words = text.split()
    ...     return [{"ending": w[-1], "word": w, "before": v} for v, w in zip(["", *words], words)]
    >>> X, y = [tokens("a cat"), tokens("the dogs"), tokens("the cat")], [["D", "N"]] * 3
    >>> from spcviz.spending import BudgetedTagger
    >>> BudgetedTagger(tiers, policy="uniform", random_state=0).fit(X, y).predict([tokens("a dog")], budget=1)
    [array(['D', 'N'], dtype='<U1')]
    """

    names: Sequence[str]
    columns: Sequence[ArrayLike | Sequence[str] | Compute]
    costs: Sequence[float]
    batch: bool = False


class Detached(NamedTuple):
    """Placeholder for a tier's function in a loaded estimator: functions are code and are not stored."""

    name: str

    def __call__(self, x: Any, positions: np.ndarray) -> ArrayLike:
        raise ArgumentError(
            f"tier {self.name!r} is computed by a function, which is not stored with the estimator: call "
            f"attach({self.name!r}, function) before anything is bought"
        )


class Tiers(NamedTuple):
    """`FeatureTiers`, checked; costs (T - 1,) of lifting a position to tier 1, 2, ..."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]  # of each tier an array of int, a tuple of keys, or a function
    costs: np.ndarray
    batch: bool = False

    @property
    def has_functions(self) -> bool:
        """Whether some tier that is not free computes its features when they are bought."""
        return any(callable(columns) for columns in self.columns[1:])


def check_tiers(tiers: Any, *, is_stored: bool = False) -> Tiers:
    """Tiers in checked form, or the error that names what is wrong; stored tiers may share columns."""
    if not isinstance(tiers, tuple) or len(tiers) not in (3, 4):
        raise ArgumentError(f"tiers must be FeatureTiers(names, columns, costs), got {tiers!r:.60}")
    names, columns = (
        checks.as_tuple(f"tiers.{what}", field) for what, field in zip(("names", "columns"), tiers)
    )
    if len(names) < 2:
        raise ArgumentError(f"tiers.names must be at least 2, got {len(names)}")
    if len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"tiers.names must be different texts, got {names!r:.80}")
    if len(columns) != len(names):
        raise ShapeError(f"tiers.columns has {len(columns)} tiers; tiers.names has {len(names)}")
    checked_columns: list[Any] = []
    for t, tier_columns in enumerate(columns):
        if not callable(tier_columns) and _may_be_keys(tier_columns):
            tier_columns = _checked_keys(t, tier_columns, checked_columns)
        elif not callable(tier_columns):
            tier_columns = checks.whole_numbers(f"tiers.columns[{t}]", tier_columns, 0, 2**31 - 1)
            if not len(tier_columns):
                raise ArgumentError(f"tiers.columns[{t}] must have at least one column, got none")
            if not is_stored:
                _refuse_bought_twice(t, tier_columns, checked_columns)
        checked_columns.append(tier_columns)
    _refuse_both_kinds(names, checked_columns)
    costs = checks.scores("tiers.costs", checks.typed_array("tiers.costs", tiers[2], "iuf", "numbers"), 1)
    if len(costs) != len(names):
        raise ShapeError(f"tiers.costs has {len(costs)} tiers; tiers.names has {len(names)}")
    if costs[0] != 0:
        raise ArgumentError(f"tiers.costs[0] must be 0, since the first tier is free, got {costs[0]}")
    if not costs.min() >= 0:
        raise ArgumentError(f"tiers.costs must not be negative, got {costs.min()}")
    checks.strengths("tiers.costs", costs)
    batch = tiers[3] if len(tiers) == 4 else False
    if not isinstance(batch, bool | np.bool_):
        raise ArgumentError(f"tiers.batch must be True or False, got {batch!r:.60}")
    return Tiers(names, tuple(checked_columns), costs[1:], bool(batch))


def are_keys(columns: Any) -> bool:
    """Whether the columns of a checked tier are keys; `Detached` is a tuple, too."""
    return type(columns) is tuple


def _may_be_keys(columns: Any) -> bool:
    """Whether a tier's columns are meant as keys: a text, or a collection with texts in it."""
    if isinstance(columns, np.ndarray):
        return columns.dtype.kind in "US" or (columns.dtype.kind == "O" and _may_be_keys(columns.tolist()))
    if isinstance(columns, str | bytes):
        return True
    return isinstance(columns, list | tuple | Set) and any(isinstance(c, str | bytes) for c in columns)


def _checked_keys(t: int, given: Any, before: list[Any]) -> tuple[str, ...]:
    """Keys of X's tokens as texts, or the error that names what is wrong."""
    if isinstance(given, str | bytes):
        raise ArgumentError(f"tiers.columns[{t}] must be a list of keys, got {given!r:.60} (of one: [key])")
    keys = sorted(given, key=str) if isinstance(given, Set) else list(given)
    for key in keys:
        if not isinstance(key, str) or not key:
            raise ArgumentError(
                f"tiers.columns[{t}] must be all keys, which are texts, or all numbers, got {key!r:.60}"
            )
    keys = [str(key) for key in keys]
    for key, times in Counter(keys).items():
        if times > 1:
            raise ArgumentError(f"tiers.columns[{t}] must name each key once, got {key!r} twice")
        for earlier, other in enumerate(before):
            if are_keys(other) and key in other:
                raise ArgumentError(
                    f"tiers.columns[{t}] must not name key {key!r}, which tier {earlier} has: tiers add to "
                    "each other, so it would be paid for twice"
                )
    return tuple(keys)


def _refuse_both_kinds(names: Sequence[str], columns: list[Any]) -> None:
    """Refuse keys together with column numbers: X holds arrays or tokens, so one of them must be wrong."""
    keys = [t for t, of_tier in enumerate(columns) if are_keys(of_tier)]
    numbers = [t for t, of_tier in enumerate(columns) if isinstance(of_tier, np.ndarray) and len(of_tier)]
    if keys and numbers:
        raise ArgumentError(
            f"tiers.columns must not have keys of X's tokens for tier {names[keys[0]]!r} and numbers of "
            f"columns of X's arrays for tier {names[numbers[0]]!r}: make one of them a function"
        )


def _refuse_bought_twice(t: int, columns: np.ndarray, before: list[Any]) -> None:
    """Refuse a column that an earlier tier has already bought: it would be paid for twice."""
    values, counts = np.unique(columns, return_counts=True)
    if counts.max() > 1:
        raise ArgumentError(
            f"tiers.columns[{t}] must name each column once, got {values[counts.argmax()]} twice"
        )
    for earlier, other in enumerate(before):
        shared = np.intersect1d(columns, other if isinstance(other, np.ndarray) else columns[:0])
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
