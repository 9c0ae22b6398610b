"""Sentences of the Orders and features page, and numbers for its tours."""

from spcviz.problems.hybrid.shown import HybridWord, opening_step

INTRODUCTION = (
    "# Orders and features: context or a closer look?\n"
    "A word begins with pairs of letters, read from pixels. A **controller** then spends where it helps: "
    "it makes a factor longer (**context**), or computes better features of a letter (**ink**). After each "
    "action the changed factor is filtered, and everything stays exact over what survives."
)
ORIGIN = (
    "Handwritten words that no model here has seen, or composed of letters of unseen words; development "
    "words and their images are set apart for choosing settings. Microseconds as measured when the models "
    "were trained (python -m spcviz train hybrid). Weiss (2013), section 8.1.1: a proposal, built here."
)
CHOSEN = (
    "This word was chosen among development words because its reading goes from wrong to right and stays "
    "right; many do not. "
)
"""About the word that the page opens with."""


def facts(word: HybridWord, state: dict) -> dict[str, str]:
    """Numbers of a word at ``state["step"]`` for the sentences of a tour, as the component shows them."""
    steps = word.courses[0].steps
    step = min(state["step"] if state["step"] >= 0 else word.opening, len(steps) - 1)
    now = steps[step]
    texts = {"truth": word.truth, "reading": now.reading, "step": str(step), "steps": str(len(steps) - 1)}
    texts["us"] = f"{now.us:.0f} µs"
    kind, letter = now.action
    return texts | ({"letter": str(letter + 1)} if kind >= 0 else {})


def values(word: HybridWord, state: dict) -> dict:
    """A word at ``state["step"]`` of the trajectory on display, for the checks of tasks."""
    first = word.courses[0].steps
    steps = word.courses[min(state["course"], len(word.courses) - 1)].steps
    now = steps[min(state["step"] if state["step"] >= 0 else word.opening, len(steps) - 1)]
    kind, letter = first[1].action if len(first) > 1 else (-1, -1)
    return {
        "truth": word.truth,
        "reading": now.reading,
        "n_hand": word.n_hand,
        "n_orders": state["hand"].partition(":")[2].count("r"),
        "controller_first_right": opening_step(word.courses[0], word.truth, least=0),
        "first_is_features": kind == 1,
        "first_letter": letter + 1,
    }
