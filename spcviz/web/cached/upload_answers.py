"""Cached results of visitors' uploads, refusals included; nothing is computed after a visitor has left."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from spcviz.engine.errors import ArgumentError
from spcviz.shared.uploading import uploads
from spcviz.shared.uploading.uploads import UploadBusyError, UploadError


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
