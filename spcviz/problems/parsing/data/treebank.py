"""Read dependency treebanks: sentences of tagging's two corpora with the head of every word."""

import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache

from spcviz.engine.errors import ArgumentError
from spcviz.problems.tagging.data import corpora as tagging
from spcviz.shared.folders import data_folder

UNKNOWN_TAG = 62
"""Tag code of a tag that the tag set does not have; the root's is 0, a tag set's are 1 .. 61."""


class TreebankSentences(NamedTuple):
    """Sentences one after the other, each with the root before its first word."""

    words: tuple  # "" for a root
    # (R,), int64: indices into the tag set, -1 for a tag that it does not have, and for a root
    tags: np.ndarray
    # (R,), int64: place of each word's head in its sentence, 0 the root; -1 for a root, and where unknown
    heads: np.ndarray
    codes: np.ndarray  # (R, 3), uint64: see `features`
    starts: np.ndarray  # (W + 1,), int64: index of each sentence's root

    def some(self, chosen):
        """Some sentences, in the order chosen."""
        starts, rows = some_parts(self.starts, chosen)
        words = tuple(self.words[r] for r in rows)
        return TreebankSentences(words, self.tags[rows], self.heads[rows], self.codes[rows], starts)


def some_parts(starts, chosen):
    """Starts of some examples after concatenation, and the former indices of their parts."""
    chosen = np.asarray(chosen, dtype=np.int64)
    lengths = np.diff(starts)[chosen]
    new = np.concatenate([[0], np.cumsum(lengths)])
    return new, np.repeat(starts[:-1][chosen] - new[:-1], lengths) + np.arange(new[-1])


@lru_cache(2)
def load_sentences(
    data: str, folder: Path | None = None
) -> tuple[dict[str, TreebankSentences], tuple[str, ...]]:
    """The splits of a corpus and the tags of its training part; `ArgumentError` for bad files or heads."""
    splits = tagging.read_splits(data, folder or data_folder(), "head")
    tag_set = tuple(sorted({tag for sentence in splits["train"] for _, tag, _ in sentence}))
    return {split: _sentences(data, sentences, tag_set) for split, sentences in splits.items()}, tag_set


def _sentences(data, read, tag_set):
    words, tags = [[w for w, _, _ in s] for s in read], [[t for _, t, _ in s] for s in read]
    out = encode(words, tags, tag_set)
    heads = [int(h) for s in read for h in ("-1", *(h for _, _, h in s))]
    out = out._replace(heads=np.array(heads, dtype=np.int64))
    longest = np.repeat(np.diff(out.starts), np.diff(out.starts))
    if (bad := np.flatnonzero(out.heads >= longest)).size:
        raise ArgumentError(
            f"{data}: the head of {out.words[bad[0]]!r} is no word of its sentence, got {heads[bad[0]]}"
        )
    return out


def encode(words: list[list[str]], tags: list[list[str]], tag_set: tuple[str, ...]) -> TreebankSentences:
    """Sentences whose heads are unknown.

    >>> sentences = encode([["Birds", "sing"]], [["NNS", "VBP"]], ("NNS", "VBP"))
    >>> sentences.words, sentences.tags, sentences.starts
    (('', 'Birds', 'sing'), array([-1,  0,  1]), array([0, 3]))
    """
    number = {tag: k for k, tag in enumerate(tag_set)}
    forms = [word for sentence in words for word in ("", *sentence)]
    tag_of = np.array([number.get(t, -1) for sentence in tags for t in ("", *sentence)], dtype=np.int64)
    lengths = np.array([len(sentence) + 1 for sentence in words], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    codes = np.empty((len(forms), 3), dtype=np.uint64)
    codes[:, 0] = np.where(tag_of < 0, UNKNOWN_TAG, tag_of + 1)
    codes[starts[:-1], 0] = 0
    codes[:, 1] = [_code_of(form.lower()) for form in forms]
    codes[:, 2] = [_code_of("-" + form.lower()[-3:]) for form in forms]
    return TreebankSentences(tuple(forms), tag_of, np.full(len(forms), -1), codes, starts)


def _code_of(text):
    """A number for a text, the same on every machine."""
    return zlib.crc32(text.encode())
