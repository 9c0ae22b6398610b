"""The rules of the house, read off the source itself: who may import whom, and what nobody may do.

Each rule is a row of a table. An import is allowed if its name, or a package it lies in, is in the row;
the standard library always is, except in `NOWHERE`.
"""

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from spcviz.engine.kernels import jit

ROOT = Path(__file__).parents[1]
SOURCES = ("app.py", "pages", "spcviz", "tests/oracles")

COMPUTED = ("live", "trace", "shelf", "batch", "clip", "trade")
"""What a problem's page room computes: pure functions behind the cached calls."""
SHOWN = ("charts", "claims", "evidence", "result", "tables", "text", "shared", "tolerances")
SHOWN += ("anyone_shown", "quiescence_shown", "quiescence_claims")
"""What a problem's paper room draws and says of results."""

ENGINE = ("numpy", "numba", "llvmlite", "spcviz.engine")
LEARNING = (*ENGINE, "spcviz.learning", "scipy", "sklearn", "threadpoolctl", "tqdm")
IO = (*ENGINE, "spcviz.scores", "spcviz.store", "spcviz.io")
COMMON = (*LEARNING, "spcviz.io", "spcviz.store", "spcviz.problems.common", "distributed", "psutil")
DOORS = ("spcviz.scores", "spcviz.sequences", "spcviz.spending")
PROBLEM = (
    *COMMON, *DOORS, "spcviz.problems.problem", "skimage", "pandas", "PIL", "av", "<own>", "<built upon>",
)  # fmt: skip
DRAWN = ("numpy", "pandas", "plotly", "spcviz.learning.budgets.methods", "spcviz.web.figures", "<drawn>")
VIEW = (
    "numpy", "pandas", "streamlit", "spcviz.web.cached.owned", "spcviz.web.cached.room", "spcviz.web.view",
    "spcviz.web.figures.palette", "<drawn>",
)  # fmt: skip
SHARED = (
    "spcviz.web.cached.common",
    "spcviz.web.cached.owned",
    "spcviz.web.cached.shared",
    "spcviz.web.cached.side_by_side",
    "spcviz.web.cached.uploaded",
)
FIRST = ("spcviz.web.cached.first", "spcviz.web.cached.common")
CACHED = (*PROBLEM, "streamlit", "spcviz.problems", *SHARED)
PAGE = (
    "streamlit", "numpy", "pandas", "spcviz.web.ui", "spcviz.web.tours", "spcviz.web.touring",
    "spcviz.web.cached",
    "spcviz.web.figures", "spcviz.web.view", "<drawn>", "<view>", "<cached>", "<controls>",
)  # fmt: skip

