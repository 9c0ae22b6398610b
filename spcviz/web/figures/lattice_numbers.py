"""Numbers of a lattice: as texts for the sentences of tours, and as values for the checks of tasks.

`values` are, besides the level:

======================== ===========================================================================
name                     meaning
======================== ===========================================================================
left, left_n             number of words left after the shown level, after level n
kept, kept_n             number of n-grams kept
alive, alive_n           whether every n-gram of the truth is still left; False if it is unknown
alive_all                whether it is after all levels
fate, fate_n             "kept" or "pruned" for the chosen cell; None where it does not exist
falls_n                  the alpha at which the truth's first n-gram falls, given tuned earlier levels
falls_x                  the alpha at which the true state x falls at the shown level
end, end_tuned           the final reading; that of the tuned levels
truth                    the true word, "" if it is unknown
======================== ===========================================================================
"""

from collections import defaultdict
from collections.abc import Collection
from functools import partial
from itertools import pairwise
from typing import Any

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
    level = trace.levels[min(at, len(trace.levels)) - 1]
    tau, keep = threshold(level)
    spell = partial(_spell_states, trace)
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
    return words | _cell(trace, level, keep, cell)


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


def _cell(trace, level, keep, cell):
    """Facts about a cell; none if the level has no such cell."""
    arc = _arc_of(trace, level, cell)
    if arc is None:
        return {}
    position, _, symbols = cell.partition("-")
    words = {
        "cell": symbols,
        "position": position,
        "max_marginal": score(level.max_marginal[arc]),
        "witness": _spell_states(trace, path(level, witness(level, arc))),
        "fate": "kept" if keep[arc] else "pruned",
    }
    spread = level.best - level.mean
    if level.has_spread and arc not in level.map_arcs and np.isfinite(level.max_marginal[arc]):
        words["falls_at"] = f"{(level.max_marginal[arc] - level.mean) / spread:.4f}"
    return words


def _arc_of(trace, level, cell):
    """The arc of a cell, as "4-an"; None if the level has no such cell."""
    position, _, symbols = cell.partition("-")
    column = int(position) - 1 if position.isdigit() else -1
    if not 0 <= column < len(level.col_start) - 1:
        return None
    arcs = range(level.col_start[column], level.col_start[column + 1])
    return next((arc for arc in arcs if _spell_states(trace, level.symbols[arc]) == symbols), None)


def _spell_states(trace, states):
    return (" " if trace.words else "").join(trace.alphabet[k] for k in states)


def values(
    trace, at: int, cell: str = "", tuned=None, wanted: Collection[str] | None = None
) -> dict[str, Any]:
    """Values of level `at` (from 1) of a `WordTrace`, and of all; `tuned`: the same by tuned alphas.

    If `wanted` is given, only those are counted: counting all words of all levels takes milliseconds.
    """
    tuned = trace if tuned is None else tuned
    shown = min(at, len(trace.levels))
    out = {
        "truth": _spell_states(trace, trace.truth),
        "end": _spell_states(trace, trace.predictions[-1]),
        "level": at,
    }
    out["end_tuned"] = _spell_states(trace, tuned.predictions[-1])
    for n, level in enumerate(trace.levels, start=1):
        keep = threshold(level)[1]
        known = len(trace.truth) > 0 and len(level.truth_arcs) > 0
        counts = {
            "left": partial(count_words, level, keep),
            "kept": lambda keep=keep: int(keep.sum()),
            "alive": lambda known=known, keep=keep, level=level: known and bool(keep[level.truth_arcs].all()),
            "fate": partial(_fate, trace, level, keep, cell),
        }
        for name, count in counts.items():
            names = {f"{name}_{n}"} | ({name} if n == shown else set())
            asked = names | ({"alive_all"} if name == "alive" else set())
            if wanted is None or not asked.isdisjoint(wanted):
                out |= dict.fromkeys(names, count())
    if wanted is None or "alive_all" in wanted:
        out["alive_all"] = all(out[f"alive_{n}"] for n in range(1, len(trace.levels) + 1))
    for n, level in enumerate(tuned.levels, start=1):
        falls = falls_at(level, level.truth_arcs)
        out[f"falls_{n}"] = float(falls.min()) if len(falls) else None
    level = trace.levels[shown - 1]
    for arc, fall in zip(level.truth_arcs, falls_at(level, level.truth_arcs), strict=True):
        out[f"falls_{_spell_states(trace, level.symbols[arc])}"] = float(fall)
    return out


def falls_at(level, arcs: np.ndarray) -> np.ndarray:
    """The alphas at which arcs fall; 1 on the best path, which never does."""
    spread = level.best - level.mean
    if not level.has_spread:
        return np.ones(len(arcs))
    return np.where(np.isin(arcs, level.map_arcs), 1.0, (level.max_marginal[arcs] - level.mean) / spread)


def _fate(trace, level, keep, cell):
    arc = _arc_of(trace, level, cell)
    if arc is None:
        return None
    return "kept" if keep[arc] else "pruned"
