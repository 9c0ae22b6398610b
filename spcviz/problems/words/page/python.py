"""The Python of the pages Policy and Trade-off, of words: lines that compute what is shown."""

from collections.abc import Mapping

BATCH = """from spcviz.problems.words.model import stored
from spcviz.problems.words.page import live

model = stored.load(MODELS, {vocabulary!r})
batch = live.compare(model, live.draw(model, {words}, {seed}), {extractor!r})"""

_POLICY = """# Policy: one word, and what every policy buys for it, letter by letter. Run this in a clone.
from spcviz.problems.budgets import facts
from spcviz.shared.folders import MODELS
from spcviz.problems.words.model import stored
from spcviz.problems.words.page import live

{model}
word = live.trace_word(model, at, q={q}, extractor={extractor!r})
numbers = facts.word(word, {{"spend": {spend}, "kind": {kind!r}}})
print("from pixels", numbers["start"], "for", word.truth)
for policy in word.traces:
    reading, spent, messages = (numbers[key + policy.name] for key in ("reading_", "spent_", "messages_"))
    print(policy.label, "reads", reading, "after", spent, "and", messages, "messages")
"""
_DEVELOPMENT = """kept, us = stored.read(MODELS, "open")
model, at = stored.model_of("open", kept, us, stored.development(kept, [{word}])), 0"""
_TEST = """model = stored.load(MODELS, {vocabulary!r})
at = model.fold.test.words.tolist().index({word})"""


def policy(state: Mapping) -> str:
    """The lines for a state of the page Policy."""
    model = _DEVELOPMENT if state["vocabulary"] == "dev" else _TEST
    return _POLICY.format(model=model.format(**state), **state)
