"""Get the slow things of a fresh process out of the way before the first visitor needs them."""

import gc
import logging
import threading

LOG = logging.getLogger(__name__)


def start():
    """Load the kernels and the first page's model in the background; `app.py` calls it once.

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
        from spcviz.ui.cached import common

        common.fill()
    except Exception:  # a page that needs the kernels will say what is wrong; the others still work
        LOG.exception("warm-up failed")
    finally:
        # What is loaded now stays: keep the collector from walking through it after every rerun.
        gc.collect()
        gc.freeze()
