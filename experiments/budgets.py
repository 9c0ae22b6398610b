"""Results about budgets: the protocol that a problem fulfils, and how their JSON is assembled."""

from typing import NamedTuple, Protocol

from spcviz.registry.problem import Run
from spcviz.shared.report import describe


class Measured(NamedTuple):
    """What a problem measured for one result."""

    # points of curves: ``method`` (of `spcviz.learning.budgets.methods`), what was spent, what was wrong
    rows: list[dict]
    baselines: list[dict]  # without any policy
    settings: dict
    data: dict  # dict of str to (dict of str to ndarray): digests of these are written
    # further entries: ``summary``, what the curves come to, tables of the papers; and ``fold_rows`` of
    # `spcviz.shared.report.describe`
    more: dict


class Budgeted(Protocol):
    """All that the budget tables ask of a problem: a module with these two is one."""

    SOURCES: dict[str, str]  # name of each of its results to the paper and figure that it repeats

    def measure(self, run: Run) -> Measured:
        """All methods of the result ``run.name`` on the problem's own splits."""


def reproduce(problem: Budgeted, run: Run) -> dict:
    """One result; see `spcviz.shared.report.describe`. Finished parts are kept in ``run.work``."""
    rows, *others, more = problem.measure(run)
    named = dict(zip(("baselines", "settings", "data"), others, strict=True))
    return describe(run.name, problem.SOURCES[run.name], rows, **named, **more)
