"""Decode visitors' pictures and clips in a separate process with limits on time and memory.

A small file can unpack to gigabytes, name other files and crash a decoder. `headers` says what is to read it
or refuses it, `decoder` does with nothing but its bytes; whatever happens, here it is an `UploadError`.
"""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable

import numpy as np

from spcviz.engine.errors import SpcvizError
from spcviz.shared.folders import ROOT
from spcviz.shared.uploading.decoder import CPU_SECONDS, MAX_BYTES, MAX_KEPT, MAX_SIDE, SECONDS
from spcviz.shared.uploading.headers import Header, header_of

N_AT_ONCE = max(1, (os.cpu_count() or 2) // 2)
"""Decoders of this process, whoever asks: each may take `decoder.MEMORY` and a core."""

WAIT = 20
"""Seconds that a file waits for one of them."""

_GLANCE = 0.1  # seconds between two looks at whether anybody still waits
_TURNS = threading.BoundedSemaphore(N_AT_ONCE)
_KEPT_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "SYSTEMROOT")


class UploadError(SpcvizError, ValueError):
    """The file cannot be used; the message is for the visitor."""


class UploadBusyError(UploadError):
    """The file could not be looked at now: nothing that is to be remembered of it."""


def read_upload(data: bytes, *, glance: Callable[[], None] = lambda: None) -> np.ndarray:
    """Frames of a picture or clip, (N, H, W, 3) uint8, the longest side at most 320.

    `data` is at most 20 MB of what `headers` knows. `glance` is called ten times a second; what it raises
    ends the decoder, so that nothing is decoded for a visitor who has left. At most 60 frames, evenly from
    the first 300 or as many as `decoder` unpacks. Raises `UploadError`, or `UploadBusyError` if no decoder
    was free for all of `WAIT` or none could be started.
    """
    if not isinstance(data, bytes | bytearray) or not data:
        raise UploadError("The file is empty.")
    if len(data) > MAX_BYTES:
        raise UploadError(f"The file has {len(data) / 1e6:.1f} MB; at most {MAX_BYTES >> 20} are read.")
    header = header_of(data)
    if isinstance(header, str):
        raise UploadError(header)
    with _turn(glance):
        try:
            with tempfile.TemporaryDirectory(prefix="spcviz-upload-") as folder:
                code, answer = _decoded(bytes(data), header, folder, glance)
        except OSError:  # no process, no descriptor, no room: nothing that the file could help
            raise UploadBusyError("No file can be read just now; try again in a minute.") from None
    return _frames(code, answer, header)


@contextlib.contextmanager
def _turn(glance):
    """One of the few places for a decoder."""
    end = time.monotonic() + WAIT
    while not _TURNS.acquire(timeout=_GLANCE):
        glance()
        if time.monotonic() > end:
            raise UploadBusyError("The server is busy with other visitors' files; try again in a minute.")
    try:
        yield
    finally:
        _TURNS.release()


def _decoded(data, header, folder, glance):
    """(how the decoder ended, what it wrote)."""
    end = time.monotonic() + SECONDS
    module = "spcviz.shared.uploading.decoder"
    command = [sys.executable, "-P", "-m", module, header.library, header.reader]
    with subprocess.Popen(
        command, cwd=folder, env=environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as child:  # fmt: skip
        answer = []
        # A thread of its own: `communicate` sends no more of its input once it has been interrupted.
        talk = threading.Thread(target=lambda: answer.append(child.communicate(data)[0]), daemon=True)
        try:
            talk.start()
            while talk.is_alive():
                talk.join(_GLANCE)
                glance()
                if time.monotonic() > end:
                    raise UploadBusyError(_too_long(SECONDS))  # its CPU time has a limit of its own
        finally:
            child.kill()
            talk.join()
    return child.returncode, b"".join(answer)


def environment(*more: str) -> dict[str, str]:
    """What a child's Python needs to find the same packages, with the variables `more` and nothing else."""
    kept = {name: os.environ[name] for name in (*_KEPT_ENVIRONMENT, *more) if name in os.environ}
    paths = [str(ROOT), *(os.path.abspath(path) for path in sys.path if path)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # each reserves memory
    return kept | threads | {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _too_long(seconds):
    return f"Reading the file took longer than {seconds} s; try a shorter clip or a smaller picture."


def _frames(code: int, answer: bytes, header: Header) -> np.ndarray:
    """Frames of what a decoder wrote; raises what it says or how it ended."""
    head, _, body = answer.partition(b"\n")
    try:
        report = json.loads(head)
    except ValueError:
        if code in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGALRM", 0)) and code:
            raise UploadError(_too_long(CPU_SECONDS)) from None
        raise UploadError("The file could not be decoded: the decoder gave up on it.") from None
    if "problem" in report:
        raise UploadError(report["problem"])
    if "damaged" in report:
        how = "is damaged: no picture or video can be read from it"
        raise UploadError(f"The file begins like {header.label} but {how}.")
    shape = tuple(report["shape"])
    is_small = len(shape) == 4 and 0 < shape[0] <= MAX_KEPT and max(shape[1:3]) <= MAX_SIDE
    if not is_small or len(body) != math.prod(shape):  # a decoder may have been taken over
        raise UploadError("The file could not be decoded: the decoder stopped half-way.")
    return np.frombuffer(body, dtype=np.uint8).reshape(shape)
