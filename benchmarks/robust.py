"""``bench robust``: the project's own property checks in large numbers, each piece in its own process.

The checks and their oracles are those of the test suite (`tests/robust`), so this needs a clone of the
repository with what its tests need. A check is run in pieces, one process each: a crash or an endless loop is
a fault of that piece. Finished pieces are stored in the work folder under a name that identifies the code
that made them, so that an interrupted run continues where it stopped.
"""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.shared.folders import ROOT, WORK
from spcviz.shared.report import describe
from spcviz.shared.work import ledger
from spcviz.shared.work.disk_cache import load_or_compute

SECONDS = 900  # a piece that takes longer counts as hanging


class Row(NamedTuple):
    """One check."""

    group: str  # its name for ``--only``
    check: str  # its name in `tests/robust/checks.py`
    what: str  # in words
    cases: int  # at full strength
    piece: int  # cases in one process
    code: tuple[str, ...]  # modules of this package that it checks
    test: str  # its file below `tests`. A finished piece is reused as long as neither changes
    without_jit: bool = False  # kernels run as Python, so that a read beyond an array's end is an error


_CACHED = ("arms", "hybrid", "letters", "own_data", "parsing", "pose", "scene", "tagging", "words")
_ENGINE = (
    "problems.exact.agglomerate", "problems.pose.model.templates",
    *(f"engine.chains.{name}" for name in ("quiescent", "soft", "batch")),
    *(f"engine.graphs.{name}" for name in ("ensemble", "exhaustive", "gibbs", "grid", "loopy_bp", "placed")),
    *(f"engine.ngrams.{name}" for name in ("dense", "prune")),
)  # fmt: skip

_TREES = ("engine.dependency.arborescence", "engine.dependency.projective")
_EXACT = ("engine.chains.prepared", "engine.graphs.tree")
_UPLOADS = tuple(f"shared.uploading.{name}" for name in ("uploads", "decoder"))

ROWS = (
    Row("enumeration", "chains", "chains: Viterbi, max-marginals, witnesses, k best", 6000, 3000,
        ("engine.chains.chain",), "engine/chains/test_chain.py"),
    Row("enumeration", "sums", "chains: sum marginals", 4000, 2000,
        ("engine.chains.chain",), "engine/chains/test_chain.py"),
    Row("enumeration", "n-gram lattices", "n-gram lattices: Viterbi, max-marginals, witnesses", 5000, 2500,
        ("engine.ngrams.lattice",), "engine/ngrams/test_table.py"),
    Row("enumeration", "trees", "trees: Viterbi, max-marginals, witnesses", 2500, 2500,
        ("engine.graphs.tree",), "engine/graphs/test_tree.py"),
    Row("enumeration", "quiescent", "messages that stop early, at tolerance 0", 2500, 2500,
        ("engine.chains.quiescent",), "engine/chains/test_quiescent.py"),
    Row("scales", "trees of words, wild scores", "scales and masks: trees of words, one root or more", 20_000,
        5000, _TREES, "engine/test_wild_scores.py"),
    Row("scales", "chains, wild scores", "scales and masks: whatever decodes a chain, max-marginals", 10_000,
        5000, (*_EXACT, "engine.graphs.exhaustive", "engine.ngrams.lattice", "engine.chains.quiescent"),
        "engine/test_wild_scores.py"),
    Row("scales", "probabilities, wild scores", "scales and masks: probabilities add up to 1", 10_000, 5000,
        (*_EXACT, "engine.graphs.loopy_bp", "engine.ngrams.prune"), "engine/test_wild_scores.py"),
    Row("scales", "units", "units of scores: every exact door, to the last bit", 10_000, 5000,
        (*_ENGINE, *_TREES), "engine/test_wild_scores.py"),
    Row("scales", "units of pruning", "units of scores: what is pruned", 10_000, 5000,
        ("engine.ngrams.prune",), "engine/test_wild_scores.py"),
    Row("lattices", "pruning", "pruned lattices: a path and the best path survive", 100_000, 10_000,
        ("engine.ngrams.prune",), "engine/ngrams/test_prune.py"),
    Row("arguments", "arguments", "bad arguments: a typed error by name, no NaN, within 2 s", 10_000, 5000,
        _ENGINE, "robust/arguments.py"),
    Row("budgets", "expansions", "budgets of a batch are kept", 7000, 7000,
        ("learning.budgets.expansion",), "learning/budgets/test_expansion.py"),
    Row("budgets", "policies", "budgets of policies, part by part, are kept", 3000, 3000,
        ("learning.budgets.spending", "learning.budgets.chains.parts"),
        "learning/budgets/chains/test_parts.py"),
    Row("models", "damaged models", "damaged model files: refused with the repairing command", 2000, 1000,
        ("store.models",), "store/test_damage.py"),
    Row("estimators", "damaged estimators", "saved estimators, each thing in them damaged: refused or the"
        " same", 6000, 1000, ("io.estimators", "sequences", "spending"),
        "robust/damaged_estimators.py", True),
    Row("pages", "stored models", "each stored model damaged: pages say the command, others work", 126, 7,
        ("store.models", *(f"problems.{name}.page.cached" for name in _CACHED)), "robust/stored_models.py"),
    Row("kills", "kills", "writers of a model killed: a whole model stays", 200, 20,
        ("store.models",), "store/test_damage.py"),
    Row("uploads", "uploads", "mutated uploads: read under the caps, or a sentence", 3000, 50,
        _UPLOADS, "shared/uploading/test_uploads.py"),
    Row("hostile", "hostile uploads", "hostile uploads: a sentence, no file or socket opened", 3000, 50,
        _UPLOADS, "shared/uploading/hostile.py"),
    Row("brought", "hostile files", "hostile texts, scores and models: read, or a sentence soon", 3000, 50,
        (*_UPLOADS, "problems.own_data.model.apart", "store.zips", "scores.schemes"),
        "problems/own_data/hostile.py"),
    Row("links", "links", "hostile addresses: every page opens, nothing is marked up", 600, 100,
        ("web.ui.state", "web.touring.touring", "web.figures.formatting"), "app/test_links.py"),
    Row("links", "brought tours", "tours of strangers: read, or a sentence", 10_000, 5000,
        ("web.tours.tour", "web.touring.scenes", "web.touring.own_tour"), "app/test_links.py"),
    Row("results", "damaged results", "damaged results: every page that shows one opens", 300, 150,
        ("shared.result_files", "web.ui.results"), "app/test_damaged_results.py"),
)  # fmt: skip
GROUPS = tuple(dict.fromkeys(row.group for row in ROWS))


