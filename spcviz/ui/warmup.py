"""Get the slow things of a fresh process out of the way while the visitor reads the home page."""

import gc
import logging
import threading

import streamlit as st

LOG = logging.getLogger(__name__)


@st.cache_resource(show_spinner=False)
def start():
    """Compile or load the kernels in the background, once in a process.

    Returns
    -------
    threading.Thread
        A daemon; join it to wait.
    """
    thread = threading.Thread(target=_warm_up, name="spcviz warm-up", daemon=True)
    thread.start()
    return thread


def _warm_up():
    try:
        # Here and not above: importing numba takes as long as the home page may take in all.
        from spcviz.experiments import ocr

        ocr.warmup()
    except Exception:  # a page that needs the kernels will say what is wrong; the others still work
        LOG.exception("warm-up failed")
    finally:
        # What is loaded now stays: keep the collector from walking through it after every rerun.
        gc.collect()
        gc.freeze()
