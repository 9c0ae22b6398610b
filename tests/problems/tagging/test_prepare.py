"""Both corpora from their originals: miniatures made here, and the real files where they exist."""

import zipfile

import pytest

from spcviz.problems.tagging.data import corpora as tagging
from spcviz.problems.tagging.data import prepare
from spcviz.registry import catalogue
from spcviz.shared.bring.original import OriginalError

TREE = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n2\t.\t.\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n"


@pytest.fixture
def release(tmp_path):
    """A clone of UD_English-EWT, as small as it gets."""
    folder = tmp_path / "UD_English-EWT"
    folder.mkdir()
    for n, split in enumerate(tagging.SPLITS, start=1):
        (folder / f"en_ewt-ud-{split}.conllu").write_text(f"# sent_id = 1\n{TREE}" * n)
    return folder


def sample(n):
    return {f"dependency_treebank/wsj_{k:04d}.dp": f"Go{k}\tVB\t0\n.\t.\t1\n" for k in range(1, n + 1)}


def bring(name, folder, tmp_path):
    return list(catalogue.prepare(name, folder, tmp_path / "data"))


def test_ewt_is_taken_as_it_is(release, tmp_path):
    lines = bring("text_ud_ewt", release.parent, tmp_path)
    assert lines[0] == f"en_ewt-ud-train.conllu: 1 sentences{prepare._OTHER}"
    parts = tagging.load_corpus("ewt", tmp_path / "data")
    assert [len(parts[split].lengths) for split in tagging.SPLITS] == [1, 2, 3]
    assert parts["dev"].words == ("Go", ".") * 2
    assert parts["dev"].tag_set == (".", "VB")


def test_ewt_with_a_part_missing_or_of_another_form(release, tmp_path):
    path = release / "en_ewt-ud-dev.conllu"
    path.write_text("no columns\n")
    with pytest.raises(OriginalError, match=r"dev\.conllu must hold tagged words in columns: .*, line 1:"):
        bring("text_ud_ewt", release, tmp_path)
    path.write_text("# a remark\n")
    with pytest.raises(
        OriginalError, match=r"dev\.conllu must hold tagged words in columns, got no sentence"
    ):
        bring("text_ud_ewt", release, tmp_path)
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(OriginalError, match=r"dev\.conllu must be text in UTF-8"):
        bring("text_ud_ewt", release, tmp_path)
    path.unlink()
    with pytest.raises(OriginalError, match=r"en_ewt-ud-dev\.conllu is missing"):
        bring("text_ud_ewt", release, tmp_path)
    assert not (tmp_path / "data" / "text_ud_ewt").exists()


@pytest.mark.parametrize("is_packed", [True, False])
def test_the_sample_packed_and_unpacked(tmp_path, is_packed):
    folder = tmp_path / "nltk_data" / "corpora"
    folder.mkdir(parents=True)
    if is_packed:
        with zipfile.ZipFile(folder / "dependency_treebank.zip", "w") as archive:
            for name, text in sample(10).items():
                archive.writestr(name, text)
        (folder / "treebank.zip").write_bytes(b"as it is")
    else:
        (folder / "dependency_treebank").mkdir()
        for name, text in sample(10).items():
            (folder / name).write_text(text)
    lines = bring("text_ptb_sample", folder.parent, tmp_path)
    assert lines[0] == f"dependency_treebank.zip: 10 files, 10 sentences{prepare._OTHER}"
    parts = tagging.load_corpus("wsj", tmp_path / "data")
    assert parts["train"].words[::2] == tuple(f"Go{k}" for k in range(1, 9))
    assert parts["dev"].words + parts["test"].words == ("Go9", ".", "Go10", ".")
    assert (tmp_path / "data" / "text_ptb_sample" / "treebank.zip").is_file() == is_packed


def test_the_sample_missing_empty_or_damaged(tmp_path):
    folder = tmp_path / "corpora"
    folder.mkdir()
    with pytest.raises(OriginalError, match=r"dependency_treebank/wsj_0001\.dp is missing"):
        bring("text_ptb_sample", folder, tmp_path)
    with zipfile.ZipFile(folder / "dependency_treebank.zip", "w") as archive:
        archive.writestr("dependency_treebank/README", "")
    with pytest.raises(OriginalError, match=r"must hold files wsj_NNNN\.dp, got none"):
        bring("text_ptb_sample", folder, tmp_path)
    (folder / "dependency_treebank.zip").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(OriginalError, match=r"dependency_treebank\.zip must be a zip file"):
        bring("text_ptb_sample", folder, tmp_path)


def test_unpacked_or_not_the_sample_is_the_same(shared_data, tmp_path):
    """The original zip file and its unpacked files give the same words and tags."""
    with zipfile.ZipFile(shared_data / "text_ptb_sample" / "dependency_treebank.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    lines = bring("text_ptb_sample", tmp_path / "unpacked", tmp_path)
    assert lines[0] == "dependency_treebank.zip: 199 files, 3914 sentences"
    prepared = tagging.load_corpus("wsj", tmp_path / "data")
    for split, corpus in tagging.load_corpus("wsj", shared_data).items():
        assert prepared[split].words == corpus.words
        assert (prepared[split].tags == corpus.tags).all()


@pytest.mark.parametrize("name", ["text_ud_ewt", "text_ptb_sample"])
def test_the_originals_stay_byte_for_byte(shared_data, tmp_path, name):
    lines = bring(name, shared_data / name, tmp_path)
    assert not any("not the release" in line for line in lines)
    prepared = list((tmp_path / "data" / name).iterdir())
    assert len(prepared) == {"text_ud_ewt": 4, "text_ptb_sample": 2}[name]
    for path in prepared:
        assert path.read_bytes() == (shared_data / name / path.name).read_bytes()


@pytest.mark.parametrize(
    ("name", "sources"),
    [("text_ud_ewt", prepare.EWT_SOURCES), ("text_ptb_sample", prepare.WSJ_SOURCES)],
)
def test_the_known_sums_are_those_of_the_files(shared_data, name, sources):
    import hashlib

    for source in sources:
        data = (shared_data / name / source.file).read_bytes()
        assert hashlib.sha256(data).hexdigest() == source.sha256
