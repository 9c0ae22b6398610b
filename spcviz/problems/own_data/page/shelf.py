"""One visitor's data in the session: what was read, the models trained on it, and the running job.

It is kept only in this process's memory, among the visit's belongings (`spcviz.web.cached.ownership`).
"""

import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model.files import FOUND_OUT, Brought, Columns, How
from spcviz.problems.own_data.model.jobs import Job

_MOST_KEPT = 12


class Own:
    """One visitor's data; results are stored by the file's digest and how it was read."""

    def __init__(self, brought: Brought, data: bytes = b"", example: str = "") -> None:
        self._brought: Brought | None = brought
        self.example = example
        self._data = zlib.compress(data)
        self.columns: Columns | None = None
        self.how = FOUND_OUT
        self.model: Brought | None = None
        self.job: Job | None = None
        self.asked: Hashable = None
        self.note = ""  # how the last job ended, if the visitor needs to know
        self.runs: list[Any] = []  # `runs.Run`, kept whatever other results are evicted
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    @property
    def brought(self) -> Brought:
        """What was read. A run that still uses deleted data is started again with the current data."""
        if self._brought is None:
            st.rerun()
            st.stop()  # where no run can be started again
        return self._brought

    @property
    def is_gone(self) -> bool:
        """Whether the data are deleted: the visit, or half an hour without use, is over."""
        return self._brought is None

    @property
    def data(self) -> bytes:
        """The file."""
        return zlib.decompress(self._data)

    def of(self, *about: Hashable) -> Hashable:
        """The key of a result made from this file, as it is read now."""
        return self.brought.digest, self.columns, self.how, *about

    def read_anew(self, brought: Brought, columns: Columns | None, how: How) -> None:
        """Take the same text, read in another way; drop all results of the old reading and any job on it."""
        self.end_job("it was on what the file was read as before")
        self._brought, self.columns, self.how = brought, columns, how
        self._kept.clear()
        self.runs = []

    def keep(self, key: Hashable, value: Any) -> Any:
        """Store a result, evicting the least recently used ones."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return value

    def find(self, key: Hashable) -> Any:
        """A stored result, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """A result, stored before or made now; an `ArgumentError` is stored as well."""
        value = self.find(key)
        if value is None:
            try:
                value = make()
            except ArgumentError as error:
                value = error
            self.keep(key, value)
        if isinstance(value, ArgumentError):
            raise value
        return value

    def end_job(self, why: str = "") -> None:
        """Cancel the running job; `why` is the reason to report, if any."""
        if self.job is not None:
            self.job.cancel()
            self.note = f"What was under way was ended: {why}." if why else ""
        self.job = None

    def end(self) -> None:
        """Release everything at the end of the visit.

        Streamlit keeps the arguments of a widget's callback longer than the visit, and with them this object.
        """
        self.end_job()
        self._kept.clear()
        self._brought, self._data, self.model, self.asked = None, b"", None, None
        self.runs, self.note = [], ""
