"""Sentences that the Tagging page offers, and the right tags where they are known."""

import re
from typing import NamedTuple

from cachetools.func import lru_cache

from spcviz.problems.tagging.data.corpora import COLUMNS, read_columns, words_of
from spcviz.shared.folders import CACHE, NoCacheError, shipped_path

TREEBANK = CACHE / "data" / "ewt" / "sentences.conllu"
FIRST = "Anyone know of any HHa training in Delaware ?"
"""Sentence that the page opens with: the shortest shipped development sentence that the cascade tags
correctly, in which neighbours change a tag, and of which max-marginals (SPC) leave fewer tags than the CRF.
Only sentences that are split as the treebank splits them count. A test repeats the choice.
"""
GARDEN_PATH = "The old man the boats."


class Known(NamedTuple):
    """The right tags of a sentence."""

    tags: tuple[str, ...]
    why: str = ""  # what a wrong reading has missed


GARDEN_PATHS = {
    GARDEN_PATH: Known(("DT", "JJ", "VBP", "DT", "NNS", "."), "“man” is the verb here."),
    "The horse raced past the barn fell.": Known(
        ("DT", "NN", "VBN", "IN", "DT", "NN", "VBD", "."),
        "“fell” is the verb here, and “raced” says which horse: the one that was raced.",
    ),
}
"""Tagged by hand, as in the treebank: no corpus has them."""

GALLERY = {
    "Neighbours help": FIRST,
    "Garden path": GARDEN_PATH,
    "Another one": "The horse raced past the barn fell.",
    "Can can can": "Can you can a can as a canner can can a can?",
    "Saw": "I saw the saw that she saw yesterday.",
    "Flies": "Time flies like an arrow, but fruit flies like a banana.",
    "Duck": "We watched her duck and felt her soft coat.",
    "Buffalo": "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.",
    "Nonsense": "The slithy toves did gyre and gimble in the wabe.",
    "Headline": "Police help dog bite victim after prune juice spill halts traffic.",
}
"""Name of a sentence in a menu -> its text."""


@lru_cache(1)
def treebank() -> dict[str, tuple[tuple[str, str], ...]]:
    """The shipped sentences of the treebank: text -> (word, tag) pairs; empty in a package without them."""
    try:
        text = shipped_path(TREEBANK).read_text(encoding="utf-8")
    except NoCacheError:
        return {}
    texts = re.findall(r"^# text = (.*)$", text, re.MULTILINE)
    read = read_columns(text, COLUMNS["ewt"]["word"], COLUMNS["ewt"]["tag"])
    return dict(zip(texts, map(tuple, read), strict=True))


@lru_cache(1)
def _known_sentences():
    split = (tuple(zip(*pairs, strict=True)) for pairs in treebank().values())
    by_hand = {tuple(words_of(text)): known for text, known in GARDEN_PATHS.items()}
    return {words: Known(tags) for words, tags in split} | by_hand


def find_tags(words: tuple[str, ...]) -> Known | None:
    """The right tags of a sentence, if they are known.

    >>> find_tags(("The", "old", "man", "the", "boats", ".")).tags
    ('DT', 'JJ', 'VBP', 'DT', 'NNS', '.')
    """
    return _known_sentences().get(words)
