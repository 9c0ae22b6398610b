"""Numbers of the Orders and features page: behind `spcviz.scenes`.

Modules that compute are imported when a function is called. At the end are the lines of Python that the Save
menu offers.
"""

from collections.abc import Mapping
from typing import NamedTuple

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import MODELS, NEEDS, shipped_path

KINDS = {-1: "start", 0: "longer context", 1: "better features"}
"""Kinds of actions by number."""


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


_LINES = """# Orders and features: one word, action by action.
{needs}
from spcviz import scenes

word = scenes.hybrid({word}, data={data!r}, hand={hand!r})
for course in word.courses:
    for number, action in enumerate(course.actions):
        read = f"reads {{action.reading}} for {{word.truth}} in {{round(action.us)}} µs"
        print(course.who, number, action.kind, "at letter", action.letter, read)
"""


def hybrid_lines(state: Mapping) -> str:
    """The lines for a state of the page."""
    return _LINES.format(needs=NEEDS, word=int(state["word"]), data=state["data"], hand=state["hand"])
