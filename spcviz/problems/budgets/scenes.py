"""Numbers of the Trade-off page: behind `spcviz.scenes`.

Modules that compute are imported when a function is called. At the end are the lines of Python that the Save
menu offers.
"""

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import NEEDS

KINDS = ("units", "us")
"""What a budget is counted in."""


class MethodAt(NamedTuple):
    """One method, when it has bought all that fits into the budget."""

    name: str
    label: str
    n_wrong: int


class TradeScene(NamedTuple):
    """A batch under every method, at one budget."""

    n_things: int  # that can be wrong: letters, words, joints, places
    methods: tuple[MethodAt, ...]


def trade_off(task: str, *, budget: float = 0.1, kind: str = "units", **choices: Any) -> TradeScene:
    """Spend one budget on a batch by every method, and count what each leaves wrong.

    Parameters
    ----------
    task : str
        "words", "arms", "parsing" or "scene".
    budget : float
        Share of the cost of all features of all parts, 0 to 1.
    kind : {"units", "us"}
        What costs are counted in: units, or measured microseconds.
    **choices
        How the batch is drawn, as in the page's address: ``seed``; for words also ``vocabulary``, ``words``
        and ``extractor``; for arms ``clips``; for parsing ``size``; for scenes ``vocabulary`` and ``size``.

    Returns
    -------
    TradeScene
        ``n_things``, and the ``name``, ``label`` and ``n_wrong`` of each of ``methods``.

    Raises
    ------
    ArgumentError
        For an unknown task, kind or choice, or an invalid budget.
    NoCacheError, StoreError
        If a clone's stored models are missing, or this one is.
    """
    from spcviz.problems.budgets import facts

    draw = batch_of(task)
    budget = checks.fraction("budget", budget)
    if kind not in KINDS:
        raise ArgumentError(f"kind must be one of {', '.join(KINDS)}, got {kind!r:.60}")
    known = inspect.signature(draw).parameters
    if unknown := [name for name in choices if name not in known]:
        raise ArgumentError(f"{task} has no choice {unknown[0]!r}; it has {', '.join(known)}")
    batch = draw(**choices)
    state = {"budget": budget, "kind": kind, "method": batch.methods[0].name}
    counts = facts.batch(batch, state)
    methods = (MethodAt(m.name, m.label, int(counts[f"wrong_{m.name}"])) for m in batch.methods)
    return TradeScene(int(counts["things"]), tuple(methods))


def batch_of(task: str) -> Callable:
    """The function ``batch`` of a problem's ``page/scenes.py``, which draws and compares a batch."""
    from spcviz.registry import PROBLEMS

    modules = {name: f"spcviz.problems.{name}.page.scenes" for name in PROBLEMS}
    if task in modules and _has(modules[task]):
        draw = getattr(import_module(modules[task]), "batch", None)
        if draw is not None:
            return draw
    raise ArgumentError(f"task must be a problem whose page/scenes.py has batch, got {task!r:.60}")


def _has(module):
    return find_spec(module.rpartition(".")[0]) is not None and find_spec(module) is not None


_LINES = """# Trade-off: one batch, and what every method leaves wrong at one budget.
{needs}
from spcviz import scenes

batch = scenes.trade_off({task!r}, budget={budget!r}, kind={kind!r}, {choices})
for method in batch.methods:
    print(method.label + ":", method.n_wrong, "of", batch.n_things, "wrong")
"""


def trade_off_lines(task: str, state: Mapping) -> str:
    """The lines for a state of the page; "" for a problem whose ``page/scenes.py`` has no ``batch``."""
    try:
        names = inspect.signature(batch_of(task)).parameters
    except ArgumentError:
        return ""
    choices = ", ".join(f"{name}={state[name]!r}" for name in names)
    return _LINES.format(needs=NEEDS, task=task, choices=choices, budget=state["budget"], kind=state["kind"])
