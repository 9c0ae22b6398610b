"""Python side of the Parsing view: the browser gets every tree after every purchase of every policy."""

import numpy as np

from spcviz.problems.budgets.task import short
from spcviz.problems.parsing.shown import MAIN, TERMS, ParsedSentence, PolicyCourse
from spcviz.web.view.mount import Component, PackedPart, packed_of, viewer

VIEW_NAMES = ("spend", "policy", "arc", "rows")
"""Fields that the browser owns: `spend` as a share of the words, `policy`, the word whose arc is chosen, from
1 (0 is none), and which policies have a row."""

PARSING = Component(
    "spcviz_parsing",
    ("web/view/bar.css", "web/view/more.css", "problems/parsing/view/parsing.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/more.js",
        "problems/parsing/view/parsing_core.js",
        "problems/parsing/view/parsing.js",
    ),
    VIEW_NAMES,
)
show_parsing = viewer(PARSING)
NOTHING = 255
"""Stands for a head that does not exist."""


def course_payload(trajectory):
    """A `PolicyCourse` for the browser: its tables row by row."""
    other = np.where(trajectory.other < 0, NOTHING, trajectory.other)
    return {
        "name": trajectory.name,
        "label": short(trajectory.label, TERMS),
        "main": trajectory.name in MAIN,
        "help": trajectory.help,
        "order": np.asarray(trajectory.order).tolist(),
        "heads": np.asarray(trajectory.heads).astype(np.uint8),
        "other": other.astype(np.uint8),
        "score": np.round(trajectory.score, 3).tolist(),
        "without": np.asarray(trajectory.without, dtype=float),
        "values": np.asarray(trajectory.values, dtype=float),
        "us": np.round(trajectory.us, 2).tolist(),
    }


def parsing_payload(
    sentence: ParsedSentence, identity: str, *, stop: int | None = None
) -> tuple[dict, dict[str, PackedPart]]:
    """(data sent on every run, data sent once); `identity` identifies the sentence and the models.

    Where a question hides what is bought after `stop` words, only what comes before is sent, without the
    policies' values of the next purchase.
    """
    if stop is None:
        return {"identity": identity}, {"sentence": packed_of(sentence, sentence_part)}
    before = packed_of(sentence, part_before, stop)
    return {"identity": f"{identity}|{stop}", "stop": stop}, {"sentence": before}


def cut_off(course: PolicyCourse, stop: int) -> PolicyCourse:
    """A policy's first purchases, `stop` of them, and nothing after them."""
    names = ("heads", "score", "other", "without", "us")
    values = np.array(course.values[: stop + 1], dtype=float)
    values[stop:] = np.nan
    kept = {name: getattr(course, name)[: stop + 1] for name in names}
    return course._replace(order=course.order[:stop], values=values, **kept)


def sentence_part(sentence):
    """A sentence and its trajectories for the browser."""
    return {
        "words": list(sentence.words),
        "tags": list(sentence.tags),
        "meanings": sentence.meanings,
        "truth": None if sentence.truth is None else sentence.truth.tolist(),
        "full_us": float(sentence.full_us),
        "courses": [course_payload(trajectory) for trajectory in sentence.courses],
    }


def part_before(sentence, stop):
    """`sentence_part` with the first `stop` purchases of each policy only."""
    return sentence_part(sentence._replace(courses=tuple(cut_off(one, stop) for one in sentence.courses)))
