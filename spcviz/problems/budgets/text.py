"""Sentences of the Trade-off page, put together from what can be spent on."""

from collections.abc import Iterable

from spcviz.problems.budgets.task import TradeTask


def introduction(tasks: Iterable[TradeTask]) -> str:
    """What the page is about."""
    free = ", ".join(task.free for task in tasks)
    return (
        "# Trade-off: spend a budget where it helps\n"
        f"Start with the cheap features ({free}); then pay for better ones where they help. Move the budget."
    )


def task_help(tasks: Iterable[TradeTask]) -> str:
    """What a budget asks of each task."""
    return " ".join(f"{task.label}: {task.asks}" for task in tasks)


def short(label, terms):
    """A method's label where all of them choose parts.

    >>> from spcviz.learning.budgets.methods import Terms
    >>> short("Words, at random", Terms("sentence", "sentences", "word", "words"))
    'At random'
    """
    rest = label.removeprefix(f"{terms.parts.capitalize()}, ")
    return rest[:1].upper() + rest[1:]
