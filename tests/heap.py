"""Look through the memory of this process for a marker: who still holds a text, bytes or an array with it."""

import gc
import types

import numpy as np

_PLAIN = (str, bytes, bytearray)
_SKIPPED = (types.FrameType, types.CodeType, types.ModuleType, types.TracebackType)


def holders(marker: str) -> list[str]:
    """What holds a text, bytes or an array in which the marker is, each in a few words; code does not count.

    A marker is drawn at random, so that it is no constant of any code.
    """
    gc.collect()
    sign, found = marker.encode(), []
    for holder in gc.get_objects():
        if isinstance(holder, _SKIPPED) or holder is globals():
            continue
        for held in gc.get_referents(holder):
            if _has(held, marker, sign) and not _is_code(holder):
                found.append(f"{type(holder).__module__}.{type(holder).__name__} holds {_short(held)}")
    return found


def _has(held: object, marker: str, sign: bytes) -> bool:
    if type(held) is str:
        return marker in held and held is not marker
    if type(held) in (bytes, bytearray):
        return sign in held and held is not sign
    if type(held) is np.ndarray and held.dtype.kind in "USu" and held.nbytes < 1 << 26:
        raw = held.tobytes()
        return sign in raw or marker.encode("utf-32-le") in raw
    return False


def _is_code(holder: object) -> bool:
    """Whether a dict or tuple is of modules and functions, where the marker is a constant."""
    return isinstance(holder, dict) and "__builtins__" in holder


def _short(held: object) -> str:
    return f"{type(held).__name__} {str(held)[:60]!r}"
