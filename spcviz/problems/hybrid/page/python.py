"""The Python of the page Orders and features: lines that compute what is shown."""

from collections.abc import Mapping

_LINES = """# Orders and features: one word, action by action. Run this in a clone.
from spcviz.shared.folders import MODELS
from spcviz.problems.hybrid.model import stored
from spcviz.problems.hybrid.page import live

word = live.word(stored.load(MODELS, {model!r}), {data!r}, {word}, {hand!r})
for name, course in zip(("the controller", "by hand"), word.courses):
    for number, step in enumerate(course.steps):
        kind = {{-1: "start", 0: "longer context", 1: "better features"}}[int(step.action[0])]
        at, us = int(step.action[1]) + 1, round(step.us)
        print(name, number, kind, "at letter", at, "reads", step.reading, "for", word.truth, "in", us, "µs")
"""


def lines(state: Mapping) -> str:
    """The lines for a state of the page."""
    model = "open" if state["data"] == "dev" else state["data"]
    return _LINES.format(model=model, **state)
