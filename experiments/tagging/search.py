r"""Search the settings of SPC, CRF and perceptron on development sentences, with equally many trials each.

A trial trains two levels and counts the bigrams left where 3 to 7 % of the sentences are lost (a single loss
is decided by one or two of WSJ's 270); the geometric means are compared.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from experiments.tagging import equal_loss
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model import settings as chosen

LOSSES = (3.0, 4.0, 5.0, 6.0, 7.0)
"""Losses at which bigrams are counted, percent of the development sentences."""
N_ORDERS = 2
MOST_BYTES = 12 << 30
"""Address space of a trial. Settings whose first filter leaves nearly all tags need more in training."""


def config_of_try(settings, method, number):
    """The configuration of a trial: two levels, whose predictors are not used."""
    return replace(chosen.config_of(settings, method, {method: number}), predictor_epochs=1)


@contextlib.contextmanager
def memory_of_at_most(n_bytes: int) -> Iterator[None]:
    """Within, allocations beyond `n_bytes` of address space raise `MemoryError`, where the system allows it.

    >>> with memory_of_at_most(2**44):
    ...     pass
    """
    try:
        import resource
    except ImportError:  # not on every system
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes if hard < 0 else min(n_bytes, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def run_try(settings, method, number) -> dict:
    """Run one of `chosen.tries_of`: train and count; all None if that takes more than `MOST_BYTES`.

    ``pairs``: bigrams per position at each of `LOSSES`, None where the filter cannot lose that few;
    ``score``: their geometric mean, None if one is missing.
    """
    data = chosen.data_of(settings)
    config = config_of_try(settings, method, number)
    row = {"method": method, "number": number, "losses": list(LOSSES)}
    row["settings"] = chosen.tries_of(settings, method)[number]
    try:
        with memory_of_at_most(MOST_BYTES):
            return row | _count_left(data, experiment.train(config, data, n_orders=N_ORDERS))
    except MemoryError:
        return row | {"pairs": [None] * len(LOSSES), "score": None, "passes": None, "alphas": None}


def _count_left(data, trained):
    """Bigrams that a trial leaves on the development sentences."""
    fallen = equal_loss.fallen_of(data, trained.cascade, trained.cascade, N_ORDERS, "dev")
    curves = equal_loss.curves_of(fallen, np.ones((1, len(fallen.event))))
    pairs = [float(equal_loss.at_loss(curves.loss, curves.pairs, loss)[0]) for loss in LOSSES]
    score = float(np.exp(np.mean(np.log(pairs))))
    return {
        "pairs": [value if np.isfinite(value) else None for value in pairs],
        "score": score if np.isfinite(score) else None,
        "passes": [report.n_passes for report in trained.reports],
        "alphas": [report.alpha for report in trained.reports],
    }


def pick_best(rows: list[dict]) -> dict[str, int]:
    """The number of each method's best trial; of equals, and where none has a score, the first.

    >>> pick_best([{"method": "crf", "number": n, "score": s} for n, s in enumerate([None, 3.0, 2.0, 2.0])])
    {'crf': 2}
    """
    best: dict[str, dict] = {}
    for row in rows:
        before = best.setdefault(row["method"], row)
        if row["score"] is not None and (before["score"] is None or row["score"] < before["score"]):
            best[row["method"]] = row
    return {method: row["number"] for method, row in best.items()}
