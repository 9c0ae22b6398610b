"""What the command line does with budgets on arms; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.arms.model import stored
from spcviz.problems.arms.page import batch
from spcviz.problems.arms.paper import reproduce as tables
from spcviz.problems.budgets.tables import reproduce


def train(run):
    """Train what the budget pages need of arms; yields a line when it is stored."""
    trained = stored.train(run.models, run.work, quick=run.quick, tick=run.tick)
    path = stored.save(run.models, *trained)
    found = batch.metrics_of(stored.load(run.models))
    errors = ", ".join(f"{error:.1f}" for error in found["plain_error"])
    yield (
        f"{path}: joints off {errors} % with the models of the four tiers, {found['error_of_a_tenth']:.1f} % "
        "for a tenth of the time, on test clips"
    )


def result(run):
    """dms-pose or policy-pose; ``features`` are names of sets of clips."""
    found = reproduce(tables, run)
    return tables.merged(run.earlier, found) if run.earlier else found
