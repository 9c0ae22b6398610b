"""The list of problems, and all that is derived from it: trainings, reproductions, data sets, pages.

The command line, the data catalogue, the warm-up, the side bar, the links on the home page and the list of
Paper tables are derived from the folders named here; `spcviz.registry.problem` defines what each declares.
"""

from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.registry.problem import DataSet, Page, Problem, Result, ShippedModel, Training
from spcviz.shared.folders import load_module

PROBLEMS = (
    "letters",
    "open_words",
    "tagging",
    "grids",
    "exact",
    "pictures",
    "pose",
    "words",
    "arms",
    "parsing",
    "hybrid",
    "scene",
    "own_data",
)

SECTIONS = ("Start", "Learn", "The cascade", "Budgets", "Results")
"""Sections of the side bar, in order; those that a problem adds come after them."""


def problems() -> list[Problem]:
    """All problems, in order: a list of `spcviz.registry.problem.Problem`.

    Raises ArgumentError if one of `PROBLEMS` has no folder, or one that does not define its ``PROBLEM``.
    """
    return [_problem(name) for name in PROBLEMS]


def _problem(name: str) -> Problem:
    where = f"spcviz/problems/{name}/__init__.py"
    try:
        module = import_module(f"spcviz.problems.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"spcviz.problems.{name}":
            raise
        raise ArgumentError(f"PROBLEMS names {name!r}; {where} is missing") from None
    if not isinstance(getattr(module, "PROBLEM", None), Problem):
        raise ArgumentError(f"PROBLEMS names {name!r}; {where} must hold PROBLEM = Problem(...)")
    return module.PROBLEM


def load(dotted: str) -> Any:
    """The object named by ``"module:name"``.

    >>> load("spcviz.registry:PROBLEMS")[:2]
    ('letters', 'open_words')
    """
    module, _, name = dotted.partition(":")
    return getattr(load_module(module), name)


def trainings() -> dict[str, list[Training]]:
    """The trainings of each name, in the order in which they are run: {str: list of Training}."""
    by_name: dict[str, list[Training]] = {}
    for problem in problems():
        for row in problem.trains:
            by_name.setdefault(row.name, []).append(row)
    return by_name


def results() -> dict[str, Result]:
    """{name: Result} of all problems, in order."""
    return {row.name: row for problem in problems() for row in problem.results}


def pages() -> list[Page]:
    """Every `Page` of every problem, in order."""
    return [page for problem in problems() for page in problem.pages]


def data_sets() -> list[DataSet]:
    """Every `DataSet` of every problem, in order."""
    return [entry for problem in problems() if problem.data for entry in load(problem.data)]


def warmup_groups_of(path: str) -> list[str]:
    """Names of the problems whose kernels a page calls: its own problem and those that serve it.

    >>> warmup_groups_of("pages/budget/policy.py")
    ['words', 'arms']
    """
    every = problems()
    owners = {problem.name for problem in every if path in (page.path for page in problem.pages)}
    return [one.name for one in every if one.warmup and (one.name in owners or owners & set(one.serves))]


def answers() -> dict[str, tuple[str, str]]:
    """Requests of views without a rerun: {name in the address: (module that answers, its warm-up group)}.

    >>> answers()["word"][1]
    'letters'
    """
    said = {problem.name: problem.answers.partition("=") for problem in problems() if problem.answers}
    return {name: (module, group) for group, (name, _, module) in said.items()}


def cards() -> dict[str, tuple[str, str]]:
    """Pages that have a card: {name in addresses: (module that defines its content, its warm-up group)}.

    >>> cards()["write"][1]
    'letters'
    """
    said = {problem.name: problem.cards for problem in problems() if problem.cards}
    return {page: (module, group) for group, (*named, module) in said.items() for page in named}


def scenes() -> dict[str, str]:
    """The functions of `spcviz.scenes`: {name: "module:function"}; ArgumentError if a name occurs twice.

    >>> scenes()["letters"]
    'spcviz.problems.letters.page.scenes:letters'
    """
    said: dict[str, str] = {}
    for problem in problems():
        for name, _, function in (row.partition("=") for row in problem.scenes):
            if name in said:
                where = f"spcviz/problems/{problem.name}/__init__.py"
                twice = f"is offered twice, as {said[name]} and as {function}"
                raise ArgumentError(f"{where}: the scene {name!r} {twice}")
            said[name] = function
    return said


def models() -> list[ShippedModel]:
    """Every `ShippedModel` of every problem, in order."""
    return [row for problem in problems() for row in problem.models]


def load_kernels(models: Path, names: Collection[str] = PROBLEMS) -> None:
    """Compile, or load from the disk cache, every kernel that a page of the named problems calls.

    A group whose model is missing in the folder `models` is skipped.
    """
    for problem in problems():
        if problem.warmup and problem.name in names:
            load(problem.warmup)(models)
