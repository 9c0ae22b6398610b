"""Fast path from named features without values to labels: features hashed in C, one kernel for the rest.

A sentence a call is how taggers serve, and then checking, splitting rows and calling kernel after kernel
takes three times as long as looking up features and finding labels. Whatever is not plain (a value, a mask,
an error) is left to the general way, which says what is wrong with it.
"""

from collections.abc import Sequence
from itertools import chain, islice, repeat

import numpy as np

from spcviz.engine.chains.peaked import tops_of_many
from spcviz.learning.chains.crf import Weights
from spcviz.learning.chains.tagging import label_indicators
from spcviz.sequences.tokens import UNKNOWN, Vocabulary, known_codes

_LISTS = ({list}, {tuple}, {list, tuple})


def numbers_of_labels(
    items: Sequence, vocabulary: Vocabulary, weights: Weights, forbidden: np.ndarray | None
) -> list[list[int]] | None:
    """The best labels of sequences of plain lists, tuples and dicts, as numbers; a list each.

    None where a feature has a value of its own, something is wrong or a sequence has no labelling.
    """
    if not set(map(type, items)) <= {list, tuple}:
        return None
    tokens = items[0] if len(items) == 1 else list(chain.from_iterable(items))
    kinds = set(map(type, tokens))
    if kinds == {dict}:
        codes = known_codes(tokens, vocabulary.pairs)
    elif kinds in _LISTS:
        codes = _codes_of_lists(tokens, vocabulary)
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


def _codes_of_lists(tokens: Sequence, vocabulary: Vocabulary) -> np.ndarray | None:
    """Numbers of the texts of all tokens; None if there is something else among them."""
    texts = list(chain.from_iterable(tokens))
    try:
        codes = np.fromiter(map(vocabulary.get, texts, repeat(UNKNOWN)), np.int32, len(texts))
    except TypeError:
        return None
    return codes if set(map(type, texts)) <= {str} else None
