"""Pictures of estimators and results in a notebook; the drawing code is loaded on first use."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from spcviz.engine import extras

__all__ = ["show"]


def show(thing: object, x: Sequence[Any] | None = None, words: Sequence[str] | None = None) -> object:
    """Show an estimator at work on one sequence, a lattice, or curves, as the app does.

    Wants the packages of the app: ``pip install "spcviz[app]"``.

    Parameters
    ----------
    thing : tagger, Sequences, Lattices, Curves, BudgetCurve, or what `Sequences.verdict` returns
        Fitted, if it is an estimator (`CascadeTagger`, `StructuredPerceptron`, `ChainCRF`,
        `BudgetedTagger`); lattices of one sequence.
    x : sequence or int, optional
        What the estimator reads: one sequence of features, as its `predict` takes them in a list. Of
        `Sequences` the number of one.
    words : sequence of str, optional
        What to call the positions; by default their numbers.

    Returns
    -------
    Shown or plotly.graph_objects.Figure
        What notebooks display.

    Raises
    ------
    ArgumentError
        If there is no view for it.
    MissingPackageError
        If a package of the app is not installed.
    """
    with extras.name_extra("spcviz.show"):
        return import_module("spcviz.web.exporting.notebook").show(thing, x, words)
