"""The Python of the page Policy: lines that compute what is shown."""

from collections.abc import Mapping

from spcviz.shared.folders import NEEDS

_POLICY = """# Policy: one word, and what every policy buys for it, letter by letter.
{needs}
from spcviz import scenes

word = scenes.policy({word}, {choices})
print("from pixels", word.start, "for", word.truth)
for policy in word.policies:
    print(policy.label, "reads", policy.reading, "after", policy.spent, "and", policy.n_messages, "messages")
"""


def policy(state: Mapping) -> str:
    """The lines for a state of the page Policy."""
    names = ("vocabulary", "spend", "kind", "q", "extractor")
    choices = ", ".join(f"{name}={state[name]!r}" for name in names)
    return _POLICY.format(needs=NEEDS, word=int(state["word"]), choices=choices)
