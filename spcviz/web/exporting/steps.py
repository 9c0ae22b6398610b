"""Steps of saving that run in child processes (`making`): a page's file, the sheet of its moments, its loop.

Nothing is imported before `load` has said that this process has no visitors: a fork server has one thread.
"""

from itertools import accumulate
from typing import Any

WHOLE = ("page", "python")
"""Kinds that are made in one step."""


def load(name: Any = None) -> None:
    """Have what a page needs: opens its first scene, which is the app's own, and loads its kernels.

    `name` is the page's in addresses; whoever serves one wish alone gives none and brings what that needs.
    """
    from spcviz.web.cached import ownership

    ownership.have_no_visits()
    if not isinstance(name, str):
        return
    from spcviz import registry
    from spcviz.registry import warmup
    from spcviz.shared.folders import MODELS
    from spcviz.web.exporting import snapshot
    from spcviz.web.tours import tour
    from spcviz.web.ui import navigation

    groups = registry.warmup_groups_of(navigation.names()[name])
    registry.load_kernels(MODELS, [group for group in groups if warmup.is_compiled(group)])
    snapshot.take_snapshot(tour.Scene(name))


def open_page(about: dict[str, Any], _data: bytes) -> tuple[dict, list[bytes]]:
    """A page as a file, its Python, or the sheet of its moments."""
    from spcviz.web.exporting import loops, page, paper

    kind, address = about["kind"], about["address"]
    if kind in WHOLE:
        make = page.html if kind == "page" else paper.python
        return {}, [make(address).encode()]
    return {}, [loops.sheet(address, dark=about["dark"], is_svg=kind == "svg").encode()]


def write_loop(about: dict[str, Any], data: bytes) -> tuple[dict, list[bytes]]:
    """A loop from the pictures of its moments, `sizes` bytes each."""
    from spcviz.web.exporting import loops

    ends = [*accumulate(about["sizes"])]
    pngs = [data[end - size : end] for size, end in zip(about["sizes"], ends, strict=True)]
    film = loops.film_of(about["address"], pngs, about["told"], scale=about["scale"])
    return {}, [loops.write(film, about["kind"])]
