"""reproduce: its tables, their provenance, and which files they may replace."""

import inspect
import json
import shutil

import pytest

from experiments.grids import reproduce as grids
from experiments.letters import reproduce as letter_tables
from spcviz import cli, registry
from spcviz.commands import reproduce
from spcviz.problems.letters.model import cascade as experiment
from tests.commands.short import RESULT, check_table, orders, refuse, without_times


def test_reproduce_orders(words, here, shorter, finished, tmp_path, monkeypatch):
    assert finished.out.startswith(f"{finished.folder / 'table.json'}: 9 rows, made in ")
    assert "raw 0" in finished.err
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    table = check_table(tmp_path / "table.json", words, n_orders=3)
    assert {row["folds"] for row in table["rows"]} == {1}
    assert table["command"] == "python -m spcviz reproduce ocr-orders --features raw --folds 1 --quick"
    monkeypatch.setattr(experiment, "train", refuse)
    assert cli.main(orders(tmp_path)) == 0
    again = check_table(tmp_path / "table.json", words, n_orders=3)
    assert [without_times(row) for row in table["rows"]] == [without_times(row) for row in again["rows"]]


@pytest.mark.parametrize("earlier", ["[1]", "3", "{", "{}", '{"name": "ocr-orders"}'])
def test_another_file_in_the_place_of_a_result_is_replaced(earlier, tmp_path, monkeypatch):
    """Hours of work must not end in a traceback."""
    from experiments.letters import reproduce as letter_tables

    new = {"name": "ocr-orders", "rows": [], "data_digests": {}, "settings": {}}
    monkeypatch.setattr(letter_tables, "measured_orders", lambda run: dict(new))
    (tmp_path / "table.json").write_text(earlier)
    assert cli.main(orders(tmp_path)) == 0
    command = "python -m spcviz reproduce ocr-orders --features raw --folds 1 --quick"
    result = json.loads((tmp_path / "table.json").read_text())
    assert result | new | {"seconds": result["seconds"]} == result
    assert result["command"] == command


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


@pytest.mark.parametrize(
    ("name", "asked"),
    [("ocr-sweep", ["hog"]), ("ocr-open", ["raw"]), ("ocr-open-rules", ["fourier"])],
)
def test_a_result_that_is_made_whole_loses_no_rows_of_other_features(name, asked, tmp_path, capsys):
    path = tmp_path / "table.json"
    rows = [{"features": "raw"}, {"features": "fourier"}, {"method": "beam"}, None]
    path.write_text(json.dumps({"name": name, "rows": rows}))
    before = path.read_bytes()
    assert cli.main(["reproduce", name, "--features", *asked, "--json", str(path)]) == 1
    said = capsys.readouterr().err
    assert all(lost in said for lost in {"raw", "fourier"} - {*asked})
    assert path.read_bytes() == before


@pytest.mark.parametrize("rows", [3, None, "raw", [[]], [{"features": ["raw"]}], [{"features": None}]])
def test_a_file_without_rows_of_features_has_nothing_to_lose(rows):
    assert reproduce._features_in({"rows": rows}) == set()


def test_rows_that_cannot_be_put_beside_a_run_are_not_lost(tmp_path, capsys, monkeypatch):
    """Rows of other data or folds, where a result is made in parts; those in the work folder may be lost."""
    new = {"name": "ocr-orders", "rows": [{"features": "raw"}], "data_digests": {}, "settings": {}}
    monkeypatch.setattr(letter_tables, "measured_orders", lambda run: dict(new))
    path = tmp_path / "table.json"
    path.write_text(
        json.dumps({"name": "ocr-orders", "rows": [{"features": "hog"}], "data_digests": {"a": 1}})
    )
    before = path.read_bytes()
    assert cli.main(orders(tmp_path)) == 1
    assert "rows of hog" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert cli.main([*orders(tmp_path), "--work", str(tmp_path)]) == 0
    assert json.loads(path.read_bytes())["rows"] == new["rows"]


def test_what_keeps_earlier_rows_is_given_them():
    """Otherwise `--features` would write only its own rows."""
    keeping = {
        name
        for name, one in registry.results().items()
        if "run.earlier" in inspect.getsource(registry.load(one.make))
    }
    assert "ocr-rules" in keeping
    assert keeping <= {name for name, one in registry.results().items() if one.in_parts}


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
    """Grids of 3 x 3, and a results folder that holds the result of all of them."""
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


def test_what_is_found_finished_keeps_its_seconds(words, here, shorter, finished, tmp_path, monkeypatch):
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    made = json.loads((tmp_path / "table.json").read_text())
    monkeypatch.setattr(experiment, "train", refuse)
    assert cli.main(orders(tmp_path)) == 0
    again = json.loads((tmp_path / "table.json").read_text())
    assert again["provenance"][0]["parts"] == made["provenance"][0]["parts"]
    noted = [json.loads(path.read_text()) for path in (tmp_path / "work").glob("*.seconds")]
    assert again["seconds"] + 1e-3 >= max(sum(seconds.values()) for seconds in noted) > 0
