"""What the command line does with the hybrid; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.hybrid.model import fold, stored
from spcviz.problems.hybrid.paper import reproduce


def result(run):
    """Every method against its microseconds, on both data sets."""
    return reproduce.reproduce(run)


def train(run):
    """Train what the page needs of fold 0 and of the open vocabulary; yields a line when it is stored."""
    settings = fold.settings_for(run.quick)
    path = stored.save(run.models, *stored.train(settings, run.work, run.tick), settings)
    yield f"{path}: orders and features, fold 0 and the open vocabulary"
