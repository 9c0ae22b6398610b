"""Search a process's memory and files for a marker: holders of a text, bytes or an array that contain it."""

import gc
import os
import time
import types
import weakref
from collections.abc import Sequence
from pathlib import Path

import numpy as np

_SEARCHED = {str, bytes, bytearray, memoryview, np.ndarray}
_SKIPPED = (types.FrameType, types.CodeType, types.ModuleType, types.TracebackType)


_AT_ONCE = 2000
"""Holders that are searched together; one by one only where some of them lead to the marker."""


def holders(marker: str | bytes) -> list[str]:
    """Holders of a text, bytes or an array that contain the marker, each in a few words; code does not count.

    A marker is random, so that it is no constant of any code: a word, or bytes of a picture.
    """
    return holders_of([marker])[marker]


def left_of(markers: list[str | bytes], seconds: float = 60) -> dict[str | bytes, list[str]]:
    """Remaining holders of markers after waiting for the clock's sweep and for ending processes."""
    end = time.monotonic() + seconds
    while any((left := holders_of(markers)).values()) and time.monotonic() < end:
        del left  # its descriptions contain the marker
        time.sleep(0.5)
    return left


def holders_of(markers: list[str | bytes]) -> dict[str | bytes, list[str]]:
    """The same for several markers, in one pass over all objects."""
    collect()
    every = [
        holder
        for holder in gc.get_objects()
        if not isinstance(holder, _SKIPPED) and holder is not globals() and holder is not markers
    ]
    found: dict[str | bytes, list[str]] = {marker: [] for marker in markers}
    searched: dict[int, tuple[object, Sequence[str | bytes]]] = {}  # most texts and arrays have many holders
    for first in range(0, len(every), _AT_ONCE):
        some = every[first : first + _AT_ONCE]
        is_behind = False
        for held in gc.get_referents(*some):
            if type(held) in _SEARCHED:
                if (one := searched.get(id(held))) is None:
                    one = searched[id(held)] = held, _in(held, markers)
                is_behind = is_behind or bool(one[1])
        for holder in some if is_behind else ():
            for held in gc.get_referents(holder):
                for marker in searched.get(id(held), (held, ()))[1]:
                    if not _is_code(holder):
                        what = f"{type(holder).__module__}.{type(holder).__name__} holds {_short(held)}"
                        found[marker].append(what)
    return found


def collect() -> None:
    """Free reference cycles now, also among the objects that a server has frozen after loading.

    `gc.collect` does nothing while another thread collects.
    """

    class Circle:
        pass

    circle = Circle()
    circle.own, left = circle, weakref.ref(circle)
    del circle
    while left() is not None:
        gc.unfreeze()  # the end of any warm-up freezes all objects, this cycle too
        gc.collect()
        time.sleep(0.001)


def on_disk(*markers: str | bytes, since: float) -> list[Path]:
    """Files in the usual places that were written after a given time and contain one of the markers."""
    signs, found = [_sign(marker) for marker in markers], []
    for top in (Path(os.environ.get("TMPDIR", "/tmp")), Path.home() / ".cache", Path.home() / ".streamlit"):
        for folder, _, names in os.walk(top):
            for name in names:
                path = Path(folder, name)
                try:
                    if path.is_file() and path.stat().st_mtime >= since:
                        content = path.read_bytes()
                        found += [path] if any(sign in content for sign in signs) else []
                except OSError:
                    continue
    return found


def _sign(marker: str | bytes) -> bytes:
    return marker.encode() if isinstance(marker, str) else marker


def _in(held: object, markers: list[str | bytes]) -> list[str | bytes]:
    """Those of some markers that a text, bytes or an array contains."""
    if isinstance(held, str):
        return [one for one in markers if isinstance(one, str) and one in held and held is not one]
    if isinstance(held, np.ndarray):
        if held.dtype.kind not in "USu" or held.nbytes >= 1 << 26:
            return []
        raw = held.tobytes()
        wide = [isinstance(one, str) and one.encode("utf-32-le") in raw for one in markers]
        return [one for one, is_wide in zip(markers, wide, strict=True) if is_wide or _sign(one) in raw]
    raw = bytes(held) if isinstance(held, memoryview) else held
    return [one for one in markers if held is not one and _sign(one) in raw]


def _is_code(holder: object) -> bool:
    """Whether a holder is the namespace of a module, where the marker is a constant."""
    return isinstance(holder, dict) and "__builtins__" in holder


def _short(held: object) -> str:
    return f"{type(held).__name__} {str(held)[:60]!r}"
