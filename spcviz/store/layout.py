"""Store records (NamedTuples, dataclasses) as flat named arrays, and rebuild them from their annotations.

Model files hold no skeleton. They store a record whose annotations are precise::

    class Stored(NamedTuple):
        filter: tuple[Model, ...]           filter0_weights, filter0_keys, ..., filter1_weights, ...
        detector: dict[int, np.ndarray]     detector_0, detector_3
        alphas: dict[str, np.ndarray]       alphas_single, alphas_torso
        scale: float                        scale, an array of no dimensions
        phases: np.ndarray | None           phases, or nothing
"""

import re
import types
from collections.abc import Iterable
from typing import Any, TypeVar, Union, get_args, get_origin

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.store import tree
from spcviz.store.errors import DamagedError, StoreError, repair_command
from spcviz.store.models import StoredModel
from spcviz.store.records import fields_of, hints_of, is_record, known_classes

Record = TypeVar("Record")
_LEAVES = ("array", "scalar", "number")


def arrays_of(record: Any) -> dict[str, np.ndarray]:
    """The arrays of a record, by name; single numbers become arrays of no dimensions.

    The record holds arrays, numbers, None where the annotation allows it, and tuples, lists, dicts and
    records of these. `ArgumentError` if it holds anything else, or if the names do not determine it: two
    empty dicts look alike.

    >>> from typing import NamedTuple
    >>> class Fit(NamedTuple):
    ...     weights: tuple[np.ndarray, ...]
    ...     scale: float
    >>> arrays_of(Fit((np.ones(1), np.zeros(2)), 0.5))
    {'weights0': array([1.]), 'weights1': array([0., 0.]), 'scale': array(0.5)}
    """
    kind = type(record)
    writer = tree.Writer(known_classes(kind), by_name=True)
    written = writer.node(record, "value", "", 0)
    try:
        skeleton = layout(kind, writer.arrays)
    except DamagedError as error:
        raise ArgumentError(f"value must be told by the names of its arrays: {error}") from error
    if _leafless(skeleton) != _leafless(written):
        raise ArgumentError(f"value must be told by the names of its arrays, got {list(writer.arrays)}")
    return writer.arrays


def record_of(kind: type[Record], arrays: dict[str, np.ndarray]) -> Record:
    """Rebuild the record that `arrays_of` took apart; arrays are not copied, dicts follow the arrays' order.

    `ArgumentError` if the class is not annotated precisely enough; `DamagedError`, with the path, if an array
    is missing or has no place.

    >>> from typing import NamedTuple
    >>> class Fit(NamedTuple):
    ...     weights: tuple[np.ndarray, ...]
    ...     scale: float
    >>> record_of(Fit, {"weights0": np.ones(1), "scale": np.array(0.5)})
    Fit(weights=(array([1.]),), scale=0.5)
    """
    return tree.rebuild(arrays, layout(kind, arrays), kind)


def stored_as(kind: type[Record], stored: StoredModel) -> Record:
    """A stored model's arrays as a record.

    `StoreError` if they are not those of such a record; it ends with the command that rebuilds them.
    """
    try:
        return record_of(kind, stored.arrays)
    except DamagedError as error:
        raise StoreError(
            f"model {stored.name!r} does not hold what {kind.__module__} reads: {error}; "
            f"repair with: {repair_command(stored.name)}"
        ) from error


def layout(kind: type, names: Iterable[str]) -> Any:
    """The skeleton (see `spcviz.store.tree`) of a record, inferred from the names of its arrays alone.

    `ArgumentError` if an annotation is ambiguous, `DamagedError` if a name is missing.
    """
    return _node(kind, tuple(names), "", "value")


def _node(hint: Any, names: tuple[str, ...], name: str, path: str) -> Any:
    if is_record(hint):
        fields = {
            field: _node(hints_of(hint)[field], names, tree.child_name(name, field), f"{path}.{field}")
            for field in fields_of(hint)
        }
        return {"class": hint.__name__, "fields": fields}
    if hint in (np.ndarray, bool, int, float):
        if name not in names:
            raise DamagedError(f"{path} must have an array {name!r}, which is missing")
        return {"array" if hint is np.ndarray else "number": name}
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType) and len(inner) == 2 and type(None) in inner:
        (other,) = (choice for choice in inner if choice is not type(None))
        return _node(other, names, name, path) if _begins(name, names) else None
    if origin is tuple and inner[-1] is not Ellipsis:
        parts = [(kind, tree.item_name(name, i), f"{path}[{i}]") for i, kind in enumerate(inner)]
        return {"tuple": [_node(kind, names, item, at) for kind, item, at in parts]}
    if origin in (tuple, list):
        nodes: list[Any] = []
        while _is_there(item := tree.item_name(name, len(nodes)), names):
            nodes.append(_node(inner[0], names, item, f"{path}[{len(nodes)}]"))
        return nodes if origin is list else {"tuple": nodes}
    if origin is dict and (inner[0] is int or inner == (str, np.ndarray)):
        keys = _keys(inner[0], name, names)
        rows = [(key, tree.child_name(name, key), f"{path}[{key!r}]") for key in keys]
        return {"dict": [[key, _node(inner[1], names, child, at)] for key, child, at in rows]}
    raise ArgumentError(f"{path} must have an annotation that names of arrays can tell, got {hint}")


def _is_there(name: str, names: tuple[str, ...]) -> bool:
    return any(array_name == name or array_name.startswith(f"{name}_") for array_name in names)


def _begins(name: str, names: tuple[str, ...]) -> bool:
    """Whether an array with this name exists, or one of a field or item below it."""
    return any(re.fullmatch(rf"{re.escape(name)}(\d*|\d*_.*)", array_name) for array_name in names)


def _keys(kind: type, name: str, names: tuple[str, ...]) -> list[Any]:
    """Keys of a dict, each once, in the order of the names."""
    start = f"{name}_"
    rest = [array_name.removeprefix(start) for array_name in names if array_name.startswith(start)]
    if kind is str:
        return rest
    matches = [re.match(r"\d+", tail) for tail in rest]
    return list(dict.fromkeys(int(match.group()) for match in matches if match))


def _leafless(node: Any) -> Any:
    """The skeleton without the difference between arrays and single numbers."""
    if isinstance(node, list):
        return [_leafless(child) for child in node]
    if not isinstance(node, dict):
        return node
    return {"leaf" if key in _LEAVES else key: _leafless(child) for key, child in node.items()}
