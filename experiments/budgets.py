"""Results about budgets: the protocol for a problem, and how their JSON is assembled."""

from typing import NamedTuple, Protocol

from spcviz.registry.problem import Run
from spcviz.shared.report import describe


class Measured(NamedTuple):
    """A problem's measurements for one result."""

    # points of curves: ``method`` (of `spcviz.learning.budgets.methods`), cost and error
    rows: list[dict]
    baselines: list[dict]  # without any policy
    settings: dict
    data: dict  # dict of str to (dict of str to ndarray): digests of these are written
    # further entries: ``summary`` of the curves, tables of the papers; and ``fold_rows`` of
    # `spcviz.shared.report.describe`
    more: dict


class Budgeted(Protocol):
    """The protocol of a problem for the budget tables: a module with these two members fulfils it."""

    SOURCES: dict[str, str]  # name of each of its results to the paper and figure that it repeats

    def measure(self, run: Run) -> Measured:
        """All methods of the result ``run.name`` on the problem's own splits."""


def reproduce(problem: Budgeted, run: Run) -> dict:
    """One result; see `spcviz.shared.report.describe`. Finished parts are stored in ``run.work``."""
    rows, *others, more = problem.measure(run)
    named = dict(zip(("baselines", "settings", "data"), others, strict=True))
    return describe(run.name, problem.SOURCES[run.name], rows, **named, **more)
