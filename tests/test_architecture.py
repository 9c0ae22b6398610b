"""The rules of the house, read off the source itself: who may import whom, and what nobody may do.

Each rule is a row of a table. An import is allowed if its name, or a package it lies in, is in the row;
the standard library always is, except in `NOWHERE`.
"""

import ast
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from spcviz.engine import jit

ROOT = Path(__file__).parents[1]
SOURCES = ("app.py", "pages", "spcviz", "tests/oracles")

ENGINE = ("numpy", "numba", "llvmlite", "spcviz.engine")
LEARNING = (*ENGINE, "spcviz.learning", "spcviz.results", "scipy", "sklearn", "tqdm")
TASKS = (*ENGINE, "spcviz.tasks", "spcviz.results", "scipy", "sklearn", "skimage", "pandas", "PIL", "av")
EXPERIMENTS = (*LEARNING, *TASKS, "spcviz.experiments", "spcviz.store", "distributed", "pycrfsuite", "psutil")
DRAWING = ("numpy", "pandas", "spcviz.results", "spcviz.ui.theme")
PAGE = ("streamlit", "numpy", "pandas", "spcviz.ui", "spcviz.figures", "spcviz.components", "spcviz.results")

# Folder or file to what it may import. The longest matching row counts.
MAY_IMPORT = {
    "spcviz/__init__.py": (),
    "spcviz/results.py": ("numpy",),
    "spcviz/engine": ENGINE,
    "spcviz/learning": LEARNING,
    "spcviz/tasks": TASKS,
    "spcviz/store": ("numpy", "spcviz.store", "spcviz.engine.errors"),
    "spcviz/experiments": EXPERIMENTS,
    "spcviz/experiments/home_word.py": ("numpy",),  # the home page waits for it: no numba behind it
    "spcviz/experiments/bench.py": (*EXPERIMENTS, "<computed>"),  # whichever peers are installed
    "spcviz/figures": (*DRAWING, "plotly", "spcviz.figures"),
    "spcviz/components": (*DRAWING, "streamlit", "spcviz.components"),
    "spcviz/ui": ("streamlit", "numpy", "spcviz.ui", "spcviz.experiments", "spcviz.store", "spcviz.results"),
    "spcviz/ui/cached.py": ("streamlit", *EXPERIMENTS, "spcviz.ui"),
    "spcviz/ui/theme.py": (),
    "spcviz/ui/warmup.py": ("spcviz.ui.cached",),
    "spcviz/cli.py": (*EXPERIMENTS, "spcviz.cli"),
    "spcviz/__main__.py": ("spcviz.cli",),
    "pages": PAGE,
    "app.py": ("streamlit", "spcviz.ui"),
    "tests/oracles": ("numpy", "tests.oracles"),
}

# What nobody imports, the standard library included.
NOWHERE = ("pickle", "cPickle", "_pickle", "dill", "joblib", "cloudpickle", "shelve", "marshal")

# What may be done in some files or folders only: the names that `deeds` gives, to the places.
ONLY_IN = {
    "print": ("spcviz/cli.py",),
    "fastmath=True": (),
    "fastmath flags": ("spcviz/engine/jit.py",),
    "parallel=True": (),
    "allow_pickle=True": (),
    "global random state": (),
    "st.cache_data": ("spcviz/ui/cached.py",),
    "st.cache_resource": ("spcviz/ui/cached.py",),
    "bare assert": ("tests/oracles",),
}
# numpy.random names that draw from no hidden state.
RANDOM_IS_FINE = {"default_rng", "Generator", "SeedSequence", "PCG64", "BitGenerator"}
PYTHON_RANDOM_IS_FINE = {"Random", "SystemRandom"}


class Deed(NamedTuple):
    line: int
    name: str


def is_inside(name, package):
    return name == package or name.startswith(package + ".")


