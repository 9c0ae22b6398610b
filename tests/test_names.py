"""Names mean what they seem to: a call calls a function, and names read from our own modules exist.

A local variable that takes a function's name is called in its place, and a text that was renamed is missing
where it is shown. Python finds out only when the line runs, in a reproduction perhaps after hours.
"""

import ast
import re
from collections import deque
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("spcviz", "experiments", "benchmarks", "pages")
KINDS = ast.FunctionDef | ast.AsyncFunctionDef


def imported(nodes):
    """Names that the imports among some nodes bind."""
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}


def shadows(tree):
    """(function, names that it both sets and calls, though functions or modules have these names)."""
    known = imported(ast.walk(tree)) | {
        node.name for node in tree.body if isinstance(node, KINDS | ast.ClassDef)
    }
    for body in ast.walk(tree):
        if isinstance(body, KINDS):
            inner = list(ast.walk(body))
            names = [node for node in inner if isinstance(node, ast.Name)]
            calls = [node.func for node in inner if isinstance(node, ast.Call)]
            is_set = {node.id for node in names if isinstance(node.ctx, ast.Store)}
            if taken := is_set & known & {name.id for name in calls if isinstance(name, ast.Name)}:
                yield body.name, sorted(taken)


@cache
def look_through(folder):
    """{check: {file: what it finds there}} of a folder; each file is parsed once for all checks."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    found = {check: {} for check in (shadows, missing, imports_missing, bare)}
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for check, faults in found.items():
            if faulty := list(check(tree)):
                faults[path.relative_to(ROOT).as_posix()] = faulty
    return found


@pytest.mark.parametrize("folder", SOURCES)
def test_nothing_calls_its_own_variable(folder):
    assert look_through(folder)[shadows] == {}


def test_what_is_looked_for_is_found():
    source = "def rows():\n    return []\n\ndef make():\n    rows = []\n    rows += rows()\n    return rows\n"
    assert list(shadows(ast.parse(source))) == [("make", ["rows"])]
    assert list(shadows(ast.parse(source.replace("rows()", "other()")))) == []


def module(name):
    """The file of one of our modules, or None."""
    path = ROOT / name.replace(".", "/")
    return next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None)


@cache
def bound(path):
    """Names that a module may have; None if its `__getattr__` answers any name."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    made = {node.name for node in nodes if isinstance(node, KINDS | ast.ClassDef)}
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return None if "__getattr__" in made else made | names | imported(nodes)


def missing(tree):
    """(line, module, name) of names that are read from our modules and do not exist."""
    nodes = list(ast.walk(tree))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    own = {
        alias.asname or alias.name: path
        for node in froms for alias in node.names if (path := module(f"{node.module}.{alias.name}"))
    }  # fmt: skip
    taken = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    taken |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name, path = node.value.id, own.get(node.value.id)
            is_dunder = node.attr.startswith("__")
            if path and name not in taken and not is_dunder and (has := bound(path)) is not None:
                inner = module(".".join((*path.relative_to(ROOT).parent.parts, node.attr)))
                if node.attr not in has and inner is None:
                    yield node.lineno, name, node.attr


@pytest.mark.parametrize("folder", SOURCES)
def test_what_is_asked_of_own_modules_is_there(folder):
    assert look_through(folder)[missing] == {}


def test_a_missing_name_is_found():
    source = "from spcviz.io import field_names as say\n\n\ndef show():\n    return say.TOKEN, say.TOKENS\n"
    assert list(missing(ast.parse(source))) == [(5, "say", "TOKENS")]


# A function is named by a verb and its object (load_table, describe_level); "taken" or "shown" alone says
# neither who does what nor to what. These are the irregular participles; the others end in "ed".
PARTICIPLES = {
    "begun", "born", "borne", "bought", "bound", "broken", "brought", "built", "caught", "chosen",
    "dealt", "done", "drawn", "driven", "eaten", "fallen", "fed", "felt", "forgotten", "found",
    "frozen", "given", "gone", "grown", "heard", "held", "hidden", "kept", "known", "laid", "led",
    "left", "lent", "lit", "lost", "made", "meant", "met", "paid", "said", "seen", "sent", "shaken",
    "shown", "sold", "spent", "split", "spoken", "spread", "struck", "sung", "swept", "sworn", "taken",
    "taught", "thought", "thrown", "told", "torn", "understood", "undone", "won", "worn", "wound",
    "written",
}  # fmt: skip
VERBS = frozenset(
    {"bound", "found", "left", "spread", "split", "embed", "feed", "need", "proceed", "seed", "shed"}
)
"""Words that look like participles and may be verbs."""
ADJECTIVES = {"constrained", "peaked", "placed", "prepared", "tiered", "versioned", "weighted", "zipped"}
"""Names of files that describe their contents: weighted chains, placed states."""
ROOMS = {"cached", "shown", "stored"}
"""Files that every problem has under these names: cached calls, tuples that are drawn, stored models."""


def is_participle(name):
    """Whether a name is a bare participle.

    >>> [is_participle(name) for name in ("shown", "_checked", "show", "checked_names", "spread")]
    [True, True, False, False, False]
    """
    word = name.strip("_")
    return word not in VERBS and (
        word in PARTICIPLES or (word.endswith("ed") and word.isalpha() and word.islower())
    )


def functions(tree):
    """(function, whether it is nested in another one) of a tree, methods included."""
    nodes = deque((node, False) for node in ast.iter_child_nodes(tree))
    while nodes:
        node, is_inner = nodes.popleft()
        if isinstance(node, KINDS):
            yield node, is_inner
        nodes += [(one, is_inner or isinstance(node, KINDS)) for one in ast.iter_child_nodes(node)]


