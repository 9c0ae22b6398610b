"""The lattice of one word of variable orders: its arrays, message passing, max-marginals, its best word.

See `spcviz.engine.variable_order.actions` for what it holds.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, kernel
from spcviz.engine.ngrams.table import slot_of
from spcviz.engine.variable_order.weights import VariableOrderWeights, score_of

MAX_ARCS = 2000
"""Most arcs at one position: an action that would need more is refused. Rows of 2^11 would map to the same
cache lines."""


class Word(NamedTuple):
    """The state of one word; made by `new_word`, changed in place.

    - `order`, `tier` (L,), int64
    - `depth` (L + 1,), int64: letters of each boundary's nodes
    - `n_arcs`, `n_nodes` (L,) and (L + 1,), int64: how many of the following are in use
    - `code`, `tail`, `head` (L, MAX_ARCS), int64: arcs: letters as in `ngrams`, nodes before and behind
    - `gram`, `score` (L, MAX_ARCS): g of the arc's factor, and its whole score
    - `node` (L + 1, MAX_ARCS), int64: letters of nodes
    - `forward`, `backward` (L + 1, MAX_ARCS): best score of a path to and from a node, minus that of the
      boundary's best node
    - `found` (MAX_ARCS,): workspace for messages
    """

    order: np.ndarray
    tier: np.ndarray
    depth: np.ndarray
    n_arcs: np.ndarray
    n_nodes: np.ndarray
    code: np.ndarray
    tail: np.ndarray
    head: np.ndarray
    gram: np.ndarray
    score: np.ndarray
    node: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    found: np.ndarray


class Workspace(NamedTuple):
    """Scratch memory that actions need besides a word; made by `new_workspace`.

    - `kept_code`, `kept_head`, `kept_gram`, `kept_score` (MAX_ARCS,): arcs of a position whose arcs are
      rebuilt
    - `key`, `place`, `stamp` (a power of two,): an open-addressing table of codes, whose entries count if
      their stamp is `now`
    - `now` (1,)
    - `value` (MAX_ARCS,): max-marginals of a factor
    - `group`, `parent`, `alive`, `first` of int64: the assignment of each arc; the old node of each new one;
      whether nodes survive, and their new places; first arcs
    - `ways` (2, MAX_ARCS)
    """

    kept_code: np.ndarray
    kept_head: np.ndarray
    kept_gram: np.ndarray
    kept_score: np.ndarray
    key: np.ndarray
    place: np.ndarray
    stamp: np.ndarray
    now: np.ndarray
    value: np.ndarray
    group: np.ndarray
    parent: np.ndarray
    alive: np.ndarray
    first: np.ndarray
    ways: np.ndarray


@kernel
def new_word(length: int, max_arcs: int) -> Word:
    """Memory for a word of `length` letters; `start.begin` fills it."""
    whole, ends = (length, max_arcs), (length + 1, max_arcs)
    return Word(
        np.ones(length, np.int64), np.zeros(length, np.int64), np.zeros(length + 1, np.int64),
        np.zeros(length, np.int64), np.ones(length + 1, np.int64), np.empty(whole, np.int64),
        np.empty(whole, np.int64), np.empty(whole, np.int64), np.empty(whole), np.empty(whole),
        np.empty(ends, np.int64), np.empty(ends), np.empty(ends), np.empty(max_arcs),
    )  # fmt: skip


@kernel
def new_workspace(max_arcs: int) -> Workspace:
    """Workspace for actions on words with at most `max_arcs` arcs per position."""
    size = 1
    while size < 2 * max_arcs:
        size *= 2
    return Workspace(
        np.empty(max_arcs, np.int64), np.empty(max_arcs, np.int64), np.empty(max_arcs), np.empty(max_arcs),
        np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(size, np.int64), np.zeros(1, np.int64),
        np.empty(max_arcs), np.empty(max_arcs, np.int64), np.empty(max_arcs, np.int64),
        np.empty(max_arcs, np.int64), np.empty(max_arcs + 1, np.int64), np.empty((2, max_arcs)),
    )  # fmt: skip


@kernel
def part_of(word: Word, length: int) -> Word:
    """The first positions of a word's memory, as a separate word."""
    more = length + 1
    return Word(
        word.order[:length], word.tier[:length], word.depth[:more], word.n_arcs[:length],
        word.n_nodes[:more], word.code, word.tail, word.head, word.gram, word.score, word.node, word.forward,
        word.backward, word.found,
    )  # fmt: skip


@bare_inlined_kernel
def values_of(word: Word, i: int, bits: int, space: Workspace) -> int:
    """Max-marginals of the factor at i, minus the best one, into ``space.value[:n]``; returns n.

    ``space.group[a]`` says which of them arc a of position i belongs to.
    """
    mask = (np.int64(1) << (bits * word.order[i])) - 1
    is_whole = word.depth[i] + 1 == word.order[i]
    count, best = 0, -np.inf
    space.now[0] += 1
    for a in range(word.n_arcs[i]):
        value = word.forward[i, word.tail[i, a]] + word.score[i, a] + word.backward[i + 1, word.head[i, a]]
        place = count if is_whole else enter(space, word.code[i, a] & mask, count)
        if place == count:
            space.value[place] = value
            count += 1
        elif value > space.value[place]:
            space.value[place] = value
        space.group[a] = place
        best = max(best, value)
    for f in range(count):
        space.value[f] -= best
    return count


