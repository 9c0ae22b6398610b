"""The open task of a page: its address, the values that its check reads, the parts hidden until the answer.

In the address ``ask`` names the task: ``L1`` with its question, ``L1a`` once it is answered. A page offers
its values (`offer`) only where they are needed; the bar (`bar`) shows their outcome. A fragment that reruns
alone triggers a run of the whole page when the outcome differs from the one that the bar shows.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from spcviz.web.course import task as tasks
from spcviz.web.course.task import CourseTask

NAME = "ask"
ALIAS = "task"
"""Its name in handwritten links; the Trade-off page has a choice of that name, with other values."""
_VALUES, _DRAWN, _WHOLE, _TRIED = "course_values", "course_drawn", "course_whole", "course_tried"
_WITHHELD = "course_withheld"
TOUR_HIDES, TOUR_STATE = "tour_hides", "tour_state"
"""Session keys: the parts that the current scene of a tour hides, and the page's state in its address."""
MOST_TRIES = 2
"""Wrong answers after which the right one is shown."""


class OpenTask(NamedTuple):
    """The task of an address."""

    task: CourseTask
    is_answered: bool

    @property
    def code(self):
        """Its name in the address."""
        return f"{self.task.id}a" if self.is_answered else self.task.id


def of(params: Mapping[str, str]) -> OpenTask | None:
    """The task that an address names; None without one, or for an unknown one."""
    code = re.fullmatch(r"([A-Z][0-9]{1,2})(a?)", params.get(NAME, "")[:8], re.ASCII)
    one = tasks.every().get(code[1]) if code else None
    return OpenTask(one, bool(code[2] and one.options)) if code and one else None


def present() -> OpenTask | None:
    """The task of the current address, none in a tour."""
    return None if "tour" in st.query_params or NAME not in st.query_params else of(st.query_params.to_dict())


def hidden_parts() -> frozenset[str]:
    """Parts of the page, by its own names, that would give away the answer to a question."""
    of_tour = st.session_state.get(TOUR_HIDES, ()) if "tour" in st.query_params else ()
    now = present()
    return frozenset(of_tour) | frozenset(now.task.hide if now and not now.is_answered else ())


def asked_state() -> Mapping[str, str]:
    """The page's state in the address of the current scene or task: what may be shown meanwhile."""
    if "tour" in st.query_params:
        return st.session_state.get(TOUR_STATE, {})
    now = present()
    return tasks.state_of(now.task.start) if now else {}


def wanted_names() -> frozenset[str]:
    """The names of values that the current task reads; none without a task."""
    now = present()
    return now.task.names if now else frozenset()


def offer(state: Mapping, make: Callable[..., Mapping] = dict, *args) -> None:
    """Offer a page's values to the check of a task: its state, and what ``make(*args)`` returns."""
    if (now := present()) is None:
        return
    values = st.session_state.get(_VALUES, {}) | dict(state) | dict(make(*args))
    st.session_state[_VALUES] = values
    if not st.session_state.get(_WHOLE) and st.session_state.get(_DRAWN) != _describe(now, values):
        st.rerun()


def begin() -> None:
    """Begin a run of the whole page: values offered so far are of an earlier run."""
    st.session_state[_VALUES], st.session_state[_WHOLE] = {}, True
    st.session_state[_WITHHELD] = False


def withhold() -> None:
    """Offer no task in this run: the page shows something that its tasks do not ask about."""
    st.session_state[_WITHHELD] = True


def is_withheld() -> bool:
    """Whether the page wants none of its tasks offered; one that is open stays."""
    return st.session_state.get(_WITHHELD, False)


def end() -> tuple[bool, str]:
    """End the run of the whole page; return whether its task is solved, and its live line."""
    st.session_state[_WHOLE] = False
    now = present()
    st.session_state[_DRAWN] = said = _describe(now, st.session_state.get(_VALUES, {})) if now else None
    return (said[1], said[2]) if said else (False, "")


def values() -> Mapping:
    """The values that the page has offered."""
    return st.session_state.get(_VALUES, {})


def _describe(now, values):
    """The bar's content for a page's values: (name of the task, whether it is solved, the live line)."""
    return now.task.id, now.task.is_solved(values), tasks.fill_line(now.task.live, values)


class Tried(NamedTuple):
    """A visitor's attempts at a task in this session."""

    wrong: tuple[str, ...] = ()  # options
    is_right: bool = False
    is_shown: bool = False  # the solution was requested, or shown after `MOST_TRIES` wrong answers
    n_hints: int = 0


def list_tries(name: str) -> Tried:
    """The attempts at a task in this session."""
    return st.session_state.get(_TRIED, {}).get(name, Tried())


def note(name: str, **changes) -> Tried:
    """Record an attempt at a task."""
    now = list_tries(name)._replace(**changes)
    st.session_state[_TRIED] = st.session_state.get(_TRIED, {}) | {name: now}
    return now


def forget() -> None:
    """Forget the attempts at all tasks in this session."""
    st.session_state.pop(_TRIED, None)
