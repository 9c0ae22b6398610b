"""Everything that the Trade-off page can spend on, from the list of problems."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from spcviz.problems.budgets.task import TradeTask
from spcviz.registry import PROBLEMS


@cache
def trade_tasks() -> dict[str, TradeTask]:
    """{name of the problem: TradeTask} of all that can be spent on here."""
    files = {name: f"spcviz.problems.{name}.page.cached" for name in PROBLEMS}
    tasks = {
        name: getattr(import_module(module), "TRADE", None)
        for name, module in files.items()
        if find_spec(module)
    }
    return {name: task for name, task in tasks.items() if task is not None}
