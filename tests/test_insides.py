"""No file reaches into another project: checked on the source, like the rules of `test_architecture`.

Another package may change its private names in any version, and replacing one of its functions makes the rest
of it do what its authors never tried. Requirements in requirements.txt could then not be version ranges. A
name is private if it begins with one underscore.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("app.py", "pages", "spcviz", "deploy")
PACKAGE = "spcviz"
SETTINGS = {
    "PIL.Image.MAX_IMAGE_PIXELS", "tqdm.tqdm.monitor_interval",
    *(f"numba.config.{name}" for name in ("CACHE_DIR", "CACHE_LOCATOR_CLASSES", "CPU_NAME", "CPU_FEATURES")),
}  # fmt: skip
"""Attributes that another package lets its users set."""

SETTERS = {"setattr": "setattr", "delattr": "delattr"}
DOCUMENTED = {"_replace", "_asdict", "_fields", "_make", "_field_defaults", "_exit"}  # of named tuples and os


def is_private(name):
    """Whether a name is a project's own; `_repr_png_` and the like are what notebooks look for."""
    return name.startswith("_") and not name.startswith("__") and not re.fullmatch(r"_repr_\w+_", name)


def bound(tree):
    """Meaning of each imported name: {name in the file: dotted name}, or ``.`` for our own names."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                names[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            base = "." if node.level else node.module
            names |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
    return {name: "." if is_own(whole) else whole for name, whole in names.items()}


def is_own(name):
    return name.startswith(".") or name.partition(".")[0] in (PACKAGE, "tests", "benchmarks", "experiments")


def whole_name(node, names):
    """Dotted name that an expression reaches through imports; ``.`` for our own, empty for others."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute) and (before := whole_name(node.value, names)):
        return before if before == "." else f"{before}.{node.attr}"
    return ""


def targets(node):
    """Everything that a statement assigns to or deletes, with the value if any."""
    if isinstance(node, ast.Assign):
        values = node.value.elts if isinstance(node.value, ast.Tuple) else []
        for target in node.targets:
            is_pairs = isinstance(target, ast.Tuple) and len(target.elts) == len(values)
            yield from zip(target.elts, values) if is_pairs else [(target, node.value)]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        yield node.target, node.value
    elif isinstance(node, ast.Delete):
        yield from ((target, None) for target in node.targets)
    elif isinstance(node, ast.Call) and whole_name(node.func, SETTERS) and len(node.args) > 1:
        name = node.args[1].value if isinstance(node.args[1], ast.Constant) else "<computed>"
        yield ast.Attribute(node.args[0], str(name)), node.args[2] if len(node.args) > 2 else None


def is_self(node):
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def insides(source):
    """Lines at which a file reaches into another project, with what it does there."""
    tree = ast.parse(source)
    names = bound(tree)
    functions = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            base = "." * getattr(node, "level", 0) + (getattr(node, "module", None) or "")
            every = (f"{base}.{alias.name}" if base else alias.name for alias in node.names)
            yield from (
                (node.lineno, f"imports {n}")
                for n in every
                if not is_own(n) and any(map(is_private, n.split(".")))
            )
        elif isinstance(node, ast.ClassDef):
            yield from ((node.lineno, what) for what in of_class(node, names))
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in DOCUMENTED:
            is_ours = is_self(node.value) or whole_name(node.value, names) == "." or is_super(node.value)
            if not is_ours:
                yield node.lineno, f"reads {ast.unparse(node)}"
        for target, value in targets(node):
            is_attribute = isinstance(target, ast.Attribute)
            if is_attribute and (what := assigned(target, value, names, functions)):
                yield node.lineno, what


def is_super(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def assigned(target, value, names, functions):
    """What is wrong with an assignment to an attribute; empty if nothing is."""
    whole = whole_name(target, names)
    if target.attr == "__class__":
        return f"assigns {ast.unparse(target)}"
    if whole not in ("", ".") and whole not in SETTINGS:
        return f"assigns {whole}"
    is_function = isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in functions)
    if is_function and whole != "." and not is_self(target.value):
        return f"puts a function in the place of {ast.unparse(target)}"
    return ""


