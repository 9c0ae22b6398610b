"""Numbers and sentences of the Orders and features page, for the page, its tours and `spcviz.scenes`.

Modules that compute are imported when a function is called. `hybrid_lines` returns the lines of Python that
the Save menu offers.
"""

from collections.abc import Mapping
from typing import NamedTuple

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.hybrid.shown import HybridWord, opening_step
from spcviz.shared.folders import MODELS, NEEDS, shipped_path

KINDS = {-1: "start", 0: "longer context", 1: "better features"}
"""Kinds of actions by number."""

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

_LINES = """# Orders and features: one word, action by action.
{needs}
from spcviz import scenes

word = scenes.hybrid({word}, data={data!r}, hand={hand!r})
for course in word.courses:
    for number, action in enumerate(course.actions):
        read = f"reads {{action.reading}} for {{word.truth}} in {{round(action.us)}} µs"
        print(course.who, number, action.kind, "at letter", action.letter, read)
"""


class ActionAt(NamedTuple):
    """A word after an action, or before the first."""

    kind: str  # one of `KINDS`
    letter: int  # where, from 1; 0 at the start
    reading: str
    us: float  # microseconds spent so far


class HybridCourseOf(NamedTuple):
    """A word, action by action."""

    who: str  # "the controller", or "by hand"
    actions: tuple[ActionAt, ...]


class HybridScene(NamedTuple):
    """A word under the controller, and by hand where there is one."""

    truth: str
    courses: tuple[HybridCourseOf, ...]


def hybrid(word: int, *, data: str = "dev", hand: str = "") -> HybridScene:
    """Read one handwritten word action by action: longer contexts and better features, letter by letter.

    Parameters
    ----------
    word : int
        Number of the word in its data, as in the page's address.
    data : {"dev", "open", "ocr"}
        Development or test words of the open vocabulary, or handwritten words as given.
    hand : str
        Actions by hand, as in the page's address: "2:r4.b3" takes over after two of the controller's.

    Returns
    -------
    HybridScene
        ``truth`` and ``courses``. Each course has ``who`` and the ``actions``: ``kind``, ``letter``,
        ``reading``, ``us``.

    Raises
    ------
    ArgumentError
        For an unknown word or data, or impossible actions.
    NoCacheError, StoreError
        If a clone's stored models are missing, or this one is.
    """
    from spcviz.problems.hybrid.model import stored
    from spcviz.problems.hybrid.page import live
    from spcviz.problems.hybrid.shown import SHOWN

    if data not in SHOWN:
        raise ArgumentError(f"data must be one of {', '.join(SHOWN)}, got {data!r:.60}")
    model = stored.load(shipped_path(MODELS), "open" if data == "dev" else data)
    word = checks.integer("word", word, 0, live.count_words(data) - 1)
    shown = live.word(model, data, word, hand)
    courses = []
    for who, course in zip(("the controller", "by hand"), shown.courses):
        actions = (
            ActionAt(KINDS[int(step.action[0])], int(step.action[1]) + 1, step.reading, step.us)
            for step in course.steps
        )
        courses.append(HybridCourseOf(who, tuple(actions)))
    return HybridScene(shown.truth, tuple(courses))


def hybrid_lines(state: Mapping) -> str:
    """The lines for a state of the page."""
    return _LINES.format(needs=NEEDS, word=int(state["word"]), data=state["data"], hand=state["hand"])


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
