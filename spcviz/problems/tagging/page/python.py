"""The Python of the page Tagging: lines that compute what is shown."""

from collections.abc import Mapping

from spcviz.shared.folders import NEEDS

_LINES = """# Tagging: one sentence, and the tags that a cascade keeps for its words.
{needs}
from spcviz import scenes

for level in scenes.{call}:
    print("order", level.order, "kept", level.n_kept, "of", level.n_candidates, *level.tags)
"""


def lines(state: Mapping) -> str:
    """The lines for a state of the page."""
    call = f"tagging({state['text']!r}, alphas={[state[f'a{n}'] for n in (1, 2, 3)]}"
    call += ")" if state["rule"] == "mean_max" else f", rule={state['rule']!r})"
    return _LINES.format(needs=NEEDS, call=call)
