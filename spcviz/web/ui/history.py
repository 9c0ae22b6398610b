"""Undo and redo: the last changes of each page's address, in the visitor's session."""

from collections import deque

import streamlit as st

LAST = 50
_AT, _PAST, _FUTURE = "history_page", "history_past", "history_future"


def at_page(name):
    """The page that is about to run; its changes are remembered by themselves."""
    st.session_state[_AT] = name


def changed(before):
    """Remember what the address said before a change; what was taken back is forgotten.

    Parameters
    ----------
    before : dict of str to str
        The page's state in the address.
    """
    past, future = _stacks()
    if not past or past[-1] != before:
        past.append(before)
    future.clear()


def step(state, is_undo):
    """The address one change before (or after) a state.

    Parameters
    ----------
    state : dict of str to str
        What the address says now.
    is_undo : bool
        False: redo.

    Returns
    -------
    dict of str to str or None
        None if there is nothing to take back.
    """
    past, future = _stacks()
    source, target = (past, future) if is_undo else (future, past)
    while source and source[-1] == state:
        source.pop()
    if not source:
        return None
    target.append(state)
    return source.pop()


def forget():
    """A new scene begins: nothing of the page's past counts."""
    for stack in _stacks():
        stack.clear()


def _stacks():
    name = st.session_state.get(_AT, "")
    every = [st.session_state.setdefault(kind, {}) for kind in (_PAST, _FUTURE)]
    return tuple(stacks.setdefault(name, deque(maxlen=LAST)) for stacks in every)
