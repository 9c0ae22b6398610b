"""Compute and store what every page and every tour scene opens with (``train first-scenes``).

What cached calls return is stored (`spcviz.web.cached.first`), so it follows from the pages' own defaults and
the tours. What was stored with the same code and models is kept, and what nothing asks for any more goes.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from streamlit.testing.v1 import AppTest

from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import APP, shipped_path
from spcviz.web.cached import first
from spcviz.web.touring.touring import BEEN
from spcviz.web.tours import tour
from spcviz.web.ui import navigation

LEFT_OUT = {"pose": ("a0", "show")}
"""Pages whose scenes are not stored if the address has one of these names: a megabyte each, and a file of
their own would not save the kernels, which their other pictures want."""


class Opened(NamedTuple):
    """One page or scene that was opened."""

    address: str
    n_calls: int  # that are stored for it
    problem: str  # what the page shows in place of its picture, or why a call cannot be stored; else empty


def addresses() -> list[str]:
    """Every page, then every state that a shipped tour opens, each once."""
    states = dict.fromkeys(navigation.names())
    for a_tour in tour.shipped_tours().values():
        for scene in a_tour.scenes:
            for is_answered in (False, True) if scene.after else (False,):
                states[tour.address(scene.page, scene.query(is_answered))] = None
    return [address for address in states if not _is_left_out(address)]


def _is_left_out(address):
    scene = tour.Scene(address)
    return not set(LEFT_OUT.get(scene.page, ())).isdisjoint(scene.query())


def make() -> Iterator[Opened]:
    """Open all and store what they show, a file at a time; yields after each address."""
    first.LOG.setLevel(logging.ERROR)  # what is stale is made anew: that is what this is for
    shipped_path(first.FOLDER).mkdir(parents=True, exist_ok=True)
    (first.FOLDER / "code.json").unlink(missing_ok=True)  # written at the end: without it a run has not ended
    used: dict[str, dict[tuple, bytes]] = {}
    for address in addresses():
        with first.recording() as made:
            at = open_page(tour.Scene(address))
            problem = "; ".join(element.value for element in [*at.exception, *at.error])
            calls = {name: dict(values) for name, values in made.items()}
        for name, values in calls.items():
            problem = _keep(first.FUNCTIONS[name], values, used.setdefault(name, {})) or problem
        yield Opened(address, sum(map(len, calls.values())), problem)
    for name, entries in used.items():
        if entries.keys() != first.FUNCTIONS[name].entries().keys():
            first.FUNCTIONS[name].save(entries)
    for path in [*first.FOLDER.glob("first_scenes-*.json"), *first.FOLDER.glob("first_scenes-*.npz")]:
        if path.name.partition(".")[0] not in used:
            path.unlink()
    first.note_code({first.FUNCTIONS[name].module for name in used})


def _keep(answers, values, used):
    """Store the calls of one function that are not stored yet, and note all as used; why one cannot be."""
    entries, fresh, problem = _usable(answers), {}, ""
    for key, value in values.items():
        try:
            if key not in entries:
                fresh[key] = answers.pack(value)
        except ArgumentError as error:  # a page may show numbers that no file holds
            problem = f"{answers.name}{key} is not stored: {error}"
    if fresh:
        entries = entries | fresh
        answers.save(entries)
    used |= {key: entries[key] for key in values if key in entries}
    return problem


def _usable(answers):
    try:
        return dict(answers.entries())
    except first.StoreError:  # made with another code: all is made anew
        return {}


_PATIENCE = 600  # seconds


def open_page(scene: tour.Scene, more: Mapping[str, str] | None = None) -> AppTest:
    """A page after its first run at a scene's address; `more` are further names of the address."""
    # Each of them says that it has no browser.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    at = AppTest.from_file(APP / "app.py", default_timeout=_PATIENCE)
    if scene.page:
        at.switch_page(navigation.names()[scene.page])
    for name, value in {**scene.query(), **(more or {})}.items():
        at.query_params[name] = value
    if more and {"tour", "at"} <= set(more):  # it stays, though the tour may have another page there by now
        at.session_state[BEEN] = frozenset(
            (more["tour"], code) for code in (more["at"], more["at"].rstrip("a"))
        )
    return at.run()
