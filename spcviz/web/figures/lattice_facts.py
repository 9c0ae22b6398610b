"""Numbers of a lattice as texts for the sentences of tours, formatted as in the view (lattice_words.js)."""

from collections import defaultdict
from itertools import pairwise

import numpy as np

GRAMS = ("letters", "pairs", "triples", "4-grams", "5-grams", "6-grams")
MAX_ALPHA = 1 - 1e-9


def score(value):
    """Format a score as the lattice does.

    >>> score(-1234.5), score(12.345), score(-np.inf)
    ('−1234', '12.35', '−∞')
    """
    if np.isneginf(value):
        return "−∞"
    if np.isnan(value):
        return "?"
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2
    return f"{value:.{digits}f}".replace("-", "−")


def alpha(value):
    """Format an alpha as the lattice does: two decimals, three if needed, four close to 0 or 1.

    >>> alpha(0.5), alpha(0.123), alpha(0.999)
    ('0.50', '0.123', '0.9990')
    """
    if 0 < value < 0.005 or 0.995 < value < 1:
        return f"{value:.4f}"
    text = f"{value:.3f}"
    return text.removesuffix("0")


def count_words(level, keep: np.ndarray) -> int:
    """Number of complete words in a level's kept arcs, a Python integer: it can exceed 64 bits."""
    ends: dict[tuple, int] = {}
    for column, (begin, end) in enumerate(pairwise(level.col_start.tolist())):
        counts: dict[tuple, int] = defaultdict(int)
        for states in map(tuple, level.symbols[begin:end][keep[begin:end]].tolist()):
            counts[states[1:]] += 1 if column == 0 else ends.get(states[:-1], 0)
        ends = counts
    return sum(ends.values())


def threshold(level):
    """(tau, keep) of a `LevelTrace`: the threshold at its own alpha, and whether each arc is above it."""
    tau = level.best - (1 - min(level.alpha, MAX_ALPHA)) * (level.best - level.mean)
    keep = level.max_marginal > tau if level.has_spread else np.isfinite(level.max_marginal)
    keep[level.map_arcs] = True
    return tau, keep


def facts(trace, at: int, cell: str = "") -> dict[str, str]:
    """Facts for sentences about level `at` (from 1) of a `WordTrace`, and about a `cell`, as "4-an"."""
    joint = " " if trace.words else ""
    level = trace.levels[min(at, len(trace.levels)) - 1]
    tau, keep = threshold(level)

    def spell(states):
        return joint.join(trace.alphabet[k] for k in states)

    words = {
        "length": str(len(trace.words or trace.pixels)),
        "level": str(at),
        "levels": str(len(trace.levels)),
        "pieces": trace.level_names[at - 1] if trace.level_names else GRAMS[level.order - 1],
        "candidates": f"{len(level.score):,}",
        "kept": f"{keep.sum():,}",
        "fallen": f"{len(level.score) - keep.sum():,}",
        "alpha": alpha(level.alpha),
        "tau": score(tau),
        "best": score(level.best),
        "mean": score(level.mean),
        "reading": spell(path(level, level.map_arcs)),
        "words_left": f"{count_words(level, keep):,}",
        "all_pieces": f"{len(trace.alphabet) ** level.order * (len(level.col_start) - 1):,}",
        "microseconds": f"{round(trace.microseconds):,} µs",
    }
    if len(trace.truth):
        words |= {"truth": spell(trace.truth), "truth_score": score(level.truth_score)}
    if not np.isnan(trace.microseconds_dense):
        words["dense"] = f"{round(trace.microseconds_dense):,} µs"
    return words | _cell(trace, level, keep, spell, cell)


def path(level, arcs):
    """States of a path, one for each position."""
    return [*level.symbols[arcs[0]], *(level.symbols[arc][-1] for arc in arcs[1:])]


def witness(level, arc):
    """Arcs of the best path through an arc."""
    arcs = [arc]
    while level.previous[arcs[0]] >= 0:
        arcs.insert(0, level.previous[arcs[0]])
    while level.following[arcs[-1]] >= 0:
        arcs.append(level.following[arcs[-1]])
    return arcs


def _cell(trace, level, keep, spell, cell):
    position, _, symbols = cell.partition("-")
    column = int(position) - 1 if position.isdigit() else -1
    if not 0 <= column < len(level.col_start) - 1:
        return {}
    arcs = range(level.col_start[column], level.col_start[column + 1])
    arc = next((arc for arc in arcs if spell(level.symbols[arc]) == symbols), None)
    if arc is None:
        return {}
    words = {
        "cell": symbols,
        "position": position,
        "max_marginal": score(level.max_marginal[arc]),
        "witness": spell(path(level, witness(level, arc))),
        "fate": "kept" if keep[arc] else "pruned",
    }
    spread = level.best - level.mean
    if level.has_spread and arc not in level.map_arcs and np.isfinite(level.max_marginal[arc]):
        words["falls_at"] = f"{(level.max_marginal[arc] - level.mean) / spread:.4f}"
    return words
