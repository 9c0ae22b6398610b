"""Sentences of the page Parsing, and its numbers for tours."""

import numpy as np

from spcviz.problems.parsing.shown import ParsedSentence
from spcviz.web.figures.plain import plain

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
