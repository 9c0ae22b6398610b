"""The disk cache: results are found for equal inputs, recomputed for all others, never half stored.

Code is changed in a copy of a small package; each run is a separate process.
"""

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.shared.work import disk_cache as kept_module
from spcviz.shared.work.disk_cache import ARRAYS, JSON, LEFT_OUT, load_or_compute, path_of

ROOT = Path(__file__).parents[3]
CODE = ("spcviz.engine.checks",)
REAL = [
    "engine/kernels/__init__.py",
    "shared/work/__init__.py",
    "engine/kernels/sources.py",
    "engine/errors.py",
    "shared/work/disk_cache.py",
    "shared/work/ledger.py",
    "shared/work/processes.py",
]
REAL += [path.relative_to(ROOT / "spcviz").as_posix() for path in (ROOT / "spcviz/store").glob("*.py")]
SMALL = {
    "__init__.py": "",
    "engine/__init__.py": "",
    "engine/far.py": "STEP = 1\n",
    "learning/__init__.py": "",
    "learning/near.py": "from spcviz.engine import far\n\ndef step():\n    return far.STEP\n",
    "learning/other.py": "STEP = 1\n",
    "problems/__init__.py": "",
    "registry/__init__.py": 'PROBLEMS = ("toy",)\n',
    "shared/__init__.py": "",
    "problems/toy/__init__.py": 'import spcviz.registry\nTITLE = "A toy"\n',
    "problems/toy/data.py": "START = 40\n",
    "problems/toy/work.py": '"""Counts."""\n'
    "from spcviz.learning.near import step\n"
    "from spcviz.shared.work.disk_cache import load_or_compute\n"
    "from spcviz.problems.toy import data\n"
    "def answer():\n"
    '    """One more."""\n'
    "    return [data.START + step()]\n",
}
RUN = """
import json, sys
from spcviz.shared.work.disk_cache import load_or_compute
from spcviz.problems.toy import work

made, modules = [], ["spcviz.problems.toy.work"]
value = load_or_compute(sys.argv[1], "toy", {"seed": 0}, modules, lambda: made.append(1) or work.answer())
print(json.dumps([value, len(made)]))
"""


@pytest.fixture
def package(tmp_path):
    """Root of a miniature of the package: the code that caches, and a problem with something to cache."""
    for name in REAL:
        path = tmp_path / "code" / "spcviz" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "spcviz" / name, path)
    for name, source in SMALL.items():
        path = tmp_path / "code" / "spcviz" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return tmp_path / "code"


def run(package, code=RUN):
    """What a fresh process prints, as JSON; it caches in ``work`` next to the package."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, str(package.parent / "work")],
        cwd=package,
        env=os.environ | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def change(package, name, old, new):
    path = package / "spcviz" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


CODE_CHANGES = [
    ("problems/toy/work.py", "START + step", "START - step", 39),
    ("problems/toy/data.py", "40", "50", 51),
    ("learning/near.py", "far.STEP", "2 * far.STEP", 42),
    ("engine/far.py", "1", "3", 43),
]


def test_changed_code_of_a_module_or_of_what_it_imports_makes_anew(package):
    assert run(package) == [[41], 1]
    for name, old, new, answer in CODE_CHANGES:
        change(package, name, old, new)
        assert run(package) == [[answer], 1], name
        change(package, name, new, old)
    assert run(package) == [[41], 0]  # the earlier result still exists


SENTENCES = [
    ("problems/toy/work.py", "Counts.", "Counts up."),
    ("problems/toy/work.py", "One more.", "The number after."),
    ("problems/toy/work.py", "return [data.START + step()]", "return [ data.START+step() ]  # why"),
    ("engine/far.py", "STEP = 1", "# one\n\nSTEP = 1"),
]
COMPUTE_NOTHING = [
    ("learning/other.py", "1", "2"),  # not imported here
    ("registry/__init__.py", '("toy",)', '("toy", "new")'),
    ("problems/toy/__init__.py", "A toy", "The toy"),
    ("store/atomic.py", "plain JSON", "JSON"),
]


def test_sentences_and_what_computes_nothing_make_nothing_anew(package):
    assert run(package) == [[41], 1]
    for changes in (SENTENCES, COMPUTE_NOTHING):
        for one in changes:
            change(package, *one)
        assert run(package) == [[41], 0]


def test_a_module_left_out_counts_if_it_is_named(package):
    code = RUN.replace('["spcviz.problems.toy.work"]', '["spcviz.problems.toy"]')
    assert run(package, code) == [[41], 1]
    change(package, "problems/toy/__init__.py", "A toy", "The toy")
    assert run(package, code) == [[41], 1]


def test_another_version_of_a_library_makes_anew(package):
    assert run(package) == [[41], 1]
    older = "import importlib.metadata as m\nreal = m.version\n"
    older += "m.version = lambda name: '0' if name == 'numba' else real(name)\n"
    assert run(package, older + RUN) == [[41], 1]


LONG = """
import json
from pathlib import Path
from spcviz.engine.errors import SpcvizError
from spcviz.shared.work import processes
from spcviz.shared.work.disk_cache import digest_of_modules

