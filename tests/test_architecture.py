"""The rules of the house that import-linter cannot say; those that it can stand in pyproject.toml.

What a file *does* (prints, caches, draws random numbers), pages, oracles, which problems build upon others,
and that what all of them share names none.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from spcviz.engine.kernels import jit
from spcviz.registry import PROBLEMS

ROOT = Path(__file__).parents[1]
SOURCES = ("app.py", "pages", "spcviz", "experiments", "benchmarks", "tests/oracles")

# What may be done in some files or folders only: the names that `deeds` gives, to the places.
ONLY_IN = {
    "print": ("spcviz/cli.py", "spcviz/commands"),
    "fastmath flags": ("spcviz/engine/kernels/jit.py",),
    "bare assert": ("tests/oracles",),
    "fork": ("spcviz/shared/confined/nursery.py",),  # which has no threads, and looks
    "a pool of processes": ("spcviz/shared/work/processes.py",),  # which spawns them
    # `spcviz.web.cached.shared` caches
    **dict.fromkeys(("fastmath=True", "parallel=True", "allow_pickle=True", "st.cache_data"), ()),
    **dict.fromkeys(("st.cache_resource", "global random state"), ()),
}
# Names that draw from no hidden state.
RANDOM_IS_FINE = re.compile("default_rng|Generator|SeedSequence|PCG64|BitGenerator|Random|SystemRandom")
# Folders to what nothing in them may import: import-linter sees packages alone, and these are none.
NOT_IN = {
    "pages": ("numba", "plotly", "spcviz.engine", "spcviz.learning", "experiments", "benchmarks"),
    "app.py": ("numpy", "numba", "plotly", "spcviz.engine", "spcviz.learning", "spcviz.problems"),
    "tests/oracles": ("spcviz", "numba"),
}
BUILT_UPON = {
    "arms": "pose budgets",
    "exact": "letters",
    "hybrid": "grids letters open_words words",
    "letters": "open_words",  # the page Write reads drawings, and is of both
    "open_words": "letters tagging",
    "own_data": "letters budgets",
    "parsing": "tagging budgets",
    "pictures": "letters",
    "scene": "budgets",
    "words": "letters open_words budgets",
}


class Deed(NamedTuple):
    line: int
    name: str


def files(*sources):
    for source in sources:
        path = ROOT / source
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield file.relative_to(ROOT).as_posix()


def imports(tree):
    """Every name a file imports, wherever in the file; nothing here imports relatively."""
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
    """Everything in a file that `ONLY_IN` speaks of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) == "print":
            yield Deed(node.lineno, "print")
        elif isinstance(node, ast.keyword) and node.arg in ("fastmath", "parallel", "allow_pickle"):
            if not (isinstance(node.value, ast.Constant) and not node.value.value):
                is_true = isinstance(node.value, ast.Constant) or node.arg != "fastmath"
                yield Deed(node.value.lineno, f"{node.arg}=True" if is_true else "fastmath flags")
        elif isinstance(node, ast.Assert):
            yield Deed(node.lineno, "bare assert")
        elif isinstance(node, ast.keyword) and node.arg == "preexec_fn":
            yield Deed(node.value.lineno, "fork")
        elif isinstance(node, ast.Constant) and node.value in ("fork", "forkserver"):
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
    for place, banned in NOT_IN.items():
        if path.startswith(place):
            names = [n for n in imports(tree) if any(f"{n.name}.".startswith(f"{one}.") for one in banned)]
            wrong += [f"{path}:{line}: {place} may not import {name}" for line, name in names]
    for line, deed in deeds(tree):
        if not path.startswith(ONLY_IN[deed] or "-"):
            wrong.append(f"{path}:{line}: {deed} is not for this file")
    return wrong


@pytest.mark.parametrize("path", list(files(*SOURCES)))
def test_the_rules_hold(path):
    wrong = violations(path, (ROOT / path).read_text(encoding="utf-8"))
    assert not wrong, "\n" + "\n".join(wrong)


