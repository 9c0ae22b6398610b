"""Compute and store the values that every page and every tour scene opens with (``train first-scenes``).

The return values of cached calls are stored (`spcviz.web.cached.first`), so they follow from the pages' own
defaults and the tours. Values of the same code and models are kept; values no longer used are deleted.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from streamlit.testing.v1 import AppTest

from spcviz import registry
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import APP, shipped_path
from spcviz.web.cached import first
from spcviz.web.touring.touring import BEEN
from spcviz.web.tours import tour
from spcviz.web.ui import navigation

LEFT_OUT = {"pose": ("a0", "show")}
"""Pages whose scenes are not stored if the address has one of these names: they take a megabyte each, and
storing them would not save the kernels, which other pictures of the page need."""


class Opened(NamedTuple):
    """One page or scene that was opened."""

    address: str
    n_calls: int  # stored for it
    problem: str  # the page's error in place of its picture, or why a call cannot be stored; else empty


def addresses() -> list[str]:
    """Every page, then every state that a tour opens or a problem names (`Problem.opened`), each once."""
    states = dict.fromkeys(navigation.names())
    for a_tour in tour.shipped_tours().values():
        for scene in a_tour.scenes:
            for is_answered in (False, True) if scene.after else (False,):
                states[tour.address(scene.page, scene.query(is_answered))] = None
    for problem in registry.problems():
        states |= dict.fromkeys(problem.opened)
    return [address for address in states if not _is_left_out(address)]


def _is_left_out(address):
    scene = tour.Scene(address)
    return not set(LEFT_OUT.get(scene.page, ())).isdisjoint(scene.query())


def make() -> Iterator[Opened]:
    """Open all addresses and store their values, file by file; yields after each address."""
    first.LOG.setLevel(logging.ERROR)  # stale values are made again: that is the purpose here
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
    """Store the missing calls of one function, and note all as used; return why one cannot be stored."""
    entries, fresh, problem = _usable(answers), {}, ""
    for key, value in values.items():
        try:
            if key not in entries:
                fresh[key] = answers.pack(value)
        except ArgumentError as error:  # a page may show numbers that a file cannot hold
            problem = f"{answers.name}{key} is not stored: {error}"
    if fresh:
        entries = entries | fresh
        answers.save(entries)
    used |= {key: entries[key] for key in values if key in entries}
    return problem


def _usable(answers):
    try:
        return dict(answers.entries())
    except first.StoreError:  # made with other code: all values are made again
        return {}


_PATIENCE = 600  # seconds


def open_page(scene: tour.Scene, more: Mapping[str, str] | None = None) -> AppTest:
    """A page after its first run at a scene's address; `more` are further names of the address."""
    # Each run would log that it has no browser.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    at = AppTest.from_file(APP / "app.py", default_timeout=_PATIENCE)
    if scene.page:
        at.switch_page(navigation.names()[scene.page])
    for name, value in {**scene.query(), **(more or {})}.items():
        at.query_params[name] = value
    if more and {"tour", "at"} <= set(more):  # stay on it, even if the tour has another page there by now
        at.session_state[BEEN] = frozenset(
            (more["tour"], code) for code in (more["at"], more["at"].rstrip("a"))
        )
    return at.run()
