"""Search a process's memory and files for a marker: who still holds a text, bytes or an array with it."""

import gc
import os
import time
import types
import weakref
from pathlib import Path

import numpy as np

_SEARCHED = {str, bytes, bytearray, memoryview, np.ndarray}
_SKIPPED = (types.FrameType, types.CodeType, types.ModuleType, types.TracebackType)


def holders(marker: str | bytes) -> list[str]:
    """What holds a text, bytes or an array in which the marker is, each in a few words; code does not count.

    A marker is drawn at random, so that it is no constant of any code: a word, or bytes of a picture.
    """
    collect()
    sign, found = marker.encode() if isinstance(marker, str) else marker, []
    searched: dict[int, tuple[object, bool]] = {}  # most texts and arrays have many holders
    for holder in gc.get_objects():
        if isinstance(holder, _SKIPPED) or holder is globals():
            continue
        for held in gc.get_referents(holder):
            if type(held) not in _SEARCHED:
                continue
            if (one := searched.get(id(held))) is None:
                one = searched[id(held)] = held, _has(held, marker, sign)
            if one[1] and not _is_code(holder):
                found.append(f"{type(holder).__module__}.{type(holder).__name__} holds {_short(held)}")
    return found


def collect() -> None:
    """Free what lies in circles now: `gc.collect` does nothing while another thread collects."""

    class Circle:
        pass

    circle = Circle()
    circle.own, left = circle, weakref.ref(circle)
    del circle
    while left() is not None:
        gc.collect()
        time.sleep(0.001)


def on_disk(marker: str | bytes, since: float) -> list[Path]:
    """Files below the usual places that were written since a time and hold the marker."""
    sign, found = marker.encode() if isinstance(marker, str) else marker, []
    for top in (Path(os.environ.get("TMPDIR", "/tmp")), Path.home() / ".cache", Path.home() / ".streamlit"):
        for folder, _, names in os.walk(top):
            for name in names:
                path = Path(folder, name)
                try:
                    if path.is_file() and path.stat().st_mtime >= since and sign in path.read_bytes():
                        found.append(path)
                except OSError:
                    continue
    return found


def _has(held: object, marker: str | bytes, sign: bytes) -> bool:
    if isinstance(held, str):
        return isinstance(marker, str) and marker in held and held is not marker
    if isinstance(held, np.ndarray):
        if held.dtype.kind not in "USu" or held.nbytes >= 1 << 26:
            return False
        raw = held.tobytes()
        return sign in raw or (isinstance(marker, str) and marker.encode("utf-32-le") in raw)
    return held is not sign and sign in (bytes(held) if isinstance(held, memoryview) else held)


def _is_code(holder: object) -> bool:
    """Whether a dict or tuple is of modules and functions, where the marker is a constant."""
    return isinstance(holder, dict) and "__builtins__" in holder


def _short(held: object) -> str:
    return f"{type(held).__name__} {str(held)[:60]!r}"
