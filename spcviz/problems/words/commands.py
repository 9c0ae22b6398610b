"""What the command line does with budgets on words; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.budgets.tables import reproduce
from spcviz.problems.words import models, tables


def train(run):
    """Train what the budget pages need of words; yields a line when it is stored."""
    trained = models.train(run.work, quick=run.quick, tick=run.tick)
    path = models.save(run.models, *trained)
    found = models.metrics_of(models.from_arrays(*trained))
    errors = ", ".join(f"{error:.2f}" for error in found["plain_error"])
    yield f"{path}: letters wrong {errors} % with the models of the three tiers, fold 0"


def result(run):
    """One of the four results."""
    return reproduce(tables, run)