def bench_robust(*, scale: float = 1.0, only: str | None = None, tick: Callable = lambda text: None) -> dict:
    """Count the faults of some of `GROUPS`, separated by commas; `scale` 1 is full strength."""
    scale = checks.number("scale", scale, 1e-4, 100.0)
    wanted = only.split(",") if only else GROUPS
    for name in wanted:
        if name not in GROUPS:
            raise ArgumentError(f"only must be some of {', '.join(GROUPS)}, got {name!r}")
    _check_tests()
    rows = [_measure(row, max(1, round(row.cases * scale)), tick) for row in ROWS if row.group in wanted]
    return describe(
        "bench-robust", "this project's own figures to hold", rows, baselines=[],
        settings={"scale": scale, "only": list(wanted)}, data={},
    )  # fmt: skip


def _check_tests():
    if not (ROOT / "tests" / "robust").is_dir():
        raise SpcvizError(f"{ROOT / 'tests'} is missing: run this in a clone of the repository")
    missing = [name for name in ("pytest", "hypothesis") if importlib.util.find_spec(name) is None]
    if missing:
        raise SpcvizError(
            f"bench robust runs the project's tests, and {', '.join(missing)} is not installed; "
            "install with: python -m pip install -r tests/requirements.txt"
        )


def _measure(row, cases, tick):
    """A row of the result, from all pieces of a check."""
    done, seed, n_faults, faults, peak = 0, 0, 0, [], None
    while done < cases:
        wanted = min(row.piece, cases - done)
        tick(f"{row.what}: {done} of {cases}")
        key = {"check": row.check, "seed": seed, "cases": wanted, "tests": _tests_digest(row.test)}
        code = [f"spcviz.{name}" for name in row.code]
        name = f"robust-{row.check.replace(' ', '-')}-{seed}"
        measured = load_or_compute(WORK, name, key, code, lambda s=seed, n=wanted: _run(row, s, n))
        ledger.add({f"{row.check} {seed}": measured["cpu_seconds"]})
        done, seed, n_faults = done + measured["cases"], measured["seed"], n_faults + measured["n_faults"]
        faults += measured["faults"]
        peak = max(peak or 0, measured["peak_mb"]) if measured["peak_mb"] is not None else peak
    about = {"what": row.what, "cases": done, "faults": n_faults, "full": row.cases, "group": row.group}
    return about | {"peak_mb": peak, "first_faults": faults[:5]}


def _run(row, seed, cases):
    """Run one piece in its own process."""
    command = [sys.executable, "-m", "tests.robust", row.check, str(seed), str(cases)]
    lost = {"cases": cases, "n_faults": 1, "seed": seed + cases, "cpu_seconds": None, "peak_mb": None}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | {"NUMBA_DISABLE_JIT": str(int(row.without_jit))},
            capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return lost | {"faults": [f"seeds from {seed}: no end after {SECONDS} s"]}
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        last_line = done.stderr.strip().splitlines()[-1:] or ["nothing said"]
        ended = f"seeds from {seed}: the process ended with {done.returncode}: {last_line[0]}"
        return lost | {"faults": [ended]}


def _tests_digest(test):
    """Digest of a check's code outside the package: its test file, oracles, and the code that draws cases."""
    tests, digest = ROOT / "tests", hashlib.sha256()
    files = (tests / test, tests / "strategies.py", tests / "robust" / "checks.py")
    for path in (*files, *sorted((tests / "oracles").glob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def as_text(result):
    """The table for a terminal."""
    lines = [f"{'what':62} {'cases':>8} {'faults':>7} {'MB':>6}"]
    for row in result["rows"]:
        peak = "-" if row["peak_mb"] is None else f"{row['peak_mb']:.0f}"
        lines.append(f"{row['what']:62} {row['cases']:8} {row['faults']:7} {peak:>6}")
        lines += [f"    {fault}" for fault in row["first_faults"]]
    return "\n".join(lines)
