"""Read the two tagged corpora below SPCVIZ_DATA, and split typed text into words.

- "ewt": Universal Dependencies English Web Treebank, Penn tags (XPOS), official split; models trained on it
  may be shipped with attribution, and 300 of its sentences are (`spcviz.problems.parsing.data.gallery`)
- "wsj": NLTK's sample of the Penn Treebank, 199 files of the Wall Street Journal in order: 80 % to train on,
  10 % to develop on, 10 % to test on; used for measurement only
"""

import re
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.io.columns import read_columns
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import state_of_data

EWT_ORIGIN = (
    "Universal Dependencies English Web Treebank (UD_English-EWT), CC BY-SA 4.0, "
    "https://github.com/UniversalDependencies/UD_English-EWT"
)
WSJ_ORIGIN = (
    "Penn Treebank sample of NLTK (dependency_treebank), non-commercial use, "
    "https://github.com/nltk/nltk_data"
)
FOLDERS = {"ewt": "text_ud_ewt", "wsj": "text_ptb_sample"}
SPLITS = ("train", "dev", "test")
COLUMNS = {
    "ewt": {"word": 1, "upos": 3, "tag": 4, "feats": 5, "head": 6},
    "wsj": {"word": 0, "tag": 1, "head": 2},
}
"""Columns of a line in the corpora's files."""
MAX_CHARACTERS = 2000
"""Most characters of a typed text."""


class TaggedCorpus(NamedTuple):
    """Tagged sentences of one split."""

    words: tuple[str, ...]  # all sentences one after the other
    tags: np.ndarray  # (R,) int64: indices into `tag_set`; -1 for a tag that the training part does not have
    lengths: np.ndarray  # (W,) int64
    tag_set: tuple[str, ...]  # sorted tags of the training part


def load_corpus(data: Literal["ewt", "wsj"], folder: str | Path) -> dict[str, TaggedCorpus]:
    """The three splits of a corpus below `folder` (SPCVIZ_DATA); `ArgumentError` if there is none."""
    parts = read_splits(data, folder)
    tag_set = tuple(sorted({tag for sentence in parts["train"] for _, tag in sentence}))
    number = {tag: k for k, tag in enumerate(tag_set)}
    return {split: _corpus(sentences, number, tag_set) for split, sentences in parts.items()}


def _place(data, folder):
    """The corpus's own folder."""
    if data not in FOLDERS:
        raise ArgumentError(f"data must be one of {', '.join(FOLDERS)}, got {data!r}")
    if folder is None or not (Path(folder) / FOLDERS[data]).is_dir():
        below = f"below SPCVIZ_DATA, got {str(folder)!r}"
        got = f"and {state_of_data(FOLDERS[data])}" if folder is None else below
        raise ArgumentError(
            f"data {data!r} needs the folder {FOLDERS[data]}, {got}; "
            f"bring it with: python -m spcviz data get {FOLDERS[data]}"
        )
    return Path(folder) / FOLDERS[data]


def _corpus(sentences, number, tag_set):
    return TaggedCorpus(
        tuple(word for sentence in sentences for word, _ in sentence),
        np.array([number.get(tag, -1) for sentence in sentences for _, tag in sentence], dtype=np.int64),
        np.array([len(sentence) for sentence in sentences], dtype=np.int64),
        tag_set,
    )


def read_splits(
    data: Literal["ewt", "wsj"], folder: str | Path, *more
) -> dict[str, list[list[tuple[str, ...]]]]:
    """Sentences of (word, tag, *more) of the three splits; "head" counts words from 1, "0" is the root."""
    if data == "ewt":
        return {split: read_ewt(folder, split, "tag", *more) for split in SPLITS}
    place = _place(data, folder)
    columns = [COLUMNS[data][name] for name in ("word", "tag", *more)]
    with zipfile.ZipFile(place / "dependency_treebank.zip") as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".dp"))
        parts = [read_columns(archive.read(name).decode("utf-8"), *columns) for name in names]
    first, second = int(0.8 * len(parts)), int(0.9 * len(parts))
    cut = {"train": parts[:first], "dev": parts[first:second], "test": parts[second:]}
    return {split: [s for sentences in part for s in sentences] for split, part in cut.items()}


def read_ewt(folder: str | Path, split: str, *more: str) -> list[list[tuple[str, ...]]]:
    """Sentences of one split of "ewt": words, with the further columns named."""
    text = (_place("ewt", folder) / f"en_ewt-ud-{split}.conllu").read_text(encoding="utf-8")
    return read_columns(text, *(COLUMNS["ewt"][name] for name in ("word", *more)))


def thin_corpus(corpus, every):
    """One in `every` sentences of a corpus, from the first; tags keep their numbers.

    >>> three = TaggedCorpus(("a", "b", "c", "d"), np.array([0, 1, 0, 1]), np.array([1, 2, 1]), ("X", "Y"))
    >>> thin_corpus(three, 2).words
    ('a', 'd')
    """
    rows = np.repeat(np.arange(len(corpus.lengths)) % every == 0, corpus.lengths)
    words = tuple(corpus.words[row] for row in np.flatnonzero(rows))
    return corpus._replace(words=words, tags=corpus.tags[rows], lengths=corpus.lengths[::every])


