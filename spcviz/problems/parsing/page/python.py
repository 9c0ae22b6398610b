"""The Python of the page Parsing: lines that compute what is shown."""

from collections.abc import Mapping, Sequence

from spcviz.shared.folders import NEEDS

_LINES = """# Parsing: one sentence, and its tree under every policy.
{needs}
from spcviz import scenes

words = {words!r}
heads = {heads!r}  # of each word the number of its head, 0 for the root; None where nobody has parsed it
for tree in scenes.parsing(words, heads=heads, spend={spend!r}):
    right = "" if heads is None else f"{{tree.n_right}} right"
    print(tree.label, "after", tree.n_bought, "words:", list(tree.heads), right)
"""


def lines(state: Mapping, words: Sequence[str], heads: Sequence[int] | None) -> str:
    """The lines for a state of the page and the sentence that it shows."""
    known = None if heads is None else [int(head) for head in heads]
    return _LINES.format(needs=NEEDS, words=tuple(words), heads=known, spend=state["spend"])
