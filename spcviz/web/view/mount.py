"""Python side of all views: mount a component, send parts once, reconcile browser and server state.

The browser owns a component's view (its drags, choices, selections); the server keeps it in the address. A
component draws its *parts*: dicts of arrays and JSON values, named by a digest and sent once. The browser
keeps the latest; if it lacks one (a message was dropped, the page was left), it says so with its next view,
and gets all. Parts that the first picture does not need are sent *later*, when the browser requests them by
name.
"""

import contextlib
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from spcviz.web.cached import memory, ownership
from spcviz.web.transport import static_files

PACKAGE = Path(__file__).parents[2]


class Component(NamedTuple):
    """Definition of a component."""

    name: str  # Streamlit's name for it
    css: tuple[str, ...]  # its style sheets, paths below the package
    parts: tuple[str, ...]  # its JavaScript, see `script`
    view_names: tuple[str, ...] = ()  # owned by the browser; empty if it sends the server nothing
    html: str | None = None  # its content before its JavaScript runs


class PackedPart(NamedTuple):
    """A part as bytes, with its digest: one that is the same on every run is packed once, see `pack_part`."""

    content: bytes
    digest: str


def pack_part(part):
    """Pack a part for sending."""
    content = pack(part)
    return PackedPart(content, hashlib.blake2b(content, digest_size=8).hexdigest())


_packed: dict[tuple, tuple[object, PackedPart]] = {}
"""(id of an owner, function, a visit or None, its settings) -> (the owner, so that its id is not reused;
`PackedPart`)."""

_used: dict[tuple, float] = {}
"""When a visitor's own part was last used."""

_packing = threading.Lock()


def packed_of(owner: object, make: Callable, *settings: Hashable) -> PackedPart:
    """`pack_part` of ``make(owner, *settings)``, once for all visitors who see the same object that way.

    `owner` comes from a cache and is never changed; `make` must persist, so it is no lambda. Settings say
    which data of the owner are packed, such as how much of it a question shows. Parts made from a visitor's
    own data (`ownership.showing`) are deleted with the data.

    >>> word = {"n": 1}
    >>> packed_of(word, dict) is packed_of(word, dict)
    True
    """
    key = id(owner), make, ownership.visit() if ownership.is_showing() else None, *settings
    with _packing:
        known = _packed.get(key)
        if key[2] is not None:
            _used[key] = ownership.CLOCK.now()
    if known is not None:
        memory.MEMORY.touch((packed_of, *key), known)
        return known[1]
    begun = time.monotonic()
    made = owner, pack_part(make(owner, *settings))
    seconds = time.monotonic() - begun
    with _packing:
        known = _packed.setdefault(key, made)
    if known is made:  # and no other thread's, meanwhile
        memory.MEMORY.add((packed_of, *key), _forget, made, seconds)
    return known[1]


def _forget(name):
    """Forget a packed part that the cache budget has evicted."""
    with _packing:
        _packed.pop(name[1:], None)
        _used.pop(name[1:], None)


@ownership.hold
def _forget_over(is_over):
    """Drop the packed parts of visits that are over: see `ownership.Holder`."""
    with _packing:
        gone = [key for key, used in _used.items() if is_over(key[2], used)]
    for key in gone:
        _forget((packed_of, *key))
        memory.MEMORY.remove((packed_of, *key))


class Mounted(NamedTuple):
    """A component with all its data."""

    component: Component
    payload: dict  # sent on every run
    parts: dict[str, PackedPart] | None  # sent once, by name; None if the data are JSON values alone
    key: str = ""  # its name on the page

    @property
    def data(self) -> bytes | dict:
        """The component's data: a whole `message`, or JSON values if it has no parts."""
        return self.payload if self.parts is None else as_message(self.payload, self.parts)

    @property
    def alone(self) -> bytes:
        """The message without its parts, which come separately."""
        digests = {name: part.digest for name, part in (self.parts or {}).items()}
        return message(self.payload, digests, {})


_RECORDS: list[list[Mounted]] = []


@contextlib.contextmanager
def recording() -> Iterator[list[Mounted]]:
    """Record the components mounted meanwhile, by any thread: for a process without visitors."""
    records: list[Mounted] = []
    _RECORDS.append(records)
    try:
        yield records
    finally:
        _RECORDS.remove(records)


