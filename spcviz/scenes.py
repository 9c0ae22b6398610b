"""The numbers that the app's pages show: one plain function per page, called by the Python that Save offers.

The Save menu of a page and ``python -m spcviz export ADDRESS out.py`` write lines like these::

    from spcviz import scenes

    for level in scenes.letters(0, features="hog", order=2):
        print(level.order, level.n_kept, "of", level.n_candidates, level.reading)

=======================  ======================================================================
`home`                   the word of the home page
`letters`, `write`       a handwritten word, or strokes, through a cascade
`sweep`                  a threshold, its losses and what it keeps
`tagging`                a sentence through a cascade of tags
`random_grid`            a random grid, for `spcviz.engine`
`pose`, `arms`           limbs in a clip, and the frames of it that a budget buys
`exact_inference`        letters of a word as a chain, for `spcviz.engine`
`joint_beats_separate`   a picture read in three ways
`policy`                 a word under policies that buy features
`trade_off`              a batch under every method, at one budget
`hybrid`                 a word whose orders and features are bought together
`parsing`                a sentence's tree under policies that buy features
`scene`                  a street picture labelled step by step
`page`                   any page as one HTML file
=======================  ======================================================================

They need the packages of the app (``pip install "spcviz[app]"``). Models, results and words come with the
repository but not with an installed package: there, set the environment variable ``SPCVIZ_CACHE`` to the
folder ``cache`` of a clone. Where they are missing, a function raises `spcviz.shared.folders.NoCacheError`,
whose message is one sentence that says so. Each function is imported on first access.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from spcviz import registry

if TYPE_CHECKING:
    from spcviz.problems.arms.page.scenes import arms as arms
    from spcviz.problems.budgets.scenes import trade_off as trade_off
    from spcviz.problems.exact.page.scenes import exact_inference as exact_inference
    from spcviz.problems.grids.fields import random_grid as random_grid
    from spcviz.problems.hybrid.page.scenes import hybrid as hybrid
    from spcviz.problems.letters.page.scenes import home as home
    from spcviz.problems.letters.page.scenes import letters as letters
    from spcviz.problems.letters.page.scenes import sweep as sweep
    from spcviz.problems.letters.page.scenes import write as write
    from spcviz.problems.parsing.page.scenes import parsing as parsing
    from spcviz.problems.pictures.page.scenes import joint_beats_separate as joint_beats_separate
    from spcviz.problems.pose.page.scenes import pose as pose
    from spcviz.problems.scene.page.scenes import scene as scene
    from spcviz.problems.tagging.page.scenes import tagging as tagging
    from spcviz.problems.words.page.scenes import policy as policy

__all__ = ["page", *registry.scenes()]


def page(address: str) -> str:
    """The page at an address as one self-contained HTML file, as the Save menu writes it.

    Parameters
    ----------
    address : str
        As in the browser, with or without the host: ``"letters?order=2"``.

    Returns
    -------
    str
        The file's text.

    Raises
    ------
    ArgumentError
        If no such page exists, or it does not come with an installed package.
    """
    from spcviz.web.exporting import page as pages

    return pages.html(address)


def __getattr__(name: str) -> Callable:
    """One of the functions above, imported on first access."""
    where = registry.scenes().get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = registry.load(where)
    import_module("spcviz.engine.kernels.announcing").announce()
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