# Folder or file to what it may import; "*" stands for one name. The most particular matching row counts.
# In brackets: any file whose own row is one of those (`KINDS`), the file's own problem, and the problems that
# it builds upon.
MAY_IMPORT = {
    "spcviz/__init__.py": (
        "spcviz.engine.kernels.announcing",
        "spcviz.io",
        "spcviz.scores",
        "spcviz.sequences",
        "spcviz.spending",
        "<computed>",
    ),
    "spcviz/web/__init__.py": (),
    "spcviz/engine": ENGINE,
    "spcviz/engine/__init__.py": (*ENGINE, "<computed>"),
    "spcviz/learning": LEARNING,
    "spcviz/learning/budgets/methods.py": (),
    "spcviz/store": ("numpy", "spcviz.store", "spcviz.engine.errors"),
    "spcviz/sequences": (*LEARNING, "spcviz.store", "spcviz.sequences"),
    "spcviz/scores": (*ENGINE, "spcviz.scores"),
    "spcviz/spending": (*LEARNING, "spcviz.scores", "spcviz.spending"),
    # `show` of the front door is asked for by name: a picture is drawn above what it shows.
    "spcviz/scores/lattices.py": (*ENGINE, "spcviz.scores", "<computed>"),
    "spcviz/scores/answers.py": (*ENGINE, "spcviz.scores", "<computed>"),
    "spcviz/sequences/cascade.py": (*LEARNING, "spcviz.store", "spcviz.sequences", "<computed>"),
    "spcviz/sequences/chain.py": (*LEARNING, "spcviz.store", "spcviz.sequences", "<computed>"),
    "spcviz/spending/tagger.py": (*LEARNING, "spcviz.scores", "spcviz.spending", "<computed>"),
    "spcviz/spending/answers.py": (*LEARNING, "spcviz.scores", "spcviz.spending", "<computed>"),
    "spcviz/io": IO,
    "spcviz/io/__init__.py": (*IO, "<computed>"),
    "spcviz/io/models.py": (*IO, "spcviz", "<computed>"),
    "spcviz/problems": ("spcviz.problems",),
    "spcviz/problems/catalogue.py": ("spcviz.problems", "spcviz.engine.errors"),
    "spcviz/problems/warmup.py": ("spcviz.problems", "spcviz.engine.kernels.kernel_cache"),
    "spcviz/problems/registry.py": ("spcviz.problems", "<computed>"),
    "spcviz/problems/licences.py": ("spcviz.problems", "spcviz.store"),
    "spcviz/problems/*/__init__.py": ("spcviz.problems.problem",),
    "spcviz/problems/common": COMMON,
    "spcviz/problems/common/uploading/decoder.py": ("PIL", "av"),
    "spcviz/problems/common/bring": (*COMMON, "PIL"),
    "spcviz/problems/common/bring/get.py": (*COMMON, "pooch", "requests"),
    "spcviz/problems/*": PROBLEM,
    # What a page draws knows no kernel, no file and no server; what it computes (`live`) knows no page.
    "spcviz/problems/*/page": DRAWN,
    "spcviz/problems/*/page/shown.py": ("numpy", "spcviz.learning.budgets.methods", "<own>"),
    "spcviz/problems/letters/page/home_word.py": ("numpy",),  # the home page waits for it: no numba behind it
    **{f"spcviz/problems/*/page/{name}.py": PROBLEM for name in COMPUTED},
    "spcviz/problems/*/page/cached.py": CACHED,
    "spcviz/problems/parsing/page/cached.py": (*CACHED, "spcviz.problems.tagging.page.cached"),  # one tagger
    "spcviz/problems/*/paper": PROBLEM,
    **{f"spcviz/problems/*/paper/{name}.py": DRAWN for name in SHOWN},
    "spcviz/problems/*/view": VIEW,
    "spcviz/problems/*/controls": (*PAGE, "<own>", "spcviz.web.lattice"),
    "spcviz/problems/budgets/facts.py": DRAWN,
    "spcviz/problems/budgets/python.py": (*DRAWN, "<computed>"),
    "spcviz/problems/budgets/text.py": DRAWN,
    "spcviz/problems/budgets/task.py": DRAWN,
    "spcviz/problems/budgets/evidence.py": DRAWN,
    "spcviz/problems/budgets/shown.py": ("numpy",),
    "spcviz/bench": (*COMMON, "spcviz.problems.grids", "spcviz.problems.letters", "spcviz.bench"),
    "spcviz/bench/peers.py": ("numpy", "<computed>"),
    "spcviz/bench/library.py": (*COMMON, "spcviz.problems.tagging", "spcviz.bench", "spcviz.sequences"),
    "spcviz/bench/data.py": (*COMMON, "spcviz.problems.own_data", "spcviz.problems.tagging"),
    "spcviz/bench/app": ("numpy", "streamlit", "websockets", "spcviz.bench.app", "spcviz.web.tours", *COMMON),
    "spcviz/bench/app/browsed.py": ("playwright", "spcviz.bench.app"),
    "spcviz/bench/app/preview.py": (
        "PIL",
        "playwright",
        "spcviz.bench.app",
        "spcviz.problems.common.folders",
        "spcviz.web.tours",
    ),
    "spcviz/bench/app/hostile.py": ("numpy", "streamlit", "PIL", "spcviz.bench.app"),
    "spcviz/web/figures": DRAWN,
    "spcviz/web/view": VIEW,
    "spcviz/web/articles": ("streamlit", "spcviz.web.articles"),
    "spcviz/web/classroom": ("spcviz.web.classroom", "spcviz.engine.errors"),
    "spcviz/web/classroom/routes.py": (
        "orjson",
        "segno",
        "starlette",
        "spcviz.web.classroom",
        "spcviz.web.serving",
        "spcviz.web.ui.asked",
        "spcviz.web.view.served",
    ),
    "spcviz/web/view/served.py": ("starlette", "streamlit", "spcviz.web.serving.answers"),
    "spcviz/web/serving": ("starlette", "spcviz.web.serving", "spcviz.web.view.served"),
    "spcviz/web/serving/answers.py": ("anyio", "starlette", "spcviz.web.serving.smaller"),
    "spcviz/web/serving/pages.py": ("spcviz.problems.common.folders", "spcviz.web.ui.navigation"),
    "spcviz/web/serving/smaller.py": ("brotli", "spcviz.problems.common.folders", "spcviz.store.atomic"),
    "spcviz/web/serving/static.py": (
        "starlette",
        "streamlit",
        "spcviz.web.serving",
        "spcviz.web.view.served",
    ),
    "spcviz/web/home": VIEW,
    "spcviz/web/lattice": VIEW,
    "spcviz/web/touring": (
        "streamlit",
        "spcviz.web.ui",
        "spcviz.web.tours",
        "spcviz.web.touring",
        "spcviz.web.articles",
        "spcviz.web.figures.plain",
    ),
    "spcviz/web/touring/component.py": (*VIEW, "spcviz.web.tours"),
    "spcviz/web/tours": ("spcviz.web.tours", "spcviz.engine.errors"),
    "spcviz/web/ui": ("streamlit", "numpy", "spcviz.web.ui", "spcviz.web.figures.palette", "spcviz.problems"),
    "spcviz/web/ui/asked.py": (
        "anyio",
        "orjson",
        "starlette",
        "spcviz.web.ui.warmup",
        "spcviz.web.view.served",
        "<computed>",
    ),
    "spcviz/web/ui/dragged.py": ("spcviz.web.ui.state", "spcviz.web.view.mount"),
    "spcviz/web/ui/navigation.py": ("streamlit", "spcviz.problems", "spcviz.web.articles"),
    "spcviz/web/ui/outside.py": ("starlette", "streamlit"),
    "spcviz/web/ui/writing.py": ("numpy", "spcviz.web.ui", "<drawn>", "<view>", "<cached>"),
    "spcviz/web/ui/results.py": (
        "streamlit",
        "spcviz.web.cached.common",
        "spcviz.web.cached.tables",
        "spcviz.web.figures",
        "spcviz.problems",
    ),
    "spcviz/web/ui/warmup.py": (
        "streamlit",
        "spcviz.web.cached.ahead",
        "spcviz.web.cached.shared",
        "spcviz.problems",
        "spcviz.web.ui.results",
    ),
    "spcviz/web/opening.py": ("streamlit", "spcviz.problems", "spcviz.web.tours", "spcviz.web.ui"),
    "spcviz/web/first_scenes.py": (
        *COMMON,
        "spcviz.web.cached",
        "spcviz.web.opening",
        "spcviz.web.tours",
        "spcviz.web.ui",
    ),
    "spcviz/web/exporting": (
        "spcviz",
        "spcviz.engine.errors",
        "plotly",
        "PIL",
        "streamlit",
        "anyio",
        "starlette",
        "spcviz.store",
        "spcviz.problems.common.folders",
        "spcviz.web.serving.first_html",
        "spcviz.web.ui.asked",
        "spcviz.web.view.served",
        "spcviz.web.lattice",
        "spcviz.problems.common",
        "spcviz.sequences",
        "spcviz.learning",
        "numpy",
        "spcviz.web.figures.palette",
        "spcviz.web.opening",
        "spcviz.web.serving.pages",
        "spcviz.web.touring",
        "spcviz.web.tours",
        "spcviz.web.view",
    ),
    "spcviz/web/cached": (
        *CACHED,
        "spcviz.web.cached.first",
        "spcviz.web.cached.room",
        "spcviz.web.cached.turns",
        "spcviz.engine.kernels.kernel_cache",
    ),
    "spcviz/web/cached/tables.py": (
        *CACHED,
        "pyarrow",
        "spcviz.web.figures.blocks",
        "spcviz.web.figures.claims",
    ),
    "spcviz/web/cached/common.py": (*CACHED, "<computed>", "spcviz.web.cached.turns"),
    "spcviz/web/cached/ahead.py": (*CACHED, "<computed>", "spcviz.web.cached.room"),
    "spcviz/report.py": ("spcviz.problems", "spcviz.web.figures", "spcviz.store", "spcviz.bench"),
    "spcviz/commands": (
        *COMMON,
        *FIRST,
        "spcviz.problems",
        "spcviz.bench",
        "spcviz.report",
        "spcviz.web.first_scenes",
        "spcviz.web.exporting",
    ),
    "spcviz/commands/site.py": (
        "spcviz.commands.docs",
        "spcviz.problems",
        "spcviz.report",
        "spcviz.web.exporting",
    ),
    "spcviz/commands/reproduce.py": (*COMMON, "spcviz.problems", "spcviz.commands.cluster"),
    "spcviz/commands/docs.py": (*COMMON, "pdoc", "spcviz", "spcviz.engine", "spcviz.problems", "<computed>"),
    "spcviz/cli.py": ("spcviz.commands", "spcviz.engine.errors"),
    "spcviz/__main__.py": ("spcviz.cli",),
    "pages": (*PAGE, "<controls>"),
    "spcviz/web/visit.py": (
        "streamlit",
        "spcviz.web.articles",
        "spcviz.web.cached.turns",
        "spcviz.web.touring",
        "spcviz.web.ui",
    ),
    "app.py": (
        "streamlit",
        "spcviz.web.classroom",
        "spcviz.web.exporting.saving",
        "spcviz.web.serving",
        "spcviz.web.ui",
        "spcviz.web.visit",
        "spcviz.web.view.served",
    ),
    "tests/oracles": ("numpy", "tests.oracles"),
}

