r"""One word whose positions have orders of their own: a lattice that grows action by action and stays exact.

Position i has an order :math:`n_i`, its factor covers positions :math:`i - n_i + 1 .. i` and holds the
assignments that survive there. With a tier :math:`t_i` of features,

.. math:: \psi(x, y) = \sum_i a_{t_i n_i} u_i^{t_i}(y_i) + b_{t_i n_i} g(y_{i-n_i+1} .. y_i)
   + c_{t_i n_i} f(y_i)

with u what the image says, g the log probability of the last letter after the others (and of the word's end,
at the last position), f the log of how frequent a letter is among images. All of a, b, c depend on the state.

Between positions b - 1 and b lies *boundary* b, whose nodes are the last

.. math:: d_b = \max(0, \max_{i \ge b} (n_i - 1 - (i - b)))

letters: as many as a later factor reads, and no more. An arc at position i leads from a node of boundary i
to one of boundary i + 1 and spells :math:`d_i + 1 \ge n_i` letters. So every factor lies inside one
arc, and the lattice holds exactly those words of which every factor's assignment survives, whatever the
orders: max-marginals are exact after every action.

An action raises an order by one (the new factor holds all concatenations of what survives in the factors that
it covers) or a tier by one. The changed factor is filtered once by its own alpha: what lies below

.. math:: \tau = \max - (1 - \alpha) \, \mathrm{gap}

goes, where gap is what the max-marginals of all letters lay below the best on average when nothing was
filtered or bought (Algorithm 6 takes tau from the baseline model). Then messages are passed outward,
and no farther than they change.

Scores are multiples of 2^-20. Sums of them are exact in 64 bits, whatever their order, so messages relative
to the best of their boundary really come to rest: passing outward gives a full pass bit for bit.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks, rule
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.jit import inlined_kernel, kernel
from spcviz.engine.ngrams import NgramTable, find, slot_of

GRID = 2.0**20
"""Scores are multiples of one over it."""

MAX_ARCS = 2048
"""At one position: an action that would need more is refused."""

RAISE, BUY = 0, 1
"""Kinds of actions: one order more, one tier more."""

NO_FILTER = -np.inf
"""As an alpha: nothing is filtered. Below 0 the threshold lies under the mean."""


class Weights(NamedTuple):
    """The model: `ink`, `text`, `letter` have a row a tier and a column an order, shape (T, N).

    Attributes
    ----------
    ink, text, letter : ndarray, shape (T, N)
        a, b, c of the module's formula.
    single, first, frequency : ndarray, shape (K,)
        log p of a letter anywhere, and as the first of a word; f.
    table : NgramTable
        What longer contexts add to `single`; the end mark's too.
    """

    ink: np.ndarray
    text: np.ndarray
    letter: np.ndarray
    single: np.ndarray
    first: np.ndarray
    frequency: np.ndarray
    table: NgramTable


class Word(NamedTuple):
    """The state of one word; made by `new_word`, changed in place.

    Attributes
    ----------
    order, tier : ndarray, shape (L,), int64
    depth : ndarray, shape (L + 1,), int64
        Letters of each boundary's nodes.
    n_arcs, n_nodes : ndarray, shapes (L,) and (L + 1,), int64
        How many of the next are in use.
    code, tail, head : ndarray, shape (L, MAX_ARCS), int64
        Arcs: letters as in `ngrams`, nodes before and behind.
    gram, score : ndarray, shape (L, MAX_ARCS)
        g of the arc's factor, and its whole score.
    node : ndarray, shape (L + 1, MAX_ARCS), int64
        Letters of nodes.
    forward, backward : ndarray, shape (L + 1, MAX_ARCS)
        Best score of a way to and from a node, less that of the boundary's best node.
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


