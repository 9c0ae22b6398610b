"""House rules that import-linter cannot express: what a file does, and what app.py and shared code name."""

import ast
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from spcviz.registry import PROBLEMS

ROOT = Path(__file__).parents[1]
SOURCES = ("app.py", "pages", "spcviz", "experiments", "benchmarks", "tests/oracles")

# Deeds allowed only in some files or folders: the names that `deeds` yields, with these places.
ONLY_IN = {
    "print": ("spcviz/cli.py", "spcviz/commands"),
    "fastmath flags": ("spcviz/engine/kernels/jit.py",),
    "bare assert": ("tests/oracles",),
    "fork": ("spcviz/shared/confined/fork_server.py",),  # it has no threads, and checks that
    "a pool of processes": ("spcviz/shared/work/processes.py",),  # which spawns them
    **dict.fromkeys(("fastmath=True", "parallel=True", "allow_pickle=True", "global random state"), ()),
    **dict.fromkeys(("st.cache_data", "st.cache_resource"), ()),  # `spcviz.web.cached.sharing` caches
}
# Names that draw from no hidden state.
RANDOM_IS_FINE = re.compile("default_rng|Generator|SeedSequence|PCG64|BitGenerator|Random|SystemRandom")
# Imports forbidden in app.py; import-linter sees only packages.
NOT_IN_APP = ("numpy", "numba", "plotly", "spcviz.engine", "spcviz.learning", "spcviz.problems")


Deed = namedtuple("Deed", "line name")


def files(*sources):
    for source in sources:
        for file in sorted((ROOT / source).rglob("*.py")) or [ROOT / source]:
            yield file.relative_to(ROOT).as_posix()


