"""Convert fitted taggers to plain arrays and texts, and check such states when they come from outside.

Kernels do not check bounds. Code that accepts a state from outside first checks every array's shape, dtype
and range against the others; each error message starts with the field.
"""

import inspect
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.table import MAX_BITS, symbol_bits
from spcviz.learning.cascade.config import TOLERANCE_KINDS, Cascade
from spcviz.learning.chains.cascade import LevelFigures
from spcviz.learning.chains.crf import Weights
from spcviz.learning.chains.longer import Worth
from spcviz.learning.chains.rows import N_EDGES
from spcviz.learning.estimators import checked_jobs, current_names

MOST_VALUE = 1e100
"""Largest learned number: products of two, and sums of more of them than fit in memory, stay finite."""

HALF_SIGNS = "surrogatepass"
"""Error handler that lets UTF-8 hold half an emoji, as other tools' JSON and truncated texts contain."""

MOST_CLASSES = 100_000

MOST_LEVELS = 12


class Texts(NamedTuple):
    """Many strings as two arrays: their UTF-8, with lone surrogates as three bytes, and where each ends."""

    utf8: np.ndarray
    ends: np.ndarray


def pack_texts(texts: Iterable[str]) -> Texts:
    """Pack strings into arrays.

    >>> texts_of(pack_texts(["a", "", "é"]))
    ['a', '', 'é']
    """
    each = [text.encode("utf-8", HALF_SIGNS) for text in texts]
    ends = np.cumsum(np.array([len(encoded) for encoded in each], dtype=np.int64))
    return Texts(np.frombuffer(b"".join(each), np.uint8), ends)


def texts_of(texts: Texts) -> list[str]:
    """The strings that `pack_texts` packed."""
    data, ends = texts.utf8.tobytes(), texts.ends.tolist()
    return [data[a:b].decode("utf-8", HALF_SIGNS) for a, b in zip([0, *ends[:-1]], ends)]


def mark(value: Any) -> Any:
    """Mark tuples and dicts, since JSON has no tuples and no dicts with numbers as keys."""
    if isinstance(value, tuple):
        return {"tuple": [mark(item) for item in value]}
    if isinstance(value, list):
        return [mark(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[mark(key), mark(item)] for key, item in value.items()]}
    return value


def unmark(value: Any) -> Any:
    if isinstance(value, list):
        return [unmark(item) for item in value]
    if not isinstance(value, dict):
        return value
    try:
        if "tuple" in value:
            return tuple(unmark(item) for item in value["tuple"])
        return {unmark(key): unmark(item) for key, item in value["dict"]}
    except (LookupError, TypeError, ValueError):
        raise ArgumentError(f"params must be written as by to_state, got {value!r:.60}") from None


def params_as_json(params: dict[str, Any]) -> str:
    """An estimator's parameters as JSON; `ArgumentError` if one, such as a function, cannot be stored."""
    for name, value in params.items():
        try:
            json.dumps(value)
        except TypeError:
            raise ArgumentError(
                f"{name} must be a number, a text, None or a list or dict of such to be stored, "
                f"got {value!r:.60}"
            ) from None
    return json.dumps(mark(params))


def json_of(name: str, text: Any) -> Any:
    """The content of a JSON field."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"{name} must be JSON: {error}") from None


def check_table(name: str, array: Any, shape: tuple[int, ...], kinds: str = "f8") -> None:
    """Refuse anything but an array of this shape with finite numbers; `kinds`: dtypes, separated by spaces.

    >>> check_table("weights", np.zeros((2, 3)), (2, 4))
    Traceback (most recent call last):
    spcviz.engine.errors.ShapeError: weights has shape (2, 3); it needs (2, 4)
    """
    if not isinstance(array, np.ndarray) or array.dtype not in [np.dtype(kind) for kind in kinds.split()]:
        got = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise ArgumentError(f"{name} must be an array of {' or '.join(kinds.split())}, got {got}")
    if array.shape != tuple(shape):
        raise ShapeError(f"{name} has shape {array.shape}; it needs {tuple(shape)}")
    if array.dtype.kind == "f" and not (is_good := np.abs(array) <= MOST_VALUE).all():
        at = tuple(int(i) for i in np.argwhere(~is_good)[0])
        raise ArgumentError(
            f"{name}{list(at)} must be a number from {-MOST_VALUE} to {MOST_VALUE}, got {array[at]}"
        )


def check_positive(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Refuse anything but an array of this shape with numbers above 0."""
    check_table(name, array, shape)
    if array.size and array.min() <= 0:
        raise ArgumentError(f"{name} must be above 0, got {array.min()}")


