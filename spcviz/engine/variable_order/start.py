r"""The first lattice of a word of variable orders: pairs of letters scored at tier 0, filtered once.

All pairs are scored densely, by messages over letters; the survivors go into the lattice of `word`. A pair
stays if its max-marginal exceeds one threshold for the whole word,

.. math:: \tau = \max - (1 - \alpha) \, \mathrm{gap}

gap is the average distance of the max-marginals of all letters at all positions below the best. The best path
to and from a survivor runs through survivors, so messages need not be passed again after the filter.

Legend: L letters, K states; P[e, j, k] the pair j, k inside a word (e = 0) or at its end (e = 1).
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, kernel
from spcviz.engine.thresholds import rule
from spcviz.engine.variable_order.weights import VariableOrderWeights, gram_of, ink_of, text_of
from spcviz.engine.variable_order.word import Word, Workspace, level

NO_FILTER = -np.inf
"""As an alpha: nothing is filtered. Below 0 the threshold lies under the mean."""


class PairTables(NamedTuple):
    """Scores of pairs of letters at tier 0; made by `pair_tables`.

    `score`, `transposed`, `gram` (2, K, K): P, its transpose [e, k, j], and g itself.
    """

    score: np.ndarray
    transposed: np.ndarray
    gram: np.ndarray


@kernel
def pair_tables(weights: VariableOrderWeights) -> PairTables:
    """`PairTables` of a model, made once for any number of words."""
    n, bits = weights.table.n_states, weights.table.bits
    score, transposed, gram = np.empty((2, n, n)), np.empty((2, n, n)), np.empty((2, n, n))
    for e in range(2):
        for j in range(n):
            for k in range(n):
                code = np.int64(((j + 1) << bits) + k + 1)
                gram[e, j, k] = gram_of(weights, code, 2, False, e == 1)
                score[e, j, k] = text_of(weights, gram[e, j, k], 0, 2)
                transposed[e, k, j] = score[e, j, k]
    return PairTables(score, transposed, gram)


@bare_kernel
def begin(
    word: Word,
    unary: np.ndarray,
    weights: VariableOrderWeights,
    pairs: PairTables,
    alpha: float,
    space: Workspace,
) -> float:
    """Fill a word's lattice with the pairs of letters that survive; unary (L, T, K). Returns the gap."""
    length, n_states = len(word.order), unary.shape[2]
    for i in range(length):
        word.order[i], word.tier[i], word.depth[i] = 2, 0, 1
    word.order[0], word.depth[0], word.depth[length] = 1, 0, 0
    word.n_nodes[0], word.node[0, 0], word.forward[0, 0], word.backward[0, 0] = 1, 0, 0.0, 0.0
    grams = space.kept_gram
    for k in range(n_states):
        grams[k] = gram_of(weights, np.int64(k + 1), 1, True, length == 1)
        word.score[0, k] = ink_of(weights, unary[0, 0, k], k, 0, 1) + text_of(weights, grams[k], 0, 1)
    for i in range(1, length):
        for k in range(n_states):
            word.score[i, k] = ink_of(weights, unary[i, 0, k], k, 0, 2)
    size = _dense_messages(word, pairs, n_states, space)
    gap = _gap(word, n_states)
    gap = gap if rule.has_spread(size, gap) else 0.0
    limit = -np.inf
    if alpha > NO_FILTER and rule.has_spread(0.0, gap):
        limit = rule.threshold(0.0, gap, rule.cap_alpha(alpha))
    for b in range(1, length + 1):
        _keep_letters(word, b, n_states, limit)
    for i in range(length):
        _keep_pairs(word, i, pairs, limit, space, weights.table.bits)
    for b in range(1, length + 1):
        if b == length:
            word.n_nodes[b], word.node[b, 0], word.forward[b, 0], word.backward[b, 0] = 1, 0, 0.0, 0.0
        level(word.forward[b], word.n_nodes[b])
        level(word.backward[b], word.n_nodes[b])
    return gap


