"""Outputs of commands are checked first: an error at once, and no folder that nobody requested."""

from pathlib import Path

import pytest

from experiments import report
from spcviz import cli, registry
from spcviz.commands import reproduce
from spcviz.shared import outputs

PROC = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="no /proc here")


@pytest.fixture(autouse=True)
def nothing_is_begun(monkeypatch):
    """Any work that begins before outputs are checked is a fault."""

    def begun(*_):
        raise AssertionError("the work was begun")

    monkeypatch.setattr(registry, "load", begun)
    monkeypatch.setattr(report, "write", begun)
    monkeypatch.setattr(reproduce, "_executor", begun)


@pytest.mark.parametrize(
    "command",
    [
        ("reproduce", "ocr-orders", "--quick", "--json", "{}/none/deep/x.json"),
        ("reproduce", "ocr-orders", "--quick", "--work", "{}/none/deep"),
        ("train", "ocr", "--models", "{}/none/deep"),
        ("bench", "engine", "--json", "{}/none/deep/x.json"),
        ("warmup", "--json", "{}/none/deep/x.json"),
        ("data", "get", "text_ud_ewt", "--to", "{}/none/deep"),
        ("data", "prepare", "text_ud_ewt", "{}", "--to", "{}/none/deep"),
    ],
)
def test_no_command_makes_a_path_without_a_word(command, tmp_path, capsys):
    assert cli.main([word.format(tmp_path) for word in command]) == 1
    said = capsys.readouterr().err
    assert "none/deep" in said
    assert "make the folder" in said
    assert list(tmp_path.iterdir()) == []


@PROC
@pytest.mark.parametrize(
    "command",
    [
        ("reproduce", "ocr-orders", "--quick", "--json", "/proc/x.json"),
        ("reproduce", "ocr-orders", "--quick", "--work", "/proc/x"),
        ("train", "ocr", "--models", "/proc/x"),
        ("bench", "engine", "--json", "/proc/x.json"),
        ("data", "get", "text_ud_ewt", "--to", "/proc/x"),
        ("data", "prepare", "text_ud_ewt", "/", "--to", "/proc/x"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(command, capsys):
    assert cli.main(list(command)) == 1
    assert "/proc/x" in capsys.readouterr().err


@PROC
def test_the_report_tries_its_folders_first(monkeypatch, capsys):
    monkeypatch.setattr(report, "README", Path("/proc/README.md"))
    assert cli.main(["report"]) == 1
    assert "report must be where one can write, got '/proc/README.md'" in capsys.readouterr().err


def test_a_folder_or_a_file_in_the_wrong_place(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(outputs.OutputError, match="--json must be a file, got the folder"):
        outputs.file("--json", tmp_path)
    with pytest.raises(outputs.OutputError, match="--json must lie in a folder that is there, got"):
        outputs.file("--json", tmp_path / "file" / "x.json")
    with pytest.raises(outputs.OutputError, match="--models must be a folder to write to, got"):
        outputs.folder("--models", tmp_path / "file")
    with pytest.raises(outputs.OutputError, match="--models must be a folder, or lie in one that is there"):
        outputs.folder("--models", tmp_path / "a" / "b")
    assert outputs.folder("--work", tmp_path / "a" / "b", is_own=True).is_dir()
    assert outputs.file("--json", tmp_path / "a" / "x.json")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "file"], "trials leave nothing"