def seen_tags(corpus) -> tuple[dict[str, set[int]], set[int]]:
    """Each word's tags in a corpus, and for unseen words those of words that occur once (thesis 4.5.1)."""
    seen = {}
    for word, tag in zip(corpus.words, corpus.tags.tolist()):
        seen.setdefault(word, set()).add(tag)
    counts = Counter(corpus.words)
    return seen, {tag for word, tags in seen.items() if counts[word] == 1 for tag in tags}


def allowed_tags(corpus, seen, unseen):
    """Mask of tags that the heuristic "Tags" leaves, shape (R, K) bool; see `seen_tags`."""
    mask = np.zeros((len(corpus.words), len(corpus.tag_set)), dtype=bool)
    for row, word in enumerate(corpus.words):
        mask[row, list(seen.get(word, unseen))] = True
    return mask


_TOKEN = re.compile(
    r"""
      (?:https?://|www\.)\S*[\w/]               # addresses stay whole
    | [\w.+-]+@[\w-]+\.[\w.]*\w
    | (?i:can)(?=not\b)                         # can|not
    | \w+?(?=n['’]t\b)                         # could|n't
    | (?i:n['’]t|['’](?:s|m|d|re|ve|ll))\b      # endings stand by themselves
    | (?:[A-Za-z]\.){2,}                        # U.S.
    | (?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Inc|Co|Corp|vs|Jan|Feb|Aug|Sept|Oct|Nov|Dec)\.
    | \d+(?:[.,:/]\d+)*                         # 3.14, 1,000, 10:30
    | \w+
    | \.\.\.+ | --+
    | [^\w\s]                                   # every other sign by itself
    """,
    re.VERBOSE,
)


_WITHOUT_LOOKS = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef]"
)
"""Characters invisible on their own: they join others or select how the one before is drawn."""


def foreign_letters(text: str) -> bool:
    """Whether most letters of a text belong to another script than that of English.

    >>> foreign_letters("Я вижу кота"), foreign_letters("The café"), foreign_letters("123 !")
    (True, False, False)
    """
    letters = [sign for sign in text if sign.isalpha()]
    return 2 * sum("LATIN" not in unicodedata.name(sign, "") for sign in letters) > len(letters)


def words_of(text: str) -> list[str]:
    """Typed text as words, by the rule of the Penn Treebank as the English Web Treebank applies it.

    Contractions are split, punctuation and hyphens stand alone, numbers, addresses and abbreviations stay
    whole; double quotation marks become `` and ''. `ArgumentError` for more than 2000 characters.

    >>> words_of("I don't know, said Mr. Smith-Jones.")
    ['I', 'do', "n't", 'know', ',', 'said', 'Mr.', 'Smith', '-', 'Jones', '.']
    """
    if not isinstance(text, str):
        raise ArgumentError(f"text must be a string, got {text!r:.60}")
    if len(text) > MAX_CHARACTERS:
        raise ArgumentError(f"text must have at most {MAX_CHARACTERS} characters, got {len(text)}")
    out, is_open = [], False
    for token in _TOKEN.findall(_WITHOUT_LOOKS.sub("", text)):
        if token in ('"', "“", "”"):
            is_open = token == "“" or (token == '"' and not is_open)
            token = "``" if is_open else "''"
        out.append(token)
    return out


def drawable_words(text: str, verb: str, most: int) -> list[str]:
    """Typed text as 1 to `most` words; an `ArgumentError` is one readable sentence."""
    if isinstance(text, str) and len(text) > MAX_CHARACTERS:
        limit = f"At most {MAX_CHARACTERS} characters can be split into words"
        raise ArgumentError(f"{limit}; this text has {len(text)}.")
    words = words_of(text)
    if not words:
        raise ArgumentError(f"There is no word to {verb}: type a sentence.")
    if len(words) > most:
        raise ArgumentError(f"At most {most} words can be drawn; this text has {len(words)}.")
    return words


DATA_SETS = (
    DataSet(
        "text_ud_ewt",
        "12544 / 2001 / 2077 English sentences with Penn tags (XPOS), official split",
        EWT_ORIGIN,
        FOLDERS["ewt"],
        licence="CC BY-SA 4.0",
        sources="spcviz.problems.tagging.data.prepare:EWT_SOURCES",
        prepare="spcviz.problems.tagging.data.prepare:ewt",
        weights="share-alike",
    ),
    DataSet(
        "text_ptb_sample",
        "3914 sentences of the Wall Street Journal, 199 files in order; measured only",
        WSJ_ORIGIN,
        FOLDERS["wsj"],
        licence="(C) Linguistic Data Consortium 1995; a sample for non-commercial use only",
        sources="spcviz.problems.tagging.data.prepare:WSJ_SOURCES",
        prepare="spcviz.problems.tagging.data.prepare:wsj",
    ),
)
