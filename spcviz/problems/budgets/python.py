"""The Python of the page Trade-off: lines that draw the batch that is shown, and spend the budget on it."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

_LINES = """# Trade-off: one batch, and what every method leaves wrong at one budget. Run this in a clone.
from spcviz.problems.budgets import facts
from spcviz.shared.folders import MODELS
{batch}
numbers = facts.batch(batch, {{"budget": {budget}, "kind": {kind!r}, "method": {method!r}}})
for method in batch.methods:
    print(method.label + ":", numbers["wrong_" + method.name], "of", numbers["things"], "wrong")
"""


def lines(task: str, state: Mapping) -> str:
    """The lines for a state of the page; none for a problem whose ``page/python.py`` is missing."""
    module = f"spcviz.problems.{task}.page.python"
    if find_spec(module) is None:
        return ""
    named = {name: state[name] for name in ("budget", "kind", "method")}
    return _LINES.format(batch=import_module(module).BATCH.format(**state), **named)