def is_recorded() -> bool:
    """Whether a page is opened to be saved: it must contain the parts that wait for a visitor's click."""
    return bool(_RECORDS)


@cache
def _renderer(component):
    css = "".join((PACKAGE / sheet).read_text(encoding="utf-8") for sheet in component.css)
    js = script(component.parts)
    if component.html is None and (stub := static_files.publish(component.name, js, css)):
        js, css = stub, None  # Streamlit sends both with every run
    return st.components.v2.component(component.name, html=component.html, css=css, js=js)


def show(
    component: Component,
    payload: dict,
    *,
    key: str,
    view: dict | None = None,
    parts: dict[str, dict] | None = None,
    later: Collection[str] = (),
    **callbacks,
) -> dict:
    """Mount a component; returns the browser's state: ``view`` and triggers.

    `payload` is sent on every run: JSON values, and arrays if there are `parts`. These are sent once and
    found in ``data.parts``, those named in `later` once the browser has requested them (``want`` in view.js).
    `callbacks` are ``on_view_change`` and the like, called without arguments.
    """
    if component.view_names:
        view = {name: view[name] for name in component.view_names}
        payload = payload | {"view": view, "epoch": epoch(key, view)}
    for records in _RECORDS:
        records.append(Mounted(component, payload, None if parts is None else ready(parts), key))
    if parts is not None:
        payload = message(payload | {"later": sorted(later)}, *unsent(key, parts, later))
    return _renderer(component)(key=key, data=payload, **callbacks)


def viewer(component):
    """The function that mounts a component, given (data sent on every run, parts sent once)."""

    def mount(payload, *, key, view, on_change, later=()):
        sent, parts = payload
        return show(component, sent, key=key, view=view, parts=parts, later=later, on_view_change=on_change)

    return mount


def unsent(
    key: str, parts: dict[str, dict], later: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, bytes]]:
    """Digests of parts by name, and, by digest, the parts that this session's browser lacks or requests."""
    packs, live = ready(parts), live_view(key) or {}
    memory = st.session_state.setdefault(
        f"{key}_sent", {"digests": frozenset(), "lost": None, "wanted": None}
    )
    lost, wanted = live.get("lost"), live.get("wanted")
    known = memory["digests"] if lost == memory["lost"] else frozenset()
    asked = frozenset() if wanted == memory["wanted"] else _names_of(wanted)
    fresh = {
        part.digest: part.content
        for name, part in packs.items()
        if name in asked or (name not in later and part.digest not in known)
    }
    has = known.union(fresh) & {part.digest for part in packs.values()}
    memory |= {"digests": has, "lost": lost, "wanted": wanted}
    return {name: part.digest for name, part in packs.items()}, fresh


def _names_of(wanted):
    """The parts that a browser requests; a sender may send anything."""
    names = wanted.get("names") if isinstance(wanted, Mapping) else None
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def ready(parts: Mapping[str, "dict | PackedPart"]) -> dict[str, PackedPart]:
    """Pack parts; by name."""
    return {name: part if isinstance(part, PackedPart) else pack_part(part) for name, part in parts.items()}


def as_message(payload, parts):
    """A component's data with all of its parts, for a receiver not known to have any."""
    packs = ready(parts)
    digests = {name: part.digest for name, part in packs.items()}
    return message(payload, digests, {part.digest: part.content for part in packs.values()})


def message(payload, digests, fresh):
    """A component's data as bytes: the payload of every run, the parts' digests, the parts in `fresh`."""
    arrays = {digest: np.frombuffer(packed, "u1") for digest, packed in fresh.items()}
    return pack(payload | {"digests": digests, "fresh": arrays})


def pack_ink(pixels: ArrayLike) -> np.ndarray:
    """Black-and-white letters (L, 16, 8), packed to one bit per pixel: (L, 16) uint8."""
    return np.packbits(np.asarray(pixels, dtype=bool).reshape(-1, 128), axis=1)


def narrow(array):
    """Nonnegative integers in the smallest type that holds them.

    >>> narrow([3, 255]).dtype, narrow([3, 256]).dtype
    (dtype('uint8'), dtype('uint16'))
    """
    array = np.asarray(array)
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