CAUGHT = {
    ("pages/x.py", "def f():\n    import numba"): ":2: pages may not import numba",
    ("pages/x.py", "from spcviz import engine"): "may not import spcviz.engine",
    ("app.py", "from spcviz.problems.letters import state"): "app.py may not import spcviz.problems.letters",
    ("tests/oracles/x.py", "from spcviz.engine import chain"): "may not import spcviz.engine.chain",
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
}
FINE = [
    ("spcviz/engine/kernels/jit.py", "@njit(fastmath=flags)\ndef f(): ..."),
    ("spcviz/x.py", "@njit(fastmath=False, parallel=False)\ndef f(rng: np.random.Generator): printable = 1"),
    ("spcviz/commands/models.py", "print(np.random.default_rng(0))"),
    ("tests/oracles/x.py", "import numpy as np\nassert np"),
]


@pytest.mark.parametrize(("path", "source"), CAUGHT)
def test_the_checker_catches(path, source):
    (wrong,) = violations(path, source)
    assert CAUGHT[path, source] in wrong


@pytest.mark.parametrize(("path", "source"), FINE)
def test_the_checker_lets_pass(path, source):
    assert violations(path, source) == []


def test_imports_only_point_down():
    """The layers of pyproject.toml, by import-linter."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


def test_what_all_problems_share_names_none():
    said = re.compile(rf"\b(?:spcviz\.)?problems[./](?:{'|'.join((*PROBLEMS, 'budgets'))})\b")
    for path in files("spcviz/web", "spcviz/registry", "spcviz/shared", "spcviz/learning", "spcviz/engine"):
        code = ast.unparse(ast.parse((ROOT / path).read_text()))
        found = said.search(re.sub(r'"""(?:.|\n)*?"""', "", code))
        assert not found, f"{path} names {found and found[0]}: a problem says it of itself, in its PROBLEM"


def test_problems_build_upon_those_that_they_say():
    for path in files("spcviz/problems"):
        own = path.split("/")[2]
        near = {own, *BUILT_UPON.get(own, "").split()}
        used = {
            name.split(".")[2]
            for _, name in imports(ast.parse((ROOT / path).read_text()))
            if name.startswith("spcviz.problems.")
        }
        more = f"{path} imports {used - near}: say so in BUILT_UPON of tests/test_architecture.py"
        assert used <= near, more


def test_pages_lie_in_sections():
    """A page directly in pages/ would be found by Streamlit's old navigation and by-pass app.py."""
    outside = [path.name for path in (ROOT / "pages").glob("*.py")]
    assert not outside, f"move into pages/<section>, and name so in PROBLEM: {outside}"


@pytest.mark.parametrize("path", sorted((ROOT / "pages").rglob("*.py")), ids=lambda path: path.stem)
def test_a_component_has_a_key_of_its_own(path):
    """A key twice in a run is an error, and a control may be there only for some choices."""
    source = path.read_text(encoding="utf-8")
    keys = re.findall(r'^KEY.* = "(\w+)"', source, re.MULTILINE)
    keys += re.findall(r'^KEY, \w+ = "\w+", "(\w+)"', source, re.MULTILINE)
    tied = re.findall(r'tied(?:\(|, )(?:TABLE|POLICY), "(\w+)"', source)
    names = re.findall(r'^    (?:choice|flag|real|text|whole)\("(\w+)"', source, re.MULTILINE)
    assert not {f"{page}_{name}" for page in tied for name in names} & set(keys)


def test_float_flags_keep_infinities():
    """-inf means pruned: a compiler that may assume that there is none may do anything."""
    assert not {"fast", "nnan", "ninf"} & set(jit.SAFE_FLAGS)


def test_no_name_of_a_package_is_that_of_a_module_in_it():
    """Importing the module would put it in the place of the name."""
    for init in (ROOT / "spcviz").rglob("__init__.py"):
        modules = {path.stem for path in init.parent.glob("*.py")}
        tree = ast.parse(init.read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        assert not modules & defined, init
