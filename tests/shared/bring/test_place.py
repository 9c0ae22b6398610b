"""A prepared data set is written whole or not at all."""

import os

import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.registry.problem import DataSet
from spcviz.shared.bring import original as bring
from spcviz.shared.bring.original import DiskFullError, OriginalError

TREES = DataSet("trees", "some trees", "https://example.org", "forest")


def half(error):
    def make(_folder, place):
        (place / "half.txt").write_text("a")
        yield "one line"
        raise error

    return make


def whole(folder, place):
    (place / "whole.txt").write_text((folder / "tree.txt").read_text())
    yield "1 tree"


@pytest.fixture
def original(tmp_path):
    folder = tmp_path / "original"
    folder.mkdir()
    (folder / "tree.txt").write_text("oak")
    return folder


def test_a_set_appears_whole(original, tmp_path):
    data = tmp_path / "new" / "data"
    assert list(bring.prepare(TREES, whole, original, data)) == ["1 tree", f"{data / 'forest'}: ready"]
    assert [path.name for path in data.iterdir()] == ["forest"]
    assert (data / "forest" / "whole.txt").read_text() == "oak"


def test_it_appears_at_the_end_only(original, tmp_path):
    lines = bring.prepare(TREES, whole, original, tmp_path / "data")
    next(lines)
    assert not (tmp_path / "data" / "forest").exists()
    next(lines)
    assert (tmp_path / "data" / "forest").is_dir()


@pytest.mark.parametrize(
    "error", [OriginalError("x is missing"), KeyboardInterrupt(), MemoryError(), OSError(28, "full")]
)
def test_nothing_half_made_stays(original, tmp_path, error):
    with pytest.raises((type(error), DiskFullError)):
        list(bring.prepare(TREES, half(error), original, tmp_path / "data"))
    assert list((tmp_path / "data").iterdir()) == []


def test_whoever_stops_listening_leaves_nothing(original, tmp_path):
    lines = bring.prepare(TREES, half(OSError()), original, tmp_path / "data")
    next(lines)
    lines.close()
    assert list((tmp_path / "data").iterdir()) == []


def test_what_a_killed_process_left_is_no_hindrance(original, tmp_path):
    left = tmp_path / "data" / f".forest.unfinished-{os.getpid()}"
    left.mkdir(parents=True)
    (left / "old.txt").write_text("old")
    list(bring.prepare(TREES, whole, original, tmp_path / "data"))
    assert [path.name for path in (tmp_path / "data" / "forest").iterdir()] == ["whole.txt"]


def test_a_full_disk(original, tmp_path):
    with pytest.raises(DiskFullError, match=f"no room left on the disk of {tmp_path / 'data'}; make some"):
        list(bring.prepare(TREES, half(OSError(28, "full")), original, tmp_path / "data"))


def test_other_trouble_with_the_disk_keeps_its_name(original, tmp_path):
    with pytest.raises(PermissionError):
        list(bring.prepare(TREES, half(PermissionError(13, "no")), original, tmp_path / "data"))


def test_a_set_that_is_there_is_not_written_over(original, tmp_path):
    (tmp_path / "data" / "forest").mkdir(parents=True)
    with pytest.raises(
        ArgumentError, match="forest is there already; move it away to have trees prepared anew"
    ):
        list(bring.prepare(TREES, whole, original, tmp_path / "data"))


def test_the_original_must_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(ArgumentError, match="FOLDER must be a folder with the original of trees, got '/"):
            list(bring.prepare(TREES, whole, wrong, tmp_path / "data"))
    assert not (tmp_path / "data").exists()
