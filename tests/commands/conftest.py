"""Fixtures for commands: 120 real words, a model trained on them, and a finished reproduction."""

import io
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from experiments.letters import reproduce as letter_tables
from spcviz import cli
from spcviz.problems.letters.model import cascade as experiment
from spcviz.shared.work import processes
from tests.commands.short import orders
from tests.problems.conftest import small_world


@pytest.fixture(autouse=True)
def words():
    with small_world() as few:
        yield few


@pytest.fixture
def small(monkeypatch):
    """At most two orders of dense inference: 26^4 n-grams take a second per word to set up."""
    monkeypatch.setattr(experiment, "DENSE_ORDERS", 2)


@pytest.fixture
def shorter(small, monkeypatch):
    """The same up to order 3, for tests that do not look at the table itself."""
    monkeypatch.setattr(letter_tables, "N_ORDERS", 3)


@pytest.fixture(scope="session")
def trained_folder(tmp_path_factory):
    """A folder with a model that the command line trained; copy it before you break it."""
    folder = tmp_path_factory.mktemp("models")
    with small_world():
        assert cli.main(["train", "ocr", "--features", "raw", "--quick", "--models", str(folder)]) == 0
    return folder


@pytest.fixture
def here(monkeypatch):
    """Workers are a thread of this process, which sees the few words and what a test has changed."""
    _work_here(monkeypatch)


def _work_here(patch):
    patch.setattr(processes, "pool", lambda n: ThreadPoolExecutor(1))


class Finished(NamedTuple):
    """A short reproduction up to order 3, made once: copy the folder, never write to it."""

    folder: Path
    out: str
    err: str


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    folder, out, err = tmp_path_factory.mktemp("finished"), io.StringIO(), io.StringIO()
    with small_world(), pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(experiment, "DENSE_ORDERS", 2)
        patch.setattr(letter_tables, "N_ORDERS", 3)
        _work_here(patch)
        assert cli.main(orders(folder)) == 0
    return Finished(folder, out.getvalue(), err.getvalue())