KINDS = {
    "<drawn>": lambda row: (
        MAY_IMPORT[row] is DRAWN or row.endswith(("shown.py", "home_word.py", "budgets/python.py"))
    ),
    "<view>": lambda row: MAY_IMPORT[row] is VIEW,
    "<cached>": lambda row: row.endswith("page/cached.py"),
    "<controls>": lambda row: row.endswith("*/controls"),
}

# Which problem builds upon which other.
BUILT_UPON = {
    "exact": ("letters",),
    "pictures": ("letters",),
    "open_words": ("letters", "tagging"),
    "words": ("letters", "open_words", "tagging", "budgets"),
    "arms": ("pose", "budgets"),
    "scene": ("budgets",),
    "own_data": ("letters", "budgets"),
    "parsing": ("tagging", "budgets"),
    "hybrid": ("grids", "letters", "open_words", "words"),
}

# What nobody imports, the standard library included.
NOWHERE = ("pickle", "cPickle", "_pickle", "dill", "joblib", "cloudpickle", "shelve", "marshal")

# What may be done in some files or folders only: the names that `deeds` gives, to the places.
ONLY_IN = {
    "print": ("spcviz/cli.py", "spcviz/commands"),
    "fastmath=True": (),
    "fastmath flags": ("spcviz/engine/kernels/jit.py",),
    "parallel=True": (),
    "allow_pickle=True": (),
    "global random state": (),
    "st.cache_data": (),  # `spcviz.web.cached.shared` caches
    "st.cache_resource": (),
    "bare assert": ("tests/oracles",),
}
# numpy.random names that draw from no hidden state.
RANDOM_IS_FINE = {"default_rng", "Generator", "SeedSequence", "PCG64", "BitGenerator"}
PYTHON_RANDOM_IS_FINE = {"Random", "SystemRandom"}


