"""The Python of the pages Letters, Write and Sweep: lines that compute what is shown."""

from collections.abc import Mapping, Sequence

from spcviz.problems.letters.page.promises import GUARANTEES
from spcviz.shared.folders import NEEDS

_LEVELS = """# {what}, and what a cascade keeps at each level.
{needs}
from spcviz import scenes

for level in scenes.{call}:
    kept = f"{{level.n_kept}} of {{level.n_candidates}} kept"
    print(f"order {{level.order}}: {{kept}}, reads {{level.reading}}")
"""
_SWEEP = """# Sweep: one threshold of one level, what it loses and what it keeps.
{needs}
from spcviz import scenes

choice = scenes.sweep({arguments})
for name, at in (("development", choice.dev), ("test", choice.test)):
    print(f"alpha {{choice.alpha:.3f}}, {{name}} words:", at)
"""


def letters(state: Mapping) -> str:
    """The lines for a state of the page Letters."""
    alphas = [state[f"a{n}"] for n in range(1, state["order"] + 1)]
    call = f"letters({int(state['word'])}, features={state['features']!r}, order={state['order']}"
    call += f", alphas={alphas}"
    call += ")" if state["rule"] == "mean_max" else f", rule={state['rule']!r})"
    return _LEVELS.format(what="Letters: one handwritten word", needs=NEEDS, call=call)


def lines_of_ink(state: Mapping, ink: str, alphas: Sequence[float | None]) -> str:
    """The lines for a state of the page Write and the strokes that it shows; none while there are none."""
    call = f"write({ink!r}, features={state['features']!r}, order={state['order']}, alphas={list(alphas)})"
    return _LEVELS.format(what="Write: strokes as a word", needs=NEEDS, call=call)


def sweep(state: Mapping) -> str:
    """The lines for a state of the page Sweep; none where several filters are compared."""
    if state["show"] == "filters":
        return ""
    of = {
        "features": state["features"],
        "level": int(state["level"]),
        "tolerance": state["tol"] / 100,
        "by_definition": state["by"] == "definition",
        "alpha": state["alpha"],
        "guarantee": GUARANTEES[state["promise"]],
    }
    said = ", ".join(f"{name}={value!r}" for name, value in of.items())
    return _SWEEP.format(needs=NEEDS, arguments=said)
