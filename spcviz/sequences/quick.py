"""Fast path from named features without values to labels: features hashed in C, one kernel for the rest.

A sentence a call is how taggers serve, and then checking, splitting rows and calling kernel after kernel
takes three times as long as looking up features and finding labels. Whatever is not plain (a value, a mask,
an error) is left to the general way, which says what is wrong with it.
"""

from collections.abc import Sequence
from itertools import chain, islice

import numpy as np

from spcviz.engine.chains.peaked import tops_of_many
from spcviz.learning.chains.crf import Weights
from spcviz.learning.chains.tagging import label_indicators
from spcviz.sequences.tokens import Vocabulary

_LISTS = ({list}, {tuple}, {list, tuple})

TOGETHER = 32
"""Sequences at a time: their features are gone through several times, and stay in the processor's cache."""


def numbers_of_labels(
    items: Sequence, vocabulary: Vocabulary, weights: Weights, forbidden: np.ndarray | None
) -> list[list[int]] | None:
    """The best labels of sequences of plain lists, tuples and dicts, as numbers; a list each.

    None where a feature has a value of its own, something is wrong or a sequence has no labelling.
    """
    if len(items) > TOGETHER:
        out: list[list[int]] = []
        for first in range(0, len(items), TOGETHER):
            some = numbers_of_labels(items[first : first + TOGETHER], vocabulary, weights, forbidden)
            if some is None:
                return None
            out += some
        return out
    if not set(map(type, items)) <= {list, tuple}:
        return None
    tokens = items[0] if len(items) == 1 else list(chain.from_iterable(items))
    kinds = set(map(type, tokens))
    if kinds == {dict}:
        codes = vocabulary.hashed.of_dicts(tokens)
    elif kinds in _LISTS:
        codes = vocabulary.hashed.of_texts(list(chain.from_iterable(tokens)))
    else:
        return None
    if codes is None:
        return None
    counts = np.fromiter(map(len, tokens), np.int64, len(tokens))
    lengths = list(map(len, items))
    labels = np.empty(len(tokens), dtype=np.int64)
    unary, pairwise = weights
    wrong = label_indicators(
        codes,
        counts,
        np.array(lengths),
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
    return [list(islice(rest, length)) for length in lengths]