def imports(tree, package):
    """Every module a file imports, wherever in the file, as absolute dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Deed(node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = parts[: len(parts) - node.level + 1] if node.level else []
            if node.module:
                base = [*base, node.module]
            yield from (Deed(node.lineno, ".".join([*base, alias.name])) for alias in node.names)
        elif isinstance(node, ast.Call) and dotted(node.func) in ("__import__", "importlib.import_module"):
            argument = node.args[0] if node.args else None
            yield Deed(node.lineno, argument.value if isinstance(argument, ast.Constant) else "<computed>")


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
        elif isinstance(node, ast.Attribute):
            yield from attribute_deeds(node)
        elif isinstance(node, ast.ImportFrom) and node.module in ("random", "numpy.random", "streamlit"):
            yield from (Deed(node.lineno, d) for a in node.names if (d := name_deed(node.module, a.name)))


def attribute_deeds(node):
    module, _, name = dotted(node).rpartition(".")
    module = {"np.random": "numpy.random", "st": "streamlit"}.get(module, module)
    if deed := name_deed(module, name):
        yield Deed(node.lineno, deed)


def name_deed(module, name):
    if module == "numpy.random" and name not in RANDOM_IS_FINE:
        return "global random state"
    if module == "random" and name not in PYTHON_RANDOM_IS_FINE:
        return "global random state"
    if module == "streamlit" and name in ("cache_data", "cache_resource"):
        return f"st.{name}"
    return ""


def rule_for(path):
    """The longest row of `MAY_IMPORT` that `path` lies in, or None."""
    rows = [row for row in MAY_IMPORT if path == row or path.startswith(row + "/")]
    return max(rows, key=len, default=None)


def violations(path, source):
    """What is wrong with one file; `path` is relative to the root, with slashes."""
    tree = ast.parse(source)
    row, found = rule_for(path), []
    if row is None:
        return [f"{path}: no row in MAY_IMPORT says what it may import"]
    package = ".".join(Path(path).parts[:-1])
    for line, name in imports(tree, package):
        is_standard = name.split(".")[0] in sys.stdlib_module_names
        if any(is_inside(name, banned) for banned in NOWHERE):
            found.append(f"{path}:{line}: nobody imports {name}")
        elif not is_standard and not any(is_inside(name, allowed) for allowed in MAY_IMPORT[row]):
            found.append(f"{path}:{line}: {row} may not import {name}")
    for line, deed in deeds(tree):
        if not any(path == place or path.startswith(place + "/") for place in ONLY_IN[deed]):
            found.append(f"{path}:{line}: {deed} is not for this file")
    return found


def files():
    for source in SOURCES:
        path = ROOT / source
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", list(files()))
def test_the_rules_hold(path):
    found = violations(path, (ROOT / path).read_text(encoding="utf-8"))
    assert not found, "\n" + "\n".join(found)


def test_pages_lie_in_sections():
    """A page directly in pages/ would be found by Streamlit's old navigation and by-pass app.py."""
    assert not list((ROOT / "pages").glob("*.py"))


def test_float_flags_keep_infinities():
    """-inf means pruned: a compiler that may assume that there is none may do anything."""
    assert not {"fast", "nnan", "ninf"} & set(jit.SAFE_FLAGS)