modules = ("spcviz.problems.toy.work",)
far = Path("spcviz/engine/far.py")
far.write_text("STEP = 7")  # while a long run goes on
ours = digest_of_modules(modules)
if __name__ == "__main__":
    with processes.pool(1) as executor:
        try:
            theirs = executor.submit(digest_of_modules, modules).result()
        except SpcvizError as error:
            theirs = str(error)
    print(json.dumps([theirs, ours]))
"""


def test_the_code_is_that_of_the_beginning_here_and_workers_with_another_refuse(package):
    ask = "import json\nfrom spcviz.shared.work.disk_cache import digest_of_modules\n"
    ask += 'print(json.dumps(digest_of_modules(("spcviz.problems.toy.work",))))'
    before = run(package, ask)
    theirs, ours = run(package, LONG)
    assert ours == before
    assert theirs.startswith("files of spcviz changed while this run went on")
    assert run(package, ask) != before
    assert run(package, LONG)[0] == run(package, ask), "the same code here and there"


KILLED = """
import os, signal, sys
import numpy as np
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute
from spcviz.store import atomic

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, sys.argv[2], die)  # just before this
load_or_compute(sys.argv[1], "a", {}, ["spcviz.engine.checks"], lambda: {"x": np.arange(5000)}, ARRAYS)
"""


@pytest.mark.parametrize("before", ["write", "fsync", "replace"])
def test_killed_in_the_middle_leaves_nothing_half(tmp_path, before):
    command = [sys.executable, "-c", KILLED, str(tmp_path), before]
    done = subprocess.run(command, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not list(tmp_path.glob("a-*"))
    arrays = load_or_compute(tmp_path, "a", {}, CODE, lambda: {"x": np.ones(2)}, ARRAYS)
    assert_array_equal(arrays["x"], [1, 1])


def refuse():
    raise AssertionError("made again")


VALUES = {
    JSON: {"rows": [1.5, 1e-17, None, "é"], "n": 3},
    ARRAYS: {"x": np.arange(600).reshape(2, 300), "y": np.array([np.nan, -np.inf, 0.1], dtype=np.float32)},
}
FORMS = pytest.mark.parametrize("form", VALUES, ids=["json", "arrays"])


def same(one, other):
    if one.keys() != other.keys():
        return False
    return all(np.asarray(v).dtype == np.asarray(other[k]).dtype for k, v in one.items()) and all(
        np.array_equal(v, other[k], equal_nan=True) if isinstance(v, np.ndarray) else v == other[k]
        for k, v in one.items()
    )


@FORMS
def test_what_was_made_is_found_again_as_it_was(tmp_path, form):
    made = load_or_compute(tmp_path / "new", "a", {"seed": 1}, CODE, lambda: VALUES[form], form)
    again = load_or_compute(str(tmp_path / "new"), "a", {"seed": 1}, list(CODE), refuse, form)
    assert same(made, VALUES[form])
    assert same(again, VALUES[form])
    name = path_of("", "a", {"seed": 1}, CODE, form).name
    assert {p.name for p in (tmp_path / "new").iterdir()} == {name, f"{name}.seconds"}


@pytest.mark.parametrize("form", [JSON, ARRAYS])
def test_no_folder_keeps_nothing(tmp_path, form, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        value = {"x": np.array([len(list(tmp_path.iterdir()))])}
        assert same(load_or_compute(None, "a", {}, CODE, lambda v=value: v, form), form.plain(value))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "other",
    [
        {"key": {"seed": 2, "data": "d"}},
        {"key": {"seed": 1, "data": "e"}},
        {"key": {"seed": 1}},
        {"modules": ("spcviz.engine.errors",)},
        {"name": "b"},
        {"form": ARRAYS},
    ],
)
def test_another_key_module_or_name_is_another_file(tmp_path, other):
    about = {"name": "a", "key": {"seed": 1, "data": "d"}, "modules": CODE, "form": JSON}
    load_or_compute(tmp_path, make=lambda: [1], **about)
    with pytest.raises(AssertionError, match="made again"):
        load_or_compute(tmp_path, make=refuse, **about | other)
    again = about | {"key": {"data": "d", "seed": np.int64(1)}}  # the order of the names does not count
    assert load_or_compute(tmp_path, make=refuse, **again) == [1]


DAMAGES = {
    "halved": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "one bit": lambda content: content[:60] + bytes([content[60] ^ 1]) + content[61:],
    "last bytes": lambda content: content[:-4],
    "zeroed": lambda content: bytes(len(content)),
    "another's": lambda content: b"[1, 2]",
    "a number": lambda content: content.replace(b"1.5", b"1.6") if b"1.5" in content else content[:-1] + b"?",
    "not a number": lambda content: content.replace(b"1.5", b"NaN") if b"1.5" in content else b"PK",
}


@FORMS
@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_file_is_made_anew(tmp_path, form, how):
    load_or_compute(tmp_path, "a", {}, CODE, lambda: VALUES[form], form)
    (path,) = tmp_path.glob(f"*{form.suffix}")
    whole = path.read_bytes()
    path.write_bytes(DAMAGES[how](whole))
    made = []
    assert same(
        load_or_compute(tmp_path, "a", {}, CODE, lambda: made.append(1) or VALUES[form], form), VALUES[form]
    )
    assert made == [1]
    assert path.read_bytes() == whole


def test_json_is_the_same_when_made_and_when_found(tmp_path):
    made, again = (
        load_or_compute(tmp_path, "a", {}, CODE, lambda: {"x": (np.float64(0.1), np.arange(2)), 3: True})
        for _ in "12"
    )
    assert made == again == {"x": [0.1, [0, 1]], "3": True}
    assert type(made["x"][0]) is float


def test_files_are_read_by_anyone(tmp_path):
    load_or_compute(tmp_path, "a", {}, CODE, lambda: VALUES[JSON])
    load_or_compute(tmp_path, "a", {}, CODE, lambda: VALUES[ARRAYS], ARRAYS)
    assert json.loads(next(tmp_path.glob("*.json")).read_text())["value"] == VALUES[JSON]
    with np.load(next(tmp_path.glob("*.npz"))) as arrays:
        assert same(dict(arrays), VALUES[ARRAYS])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"key": {"x": {1}}}, "key must be plain JSON"),
        ({"key": float("nan")}, "key must be plain JSON"),
        ({"modules": ("spcviz.engine.nothing",)}, "modules must be modules of this package, got 'spcviz.eng"),
        ({"modules": ("numpy",)}, "modules must be modules of this package, got 'numpy'"),
        ({"make": lambda: {"x": float("inf")}}, "what is kept must be plain JSON"),
        (
            {"make": lambda: {"x": np.array([None])}, "form": ARRAYS},
            "array 'x' must be bool, integer or float",
        ),
    ],
)
def test_refusals(tmp_path, wrong, message):
    about = {"name": "a", "key": {}, "modules": CODE, "make": lambda: 1}
    with pytest.raises(ArgumentError, match=message):
        load_or_compute(tmp_path, **about | wrong)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="file"):
        load_or_compute(tmp_path / "file", "a", {}, CODE, lambda: 1)


def test_what_problems_say_of_themselves_computes_nothing():
    """This is the only reason why these files may be left out."""
    files = [p for pattern in LEFT_OUT[:2] for p in ROOT.glob(pattern)]
    assert len(files) > 8
    for path in files:
        for node in ast.parse(path.read_text()).body:
            assert isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.Expr), path


def test_every_kept_module_of_the_package_is_there():
    """Otherwise a moved module would be noticed only in the middle of a run."""
    lists = []
    for path in [*(ROOT / "spcviz/problems").rglob("*.py"), *(ROOT / "experiments").rglob("*.py")]:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").endswith("CODE"):
                lists.append([v.value for v in ast.walk(node.value) if isinstance(v, ast.Constant)])
    assert len(lists) >= 5
    for modules in lists:
        assert len(kept_module.digest_of_modules(tuple(modules))) == 64
