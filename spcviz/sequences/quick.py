r"""Fast path from named features without values to labels: one kernel reads tokens, another labels them.

Taggers in production get one sentence per call, and then checking, splitting rows and calling one kernel
after another takes longer than looking up features and finding labels. Whatever is not plain (a value, a
mask, an error) is left to the general path, which reports what is wrong with it.

The labels of a sequence are

.. math:: \hat y = \arg\max_y \sum_i \Bigl( \sum_{f \in x_i} W_{f y_i} + t(y_{i-1}, y_i) \Bigr)

`learning.chains.rows.emissions` and `engine.chains.chain.decode_batch` find them in two calls for a batch,
with its scores in between; here one sequence's scores are in memory at a time, and a single sentence takes
one call from Python. Legend: R tokens, W sequences, F features, K states.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.best import decode_into
from spcviz.engine.chains.inputs import FORTH, align_rows, table_rows
from spcviz.engine.chains.peaked import Tops, tops_of_many
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.chains.crf import Weights
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


@kernel
def label_indicators(
    index: np.ndarray,
    counts: np.ndarray,
    lengths: np.ndarray,
    weights: np.ndarray,
    pairwise: np.ndarray,
    tops: Tops,
    forbidden: np.ndarray,
    labels: np.ndarray,
) -> int:
    """Fill labels (R,); -1, or the index of the first sequence whose scores are bad or leave no labelling.

    index : (n,) int32: features of all tokens, one token after another; negative ones are skipped
    counts : (R,): number of features of each token; lengths (W,): number of tokens of each sequence
    weights : (F, K); pairwise (1, K, K)
    tops : `tops_of` the transitions, or None; forbidden steps may lower the true ones
    forbidden : (3, K, K) bool as in `learning.chains.crf.loss_and_gradient`, or (0, K, K)
    """
    n = weights.shape[1]
    if checks.first_bad(pairwise.reshape(-1)) >= 0:
        return 0
    steps = table_rows(pairwise, -np.inf, FORTH)
    if len(forbidden):
        for j in range(n):
            for k in range(n):
                if forbidden[1, j, k]:
                    steps[0, j, k] = -np.inf
    longest = np.int64(1)
    for w in range(len(lengths)):
        longest = lengths[w] if lengths[w] > longest else longest
    scores = align_rows((longest, n), weights)
    left = align_rows((longest + 1, n), weights)
    r, i = 0, 0
    for w in range(len(lengths)):
        length = lengths[w]
        if length == 0:
            continue
        for t in range(length):
            row = scores[t]
            row[:] = 0.0
            for _ in range(counts[r + t]):
                if index[i] >= 0:
                    feature_row = weights[index[i]]
                    for k in range(n):
                        row[k] += feature_row[k]
                i += 1
        if len(forbidden):
            for k in range(n):
                if forbidden[0, k, k]:
                    scores[0, k] = -np.inf
                if forbidden[2, k, k]:
                    scores[length - 1, k] = -np.inf
        # Finite weights may add up to an infinite score, so sums are checked.
        for t in range(length):
            if checks.first_bad(scores[t, :n]) >= 0:
                return w
        if decode_into(scores[:length, :n], steps, tops, left, labels[r : r + length]) == -np.inf:
            return w
        r += length
    return -1
