"""The Python of the page Trade-off: lines that draw the batch that is shown, and spend the budget on it."""

import inspect
from collections.abc import Mapping

from spcviz.engine.errors import ArgumentError
from spcviz.problems.budgets.scenes import batch_of
from spcviz.shared.folders import NEEDS

_LINES = """# Trade-off: one batch, and what every method leaves wrong at one budget.
{needs}
from spcviz import scenes

batch = scenes.trade_off({task!r}, budget={budget!r}, kind={kind!r}, {choices})
for method in batch.methods:
    print(method.label + ":", method.n_wrong, "of", batch.n_things, "wrong")
"""


def lines(task: str, state: Mapping) -> str:
    """The lines for a state of the page; none for a problem whose ``page/scenes.py`` has no ``batch``."""
    try:
        names = inspect.signature(batch_of(task)).parameters
    except ArgumentError:
        return ""
    choices = ", ".join(f"{name}={state[name]!r}" for name in names)
    return _LINES.format(needs=NEEDS, task=task, choices=choices, budget=state["budget"], kind=state["kind"])
