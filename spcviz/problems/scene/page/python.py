"""The Python of the page Scenes at any time: lines that compute what is shown."""

from collections.abc import Mapping

from spcviz.shared.folders import NEEDS

_LINES = """# Scenes at any time: one picture, labelled step by step, and all at the end.
{needs}
from spcviz import scenes

predictors = scenes.scene({call})
for predictor in predictors:
    for number, step in enumerate(predictor.steps, start=1):
        right = "" if step.percent_right is None else f"{{step.percent_right:.1f}} % right"
        print(predictor.label, "step", number, f"{{step.ms:.0f}} ms", right, step.pixels)
"""


def lines(state: Mapping) -> str:
    """The lines for a state of the page; none for a visitor's own picture, which is kept nowhere."""
    kind = state["kind"]
    if kind in ("upload", "camera"):
        return ""
    which = f", number={state['number']}" if kind == "camvid" else f", seed={state['seed']}"
    return _LINES.format(needs=NEEDS, call=repr(kind) + which)
