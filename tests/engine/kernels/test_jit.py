"""The compiled cache: unwritable, damaged or switched off, results stay the same."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spcviz.engine.kernels import kernel_cache

ROOT = Path(__file__).parents[3]

SMALL = """
import json
from spcviz.engine import checks
from spcviz.engine.kernels import kernel_cache
print(json.dumps([checks.scores("x", [0.0, 2.0], 1).sum(), kernel_cache.folder() is not None]))
"""

WIDE = """
import json
import numpy as np
from spcviz.engine import chain, lattice
from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.engine.ngrams.prune import prune, truth_points
from spcviz.learning.cascade.features import DenseRows, SparseRows
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Perceptron
from spcviz.learning.cascade.online import fit, prepare

rng = np.random.default_rng(0)
out = []
unary, pairwise = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
out += [chain.decode(unary, pairwise).score, *chain.max_marginals(unary, pairwise).pairwise.ravel()]
for scale in (1.0, 1000.0):
    out += [chain.marginals(scale * unary, pairwise).log_partition]
out += [*chain.k_best(unary, pairwise, 4).scores, *chain.decode_batch(unary, [1, 2], pairwise).scores]
out += [*chain.max_marginals_batch(unary, [1, 2], pairwise).unary.ravel()]
out += [chain.witness(unary, pairwise, 1, 2).score]
grams = [encode(3, g) for g in ("ab", "bc", "abc", "abca", "babca", "b#")]
table = ngram_table(3, grams, rng.normal(size=6))
letters, unary, labels = lattice.unigrams([5, 2], 3), rng.normal(size=(7, 3)), rng.integers(0, 3, 7)
for _ in range(4):
    score = lattice.score_arcs(letters, unary, table)
    pruned = prune(letters, score, 0.1, max_arcs=30)
    out += [*pruned.passed.max_marginal, *lattice.decode(letters, score).labels]
    out += [*np.exp(lattice.log_marginals(letters, score)[1]), *lattice.witness(letters, score, 0)[1]]
    truth_scores = lattice.score_labels(letters, unary, table, labels)
    truth = lattice.path_of(letters, labels)
    out += [*np.clip(truth_points(letters, pruned, truth, truth_scores)[1], -9, 9), *truth_scores]
    letters = lattice.extend(letters, pruned.keep | (np.arange(letters.n_arcs) % 2 == 0))
letters = lattice.unigrams([2, 1], 2)
letters = lattice.extend(letters, np.ones(letters.n_arcs, dtype=bool))
dense = DenseRows(rng.normal(size=(3, 2)).astype(np.float32))
sparse = SparseRows([0, 1, 3, 3], [0, 1, -1], 2)
hinges = [(dense, FilterHinge(0.5)), (dense, FilterHinge(0.5, 1.0, True))]
for features, loss in [(dense, Perceptron()), (dense, LogLoss()), (sparse, Perceptron()), *hinges]:
    problem = prepare(letters, features, [0, 1, 1], has_end=True)
    model = fit(problem, loss, [0, 1], np.random.default_rng(0), epochs=2, decay=0.01).model
    out += [*model.weights.ravel(), *model.values]
print(json.dumps([float(v) for v in out]))
"""


def run(code, **environment):
    """What a fresh process prints, as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def cache_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".nbi", ".nbc"))


def is_whole(path):
    content = path.read_bytes()
    return hashlib.sha256(content[:-32]).digest() == content[-32:]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jit")
    assert run(SMALL, SPCVIZ_JIT_DIR=str(folder)) == [2, True]
    return folder


def test_compiled_code_is_kept_under_a_digest_of_the_sources(filled):
    files = cache_files(filled)
    assert {p.suffix for p in files} == {".nbi", ".nbc"}
    assert all(is_whole(p) for p in files)
    assert {p.name for p in filled.iterdir() if p.is_dir()} == {kernel_cache.kernel_digest()}
    before = {p: p.stat().st_mtime_ns for p in files}
    assert run(SMALL, SPCVIZ_JIT_DIR=str(filled)) == [2, True]
    assert {p: p.stat().st_mtime_ns for p in cache_files(filled)} == before  # loaded, not compiled again


DAMAGES = {
    "halved": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "one bit": lambda content: content[:200] + bytes([content[200] ^ 4]) + content[201:],
    "last bit": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "zeroed": lambda content: bytes(len(content)),
    "longer": lambda content: content + b"\0",
}


