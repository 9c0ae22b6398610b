"""Every command as a user gives it, on 120 real words."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from benchmarks import engine
from experiments.grids import reproduce as grids
from experiments.letters import reproduce as letter_tables
from spcviz import cli, registry
from spcviz.commands import cluster, reproduce
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model.stored import load_ocr
from spcviz.registry import warmup
from spcviz.shared.folders import MODELS
from spcviz.shared.work import processes
from spcviz.shared.work.jobs import Progress, run_all
from spcviz.store import digest_of_arrays
from tests.problems.conftest import small_world
from tests.shared.work import parts

ROOT = Path(__file__).parents[1]
RESULT = {"name", "source", "rows", "baselines", "settings", "data_digests", "machine", "fold_rows"}
RESULT |= {"looks_at_test", "provenance", "command", "seconds"}
ROW = {
    "features", "order", "char_accuracy", "word_accuracy", "filter_loss", "n_grams_in", "n_grams_kept",
    "us_per_word", "us_dense_per_word",
}  # fmt: skip

KEPT = 1 + len(experiment.TABLE_RUNS)
"""Results that a fold of raw pixels keeps: of every cascade, and of the dictionary."""


@pytest.fixture(autouse=True)
def words():
    with small_world() as few:
        yield few


@pytest.fixture
def small(monkeypatch):
    """Two orders of dense inference at most: 26^4 n-grams take a second a word to set up."""
    monkeypatch.setattr(experiment, "DENSE_ORDERS", 2)


@pytest.fixture
def shorter(small, monkeypatch):
    """The same up to order 3: where the table itself is not what is looked at."""
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
    monkeypatch.setattr(processes, "pool", lambda n: ThreadPoolExecutor(1))


def refuse(*_, **__):
    raise AssertionError("trained again")


def interrupt(*_, **__):
    raise KeyboardInterrupt


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def copied(folder, target):
    for name, content in bytes_of(folder).items():
        (target / name).write_bytes(content)
    return target


def orders(tmp_path, *more):
    """Arguments of a short reproduction."""
    return [
        *("reproduce", "ocr-orders", "--features", "raw", "--quick", "--folds", "1", "--workers", "1"),
        *("--json", str(tmp_path / "table.json"), "--work", str(tmp_path / "work"), *more),
    ]


def without_times(row):
    return {key: value for key, value in row.items() if not key.startswith("us_")}


def check_table(path, words, features=("raw",), n_orders=6):
    table = json.loads(path.read_text())
    assert table.keys() == RESULT | {"trade", "first_filters"}
    assert table["name"] == "ocr-orders"
    cascades = (("own", "word"), ("own", "position"), ("shared", "word"))  # those of raw pixels
    assert [(r["features"], r["cascade"], r["tolerance_kind"], r["order"]) for r in table["rows"]] == [
        (f, *one, n) for f in features for one in cascades for n in range(1, n_orders + 1)
    ]
    for row in table["rows"]:
        assert row.keys() >= ROW
        assert 0 <= row["word_accuracy"] <= row["char_accuracy"] <= 100
        assert (row["paper"] is not None) == (row["features"] == "raw" and row["cascade"] == "own")
        assert (row["us_dense_per_word"] is None) == (row["order"] > 2)
    for baseline in table["baselines"]:
        assert baseline["method"] == "dictionary"
        assert {"char_accuracy", "word_accuracy"} <= baseline.keys()
    assert table["data_digests"] == {"ocr": digest_of_arrays(words._asdict())}
    assert table["machine"]["cores"] == os.cpu_count()
    assert table["seconds"] > 0
    return table


def test_train_writes_a_model_that_loads(words, trained_folder):
    model = load_ocr(trained_folder, "raw")
    assert len(model.cascade.levels) == 6
    assert model.settings == experiment.settings_for("raw", quick=True)
    about = json.loads((trained_folder / "ocr-raw.json").read_text())
    assert about["metrics"]["test_fold"] == json.loads(json.dumps(
        experiment.evaluate(model, 0), default=lambda number: number.tolist()
    ))  # fmt: skip
    assert len(about["metrics"]["held_out"]) == 6


def test_train_says_what_it_wrote_and_repeats_itself(trained_folder, tmp_path, capsys):
    assert cli.main(["train", "ocr", "--features", "raw", "--quick", "--models", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{tmp_path / 'ocr-raw.json'}: letters ")
    assert out.endswith(" % on fold 0\n")
    assert "order 6: predictor" in err
    assert bytes_of(tmp_path) == bytes_of(trained_folder)


@pytest.mark.parametrize(
    "command", [["train", "ocr"], ["reproduce", "ocr-orders"], ["reproduce", "ocr-sweep"]]
)
def test_unknown_features_are_refused_before_anything_is_trained(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(experiment, "train", refuse)
    folder = ["--models" if command[0] == "train" else "--work", str(tmp_path)]
    more = [] if command[0] == "train" else ["--json", str(tmp_path / "x.json")]
    assert cli.main([*command, "--features", "raw", "ink", *folder, *more]) == 1
    assert "spcviz: features must be one of raw, hog, fourier, got 'ink'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_training_leaves_the_old_model(trained_folder, tmp_path, capsys, monkeypatch):
    copied(trained_folder, tmp_path)
    monkeypatch.setattr(experiment, "evaluate", interrupt)
    assert cli.main(["train", "ocr", "--features", "raw", "--models", str(tmp_path)]) == 130
    assert capsys.readouterr().err.endswith("spcviz: interrupted; what was finished has been kept\n")
    assert bytes_of(tmp_path) == bytes_of(trained_folder)


def test_models_lists_and_verifies(trained_folder, capsys):
    for arguments in (["models"], ["models", "list"], ["models", "verify"]):
        assert cli.main([*arguments, "--models", str(trained_folder)]) == 0
        line = capsys.readouterr().out
        assert line.startswith("ocr-raw          ocr-cascade    v1 ")
        assert line.endswith("MB  intact\n" if "verify" in arguments else "MB\n")


def test_a_damaged_model_fails_with_the_repairing_command(trained_folder, tmp_path, capsys):
    (path,) = copied(trained_folder, tmp_path).glob("*.npz")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert cli.main(["models", "list", "--models", str(tmp_path)]) == 0
    capsys.readouterr()
    assert cli.main(["models", "verify", "--models", str(tmp_path)]) == 1
    line = capsys.readouterr().out
    assert line.startswith("ocr-raw ")
    assert "is damaged" in line
    assert line.endswith("repair with: python -m spcviz train ocr\n")
    (tmp_path / "ocr-raw.json").write_text("{")
    for action in ("list", "verify"):
        assert cli.main(["models", action, "--models", str(tmp_path)]) == 1
        assert capsys.readouterr().out.endswith("repair with: python -m spcviz train ocr\n")


def test_no_models(tmp_path, capsys):
    assert cli.main(["models", "verify", "--models", str(tmp_path / "none")]) == 0
    assert "make them with: python -m spcviz train NAME" in capsys.readouterr().out


def test_reproduce_orders(words, here, shorter, tmp_path, capsys, monkeypatch):
    assert cli.main(orders(tmp_path)) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{tmp_path / 'table.json'}: 9 rows, made in ")
    assert "raw 0" in err
    table = check_table(tmp_path / "table.json", words, n_orders=3)
    assert {row["folds"] for row in table["rows"]} == {1}
    assert table["command"] == "python -m spcviz reproduce ocr-orders --features raw --folds 1 --quick"
    monkeypatch.setattr(experiment, "train", refuse)
    assert cli.main(orders(tmp_path)) == 0
    again = check_table(tmp_path / "table.json", words, n_orders=3)
    assert [without_times(row) for row in table["rows"]] == [without_times(row) for row in again["rows"]]


def test_what_goes_to_a_worker_can_be_pickled(trained_folder):
    """A model back from another machine, over the protocol that Dask uses."""
    protocol = pytest.importorskip("distributed.protocol")
    from experiments.letters.reproduce import run_fold, sweep_fold
    from spcviz.problems.letters.model.stored import arrays_of_model

    for function in (run_fold, sweep_fold):
        assert protocol.deserialize(*protocol.serialize(function)) is function
    model = load_ocr(trained_folder, "raw")
    back = protocol.deserialize(*protocol.serialize(model))
    assert digest_of_arrays(arrays_of_model(back)) == digest_of_arrays(arrays_of_model(model))


def test_workers_here_and_a_dask_cluster_give_the_same_table(words, here, shorter, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    for name in ("processes", "cluster"):
        (tmp_path / name).mkdir()
    assert cli.main(orders(tmp_path / "processes")) == 0
    monkeypatch.setattr(processes, "pool", refuse)
    local = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster:
        assert cli.main(orders(tmp_path / "cluster", "--scheduler", cluster.scheduler_address)) == 0
    assert len(list((tmp_path / "cluster" / "work").glob("ocr-raw-0-*.json"))) == KEPT
    tables = [tmp_path / name / "table.json" for name in ("processes", "cluster")]
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
    """A cluster of one thread of this process, with so many bytes."""
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
    place = cluster.Place("1", True, True, True, 0)
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


class Bar:
    """A progress bar that keeps what it was to say."""

    n = 0

    def __init__(self, said, heard):
        self._said, self._heard = said, heard

    def set_postfix_str(self, text):
        self._said.append(text)
        self._heard.set()


def test_steps_that_are_kept_move_the_progress(tmp_path, monkeypatch):
    """A fold is many steps: what they leave in the work folder is counted beside the bar."""
    said, heard = [], threading.Event()

    monkeypatch.setattr(reproduce, "SECONDS_BETWEEN", 0.01)
    (tmp_path / "before.json").write_text("{}")
    with reproduce._watching(Progress(Bar(said, heard)), tmp_path):
        (tmp_path / "raw-0.json").write_text("{}")
        assert heard.wait(10)
    assert set(said) == {"1 of its steps kept"}


def test_where_nothing_moves_the_progress_says_what_is_waited_for(tmp_path, monkeypatch):
    said, heard = [], threading.Event()
    monkeypatch.setattr(reproduce, "SECONDS_BETWEEN", 0.01)
    monkeypatch.setattr(reproduce, "SECONDS_STILL", 0.1)
    progress, running = Progress(Bar(said, heard)), Future()
    running.set_running_or_notify_cancel()
    progress.watch({running: "raw 3", Future(): "raw 4"})
    with reproduce._watching(progress, tmp_path):
        assert heard.wait(10)
    assert set(said) == {"nothing finished for 0 min: waiting for raw 3"}


def test_an_interrupted_reproduction_goes_on_where_it_stopped(
    words, here, shorter, tmp_path, capsys, monkeypatch
):
    real = experiment.train

    def first_only(settings, fold, *arguments, **options):
        if fold == 1:
            raise KeyboardInterrupt
        return real(settings, fold, *arguments, **options)

    def others_only(settings, fold, *arguments, **options):
        assert fold == 1, "trained again"
        return real(settings, fold, *arguments, **options)

    both = [*orders(tmp_path), "--folds", "2"]
    monkeypatch.setattr(experiment, "train", first_only)
    assert cli.main(both) == 130
    assert capsys.readouterr().err.endswith("spcviz: interrupted; what was finished has been kept\n")
    assert not (tmp_path / "table.json").exists()
    assert len(list((tmp_path / "work").glob("ocr-*.json"))) == KEPT
    monkeypatch.setattr(experiment, "train", others_only)
    assert cli.main(both) == 0
    assert {row["folds"] for row in check_table(tmp_path / "table.json", words, n_orders=3)["rows"]} == {2}


@pytest.mark.parametrize("earlier", ["[1]", "3", "{", "{}", '{"name": "ocr-orders"}'])
def test_another_file_in_the_place_of_a_result_is_replaced(earlier, tmp_path, monkeypatch):
    """Hours of work must not end in a traceback."""
    from experiments.letters import reproduce as tables

    new = {"name": "ocr-orders", "rows": [], "data_digests": {}, "settings": {}}
    monkeypatch.setattr(tables, "measured_orders", lambda run: dict(new))
    (tmp_path / "table.json").write_text(earlier)
    assert cli.main(orders(tmp_path)) == 0
    command = "python -m spcviz reproduce ocr-orders --features raw --folds 1 --quick"
    result = json.loads((tmp_path / "table.json").read_text())
    assert result | new | {"seconds": result["seconds"]} == result
    assert result["command"] == command


def test_a_worker_that_dies(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(letter_tables, "orders", lambda run: run_all(run.executor, parts.dies, [("raw",)]))
    assert cli.main(orders(tmp_path)) == 1
    assert "spcviz: a worker process died (out of memory?)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--folds", "0"], "folds must be a whole number from 1 to 10, got 0"),
        (["--folds", "11"], "folds must be a whole number from 1 to 10, got 11"),
        (["--workers", "0"], "--workers must be a whole number from 1 to 1000, got 0"),
    ],
)
def test_numbers_out_of_range(more, message, tmp_path, capsys):
    assert cli.main([*orders(tmp_path), *more]) == 1
    assert f"spcviz: {message}" in capsys.readouterr().err


def test_a_result_that_cannot_be_written(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(letter_tables, "orders", lambda run: {"rows": []})
    assert cli.main([*orders(tmp_path), "--json", str(tmp_path / "file" / "table.json")]) == 1
    assert "spcviz: " in capsys.readouterr().err


def test_reproduce_sweep(here, tmp_path, capsys):
    path = tmp_path / "sweep.json"
    assert cli.main(["reproduce", "ocr-sweep", "--quick", "--features", "raw", "--json", str(path)]) == 0
    sweep = json.loads(path.read_text())
    assert sweep.keys() == RESULT
    assert len(sweep["rows"]) == 2 * 3 * 2
    keys = {"level", "method", "split", "alpha", "filter_loss", "filter_loss_definition", "efficiency_loss"}
    assert all(row.keys() >= keys for row in sweep["rows"])
    assert "12 rows, made in" in capsys.readouterr().out


def test_bench(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        engine, "_operations", lambda rng: [("Viterbi 8 x 26", {"spcviz": int, "numpy": int})]
    )
    monkeypatch.setattr(engine, "bench_loopy", lambda **_: [])
    path = tmp_path / "bench.json"
    assert cli.main(["bench", "engine", "--repeats", "1", "--json", str(path)]) == 0
    out, err = capsys.readouterr()
    result = json.loads(path.read_text())
    assert len(out.splitlines()) == 1 + 1 + bool(result["absent"])
    assert err.startswith("Viterbi 8 x 26\n")
    assert result["command"] == "python -m spcviz bench engine --repeats 1"
    assert [entry["command"] for entry in result["provenance"]] == [result["command"]]
    assert result["seconds"] >= 0
    assert cli.main(["bench", "engine", "--repeats", "0"]) == 1
    assert "repeats must be a whole number from 1" in capsys.readouterr().err


def test_warmup(capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(registry, "load_kernels", lambda models, names: asked.append((models, names)))
    monkeypatch.setattr(warmup, "start_children", list)
    monkeypatch.setattr(warmup, "note", lambda name: None)
    assert cli.main(["warmup"]) == 0
    assert asked == [(MODELS, [name]) for name in warmup.groups()]
    assert capsys.readouterr().out.splitlines()[-1].startswith("kernels ready in ")
    assert cli.main(["warmup", "--only", "tagging", "arms"]) == 0
    assert [names for _, names in asked[-2:]] == [["tagging"], ["arms"]]
    assert cli.main(["warmup", "--only", "crosswords"]) == 1
    assert f"only must be among {', '.join(warmup.groups())}, got 'crosswords'" in capsys.readouterr().err


def test_warmup_waits_for_its_children_and_says_who_failed(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(warmup, "note", lambda name: tmp_path / name)
    monkeypatch.setattr(registry, "load_kernels", lambda models, names: pytest.fail("the children do it"))
    (tmp_path / "arms").write_text("2.34")
    children = [
        SimpleNamespace(names=names, process=SimpleNamespace(wait=lambda code=code: code))
        for names, code in ((["letters", "words"], 0), (["exact", "pose"], 1))
    ]
    monkeypatch.setattr(warmup, "start_children", lambda: children)
    assert cli.main(["warmup", "--json", str(tmp_path / "took.json")]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "could not compile exact, pose"
    assert json.loads((tmp_path / "took.json").read_text()) == {"arms": 2.3}


def test_data(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SPCVIZ_DATA", str(tmp_path))
    assert cli.main(["data"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"SPCVIZ_DATA: {tmp_path}\nocr: 6877 handwritten words")
    assert "shipped, intact" in out


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["train"], ["train", "poetry"], ["reproduce", "x"], ["models", "burn"]]
)
def test_usage_errors(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage: python -m spcviz" in capsys.readouterr().err


def test_help_in_a_process_of_its_own():
    """It names every command, and comes without waiting for numba."""
    code = (
        "import sys, runpy; sys.argv = ['spcviz', '--help']\n"
        "try: runpy.run_module('spcviz', run_name='__main__')\n"
        "finally: assert 'numba' not in sys.modules"
    )
    asked = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("usage: python -m spcviz")
    for command in ("train", "reproduce", "bench", "warmup", "models", "data"):
        assert f"\n    {command}" in asked.stdout


CTRL_C = """
import faulthandler, signal, sys
from spcviz import cli
from spcviz.shared.work.jobs import run_all
from experiments.letters import reproduce
from tests.shared.work import parts

