"""Compose the words of the open vocabulary from the text they were counted in (``data prepare``)."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as data
from spcviz.problems.open_words.data.word_images import compose, count_words
from spcviz.problems.tagging.data.corpora import SPLITS
from spcviz.shared.bring import original


def prepare(folder: Path, place: Path) -> Iterator[str]:
    """Compose the words from a clone or release of UD_English-EWT (`DataSet.prepare`)."""
    names = [f"en_ewt-ud-{split}.conllu" for split in SPLITS]
    root = original.root_of(folder, names[0])
    list(original.all_there(root, names))
    composed = compose(count_words(root), letters.load_words())
    path = place / data.SHIPPED.name
    data.write(path, composed)
    is_same = hashlib.sha256(path.read_bytes()).hexdigest() == data.SHIPPED_SHA256
    n_words = sum(len(words) for words in composed.words.values())
    yield f"{path.name}: {n_words} words of {len(composed.types)} types{'' if is_same else OTHER}"


OTHER = "; other bytes than those that ship with the project"
