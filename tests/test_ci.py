"""The CI script: README's test command without data, then tests that want data, then the linters."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = ROOT / ".ci" / "run"
TOOLS = ("apt-get", "node", "npm", "npx", "nginx", "ruff", "mypy", "lint-imports")
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash: .ci/run is a script of bash")

SAYS = '#!/bin/sh\necho "$(basename "$0") $* data=${SPCVIZ_DATA-none}" >> "$LOG"\n'
README = """
Set up and run the app:

```bash
echo app >> "$LOG"
```

Set up and pass the tests (some words):

```bash
mkdir -p .venv/bin && cp tools/python .venv/bin && .venv/bin/python -m pytest -q
```
"""


def commands_of(readme):
    return re.findall(r"```bash\n(.*?)\n```", readme, re.DOTALL)


def test_ci_runs_the_command_that_the_readme_gives():
    said = subprocess.run(["bash", RUN, "--command"], capture_output=True, text=True, check=True).stdout
    wanted = commands_of((ROOT / "README.md").read_text(encoding="utf-8"))[1]
    assert said == f"{wanted}\n"
    assert wanted.endswith(".venv/bin/python -m pytest -q && .venv/bin/python -m pytest -q -m browser")


@pytest.fixture
def checkout(tmp_path):
    """A function that runs .ci/run in a small checkout whose tools only log their calls.

    It takes the exit statuses of the first and of the second pytest, and returns the script's status, the
    tools' log, and the process.
    """
    root, tools = tmp_path / "here", tmp_path / "here" / "tools"
    tools.mkdir(parents=True)
    (root / ".ci").mkdir()
    shutil.copy(RUN, root / ".ci")
    (root / "README.md").write_text(README)
    for name in (*TOOLS, "python"):
        (tools / name).write_text(SAYS + ('case "$*" in *needs*) exit $SECOND ;; *) exit $FIRST ;; esac\n'
                                          if name == "python" else ""))  # fmt: skip
        (tools / name).chmod(0o755)

    def run(first=0, second=0, data=True, **more):
        if data:
            (tmp_path / "shared" / "data").mkdir(parents=True)
        changed = {"PATH": f"{tools}:{os.environ['PATH']}", "LOG": str(tmp_path / "log")}
        changed |= {"FIRST": str(first), "SECOND": str(second)}
        kept = {name: value for name, value in os.environ.items() if name != "SPCVIZ_DATA"}
        done = subprocess.run(
            ["bash", root / ".ci" / "run"],
            env=kept | changed | more,
            capture_output=True,
            text=True,
            timeout=60,
        )
        said = (tmp_path / "log").read_text().splitlines()
        assert not (root / ".venv").exists()
        return done.returncode, [line for line in said if not line.startswith("apt-get")], done

    return run


LINTERS = [
    "ruff check . data=none",
    "ruff format --check . data=none",
    "mypy  data=none",
    "lint-imports  data=none",
    "npm ci --silent data=none",
    "npx eslint spcviz benchmarks data=none",
]


def test_the_readme_command_runs_without_data_then_what_wants_data(checkout, tmp_path):
    status, said, _ = checkout()
    assert status == 0
    data = tmp_path / "shared" / "data"
    assert said == [
        "python -m pytest -q data=none", f"python -m pytest -q -m needs_data data={data}", *LINTERS
    ]  # fmt: skip


def test_data_that_the_environment_names_are_kept_from_the_readme_command(checkout, tmp_path):
    status, said, _ = checkout(data=False, SPCVIZ_DATA=str(tmp_path))
    assert status == 0
    assert said[:2] == [
        "python -m pytest -q data=none", f"python -m pytest -q -m needs_data data={tmp_path}"
    ]  # fmt: skip


def test_without_a_folder_of_data_it_says_what_is_not_run(checkout):
    status, said, done = checkout(data=False)
    assert status == 0
    assert said == ["python -m pytest -q data=none", *LINTERS]
    assert "../shared/data is no folder: tests that want data are not run" in done.stdout


@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 1), (5, 0), (0, 5)])
def test_a_failure_or_no_test_at_all_ends_it(checkout, first, second):
    status, said, done = checkout(first, second)
    assert status == (first or second)
    assert len(said) == 1 + (first == 0)
    assert ("pytest found no test to run" in done.stderr) == (5 in (first, second))


def test_what_wants_data_is_marked_by_its_fixture(pytestconfig, request):
    """`-m needs_data` finds every test that is skipped for lack of data: the fixture marks it."""
    for item in request.session.items:
        names = getattr(item, "fixturenames", ())
        assert ("shared_data" in names) == (item.get_closest_marker("needs_data") is not None), item.nodeid
