"""The step of saving that opens a page, in a child process of `making`: a file, or a sheet of moments.

Nothing is imported before `load` has declared that this process has no visitors: a fork server has one
thread.
"""

import gc
import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, DistributionFinder
from typing import Any

WHOLE = ("page", "python")
"""Kinds of files that are made in one step."""

_ALL = DistributionFinder.Context()


def load(name: Any = None) -> None:
    """Load what a page needs: draws the sheet of its first scene, which is the app's own, and loads kernels.

    `name` is the page's name in addresses; a process for a single request passes none and loads on demand.
    """
    from spcviz.web.cached import ownership

    ownership.have_no_visits()
    if not isinstance(name, str):
        return
    from spcviz import registry
    from spcviz.registry import warmup
    from spcviz.web.cached import ahead
    from spcviz.web.exporting import loops, paper  # noqa: F401  # the second for its own sake
    from spcviz.web.ui import navigation

    for group in filter(warmup.is_compiled, registry.warmup_groups_of(navigation.names()[name])):
        for _ in ahead.fill(group, "prepare"):
            pass
    _find_packages_by_name()
    loops.sheet(name)
    gc.collect()
    gc.freeze()  # a child whose collector walked through all this would copy it, page by page


class _ByName(PathFinder):
    """Finds an installed package by its name, as `PathFinder` does, and none if all are requested."""

    @classmethod
    def find_distributions(cls, context: DistributionFinder.Context = _ALL) -> Iterable[Distribution]:
        return () if context.name is None else super().find_distributions(context)


def _find_packages_by_name() -> None:
    """Keep Streamlit from searching all installed packages for views.

    It does so whenever a page is opened without a browser, which takes as long as the page itself; the views
    of this app belong to no package.
    """
    sys.meta_path[:] = [_ByName if finder is PathFinder else finder for finder in sys.meta_path]


def open_page(about: dict[str, Any], _data: bytes) -> tuple[dict, list[bytes]]:
    """Make a page as a file, its Python, or the sheet of its moments."""
    from spcviz.web.exporting import loops, page, paper

    kind, address = about["kind"], about["address"]
    if kind in WHOLE:
        make = page.html if kind == "page" else paper.python
        return {}, [make(address).encode()]
    return {}, [loops.sheet(address, dark=about["dark"], is_svg=kind == "svg").encode()]
