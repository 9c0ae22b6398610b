"""Numbers of the page Tagging, behind `spcviz.scenes`.

Modules that compute are imported when called. The lines of Python that the Save menu offers are at the end.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import MODELS, NEEDS, shipped_path

RULES = ("mean_max", "margin")
N_LEVELS = 3


class TagLevel(NamedTuple):
    """One level of a cascade on one sentence."""

    order: int  # n of its n-grams of tags
    alpha: float  # at which it was pruned
    n_candidates: int  # n-grams before pruning
    n_kept: int  # n-grams after it
    tags: tuple[str, ...]  # the best of those left before this level, one per word


def tagging(
    text: str, *, alphas: Sequence[float | None] = (), rule: str = "mean_max"
) -> tuple[TagLevel, ...]:
    """Run the stored tagging cascade on one sentence, level by level.

    Parameters
    ----------
    text : str
        A sentence of 1 to 40 English words.
    alphas : sequence of float or None
        Alphas of the three levels; the tuned one where it is None or missing.
    rule : {"mean_max", "margin"}
        What "tuned" means: the page's own rule, or a margin.

    Returns
    -------
    tuple of TagLevel
        One for each level: ``order``, ``alpha``, ``n_candidates``, ``n_kept``, ``tags``.

    Raises
    ------
    ArgumentError
        For a text that cannot be drawn, and for an invalid alpha or rule.
    NoCacheError, StoreError
        If the stored models of a clone are missing, or this one is.
    """
    from spcviz.problems.tagging.data.examples import treebank
    from spcviz.problems.tagging.model.stored import load_tagger
    from spcviz.problems.tagging.page import live
    from spcviz.web.figures.lattice_facts import threshold

    asked = [None if a is None else checks.alpha("alphas", a) for a in checks.as_tuple("alphas", alphas)]
    if len(asked) > N_LEVELS:
        raise ArgumentError(f"alphas must hold at most one for each of {N_LEVELS} levels, got {len(asked)}")
    if rule not in RULES:
        raise ArgumentError(f"rule must be one of {', '.join(RULES)}, got {rule!r:.60}")
    words, tagger = live.read_sentence(text), load_tagger(shipped_path(MODELS))
    margins = live.margins_of(tagger, list(treebank().values())) if rule == "margin" else None
    trace = live.trace_text(tagger, words, alphas=asked, margins=margins)
    levels = []
    for level, tags in zip(trace.levels, trace.predictions):
        _, keep = threshold(level)
        named = tuple(trace.alphabet[k] for k in tags)
        levels.append(TagLevel(level.order, float(level.alpha), level.n_valid, int(keep.sum()), named))
    return tuple(levels)


_LINES = """# Tagging: one sentence, and the tags that a cascade keeps for its words.
{needs}
from spcviz import scenes

for level in scenes.{call}:
    print("order", level.order, "kept", level.n_kept, "of", level.n_candidates, *level.tags)
"""


def tagging_lines(state: Mapping) -> str:
    """The lines for a state of the page."""
    call = f"tagging({state['text']!r}, alphas={[state[f'a{n}'] for n in (1, 2, 3)]}"
    call += ")" if state["rule"] == "mean_max" else f", rule={state['rule']!r})"
    return _LINES.format(needs=NEEDS, call=call)
