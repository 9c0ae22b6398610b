"""Decoded contents of all that a page's run sends to its browser: texts, numbers of payloads and charts.

A message is taken apart field by field: JSON in strings, output of `mount.pack` (also parts within parts),
plotly's typed arrays, Arrow tables, files behind their own addresses. Pictures are not read.
"""

import base64
import binascii
import json
import math
import re
import urllib.parse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

KINDS = {"f8": "<f8", "i4": "<i4", "i2": "<i2", "i1": "i1", "u1": "u1", "u2": "<u2", "u4": "<u4"}
_DATA = re.compile(r"data:([a-z0-9.+/-]*)[^,\"' ]*?(;base64)?,([^\"')\s]*)", re.ASCII)
_PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif", "font/")


SCRIPTS = ("js_content", "css_content")
"""Fields of a component that a server sends as files, the same for everybody."""


class Leaf(NamedTuple):
    """One value that was sent."""

    path: str  # where it is: "bidi_component letters_lattice.truth"
    value: object  # a string, a number, or an array of numbers


def of_run(at) -> list[Leaf]:
    """All leaves of the elements of a page's last run."""
    found = []
    for block in (at.main, at.sidebar):
        for node in _nodes(block):
            proto = getattr(node, "proto", None)
            if proto is not None and hasattr(proto, "ListFields"):
                name = f"{proto.DESCRIPTOR.name} {getattr(node, 'key', None) or ''}".strip()
                found += _message(proto, name)
    return found


def of_parts(mounted) -> list[Leaf]:
    """Leaves of recorded components (`mount.recording`), with the parts that a browser may request."""
    found = []
    for one in mounted:
        found += _json(one.payload, f"{one.component.name}")
        for name, part in (one.parts or {}).items():
            found += _packed(part.content, f"{one.component.name}.{name}")
    return found


def texts(leaves) -> str:
    """A line for each text and single number: its path and its value."""
    return "\n".join(
        f"{leaf.path} = {leaf.value}" for leaf in leaves if not isinstance(leaf.value, np.ndarray)
    )


def holders(leaves, number: float) -> list[str]:
    """Paths at which a number is a value; for small whole ones arrays do not count, as all contain them."""
    is_small = float(number).is_integer() and abs(number) < 1000
    out = []
    for leaf in leaves:
        if isinstance(leaf.value, np.ndarray):
            if not is_small and leaf.value.dtype.kind in "fiu" and _has(leaf.value, number):
                out.append(leaf.path)
        elif type(leaf.value) in (int, float) and math.isclose(leaf.value, number, rel_tol=1e-6):
            out.append(leaf.path)
    return out


def _has(array, number):
    return bool(np.isclose(array.astype(float), number, rtol=1e-9, atol=0).any())


def _nodes(block) -> Iterator:
    yield block
    for child in getattr(block, "children", {}).values():
        yield from _nodes(child)


def _message(proto, path) -> Iterator[Leaf]:
    for field, value in proto.ListFields():
        here = f"{path}.{field.name}"
        if field.name in SCRIPTS:
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            for key in value:
                yield from _any(value[key], f"{here}.{key}")
        elif isinstance(value, (str, bytes, int, float)) or hasattr(value, "ListFields"):
            yield from _any(value, here)
        else:  # a list
            for at, one in enumerate(value):
                yield from _any(one, f"{here}[{at}]")


def _any(value, path) -> Iterator[Leaf]:
    if hasattr(value, "ListFields"):
        yield from _message(value, path)
    elif isinstance(value, bytes):
        yield from _bytes(value, path)
    elif isinstance(value, str):
        yield from _text(value, path)
    else:
        yield Leaf(path, value)


def _text(text, path) -> Iterator[Leaf]:
    if text[:1] in "{[" and text[-1:] in "}]":
        try:
            value = json.loads(text)
        except ValueError:
            pass
        else:
            yield from _json(value, path)
            return
    for kind, is_packed, content in _DATA.findall(text):
        if not kind.startswith(_PICTURES):
            raw = base64.b64decode(content + "==") if is_packed else urllib.parse.unquote(content).encode()
            yield from _bytes(raw, f"{path} ({kind})")
    yield Leaf(path, _DATA.sub(" ", text))


