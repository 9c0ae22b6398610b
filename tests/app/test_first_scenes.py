"""First scenes on a fresh machine: pages open without compiling a kernel."""

import json
import os
import subprocess
import sys

import pytest

from spcviz.problems.budgets import task
from spcviz.problems.letters.page import cached
from spcviz.problems.letters.state import LETTERS
from spcviz.web.cached import first
from spcviz.web.ui import navigation
from spcviz.web.ui.state import MAX_ORDER
from tests.app.driver import ROOT

OPEN_ALL = """
import json, sys
from numba.core import event
from spcviz.web.ui import navigation
from tests.app.driver import ROOT, AppTest


class Compiled(event.Listener):
    n = 0

    def on_start(self, event):
        Compiled.n += 1

    def on_end(self, event):
        pass


event.register("numba:compile", Compiled())
found = {}
for name, path in navigation.names().items():
    at, before = AppTest.from_file(ROOT / "app.py", default_timeout=180).run(), Compiled.n
    if name:
        at.switch_page(path)
        at.run()
    said = [own.value for own in [*at.exception, *at.error, *at.info]]
    found[name] = [Compiled.n - before, said]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """{page: (kernels compiled while it opened, its complaints)} on a fresh machine without data."""
    fresh = os.environ | {"SPCVIZ_JIT_DIR": str(tmp_path_factory.mktemp("kernels"))}
    fresh.pop("SPCVIZ_DATA", None)
    done = subprocess.run(
        [sys.executable, "-c", OPEN_ALL], cwd=ROOT, env=fresh, capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_every_page_opens_without_compiling(opened):
    assert set(opened) == set(navigation.names())
    compiling = {page: n for page, (n, _) in opened.items() if n}
    assert not compiling, f"run python -m spcviz train first-scenes; kernels compiled on opening: {compiling}"
    assert {page: said for page, (_, said) in opened.items() if said} == {}


def test_all_that_is_stored_can_be_used_and_is_small():
    task.trade_tasks()  # imports every file of cached calls
    assert first.stale() == {}, "run: python -m spcviz train first-scenes"
    cache = first.FOLDER.parent
    assert sum(path.stat().st_size for path in first.FOLDER.iterdir()) < 6e6
    assert sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) < 60e6


def test_the_word_that_letters_opens_with_is_read_faster_than_without_a_cascade():
    assert first.stale() == {}
    state = LETTERS.parse({})
    alphas = tuple(state[f"a{n}"] for n in range(1, MAX_ORDER + 1))
    trace = cached.letters_trace(state["word"], state["features"], state["order"], alphas)
    assert trace.microseconds < trace.microseconds_dense, "make it on a quiet machine"