class Deed(NamedTuple):
    line: int
    name: str


def is_inside(name, package):
    """Whether a dotted name is a package or in it; "*" in the package stands for one part."""
    parts, wanted = name.split("."), package.split(".")
    return len(parts) >= len(wanted) and all(w in ("*", o) for o, w in zip(parts, wanted))


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
    """The most particular row of `MAY_IMPORT` that `path` lies in, or None."""
    rows = [row for row in MAY_IMPORT if is_inside(dots(path), dots(row))]
    return max(rows, key=lambda row: (row.count("/"), "*" not in row), default=None)


def dots(path):
    """A path in the form of a dotted name."""
    return path.replace(".", "_").replace("/", ".")


def problem_of(path):
    """The problem whose folder a file lies in; empty elsewhere."""
    parts = Path(path).parts
    is_problem = parts[:2] == ("spcviz", "problems") and len(parts) > 3 and parts[2] != "common"
    return parts[2] if is_problem else ""


def is_of_kind(name, kind):
    """Whether an imported name is a file, or lies in one, whose own row is of a kind."""
    parts = name.split(".")
    paths = ["/".join(parts[:n]) + ".py" for n in range(len(parts), 2, -1)]
    file = next((path for path in paths if (ROOT / path).is_file()), None)
    return file is not None and KINDS[kind](rule_for(file))


