"""reproduce on a Dask cluster: the same table, and a sentence for whatever a cluster lacks or breaks."""

import contextlib
import re
import sys
from concurrent.futures import CancelledError

import pytest

from experiments.letters import reproduce as letter_tables
from spcviz import cli
from spcviz.commands import cluster
from spcviz.problems.letters.model.stored import load_ocr
from spcviz.shared.work import processes
from spcviz.store import digest_of_arrays
from tests.commands.short import KEPT, check_table, orders, refuse, without_times


def test_what_goes_to_a_worker_can_be_pickled(trained_folder):
    """A model comes back from another machine over the protocol that Dask uses."""
    protocol = pytest.importorskip("distributed.protocol")
    from experiments.letters.reproduce import run_fold, sweep_fold
    from spcviz.problems.letters.model.stored import arrays_of_model

    for function in (run_fold, sweep_fold):
        assert protocol.deserialize(*protocol.serialize(function)) is function
    model = load_ocr(trained_folder, "raw")
    back = protocol.deserialize(*protocol.serialize(model))
    assert digest_of_arrays(arrays_of_model(back)) == digest_of_arrays(arrays_of_model(model))


def test_workers_here_and_a_dask_cluster_give_the_same_table(
    words, here, shorter, finished, tmp_path, monkeypatch
):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(processes, "pool", refuse)
    local = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster:
        assert cli.main(orders(tmp_path, "--scheduler", cluster.scheduler_address)) == 0
    assert len(list((tmp_path / "work").glob("ocr-raw-0-*.json"))) == KEPT
    tables = [folder / "table.json" for folder in (finished.folder, tmp_path)]
    one, other = (check_table(table, words, n_orders=3) for table in tables)
    assert [without_times(row) for row in one["rows"]] == [without_times(row) for row in other["rows"]]
    assert one["baselines"] == other["baselines"]
    assert one["settings"] == other["settings"]


def test_without_distributed(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert cli.main(orders(tmp_path, "--scheduler", "tcp://localhost:1")) == 1
    error = capsys.readouterr().err
    how = 'python -m pip install "spcviz[cluster]" brings it'
    assert f"spcviz: --scheduler needs the package distributed; {how}" in error


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nothing://here"])
def test_a_scheduler_that_does_not_answer(address, tmp_path, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    real = distributed.Client
    monkeypatch.setattr(distributed, "Client", lambda a, timeout: real(a, timeout="0.5s"))
    assert cli.main(orders(tmp_path, "--scheduler", address)) == 1
    assert f"spcviz: --scheduler '{address}' does not answer: " in capsys.readouterr().err
    assert not (tmp_path / "table.json").exists()


@pytest.fixture
def one_worker():
    """A function that starts a cluster in one thread of this process, with the given memory."""
    distributed = pytest.importorskip("distributed")
    with contextlib.ExitStack() as stack:

        def start(memory, n_workers=1):
            local = {"processes": False, "threads_per_worker": 1, "dashboard_address": None}
            made = distributed.LocalCluster(n_workers=n_workers, memory_limit=memory, **local)
            return stack.enter_context(made).scheduler_address

        yield start


def test_a_cluster_is_looked_over_before_work_begins(one_worker, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(letter_tables, "measured_orders", refuse)
    assert cli.main(orders(tmp_path, "--scheduler", one_worker("1GB"))) == 1
    assert "has 1.0 GB of memory and needs 2.5: --memory-limit 3GB" in capsys.readouterr().err
    address = one_worker("3GB", 0)
    assert cli.main(orders(tmp_path, "--scheduler", address)) == 1
    wanted = f"has no worker; start one with: dask worker {address} --memory-limit 3GB"
    assert wanted in capsys.readouterr().err


def test_what_a_worker_lacks_is_a_sentence():
    place = cluster.ClusterPlace("1", True, True, True, 0)
    for other, sentence in [
        (place, None),
        (place._replace(memory=cluster.MEMORY), None),
        (ModuleNotFoundError("No module named 'spcviz'"), r"cannot import spcviz \(No module named"),
        (place._replace(code="2"), "has another version of the code"),
        (place._replace(has_cache=False), "has no folder cache"),
        (place._replace(has_data=False), "has no SPCVIZ_DATA"),
        (place._replace(memory=10**9), "has 1.0 GB of memory"),
    ]:
        lack = cluster.lacking(place, other)
        assert lack is sentence or re.match(sentence, lack), other
    assert cluster.lacking(place._replace(has_data=False), place._replace(has_data=False)) is None


def test_a_cluster_that_breaks_is_a_sentence(one_worker, tmp_path, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    faults = {
        "workers died again and again at the same part (out of memory?); finished parts have been kept": (
            distributed.KilledWorker("raw 0", None, 3)
        ),
        "went away; finished parts have been kept: try again": CancelledError(),
    }
    address = one_worker("3GB")
    for sentence, fault in faults.items():

        def fail(run, fault=fault):
            raise fault

        monkeypatch.setattr(letter_tables, "measured_orders", fail)
        assert cli.main(orders(tmp_path, "--scheduler", address)) == 1
        assert sentence in capsys.readouterr().err
