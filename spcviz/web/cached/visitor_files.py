"""Visitors' uploads in the server: cached results, and a bound on the bytes that Streamlit keeps.

A file is read once: its result, or the sentence that refuses it, is cached by its digest.

Streamlit keeps a file until its page is told to remove it or the visit ends. A browser reports that another
file took its place; a client that does not would fill the server's memory with files that nobody reads.
"""

import hashlib
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from spcviz.engine.errors import ArgumentError
from spcviz.shared.uploading import uploads
from spcviz.shared.uploading.uploads import UploadBusyError, UploadError
from spcviz.web.cached import ownership

MOST_OF_VISIT = 44 << 20
"""Bytes: two of the largest files, the one that is shown and the one that replaces it."""
MOST_OF_ALL = 320 << 20
"""Bytes: sixteen of the largest, or a class's photos."""
_OF_RECORD = 1000
"""Bytes that a file takes in addition to its content: a million empty ones add up."""

LOST = (
    "So many large files are here at the moment that yours could not stay: bring it again, or a smaller one."
)
_LOST: dict[str, float] = {}
"""Visits whose last file was dropped and that have uploaded none since; when, by `ownership.CLOCK`."""


def watch() -> None:
    """Check every second, together with all other automatic deletions; a server calls this once."""
    ownership.hold(_look)


def has_lost(visit: str, file: Any) -> bool:
    """Whether a visit shows no file (`file` is None) because it was dropped."""
    if file is not None:
        _LOST.pop(visit, None)
    return visit in _LOST


def _look(is_over: ownership.IsOver) -> None:
    if runtime.exists():
        now = ownership.CLOCK.now()
        _LOST.update((visit, now) for visit in drop(runtime.get_instance().uploaded_file_mgr))
    for visit, lost_at in list(_LOST.items()):
        if is_over(visit, lost_at):
            _LOST.pop(visit, None)


def drop(manager: Any) -> list[str]:
    """Remove excess files from a file manager; return the visits that lost the file they showed last."""
    held = {visit: _Held(files) for visit, files in list(manager.file_storage.items())}
    for visit, of_visit in held.items():
        while len(of_visit.files) > 1 and of_visit.n_bytes > MOST_OF_VISIT:
            manager.remove_file(visit, of_visit.pop_oldest())
    n_bytes, lost = sum(of_visit.n_bytes for of_visit in held.values()), []
    while n_bytes > MOST_OF_ALL:
        visit, largest = max(held.items(), key=lambda item: item[1].n_bytes)
        before = largest.n_bytes
        manager.remove_file(visit, largest.pop_oldest())
        n_bytes -= before - largest.n_bytes
        if not largest.files:
            lost.append(visit)
    return lost


class _Held:
    """Files of a visit in the order of arrival, and the bytes that they take."""

    def __init__(self, files: dict[str, Any]) -> None:
        self.files = deque((file.file_id, len(file.data) + _OF_RECORD) for file in list(files.values()))
        self.n_bytes = sum(size for _, size in self.files)

    def pop_oldest(self) -> str:
        """Remove the oldest; return its id."""
        file_id, size = self.files.popleft()
        self.n_bytes -= size
        return file_id


def read(data: bytes) -> np.ndarray:
    """Frames of a file, see `uploads.read_upload`; ends the run if its visitor has left."""
    return uploads.read_upload(data, glance=leave_if_left)


def leave_if_left() -> None:
    """End this run if its session has ended: Streamlit itself would notice only at the page's next output."""
    session = get_script_run_ctx(suppress_warning=True)
    if session is None or not runtime.exists():
        return
    if not runtime.get_instance().is_active_session(session.session_id):
        st.stop()


def outcome(work: Callable[[], Any]) -> tuple[Any, str | None]:
    """(what `work` returns, None) or (None, what is wrong with the file): an error would not be cached.

    A busy server is no outcome: that error is raised again, up to `call_by_digest`.
    """
    try:
        return work(), None
    except UploadBusyError:
        raise
    except (UploadError, ArgumentError) as error:
        return None, str(error)


def call_by_digest(
    cached: Callable[[str, bytes], tuple[Any, str | None]], data: bytes
) -> tuple[Any, str | None]:
    """Call `cached` with a file's digest and the file, which is not hashed again; reports a busy server."""
    try:
        return cached(hashlib.sha256(data).hexdigest(), data)
    except UploadBusyError as error:
        return None, str(error)