@bare_kernel
def decode_word(word: Word, bits: int, labels: np.ndarray) -> float:
    """The best word that survives, into labels (L,); returns its score. Ties go to the first arc."""
    length, mask, total, node = len(word.order), (np.int64(1) << bits) - 1, 0.0, 0
    for i in range(length - 1, -1, -1):
        best, arc = -np.inf, 0
        for a in range(word.n_arcs[i]):
            if word.head[i, a] == node:
                value = word.forward[i, word.tail[i, a]] + word.score[i, a]
                if value > best:
                    best, arc = value, a
        labels[i] = (word.code[i, arc] & mask) - 1
        total += word.score[i, arc]
        node = word.tail[i, arc]
    return total


@kernel
def decode_as(word: Word, unary: np.ndarray, weights: VariableOrderWeights, labels: np.ndarray) -> float:
    """The best word that survives, under weights other than the lattice's; else as `decode_word`."""
    length, mask = len(word.order), (np.int64(1) << weights.table.bits) - 1
    forward = np.full((length + 1, word.n_nodes.max()), -np.inf)
    best = np.zeros(forward.shape, np.int64)
    forward[0, 0] = 0.0
    for i in range(length):
        for a in range(word.n_arcs[i]):
            k = (word.code[i, a] & mask) - 1
            seen, gram = unary[i, word.tier[i], k], word.gram[i, a]
            value = score_of(weights, seen, gram, k, word.tier[i], word.order[i])
            value += forward[i, word.tail[i, a]]
            if value > forward[i + 1, word.head[i, a]]:
                forward[i + 1, word.head[i, a]], best[i + 1, word.head[i, a]] = value, a
    node = 0
    for i in range(length - 1, -1, -1):
        arc = best[i + 1, node]
        labels[i] = (word.code[i, arc] & mask) - 1
        node = word.tail[i, arc]
    return forward[length, 0]


@bare_kernel
def pass_fully(word: Word) -> int:
    """Pass all messages, from both ends: the result that `outward` must match. Returns arcs passed over."""
    length, n_passed = len(word.order), 0
    word.forward[0, 0], word.backward[length, 0] = 0.0, 0.0
    for b in range(1, length + 1):
        pass_forward(word, b)
    for b in range(length - 1, -1, -1):
        pass_backward(word, b)
        n_passed += 2 * word.n_arcs[b]
    return n_passed


@bare_inlined_kernel
def outward(word: Word, i: int, left: int, right: int) -> tuple[int, int, int]:
    """Pass messages from position i outward until they no longer change beyond `left` and `right`.

    Returns how many arcs they went over, and the first and the last position that they may have changed.
    """
    n_passed, length, first, last = 0, len(word.order), 0, len(word.order) - 1
    for b in range(i + 1, length + 1):
        n_passed += word.n_arcs[b - 1]
        if not pass_forward(word, b) and b >= right:
            last = b - 1
            break
    for b in range(i, -1, -1):
        n_passed += word.n_arcs[b]
        if not pass_backward(word, b) and b <= left:
            first = b
            break
    return n_passed, first, last


@bare_inlined_kernel
def pass_forward(word: Word, b: int) -> bool:
    """Messages into boundary b from its left; whether any has changed."""
    n, p = word.n_nodes[b], b - 1
    return gather(
        word.head[p],
        word.tail[p],
        word.score[p],
        word.n_arcs[p],
        word.forward[p],
        word.forward[b],
        n,
        word.found,
    )


@bare_inlined_kernel
def pass_backward(word: Word, b: int) -> bool:
    """Messages into boundary b from its right; whether any has changed."""
    n, p = word.n_nodes[b], b + 1
    return gather(
        word.tail[b],
        word.head[b],
        word.score[b],
        word.n_arcs[b],
        word.backward[p],
        word.backward[b],
        n,
        word.found,
    )


@bare_inlined_kernel
def gather(
    to: np.ndarray,
    origin: np.ndarray,
    score: np.ndarray,
    n_arcs: int,
    before: np.ndarray,
    message: np.ndarray,
    n: int,
    tops: np.ndarray,
) -> bool:
    """The best path to each of n nodes, minus the best of all; whether any message changed. tops: scratch."""
    for v in range(n):
        tops[v] = -np.inf
    for a in range(n_arcs):
        value, v = before[origin[a]] + score[a], to[a]
        if value > tops[v]:
            tops[v] = value
    best = -np.inf
    for v in range(n):
        best = tops[v] if tops[v] > best else best
    is_changed = False
    for v in range(n):
        value = tops[v] - best
        is_changed = is_changed or value != message[v]
        message[v] = value
    return is_changed


@bare_inlined_kernel
def level(values: np.ndarray, n: int) -> float:
    """Subtract the best of the values from all; returns it."""
    best = -np.inf
    for k in range(n):
        best = values[k] if values[k] > best else best
    for k in range(n):
        values[k] -= best
    return best


@bare_inlined_kernel
def move_arc(word: Word, i: int, a: int, to: int) -> None:
    word.code[i, to], word.tail[i, to], word.head[i, to] = word.code[i, a], word.tail[i, a], word.head[i, a]
    word.gram[i, to], word.score[i, to] = word.gram[i, a], word.score[i, a]


@bare_inlined_kernel
def enter(space: Workspace, key: int, count: int) -> int:
    """Place of a code in the table; `count` if it is new, and it has that place from now on."""
    size, now = len(space.key), space.now[0]
    slot = slot_of(key, size)
    while space.stamp[slot] == now:
        if space.key[slot] == key:
            return space.place[slot]
        slot = (slot + 1) & (size - 1)
    space.stamp[slot], space.key[slot], space.place[slot] = now, key, count
    return count