def is_allowed(name, allowed, path):
    """Whether a file may import a name, by the entries of its row."""
    problem = problem_of(path)
    problems = {"<own>": (problem,) if problem else (), "<built upon>": BUILT_UPON.get(problem, ())}
    for entry in allowed:
        if entry in KINDS:
            near = {"", problem, *BUILT_UPON.get(problem, ())}
            is_near = not problem or problem_of(name.replace(".", "/") + ".py") in near
            if is_near and is_of_kind(name, entry):
                return True
        elif any(is_inside(name, f"spcviz.problems.{one}") for one in problems.get(entry, ())) or is_inside(
            name, entry
        ):
            return True
    return False


def violations(path, source):
    """What is wrong with one file; `path` is relative to the root, with slashes."""
    tree = ast.parse(source)
    row, wrong = rule_for(path), []
    if row is None:
        return [f"{path}: no row in MAY_IMPORT says what it may import"]
    package = ".".join(Path(path).parts[:-1])
    for line, name in imports(tree, package):
        is_standard = name.split(".")[0] in sys.stdlib_module_names
        if any(is_inside(name, banned) for banned in NOWHERE):
            wrong.append(f"{path}:{line}: nobody imports {name}")
        elif not is_standard and not is_allowed(name, MAY_IMPORT[row], path):
            wrong.append(f"{path}:{line}: {row} may not import {name}")
    for line, deed in deeds(tree):
        if not any(is_inside(dots(path), dots(place)) for place in ONLY_IN[deed]):
            wrong.append(f"{path}:{line}: {deed} is not for this file")
    return wrong


def files():
    for source in SOURCES:
        path = ROOT / source
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", list(files()))
def test_the_rules_hold(path):
    wrong = violations(path, (ROOT / path).read_text(encoding="utf-8"))
    assert not wrong, "\n" + "\n".join(wrong)


def test_pages_lie_in_sections():
    """A page directly in pages/ would be found by Streamlit's old navigation and by-pass app.py."""
    assert not list((ROOT / "pages").glob("*.py"))


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