@bare_inlined_kernel
def _dense_messages(word: Word, pairs: PairTables, n: int, space: Workspace) -> float:
    """Messages over all letters; at boundary b those of position b - 1. Returns the largest level subtracted.

    ``space.kept_score[i]``: the level subtracted from those to the left of position i.
    """
    length = len(word.order)
    for k in range(n):
        word.forward[1, k], word.backward[length, k] = word.score[0, k], 0.0
    size = abs(level(word.forward[1], n))
    for i in range(1, length):
        _add_best(word.forward[i], pairs.score[int(i == length - 1)], word.forward[i + 1], n)
        into, scores = word.forward[i + 1], word.score[i]
        for k in range(n):
            into[k] += scores[k]
        size = max(size, abs(level(into, n)))
    behind = word.found
    for i in range(length - 1, 0, -1):
        scores, far = word.score[i], word.backward[i + 1]
        for k in range(n):
            behind[k] = scores[k] + far[k]
        _add_best(behind, pairs.transposed[int(i == length - 1)], word.backward[i], n)
        space.kept_score[i] = level(word.backward[i], n)
    return size


@bare_inlined_kernel
def _add_best(message: np.ndarray, table: np.ndarray, out: np.ndarray, n: int) -> None:
    """out[k] = max over j of message[j] + table[j, k]."""
    for k in range(n):
        out[k] = -np.inf
    for j in range(n):
        before, row = message[j], table[j]
        for k in range(n):
            value = before + row[k]
            out[k] = value if value > out[k] else out[k]


@bare_inlined_kernel
def _gap(word: Word, n: int) -> float:
    """Average distance of the max-marginals of all letters below the best."""
    below, length = 0.0, len(word.order)
    for b in range(1, length + 1):
        best, total = -np.inf, 0.0
        for k in range(n):
            value = word.forward[b, k] + word.backward[b, k]
            best = value if value > best else best
            total += value
        below += n * best - total
    return below / (n * length)


@bare_inlined_kernel
def _keep_letters(word: Word, b: int, n: int, limit: float) -> None:
    """Letters of the position before boundary b that exceed the threshold, as its nodes."""
    ahead, behind, best, kept = word.forward[b], word.backward[b], -np.inf, 0
    for k in range(n):
        best = max(best, ahead[k] + behind[k])
    for k in range(n):
        value = ahead[k] + behind[k] - best
        if rule.survives(value, limit) or value == 0.0:
            word.node[b, kept], ahead[kept], behind[kept] = k + 1, ahead[k], behind[k]
            kept += 1
    word.n_nodes[b] = kept


@bare_inlined_kernel
def _keep_pairs(word: Word, i: int, pairs: PairTables, limit: float, space: Workspace, bits: int) -> None:
    """Arcs of position i: the pairs that exceed the threshold, in the order of the letters before."""
    length, n = len(word.order), 0
    scores, is_last = space.value, i == length - 1
    for h in range(word.n_nodes[i + 1]):
        scores[h] = word.score[i, word.node[i + 1, h] - 1]
    if i == 0:
        for h in range(word.n_nodes[1]):
            k = word.node[1, h]
            word.code[0, h], word.tail[0, h], word.head[0, h] = k, 0, 0 if is_last else h
            word.gram[0, h], word.score[0, h] = space.kept_gram[k - 1], scores[h]
        word.n_arcs[0] = word.n_nodes[1]
        return
    e, best = int(is_last), -np.inf
    for v in range(word.n_nodes[i]):
        best = max(best, word.forward[i, v] + word.backward[i, v])
    best += space.kept_score[i]
    for v in range(word.n_nodes[i]):
        j, message = word.node[i, v], word.forward[i, v] - best
        row = pairs.score[e, j - 1]
        for h in range(word.n_nodes[i + 1]):
            k = word.node[i + 1, h]
            score = scores[h] + row[k - 1]
            value = message + score + word.backward[i + 1, h]
            if rule.survives(value, limit) or value == 0.0:
                word.code[i, n], word.tail[i, n], word.head[i, n] = (j << bits) + k, v, 0 if is_last else h
                word.gram[i, n], word.score[i, n] = pairs.gram[e, j - 1, k - 1], score
                n += 1
    word.n_arcs[i] = n