class Room(NamedTuple):
    """What actions need beside a word; made by `new_room`.

    Attributes
    ----------
    kept_code, kept_head, kept_gram, kept_score : ndarray, shape (MAX_ARCS,)
        Arcs of a position whose arcs are made anew.
    key, place, stamp : ndarray, shape (a power of two,)
        An open-addressing table of codes, whose entries count if their stamp is `now`.
    now : ndarray, shape (1,)
    value : ndarray, shape (MAX_ARCS,)
        Max-marginals of a factor.
    group, parent, alive, first : ndarray of int64
        Of arcs, their assignment; of new nodes, the old one; whether, and where, nodes go on; first arcs.
    ways : ndarray, shape (2, MAX_ARCS)
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


class Done(NamedTuple):
    """What an action did.

    Attributes
    ----------
    is_done : bool
        False where it might have needed more than `MAX_ARCS` arcs: nothing has changed then.
    n_made : int
        Arcs made or scored.
    n_passed : int
        Arcs that messages went over.
    n_in, n_kept : int
        Assignments of the changed factor before and behind its filter.
    first, last : int
        Positions whose max-marginals may have changed.
    """

    is_done: bool
    n_made: int
    n_passed: int
    n_in: int
    n_kept: int
    first: int
    last: int


@kernel
def new_word(length, max_arcs):
    """Room for a word of some letters; `start` fills it."""
    whole, ends = (length, max_arcs), (length + 1, max_arcs)
    return Word(
        np.ones(length, np.int64), np.zeros(length, np.int64), np.zeros(length + 1, np.int64),
        np.zeros(length, np.int64), np.ones(length + 1, np.int64), np.empty(whole, np.int64),
        np.empty(whole, np.int64), np.empty(whole, np.int64), np.empty(whole), np.empty(whole),
        np.empty(ends, np.int64), np.empty(ends), np.empty(ends),
    )  # fmt: skip


@kernel
def new_room(max_arcs):
    """Room for actions on words with so many arcs at most."""
    size = 1
    while size < 2 * max_arcs:
        size *= 2
    return Room(
        np.empty(max_arcs, np.int64), np.empty(max_arcs, np.int64), np.empty(max_arcs), np.empty(max_arcs),
        np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(size, np.int64), np.zeros(1, np.int64),
        np.empty(max_arcs), np.empty(max_arcs, np.int64), np.empty(max_arcs, np.int64),
        np.empty(max_arcs, np.int64), np.empty(max_arcs + 1, np.int64), np.empty((2, max_arcs)),
    )  # fmt: skip


@inlined_kernel
def on_grid(x):
    """The nearest multiple of 1 / GRID."""
    return np.floor(x * GRID + 0.5) / GRID


@inlined_kernel
def gram_of(weights, code, order, is_first, is_last):
    """g of an n-gram: log p of its last letter after the others, and of the end mark where a word ends."""
    table = weights.table
    k = (code & ((np.int64(1) << table.bits) - 1)) - 1
    value = weights.first[k] if is_first else weights.single[k]
    if order > 1:
        value += find(table.dense, table.keys, table.values, table.bits, table.n_dense, code, order)
    if is_last and table.has_end:
        ended = (code << table.bits) + table.n_states + 1
        value += find(table.dense, table.keys, table.values, table.bits, table.n_dense, ended, order + 1)
    return value


@inlined_kernel
def score_of(weights, seen, gram, k, tier, order):
    """Score of a position: what the image says of letter k at its tier, its n-gram, its frequency."""
    ink, text = weights.ink[tier, order - 1] * seen, weights.text[tier, order - 1] * gram
    return on_grid(ink + text + weights.letter[tier, order - 1] * weights.frequency[k])


@kernel
def start(word, unary, weights, tier):
    """All positions of order 1 at a tier, nothing filtered; unary (L, T, K)."""
    length, n_states = len(word.order), unary.shape[2]
    word.order[:], word.tier[:], word.depth[:] = 1, tier, 0
    word.n_arcs[:], word.n_nodes[:] = n_states, 1
    word.node[:, 0], word.forward[:, 0], word.backward[:, 0] = 0, 0.0, 0.0
    for i in range(length):
        for k in range(n_states):
            gram = gram_of(weights, np.int64(k + 1), 1, i == 0, i == length - 1)
            word.code[i, k], word.tail[i, k], word.head[i, k] = k + 1, 0, 0
            word.gram[i, k], word.score[i, k] = gram, score_of(weights, unary[i, tier, k], gram, k, tier, 1)


@kernel
def gap_of(word):
    """How far the max-marginals of a started word's letters lie below the best, on average."""
    below, count = 0.0, 0
    for i in range(len(word.order)):
        best = word.score[i, : word.n_arcs[i]].max()
        for a in range(word.n_arcs[i]):
            below += best - word.score[i, a]
            count += 1
    return below / count


