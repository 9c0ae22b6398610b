"""Bound the bytes of uploads that Streamlit keeps, in one visit and in all; the oldest are dropped.

Streamlit keeps a file until its page is told to remove it or the visit ends. A browser reports that another
file took its place; a client that does not would fill the server's memory with files that nobody reads.
"""

from collections import deque
from typing import Any

from streamlit import runtime

from spcviz.web.cached import ownership

MOST_OF_VISIT = 44 << 20
"""Bytes: two of the largest files, the one that is shown and the one that replaces it."""
MOST_OF_ALL = 320 << 20
"""Bytes: sixteen of the largest, or a class's photos."""


LOST = (
    "So many large files are here at the moment that yours could not stay: bring it again, or a smaller one."
)
_LOST: dict[str, float] = {}
"""Visits whose last file was dropped and that have uploaded none since; when, by `ownership.CLOCK`."""
_OF_RECORD = 1000
"""Bytes that a file takes in addition to its content: a million empty ones add up."""


def watch() -> None:
    """Check every second, together with all other automatic deletions; a server calls this once."""
    ownership.hold(_look)


def has_lost(visit: str, file: Any) -> bool:
    """Whether a visit shows no file (`file` is None) because it was dropped."""
    if file is not None:
        _LOST.pop(visit, None)
    return visit in _LOST


def _look(is_over: ownership.IsOver) -> None:
    if runtime.exists():
        now = ownership.CLOCK.now()
        _LOST.update((visit, now) for visit in drop(runtime.get_instance().uploaded_file_mgr))
    for visit, lost_at in list(_LOST.items()):
        if is_over(visit, lost_at):
            _LOST.pop(visit, None)


def drop(manager: Any) -> list[str]:
    """Remove excess files from a file manager; return the visits that lost the file they showed last."""
    held = {visit: _Held(files) for visit, files in list(manager.file_storage.items())}
    for visit, of_visit in held.items():
        while len(of_visit.files) > 1 and of_visit.n_bytes > MOST_OF_VISIT:
            manager.remove_file(visit, of_visit.pop_oldest())
    n_bytes, lost = sum(of_visit.n_bytes for of_visit in held.values()), []
    while n_bytes > MOST_OF_ALL:
        visit, largest = max(held.items(), key=lambda item: item[1].n_bytes)
        before = largest.n_bytes
        manager.remove_file(visit, largest.pop_oldest())
        n_bytes -= before - largest.n_bytes
        if not largest.files:
            lost.append(visit)
    return lost


class _Held:
    """Files of a visit in the order of arrival, and the bytes that they take."""

    def __init__(self, files: dict[str, Any]) -> None:
        self.files = deque((file.file_id, len(file.data) + _OF_RECORD) for file in list(files.values()))
        self.n_bytes = sum(size for _, size in self.files)

    def pop_oldest(self) -> str:
        """Remove the oldest; return its id."""
        file_id, size = self.files.popleft()
        self.n_bytes -= size
        return file_id
