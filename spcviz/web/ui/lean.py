"""What Streamlit works out anew for every run of every visitor, though it stays the same.

The colours of the theme and the server's settings go out with each run: read option by option that takes half
a millisecond in the thread that serves everybody. Here they are read once and copied.
"""

import inspect
from functools import wraps

import streamlit as st
from streamlit import config
from streamlit.runtime import app_session

KNOWN = {"_populate_theme_msg": ["msg", "section"], "_populate_config_msg": ["msg"]}
"""Functions of Streamlit that fill a message from settings alone, with their arguments."""

VERSIONS = ("1.67",)
"""Of Streamlit, whose inside is known; another is added when the tests pass with it."""


def install():
    """Let Streamlit remember these messages; a Streamlit whose inside is not known is left as it is.

    Returns
    -------
    bool
        Whether it does.
    """
    found = {name: getattr(app_session, name, None) for name in KNOWN}
    if ".".join(st.__version__.split(".")[:2]) not in VERSIONS or not all(
        map(_is_known, KNOWN, found.values())
    ):
        return False
    for name, fill in found.items():
        if not hasattr(fill, "__wrapped__"):
            setattr(app_session, name, remembered(fill))
    return True


def _is_known(name, function):
    return callable(function) and list(inspect.signature(function).parameters) == KNOWN[name]


def remembered(fill):
    """A function that fills a message, called once for each further argument until the settings change.

    Parameters
    ----------
    fill : callable
        fill(message, ...) only sets fields of an empty message.

    Returns
    -------
    callable
    """
    made = {}
    config.on_config_parsed(made.clear, force_connect=True)

    @wraps(fill)
    def copied(message, *args):
        if args not in made:
            fresh = type(message)()
            fill(fresh, *args)
            made[args] = fresh
        if made[args].ListFields():
            message.MergeFrom(made[args])

    return copied
