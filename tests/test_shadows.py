"""No local variable takes the name of a function that the same body calls: it would call the variable.

Python finds that out when the line runs, which in a reproduction is after hours.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("spcviz", "experiments", "benchmarks", "pages")


def imported(tree):
    """Names that the imports of a tree bind."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {(alias.asname or alias.name).partition(".")[0] for node in nodes for alias in node.names}


def shadows(source):
    """(function, names that it both sets and calls, though they are those of functions or modules)."""
    tree = ast.parse(source)
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    known = imported(tree) | {node.name for node in tree.body if isinstance(node, kinds | ast.ClassDef)}
    for body in ast.walk(tree):
        if isinstance(body, kinds):
            names = [node for node in ast.walk(body) if isinstance(node, ast.Name)]
            calls = [node.func for node in ast.walk(body) if isinstance(node, ast.Call)]
            is_set = {node.id for node in names if isinstance(node.ctx, ast.Store)}
            if taken := is_set & known & {name.id for name in calls if isinstance(name, ast.Name)}:
                yield body.name, sorted(taken)


@pytest.mark.parametrize("folder", SOURCES)
def test_nothing_calls_its_own_variable(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    found = {path: list(shadows(path.read_text(encoding="utf-8"))) for path in files}
    assert {path: one for path, one in found.items() if one} == {}


def test_what_is_looked_for_is_found():
    source = "def rows():\n    return []\n\ndef make():\n    rows = []\n    rows += rows()\n    return rows\n"
    assert list(shadows(source)) == [("make", ["rows"])]
    assert list(shadows(source.replace("rows()", "other()"))) == []
