"""The tutorial: a new problem built from it alone passes its tests, and a missing piece is named by file.

The tests copy the project and type into the copy what docs/new_problem.md says.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "new_problem"
TUTORIAL = (ROOT / "docs" / "new_problem.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(\S+\.py)`:\n\n```python\n(.*?)^```$", TUTORIAL, re.M | re.S))
ARTICLE, SCENE = (json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", TUTORIAL, re.M | re.S))
REGISTRY, ARTICLES = "spcviz/registry/__init__.py", "spcviz/web/articles/articles.json"
TOUR, OPENED = "spcviz/web/tours/shipped/07-tags.json", "tests/problems/spaces/__init__.py"
(COMMAND,) = re.findall(r"^```bash\n(.*?)^```$", TUTORIAL, re.M | re.S)
ASKING = ["tests/problems/spaces", *shlex.split(COMMAND.replace("\\\n", ""))[6:]]
"""Tests that the tutorial runs after each step, and the test that it types."""
OPEN = """
from tests.app.driver import open_page, texts
at = open_page("pages/learn/spaces.py", text="theoldman")
print(*texts(at), sep="\\n")
"""


def written(clone, path, change):
    """Change a JSON file."""
    content = json.loads((clone / path).read_text(encoding="utf-8"))
    change(content)
    (clone / path).write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the project with the tutorial's files, and none of its other changes yet."""
    clone = tmp_path_factory.mktemp("clone")
    leave = shutil.ignore_patterns("first_scenes", "*-pytest-*")  # compiled Python files are copied too
    for name in ("spcviz", "pages", "tests", "cache", "experiments", "benchmarks"):
        shutil.copytree(ROOT / name, clone / name, ignore=leave)
    for name in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, clone)
    for path, text in {**FILES, OPENED: ""}.items():
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).write_text(text, encoding="utf-8")
    return clone


def listed(clone):
    """Step 6."""
    (word,) = re.findall(r"^PROBLEMS = \(\n    \.\.\.\n    \"(\w+)\",$", TUTORIAL, re.M)
    path = clone / REGISTRY
    before = path.read_text(encoding="utf-8")
    after = re.sub(r"(PROBLEMS = \((?:\n    \"\w+\",)+)", rf'\1\n    "{word}",', before)
    assert after != before
    path.write_text(after, encoding="utf-8")


def run(clone, *words):
    env = os.environ | {"PYTHONPATH": str(clone)}
    for name in ("SPCVIZ_DATA", "PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"):
        env.pop(name, None)
    done = subprocess.run(
        [sys.executable, *words], cwd=clone, env=env, capture_output=True, text=True, timeout=900, check=False
    )
    return done.returncode, done.stdout + done.stderr[-3000:]


def ask(clone, *tests, deselect="warm_up or rows_catch"):
    """Status and output of the tutorial's tests in a copy."""
    return run(clone, "-m", "pytest", "-q", "-n", "0", "-k", f"not ({deselect})", *(tests or ASKING))


def test_the_example_is_what_the_tutorial_types():
    there = {
        path.relative_to(EXAMPLE).as_posix(): path.read_text(encoding="utf-8")
        for path in EXAMPLE.rglob("*.py")
        if path.stat().st_size
    }
    assert there == FILES
    code = [line for path, text in FILES.items() if not path.startswith("tests") for line in text.split("\n")]
    assert sum(bool(line.strip()) for line in code) <= 90


def test_step_by_step_each_missing_piece_is_named_and_at_last_all_passes(clone):
    code, said = ask(clone, "tests/registry/test_registry.py")
    assert code == 1
    assert f"add to PROBLEMS in {REGISTRY}: {{'spaces'}}" in said
    listed(clone)
    code, said = ask(clone)
    assert code == 1
    assert f"add to {ARTICLES} an article, see to where, of: {{'spaces'}}" in said
    assert "add a scene, in a file of spcviz/web/tours/shipped, that leads to: {'spaces'}" in said
    assert "2 failed" in said
    written(clone, ARTICLES, lambda content: content.update(ARTICLE))
    written(clone, TOUR, lambda content: content["scenes"].insert(-1, SCENE))
    code, said = ask(clone)
    assert code == 0, said[-3000:]
    code, said = run(clone, "-c", OPEN)
    assert code == 0, said
    assert "By the chain: **theold" in said.replace(" ", "").replace("Bythechain:", "By the chain: ")


PIECES = {
    "the page": ("pages/learn/spaces.py", None, "names pages of which there is no file: ['pages/learn"),
    "what it says": ("spcviz/problems/spaces/__init__.py", "", "must hold PROBLEM = Problem(...)"),
    "lines to save": ("pages/learn/spaces.py", ("touring.offer_python", "str"), "call touring.offer_python"),
    "its warm-up": (
        "spcviz/problems/spaces/page/live.py",
        ("def warmup", "def warm"),
        "__init__.py names spcviz.problems.spaces.page.live:warmup, which is not there",
    ),
    "what it builds upon": (
        "spcviz/problems/spaces/page/cached.py",
        ("from spcviz.web", "from spcviz.problems.letters import handwriting  # noqa\nfrom spcviz.web"),
        "spcviz.problems.spaces is not allowed to import spcviz.problems.letters",
    ),
}


@pytest.mark.parametrize("name", PIECES)
def test_a_piece_that_is_missing_is_named_by_its_file(clone, name):
    if '"spaces"' not in (clone / REGISTRY).read_text(encoding="utf-8"):
        listed(clone)
    path, change, message = PIECES[name]
    before = (clone / path).read_text(encoding="utf-8")
    try:
        if change is None:
            (clone / path).unlink()
        else:
            (clone / path).write_text(change if change == "" else before.replace(*change), encoding="utf-8")
        tests = ["tests/registry/test_registry.py"]
        if "offer" in message:
            tests = [one for one in ASKING if "test_paper" in one]
        elif "allowed" in message:
            (asked,) = (one for one in ASKING if "test_architecture" in one)
            tests = [f"{asked}::test_imports_only_point_down"]
        code, said = ask(clone, *tests)
    finally:
        (clone / path).write_text(before, encoding="utf-8")
    assert code
    assert message in said, said[-2000:]