def _json(value, path) -> Iterator[Leaf]:
    if isinstance(value, dict):
        if set(value) >= {"dtype", "bdata"}:  # plotly's array
            kind = KINDS.get(value["dtype"], value["dtype"])
            yield Leaf(path, np.frombuffer(base64.b64decode(value["bdata"]), kind))
            return
        for name, one in value.items():
            yield from _json(one, f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        if value and all(isinstance(one, (int, float)) for one in value):
            yield Leaf(path, np.array(value, dtype=float))
            return
        for at, one in enumerate(value):
            yield from _json(one, f"{path}[{at}]")
    elif isinstance(value, np.ndarray):
        yield from _array(value, path)
    elif isinstance(value, str):
        yield from _text(value, path)
    elif value is not None:
        yield Leaf(path, value)


def _array(array, path) -> Iterator[Leaf]:
    if array.dtype == np.uint8 and array.size > 8 and (inner := _opened(array.tobytes())) is not None:
        yield from _json(inner, path)
    else:
        yield Leaf(path, array)


def _bytes(data, path) -> Iterator[Leaf]:
    if (value := _opened(data)) is not None:
        yield from _json(value, path)
        return
    try:
        table = pa.ipc.open_stream(data).read_all()
    except (pa.ArrowInvalid, OSError):
        pass
    else:
        for name in table.column_names:
            for at, one in enumerate(table[name].to_pylist()):
                yield from _json(one, f"{path}.{name}[{at}]")
        return
    try:
        yield from _text(data.decode(), path)
    except UnicodeDecodeError:
        yield Leaf(path, np.frombuffer(data, "u1"))


def _packed(data, path) -> Iterator[Leaf]:
    yield from _json(_opened(data), path)


def _opened(data):
    """The value that `mount.pack` turned into these bytes; None for other bytes."""
    if len(data) < 8:
        return None
    size = int.from_bytes(data[:4], "little")
    if (size + 4) % 8 or size + 4 > len(data):
        return None
    try:
        value = json.loads(data[4 : 4 + size])
    except (ValueError, binascii.Error):
        return None
    return _unpacked(value, data[4 + size :])


def _unpacked(value, data):
    if isinstance(value, dict) and set(value) == {"$"}:
        kind, at, size = value["$"]
        return np.frombuffer(data, KINDS[kind], count=size, offset=at)
    if isinstance(value, dict):
        return {name: _unpacked(one, data) for name, one in value.items()}
    return [_unpacked(one, data) for one in value] if isinstance(value, list) else value


def spelled(leaves) -> Iterator[Leaf]:
    """Words spelled by arrays of states, with the alphabet that is sent along."""
    alphabets = {
        leaf.path.rpartition(".alphabet")[0].split("[")[0]: [] for leaf in leaves if ".alphabet" in leaf.path
    }
    for leaf in leaves:
        place, _, rest = leaf.path.rpartition(".alphabet")
        if place and isinstance(leaf.value, str) and rest.startswith("["):
            alphabets.setdefault(place, []).append(leaf.value)
    names = next((row for row in alphabets.values() if row), [])
    for leaf in leaves if names else ():
        is_states = (
            isinstance(leaf.value, np.ndarray) and leaf.value.dtype.kind in "ui" and 0 < leaf.value.size < 400
        )
        if is_states and leaf.value.min() >= 0 and leaf.value.max() < len(names):
            joint = "" if all(len(name) == 1 for name in names) else " "
            yield Leaf(f"{leaf.path} spells", joint.join(names[int(k)] for k in leaf.value.ravel()))


def everything(at, mounted=(), files=()) -> list[Leaf]:
    """All leaves of a run, of its mounted components and of files behind buttons, and the spelled words."""
    leaves = [*of_run(at), *of_parts(mounted)]
    for file in files:
        leaves += _any(file if isinstance(file, (str, bytes)) else file.getvalue(), "a file behind a button")
    return leaves + list(spelled(leaves))
