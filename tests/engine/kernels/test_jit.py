"""The compiled cache: unwritable, damaged or switched off, results stay the same."""

import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from spcviz.engine.kernels import jit, kernel_cache

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
from spcviz.learning.cascade.online import Rates, fit
from spcviz.learning.cascade.problem import prepare

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
    model = fit(problem, loss, [0, 1], np.random.default_rng(0), epochs=2, rates=Rates(decay=0.01)).model
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
    """Whether the file's checksum is in the list of the folder two levels above it."""
    line = f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.parent.name}/{path.name}"
    return line in (path.parents[1] / "sums.txt").read_text().splitlines()


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


@pytest.mark.parametrize("how", ["halved", "zeroed"])
def test_a_damaged_list_of_sums_trusts_nothing(filled, how):
    (sums,) = filled.rglob("sums.txt")
    sums.write_bytes(DAMAGES[how](sums.read_bytes()))
    assert run(SMALL, SPCVIZ_JIT_DIR=str(filled)) == [2, True]
    assert all(map(is_whole, cache_files(filled)))


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
KILLED = """
import json, os, sys, time
from spcviz.engine import checks
sys.path.insert(0, {folder!r})
import called
checks.scores("x", [0.0, 2.0], 1)
time.sleep(1.1)
called.outer(1.0)
print(json.dumps(1), flush=True)
os._exit(0)
"""


@pytest.fixture
def killed(tmp_path_factory):
    """Code that ends a process just after it has compiled two small kernels."""
    folder = tmp_path_factory.mktemp("called")
    (folder / "called.py").write_text(CALLED)
    return KILLED.format(folder=str(folder))


def test_a_process_that_is_killed_leaves_only_its_last_kernels_without_a_sum(killed, tmp_path):
    assert run(killed, SPCVIZ_JIT_DIR=str(tmp_path)) == 1
    before = {path: is_whole(path) for path in cache_files(tmp_path)}
    unfinished = [path for path, whole in before.items() if not whole]
    assert 0 < len(unfinished) < len(before)
    assert run(COMPLAIN, SPCVIZ_JIT_DIR=str(tmp_path)) == []  # nothing is damaged
    assert {p for p in cache_files(tmp_path) if p.stem not in {u.stem for u in unfinished}} == {
        path for path, whole in before.items() if whole
    }
    assert not any(path.exists() for path in unfinished)


def test_what_is_compiled_in_two_processes_at_once_is_trusted(killed, tmp_path):
    codes = [SMALL, killed.replace("os._exit(0)", "")]
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(run, code, SPCVIZ_JIT_DIR=str(tmp_path)) for code in codes]
        assert [one.result() for one in done] == [[2, True], 1]
    files = cache_files(tmp_path)
    assert all(map(is_whole, files))
    before = {p: p.stat().st_mtime_ns for p in files}
    assert run(codes[1], SPCVIZ_JIT_DIR=str(tmp_path)) == 1
    assert {p: p.stat().st_mtime_ns for p in cache_files(tmp_path)} == before


def test_notes_of_what_is_compiled_go_with_what_is_damaged(filled):
    (folder,) = (path for path in filled.iterdir() if path.is_dir())
    note, path = folder / "letters.ready", cache_files(filled)[0]
    note.write_text("1.0")
    assert run(COMPLAIN, SPCVIZ_JIT_DIR=str(filled)) == []
    assert note.is_file()
    path.write_bytes(path.read_bytes() + b"\0")
    assert len(run(COMPLAIN, SPCVIZ_JIT_DIR=str(filled))) == 1
    assert not note.exists()


def test_a_disk_without_room_is_done_without(tmp_path, monkeypatch):
    monkeypatch.setenv("SPCVIZ_JIT_DIR", str(tmp_path))
    monkeypatch.setattr(kernel_cache, "_COMPLAINTS", {})
    assert kernel_cache._writable_cache_folder().parent == tmp_path
    free = SimpleNamespace(free=kernel_cache._DISK_LEFT - 1)
    monkeypatch.setattr(kernel_cache.shutil, "disk_usage", lambda path: free)
    assert kernel_cache._writable_cache_folder() is None
    (said,) = kernel_cache.complaints()
    assert "No space left on device; compiled kernels are not kept" in said


def test_sums_that_cannot_be_written_stop_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "_COMPLAINTS", {})
    (tmp_path / "kernel.nbi").write_text("")
    (tmp_path / "sums.txt").mkdir()
    kernel_cache.Sums(tmp_path).add()
    (said,) = kernel_cache.complaints()
    assert said.endswith("Is a directory; what could not be kept compiles anew in every process")


def test_the_last_kernels_of_a_burst_get_their_sums_while_the_process_lives(tmp_path):
    """A process that starts later removes kernels without one."""
    listed = kernel_cache.Sums(tmp_path)
    for name in ("first.nbi", "last.nbi"):
        (tmp_path / name).write_text(name)
        listed.on_end(None)
    give_up = time.monotonic() + 20
    sums = tmp_path / "sums.txt"
    while not sums.is_file() or "last.nbi" not in sums.read_text():
        assert time.monotonic() < give_up
        time.sleep(0.05)
    assert not kernel_cache.Sums(tmp_path).remove_others()
    assert (tmp_path / "last.nbi").is_file()


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


CALLING = """
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
names = {{path.name.split(".")[1].split("-")[0] for path in kernel_cache.folder().rglob("*.nbi")}}
print(json.dumps([found, sorted(names)]))
"""


def test_a_loaded_kernel_raises_what_the_one_that_it_calls_raises(tmp_path):
    (tmp_path / "called.py").write_text(CALLED)
    code = CALLING.format(folder=str(tmp_path))
    compiled = run(code, SPCVIZ_JIT_DIR=str(tmp_path / "jit"))
    assert compiled == [[6.0, "less than nothing"], ["inner", "outer"]]
    assert run(code, SPCVIZ_JIT_DIR=str(tmp_path / "jit")) == compiled


def test_float_flags_keep_infinities():
    """-inf means pruned: a compiler that may assume there are no infinities may do anything."""
    assert not {"fast", "nnan", "ninf"} & set(jit.SAFE_FLAGS)
