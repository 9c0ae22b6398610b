"""The checks by name: each takes a seed, returns the number of its cases, and raises what it found."""

import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from spcviz.learning.budgets.spending import spend as run
from spcviz.learning.budgets.world import Trajectory
from tests.engine.chains.test_chain import check_max_plus, check_sum
from tests.engine.chains.test_quiescent import check_exact
from tests.engine.graphs.test_tree import SCALES, check_maxima, check_witness, random_forest
from tests.engine.ngrams.test_prune import check_pruning
from tests.engine.ngrams.test_table import check_lattice
from tests.engine.test_wild_scores import (
    check_chain,
    check_pruning_units,
    check_rows,
    check_units,
    check_words,
)
from tests.learning.budgets.chains import test_parts as parts
from tests.learning.budgets.test_expansion import check_within
from tests.problems.own_data.hostile import check_brought
from tests.robust.arguments import check_call
from tests.robust.damaged_estimators import check_estimator
from tests.robust.stored_models import check_stored
from tests.shared.uploading.hostile import check_hostile
from tests.shared.uploading.test_uploads import check_upload, whole_files
from tests.store.test_damage import damages, kills
from tests.strategies import random_chain

TOLERANCE = 1e-9
FAULTS_KEPT = 5  # full messages that are kept of each check


class Found(NamedTuple):
    """What a check found.

    Attributes
    ----------
    cases : int
    n_faults : int
    faults : list of str
        The first of them, with their seeds.
    seed : int
        The next one.
    """

    cases: int
    n_faults: int
    faults: list
    seed: int


def find(name, seed, cases):
    """Run a check from a seed on until it has done the given number of cases.

    Parameters
    ----------
    name : str
        One of `CHECKS`.
    seed, cases : int

    Returns
    -------
    Found
    """
    done, faults = 0, []
    while done < cases:
        try:
            done += CHECKS[name](seed)
        except (Exception, pytest.fail.Exception) as error:
            done += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            faults.append(f"seed {seed}: {type(error).__name__}: {error} ({where.name}, line {where.lineno})")
        seed += 1
    return Found(done, len(faults), faults[:FAULTS_KEPT], seed)


def _small(gap):
    assert gap <= TOLERANCE, f"relative difference {gap:.3g}"
    return 1


def chains(seed):
    rng = np.random.default_rng(seed)
    return _small(check_max_plus(*random_chain(rng), rng))


def sums(seed):
    rng = np.random.default_rng(seed)
    scale = rng.choice([1e-6, 1.0, 1.0, 30.0, 100.0, 1e3, 1e5])
    return _small(check_sum(*random_chain(rng, scale=scale)))


def lattices(seed):
    return _small(check_lattice(seed))


def trees(seed):
    rng = np.random.default_rng(seed)
    n, k, scale = int(rng.integers(1, 6)), int(rng.integers(1, 4)), rng.choice(SCALES)
    forest = random_forest(rng, n, k, scale, forbid=rng.random() < 0.5)
    check_maxima(*forest)
    check_witness(*forest, int(rng.integers(n)), int(rng.integers(k)))
    return 1


def quiet(seed):
    check_exact(np.random.default_rng(seed), per_step=bool(seed % 2))
    return 1


def pruning(seed):
    return int(check_pruning(seed)[0])


def expansions(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    costs = rng.integers(0, 4, shape) * 1.0 if rng.random() < 0.5 else rng.exponential(size=shape)
    values = rng.integers(-3, 4, shape) * 1.0 if rng.random() < 0.5 else rng.normal(size=shape)
    check_within(values, costs, float(rng.choice([0.0, 1.0, costs.sum(), rng.exponential() * 5])))
    return 1


def policies(seed):
    rng = np.random.default_rng(seed)
    world = parts.batch(seed, parts.KINDS[seed % 2])
    how = parts.rule(
        seed, world, is_fixed=rng.random() < 0.3, refreshed=rng.random() < 0.5,
        all_at_once=rng.random() < 0.3, q=float(rng.choice([0.0, 0.25, 0.5])), per_cost=rng.random() < 0.5,
    )  # fmt: skip
    costs = rng.exponential(size=(len(world.scores), parts.N_TIERS - 1))
    budget = float(rng.choice([0.0, rng.random() * costs.sum(), costs.sum()]))
    trajectory = Trajectory(*run(world, how, costs, budget, False, False))
    assert trajectory.cost.sum() <= budget * (1 + 1e-12)
    return 1


@cache
def _folder():
    """This process's temporary folder, removed with it."""
    return tempfile.TemporaryDirectory()


def damaged(seed):
    folder = Path(_folder().name) / "damage"
    return len(list(damages(folder, range(100 * seed, 100 * seed + 100))))


def killed(seed):
    folder = Path(_folder().name) / f"kills-{seed}"
    folder.mkdir()
    return len(list(kills(folder, 20, seed)))


@cache
def _files():
    return whole_files(np.random.default_rng(0))


def uploads(seed):
    check_upload(_files(), seed)
    return 1


def hostile(seed):
    check_hostile(seed)
    return 1


def brought(seed):
    check_brought(seed)
    return 1


def _of_app(name, check):
    """A check of one case that opens the app; its imports take seconds and happen only if it runs."""
    return lambda seed: getattr(import_module(f"tests.app.{name}"), check)(seed) or 1


CHECKS = {
    "chains": chains,
    "sums": sums,
    "n-gram lattices": lattices,
    "trees": trees,
    "quiescent": quiet,
    "trees of words, wild scores": check_words,
    "chains, wild scores": check_chain,
    "probabilities, wild scores": check_rows,
    "units": check_units,
    "units of pruning": check_pruning_units,
    "pruning": pruning,
    "arguments": check_call,
    "expansions": expansions,
    "policies": policies,
    "damaged models": damaged,
    "damaged estimators": check_estimator,
    "stored models": check_stored,
    "kills": killed,
    "uploads": uploads,
    "hostile uploads": hostile,
    "hostile files": brought,
    "links": _of_app("test_links", "check_link"),
    "brought tours": _of_app("test_links", "check_tour"),
    "damaged results": _of_app("test_damaged_results", "check_damaged"),
}