def orders(run):
    jobs = [(f"part {i}", run.work) for i in range(2)]
    return {"rows": run_all(run.executor, parts.kept_or_waits, jobs, run.tick)}

faulthandler.register(signal.SIGUSR1)
# A shell starts what runs in its background with the signal ignored, tests too, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
reproduce.orders = orders
sys.exit(cli.main(sys.argv[1:]))
"""


def cpu_seconds(process):
    """What a process, its living children and those that it has outlived have worked."""
    times = process.cpu_times()
    living = sum(map(cpu_seconds, process.children()))
    return times.user + times.system + times.children_user + times.children_system + living


def ended_seconds():
    """What all ended processes of this one have worked."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ended(process, seconds):
    """What a process wrote to stderr, read until it and its workers have ended; else where they stand."""
    try:
        return process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGUSR1)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail(f"still there after {seconds} s:\n{process.communicate()[1]}")


@pytest.mark.parametrize("to_all", [True, False], ids=["terminal", "kill"])
def test_a_real_ctrl_c(to_all, tmp_path):
    """The terminal sends it to every process, `kill -INT` to one: all end at once, what is finished is kept.

    How long that takes hangs on what else the machine does: so the part that is waited for takes an hour, and
    what is measured is the work that is still done.
    """
    earlier = ended_seconds()
    process = subprocess.Popen(
        [sys.executable, "-c", CTRL_C, *orders(tmp_path), "--folds", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        give_up = time.monotonic() + 180
        while not (tmp_path / "work" / "part 1 has begun").exists():
            assert time.monotonic() < give_up
            time.sleep(0.1)
        worked = cpu_seconds(psutil.Process(process.pid))
        (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
        err = ended(process, 180)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert process.returncode == 130, err
    assert ended_seconds() - earlier - worked < 3
    assert "spcviz: interrupted; what was finished has been kept" in err
    assert len(list((tmp_path / "work").glob("part 0-*.json"))) == 1


def test_a_quick_look_never_replaces_a_full_result(tmp_path, monkeypatch):
    monkeypatch.setattr(grids, "make", lambda run: {"rows": []})
    monkeypatch.setattr(reproduce, "RESULTS", tmp_path / "cache")
    assert cli.main(["reproduce", "grid", "--quick", "--work", str(tmp_path / "work")]) == 0
    assert not (tmp_path / "cache").exists()
    assert json.loads((tmp_path / "work" / "grid.json").read_text())["command"].endswith("--quick")


@pytest.mark.parametrize(("folds", "is_whole"), [(None, True), (99, False), (100, True)])
def test_fewer_folds_than_all_never_replace_the_committed_result(folds, is_whole, tmp_path, monkeypatch):
    monkeypatch.setattr(grids, "make", lambda run: {"rows": []})
    monkeypatch.setattr(reproduce, "RESULTS", tmp_path / "cache")
    more = [] if folds is None else ["--folds", str(folds)]
    assert cli.main(["reproduce", "grid", "--work", str(tmp_path / "work"), *more]) == 0
    assert (tmp_path / "cache" / "grid.json").exists() == is_whole
    assert (tmp_path / "work" / "grid.json").exists() != is_whole


@pytest.fixture
def tiny_grids(tmp_path, monkeypatch):
    """Grids of 3 x 3, and a folder for results that has one of all of them."""
    monkeypatch.setattr(grids, "FULL", grids.GridSettings(4, 3, 3, 4, 5.0, n_samples=50, n_sweeps=20))
    monkeypatch.setattr(reproduce, "RESULTS", tmp_path / "cache")
    assert cli.main(["reproduce", "grid", "--workers", "1"]) == 0
    return tmp_path / "cache" / "grid.json"


def test_one_fold_is_checked_against_the_committed_result(tiny_grids, capsys):
    before = tiny_grids.read_bytes()
    one = ["reproduce", "grid", "--workers", "1", "--folds", "1", "--check"]
    assert cli.main(one) == 0
    assert "30 values of 1 folds compared, 0 differ" in capsys.readouterr().out  # 6 methods: name, 4 errors
    assert tiny_grids.read_bytes() == before
    result = json.loads(before)
    result["fold_rows"][0]["rows"][0]["error"][1] += 1e-6
    tiny_grids.write_text(json.dumps(result))
    assert cli.main(one) == 1
    said = capsys.readouterr()
    assert "fold 0, row 1, error [1]: " in said.err
    assert "1 differ" in said.out
    tiny_grids.unlink()
    assert cli.main(one) == 1
    assert "grid.json is missing or damaged" in capsys.readouterr().err


def test_a_result_says_what_it_was_made_from(tiny_grids):
    result = json.loads(tiny_grids.read_text())
    (entry,) = result["provenance"]
    assert entry["command"] == result["command"] == "python -m spcviz reproduce grid"
    assert set(entry["libraries"]) == {"numba", "numpy", "scikit-image", "scikit-learn", "scipy"}
    assert len(entry["code"]) == 64
    assert entry["parts"] == {"all": 5, "seconds_unknown": 0}  # four instances and putting them together
    assert 0 < entry["cpu_seconds"] == result["seconds"]
    assert list(result["data_digests"]) == ["first instance"]


def test_what_is_found_finished_keeps_its_seconds(words, here, shorter, tmp_path, monkeypatch):
    assert cli.main(orders(tmp_path)) == 0
    made = json.loads((tmp_path / "table.json").read_text())
    monkeypatch.setattr(experiment, "train", refuse)
    assert cli.main(orders(tmp_path)) == 0
    again = json.loads((tmp_path / "table.json").read_text())
    assert again["provenance"][0]["parts"] == made["provenance"][0]["parts"]
    noted = [json.loads(path.read_text()) for path in (tmp_path / "work").glob("*.seconds")]
    assert again["seconds"] + 1e-3 >= max(sum(seconds.values()) for seconds in noted) > 0
