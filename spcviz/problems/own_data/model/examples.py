"""Your data's examples: treebank sentences with tags, chunks or names, and handwritten letters."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from spcviz.problems.own_data.model import example_texts as texts
from spcviz.problems.own_data.model.files import Brought, Columns, read
from spcviz.problems.own_data.model.template import DEFAULT
from spcviz.shared.folders import CACHE, shipped_path

FILE = "data/ewt/sentences.conllu"
EWT = (
    "The example: 300 development sentences of the Universal Dependencies English Web Treebank (Silveira "
    "et al. 2014), CC BY-SA 4.0."
)
CHUNKS = (
    "The chunks are derived, not annotated: a noun, proper noun or pronoun, with the unbroken run of words "
    "about it that hang on it in the dependency tree as determiner, adjective, number, compound, name or "
    "possessor; of two that overlap the longer."
)
NAMES = "The names are derived, not annotated entities: runs of proper nouns (tag PROPN)."
LETTERS = (
    "The example: letters of 400 handwritten words (Kassel 1995, as cleaned by Taskar, Guestrin and Koller "
    "2003). A token is a letter's 16 rows of 8 pixels in 32 hexadecimal digits; the template's `signs` sees "
    "each of them."
)


def _treebank() -> bytes:
    return shipped_path(CACHE / FILE).read_bytes()


def _labelled_by(label: Callable) -> bytes:
    return texts.columns(_treebank().decode(), label)


class Example(NamedTuple):
    """One entry of the menu."""

    label: str
    name: str  # of its file
    columns: Columns
    make: Callable[[], bytes]
    origin: str
    template: str = DEFAULT
    is_ink: bool = False  # whether its tokens are pictures of letters


EXAMPLES = {
    "ewt": Example("Sentences, 17 tags", "sentences.conllu", (1, 3), _treebank, EWT),
    "penn": Example("Sentences, Penn tags", "sentences.conllu", (1, 4), _treebank, EWT),
    "chunks": Example(
        "Noun chunks, BIO", "noun_chunks.txt", (0, 2), partial(_labelled_by, texts.chunks), f"{EWT} {CHUNKS}"
    ),
    "names": Example("Names, BIO", "names.txt", (0, 2), partial(_labelled_by, texts.names), f"{EWT} {NAMES}"),
    "letters": Example(
        "Handwritten letters", "letters.csv", (0, 1), texts.letters, LETTERS, "bias signs[0]", is_ink=True
    ),
}  # fmt: skip


def data_of(name: str) -> bytes:
    """The bytes of an example's file."""
    return EXAMPLES[name].make()


def read_example(name: str) -> Brought:
    """An example, as if a visitor had brought it."""
    return read(EXAMPLES[name].name, data_of(name), EXAMPLES[name].columns)
