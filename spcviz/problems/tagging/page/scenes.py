"""Numbers and sentences of the page Tagging, for the page and `spcviz.scenes`.

Modules that compute are imported when called. `tagging_lines` are the lines of Python that the Save menu
offers.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import MODELS, NEEDS, shipped_path
from spcviz.web.figures.formatting import plain

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
    from spcviz.web.figures.lattice_numbers import threshold

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


INTRODUCTION = (
    "# Tagging: watch a sentence lose its readings\n"
    "Which **tags** could a word have by itself, beside its **neighbours**, in **pairs**? Drag α: tags fade "
    "that no good reading needs."
)
CHOSEN = (
    "This is a development sentence, chosen because neighbours change a tag, the answer is right, and "
    "max-marginals leave fewer tags than a CRF. On most sentences the CRF leaves fewer: *Compare with a CRF*."
)
ORIGIN = (
    "Words are split as the Penn Treebank splits them (do n\u2019t, she \u2019s; hyphens apart). The "
    "tagger was trained on the Universal Dependencies English Web Treebank (Silveira et al. 2014), "
    "CC BY-SA 4.0; it knows English only: other scripts are tagged as unknown words."
)
RULE_NAMES = {"mean_max": "mean and best", "margin": "margin"}
RULE_HELP = (
    "*Mean and best* (thesis): the line lies a share α of the way from the mean of what is left to the best. "
    "*Margin*: it lies the same distance below the best for every sentence, tuned on the development "
    "sentences that ship, to lose as many of them at each level."
)


def margins(tuned):
    """The margins of the levels, in a sentence, or a message that there are none."""
    if not tuned:
        return "No development sentences are here to tune margins on: the line lies between mean and best."
    each = ", ".join(f"{margin:.3g} at level {n}" for n, margin in enumerate(tuned, start=1))
    return (
        f"Threshold: a margin below the best, the same for every sentence ({each}), tuned on the development "
        "sentences that ship. The tuned α of a level is this sentence's own that stands for it, 1 − margin / "
        "(best − mean). Comparisons with a CRF stay at mean and best."
    )


SHOWS = {"words": "The sentence", "lattice": "Step by step", "compare": "Compare with a CRF"}


def counts(comparison) -> str:
    """Tags per word left by two filters at the loss allowed in training; answers changed by structure."""
    n = len(comparison.words)
    left = {name: sum(map(len, getattr(comparison, name.lower()))) / n for name in ("SPC", "CRF")}
    changed = sum(alone != tag for alone, tag in zip(comparison.alone, comparison.tagged, strict=True))
    listed = " · ".join(f"**{name}** {value:.1f}" for name, value in left.items())
    differ = f"{changed} of {n} answers" if changed else "no answer"
    return (
        f"Tags left a word, both tuned to the same loss: {listed}. Without structure each word keeps its one "
        f"best tag, which changes {differ}."
    )


FOREIGN = (
    "This text is not in English, which is all that the model has learned: its tags are guesses from the "
    "shape of words."
)


def too_long(text: str, most: int) -> str:
    """Message about a text in an address that cannot be tagged."""
    return (
        f"The text of this link, “{plain(text[:40])}…”, cannot be shown: at most {most} characters without "
        "control signs are read. Another sentence is shown instead."
    )


WAITS = "The tags stay hidden until you have guessed. Read the sentence aloud: what is each word in it?"
