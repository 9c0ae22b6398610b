"""Uploaded files that Streamlit keeps: bounds of their bytes in one visit and in all, the oldest go first.

A file stays with Streamlit until its page is told to remove it or the visit ends. A browser says that another
file took its place; a client that does not would fill the server's memory with files that nobody reads.
"""

from typing import Any

from streamlit import runtime

from spcviz.web.cached import ownership

MOST_OF_VISIT = 44 << 20
"""Bytes: two of the largest files, the one that is shown and the one that comes in its place."""
MOST_OF_ALL = 320 << 20
"""Bytes: sixteen of the largest, or a class's photos."""


LOST = (
    "So many large files are here at the moment that yours could not stay: bring it again, or a smaller one."
)
_LOST: set[str] = set()
"""Visits whose last file had to go, and that have brought none since."""


def watch() -> None:
    """Look every second, with all else that goes by itself; a server does so once."""
    ownership.hold(_look)


def has_lost(visit: str, file: Any) -> bool:
    """Whether a visit shows no file (`file` is None) because it had to go."""
    if file is not None:
        _LOST.discard(visit)
    return visit in _LOST


def _look(is_over: ownership.IsOver) -> None:
    if runtime.exists():
        _LOST.update(drop(runtime.get_instance().uploaded_file_mgr))
    _LOST.difference_update([visit for visit in _LOST if is_over(visit, ownership.CLOCK.now())])


def drop(manager: Any) -> list[str]:
    """Remove what is too much from a manager of files; the visits that lost what they showed last."""
    held = {visit: list(files.values()) for visit, files in list(manager.file_storage.items())}
    lost = []
    for visit, files in held.items():
        while len(files) > 1 and _size(files) > MOST_OF_VISIT:
            _remove(manager, visit, files)
    while sum(map(_size, held.values())) > MOST_OF_ALL:
        visit = max(held, key=lambda one: _size(held[one]))
        _remove(manager, visit, held[visit])
        if not held[visit]:
            lost.append(visit)
    return lost


def _size(files):
    return sum(len(file.data) for file in files)


def _remove(manager, visit, files):
    """The oldest of a visit's files goes: they stand as they came."""
    manager.remove_file(visit, files.pop(0).file_id)
