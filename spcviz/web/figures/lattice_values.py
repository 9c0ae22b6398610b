"""Numbers of a lattice's levels for the checks of tasks.

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

from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np

from spcviz.web.figures.lattice_facts import count_words, threshold


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
    for arc, alpha in zip(level.truth_arcs, falls_at(level, level.truth_arcs), strict=True):
        out[f"falls_{_spell_states(trace, level.symbols[arc])}"] = float(alpha)
    return out


def _spell_states(trace, states):
    return (" " if trace.words else "").join(trace.alphabet[k] for k in states)


def falls_at(level, arcs: np.ndarray) -> np.ndarray:
    """The alphas at which arcs fall; 1 on the best path, which never does."""
    spread = level.best - level.mean
    if not level.has_spread:
        return np.ones(len(arcs))
    return np.where(np.isin(arcs, level.map_arcs), 1.0, (level.max_marginal[arcs] - level.mean) / spread)


def _fate(trace, level, keep, cell):
    position, _, symbols = cell.partition("-")
    column = int(position) - 1 if position.isdigit() else -1
    if not 0 <= column < len(level.col_start) - 1:
        return None
    for arc in range(level.col_start[column], level.col_start[column + 1]):
        if _spell_states(trace, level.symbols[arc]) == symbols:
            return "kept" if keep[arc] else "pruned"
    return None