def check_flag(name: str, value: Any, wanted: bool | None = None) -> None:
    """Refuse anything but True or False, or anything but `wanted` if that is given."""
    if not isinstance(value, bool | np.bool_) or wanted not in (None, bool(value)):
        rule = "True or False" if wanted is None else str(wanted)
        raise ArgumentError(f"{name} must be {rule}, got {value!r:.60}")


def check_classes(name: str, labels: Any, least: int, most: int) -> None:
    """Refuse anything but `least` to `most` labels: different texts or whole numbers."""
    if not isinstance(labels, list | tuple) or not least <= len(labels) <= most:
        n = len(labels) if isinstance(labels, list | tuple) else type(labels).__name__
        raise ArgumentError(f"{name} must be a list of {least} to {most} labels, got {n}")
    for k, label in enumerate(labels):
        if type(label) not in (str, int):
            raise ArgumentError(f"{name}[{k}] must be a text or a whole number, got {label!r:.60}")
        if type(label) is int:
            checks.integer(f"{name}[{k}]", label, -(2**63), 2**63 - 1)
    if len(set(labels)) < len(labels):
        raise ArgumentError(f"{name} must be different, got {labels!r:.60}")


def check_grams(name: str, keys: Any, values: Any, n_states: int, longest: int) -> None:
    """Refuse anything but weights of n-grams: rising codes of 2 to `longest` symbols, one weight each.

    A symbol is a state, the end mark after all others, or the begin mark before them; see
    `spcviz.engine.ngrams.table`.
    """
    size = np.shape(keys)[0] if np.ndim(keys) else 0
    check_table(f"{name}.keys", keys, (size,), "i8")
    check_table(f"{name}.values", values, (size,), "f8 f4")
    bits = symbol_bits(n_states)
    longest = min(longest, MAX_BITS // bits)
    if size and (keys[0] < 1 << bits or keys[-1] >> bits * longest or (np.diff(keys) <= 0).any()):
        raise ArgumentError(f"{name}.keys must rise, each the code of 2 to {longest} symbols")
    rest, is_last = keys.copy(), True
    while rest.any():
        symbol, more = rest & (1 << bits) - 1, rest >> bits
        most = np.where(more > 0, n_states + (1 if is_last else 0), n_states + 2)
        if ((rest > 0) & ((symbol < 1) | (symbol > most))).any():
            raise ArgumentError(
                f"{name}.keys must be codes of states 0 to {n_states - 1}, got another symbol"
            )
        rest, is_last = more, False


def checked_params(kind: type, params: Any) -> dict[str, Any]:
    """Checked parameters for an estimator's constructor; those added in later versions may be missing."""
    known = inspect.signature(kind).parameters
    params = current_names(kind, params) if isinstance(params, dict) else params
    if not isinstance(params, dict) or not set(params) <= set(known):
        raise ArgumentError(f"params must be some of {', '.join(known)}, got {params!r:.60}")
    for name, value in params.items():
        default = known[name].default
        if name == "fit_intercept":
            if value != "auto" and not isinstance(value, bool):
                raise ArgumentError(f"params.{name} must be True, False or 'auto', got {value!r:.60}")
        elif isinstance(default, str) and not isinstance(value, str):
            raise ArgumentError(f"params.{name} must be a text, got {value!r:.60}")
        if isinstance(default, int | float) and not _is_like(default, value) and name != "tolerance":
            raise ArgumentError(f"params.{name} must be a number, got {value!r:.60}")
    checked_jobs(params.get("n_jobs"))
    if params.get("tolerance_kind", TOLERANCE_KINDS[0]) not in TOLERANCE_KINDS:
        raise ArgumentError(
            f"params.tolerance_kind must be one of {', '.join(TOLERANCE_KINDS)}, "
            f"got {params['tolerance_kind']!r:.60}"
        )
    return params


def _is_like(default: float, value: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool | int)  # flags may be given as 0 and 1, and `verbose` as True
    return isinstance(value, int | float) and bool(np.isfinite(value))


def checked_classes(labels: Any) -> np.ndarray:
    """Labels as an array: sorted, all texts or all whole numbers."""
    check_classes("classes", labels, 1, MOST_CLASSES)
    if len(set(map(type, labels))) > 1 or labels != sorted(labels):
        raise ArgumentError(f"classes must be sorted, all texts or all whole numbers, got {labels!r:.60}")
    return np.array(labels)


def checked_names(utf8: Any, ends: Any) -> list[str]:
    """Feature names from two arrays: their UTF-8, and where each ends."""
    n = np.shape(ends)[0] if np.ndim(ends) else 0
    check_table("names.ends", ends, (n,), "i8")
    size = int(ends[-1]) if n else 0
    check_table("names.utf8", utf8, (size,), "u1")
    if n and (ends[0] < 0 or (np.diff(ends) < 0).any()):
        raise ArgumentError(f"names.ends must rise from 0 to {size}")
    try:
        names = texts_of(Texts(utf8, ends))
    except UnicodeDecodeError as error:
        raise ArgumentError(f"names.utf8 must be UTF-8: {error}") from None
    if len(set(names)) < n:
        raise ArgumentError("names must be different")
    return names


def check_weights(name: str, weights: Weights, n_features: int, n_states: int) -> None:
    """Refuse weights whose shapes are not (F, K) and (K, K) for these features and labels."""
    check_table(f"{name}.unary", weights.unary, (n_features, n_states))
    check_table(f"{name}.pairwise", weights.pairwise, (n_states, n_states))


def checked_edges(n_edges: Any) -> int:
    """Number of weight rows that belong to no feature: 0, or 3 for intercept, start and end."""
    if n_edges not in (0, N_EDGES) or isinstance(n_edges, bool):
        raise ArgumentError(f"n_edges must be 0 or {N_EDGES}, got {n_edges!r:.60}")
    return int(n_edges)


def n_features_of(name: str, unary: Any, n_names: int | None, n_edges: int = 0) -> int:
    """Number of features that weights have, without their last `n_edges` rows; must match `n_names`."""
    n = (np.shape(unary)[0] if np.ndim(unary) else 0) - n_edges
    if n < 0:
        raise ShapeError(f"{name} has {n + n_edges} rows; n_edges needs {n_edges} of them")
    if n_names is not None and n != n_names:
        raise ShapeError(f"{name} has {n} rows; names has {n_names} features")
    return n


def check_cascade(
    cascade: Cascade, figures: Any, n_states: int, n_names: int | None, n_edges: int = 0
) -> int:
    """Refuse a cascade whose levels do not fit each other or its labels; return its number of features."""
    levels, what = cascade.levels, "cascade"
    if checks.integer(f"{what}.n_states", cascade.n_states, 1, 1000) != n_states:
        raise ShapeError(f"{what}.n_states is {cascade.n_states}; classes has {n_states} labels")
    if not isinstance(levels, tuple) or not 2 <= len(levels) <= MOST_LEVELS:
        raise ArgumentError(f"{what}.levels must be 2 to {MOST_LEVELS}, got {levels!r:.60}")
    checks.integer(f"{what}.max_arcs", cascade.max_arcs, 1, 2**40)
    checks.integer(f"{what}.first_order", cascade.first_order, 2, 2)
    check_flag(f"{what}.on_nodes", cascade.on_nodes, False)
    check_flag(f"{what}.by_marginals", cascade.by_marginals, False)
    of = f"{what}.levels[0].filter.weights"
    n_features = n_features_of(of, levels[0].filter.weights, n_names, n_edges)
    for n, level in enumerate(levels):
        checks.alpha(f"{what}.levels[{n}].alpha", level.alpha)
        for role in ("filter", "predictor"):
            model, of = getattr(level, role), f"{what}.levels[{n}].{role}"
            check_table(f"{of}.weights", model.weights, (n_features + n_edges, n_states), "f8 f4")
            check_grams(of, model.keys, model.values, n_states, max(n + 1, 2))
    _check_figures(figures, len(levels) - 1)
    return n_features


def _check_figures(figures: Any, n_filters: int) -> None:
    if not isinstance(figures, tuple) or len(figures) != n_filters:
        raise ArgumentError(f"levels must be the figures of {n_filters} filters, got {figures!r:.60}")
    for n, one in enumerate(figures):
        if not isinstance(one, LevelFigures):
            raise ArgumentError(f"levels[{n}] must be LevelFigures, got {one!r:.60}")
        checks.integer(f"levels[{n}].order", one.order, n + 1, n + 1)
        checks.alpha(f"levels[{n}].alpha", one.alpha)
        checks.fraction(f"levels[{n}].lost", one.lost)
        checks.number(f"levels[{n}].kept", one.kept, 0)


def check_worth(worth: Worth | None, n_levels: int) -> None:
    """Refuse figures of a last level that training cannot produce."""
    if worth is None:
        return
    if not isinstance(worth, Worth):
        raise ArgumentError(f"worth must be Worth or None, got {worth!r:.60}")
    checks.integer("worth.order", worth.order, n_levels, n_levels)
    checks.integer("worth.n_examples", worth.n_examples, 0, 2**62)
    for name in ("first", "last"):
        checks.fraction(f"worth.{name}", getattr(worth, name))
    if not worth.standard_error >= 0:  # infinite where a single sequence was set aside
        raise ArgumentError(f"worth.standard_error must be at least 0, got {worth.standard_error!r:.60}")
