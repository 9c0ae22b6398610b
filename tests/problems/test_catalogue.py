"""What data there is, said so that a person can bring what is missing."""

import hashlib

import pytest

from spcviz.problems import catalogue, registry
from spcviz.problems.common import folders
from spcviz.problems.letters import data as ocr
from spcviz.problems.problem import DataSet

WORDS = ocr.DATA_SETS[0]
ELSEWHERE = DataSet("trees", "some trees", "https://example.org (free)", "trees")


def test_the_shipped_words_are_the_bytes_they_should_be():
    assert hashlib.sha256(ocr.SHIPPED.read_bytes()).hexdigest() == WORDS.sha256
    assert catalogue.is_intact(WORDS)


def test_one_changed_byte_or_no_file_is_noticed(tmp_path):
    copy, data = tmp_path / "words.npz", bytearray(ocr.SHIPPED.read_bytes())
    copy.write_bytes(data)
    assert catalogue.is_intact(WORDS._replace(shipped=copy))
    data[len(data) // 2] ^= 1
    copy.write_bytes(data)
    assert not catalogue.is_intact(WORDS._replace(shipped=copy))
    assert not catalogue.is_intact(WORDS._replace(shipped=tmp_path / "missing.npz"))
    assert not catalogue.is_intact(WORDS._replace(shipped=tmp_path))


def test_the_folder_is_what_the_environment_names(monkeypatch, tmp_path):
    monkeypatch.setenv("SPCVIZ_DATA", str(tmp_path))
    assert folders.data_folder() == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path.parent))
    monkeypatch.setenv("SPCVIZ_DATA", f"~/{tmp_path.name}")
    assert folders.data_folder() == tmp_path


@pytest.mark.parametrize("named", [None, "", "missing", "a file"])
def test_no_folder(monkeypatch, tmp_path, named):
    (tmp_path / "a file").write_text("")
    monkeypatch.delenv("SPCVIZ_DATA", raising=False)
    if named is not None:
        monkeypatch.setenv("SPCVIZ_DATA", named and str(tmp_path / named))
    assert folders.data_folder() is None
    assert next(catalogue.describe()).startswith("SPCVIZ_DATA: not set, or no such folder")


def test_describe_says_what_where_from_and_whether_it_is_here(monkeypatch, tmp_path):
    monkeypatch.setenv("SPCVIZ_DATA", str(tmp_path))
    known = registry.data_sets()
    monkeypatch.setattr(registry, "data_sets", lambda: [WORDS, *known, ELSEWHERE])
    lines = list(catalogue.describe())
    assert lines[0] == f"SPCVIZ_DATA: {tmp_path}"
    assert lines[1].startswith("ocr: 6877 handwritten words")
    assert "Taskar" in lines[2]
    assert "http://ai.stanford.edu/~btaskar/ocr/letter.data.gz" in lines[2]
    assert lines[3] == f"  {ocr.SHIPPED}: shipped, intact"
    assert lines[-3:] == [
        "trees: some trees",
        "  from https://example.org (free)",
        "  not found; put it in $SPCVIZ_DATA/trees",
    ]
    (tmp_path / "trees").mkdir()
    assert list(catalogue.describe())[-1] == "  found"
    monkeypatch.delenv("SPCVIZ_DATA")
    assert list(catalogue.describe())[-1] == "  not found; put it in $SPCVIZ_DATA/trees"


def test_describe_notices_damage(monkeypatch):
    monkeypatch.setattr(registry, "data_sets", lambda: [WORDS._replace(sha256="0" * 64)])
    assert list(catalogue.describe())[3].endswith("missing or damaged: check out cache/data anew")


def test_every_entry_says_where_it_comes_from():
    for entry in registry.data_sets():
        assert entry.name.isidentifier()
        assert entry.what
        assert "http" in entry.origin
    assert all(catalogue.is_intact(entry) for entry in registry.data_sets() if not entry.folder)