@kernel
def filter_start(word, alpha, gap):
    """Filter a started word by one threshold over all positions, as a cascade's first level does.

    At every position the best stays. Returns how many letters are left.
    """
    n_kept = 0
    for i in range(len(word.order)):
        n = word.n_arcs[i]
        if alpha > NO_FILTER and rule.has_spread(0.0, gap):
            limit = rule.threshold(0.0, gap, rule.capped(alpha))
            best, n = word.score[i, : word.n_arcs[i]].max(), 0
            for a in range(word.n_arcs[i]):
                value = word.score[i, a] - best
                if rule.survives(value, limit) or value == 0.0:
                    _move_arc(word, i, a, n)
                    n += 1
        word.n_arcs[i] = n
        n_kept += n
    return n_kept


@kernel
def can_act(word, kind, i, n_orders, n_tiers):
    """Whether there is such an action."""
    if kind == RAISE:
        return word.order[i] < min(n_orders, i + 1)
    return word.tier[i] < n_tiers - 1


@kernel
def act(word, unary, weights, kind, i, alpha, gap, room):
    """Raise the order, or buy the next tier, of position i, and filter the changed factor: a `Done`."""
    bits, low, n_made = weights.table.bits, i + 1, 0
    if kind == RAISE:
        low = _lowest(word, i)
        if _ways(word, low, i, room) > word.code.shape[1]:
            return Done(False, 0, 0, 0, 0, i, i)
        for b in range(low, i + 1):
            _split(word, b, bits, room)
            n_made += _join(word, b, bits, room)
        word.order[i] += 1
        mask, is_last = (np.int64(1) << (bits * word.order[i])) - 1, i == len(word.order) - 1
        for a in range(word.n_arcs[i]):
            word.gram[i, a] = gram_of(weights, word.code[i, a] & mask, word.order[i], i == 0, is_last)
    else:
        word.tier[i] += 1
    mask, tier = (np.int64(1) << bits) - 1, word.tier[i]
    for a in range(word.n_arcs[i]):
        k = (word.code[i, a] & mask) - 1
        word.score[i, a] = score_of(weights, unary[i, tier, k], word.gram[i, a], k, tier, word.order[i])
    n_made += word.n_arcs[i]
    return _filter_and_pass(word, i, low, n_made, alpha, gap, bits, room)


@kernel
def filter_factor(word, i, alpha, gap, bits, room):
    """Filter the factor at i as `act` does; a `Done`."""
    return _filter_and_pass(word, i, i + 1, 0, alpha, gap, bits, room)


@kernel
def _filter_and_pass(word, i, low, n_made, alpha, gap, bits, room):
    """What every action ends with; `low`: the first boundary with new nodes, i + 1 if there is none."""
    n_in = values_of(word, i, bits, room)
    n_kept, left, right = n_in, i + 1, i
    if alpha > NO_FILTER and rule.has_spread(0.0, gap):
        n_kept = _filter(word, i, n_in, rule.threshold(0.0, gap, rule.capped(alpha)), room)
        if n_kept < n_in:
            left, right = _clean_left(word, i, room), _clean_right(word, i, room)
    n_passed, first, last = _outward(word, i, min(low, left) - 1, right + 1)
    return Done(True, n_made, n_passed, n_in, n_kept, first, last)


