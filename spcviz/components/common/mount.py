"""What the components share in Python: mounting one, arrays as text, whose view wins, colours by theme.

The browser owns a component's view (what is dragged, chosen, selected); the server keeps it in the address.
"""

import base64
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import streamlit as st

from spcviz.figures.common.palette import DARK, LIGHT

HERE = Path(__file__).parents[1]


class Component(NamedTuple):
    """What makes a component.

    Attributes
    ----------
    name : str
        Streamlit's name for it.
    css : str
        Its style sheet, below the folder of components.
    parts : tuple of str
        Its JavaScript, see `script`.
    view_names : tuple of str
        What the browser owns; none for a component that tells the server nothing.
    html : str or None
        What stands in it before its JavaScript runs.
    """

    name: str
    css: str
    parts: tuple
    view_names: tuple = ()
    html: str | None = None


@cache
def _renderer(component):
    return st.components.v2.component(
        component.name,
        html=component.html,
        css=(HERE / component.css).read_text(encoding="utf-8"),
        js=script(component.parts),
    )


def show(component, payload, *, key, view=None, **callbacks):
    """Mount a component.

    Parameters
    ----------
    component : Component
    payload : dict
        JSON values only.
    key : str
    view : dict, optional
        With the component's `view_names`, for one that has any; see `epoch` for whose view wins.
    **callbacks : callable
        ``on_view_change`` and the like, called without arguments.

    Returns
    -------
    dict
        What the browser has sent: ``view`` and triggers.
    """
    if component.view_names:
        view = {name: view[name] for name in component.view_names}
        payload = payload | {"view": view, "epoch": epoch(key, view)}
    return _renderer(component)(key=key, data=payload, **callbacks)


def by_theme(choose):
    """What `choose` picks from the palette, for a light page and for a dark one.

    Parameters
    ----------
    choose : callable
        From a `Palette` to a JSON value.

    Returns
    -------
    dict
        "light" and "dark", as the browser calls its themes.

    Examples
    --------
    >>> by_theme(lambda palette: palette.background)
    {'light': '#FFFFFF', 'dark': '#0F141B'}
    """
    return {"light": choose(LIGHT), "dark": choose(DARK)}


def pack_ink(pixels):
    """Base64 of black-and-white letters, a bit a pixel.

    Parameters
    ----------
    pixels : array_like (L, 16, 8)

    Returns
    -------
    str
    """
    return pack(np.packbits(np.asarray(pixels, dtype=bool).reshape(-1, 128), axis=1), "u1")


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
