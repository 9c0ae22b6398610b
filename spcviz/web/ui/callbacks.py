"""Callbacks of views: commit drags and clicks in the browser to the address."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from spcviz.web.ui.state import StateTable, list_pinned
from spcviz.web.view.mount import live_view

LATTICE = ("level", "step", "cell", "pin_a", "pin_b", "reveal")
"""Names in a page's address that a lattice owns, in addition to its alphas."""


def commit_drag(table: StateTable, key: str, names: Collection[str]) -> Callable[[], None]:
    """A component's callback: it writes the settings made in the browser to the address."""

    def take():
        if view := live_view(key):
            table.write(**{name: view[name] for name in names if name in view})

    return take


def is_dragged(key: str) -> bool:
    """Whether a component is being dragged and has not been released yet."""
    return bool((live_view(key) or {}).get("dragging"))


def alphas_of(alphas: Sequence[float | None], n: int) -> tuple[float | None, ...]:
    """Pad or cut to `n` alphas, one per level; None is the tuned one."""
    return tuple((list(alphas) + [None] * n)[:n])


def commit_lattice(
    table: StateTable, key: str, n_levels: int, names: Collection[str] = LATTICE
) -> Callable[[], None]:
    """A lattice's callback: it writes the settings made in the browser to the address, on release."""

    def take():
        view = live_view(key)
        if view and not view.get("dragging"):
            alphas = {f"a{n}": a for n, a in enumerate(alphas_of(view["alphas"], n_levels), start=1)}
            table.write(**alphas, **{name: view[name] for name in names})

    return take


def view_of(state: Mapping, key: str, n_levels: int) -> dict:
    """A lattice's view from the page's state or, in a drag, from the browser, which is ahead of it."""
    live, view = live_view(key), {name: state[name] for name in LATTICE}
    view["alphas"] = [state[f"a{n}"] for n in range(1, n_levels + 1)]
    return view | {name: live[name] for name in view} if live and live.get("dragging") else view


def traces_of_pins(state: Mapping, models: Collection[str], trace: Callable[[str, tuple], Any]) -> dict:
    """{pin: (its text, ``trace(model, alphas)``)} of the pins whose models are among `models`."""
    pins = list_pinned(state).items()
    return {
        pin: (text, trace(model, tuple(alphas))) for pin, (text, model, alphas) in pins if model in models
    }
