"""Numbers of the page Policy, and of its batch on Trade-off, for `spcviz.scenes`.

Computing modules are imported when a function is called. At the end are the lines of Python that the Save
menu offers.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.budgets.scenes import KINDS
from spcviz.shared.folders import MODELS, NEEDS, shipped_path

if TYPE_CHECKING:
    from spcviz.problems.budgets.shown import TradeOff

VOCABULARIES = ("dev", "open", "ocr")


class PolicyAt(NamedTuple):
    """One policy, after it has bought everything that fits into the budget."""

    name: str
    label: str
    reading: str
    amount: float  # spent, in units or microseconds
    spent: str  # the same in words
    n_messages: int  # passed so far


class PolicyScene(NamedTuple):
    """A word under every policy, at one budget."""

    truth: str
    start: str  # the reading before anything is bought
    policies: tuple[PolicyAt, ...]


def policy(
    word: int,
    *,
    vocabulary: str = "dev",
    spend: float = 0.5,
    kind: str = "units",
    q: float = 0.0,
    extractor: str = "library",
) -> PolicyScene:
    """Buy features for one handwritten word, letter by letter, under every policy.

    Parameters
    ----------
    word : int
        Number of the word in its data, as the page's address has it.
    vocabulary : {"dev", "open", "ocr"}
        Development or test words of the open vocabulary, or test words of the data.
    spend : float
        The budget: a share of what everything costs, 0 to 1.
    kind : {"units", "us"}
        The unit of the budget: units, or measured microseconds.
    q : float
        Tolerance of quiescent inference, 0 to 1.
    extractor : {"library", "fast"}
        The extractor whose times features cost.

    Returns
    -------
    PolicyScene
        ``truth``, ``start``, and for each of ``policies`` its ``reading``, ``spent`` and ``n_messages``.

    Raises
    ------
    ArgumentError
        For an invalid argument.
    NoCacheError, StoreError
        If the stored models of a clone are missing, or if this one is.
    """
    from spcviz.problems.budgets import facts
    from spcviz.problems.words.model import stored
    from spcviz.problems.words.page import live

    _one_of("vocabulary", vocabulary, VOCABULARIES)
    _one_of("kind", kind, KINDS)
    spend = checks.fraction("spend", spend)
    if vocabulary == "dev":
        word = checks.integer("word", word, 0, live.N_DEVELOPMENT - 1)
        kept, us = stored.read(shipped_path(MODELS), "open")
        model, at = stored.model_of("open", kept, us, stored.development(kept, [word])), 0
    else:
        model = stored.load(shipped_path(MODELS), vocabulary)
        places = np.flatnonzero(model.fold.test.words == checks.integer("word", word, 0, 2**31))
        if not len(places):
            raise ArgumentError(f"word must be one of the test words of {vocabulary!r}, got {word}")
        at = int(places[0])
    shown = live.trace_word(model, at, q=q, extractor=extractor)
    state = {"spend": spend, "kind": kind}
    said, numbers = facts.word(shown, state), facts.word_values(shown, state)
    policies = (
        PolicyAt(
            trace.name,
            trace.label,
            numbers[f"reading_{trace.name}"],
            numbers[f"spent_{trace.name}"],
            said[f"spent_{trace.name}"],
            numbers[f"messages_{trace.name}"],
        )
        for trace in shown.traces
    )
    return PolicyScene(shown.truth, said["start"], tuple(policies))


def batch(vocabulary: str = "open", words: int = 60, seed: int = 0, extractor: str = "library") -> "TradeOff":
    """A random batch of test words under every method."""
    from spcviz.problems.words.model import stored
    from spcviz.problems.words.page import live

    _one_of("vocabulary", vocabulary, VOCABULARIES[1:])
    model = stored.load(shipped_path(MODELS), vocabulary)
    return live.compare(model, live.draw(model, words, seed), extractor)


def _one_of(name, value, known):
    if value not in known:
        raise ArgumentError(f"{name} must be one of {', '.join(known)}, got {value!r:.60}")


_POLICY = """# Policy: one word, and what every policy buys for it, letter by letter.
{needs}
from spcviz import scenes

word = scenes.policy({word}, {choices})
print("from pixels", word.start, "for", word.truth)
for policy in word.policies:
    print(policy.label, "reads", policy.reading, "after", policy.spent, "and", policy.n_messages, "messages")
"""


def policy_lines(state: Mapping) -> str:
    """The lines for a state of the page Policy."""
    names = ("vocabulary", "spend", "kind", "q", "extractor")
    choices = ", ".join(f"{name}={state[name]!r}" for name in names)
    return _POLICY.format(needs=NEEDS, word=int(state["word"]), choices=choices)
