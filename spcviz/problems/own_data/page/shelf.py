"""One visitor's data in the session: what was read, the models made of it, and the running job.

It lies in this process's memory alone, among what the visit owns (`spcviz.web.cached.ownership`).
"""

import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.data.files import FOUND_OUT, Brought, Columns, How
from spcviz.problems.own_data.model.jobs import Job

_MOST_KEPT = 12


class Own:
    """One visitor's data; what is made of it is kept under the file's digest and its columns."""

    def __init__(self, brought: Brought, data: bytes = b"", example: str = "") -> None:
        self._brought: Brought | None = brought
        self.example = example
        self._data = zlib.compress(data)
        self.columns: Columns | None = None
        self.how = FOUND_OUT
        self.model: Brought | None = None
        self.job: Job | None = None
        self.asked: Hashable = None
        self.note = ""  # how the last job ended, where it brought nothing
        self.runs: list[Any] = []  # `runs.Run`, kept however much else is looked at
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    @property
    def brought(self) -> Brought:
        """What was read. Whatever still runs on data that have gone begins anew, with what is there now."""
        if self._brought is None:
            st.rerun()
            st.stop()  # where nothing can begin anew
        return self._brought

    @property
    def is_gone(self) -> bool:
        """Whether the visit, or the half hour, is over."""
        return self._brought is None

    @property
    def data(self) -> bytes:
        """The file."""
        return zlib.decompress(self._data)

    def of(self, *about: Hashable) -> Hashable:
        """A key of something that is made of this file, read in this way."""
        return self.brought.digest, self.columns, self.how, *about

    def read_anew(self, brought: Brought, columns: Columns | None, how: How) -> None:
        """The same text, read in another way; what was made of the old one goes, a job on it too."""
        self.end_job("it was on what the file was read as before")
        self._brought, self.columns, self.how = brought, columns, how
        self._kept.clear()
        self.runs = []

    def keep(self, key: Hashable, value: Any) -> Any:
        """Keep what was made, in place of what was not used for the longest."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return value

    def find(self, key: Hashable) -> Any:
        """What was made, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made, or is made now; an `ArgumentError` is kept as well."""
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
        """Give up what is under way; `why`, if that is to be said."""
        if self.job is not None:
            self.job.cancel()
            self.note = f"What was under way was ended: {why}." if why else ""
        self.job = None

    def end(self) -> None:
        """Nobody wants any of it any more.

        Streamlit keeps what a widget's callback was given, longer than the visit, and with it this object.
        """
        self.end_job()
        self._kept.clear()
        self._brought, self._data, self.model, self.asked = None, b"", None, None
        self.runs, self.note = [], ""
