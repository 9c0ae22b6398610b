"""The cache of all visitors' calls: a decorator that computes each value once per process.

Streamlit's own cache hashes every argument anew on each call, 0.1 to 0.2 ms that a page pays eight times a
run. Here the arguments themselves are the key.
"""

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def shared(most: int, spinner: str = "") -> Callable:
    """A decorator: a function of small values is called once for each, whoever asks.

    Those who ask for the same value at once wait for the first. Errors are not cached. Of at most `most`
    values the least recently used is evicted; `spinner` is what a page says while it waits, nothing by
    default. The function takes positional, hashable arguments, and gets a ``clear()``.

    >>> @shared(2)
    ... def square(n):
    ...     print("squared")
    ...     return n * n
    >>> square(3), square(3)
    squared
    (9, 9)
    """

    def decorate(function):
        return functools.wraps(function)(_Shared(function, most, spinner))

    return decorate


class _Shared:
    def __init__(self, function, most, spinner):
        self.function, self.most, self.spinner = function, most, spinner
        self.known, self.asked, self.lock = OrderedDict(), {}, threading.Lock()

    def __call__(self, *key):
        with self.lock:
            if key in self.known:
                self.known.move_to_end(key)
                return self.known[key]
            turn = self.asked.setdefault(key, threading.Lock())
        with turn:
            with self.lock:
                if key in self.known:
                    return self.known[key]
            try:
                with self._waiting():
                    value = self.function(*key)
                with self.lock:
                    self.known[key] = value
                    while len(self.known) > self.most:
                        self.known.popitem(last=False)
            finally:
                with self.lock:
                    self.asked.pop(key, None)
        return value

    def _waiting(self):
        has_page = bool(self.spinner) and get_script_run_ctx(suppress_warning=True) is not None
        return st.spinner(self.spinner) if has_page else nullcontext()

    def clear(self):
        """Forget every value."""
        with self.lock:
            self.known.clear()
