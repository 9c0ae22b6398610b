"""Growth of a word's lattice of variable orders: longer nodes, and the removal of dead-end arcs."""

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel
from spcviz.engine.variable_order.word import Word, Workspace, enter, level, move_arc


@bare_inlined_kernel
def _forget(values: np.ndarray, n: int) -> None:
    """Reset the first n values to 0."""
    for v in range(n):
        values[v] = 0


@bare_inlined_kernel
def lowest(word: Word, i: int) -> int:
    """First boundary whose nodes need one more letter once position i's order is raised; i + 1 if none."""
    b, wanted = i, word.order[i]
    while b > 0 and word.depth[b] < wanted:
        b, wanted = b - 1, wanted - 1
    return b + 1


@bare_inlined_kernel
def ways(word: Word, low: int, i: int, space: Workspace) -> int:
    """Upper bound on the arcs at one position once boundaries low .. i have longer nodes."""
    if low > i:
        return 0
    ways, then, most = space.ways[0], space.ways[1], 0
    _forget(ways, word.n_nodes[low])
    for a in range(word.n_arcs[low - 1]):
        ways[word.head[low - 1, a]] += 1
    for b in range(low, i + 1):
        _forget(then, word.n_nodes[b + 1])
        total = 0
        for a in range(word.n_arcs[b]):
            n = ways[word.tail[b, a]]
            then[word.head[b, a]] += n
            total += n
        most = max(most, total)
        ways, then = then, ways
    return most


@bare_inlined_kernel
def split(word: Word, b: int, bits: int, space: Workspace) -> None:
    """Nodes of boundary b with one more letter, from the arcs that lead to it; space.parent: the old ones."""
    word.depth[b] += 1
    mask, count = (np.int64(1) << (bits * word.depth[b])) - 1, 0
    space.now[0] += 1
    for a in range(word.n_arcs[b - 1]):
        code = word.code[b - 1, a] & mask
        v = enter(space, code, count)
        if v == count:
            word.node[b, v] = code
            space.parent[v] = word.head[b - 1, a]
            count += 1
        word.head[b - 1, a] = v
    word.n_nodes[b] = count


@bare_inlined_kernel
def join(word: Word, b: int, bits: int, space: Workspace) -> int:
    """Arcs of position b that leave its new nodes, copied from their old nodes; returns their number."""
    n_old, mask = word.n_arcs[b], (np.int64(1) << bits) - 1
    space.first[0], filled = 0, 0  # arcs lie in the order of their old nodes
    for a in range(n_old):
        while filled < word.tail[b, a]:
            filled += 1
            space.first[filled] = a
        space.kept_code[a], space.kept_head[a] = word.code[b, a] & mask, word.head[b, a]
        space.kept_gram[a], space.kept_score[a] = word.gram[b, a], word.score[b, a]
    space.first[filled + 1] = n_old
    n = 0
    for v in range(word.n_nodes[b]):
        for a in range(space.first[space.parent[v]], space.first[space.parent[v] + 1]):
            word.code[b, n] = (word.node[b, v] << bits) + space.kept_code[a]
            word.tail[b, n], word.head[b, n] = v, space.kept_head[a]
            word.gram[b, n], word.score[b, n] = space.kept_gram[a], space.kept_score[a]
            n += 1
    word.n_arcs[b] = n
    return n


@bare_inlined_kernel
def clean_left(word: Word, i: int, space: Workspace) -> int:
    """Drop what leads nowhere now that arcs at i are gone; returns the first boundary that lost nodes."""
    for b in range(i, 0, -1):
        _forget(space.alive, word.n_nodes[b])
        for a in range(word.n_arcs[b]):
            space.alive[word.tail[b, a]] = 1
        if not _compact(word, b, space):
            return b + 1
        n = 0
        for a in range(word.n_arcs[b - 1]):
            if space.alive[word.head[b - 1, a]] >= 0:
                move_arc(word, b - 1, a, n)
                n += 1
        word.n_arcs[b - 1] = n
        _rename(word, b, space)
    return 1


@bare_inlined_kernel
def clean_right(word: Word, i: int, space: Workspace) -> int:
    """Drop what nothing leads to now that arcs at i are gone; returns the last boundary that lost nodes."""
    for b in range(i + 1, len(word.order)):
        _forget(space.alive, word.n_nodes[b])
        for a in range(word.n_arcs[b - 1]):
            space.alive[word.head[b - 1, a]] = 1
        if not _compact(word, b, space):
            return b - 1
        n = 0
        for a in range(word.n_arcs[b]):
            if space.alive[word.tail[b, a]] >= 0:
                move_arc(word, b, a, n)
                n += 1
        word.n_arcs[b] = n
        _rename(word, b, space)
    return len(word.order) - 1


@bare_inlined_kernel
def _compact(word: Word, b: int, space: Workspace) -> bool:
    """Keep nodes that are alive; space.alive becomes their new place, or -1. False if all are alive."""
    n = 0
    for v in range(word.n_nodes[b]):
        if space.alive[v] == 0:
            space.alive[v] = -1
            continue
        word.node[b, n] = word.node[b, v]
        word.forward[b, n], word.backward[b, n] = word.forward[b, v], word.backward[b, v]
        space.alive[v] = n
        n += 1
    if n == word.n_nodes[b]:
        return False
    word.n_nodes[b] = n
    level(word.forward[b], n)
    level(word.backward[b], n)
    return True


@bare_inlined_kernel
def _rename(word: Word, b: int, space: Workspace) -> None:
    """Renumber the ends of arcs to and from boundary b to its nodes' new places."""
    for a in range(word.n_arcs[b - 1]):
        word.head[b - 1, a] = space.alive[word.head[b - 1, a]]
    for a in range(word.n_arcs[b]):
        word.tail[b, a] = space.alive[word.tail[b, a]]