CAUGHT = [
    ("spcviz/engine/chains/chain.py", "import streamlit", "spcviz/engine may not import streamlit"),
    ("spcviz/engine/chains/chain.py", "from scipy.special import logsumexp", "may not import scipy.special"),
    ("spcviz/engine/chains/chain.py", "from spcviz import problems", "may not import spcviz.problems"),
    ("spcviz/engine/chains/chain.py", "from ...learning import crf", "may not import spcviz.learning.crf"),
    ("spcviz/engine/chains/chain.py", "from .... import streamlit", "may not import streamlit"),
    ("spcviz/engine/chains/chain.py", "def f():\n    import pandas", "may not import pandas"),
    ("spcviz/engine/chains/chain.py", "__import__('streamlit')", "may not import streamlit"),
    (
        "spcviz/engine/chains/chain.py",
        "import importlib\nimportlib.import_module(x)",
        "may not import <computed>",
    ),
    (
        "spcviz/learning/crf.py",
        "import spcviz.problems.letters.data.handwriting",
        "spcviz/learning may not import spcviz.problems",
    ),
    ("spcviz/learning/crf.py", "from spcviz.store import save_model", "may not import spcviz.store"),
    ("spcviz/problems/pose/model/a.py", "from spcviz.problems.letters import data", "may not import spcviz"),
    (
        "spcviz/problems/new/a.py",
        "from spcviz.problems.arms import data",
        "may not import spcviz.problems.arms",
    ),
    (
        "spcviz/problems/arms/page/shown.py",
        "from spcviz.problems.pose import data",
        "shown.py may not import",
    ),
    ("spcviz/problems/common/kept.py", "from spcviz.problems.arms import data", "may not import spcviz"),
    ("spcviz/problems/common/kept.py", "import spcviz.problems", "may not import spcviz.problems"),
    ("spcviz/store/models.py", "from spcviz.engine import chain", "may not import spcviz.engine.chain"),
    ("spcviz/problems/letters/page/charts.py", "import streamlit as st", "page may not import streamlit"),
    (
        "spcviz/problems/letters/page/charts.py",
        "from spcviz.engine.chains import chain",
        "may not import spcviz",
    ),
    (
        "spcviz/problems/letters/page/charts.py",
        "from spcviz.problems.letters.page import live",
        "may not import",
    ),
    (
        "spcviz/problems/letters/page/charts.py",
        "from spcviz.web.ui import state",
        "may not import spcviz.web.ui",
    ),
    (
        "spcviz/problems/letters/page/text.py",
        "from spcviz.problems.pose.page import text",
        "may not import spcviz",
    ),
    (
        "spcviz/problems/letters/page/text.py",
        "from spcviz.problems.pose import data",
        "may not import spcviz",
    ),
    ("spcviz/problems/letters/page/live.py", "import streamlit as st", "live.py may not import streamlit"),
    (
        "spcviz/problems/letters/paper/reproduce.py",
        "import streamlit as st",
        "paper may not import streamlit",
    ),
    (
        "spcviz/problems/letters/paper/tables.py",
        "from spcviz.engine.chains import chain",
        "may not import spcviz",
    ),
    (
        "spcviz/problems/letters/model/a.py",
        "from spcviz.web.cached import common",
        "may not import spcviz.web",
    ),
    ("spcviz/web/lattice/a.py", "import plotly", "spcviz/web/lattice may not import plotly"),
    ("spcviz/web/lattice/a.py", "from spcviz.web.ui import state", "may not import spcviz.web.ui.state"),
    ("pages/cascade/letters.py", "from spcviz.problems.letters.page import live", "may not import spcviz"),
    (
        "spcviz/web/ui/state.py",
        "from spcviz.engine import chain",
        "spcviz/web/ui may not import spcviz.engine",
    ),
    ("spcviz/web/ui/warmup.py", "import numpy", "spcviz/web/ui/warmup.py may not import numpy"),
    ("pages/cascade/letters.py", "import numba", "pages may not import numba"),
    ("pages/cascade/letters.py", "import plotly.graph_objects as go", "pages may not import plotly"),
    (
        "pages/cascade/letters.py",
        "from spcviz.problems.letters import tables",
        "may not import spcviz.problems",
    ),
    ("app.py", "import numpy", "app.py may not import numpy"),
    ("tests/oracles/chain.py", "from spcviz.engine import chain", "tests/oracles may not import"),
    ("tests/oracles/chain.py", "from numba import njit", "tests/oracles may not import numba.njit"),
    ("spcviz/new/thing.py", "", "no row in MAY_IMPORT"),
    ("spcviz/store/models.py", "import pickle", "nobody imports pickle"),
    ("spcviz/store/models.py", "from joblib import dump", "nobody imports joblib.dump"),
    ("spcviz/store/models.py", "np.load(f, allow_pickle=True)", "allow_pickle=True is not for this file"),
    (
        "spcviz/engine/chains/chain.py",
        "@njit(fastmath=True)\ndef f(): ...",
        "fastmath=True is not for this file",
    ),
    ("spcviz/engine/chains/chain.py", "@njit(fastmath={'nnan'})\ndef f(): ...", "fastmath flags is not"),
    (
        "spcviz/engine/chains/chain.py",
        "@njit(parallel=True)\ndef f(): ...",
        "parallel=True is not for this file",
    ),
    (
        "spcviz/engine/chains/chain.py",
        "@njit(parallel=flag)\ndef f(): ...",
        "parallel=True is not for this file",
    ),
    ("spcviz/learning/crf.py", "import numpy as np\nnp.random.seed(0)", ":2: global random state"),
    ("spcviz/learning/crf.py", "x = np.random.rand(3)", "global random state is not for this file"),
    ("spcviz/learning/crf.py", "numpy.random.shuffle(x)", "global random state is not for this file"),
    ("spcviz/learning/crf.py", "from numpy.random import rand", "global random state"),
    ("spcviz/learning/crf.py", "import random\nrandom.random()", "global random state"),
    ("spcviz/learning/crf.py", "from random import choice", "global random state"),
    ("spcviz/learning/crf.py", "print('done')", "print is not for this file"),
    ("spcviz/learning/crf.py", "assert x", "bare assert is not for this file"),
    (
        "spcviz/web/ui/state.py",
        "import streamlit as st\n@st.cache_data\ndef f(): ...",
        "st.cache_data is not",
    ),
    ("spcviz/web/ui/state.py", "from streamlit import cache_resource", "st.cache_resource is not"),
    ("spcviz/web/ui/warmup.py", "st.cache_data(f)", "st.cache_data is not for this file"),
    ("spcviz/problems/pose/page/cached.py", "st.cache_data(f)", "st.cache_data is not for this file"),
]
FINE = [
    ("spcviz/engine/chains/chain.py", "import math\nimport numpy as np\nfrom numba import njit"),
    ("spcviz/engine/chains/chain.py", "from spcviz.engine.errors import ShapeError\nfrom . import semirings"),
    ("spcviz/engine/chains/chain.py", "@njit(fastmath=False, parallel=False)\ndef f(): ..."),
    ("spcviz/engine/kernels/jit.py", "@njit(fastmath=flags)\ndef f(): ..."),
    ("spcviz/learning/crf.py", "from scipy.optimize import minimize\nrng = np.random.default_rng(0)"),
    ("spcviz/learning/crf.py", "def f(rng: np.random.Generator): ...\nprintable = 1"),
    (
        "spcviz/store/models.py",
        "np.load(f, allow_pickle=False)\nfrom spcviz.engine.errors import SpcvizError",
    ),
    (
        "spcviz/problems/pose/page/charts.py",
        "import plotly.graph_objects as go\nfrom spcviz.problems.pose.page.shown import PosePart",
    ),
    (
        "spcviz/problems/pose/paper/charts.py",
        "from spcviz.web.figures import theme\nfrom spcviz.problems.pose.page import text",
    ),
    (
        "spcviz/problems/new/a.py",
        "from spcviz.problems.new import data\nfrom spcviz.problems.common import kept",
    ),
    ("spcviz/commands/models.py", "print('done')\nfrom spcviz.problems.common import folders"),
    ("spcviz/web/ui/warmup.py", "def f():\n    from spcviz.web.cached import ahead"),
    ("pages/cascade/letters.py", "import streamlit as st\nfrom spcviz.problems.letters.page import cached"),
    ("tests/oracles/chain.py", "import itertools\nimport numpy as np\nassert itertools"),
]


@pytest.mark.parametrize(("path", "source", "message"), CAUGHT)
def test_the_checker_catches(path, source, message):
    wrong = violations(path, source)
    assert len(wrong) == 1, wrong
    assert message in wrong[0]


@pytest.mark.parametrize(("path", "source"), FINE)
def test_the_checker_lets_pass(path, source):
    assert violations(path, source) == []
