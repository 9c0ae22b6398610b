"""Pictures of estimators and results in a notebook; the drawing code is loaded on first use."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from spcviz.engine import extras

__all__ = ["show"]


def show(thing: object, x: Sequence[Any] | None = None, words: Sequence[str] | None = None) -> object:
    """Show an estimator at work on one sequence, a lattice, or curves, as the app does.

    Needs the packages of the app: ``pip install "spcviz[app]"``.

    Parameters
    ----------
    thing : tagger, Sequences, Lattices, Curves, BudgetCurve, or the result of `Sequences.verdict`
        An estimator (`CascadeTagger`, `StructuredPerceptron`, `ChainCRF`, `BudgetedTagger`) must be
        fitted; lattices must be of one sequence.
    x : sequence or int, optional
        The estimator's input: the features of one sequence, an item of the list that its `predict` takes.
        For `Sequences`, the index of one sequence.
    words : sequence of str, optional
        Names of the positions; by default their numbers.

    Returns
    -------
    Shown or plotly.graph_objects.Figure
        An object that notebooks display.

    Raises
    ------
    ArgumentError
        If `thing` has no view.
    MissingPackageError
        If a package of the app is not installed.
    """
    with extras.name_extra("spcviz.show"):
        return import_module("spcviz.web.exporting.notebook").show(thing, x, words)
