"""Work of one visit on several cores: kernels and most of numpy let other threads run meanwhile.

One small pool serves all visitors, so that a class does not start more threads than there are cores. What
runs in it never waits for the pool itself.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

N_THREADS = max(1, min(4, os.cpu_count() or 1))
_POOL = ThreadPoolExecutor(N_THREADS, "spcviz frames")


def run(work, *rows):
    """As `map`, side by side: yields in order, an error where its turn comes.

    Parameters
    ----------
    work : callable
        May call cached functions of the session.
    *rows : sequences
        As many as `work` takes arguments.

    Examples
    --------
    >>> list(run(lambda a, b: a + b, [1, 2], [10, 20]))
    [11, 22]
    """
    session = get_script_run_ctx(suppress_warning=True)

    def in_session(*own):
        add_script_run_ctx(threading.current_thread(), session)
        return work(*own)

    return _POOL.map(in_session, *rows)
