r"""The best dependency tree in exact arithmetic, for scores that floats cannot subtract from each other.

The algorithm of `chu_liu_edmonds` over whole numbers: every float is a whole multiple of one power of two, so
sums and differences of scores are Python integers of as many digits as it takes, and nothing is rounded
before the end. Next to a soft mask of -1e300 a difference of 1e-300 still counts.

A word's own row stays in floats, which compare exactly. Only rows of merged nodes are whole numbers, ``[u]``:
the gain of the arc from word u and the word that it enters, None if there is no such arc.
"""

import numpy as np

Row = list[tuple[int, int] | None]
"""Arcs into a merged node, by the word that each comes from: its gain, and the word that it enters."""


def best(scores: np.ndarray, single_root: bool) -> tuple[float, np.ndarray]:
    """(score rounded once, heads (N,)) of the best tree; there must be one.

    `scores` are checked, (N + 1, N + 1), as in `chu_liu_edmonds.decode`; row 0 and diagonal are not read.

    >>> best(np.array([[0, 0, 0], [-1e300, 0, 1e-300], [-1e300, 2e-300, 0]]), False)
    (-1e+300, array([0, 1]))
    """
    scores = scores.copy()
    scores[0] = -np.inf
    np.fill_diagonal(scores, -np.inf)
    digits = _digits(scores)
    heads = _grow(scores, digits, False)
    if single_root and heads.count(0) != 1:
        heads = _grow(scores, digits, True)
    total = sum(_whole(scores[d, h], digits) for d, h in enumerate(heads, 1))
    return total / (1 << digits), np.array(heads, dtype=np.int64)


def _digits(scores: np.ndarray) -> int:
    """Binary digits behind the point that hold every finite score."""
    _, exponents = np.frexp(scores[np.isfinite(scores) & (scores != 0)])
    return min(max(0, 53 - int(exponents.min(initial=53))), 1074)


def _whole(score: float, digits: int) -> int:
    """A score times 2^digits."""
    above, below = float(score).as_integer_ratio()
    return above << (digits + 1 - below.bit_length())


def _grow(scores: np.ndarray, digits: int, is_last_resort: bool) -> list[int]:
    """Heads of the best tree, by one path after the other towards the root; see `chu_liu_edmonds`."""
    n = len(scores)
    node, parent, tail, into = list(range(n)), {}, {}, {}
    rows: dict[int, Row] = {}
    members = {v: [v] for v in range(n)}
    done, count = {0}, n
    for start in range(1, n):
        c, path, paid = node[start], [], {}
        while c not in done:
            path.append(c)
            paid[c], tail[c], into[c] = _best_arc(scores, rows, digits, c, is_last_resort)
            before = node[tail[c]]
            if before in paid:
                cycle = path[path.index(before) :]
                del path[-len(cycle) :]
                rows[count] = _merge_row(scores, rows, digits, cycle, paid)
                members[count] = [u for v in cycle for u in members.pop(v)]
                for v in cycle:
                    parent[v] = count
                    rows.pop(v, None)
                    del paid[v]
                for u in members[count]:
                    node[u], rows[count][u] = count, None
                before, count = count, count + 1
            c = before
        done.update(path)
    return _unfold_heads(n, count, parent, tail, into)


def _best_arc(
    scores: np.ndarray, rows: dict[int, Row], digits: int, c: int, is_last_resort: bool
) -> tuple[int, int, int]:
    """(gain, word that it comes from, word that it enters) of the best arc, smallest words first."""
    if c not in rows:
        row = scores[c]
        u = 1 + int(row[1:].argmax()) if is_last_resort else int(row.argmax())
        u = u if row[u] > -np.inf else 0
        return _whole(row[u], digits), u, c
    alive = {u: arc for u, arc in enumerate(rows[c]) if arc}
    first = 1 if is_last_resort else 0
    origin = max((u for u in alive if u >= first), key=lambda u: alive[u][0], default=0)
    value, word = alive[origin]
    return value, origin, word


def _merge_row(
    scores: np.ndarray, rows: dict[int, Row], digits: int, cycle: list[int], paid: dict[int, int]
) -> Row:
    """The row of the node that a cycle becomes: for each word the arc that gains most."""
    out: Row = [None] * len(scores)
    for v in cycle:
        if v in rows:
            offers = ((u, *arc) for u, arc in enumerate(rows[v]) if arc)
        else:
            alive = np.flatnonzero(scores[v] > -np.inf)
            offers = ((int(u), _whole(scores[v, u], digits), v) for u in alive)
        for u, value, word in offers:
            value -= paid[v]
            most = out[u]
            if most is None or value > most[0]:
                out[u] = value, word
    return out


def _unfold_heads(
    n: int, count: int, parent: dict[int, int], tail: dict[int, int], into: dict[int, int]
) -> list[int]:
    """Heads: a node's arc enters it at a word and frees all nodes on the way down to it."""
    heads, settled = [0] * (n - 1), set()
    for k in range(count - 1, 0, -1):
        if k in settled:
            continue
        heads[into[k] - 1] = tail[k]
        v = into[k]
        while v != k:
            settled.add(v)
            v = parent[v]
    return heads
