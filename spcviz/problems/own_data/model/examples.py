"""Examples of Your data from shipped data: sentences with tags, chunks or names, and handwritten letters.

Chunks and names are not annotated: they follow from the treebank's tags and trees by the rules of `chunks`
and `names`, which the page states too.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from spcviz.problems.letters.handwriting import SHAPE, load_words
from spcviz.problems.own_data.model.files import Brought, Columns, read
from spcviz.problems.own_data.model.template import DEFAULT
from spcviz.shared.folders import CACHE, shipped_path

NOUNS = ("NOUN", "PROPN", "PRON")
INSIDE = ("det", "amod", "nummod", "compound", "flat", "nmod:poss")
"""Relations by which a word belongs to the chunk of its noun; subtypes (``det:predet``) count."""

N_WORDS = 400


class Token(NamedTuple):
    """A word of a treebank."""

    word: str
    tag: str
    head: int  # index of the word's head, from 0; -1 = none
    relation: str


def sentences_of(text: str) -> list[list[Token]]:
    """Sentences of a CoNLL-U text, without ranges and empty nodes."""
    sentences: list[list[Token]] = [[]]
    for line in text.splitlines():
        fields = line.split("\t")
        if fields[0].isdigit():
            sentences[-1].append(Token(fields[1], fields[3], int(fields[6]) - 1, fields[7]))
        elif not line.strip():
            sentences.append([])
    return [tokens for tokens in sentences if tokens]


def chunks(tokens: Sequence[Token]) -> list[str]:
    """Noun chunks in BIO: a noun with the unbroken run of words around it that depend on it, directly or not.

    The last arc of such a chain, into the noun, is one of `INSIDE`. Of two that overlap the longer counts.

    >>> chunks([Token("the", "DET", 2, "det"), Token("old", "ADJ", 2, "amod"),
    ...         Token("man", "NOUN", 3, "nsubj"), Token("sleeps", "VERB", -1, "root")])
    ['B-NP', 'I-NP', 'I-NP', 'O']
    """
    spans = (_span(tokens, at) for at, token in enumerate(tokens) if token.tag in NOUNS)
    labels = ["O"] * len(tokens)
    for a, b in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(label == "O" for label in labels[a:b]):
            labels[a:b] = ["B-NP"] + ["I-NP"] * (b - a - 1)
    return labels


def _span(tokens: Sequence[Token], noun: int) -> tuple[int, int]:
    first, last = noun, noun + 1
    while first and _belongs(tokens, first - 1, noun):
        first -= 1
    while last < len(tokens) and _belongs(tokens, last, noun):
        last += 1
    return first, last


def _belongs(tokens: Sequence[Token], at: int, noun: int) -> bool:
    for _ in tokens:  # no chain in a tree is longer
        if at < 0 or tokens[at].head == noun:
            break
        at = tokens[at].head
    return at >= 0 and (tokens[at].relation in INSIDE or tokens[at].relation.partition(":")[0] in INSIDE)


def names(tokens: Sequence[Token]) -> list[str]:
    """Runs of proper nouns (PROPN) in BIO, not annotated entities.

    >>> names([Token("New", "PROPN", 1, "compound"), Token("York", "PROPN", -1, "root"),
    ...        Token("sleeps", "VERB", 1, "acl")])
    ['B-NAME', 'I-NAME', 'O']
    """
    is_name = [token.tag == "PROPN" for token in tokens]
    before = [False, *is_name]
    return ["O" if not now else "I-NAME" if was else "B-NAME" for was, now in zip(before, is_name)]


def columns(text: str, label: Callable[[Sequence[Token]], list[str]]) -> bytes:
    """A treebank's sentences in three columns as in CoNLL-2000: word, tag, label of a chunk."""
    out = []
    for tokens in sentences_of(text):
        out += [f"{token.word} {token.tag} {bio}\n" for token, bio in zip(tokens, label(tokens))] + ["\n"]
    return "".join(out).encode()


def letters() -> bytes:
    """`N_WORDS` handwritten words, spread evenly over all, as CSV: one letter per line, its pixels and name.

    The pixels are 32 hexadecimal digits, two per row of 8, from the top: `pixels_of` reads them.
    """
    words = load_words()
    out = ["token,label\n"]
    for w in np.linspace(0, len(words.lengths) - 1, N_WORDS).round().astype(int).tolist():
        rows = words.pixels[words.starts[w] : words.starts[w + 1]]
        ink = np.packbits(rows.reshape(len(rows), -1), axis=1)
        out += [f"{bits.tobytes().hex()},{letter}\n" for bits, letter in zip(ink, words.text(w))] + ["\n"]
    return "".join(out).encode()


def pixels_of(tokens: Sequence[str]) -> np.ndarray:
    """Pixels (L, 16, 8) uint8 of letters written in hexadecimal digits.

    >>> pixels_of(["80" + 30 * "0"])[0, 0].tolist()
    [1, 0, 0, 0, 0, 0, 0, 0]
    """
    ink = np.frombuffer(bytes.fromhex("".join(tokens)), dtype=np.uint8)
    return np.unpackbits(ink).reshape(-1, *SHAPE)


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
    return columns(_treebank().decode(), label)


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
        "Noun chunks, BIO", "noun_chunks.txt", (0, 2), partial(_labelled_by, chunks), f"{EWT} {CHUNKS}"
    ),
    "names": Example("Names, BIO", "names.txt", (0, 2), partial(_labelled_by, names), f"{EWT} {NAMES}"),
    "letters": Example(
        "Handwritten letters", "letters.csv", (0, 1), letters, LETTERS, "bias signs[0]", is_ink=True
    ),
}  # fmt: skip


def data_of(name: str) -> bytes:
    """The bytes of an example's file."""
    return EXAMPLES[name].make()


def read_example(name: str) -> Brought:
    """An example, as if a visitor had brought it."""
    return read(EXAMPLES[name].name, data_of(name), EXAMPLES[name].columns)
