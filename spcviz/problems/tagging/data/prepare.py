"""Prepare the two tagged corpora from their original distributions (``data prepare``)."""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from spcviz.engine.errors import ArgumentError
from spcviz.problems.tagging.data.corpora import SPLITS, read_columns
from spcviz.shared.bring import original
from spcviz.shared.bring.original import OriginalError, Source

_EWT = "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/15d613d8447b3478787d4c278730a1e48a945efb"
_NLTK = "https://raw.githubusercontent.com/nltk/nltk_data/5db857e6f7df11eabb5e5665836db9ec8df07e28/packages/corpora"
_EWT_SUMS = {
    "en_ewt-ud-train.conllu": "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    "en_ewt-ud-dev.conllu": "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
    "en_ewt-ud-test.conllu": "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
    "LICENSE.txt": "b3d1b0f4c6ae151f7eb78738f46ebd5ee140f8a7f76501ba26af123140d35ae7",
}
_NLTK_SUMS = {
    "dependency_treebank.zip": "0df483999f1391f32b141d6047d8ce19efd0a5a3e63ca019bfc4af8530f51fbd",
    "treebank.zip": "9da92d76c3666cfb6cddeaed0f7e86b344cce0f0928a286d439e555f19c37399",
}
EWT_SOURCES = tuple(Source(file, f"{_EWT}/{file}", sha256) for file, sha256 in _EWT_SUMS.items())
WSJ_SOURCES = tuple(Source(file, f"{_NLTK}/{file}", sha256) for file, sha256 in _NLTK_SUMS.items())
_ALL_SENTENCES = "02f1eaac78971b435566d6a0f04a0f6478a4eb8f73c18a8e7c44d925f6f1f81e"
"""SHA-256 of the sample's 199 files concatenated, however they are packed."""
_OTHER = "; not the release that the stored results were measured on"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""Date of everything in a zip file that is made here, so that the same sentences make the same bytes."""


def ewt(folder: Path, place: Path) -> Iterator[str]:
    """Prepare the English Web Treebank from a clone or release of UD_English-EWT (`DataSet.prepare`)."""
    names = [f"en_ewt-ud-{split}.conllu" for split in SPLITS]
    root = original.root_of(folder, names[0])
    for path in original.all_there(root, names):
        n_sentences = len(_sentences(path, path.read_bytes(), 1, 4))
        is_known = original.copy_file(path, place / path.name) == _EWT_SUMS[path.name]
        yield f"{path.name}: {n_sentences} sentences{'' if is_known else _OTHER}"
    if (root / "LICENSE.txt").is_file():
        original.copy_file(root / "LICENSE.txt", place / "LICENSE.txt")


def wsj(folder: Path, place: Path) -> Iterator[str]:
    """Prepare NLTK's Penn Treebank sample from dependency_treebank.zip or the folder in it."""
    name = "dependency_treebank.zip"
    root = original.root_of(folder, name, is_needed=False)
    if root is not None:
        original.copy_file(root / name, place / name)
    else:
        root = original.root_of(folder, "dependency_treebank/wsj_0001.dp")
        _pack(sorted((root / "dependency_treebank").glob("*.dp")), place / name)
    files = _unpack_zip(place / name)
    if not files:
        raise OriginalError(f"{root / name} must hold files wsj_NNNN.dp, got none")
    n_sentences = sum(len(_sentences(file, data, 0, 1)) for file, data in files.items())
    is_known = hashlib.sha256(b"".join(files.values())).hexdigest() == _ALL_SENTENCES
    yield f"{name}: {len(files)} files, {n_sentences} sentences{'' if is_known else _OTHER}"
    if (root / "treebank.zip").is_file():
        original.copy_file(root / "treebank.zip", place / "treebank.zip")


def _sentences(path, data, word, tag):
    try:
        sentences = read_columns(data.decode("utf-8"), word, tag)
    except UnicodeDecodeError as error:
        raise OriginalError(f"{path} must be text in UTF-8, got other bytes: {error}") from error
    except ArgumentError as error:
        raise OriginalError(f"{path} must hold tagged words in columns: {error}") from error
    if not sentences:
        raise OriginalError(f"{path} must hold tagged words in columns, got no sentence")
    return sentences


def _unpack_zip(path):
    """{name: bytes} of the sentences in the zip file, in order."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in sorted(archive.namelist()) if name.endswith(".dp")}
    except (zipfile.BadZipFile, EOFError) as error:
        raise OriginalError(f"{path.name} must be a zip file, got one that is damaged: {error}") from error


def _pack(paths, place):
    with zipfile.ZipFile(place, "w") as archive:
        for path in paths:
            entry = zipfile.ZipInfo(f"dependency_treebank/{path.name}", _FIRST_DAY)
            archive.writestr(entry, path.read_bytes())
