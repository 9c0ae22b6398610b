"""The Python of the page Orders and features: lines that compute what is shown."""

from collections.abc import Mapping

from spcviz.shared.folders import NEEDS

_LINES = """# Orders and features: one word, action by action.
{needs}
from spcviz import scenes

word = scenes.hybrid({word}, data={data!r}, hand={hand!r})
for course in word.courses:
    for number, action in enumerate(course.actions):
        read = f"reads {{action.reading}} for {{word.truth}} in {{round(action.us)}} µs"
        print(course.who, number, action.kind, "at letter", action.letter, read)
"""


def lines(state: Mapping) -> str:
    """The lines for a state of the page."""
    return _LINES.format(needs=NEEDS, word=int(state["word"]), data=state["data"], hand=state["hand"])
