"""Fast path from named features without values to labels: one kernel reads tokens, another labels them.

Taggers in production get one sentence per call, and then checking, splitting rows and calling one kernel
after another takes longer than looking up features and finding labels. Whatever is not plain (a value, a
mask, an error) is left to the general path, which reports what is wrong with it.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from spcviz.engine.chains.peaked import tops_of_many
from spcviz.learning.chains.crf import Weights
from spcviz.learning.chains.tagging import label_indicators
from spcviz.sequences.token_reader import TOGETHER, TokenReader
from spcviz.sequences.tokens import Vocabulary


def numbers_of_labels(
    items: Sequence[Any], vocabulary: Vocabulary, weights: Weights, forbidden: np.ndarray | None
) -> list[list[int]] | None:
    """The best labels of sequences of plain lists, tuples and dicts, as numbers; one list each.

    None if a feature has a value, something is wrong or a sequence has no labelling.
    """
    out: list[list[int]] = []
    for first in range(0, len(items), TOGETHER):
        some = _numbers_of_some(items[first : first + TOGETHER], vocabulary.reader, weights, forbidden)
        if some is None:
            return None
        out += some
    return out


def _numbers_of_some(
    items: Sequence[Any], reader: TokenReader, weights: Weights, forbidden: np.ndarray | None
) -> list[list[int]] | None:
    read = reader.read(items, has_values=False)
    if read is None:
        return None
    lengths, tokens = read
    unary, pairwise = weights
    labels = np.empty(len(tokens.counts), dtype=np.int64)
    wrong = label_indicators(
        tokens.index,
        tokens.counts,
        lengths,
        unary,
        pairwise[None],
        tops_of_many(pairwise),
        np.zeros((0, *pairwise.shape), np.bool_) if forbidden is None else forbidden,
        labels,
    )
    if wrong >= 0:
        return None
    flat = labels.tolist()
    if len(items) == 1:
        return [flat]
    rest = iter(flat)
    return [list(islice(rest, length)) for length in lengths.tolist()]
