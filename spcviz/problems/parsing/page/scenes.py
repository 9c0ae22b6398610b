"""Numbers of the page Parsing, and of its batch on Trade-off, behind `spcviz.scenes`.

Modules that compute are imported when called. The lines of Python that the Save menu offers are at the end.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import MODELS, NEEDS, shipped_path

if TYPE_CHECKING:
    from spcviz.problems.budgets.shown import TradeOff


class ParsedAt(NamedTuple):
    """A sentence's tree under one policy that has bought features for `n_bought` words."""

    name: str
    label: str
    n_bought: int
    heads: tuple[int, ...]  # for each word the number of its head, 0 for the root
    n_right: int | None  # None where the true heads are not known


def parsing(
    words: Sequence[str], *, heads: Sequence[int] | None = None, spend: float = 0.5
) -> tuple[ParsedAt, ...]:
    """Parse one sentence under every policy, each with the same share of its words bought.

    Parameters
    ----------
    words : sequence of str
        1 to 50 words.
    heads : sequence of int, optional
        The true heads: for each word the number of its head from 1, 0 for the root.
    spend : float
        Share of the words that features are bought for, 0 to 1.

    Returns
    -------
    tuple of ParsedAt
        One for each policy: ``label``, ``n_bought``, ``heads``, ``n_right``.

    Raises
    ------
    ArgumentError
        For invalid words, heads or share.
    NoCacheError, StoreError
        If the stored models of a clone are missing, or this one is.
    """
    from spcviz.problems.parsing.model import stored
    from spcviz.problems.parsing.page import live
    from spcviz.problems.tagging.model.stored import load_tagger

    words = checks.as_tuple("words", words)
    if not 1 <= len(words) <= live.MAX_WORDS or not all(isinstance(w, str) and w.strip() for w in words):
        raise ArgumentError(f"words must be 1 to {live.MAX_WORDS} texts, got {len(words)}: {words!r:.60}")
    spend = checks.fraction("spend", spend)
    truth = None if heads is None else checks.whole_numbers("heads", heads, 0, len(words))
    if truth is not None and len(truth) != len(words):
        raise ArgumentError(f"heads must hold one for each of {len(words)} words, got {len(truth)}")
    models = shipped_path(MODELS)
    parsed = live.parse(stored.load(models), load_tagger(models), words, truth)
    n = int(spend * len(words) + 0.01)
    out = []
    for course in parsed.courses:
        found = course.heads[n]
        right = None if truth is None else int((found == truth).sum())
        out.append(ParsedAt(course.name, course.label, n, tuple(found.tolist()), right))
    return tuple(out)


def batch(size: int = 12, seed: int = 0) -> "TradeOff":
    """A random batch of the treebank's shipped sentences, under every method."""
    from spcviz.problems.parsing.data import gallery
    from spcviz.problems.parsing.model import stored
    from spcviz.problems.parsing.page import live
    from spcviz.problems.tagging.model.stored import load_tagger

    every, models = gallery.shipped_sentences(), shipped_path(MODELS)
    size, seed = checks.integer("size", size, 1, len(every)), checks.integer("seed", seed, 0, 2**31)
    chosen = np.sort(np.random.default_rng(seed).permutation(len(every))[:size])
    return live.compare(stored.load(models), load_tagger(models), [every[k] for k in chosen], seed)


_LINES = """# Parsing: one sentence, and its tree under every policy.
{needs}
from spcviz import scenes

words = {words!r}
heads = {heads!r}  # of each word the number of its head, 0 for the root; None where nobody has parsed it
for tree in scenes.parsing(words, heads=heads, spend={spend!r}):
    right = "" if heads is None else f"{{tree.n_right}} right"
    print(tree.label, "after", tree.n_bought, "words:", list(tree.heads), right)
"""


def parsing_lines(state: Mapping, words: Sequence[str], heads: Sequence[int] | None) -> str:
    """The lines for a state of the page and the sentence that it shows."""
    known = None if heads is None else [int(head) for head in heads]
    return _LINES.format(needs=NEEDS, words=tuple(words), heads=known, spend=state["spend"])