def imports(tree):
    """Every name that a file imports, anywhere in the file; there are no relative imports here."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Deed(node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (Deed(node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def dotted(node):
    """``a.b.c`` of an attribute or a name, else the empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def deeds(tree):
    """Everything in a file that `ONLY_IN` restricts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) == "print":
            yield Deed(node.lineno, "print")
        elif isinstance(node, ast.keyword) and node.arg in ("fastmath", "parallel", "allow_pickle"):
            if not (isinstance(node.value, ast.Constant) and not node.value.value):
                is_true = isinstance(node.value, ast.Constant) or node.arg != "fastmath"
                yield Deed(node.value.lineno, f"{node.arg}=True" if is_true else "fastmath flags")
        elif isinstance(node, ast.Assert):
            yield Deed(node.lineno, "bare assert")
        elif getattr(node, "arg", "") == "preexec_fn" or getattr(node, "value", "") in ("fork", "forkserver"):
            yield Deed(node.lineno, "fork")
        elif isinstance(node, ast.Attribute):
            module, _, name = dotted(node).rpartition(".")
            yield from named(node, {"np.random": "numpy.random", "st": "streamlit"}.get(module, module), name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield from named(node, node.module, alias.name)


def named(node, module, name):
    if f"{module}.{name}" in ("os.fork", "os.forkpty", "pty.fork"):
        yield Deed(node.lineno, "fork")
    if name == "ProcessPoolExecutor" or f"{module}.{name}" == "multiprocessing.Pool":
        yield Deed(node.lineno, "a pool of processes")
    if module in ("random", "numpy.random") and not RANDOM_IS_FINE.fullmatch(name):
        yield Deed(node.lineno, "global random state")
    if module == "streamlit" and name in ("cache_data", "cache_resource"):
        yield Deed(node.lineno, f"st.{name}")


def violations(path, source):
    """What is wrong with one file; `path` is relative to the root, with slashes."""
    tree, wrong = ast.parse(source), []
    if path == "app.py":
        names = [n for n in imports(tree) if any(f"{n.name}.".startswith(f"{one}.") for one in NOT_IN_APP)]
        wrong += [f"{path}:{line}: app.py may not import {name}" for line, name in names]
    for line, deed in deeds(tree):
        if not path.startswith(ONLY_IN[deed] or "-"):
            wrong.append(f"{path}:{line}: {deed} is not for this file")
    return wrong


@pytest.mark.parametrize("path", list(files(*SOURCES)))
def test_the_rules_hold(path):
    wrong = violations(path, (ROOT / path).read_text(encoding="utf-8"))
    assert not wrong, "\n" + "\n".join(wrong)


CAUGHT = {
    ("app.py", "def f():\n    import numba"): ":2: app.py may not import numba",
    ("app.py", "from spcviz import engine"): "may not import spcviz.engine",
    ("app.py", "from spcviz.problems.letters import state"): "app.py may not import spcviz.problems.letters",
    ("spcviz/x.py", "np.load(f, allow_pickle=True)"): "allow_pickle=True is not for this file",
    ("spcviz/x.py", "@njit(fastmath={'nnan'})\ndef f(): ..."): "fastmath flags is not",
    ("spcviz/x.py", "@njit(parallel=flag)\ndef f(): ..."): "parallel=True is not for this file",
    ("spcviz/x.py", "import numpy as np\nnp.random.seed(0)"): ":2: global random state",
    ("spcviz/x.py", "print('done')"): "print is not for this file",
    ("spcviz/x.py", "assert x"): "bare assert is not for this file",
    ("spcviz/x.py", "import os\nos.fork()"): ":2: fork is not for this file",
    ("spcviz/x.py", "subprocess.Popen(x, preexec_fn=f)"): "fork is not for this file",
    ("spcviz/x.py", "get_context('fork')"): "fork is not for this file",
    ("spcviz/x.py", "from concurrent.futures import ProcessPoolExecutor as P"): "a pool of processes is not",
    ("spcviz/x.py", "concurrent.futures.ProcessPoolExecutor(2)"): "a pool of processes is not",
    ("spcviz/x.py", "multiprocessing.Pool(2)"): "a pool of processes is not",
    ("spcviz/x.py", "import streamlit as st\n@st.cache_data\ndef f(): ..."): "st.cache_data is not",
    # and these are fine
    ("spcviz/engine/kernels/jit.py", "@njit(fastmath=flags)\ndef f(): ..."): "",
    ("spcviz/x.py", "@njit(fastmath=False, parallel=False)\ndef f(r: np.random.Generator): printed = 1"): "",
    ("spcviz/commands/models.py", "print(np.random.default_rng(0))"): "",
    ("tests/oracles/x.py", "import numpy as np\nassert np"): "",
}


# Forbidden files, one for each row of pyproject.toml.
BROKEN = {
    "spcviz/engine/x.py": "def f():\n    import spcviz.learning",
    "spcviz/web/x.py": "import experiments",
    "spcviz/store/x.py": "import scipy",
    "spcviz/io/x.py": "import pandas",
    "spcviz/shared/x.py": "import streamlit",
    "spcviz/web/figures/x.py": "import numba",
    "benchmarks/x.py": "import pickle",
    "spcviz/problems/tagging/x.py": "from spcviz.problems.letters import state",
    "pages/learn/x.py": "def f():\n    import numba",
    "pages/start/x.py": "from spcviz import engine",
    "tests/oracles/x.py": "from spcviz.engine import chain",
}
CIRCLE = "spcviz/web/transport/x.py", "import spcviz.web.serving.cards"  # cards import transport


@pytest.mark.parametrize(("path", "source"), CAUGHT)
def test_the_checker_catches_and_lets_pass(path, source):
    wrong = violations(path, source)
    assert len(wrong) == bool(CAUGHT[path, source])
    assert CAUGHT[path, source] in "".join(wrong)


def lint(root):
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=root, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_imports_only_point_down():
    """The rows of pyproject.toml, by import-linter."""
    code, said = lint(ROOT)
    assert code == 0, f"a row of pyproject.toml is broken:\n{said[-3000:]}"


def test_the_rows_catch(tmp_path):
    """Each of these imports breaks its row, in a copy of the project."""
    for name in ("spcviz", "experiments", "benchmarks", "pages", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, source in (*BROKEN.items(), CIRCLE):
        (tmp_path / path).write_text(source, encoding="utf-8")
    _, said = lint(tmp_path)
    assert [path for path in BROKEN if f"{path[:-3].replace('/', '.')} -> " not in said] == [], said
    assert "No cycles are allowed in spcviz.web.\n" in said


def test_what_all_problems_share_names_none():
    said = re.compile(rf"\b(?:spcviz\.)?problems[./](?:{'|'.join((*PROBLEMS, 'budgets'))})\b")
    for path in files("spcviz/web", "spcviz/registry", "spcviz/shared", "spcviz/learning", "spcviz/engine"):
        code = ast.unparse(ast.parse((ROOT / path).read_text()))
        found = said.search(re.sub(r'"""(?:.|\n)*?"""', "", code))
        assert not found, f"{path} names {found and found[0]}: a problem says it of itself, in its PROBLEM"


def test_no_name_of_a_package_is_that_of_a_module_in_it():
    """Importing the module would overwrite the name."""
    for init in (ROOT / "spcviz").rglob("__init__.py"):
        modules = {path.stem for path in init.parent.glob("*.py")}
        tree = ast.parse(init.read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        assert not modules & defined, init
