"""One line on standard error when kernels begin to compile: the first call on a machine takes seconds."""

import sys

from numba.core import event as events

from spcviz.engine.kernels import calm, kernel_cache


class _Announcer(events.Listener):
    """Writes the line once per process, for this package's kernels only."""

    def __init__(self) -> None:
        self._is_said = False

    def on_start(self, event: events.Event) -> None:
        """A kernel is about to be compiled."""
        if self._is_said or not calm.is_ours(event):
            return
        self._is_said = True
        folder = kernel_cache.folder()
        kept = f"once; kept in {folder}" if folder else "in every process: see SPCVIZ_JIT_DIR"
        if sys.stderr is not None:
            sys.stderr.write(f"spcviz: compiling for this machine, some seconds ({kept})\n")

    def on_end(self, event: events.Event) -> None:
        """Write nothing more."""


_LINES: list[_Announcer] = []


def announce() -> None:
    """From now on announce when kernels begin to compile, once per process."""
    if not _LINES:
        _LINES.append(_Announcer())
        events.register("numba:compile", _LINES[0])
