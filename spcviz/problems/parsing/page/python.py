"""The Python of the pages Parsing and Trade-off, of sentences: lines that compute what is shown."""

from collections.abc import Mapping, Sequence

BATCH = """import numpy as np

from spcviz.problems.parsing.data import gallery
from spcviz.problems.parsing.model import stored
from spcviz.problems.parsing.page import live
from spcviz.problems.tagging.model.stored import load_tagger

every = gallery.shipped_sentences()
chosen = np.sort(np.random.default_rng({seed}).permutation(len(every))[:{size}])
batch = live.compare(stored.load(MODELS), load_tagger(MODELS), [every[k] for k in chosen], {seed})"""

_LINES = """# Parsing: one sentence, and its tree under every policy. Run this in a clone.
from spcviz.shared.folders import MODELS
from spcviz.problems.parsing.model import stored
from spcviz.problems.parsing.page import live
from spcviz.problems.tagging.model.stored import load_tagger

words = {words!r}
heads = {heads!r}  # of each word the number of its head, 0 for the root; None where nobody has parsed it
parsed = live.parse(stored.load(MODELS), load_tagger(MODELS), words, heads)
bought = int({spend} * len(words) + 0.01)
for course in parsed.courses:
    right = "" if heads is None else int((course.heads[bought] == heads).sum())
    print(course.label, "after", bought, "words:", course.heads[bought].tolist(), right, "right")
"""


def lines(state: Mapping, words: Sequence[str], heads: Sequence[int] | None) -> str:
    """The lines for a state of the page and the sentence that it shows."""
    known = None if heads is None else [int(head) for head in heads]
    return _LINES.format(words=tuple(words), heads=known, spend=state["spend"])
