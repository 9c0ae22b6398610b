"""N-gram models by enumeration. Imports nothing from spcviz.

A model is (unary (L, K), weights {tuple of states: weight}, end {tuple of states: weight}).
A space is a list of sets: space[c] holds the n-grams valid at positions c .. c + n - 1.
"""

from itertools import product


def score(y, unary, weights, end, order):
    """Equation (4.15): unaries, every j-gram for j = 2 .. order, and the last j-grams with an end mark."""
    total = sum(unary[i, s] for i, s in enumerate(y))
    for i in range(len(y)):
        for j in range(2, order + 1):
            if i - j + 1 >= 0:
                total += weights.get(y[i - j + 1 : i + 1], 0.0)
    for j in range(1, min(order, len(y)) + 1):
        total += end.get(y[len(y) - j :], 0.0)
    return total


def full_space(length, n_states, order):
    order = min(order, length)
    return [set(product(range(n_states), repeat=order)) for _ in range(length - order + 1)]


def grow(space, length):
    """An (n+1)-gram is valid iff both its n-grams are."""
    n = length - len(space) + 1
    if n == length:
        return space
    return [
        {g + h[-1:] for g in space[c] for h in space[c + 1] if g[1:] == h[:-1]} for c in range(len(space) - 1)
    ]


def outputs(space, length, n_states):
    """All labellings whose every n-gram is valid."""
    n = length - len(space) + 1
    for y in product(range(n_states), repeat=length):
        if all(y[c : c + n] in valid for c, valid in enumerate(space)):
            yield y


def tables(space, length, n_states, unary, weights, end, order, combine):
    """(total over outputs or None, {(column, n-gram): combined score of the outputs through it})."""
    n = length - len(space) + 1
    scored = [(y, score(y, unary, weights, end, order)) for y in outputs(space, length, n_states)]
    through = {}
    for y, s in scored:
        for c in range(len(space)):
            through.setdefault((c, y[c : c + n]), []).append(s)
    total = combine([s for _, s in scored]) if scored else None
    return total, {at: combine(values) for at, values in through.items()}
