"""Records for the Orders and features page to draw, with labels of methods and tiers: numpy only."""

from typing import NamedTuple

import numpy as np

DATA = {"ocr": "handwritten words as given", "open": "open vocabulary, unseen words"}
SHOWN = DATA | {"dev": "open vocabulary, development words"}
"""Sets of words on the page: the last is held out for choosing settings and read by the model of "open"."""
METHODS = {
    "spc_pi": ("SPC-π", "raises orders and buys features, by a policy learned from whole trajectories"),
    "rounds": ("SPC-π in rounds", "as SPC-π, but all good actions of a word are done in one sweep"),
    "whole_words": (
        "SPC-π by whole words",
        "reads whole words again by a fixed cascade, where a chain of pairs predicts that it mends most",
    ),
    "portfolio": ("Portfolio", "divides a batch between all of these as development words favour"),
    "greedy": ("Greedy", "both, by the predicted gain of the next action alone"),
    "order_only": ("Orders alone", "raises orders only, by a learned policy; pixels are all it sees"),
    "dms_pi": ("DMS-π", "buys features only, on a chain of bigrams (chapter 7)"),
    "spc": ("SPC", "fixed orders 1 to 6 for all letters (chapter 4)"),
    "random": ("Random", "both, by chance"),
}
"""Methods of the result: label, and what each does."""
VARIANTS = ("spc_pi", "rounds", "whole_words", "portfolio")
"""The methods that buy orders and features together; the result compares them with the others."""

TIERS = ("pixels", "coarse edges", "fine edges")


class Step(NamedTuple):
    """A word of L letters between two actions."""

    order: np.ndarray  # (L,)
    tier: np.ndarray  # (L,)
    reading: str
    grams: tuple  # the best few survivors of each letter's factor, best first
    gram_values: tuple  # their max-marginals, less the best
    counts: np.ndarray  # (L,): how many survive in all
    # (L, 2): the controller's values: letters corrected per microsecond, by raising the order and by buying
    # the next features; NaN where there is no such action
    values: np.ndarray
    # kind (0 order, 1 features) and letter of the action that led here; (-1, -1) at the beginning
    action: tuple
    filtered: tuple  # number of its factor's assignments before and after the filter
    us: float  # spent so far


class HybridCourse(NamedTuple):
    """All steps of a word; the first is before any action."""

    steps: tuple


class HybridWord(NamedTuple):
    """A word under the controller and, if a visitor has taken over, by hand."""

    word_id: int
    truth: str
    pixels: np.ndarray  # (L, 16, 8), uint8
    data: str
    courses: tuple  # the controller's; then, if a visitor has taken over, the visitor's
    # taken_at, n_hand: number of actions before the takeover, -1 if none; number of actions by hand
    taken_at: int
    n_hand: int
    opening: int  # the step that the page opens at, with a graph that has grown


def opening_step(course, truth, least=4):
    """The step (`least` or later) from which a trajectory reads the word right to its end; else its last."""
    last, step = len(course.steps) - 1, len(course.steps)
    while step > 0 and course.steps[step - 1].reading == truth:
        step -= 1
    return min(max(step, least), last)