@kernel
def values_of(word, i, bits, room):
    """Max-marginals of the factor at i, less the best one, into ``room.value[:n]``; returns n.

    ``room.group[a]`` says which of them arc a of position i belongs to.
    """
    mask = (np.int64(1) << (bits * word.order[i])) - 1
    is_whole = word.depth[i] + 1 == word.order[i]
    count, best = 0, -np.inf
    room.now[0] += 1
    for a in range(word.n_arcs[i]):
        value = word.forward[i, word.tail[i, a]] + word.score[i, a] + word.backward[i + 1, word.head[i, a]]
        place = count if is_whole else _enter(room, word.code[i, a] & mask, count)
        if place == count:
            room.value[place] = value
            count += 1
        elif value > room.value[place]:
            room.value[place] = value
        room.group[a] = place
        best = max(best, value)
    for f in range(count):
        room.value[f] -= best
    return count


@kernel
def letter_values(word, i, bits, out):
    """Max-marginals of the letters at position i, less the best one, into out (K,); -inf: none survives."""
    out[:] = -np.inf
    mask, best = (np.int64(1) << bits) - 1, -np.inf
    for a in range(word.n_arcs[i]):
        value = word.forward[i, word.tail[i, a]] + word.score[i, a] + word.backward[i + 1, word.head[i, a]]
        k = (word.code[i, a] & mask) - 1
        out[k] = max(out[k], value)
        best = max(best, value)
    out -= best


@kernel
def decode_word(word, bits, labels):
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
def decode_as(word, unary, weights, labels):
    """The best word that survives by other weights than those of the lattice; else as `decode_word`."""
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


@kernel
def part_of(word, length):
    """The first positions of a word's room, as a word of its own."""
    more = length + 1
    return Word(
        word.order[:length], word.tier[:length], word.depth[:more], word.n_arcs[:length],
        word.n_nodes[:more], word.code, word.tail, word.head, word.gram, word.score, word.node, word.forward,
        word.backward,
    )  # fmt: skip


@kernel
def pass_fully(word):
    """All messages anew, from both ends: what passing outward must come to."""
    length = len(word.order)
    word.forward[0, 0], word.backward[length, 0] = 0.0, 0.0
    for b in range(1, length + 1):
        _forward(word, b)
    for b in range(length - 1, -1, -1):
        _backward(word, b)


@kernel
def _filter(word, i, n_in, limit, room):
    """Drop what the factor at i loses; returns how many of its assignments stay."""
    n_kept, n = 0, 0
    for f in range(n_in):
        if rule.survives(room.value[f], limit) or room.value[f] == 0.0:
            n_kept += 1
    for a in range(word.n_arcs[i]):
        value = room.value[room.group[a]]
        if rule.survives(value, limit) or value == 0.0:
            _move_arc(word, i, a, n)
            n += 1
    word.n_arcs[i] = n
    return n_kept


@inlined_kernel
def _move_arc(word, i, a, to):
    word.code[i, to], word.tail[i, to], word.head[i, to] = word.code[i, a], word.tail[i, a], word.head[i, a]
    word.gram[i, to], word.score[i, to] = word.gram[i, a], word.score[i, a]


@inlined_kernel
def _enter(room, key, count):
    """Place of a code in the table; `count` if it is new, and it has that place from now on."""
    size, now = len(room.key), room.now[0]
    slot = slot_of(key, size)
    while room.stamp[slot] == now:
        if room.key[slot] == key:
            return room.place[slot]
        slot = (slot + 1) & (size - 1)
    room.stamp[slot], room.key[slot], room.place[slot] = now, key, count
    return count


@kernel
def _lowest(word, i):
    """The first boundary whose nodes need a letter more once position i's order is raised; i + 1 if none."""
    b, wanted = i, word.order[i]
    while b > 0 and word.depth[b] < wanted:
        b, wanted = b - 1, wanted - 1
    return b + 1


