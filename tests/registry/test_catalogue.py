"""The catalogue of data: it says what is missing and how to get it."""

import hashlib

import pytest

from spcviz import cli, registry
from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting as ocr
from spcviz.problems.pose.model import stored as pose_models
from spcviz.problems.tagging.model import cascade as tagging_cascade
from spcviz.registry import catalogue
from spcviz.registry.problem import DataSet
from spcviz.shared import folders

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
    first = next(catalogue.describe())
    if named:
        assert first.startswith(f"SPCVIZ_DATA is {str(tmp_path / named)!r}, which is no folder; only shipped")
    else:
        assert first.startswith("SPCVIZ_DATA is not set; only shipped data is used")


def test_what_is_wrong_with_the_folder_is_said_with_its_path(monkeypatch, tmp_path):
    """A loader that got no folder names the path that SPCVIZ_DATA holds."""
    for wrong, why in ((tmp_path / "typo", "is no folder"), (tmp_path, "holds no folder ")):
        monkeypatch.setenv("SPCVIZ_DATA", str(wrong))
        assert f"SPCVIZ_DATA is {str(wrong)!r}, which {why}" in folders.state_of_data("text_ud_ewt")
        with pytest.raises(
            ArgumentError, match=f"SPCVIZ_DATA is {str(wrong)!r}, which {why}.*data get pose_buf"
        ):
            pose_models.data_folder()
    monkeypatch.setenv("SPCVIZ_DATA", str(tmp_path / "typo"))
    tagging_cascade.corpus_of.cache_clear()
    with pytest.raises(ArgumentError, match=f"SPCVIZ_DATA is {str(tmp_path / 'typo')!r}, which is no folder"):
        tagging_cascade.corpus_of("ewt")


def test_describe_says_what_where_from_and_whether_it_is_here(monkeypatch, tmp_path):
    monkeypatch.setenv("SPCVIZ_DATA", str(tmp_path))
    known = registry.data_sets()
    monkeypatch.setattr(registry, "data_sets", lambda: [WORDS, *known])
    monkeypatch.setattr(catalogue, "OF_NO_PROBLEM", (ELSEWHERE,))
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


def test_a_set_that_can_be_brought_says_how(monkeypatch, tmp_path):
    monkeypatch.setenv("SPCVIZ_DATA", str(tmp_path))
    lines = list(catalogue.describe())
    for entry in catalogue.data_sets():
        if entry.folder and not entry.shipped:
            assert f"  not found; bring it with: python -m spcviz data get {entry.name}" in lines


def test_describe_notices_damage(monkeypatch):
    monkeypatch.setattr(registry, "data_sets", lambda: [WORDS._replace(sha256="0" * 64)])
    assert list(catalogue.describe())[3].endswith("missing or damaged: check out cache/data anew")


def test_every_entry_says_where_it_comes_from():
    for entry in registry.data_sets():
        assert entry.name.isidentifier()
        assert entry.what
        assert "http" in entry.origin
    assert all(catalogue.is_intact(entry) for entry in registry.data_sets() if not entry.folder)


@pytest.fixture
def trees(home, tmp_path, monkeypatch):
    """A data set whose home is on this machine; (source, data folder)."""
    source = home.source("trees.txt", b"oak, ash")
    entry = ELSEWHERE._replace(licence="free", sources="here:SOURCES", prepare="here:prepare")

    def prepare(folder, place):
        (place / "list.txt").write_text((folder / "trees.txt").read_text().replace(", ", "\n"))
        yield "2 trees"

    things = {"here:SOURCES": (source,), "here:prepare": prepare}
    monkeypatch.setattr(registry, "load", lambda name: things[name])
    monkeypatch.setattr(catalogue, "data_sets", lambda: [WORDS, entry])
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("SPCVIZ_DATA", str(data))
    return source, data


def test_get_and_prepare_from_the_command_line(trees, capsys):
    _, data = trees
    assert cli.main(["data", "get", "trees"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "trees: some trees"
    assert said[2] == "  licence: free"
    command = said[-1].removeprefix("next: python -m spcviz ")
    assert command == f"data prepare trees {data / 'originals' / 'trees'}"
    assert cli.main(command.split()) == 0
    assert capsys.readouterr().out == f"2 trees\n{data / 'trees'}: ready\n"
    assert (data / "trees" / "list.txt").read_text() == "oak\nash"
    assert cli.main(command.split()) == 1
    assert "is there already; move it away" in capsys.readouterr().err


def test_other_folders_than_that_of_the_environment(trees, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SPCVIZ_DATA")
    for arguments in (["get", "trees"], ["prepare", "trees", str(tmp_path)]):
        assert cli.main(["data", *arguments]) == 1
        assert (
            "SPCVIZ_DATA is not set; let it name a folder, or give one with --to" in capsys.readouterr().err
        )
    assert cli.main(["data", "get", "trees", "--to", str(tmp_path / "a")]) == 0
    assert cli.main(["data", "prepare", "trees", str(tmp_path / "a"), "--to", str(tmp_path / "b")]) == 0
    assert (tmp_path / "b" / "trees" / "list.txt").is_file()


def test_trust_is_given_on_the_command_line(trees, home, monkeypatch, capsys):
    source, _ = trees
    monkeypatch.setattr(registry, "load", lambda _name: (source._replace(sha256=""),))
    assert cli.main(["data", "get", "trees"]) == 1
    out, err = capsys.readouterr()
    assert f"  trees.txt: SHA-256 {source.sha256}; none is known here" in out
    assert "run the same command with --trust" in err
    assert cli.main(["data", "get", "trees", "--trust"]) == 0
    assert len(home.asked) == 1


@pytest.mark.parametrize("arguments", [["get", "x"], ["prepare", "x", "."], ["get", "ocr"]])
def test_an_unknown_name_gets_the_list_of_names(arguments, capsys):
    assert cli.main(["data", *arguments]) == 1
    names = (
        "open_words, text_ud_ewt, text_ptb_sample, stereo, pose_buffy, pose_parse, pose_lspet, "
        "ewt_sentences, scene_camvid"
    )
    assert f"NAME must be one of {names}, got '{arguments[1]}'" in capsys.readouterr().err


def test_a_folder_that_is_not_there(trees, capsys):
    assert cli.main(["data", "prepare", "trees", "nowhere"]) == 1
    assert "FOLDER must be a folder with the original of trees, got 'nowhere'" in capsys.readouterr().err