def bare(tree):
    """Functions and methods of a module named by bare participles, public and private ones.

    Of nested functions only those with an underscore: the others are read next to their calls.
    """
    for node, is_inner in functions(tree):
        if is_participle(node.name) and not (is_inner and not node.name.startswith("_")):
            decorators = {getattr(one, "id", "") for one in node.decorator_list}
            if not decorators & {"property", "kind"}:  # words of the language of statements are kinds
                yield node.name


@pytest.mark.parametrize("folder", SOURCES)
def test_functions_are_no_bare_participles(folder):
    assert look_through(folder)[bare] == {}


def test_modules_are_no_bare_participles():
    paths = [path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*.py"))]
    names = {path.relative_to(ROOT).as_posix() for path in paths if is_participle(path.stem)}
    rooms = {name for name in names if Path(name).stem in ROOMS and name.startswith("spcviz/problems/")}
    assert {name for name in names - rooms if Path(name).stem not in ADJECTIVES} == set()


def test_a_bare_participle_is_found():
    source = "def shown():\n    pass\n\n\nclass Room:\n    def told(self): ...\n    def tell(self): ...\n"
    assert list(bare(ast.parse(source))) == ["shown", "told"]
    assert list(bare(ast.parse(source.replace("shown", "_shown").replace("told", "_told")))) == [
        "_shown",
        "_told",
    ]
    assert list(bare(ast.parse(source.replace("shown", "show_all").replace("told", "tell_all")))) == []
    inner = "def make():\n    def found(): ...\n    def _found(): ...\n    def _kept(): ...\n"
    assert list(bare(ast.parse(inner))) == ["_kept"]


SCRIPT_FUNCTION = re.compile(
    r"^\s*(?:export )?(?:static )?(?:async )?(?:function )?#?(\w+)\([^()]*\) \{|"  # a method or a function
    r"^\s*(?:export )?const (\w+) = (?:async )?\([^()]*\) =>",  # an arrow with a name
    re.MULTILINE,
)


def bare_in_script(source):
    """Functions and methods of a script named by bare participles; ``get shown()`` is a noun."""
    found = (match[1] or match[2] for match in SCRIPT_FUNCTION.finditer(source))
    return [name for name in found if is_participle(name)]


def test_functions_of_scripts_are_no_bare_participles():
    paths = [
        path for folder in SOURCES for end in ("js", "mjs") for path in (ROOT / folder).rglob(f"*.{end}")
    ]
    assert len(paths) > 50
    found = {path.relative_to(ROOT): bare_in_script(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_bare_participle_of_a_script_is_found():
    source = "function shown(a) {\n}\nexport const kept = (a, b) => a;\nclass A {\n  async told() {\n"
    source += "  get seen() {\n  drawPicked(box) {\n    if (drawn()) {\n"
    assert bare_in_script(source) == ["shown", "kept", "told"]


def imports_missing(tree):
    """(line, module, name) of names that are imported from our modules and do not exist."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            path = module(node.module)
            if path is None and node.module.split(".")[0] in SOURCES:
                folder = ROOT / node.module.replace(".", "/")
                has = {one.stem for one in folder.iterdir()} if folder.is_dir() else set()
            elif path is None or (has := bound(path)) is None:
                continue
            for alias in node.names:
                if (
                    alias.name not in has
                    and alias.name != "*"
                    and module(f"{node.module}.{alias.name}") is None
                ):
                    yield node.lineno, node.module, alias.name


@pytest.mark.parametrize("folder", SOURCES)
def test_what_is_imported_from_own_modules_is_there(folder):
    """A lazy import runs only when its function does, perhaps after hours."""
    assert look_through(folder)[imports_missing] == {}


def test_a_missing_import_is_found():
    source = "from spcviz.io import layout\nfrom spcviz.io.layout import TOKENS\nfrom spcviz.no import a\n"
    assert list(imports_missing(ast.parse(source))) == [
        (2, "spcviz.io.layout", "TOKENS"),
        (3, "spcviz.no", "a"),
    ]


CALLED = re.compile(r"\bthis\.(\w+)\(")
DEFINED = re.compile(
    r"^\s+(?:static |async |get |set )*\*?(\w+)\([^\n]*\)\s*\{|\bthis\.(\w+)\s*=[^=]|^\s+(\w+)\s*=[^=]",
    re.MULTILINE,
)


def undefined(scripts):
    """(file, method) of methods that are called on ``this`` in scripts and defined in none of them."""
    known = {name for text in scripts.values() for names in DEFINED.findall(text) for name in names}
    calls = ((file, name) for file, text in scripts.items() for name in CALLED.findall(text))
    return sorted({(file, name) for file, name in calls if name not in known})


def test_views_call_methods_that_there_are():
    """A view that calls a renamed method by its old name fails only when it makes the call."""
    paths = [path for path in sorted((ROOT / "spcviz").rglob("*.js")) if path.name != "plotly.js"]
    assert undefined({path.name: path.read_text(encoding="utf-8") for path in paths}) == []


def test_a_missing_method_is_found():
    text = (
        "class A {\n  draw() {\n    this.fit(); this.size = 3; this.later = () => {}; this.later();\n  }\n}\n"
    )
    assert undefined({"a.js": text}) == [("a.js", "fit")]
    assert undefined({"a.js": text, "b.js": "class B {\n  fit(a, b = 3) {\n  }\n}\n"}) == []