@kernel
def _ways(word, low, i, room):
    """At most so many arcs will stand at one position once boundaries low .. i have longer nodes."""
    if low > i:
        return 0
    ways, then, most = room.ways[0], room.ways[1], 0
    ways[: word.n_nodes[low]] = 0
    for a in range(word.n_arcs[low - 1]):
        ways[word.head[low - 1, a]] += 1
    for b in range(low, i + 1):
        then[: word.n_nodes[b + 1]] = 0
        total = 0
        for a in range(word.n_arcs[b]):
            n = ways[word.tail[b, a]]
            then[word.head[b, a]] += n
            total += n
        most = max(most, total)
        ways, then = then, ways
    return most


@kernel
def _split(word, b, bits, room):
    """Nodes of boundary b with one letter more, from the arcs that lead to it; room.parent: the old ones."""
    word.depth[b] += 1
    mask, count = (np.int64(1) << (bits * word.depth[b])) - 1, 0
    room.now[0] += 1
    for a in range(word.n_arcs[b - 1]):
        own = word.code[b - 1, a] & mask
        v = _enter(room, own, count)
        if v == count:
            word.node[b, v] = own
            room.parent[v] = word.head[b - 1, a]
            count += 1
        word.head[b - 1, a] = v
    word.n_nodes[b] = count
    _forward(word, b)


@kernel
def _join(word, b, bits, room):
    """Arcs of position b behind its new nodes, each going on as its old node did; returns how many."""
    n_old, mask = word.n_arcs[b], (np.int64(1) << bits) - 1
    room.first[0], filled = 0, 0  # arcs lie in the order of their old nodes
    for a in range(n_old):
        while filled < word.tail[b, a]:
            filled += 1
            room.first[filled] = a
        room.kept_code[a], room.kept_head[a] = word.code[b, a] & mask, word.head[b, a]
        room.kept_gram[a], room.kept_score[a] = word.gram[b, a], word.score[b, a]
    room.first[filled + 1] = n_old
    n = 0
    for v in range(word.n_nodes[b]):
        for a in range(room.first[room.parent[v]], room.first[room.parent[v] + 1]):
            word.code[b, n] = (word.node[b, v] << bits) + room.kept_code[a]
            word.tail[b, n], word.head[b, n] = v, room.kept_head[a]
            word.gram[b, n], word.score[b, n] = room.kept_gram[a], room.kept_score[a]
            n += 1
    word.n_arcs[b] = n
    return n


@kernel
def _clean_left(word, i, room):
    """Drop what leads nowhere since arcs at i are gone; returns the first boundary that lost nodes."""
    for b in range(i, 0, -1):
        room.alive[: word.n_nodes[b]] = 0
        for a in range(word.n_arcs[b]):
            room.alive[word.tail[b, a]] = 1
        if not _compact(word, b, room):
            return b + 1
        n = 0
        for a in range(word.n_arcs[b - 1]):
            if room.alive[word.head[b - 1, a]] >= 0:
                _move_arc(word, b - 1, a, n)
                n += 1
        word.n_arcs[b - 1] = n
        _rename(word, b, room)
    return 1


@kernel
def _clean_right(word, i, room):
    """Drop what nothing leads to since arcs at i are gone; returns the last boundary that lost nodes."""
    for b in range(i + 1, len(word.order)):
        room.alive[: word.n_nodes[b]] = 0
        for a in range(word.n_arcs[b - 1]):
            room.alive[word.head[b - 1, a]] = 1
        if not _compact(word, b, room):
            return b - 1
        n = 0
        for a in range(word.n_arcs[b]):
            if room.alive[word.tail[b, a]] >= 0:
                _move_arc(word, b, a, n)
                n += 1
        word.n_arcs[b] = n
        _rename(word, b, room)
    return len(word.order) - 1


@kernel
def _compact(word, b, room):
    """Keep nodes that are alive; room.alive becomes their new place, -1 for the others. False: all are."""
    n, most_forward, most_backward = 0, -np.inf, -np.inf
    for v in range(word.n_nodes[b]):
        if room.alive[v] == 0:
            room.alive[v] = -1
            continue
        word.node[b, n] = word.node[b, v]
        word.forward[b, n], word.backward[b, n] = word.forward[b, v], word.backward[b, v]
        most_forward, most_backward = (
            max(most_forward, word.forward[b, n]),
            max(most_backward, word.backward[b, n]),
        )
        room.alive[v] = n
        n += 1
    if n == word.n_nodes[b]:
        return False
    word.n_nodes[b] = n
    word.forward[b, :n] -= most_forward
    word.backward[b, :n] -= most_backward
    return True


