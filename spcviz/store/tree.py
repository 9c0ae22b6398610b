"""Serialise nested values as named arrays and a JSON skeleton; only classes the caller names are rebuilt.

A value consists of arrays, plain numbers, texts, None, lists, tuples, dicts, and of NamedTuples and
dataclasses that the caller names. Its arrays are named after their paths::

    value.levels[0].alpha -> levels0_alpha        value.weights["single"] -> weights_single

and the skeleton is the value with each array replaced by its name:

    {"class": "Level", "fields": {...}}   {"tuple": [...]}   {"dict": [[key, ...], ...]}
    {"array": name}   {"scalar": name}   {"number": name}
    {"bytes": [at, n]}   {"text": [at, n]}   {"base64": [head, at, n]}      in the array `_bytes`
    {"float": "nan"}   {"int": "9223372036854775808"}     what JSON, or some JSON parser, cannot express
    null, true, 3, 0.5, "text", [...]     themselves

Classes are looked up by name among those that the caller gives, never imported. For a value without texts,
the names alone determine the tree: see `spcviz.store.layout`.
"""

import base64
import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.store.archive import portable
from spcviz.store.atomic import json_bytes
from spcviz.store.errors import DamagedError
from spcviz.store.records import check_field, defaults_of, fields_of, known_classes

MAX_DEPTH = 40
LONG_TEXT = 1000
"""Longer texts are stored in an array, where they are compressed; a data URI as the bytes it encodes."""
_MAX_INT = 2**63
_MOST_DIGITS = 4000
_WHOLE = re.compile(rf"-?[0-9]{{1,{_MOST_DIGITS}}}")
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_DATA_URI = re.compile(r"data:[\w/+.-]+;base64,")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST_NAME = 80
_BYTES, _SKELETON = "_bytes", "_skeleton"
"""Names of the arrays without a path: the concatenated content of texts and bytes; the skeleton."""


class Flat(NamedTuple):
    """The result of `flatten`: arrays, little-endian, in C order; plain JSON without NaN or infinities."""

    arrays: dict[str, np.ndarray]
    skeleton: Any


def flatten(value: Any, types: type | Iterable[type]) -> Flat:
    """Flatten a nested value into named arrays and a skeleton.

    It may hold arrays (bool, integer or float of at most 8 bytes, any shape and order), numpy scalars, None,
    bool, int (up to 4000 digits), float, str, bytes; lists, tuples, and dicts with str or int keys, of these;
    and records of `types`, where classes that annotations name need not be listed. `ArgumentError`, with the
    path, if it holds anything else.

    >>> class Level(NamedTuple):
    ...     order: int
    ...     loss: np.ndarray
    >>> flat = flatten({"levels": (Level(1, np.ones(2)),)}, Level)
    >>> list(flat.arrays)
    ['levels0_loss']
    >>> rebuild(*flat, Level)
    {'levels': (Level(order=1, loss=array([1., 1.])),)}
    """
    writer = Writer(known_classes(types))
    skeleton = writer.node(value, "value", "", 0)
    if writer.texts:
        writer.arrays[_BYTES] = np.frombuffer(b"".join(writer.texts), np.uint8)
    return Flat(writer.arrays, skeleton)


def rebuild(arrays: dict[str, np.ndarray], skeleton: Any, types: type | Iterable[type]) -> Any:
    """Rebuild the value that `flatten` took apart; the arrays are not copied.

    `DamagedError`, with the path to what is wrong, if `flatten` would not have written this for these types.

    >>> rebuild({"a": np.arange(2)}, {"tuple": [{"array": "a"}, "text"]}, ())
    (array([0, 1]), 'text')
    """
    reader = Reader(dict(arrays), known_classes(types))
    value = reader.value(skeleton, "value", 0)
    if reader.left:
        raise DamagedError(f"value must use all arrays, got {sorted(reader.left)} beside")
    return value