@pytest.mark.parametrize(
    ("how", "suffixes"),
    [(how, (".nbi", ".nbc")) for how in DAMAGES] + [("one bit", (".nbc",)), ("halved", (".nbi",))],
)
def test_damaged_files_are_compiled_again(filled, how, suffixes):
    files = [p for p in cache_files(filled) if p.suffix in suffixes]
    assert files
    for path in files:
        path.write_bytes(DAMAGES[how](path.read_bytes()))
        assert not is_whole(path)
    assert run(SMALL, SPCVIZ_JIT_DIR=str(filled)) == [2, True]
    assert all(is_whole(p) for p in files)


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(SMALL, SPCVIZ_JIT_DIR=str(blocked)) == [2, False]
    assert run(SMALL, SPCVIZ_JIT_DIR=str(blocked / "below")) == [2, False]
    assert blocked.read_text() == "not a folder"


def test_a_folder_that_cannot_be_written_to_is_done_without():
    assert run(SMALL, SPCVIZ_JIT_DIR="/proc/spcviz") == [2, False]


def test_a_process_without_a_home_does_without():
    """No HOME and a user that the system does not know, as in containers: expanduser raises."""
    homeless = """
import os, pathlib
def expanduser(self):
    raise RuntimeError("Could not determine home directory.")
pathlib.Path.expanduser = expanduser
for name in ("SPCVIZ_JIT_DIR", "XDG_CACHE_HOME"):
    os.environ.pop(name, None)
"""
    assert run(homeless + SMALL) == [2, False]


def test_pure_python_gives_the_same_results():
    fast, slow = run(WIDE), run(WIDE, NUMBA_DISABLE_JIT="1")
    assert len(fast) == len(slow) > 300
    assert slow == pytest.approx(fast, rel=1e-9, abs=1e-9)


MODULES = {
    "engine/kernels/jit.py": "import numba\nFLAGS = 1\n",
    "engine/plain.py": "LIMIT = 3\n",
    "engine/unused.py": "LIMIT = 4\n",
    "problems/deep/kernels.py": "from spcviz.engine.kernels.jit import kernel\n"
    "from spcviz.engine.plain import LIMIT\n"
    '@kernel\ndef f(x):\n    """Adds."""\n    return x + LIMIT\n',
}


@pytest.fixture
def package(tmp_path):
    """A copy of a package in small: kernels two folders down, a constant that they compile in."""
    for name, source in MODULES.items():
        path = tmp_path / "spcviz" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("engine/kernels/jit.py", "FLAGS = 1", "FLAGS = 2"),
        ("problems/deep/kernels.py", "x + LIMIT", "x - LIMIT"),
        ("engine/plain.py", "LIMIT = 3", "LIMIT = 5"),
    ],
)
def test_changed_code_at_any_depth_changes_the_digest(package, name, old, new):
    before, path = kernel_cache.kernel_digest(package), package / "spcviz" / name
    path.write_text(path.read_text().replace(old, new))
    assert kernel_cache.kernel_digest(package) != before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("problems/deep/kernels.py", "Adds.", "Adds a limit."),
        ("problems/deep/kernels.py", "return x + LIMIT", "return (x +  LIMIT)  # why not"),
        ("engine/unused.py", "LIMIT = 4", "LIMIT = 5"),  # no kernel can see it
    ],
)
def test_changed_sentences_compile_nothing_anew(package, name, old, new):
    before, path = kernel_cache.kernel_digest(package), package / "spcviz" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert kernel_cache.kernel_digest(package) == before


def test_every_file_that_compiles_is_in_the_digest():
    """The files are found by their imports; whoever compiles in another way would be missed."""
    package = ROOT / "spcviz"
    compiling = {p for p in package.rglob("*.py") if "@kernel" in (text := p.read_text()) or "njit" in text}
    assert len(compiling) > 25
    missed = {p for p in compiling if not kernel_cache._HOLDS_KERNELS.search(p.read_bytes())}
    assert not missed


def test_a_damaged_note_of_the_digest_is_made_anew(tmp_path):
    digest = kernel_cache._remembered_digest(tmp_path)
    (note,) = tmp_path.iterdir()
    note.write_text("gibberish")
    assert (
        kernel_cache._remembered_digest(tmp_path)
        == digest
        == note.read_text()
        == kernel_cache.kernel_digest()
    )


COMPLAIN = """
import json
from spcviz.engine import checks
from spcviz.engine.kernels import kernel_cache
checks.scores("x", [0.0, 2.0], 1)
print(json.dumps(kernel_cache.complaints()))
"""