CAUGHT = [
    ("spcviz/engine/chain.py", "import streamlit", "spcviz/engine may not import streamlit"),
    ("spcviz/engine/chain.py", "from scipy.special import logsumexp", "may not import scipy.special"),
    ("spcviz/engine/chain.py", "from spcviz import tasks", "may not import spcviz.tasks"),
    ("spcviz/engine/chain.py", "from ..learning import crf", "may not import spcviz.learning.crf"),
    ("spcviz/engine/chain.py", "from ... import streamlit", "may not import streamlit"),
    ("spcviz/engine/chain.py", "def f():\n    import pandas", "may not import pandas"),
    ("spcviz/engine/chain.py", "__import__('streamlit')", "may not import streamlit"),
    ("spcviz/engine/chain.py", "import importlib\nimportlib.import_module(x)", "may not import <computed>"),
    ("spcviz/learning/crf.py", "import spcviz.tasks.ocr", "spcviz/learning may not import spcviz.tasks"),
    ("spcviz/learning/crf.py", "from spcviz.store import save_model", "may not import spcviz.store"),
    ("spcviz/tasks/ocr.py", "from spcviz.learning import crf", "spcviz/tasks may not import"),
    ("spcviz/store/models.py", "from spcviz.engine import chain", "may not import spcviz.engine.chain"),
    ("spcviz/figures/sweep.py", "import streamlit as st", "spcviz/figures may not import streamlit"),
    ("spcviz/figures/sweep.py", "from spcviz.engine.chain import decode", "may not import spcviz.engine"),
    ("spcviz/components/lattice.py", "import plotly", "spcviz/components may not import plotly"),
    ("spcviz/components/lattice.py", "from spcviz.ui import state", "may not import spcviz.ui.state"),
    ("spcviz/experiments/orders.py", "from spcviz.ui import cached", "may not import spcviz.ui.cached"),
    ("spcviz/ui/state.py", "from spcviz.engine import chain", "spcviz/ui may not import spcviz.engine"),
    ("spcviz/ui/theme.py", "import numpy", "spcviz/ui/theme.py may not import numpy"),
    ("pages/cascade/letters.py", "import numba", "pages may not import numba"),
    ("pages/cascade/letters.py", "import plotly.graph_objects as go", "pages may not import plotly"),
    (
        "pages/cascade/letters.py",
        "from spcviz.experiments import orders",
        "may not import spcviz.experiments",
    ),
    ("app.py", "import numpy", "app.py may not import numpy"),
    ("tests/oracles/chain.py", "from spcviz.engine import chain", "tests/oracles may not import"),
    ("tests/oracles/chain.py", "from numba import njit", "tests/oracles may not import numba.njit"),
    ("spcviz/new/thing.py", "", "no row in MAY_IMPORT"),
    ("spcviz/store/models.py", "import pickle", "nobody imports pickle"),
    ("spcviz/store/models.py", "from joblib import dump", "nobody imports joblib.dump"),
    ("spcviz/store/models.py", "np.load(f, allow_pickle=True)", "allow_pickle=True is not for this file"),
    ("spcviz/engine/chain.py", "@njit(fastmath=True)\ndef f(): ...", "fastmath=True is not for this file"),
    ("spcviz/engine/chain.py", "@njit(fastmath={'nnan'})\ndef f(): ...", "fastmath flags is not"),
    ("spcviz/engine/chain.py", "@njit(parallel=True)\ndef f(): ...", "parallel=True is not for this file"),
    ("spcviz/engine/chain.py", "@njit(parallel=flag)\ndef f(): ...", "parallel=True is not for this file"),
    ("spcviz/learning/crf.py", "import numpy as np\nnp.random.seed(0)", ":2: global random state"),
    ("spcviz/learning/crf.py", "x = np.random.rand(3)", "global random state is not for this file"),
    ("spcviz/learning/crf.py", "numpy.random.shuffle(x)", "global random state is not for this file"),
    ("spcviz/learning/crf.py", "from numpy.random import rand", "global random state"),
    ("spcviz/learning/crf.py", "import random\nrandom.random()", "global random state"),
    ("spcviz/learning/crf.py", "from random import choice", "global random state"),
    ("spcviz/learning/crf.py", "print('done')", "print is not for this file"),
    ("spcviz/learning/crf.py", "assert x", "bare assert is not for this file"),
    ("spcviz/ui/state.py", "import streamlit as st\n@st.cache_data\ndef f(): ...", "st.cache_data is not"),
    ("spcviz/ui/state.py", "from streamlit import cache_resource", "st.cache_resource is not"),
    ("spcviz/ui/warmup.py", "st.cache_data(f)", "st.cache_data is not for this file"),
]
FINE = [
    ("spcviz/engine/chain.py", "import math\nimport numpy as np\nfrom numba import njit"),
    ("spcviz/engine/chain.py", "from spcviz.engine.errors import ShapeError\nfrom . import semirings"),
    ("spcviz/engine/chain.py", "@njit(fastmath=False, parallel=False)\ndef f(): ..."),
    ("spcviz/engine/jit.py", "@njit(fastmath=flags)\ndef f(): ..."),
    ("spcviz/learning/crf.py", "from scipy.optimize import minimize\nrng = np.random.default_rng(0)"),
    ("spcviz/learning/crf.py", "def f(rng: np.random.Generator): ...\nprintable = 1"),
    (
        "spcviz/store/models.py",
        "np.load(f, allow_pickle=False)\nfrom spcviz.engine.errors import SpcvizError",
    ),
    ("spcviz/figures/sweep.py", "import plotly.graph_objects as go\nfrom spcviz.ui.theme import Palette"),
    ("spcviz/cli.py", "print('done')\nfrom spcviz.experiments import ocr_orders"),
    ("spcviz/ui/cached.py", "import streamlit as st\n@st.cache_data(max_entries=8)\ndef f(): ..."),
    ("spcviz/ui/warmup.py", "def f():\n    from spcviz.ui import cached"),
    ("pages/cascade/letters.py", "import streamlit as st\nfrom spcviz.ui import cached"),
    ("tests/oracles/chain.py", "import itertools\nimport numpy as np\nassert itertools"),
]


@pytest.mark.parametrize(("path", "source", "message"), CAUGHT)
def test_the_checker_catches(path, source, message):
    found = violations(path, source)
    assert len(found) == 1, found
    assert message in found[0]


@pytest.mark.parametrize(("path", "source"), FINE)
def test_the_checker_lets_pass(path, source):
    assert violations(path, source) == []