@kernel
def _rename(word, b, room):
    """Arcs to and from boundary b follow its nodes to their new places."""
    for a in range(word.n_arcs[b - 1]):
        word.head[b - 1, a] = room.alive[word.head[b - 1, a]]
    for a in range(word.n_arcs[b]):
        word.tail[b, a] = room.alive[word.tail[b, a]]


@kernel
def _outward(word, i, left, right):
    """Messages from position i outward until they change no more beyond `left` and `right`.

    Returns how many arcs they went over, and the first and the last position that they may have changed.
    """
    n_passed, length, first, last = 0, len(word.order), 0, len(word.order) - 1
    for b in range(i + 1, length + 1):
        n_passed += word.n_arcs[b - 1]
        if not _forward(word, b) and b >= right:
            last = b - 1
            break
    for b in range(i, -1, -1):
        n_passed += word.n_arcs[b]
        if not _backward(word, b) and b <= left:
            first = b
            break
    return n_passed, first, last


@kernel
def _forward(word, b):
    """Messages into boundary b from its left; whether any has changed."""
    n, p = word.n_nodes[b], b - 1
    return _gather(
        word.head[p], word.tail[p], word.score[p], word.n_arcs[p], word.forward[p], word.forward[b], n
    )


@kernel
def _backward(word, b):
    """Messages into boundary b from its right; whether any has changed."""
    n, p = word.n_nodes[b], b + 1
    return _gather(
        word.tail[b], word.head[b], word.score[b], word.n_arcs[b], word.backward[p], word.backward[b], n
    )


@kernel
def _gather(to, origin, score, n_arcs, before, message, n):
    """The best way to each of n nodes, less the best of all; whether any message has changed."""
    found = np.full(n, -np.inf)
    best = -np.inf
    for a in range(n_arcs):
        value = before[origin[a]] + score[a]
        if value > found[to[a]]:
            found[to[a]] = value
            best = max(best, value)
    is_changed = False
    for v in range(n):
        value = found[v] - best
        is_changed = is_changed or value != message[v]
        message[v] = value
    return is_changed


def checked_weights(weights, n_states):
    """Weights as kernels want them; what does not fit, or is not finite, is refused with a typed error."""
    checks.made("weights", weights, Weights)
    checks.made("table", weights.table, NgramTable)
    if weights.table.n_states != n_states:
        raise ShapeError(f"table has {weights.table.n_states} states; unary needs {n_states}")
    parts = []
    for name in ("ink", "text", "letter"):
        value = checks.scores(name, getattr(weights, name), 2)
        if parts and value.shape != parts[0].shape:
            raise ShapeError(f"{name} has shape {value.shape}; ink needs {parts[0].shape}")
        parts.append(value)
    for name in ("single", "first", "frequency"):
        value = checks.scores(name, getattr(weights, name), 1)
        if value.shape != (n_states,):
            raise ShapeError(f"{name} has shape {value.shape}; it needs {(n_states,)}")
        parts.append(value)
    for name, value in zip(Weights._fields, parts):
        if not np.isfinite(value).all():
            raise ArgumentError(f"{name} must be finite, got -inf: nothing is forbidden here")
    return Weights(*parts, weights.table)


def checked_unary(unary, weights):
    """What images say at every tier, (R, T, K), finite; anything else is refused with a typed error."""
    unary = checks.scores("unary", unary, 3)
    if unary.shape[1] != weights.ink.shape[0]:
        raise ShapeError(f"unary has shape {unary.shape}; weights have {weights.ink.shape[0]} tiers")
    if not np.isfinite(unary).all():
        raise ArgumentError("unary must be finite, got -inf: nothing is forbidden here")
    return unary