def pack_tree(value: Any, types: type | Iterable[type]) -> dict[str, np.ndarray]:
    """`flatten`, with the skeleton as one more array: its JSON in UTF-8.

    >>> unpack_tree(pack_tree(("as", "it", "was"), ()), ())
    ('as', 'it', 'was')
    """
    arrays, skeleton = flatten(value, types)
    return arrays | {_SKELETON: np.frombuffer(json_bytes(skeleton, "skeleton"), np.uint8)}


def unpack_tree(arrays: dict[str, np.ndarray], types: type | Iterable[type]) -> Any:
    """The value that `pack_tree` packed; see `rebuild`."""
    arrays = dict(arrays)
    try:
        skeleton = json.loads(arrays.pop(_SKELETON).tobytes())
    except (KeyError, ValueError, RecursionError) as error:
        raise DamagedError(f"value must have a skeleton in JSON: {error!r}") from error
    return rebuild(arrays, skeleton, types)


def child_name(name: str, key: str | int) -> str:
    """The name of a field or dict entry of a named value.

    >>> child_name("levels0", "alpha"), child_name("", "alpha"), child_name("detector", 3)
    ('levels0_alpha', 'alpha', 'detector_3')
    """
    return f"{name}_{key}" if name else str(key)


def item_name(name: str, index: int) -> str:
    """The name of an item of a named sequence; an underscore separates consecutive numbers.

    >>> item_name("levels", 0), item_name("levels0", 1)
    ('levels0', 'levels0_1')
    """
    return f"{name}_{index}" if name[-1:].isdigit() else f"{name}{index}"


def is_of_texts(value: list[Any]) -> bool:
    """Whether a list holds only short texts, which are written as they are: a file may have 100,000.

    >>> is_of_texts(["a", "b"]), is_of_texts(["a", 1])
    (True, False)
    """
    return set(map(type, value)) == {str} and max(map(len, value)) <= LONG_TEXT


class Writer:
    """Write the skeleton of a value, collecting its arrays."""

    def __init__(self, known: dict[str, type], by_name: bool = False) -> None:
        self.known, self.by_name = known, by_name
        self.arrays: dict[str, np.ndarray] = {}
        self.texts: list[bytes] = []
        self.n_bytes = 0

    def node(self, value: Any, path: str, name: str, depth: int) -> Any:
        _check_depth(path, depth, ArgumentError)
        kind = type(value)
        if kind is int and not self.by_name and not -_MAX_INT <= value < _MAX_INT:
            return {"int": _digits(value, path)}
        if value is None or (kind in (bool, int, float) and not self.by_name):
            return _number(value, path)
        if kind in (bool, int, float):
            return {"number": self.keep(np.asarray(_of_64_bits(value, path)), path, name)}
        if kind in (str, bytes):
            return self.text(value, path)
        if kind is np.ndarray:
            return {"array": self.keep(value, path, name)}
        if isinstance(value, np.generic):
            return {"scalar": self.keep(np.asarray(value), path, name)}
        return self.inner(value, path, name, depth + 1)

    def inner(self, value: Any, path: str, name: str, depth: int) -> Any:
        kind: type = type(value)
        if kind is list and is_of_texts(value):
            _utf8("".join(value), path)
            return value
        if kind in (list, tuple):
            nodes = [
                self.node(item, f"{path}[{i}]", item_name(name, i), depth) for i, item in enumerate(value)
            ]
            return nodes if kind is list else {"tuple": nodes}
        if kind is dict:
            return {"dict": [self.entry(key, child, path, name, depth) for key, child in value.items()]}
        if self.known.get(kind.__name__) is not kind:
            raise ArgumentError(
                f"{path} must be an array, plain JSON or of a class in {sorted(self.known)}, "
                f"got {kind.__name__}"
            )
        fields = {}
        for field in fields_of(kind):
            at, child = f"{path}.{field}", getattr(value, field)
            check_field(kind, field, child, at, ArgumentError)
            fields[field] = self.node(child, at, child_name(name, field), depth)
        return {"class": kind.__name__, "fields": fields}

    def entry(self, key: Any, value: Any, path: str, name: str, depth: int) -> list[Any]:
        if type(key) not in (str, int):
            raise ArgumentError(f"keys of {path} must be str or int, got {key!r}")
        check = _of_64_bits if type(key) is int else _utf8
        check(key, path)
        return [key, self.node(value, f"{path}[{key!r}]", child_name(name, key), depth)]

    def text(self, value: str | bytes, path: str) -> Any:
        if self.by_name:
            raise ArgumentError(f"{path} must be an array or a number to be kept by name, got {value!r:.60}")
        if isinstance(value, bytes):
            return {"bytes": self.behind(value)}
        data = _utf8(value, path)
        if len(value) <= LONG_TEXT:
            return value
        if (uri := _DATA_URI.match(value)) and (picture := _from_base64(value[uri.end() :])) is not None:
            return {"base64": [uri.group(), *self.behind(picture)]}
        return {"text": self.behind(data)}

    def behind(self, data: bytes) -> list[int]:
        """Append bytes; return their offset and length."""
        at = [self.n_bytes, len(data)]
        self.texts.append(data)
        self.n_bytes += len(data)
        return at

    def keep(self, array: np.ndarray, path: str, name: str) -> str:
        """Store an array under a unique name; characters not allowed in names become dashes."""
        name = free = _NOT_IN_NAMES.sub("-", name).lstrip("._-")[:_LONGEST_NAME] or "value"
        n = 0
        while free in self.arrays:
            n += 1
            free = f"{name}.{n}"
        self.arrays[free] = portable(array, path)
        return free


