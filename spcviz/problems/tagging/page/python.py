"""The Python of the page Tagging: lines that compute what is shown."""

from collections.abc import Mapping

_LINES = """# Tagging: one sentence, and the tags that a cascade keeps for its words. Run this in a clone.
from spcviz.shared.folders import MODELS
from spcviz.problems.tagging.model import stored
from spcviz.problems.tagging.page.live import read_sentence, trace_text

tagger = stored.load_tagger(MODELS)
trace = trace_text(tagger, read_sentence({text!r}), alphas={alphas})
for level, tags in zip(trace.levels, trace.predictions):
    threshold = level.best - (1 - level.alpha) * (level.best - level.mean)
    kept = int((level.max_marginal > threshold).sum()) if level.has_spread else level.n_valid
    named = [trace.alphabet[k] for k in tags]
    print("order", level.order, "kept", kept, "of", level.n_valid, *named)
"""


def lines(state: Mapping) -> str:
    """The lines for a state of the page."""
    return _LINES.format(text=state["text"], alphas=[state[f"a{n}"] for n in (1, 2, 3)])
