"""Everything that follows from the list of problems."""

from importlib import import_module

from spcviz.problems import PROBLEMS


def problems():
    """All problems, in order: a list of `spcviz.problems.problem.Problem`."""
    return [import_module(f"spcviz.problems.{name}").PROBLEM for name in PROBLEMS]


def load(dotted):
    """What ``"module:name"`` names.

    Examples
    --------
    >>> load("spcviz.problems:PROBLEMS")[:2]
    ('letters', 'open_words')
    """
    module, _, name = dotted.partition(":")
    return getattr(import_module(module), name)


def trainings():
    """Name to the rows of that name, in the order in which they are done: {str: list of Training}."""
    found = {}
    for problem in problems():
        for row in problem.trains:
            found.setdefault(row.name, []).append(row)
    return found


def results():
    """{name: Result} of all problems, in order."""
    return {row.name: row for problem in problems() for row in problem.results}


def pages():
    """Every `Page` of every problem, in order."""
    return [page for problem in problems() for page in problem.pages]


def data_sets():
    """Every `DataSet` of every problem, in order."""
    return [entry for problem in problems() if problem.data for entry in load(problem.data)]


def warmup(models):
    """Compile, or load from the disk cache, every kernel that a page calls.

    Parameters
    ----------
    models : Path
        Folder of the stored models; a story whose model is missing is left out.
    """
    for problem in problems():
        if problem.warmup:
            load(problem.warmup)(models)
