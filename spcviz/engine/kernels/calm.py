"""Compiling without stops for garbage collection while numba makes new objects by the million.

A full collection takes a third of a second in a process that has imported numba, and the compiler's own
objects trigger one every second. While a kernel compiles, the threshold is raised; reference counting still
frees objects as usual.
"""

import gc

from numba.core import event as events

SELDOM = 100_000
"""New objects between two collections while kernels compile."""


def is_ours(event: events.Event) -> bool:
    """Whether an event is about a kernel of this package."""
    function = getattr((event.data or {}).get("dispatcher"), "py_func", None)
    return getattr(function, "__module__", "").partition(".")[0] == __name__.partition(".")[0]


class _Calm(events.Listener):
    """Raises the threshold with the first of nested kernels and lowers it after the last."""

    def __init__(self) -> None:
        self._depth = 0
        self._usual = gc.get_threshold()

    def on_start(self, event: events.Event) -> None:
        """A kernel is about to be compiled, perhaps because another one calls it."""
        if is_ours(event):
            if self._depth == 0:
                self._usual = gc.get_threshold()
                if 0 < self._usual[0] < SELDOM:  # 0: it is switched off
                    gc.set_threshold(SELDOM, *self._usual[1:])
            self._depth += 1

    def on_end(self, event: events.Event) -> None:
        """The kernel is compiled."""
        if is_ours(event) and self._depth:
            self._depth -= 1
            if self._depth == 0:
                gc.set_threshold(*self._usual)


def keep_calm() -> None:
    """From now on, compile without stops for garbage collection."""
    events.register("numba:compile", _Calm())