def runs(array: ArrayLike) -> dict[str, np.ndarray]:
    """Run lengths of nonnegative integers with long runs of equal values, for `unrollRuns` in elements.js.

    >>> {name: own.tolist() for name, own in runs([7, 7, 7, 0, 7]).items()}
    {'values': [7, 0, 7], 'lengths': [3, 1, 1]}
    """
    flat = np.asarray(array).ravel()
    first = np.flatnonzero(np.diff(flat, prepend=flat[:1] + 1))
    return {"values": narrow(flat[first]), "lengths": narrow(np.diff(first, append=len(flat)))}


TYPES = ("f8", "i4", "i2", "i1", "u1", "u2", "u4")
"""Types of arrays that can be sent, by the browser's names."""


def pack(value) -> bytes:
    r"""Pack a JSON value that contains arrays into bytes, for `openData` in elements.js.

    Four bytes give the length of the header; it is JSON, with ``{"$": [type, first byte, length]}`` for an
    array, counted from the header's end. Arrays, of `TYPES`, are little-endian and begin at a multiple of 8.
    Raises `ValueError` for a non-finite float outside of an array, `KeyError` for an array of another type.

    >>> pack({"a": np.array([1, 2], np.uint8)})
    b'\x1c\x00\x00\x00{"a": {"$": ["u1", 0, 2]}}  \x01\x02\x00\x00\x00\x00\x00\x00'
    """
    chunks, size = [], 0

    def put(array):
        nonlocal size
        if (kind := array.dtype.str[1:]) not in TYPES:
            raise KeyError(array.dtype.name)
        at = size
        content = np.ascontiguousarray(array).astype(f"<{kind}", copy=False).tobytes()
        chunks.append(content + bytes(-len(content) % 8))
        size += len(chunks[-1])
        return {"$": [kind, at, int(array.size)]}

    header = json.dumps(value, default=put, allow_nan=False).encode("ascii")
    header += b" " * (-(len(header) + 4) % 8)
    return b"".join([len(header).to_bytes(4, "little"), header, *chunks])


_COMMENT = re.compile(r"\s*(//.*|/\*\*.*\*/)\s*")
"""A line of a script that is a comment; no text in backquotes has one."""


def script(parts: Sequence[str]) -> str:
    """JavaScript files, by path, as one module without imports; the last has the default export.

    A file that exports nothing keeps its names private: two problems may use the same name. A JSON file
    becomes a constant with its name in capitals, so that a browser caches it with the script. Comment lines
    are left out: they are for developers, and a twentieth of a saved page of Letters.
    """
    out = []
    for part in parts:
        if part.endswith(".json"):
            value = json.loads((PACKAGE / part).read_text(encoding="utf-8"))
            out.append(f"const {Path(part).stem.upper()} = {json.dumps(value)};")
            continue
        lines, is_importing = [], False
        for line in (PACKAGE / part).read_text(encoding="utf-8").splitlines():
            is_importing = is_importing or line.startswith("import {")
            if not is_importing and not _COMMENT.fullmatch(line):
                lines.append(line)
            if line.endswith('.js";'):
                is_importing = False
        is_shared = any(line.startswith("export ") for line in lines)
        lines = [re.sub("^export (?!default)", "", line) for line in lines]
        out += lines if is_shared else ["{", *lines, "}"]
    return "\n".join(out) + "\n"


def live_view(key: str) -> dict | None:
    """The view the browser last sent for the component mounted under `key`, or None."""
    state = st.session_state.get(key)
    view = state.get("view") if isinstance(state, Mapping) else None  # a sender may send anything
    return dict(view) if isinstance(view, Mapping) else None


def epoch(key: str, view: dict) -> int:
    """A number that rises when the server's view is new to the browser; else the browser's own view wins.

    A view is new if it is neither the one that the browser shows (sent last, or was made to show since) nor
    the one that it was given last.
    """
    live = live_view(key)
    sent = {name: live.get(name) for name in view} if live else None
    fresh = {"epoch": 0, "view": view, "sent": sent, "shows": view}
    memory = st.session_state.setdefault(f"{key}_memory", fresh)
    if sent != memory["sent"]:
        memory["shows"] = sent
    if view not in (memory["shows"], memory["view"]):
        memory |= {"epoch": memory["epoch"] + 1, "shows": view}
    memory |= {"view": view, "sent": sent}
    return memory["epoch"]