def test_what_was_wrong_with_the_folder_is_said(tmp_path, filled):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    (said,) = run(COMPLAIN, SPCVIZ_JIT_DIR=str(blocked))
    assert said.startswith(f"{blocked}: ")
    assert said.endswith("are not kept, so they compile anew in every process")
    path = next(p for p in cache_files(filled) if p.suffix == ".nbc")
    path.write_bytes(path.read_bytes()[:-1])
    (said,) = run(COMPLAIN, SPCVIZ_JIT_DIR=str(filled))
    assert said.endswith("files are damaged; what was in them is compiled anew")
    assert run(COMPLAIN, SPCVIZ_JIT_DIR=str(filled)) == []


FULL = """
import errno, json
from numba.core import caching
from spcviz.engine import checks
from spcviz.engine.kernels import kernel_cache
def save(*_):
    raise OSError(errno.ENOSPC, "No space left on device")
caching.IndexDataCacheFile.save = save
total = checks.scores("x", [0.0, 2.0], 1).sum()
print(json.dumps([total, kernel_cache.complaints()]))
"""


def test_a_disk_that_fills_up_stops_nothing(tmp_path):
    total, (said,) = run(FULL, SPCVIZ_JIT_DIR=str(tmp_path))
    assert total == 2
    assert "No space left on device; what could not be kept compiles anew" in said


def test_folders_of_older_sources_are_removed_but_not_those_in_use(tmp_path):
    current, old, used, other = (tmp_path / name for name in ("0" * 16, "1" * 16, "2" * 16, "mine"))
    for folder in (current, old, used, other):
        folder.mkdir()
        (folder / "kernel.nbi").write_text("")
    notes = [tmp_path / f"{digit * 16}.digest" for digit in "12"]
    for path in (*notes, current, other):
        path.touch()
    for path in (old, other, notes[0]):
        os.utime(path, (1e9, 1e9))
    kernel_cache._remove_old(tmp_path, current)
    assert {path.name for path in tmp_path.iterdir()} == {current.name, used.name, other.name, notes[1].name}


def test_a_number_written_out_compiles_no_kernel_of_its_own():
    code = """
import json
import numba
from spcviz.engine.kernels.jit import kernel
@kernel
def add(x, step):
    return x + step
@kernel
def both(x):
    return add(x, 1) + add(x, -1) + add(x, x)
print(json.dumps([both(3), 1 if numba.config.DISABLE_JIT else len(add.part.signatures)]))
"""
    assert run(code, SPCVIZ_JIT_DIR="/proc/spcviz") == [12, 1]  # code from a string cannot be kept


PARTS = """
import json
import sys
from spcviz.engine.kernels import kernel_cache
sys.path.insert(0, {folder!r})
import called
found = []
for x in (1.0, -1.0):
    try:
        found.append(called.outer(x))
    except ValueError as error:
        found.append(str(error))
if {directly}:
    found.append(called.inner(4.0))
names = {{path.name.split(".")[1].split("-")[0] for path in kernel_cache.folder().rglob("*.nbi")}}
print(json.dumps([found, sorted(names)]))
"""

CALLED = """
import numpy as np
from spcviz.engine.kernels.jit import kernel
@kernel
def inner(x):
    if x < 0.0:
        raise ValueError("less than nothing")
    return np.sqrt(np.full(2, x)).sum()
@kernel
def outer(x):
    return inner(x) + inner(4.0 * x)
"""


def test_what_only_kernels_call_has_no_file_and_still_raises_and_may_be_called_later(tmp_path):
    (tmp_path / "called.py").write_text(CALLED)
    jit = {"SPCVIZ_JIT_DIR": str(tmp_path / "jit")}

    def found(directly):
        return run(PARTS.format(folder=str(tmp_path), directly=directly), **jit)

    compiled = found(False)
    assert compiled == [[6.0, "less than nothing"], ["outer"]]
    assert found(False) == compiled  # loaded: an error's text stands where its code looks for it
    assert found(True) == [[6.0, "less than nothing", 4.0], ["inner", "outer"]]


def test_this_numba_compiles_parts_as_parts():
    code = """
import json
from spcviz.engine.kernels import parts
print(json.dumps(parts.install()))
"""
    assert run(code)


def test_a_numba_that_is_not_known_compiles_everything_by_itself(tmp_path):
    (tmp_path / "called.py").write_text(CALLED)
    jit = {"SPCVIZ_JIT_DIR": str(tmp_path / "jit"), "SPCVIZ_PARTS": "0"}
    code = PARTS.format(folder=str(tmp_path), directly=False)
    assert run(code, **jit) == [[6.0, "less than nothing"], ["inner", "outer"]]
    assert run(code, **jit) == [[6.0, "less than nothing"], ["inner", "outer"]]