def of_class(node, names):
    """What is wrong with a class that derives from another package's."""
    foreign = [whole for base in node.bases if (whole := whole_name(base, names)) not in ("", ".")]
    yield from (f"subclasses {whole}" for whole in foreign if any(map(is_private, whole.split("."))))
    if foreign:
        called = (n for n in ast.walk(node) if isinstance(n, ast.Attribute) and is_super(n.value))
        yield from (f"overrides {foreign[0]}.{n.attr}" for n in called if is_private(n.attr))


def files():
    for source in SOURCES:
        path = ROOT / source
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def test_nobody_reaches_into_another_project():
    assert len(list(files())) > 300
    reaches = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {what}"
        for path in files()
        for line, what in insides(path.read_text(encoding="utf-8"))
    ]
    assert not reaches, "\n" + "\n".join(reaches)


CAUGHT = [
    ("from numba.core.caching import _CacheLocator", "imports numba.core.caching._CacheLocator"),
    ("import numba._dispatcher", "imports numba._dispatcher"),
    ("from numba import _helperlib as h", "imports numba._helperlib"),
    ("import numba\nnumba.config._x", "reads numba.config._x"),
    ("from numba import njit\nd = njit(f)\nd._cache.flush()", "reads d._cache"),
    ("import numba\nclass A(numba.core.caching._CacheImpl): ...", "subclasses numba.core.caching._CacheImpl"),
    (
        "from numba.core import caching\nclass A(caching.IndexDataCacheFile):\n"
        "  def _load_index(self):\n    return super()._load_index()",
        "overrides numba.core.caching.IndexDataCacheFile._load_index",
    ),
    (
        "from numba.core import cpu\ncpu.CPUContext.get_abi_sizeof = size",
        "assigns numba.core.cpu.CPUContext.get",
    ),
    ("import numba.core as c\nc.cpu.x += 1", "assigns numba.core.cpu.x"),
    ("from numba.core import cpu\nsetattr(cpu, name, f)", "assigns numba.core.cpu.<computed>"),
    ("from numba.core import cpu\ndel cpu.CPUContext", "assigns numba.core.cpu.CPUContext"),
    (
        "from streamlit.runtime.pages_manager import P\nP.uses = False",
        "assigns streamlit.runtime.pages_manager.P.uses",
    ),
    ("import sys\nsys.stdout = None", "assigns sys.stdout"),
    ("inside.__class__ = Codegen", "assigns inside.__class__"),
    ("def f(): ...\nd.part, d.get_template = 1, f", "puts a function in the place of d.get_template"),
    ("d.get_template = lambda args: 1", "puts a function in the place of d.get_template"),
    ("import numba\nnumba.config.OPT = 1", "assigns numba.config.OPT"),
]
FINE = [
    "import numba\nnumba.config.CACHE_DIR = 'x'",
    "from spcviz.engine import chain\nchain._k_best(1)",
    "from . import a\na._b = 1",
    "import numpy as np\na = np.zeros(2)\na.flags.writeable = False\na[np.int64(0)] = 1",
    "class A:\n  def f(self):\n    self._x = lambda: 1\n    return self._x",
    "from benchmarks import V\nclass A(V):\n  def _take(self):\n    super()._take()",
    "from typing import NamedTuple\nclass A(NamedTuple):\n  x: int\nA(1)._replace(x=2)",
    "from numba.core import types\nclass V(types.Type):\n  def __init__(self):\n    super().__init__('v')",
    "def f(): ...\nx.n_steps = 3\nx.label, x.end = f(), 1",
    "import os\nos.environ['A'] = '1'",
]


@pytest.mark.parametrize(("source", "message"), CAUGHT)
def test_the_reader_catches(source, message):
    assert any(message in what for _, what in insides(source)), list(insides(source))


@pytest.mark.parametrize("source", FINE)
def test_the_reader_lets_pass(source):
    assert list(insides(source)) == []
