"""What the command line does with the hybrid; each function takes a `spcviz.problems.problem.Run`."""

from spcviz.problems.hybrid import tables


def result(run):
    """Every method against its microseconds, on both data sets."""
    return tables.reproduce(run)
