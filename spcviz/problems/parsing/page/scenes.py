"""Numbers and sentences of the page Parsing and its batch on Trade-off, for tours and `spcviz.scenes`.

Modules that compute are imported when called. `parsing_lines` are the lines of Python that the Save menu
offers.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.parsing.shown import ParsedSentence
from spcviz.shared.folders import MODELS, NEEDS, shipped_path
from spcviz.web.figures.formatting import plain

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


INTRODUCTION = (
    "# Parsing: which words deserve the expensive features?\nIn a parse tree every word depends on another. "
    "Part-of-speech tags are cheap and usually enough; **full features** (words, endings, context) cost "
    "more. Each policy buys them **word by word**, and the sentence is parsed again."
)
PLACEHOLDER = "Type a sentence and press Enter"
_OWN = "A sentence written for this page, with heads in the manner of Universal Dependencies."
_TREEBANK = {
    "dev": "A sentence of the English Web Treebank's development part (CC BY-SA 4.0). The parser was not "
    "trained on it; settings of the policies were chosen on that part.",
    "ewt": "A sentence of the English Web Treebank's test part (CC BY-SA 4.0), new to the parser.",
}
_CHOSEN = (
    "Chosen because buying words helps here: tags alone get several heads wrong, the first policy soon has "
    "all of them right, and as many words at random do not. It does not on every sentence."
)
_TYPED = (
    "Tags by this project's tagger. There is no reference tree: policies are compared with the full parse."
)


def sentence_label(sentence):
    """A sentence in a menu."""
    return " ".join(sentence.words)


def origin(key, is_first=False):
    """Where a sentence comes from, and why if the page opens with it; an empty key: typed."""
    where = _TYPED if not key else _TREEBANK.get(key[:3], _OWN)
    return f"{where} {_CHOSEN}" if is_first else where


def missing(key):
    """Message that the sentence a link requests is not offered here."""
    where = (
        " Sentences of the English Web Treebank's test part are on offer only where somebody has brought it: "
        "`python -m spcviz data get text_ud_ewt`."
        if key.startswith("ewt")
        else ""
    )
    return f"This link asks for sentence {key}, which is not here.{where} Shown instead: the first one."


def step_of(share: float, n_words: int) -> int:
    """How many of a sentence's words a share of them buys (as in parsing_core.js)."""
    return min(n_words, max(0, int(np.floor(share * n_words + 0.01))))


def facts(sentence: ParsedSentence, state: dict) -> dict[str, str]:
    """Facts about a sentence under the chosen policy and budget, for the text of a tour."""
    n = len(sentence.words)
    trajectory = next((c for c in sentence.courses if c.name == state["policy"]), sentence.courses[0])
    step = step_of(state["spend"], n)
    texts = {"words": str(n), "bought": str(step), "policy": trajectory.label}
    us = trajectory.us[step]
    texts["time"] = f"{us:.0f} µs" if us < 1000 else f"{us / 1000:.2f} ms"
    if step:
        texts["last"] = sentence.words[trajectory.order[step - 1]]
        texts["first"] = sentence.words[trajectory.order[0]]
    if sentence.truth is not None:
        right = (trajectory.heads == sentence.truth).sum(axis=1)
        texts |= {"right": str(right[step]), "right_start": str(right[0]), "right_all": str(right[-1])}
    return texts


def values(sentence: ParsedSentence, state: dict) -> dict:
    """The counts of `facts` as numbers, for the checks of tasks."""
    names = ("bought", "right", "right_start", "right_all")
    return {name: int(text) for name, text in facts(sentence, state).items() if name in names}


FOREIGN = (
    "This text is not in English, which is all that the parser has learned: its tree is a guess, and “as in "
    "full” says nothing of whether it is right."
)


def long_text(text: str, most: int) -> str:
    """Message about a text that is too long to be parsed."""
    shown = f"This text, “{plain(text[:40])}…”, cannot be parsed"
    return f"{shown}: at most {most} characters without control signs are read. What was shown before stays."


LATER = "What the policies buy later stays hidden until you have guessed."


def waits(words) -> str:
    """Text in place of a sentence's trees while a question hides them: the sentence itself."""
    return f"“{plain(' '.join(words))}” Its trees stay hidden until you have guessed."
