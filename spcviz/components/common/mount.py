"""What the components with a view of their own share: JavaScript in one module, arrays as text, views.

The browser owns a component's view (what is dragged, chosen, selected); the server keeps it in the address.
"""

import base64
from pathlib import Path

import numpy as np
import streamlit as st

HERE = Path(__file__).parents[1]


def pack(array, dtype):
    """Base64 of an array's little-endian bytes.

    Parameters
    ----------
    array : array_like
    dtype : str
        "<f8", "<i4" or "u1".

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If an integer does not fit the type.

    Examples
    --------
    >>> pack([1, 2], "<i4")
    'AQAAAAIAAAA='
    """
    array = np.asarray(array)
    packed = np.ascontiguousarray(array, dtype=dtype)
    if array.dtype.kind in "iu" and not np.array_equal(packed, array):
        raise ValueError(f"array has values up to {array.max()}; {dtype} is too small for them")
    return base64.b64encode(packed.tobytes()).decode("ascii")


def script(parts):
    """Several JavaScript files as one module, their imports of each other left out.

    Parameters
    ----------
    parts : sequence of str
        Files below the folder of components; the last has the default export.

    Returns
    -------
    str
    """
    out = []
    for part in parts:
        is_importing = False
        for line in (HERE / part).read_text(encoding="utf-8").splitlines():
            is_importing = is_importing or line.startswith("import {")
            if not is_importing:
                out.append(line if line.startswith("export default") else line.removeprefix("export "))
            if line.endswith('.js";'):
                is_importing = False
    return "\n".join(out) + "\n"


def live_view(key):
    """The view the browser last sent, or None.

    Parameters
    ----------
    key : str
        Of the mounted component.

    Returns
    -------
    dict or None
    """
    state = st.session_state.get(key)
    view = state.get("view") if state is not None else None
    return dict(view) if view else None


def epoch(key, view):
    """A number that rises when the server's view is news to the browser.

    That is on the first run and whenever it is neither what the browser sent last nor what it was given
    last (back button, link); else the browser's own view wins.

    Parameters
    ----------
    key : str
    view : dict

    Returns
    -------
    int
    """
    live = live_view(key)
    memory = st.session_state.setdefault(f"{key}_memory", {"epoch": 0, "view": view})
    sent = {name: live.get(name) for name in view} if live else None
    if view not in (sent, memory["view"]):
        memory["epoch"] += 1
    memory["view"] = view
    return memory["epoch"]
