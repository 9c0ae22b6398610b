"""Decode visitors' pictures and clips in a separate process with limits on time and memory.

A small file can unpack to gigabytes, name other files and crash a decoder. `headers` chooses its reader or
refuses it, and `decoder` reads it from nothing but its bytes; every failure becomes an `UploadError` here.
"""

import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from spcviz.engine.errors import SpcvizError
from spcviz.shared.confined.asking import Answer, ask
from spcviz.shared.confined.limits import Task
from spcviz.shared.confined.line import Line
from spcviz.shared.uploading.decoder import MAX_BYTES, MAX_KEPT, MAX_SIDE
from spcviz.shared.uploading.headers import Header, header_of

N_AT_ONCE = max(1, (os.cpu_count() or 2) // 2)
"""Files that this process opens at a time, for all visitors: each may take a core and `Task.memory`."""

PATIENCE = 18.0
"""Seconds within which a visitor gets a reply, whether or not the file was opened."""

DECODE = Task(
    work="spcviz.shared.uploading.decoder:decode",
    ready="spcviz.shared.uploading.decoder:load",
    most_out=MAX_KEPT * MAX_SIDE * MAX_SIDE * 3 + 1000,
)
LINE = Line(N_AT_ONCE)
_BUSY = "The server is busy with other visitors' files; try again in a minute."


class UploadError(SpcvizError, ValueError):
    """The file cannot be used; the message is for the visitor."""


class UploadBusyError(UploadError):
    """The file could not be read now: nothing about the file itself, so not to be cached."""


def read_upload(data: bytes, *, glance: Callable[[], None] = lambda: None) -> np.ndarray:
    """Frames of a picture or clip, (N, H, W, 3) uint8, the longest side at most 320.

    `data` is at most 20 MB in a format that `headers` knows. `glance` is called ten times a second; an
    exception from it ends the decoder, so that nothing is decoded for a visitor who has left. The result has
    at most 60 frames, evenly spaced over the first 300 or those that `decoder` unpacks. Raises `UploadError`,
    or `UploadBusyError` if no decoder became free within `PATIENCE` or none could be started.
    """
    if not isinstance(data, bytes | bytearray) or not data:
        raise UploadError("The file is empty.")
    if len(data) > MAX_BYTES:
        raise UploadError(f"The file has {len(data) / 1e6:.1f} MB; at most {MAX_BYTES >> 20} are read.")
    header = header_of(data)
    if isinstance(header, str):
        raise UploadError(header)
    about = {"library": header.library, "reader": header.reader}
    return _frames(in_turn(DECODE, about, bytes(data), glance), header)


def in_turn(task: Task, about: dict[Any, Any], data: bytes, glance: Callable[[], None]) -> Answer:
    """Run a task on a visitor's file in a separate process, when it is this file's turn.

    The visitor gets a reply within `PATIENCE`: `UploadBusyError` if the turn did not come, no process could
    be started, or the time left after waiting was too short.
    """
    end = time.monotonic() + PATIENCE
    with LINE.join() as place:
        if not place.wait(glance, end):
            raise UploadBusyError(_BUSY)
        left = max(end - time.monotonic(), 0.0)
        try:
            answer = ask(task, about, data, glance=glance, seconds=left)
        except OSError:  # no process, descriptor or memory left: not the file's fault
            raise UploadBusyError("No file can be read just now; try again in a minute.") from None
    if answer.fault == "long" and time.monotonic() > end:  # CPU time has a separate limit
        raise UploadBusyError(f"The file was not read within {PATIENCE:.0f} s; try again in a minute.")
    return answer


def _frames(answer: Answer, header: Header) -> np.ndarray:
    """The frames in a decoder's answer; raises `UploadError` with its message or the way it ended."""
    if answer.fault == "long":
        raise UploadError(
            f"Reading the file took longer than {DECODE.cpu_seconds} s; try a shorter clip or a smaller "
            "picture."
        )
    if answer.fault == "memory":
        raise UploadError("The file needs more memory than uploads may use; try a smaller one.")
    if answer.fault == "damaged":
        how = "is damaged: no picture or video can be read from it"
        raise UploadError(f"The file begins like {header.label} but {how}.")
    if answer.fault:
        raise UploadError("The file could not be decoded: the decoder gave up on it.")
    if problem := answer.problem or answer.head.get("problem"):
        raise UploadError(str(problem)[:1000])
    shape: Any = answer.head.get("shape")
    is_small = isinstance(shape, list) and len(shape) == 4 and all(type(n) is int for n in shape)
    is_small = is_small and 0 < shape[0] <= MAX_KEPT and min(shape[1:3]) > 0 and max(shape[1:3]) <= MAX_SIDE
    if not is_small or shape[3] != 3 or len(answer.body) != math.prod(shape):  # the decoder may be hostile
        raise UploadError("The file could not be decoded: the decoder stopped half-way.")
    return np.frombuffer(answer.body, dtype=np.uint8).reshape(shape)
