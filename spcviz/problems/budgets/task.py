"""`TradeTask`, which a problem declares to be on the Trade-off page, and the list of all of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from spcviz.registry import PROBLEMS
from spcviz.web.figures.palette import by_theme, tiers


class TaskChoice(NamedTuple):
    """A problem's own choice in addition to its batches; the first option is the default."""

    name: str  # in the address
    label: str  # of the row of buttons
    options: Mapping[str, str]  # values in the address and their names in a menu
    help: str


class Drawn(NamedTuple):
    """What the view needs to draw a batch: the fields of a `TradeTask` with these names."""

    colours: Mapping[str, list[str]]
    pack: Callable[[Any], dict[str, Any]]


class TradeTask(NamedTuple):
    """A task that the Trade-off page can spend on; ``view/trade_task.js`` draws it."""

    label: str  # in the row "Task"
    # asks, free: for the page's sentences: the question that a budget asks here, and what is free
    asks: str
    free: str
    examples: str  # what a batch holds, and "Other ..." redraws
    batches: Mapping[int, str]  # possible numbers of examples, and their names in a menu
    make: Callable[[Mapping[str, Any]], Any]  # of the page's state: `spcviz.problems.budgets.shown.TradeOff`
    identity: tuple[str, ...]  # names of the state that the batch depends on
    cost_help: str
    origin: str
    # of each tier by theme, "light" and "dark" (`spcviz.web.figures.palette.by_theme`)
    colours: Mapping[str, list[str]]
    size: str = "size"  # the name in the address for the number of examples
    batch: int = 0  # their number by default; the first of `batches` if 0
    # ``TradeOff.drawn`` for the browser, arrays and JSON values: its JavaScript has it as `data.drawn`
    pack: Callable[[Any], dict[str, Any]] | None = None
    # opens(chain id, state) -> (page, query): where a click on an example leads
    opens: Callable[[int, Mapping[str, Any]], tuple[str, dict[str, str]]] | None = None
    # values of ``vocabulary`` in the address and their names in a menu, where there is a choice
    kinds: Mapping[str, str] | None = None
    kinds_help: str = ""
    # values of ``vocabulary`` whose data may be missing here, and the message that a link to them then shows
    elsewhere: Mapping[str, str] | None = None
    choices: tuple[TaskChoice, ...] = ()
    # whole numbers that the task's JavaScript keeps in the address, and the largest of each
    looks: Mapping[str, int] = {}
    # evidence(state): from the stored results (`spcviz.problems.budgets.evidence.Evidence`); None without any
    evidence: Callable[[Mapping[str, Any]], Any] | None = None


@cache
def trade_tasks() -> dict[str, TradeTask]:
    """{problem name: TradeTask} of all tasks that are available here."""
    files = {name: f"spcviz.problems.{name}.page.cached" for name in PROBLEMS}
    tasks = {
        name: getattr(import_module(module), "TRADE", None)
        for name, module in files.items()
        if find_spec(module)
    }
    return {name: task for name, task in tasks.items() if task is not None}


def introduction(tasks: Iterable[TradeTask]) -> str:
    """What the page is about."""
    free = ", ".join(task.free for task in tasks)
    return (
        "# Trade-off: spend a budget where it helps\n"
        f"Start with the cheap features ({free}); then pay for better ones where they help. Move the budget."
    )


def task_help(tasks: Iterable[TradeTask]) -> str:
    """The question that a budget poses in each task."""
    return " ".join(f"{task.label}: {task.asks}" for task in tasks)


def short(label, terms):
    """A method's label where all of them choose parts.

    >>> from spcviz.learning.budgets.methods import Terms
    >>> short("Words, at random", Terms("sentence", "sentences", "word", "words"))
    'At random'
    """
    rest = label.removeprefix(f"{terms.parts.capitalize()}, ")
    return rest[:1].upper() + rest[1:]


def _pack_texts(texts: Sequence[Sequence[str]]) -> dict[str, list[list[str]]]:
    """The words of each sentence, for the browser."""
    return {"texts": [list(words) for words in texts]}


SENTENCES = Drawn(by_theme(tiers), _pack_texts)
"""Batches of sentences: their tiers' colours, and their words for ``view/trade_sentences.js``."""
