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
    """Frames of a file, see `uploads.read_upload`, as long as its visitor is there."""
    return uploads.read_upload(data, glance=leave_if_left)


def leave_if_left() -> None:
    """End this run if its session has: Streamlit itself would notice only once the page says something."""
    session = get_script_run_ctx(suppress_warning=True)
    if session is None or not runtime.exists():
        return
    if not runtime.get_instance().is_active_session(session.session_id):
        st.stop()


def outcome(work: Callable[[], Any]) -> tuple[Any, str | None]:
    """(what `work` returns, None) or (None, what is wrong with the file): an error would not be cached.

    That the server was busy is no outcome: this goes on as an error, up to `call_by_digest`.
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
    """What `cached` says of a file: it takes the file's digest and, not to be hashed again, the file."""
    try:
        return cached(hashlib.sha256(data).hexdigest(), data)
    except UploadBusyError as error:
        return None, str(error)