class Reader:
    """Rebuild a value from its skeleton, using every array once."""

    def __init__(self, left: dict[str, np.ndarray], known: dict[str, type]) -> None:
        self.left, self.known = left, known
        self.texts = left.pop(_BYTES, np.zeros(0, np.uint8)).reshape(-1).view(np.uint8)
        self.tags: dict[str, Callable[[Any, str, int], Any]] = {
            "array": self.array, "scalar": self.scalar, "number": self.number, "bytes": self.data,
            "text": self.text, "base64": self.data_uri, "float": self.special, "int": self.whole,
            "tuple": self.items, "dict": self.rows,
        }  # fmt: skip

    def value(self, node: Any, path: str, depth: int) -> Any:
        _check_depth(path, depth, DamagedError)
        if node is None or type(node) in (bool, int, float, str):
            return node
        if type(node) is list:
            if is_of_texts(node):
                return node
            return [self.value(child, f"{path}[{i}]", depth + 1) for i, child in enumerate(node)]
        if type(node) is dict and node.keys() == {"class", "fields"}:
            return self.record(node["class"], node["fields"], path, depth + 1)
        if type(node) is not dict or len(node) != 1 or next(iter(node)) not in self.tags:
            raise DamagedError(f"{path} must be a node of a skeleton, got {node!r:.60}")
        ((tag, inside),) = node.items()
        return self.tags[tag](inside, path, depth + 1)

    def record(self, name: Any, nodes: Any, path: str, depth: int) -> Any:
        kind = self.known.get(name) if isinstance(name, str) else None
        if kind is None:
            raise DamagedError(f"{path} must be of a class in {sorted(self.known)}, got {name!r:.60}")
        # A value written before its class got a field is read with the field's default.
        needed = set(fields_of(kind)) - defaults_of(kind)
        if type(nodes) is not dict or not needed <= set(nodes) <= set(fields_of(kind)):
            given = sorted(nodes) if type(nodes) is dict else nodes
            raise DamagedError(
                f"{path} must have the fields {list(fields_of(kind))} of {name}, got {given!r:.300}"
            )
        values = {}
        for field in (name for name in fields_of(kind) if name in nodes):
            at = f"{path}.{field}"
            values[field] = self.value(nodes[field], at, depth)
            check_field(kind, field, values[field], at, DamagedError)
        try:
            return kind(**values)
        except (TypeError, ValueError, SpcvizError) as error:
            raise DamagedError(f"{path} must be what {name} takes: {error}") from error

    def array(self, name: Any, path: str, _depth: int = 0) -> np.ndarray:
        if not isinstance(name, str) or name not in self.left:
            raise DamagedError(f"{path} must have an array of its own, got {name!r:.60}")
        return self.left.pop(name)

    def scalar(self, name: Any, path: str, _depth: int) -> Any:
        return self._single(name, path)[()]

    def number(self, name: Any, path: str, _depth: int) -> float:
        return self._single(name, path).item()

    def _single(self, name: Any, path: str) -> np.ndarray:
        array = self.array(name, path)
        if array.shape:
            raise DamagedError(f"{path} must be a single number, got shape {array.shape}")
        return array

    def data(self, where: Any, path: str, _depth: int) -> bytes:
        is_range = type(where) is list and len(where) == 2 and all(type(n) is int and n >= 0 for n in where)
        if not is_range or sum(where) > self.texts.nbytes:
            raise DamagedError(f"{path} must lie in {self.texts.nbytes} bytes, got {where!r:.60}")
        at, n = where
        return self.texts[at : at + n].tobytes()

    def text(self, where: Any, path: str, depth: int) -> str:
        try:
            return self.data(where, path, depth).decode()
        except UnicodeDecodeError as error:
            raise DamagedError(f"{path} must be a text: {error}") from error

    def data_uri(self, inside: Any, path: str, depth: int) -> str:
        if type(inside) is not list or not inside or not isinstance(inside[0], str):
            raise DamagedError(f"{path} must be a head and a place, got {inside!r:.60}")
        return inside[0] + base64.b64encode(self.data(inside[1:], path, depth)).decode()

    def special(self, word: Any, path: str, _depth: int) -> float:
        if not isinstance(word, str) or word not in _SPECIAL:
            raise DamagedError(f"{path} must be one of {list(_SPECIAL)}, got {word!r:.60}")
        return _SPECIAL[word]

    def whole(self, digits: Any, path: str, _depth: int) -> int:
        if not isinstance(digits, str) or not _WHOLE.fullmatch(digits):
            raise DamagedError(
                f"{path} must be a whole number of at most {_MOST_DIGITS} digits, got {digits!r:.60}"
            )
        return int(digits)

    def items(self, nodes: Any, path: str, depth: int) -> tuple[Any, ...]:
        if type(nodes) is not list:
            raise DamagedError(f"{path} must be a list of nodes, got {nodes!r:.60}")
        return tuple(self.value(node, f"{path}[{i}]", depth) for i, node in enumerate(nodes))

    def rows(self, rows: Any, path: str, depth: int) -> dict[Any, Any]:
        is_rows = type(rows) is list and all(type(row) is list and len(row) == 2 for row in rows)
        if not is_rows or any(type(key) not in (str, int) for key, _ in rows):
            raise DamagedError(f"{path} must be a list of keys and nodes, got {rows!r:.60}")
        by_key = {key: self.value(node, f"{path}[{key!r}]", depth) for key, node in rows}
        if len(by_key) != len(rows):
            raise DamagedError(f"{path} must have each key once, got {[key for key, _ in rows]!r:.60}")
        return by_key


def _check_depth(path: str, depth: int, error: type[Exception]) -> None:
    if depth > MAX_DEPTH:
        raise error(f"{path[:60]} must be nested at most {MAX_DEPTH} deep")


def _from_base64(text: str) -> bytes | None:
    """The bytes that a text encodes; None if encoding them does not give exactly this text."""
    try:
        data = base64.b64decode(text)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def _number(value: Any, path: str) -> Any:
    if type(value) is float and not math.isfinite(value):
        return {"float": "nan" if math.isnan(value) else str(value)}
    return _of_64_bits(value, path)


def _digits(value: int, path: str) -> str:
    if abs(value) >= 10**_MOST_DIGITS:
        raise ArgumentError(f"{path} must have at most {_MOST_DIGITS} digits, got {value.bit_length()} bits")
    return str(value)


def _of_64_bits(value: Any, path: str) -> Any:
    if type(value) is int and not -_MAX_INT <= value < _MAX_INT:
        raise ArgumentError(f"{path} must fit in 64 bits, got {value}")
    return value


def _utf8(text: str, path: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{path} must be text that UTF-8 can hold, got {text!r:.60}") from error
