"""Undo and redo: the last changes of each page's address, in the visitor's session."""

from collections import deque

import streamlit as st

LAST = 50
_AT, _PAST, _FUTURE = "history_page", "history_past", "history_future"


def at_page(name):
    """Set the page that is about to run; each page's changes are remembered separately."""
    st.session_state[_AT] = name


def remember(before: dict[str, str]):
    """Remember the page's state in the URL before a change; redo is forgotten."""
    past, future = _stacks()
    if not past or past[-1] != before:
        past.append(before)
    future.clear()


def step(state: dict[str, str], is_undo: bool) -> dict[str, str] | None:
    """Return the state one change before (or, for redo, after) the URL's, or None if there is none."""
    past, future = _stacks()
    source, target = (past, future) if is_undo else (future, past)
    while source and source[-1] == state:
        source.pop()
    if not source:
        return None
    target.append(state)
    return source.pop()


def forget():
    """Clear the page's history: a new scene begins."""
    for stack in _stacks():
        stack.clear()


def _stacks():
    name = st.session_state.get(_AT, "")
    every = [st.session_state.setdefault(kind, {}) for kind in (_PAST, _FUTURE)]
    return tuple(stacks.setdefault(name, deque(maxlen=LAST)) for stacks in every)
