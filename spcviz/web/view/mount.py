"""Python side of all views: mount a component, send parts once, reconcile browser and server state.

The browser owns a component's view (what is dragged, chosen, selected); the server keeps it in the address.
What a component draws are its *parts*: dicts of arrays and JSON values, named by a digest and sent once. The
browser keeps the latest; if it lacks one (a message was dropped, the page was left), it says so with its next
view, and gets all. Parts that the first picture does not need are sent *later*, when the browser asks for
them by name.
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
from spcviz.web.view import static_files

PACKAGE = Path(__file__).parents[2]


class Component(NamedTuple):
    """What makes a component."""

    name: str  # Streamlit's name for it
    css: tuple[str, ...]  # its style sheets, paths below the package
    parts: tuple[str, ...]  # its JavaScript, see `script`
    view_names: tuple[str, ...] = ()  # what the browser owns; none if it tells the server nothing
    html: str | None = None  # what stands in it before its JavaScript runs


class Packed(NamedTuple):
    """A part as bytes, with its digest: what is the same on every run is packed once, see `pack_part`."""

    content: bytes
    digest: str


def pack_part(part):
    """A part ready to be sent."""
    content = pack(part)
    return Packed(content, hashlib.blake2b(content, digest_size=8).hexdigest())


_packed: dict[tuple, tuple[object, Packed]] = {}
"""(id of an owner, function, a visit or nobody's, its settings) -> (the owner, so that its id stays its own;
`Packed`)."""

_used: dict[tuple, float] = {}
"""When what is a visitor's own was used last."""

_packing = threading.Lock()


def packed_of(owner: object, make: Callable, *settings: Hashable) -> Packed:
    """`pack_part` of ``make(owner, *settings)``, once for all visitors who see the same object so.

    `owner` comes out of a cache and is never changed; `make` must last, so it is no lambda. Settings say what
    of the owner is packed, such as how far a question shows it. What a visitor's own things are made into
    (`ownership.showing`) goes with them.

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
    if known is made:  # and not somebody else's, meanwhile
        memory.MEMORY.add((packed_of, *key), _forget, made, seconds)
    return known[1]


def _forget(name):
    """There is no memory left for a packed part any more."""
    with _packing:
        _packed.pop(name[1:], None)
        _used.pop(name[1:], None)


@ownership.hold
def _forget_over(is_over):
    """Drop what was packed of visits that are over: see `owned.Holder`."""
    with _packing:
        gone = [key for key, used in _used.items() if is_over(key[2], used)]
    for key in gone:
        _forget((packed_of, *key))
        memory.MEMORY.remove((packed_of, *key))


class Mounted(NamedTuple):
    """A component with all that it was given."""

    component: Component
    payload: dict  # what is sent on every run
    parts: dict[str, Packed] | None  # what is sent once, by name; None where data are JSON values alone
    key: str = ""  # what its page calls it

    @property
    def data(self) -> bytes | dict:
        """What the component was given: a whole `message`, or JSON values where it has no parts."""
        return self.payload if self.parts is None else as_message(self.payload, self.parts)

    @property
    def alone(self) -> bytes:
        """The message without its parts, which come by themselves."""
        digests = {name: part.digest for name, part in (self.parts or {}).items()}
        return message(self.payload, digests, {})


_RECORDS: list[list[Mounted]] = []


@contextlib.contextmanager
def recording() -> Iterator[list[Mounted]]:
    """What is mounted meanwhile, by whatever thread: for a process without visitors."""
    records: list[Mounted] = []
    _RECORDS.append(records)
    try:
        yield records
    finally:
        _RECORDS.remove(records)


def is_recorded() -> bool:
    """Whether a page is opened to be saved: what waits for a visitor's click has to be in it."""
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
    """Mount a component; returns what the browser has sent: ``view`` and triggers.

    `payload` is sent on every run: JSON values, and arrays if there are `parts`. These are sent once and
    found in ``data.parts``, those named in `later` once the browser has asked for them (``want`` in view.js).
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
    """The function that mounts a component on (what is sent on every run, the parts that are sent once)."""

    def mount(payload, *, key, view, on_change, later=()):
        sent, parts = payload
        return show(component, sent, key=key, view=view, parts=parts, later=later, on_view_change=on_change)

    return mount


def unsent(
    key: str, parts: dict[str, dict], later: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, bytes]]:
    """Digests of parts by name, and, by digest, the parts that this session's browser lacks, or asks for."""
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
    """The parts that a browser asks for; whoever sends may send anything."""
    names = wanted.get("names") if isinstance(wanted, Mapping) else None
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def ready(parts: Mapping[str, "dict | Packed"]) -> dict[str, Packed]:
    """Parts packed, by name."""
    return {name: part if isinstance(part, Packed) else pack_part(part) for name, part in parts.items()}


def as_message(payload, parts):
    """A component's data with all of its parts, for who is not known to have any."""
    packs = ready(parts)
    digests = {name: part.digest for name, part in packs.items()}
    return message(payload, digests, {part.digest: part.content for part in packs.values()})


def message(payload, digests, fresh):
    """A component's data as bytes: what is sent on every run, the parts' digests, the parts in `fresh`."""
    arrays = {digest: np.frombuffer(packed, "u1") for digest, packed in fresh.items()}
    return pack(payload | {"digests": digests, "fresh": arrays})


def pack_ink(pixels: ArrayLike) -> np.ndarray:
    """Black-and-white letters (L, 16, 8), packed to one bit per pixel: (L, 16) uint8."""
    return np.packbits(np.asarray(pixels, dtype=bool).reshape(-1, 128), axis=1)


def narrow(array):
    """Whole numbers of at least 0 in the smallest type that holds them.

    >>> narrow([3, 255]).dtype, narrow([3, 256]).dtype
    (dtype('uint8'), dtype('uint16'))
    """
    array = np.asarray(array)
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


def runs(array: ArrayLike) -> dict[str, np.ndarray]:
    """Whole numbers of at least 0, of which many follow their equals, for `unrolled` in elements.js.

    >>> {name: own.tolist() for name, own in runs([7, 7, 7, 0, 7]).items()}
    {'values': [7, 0, 7], 'lengths': [3, 1, 1]}
    """
    flat = np.asarray(array).ravel()
    first = np.flatnonzero(np.diff(flat, prepend=flat[:1] + 1))
    return {"values": narrow(flat[first]), "lengths": narrow(np.diff(first, append=len(flat)))}


TYPES = ("f8", "i4", "i2", "i1", "u1", "u2", "u4")
"""Arrays that can be sent, as the browser calls them."""


def pack(value) -> bytes:
    r"""A JSON value with arrays in it as bytes, for `opened` in elements.js.

    Four bytes give the length of the header; it is JSON, with ``{"$": [type, first byte, length]}`` for an
    array, counted from the header's end. Arrays, of `TYPES`, are little-endian and begin at a multiple of 8.
    Raises `ValueError` for a float that is not finite outside of an array, `KeyError` for an array of another
    type.

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


def script(parts: Sequence[str]) -> str:
    """JavaScript files, by path, as one module without imports; the last has the default export.

    A file that exports nothing keeps its names to itself: two problems may call something the same. A JSON
    file becomes a constant of its name in capitals, so that a browser keeps it with the script.
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
            if not is_importing:
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
    view = state.get("view") if isinstance(state, Mapping) else None  # whoever sends may send anything
    return dict(view) if isinstance(view, Mapping) else None


def epoch(key: str, view: dict) -> int:
    """A number that rises when the server's view is news to the browser; else the browser's own view wins.

    News is neither what the browser shows (sent last, or was made to show since) nor what it was given last.
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
