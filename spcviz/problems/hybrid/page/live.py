"""Read one word action by action, for the Orders and features page."""

import contextlib
import re

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.variable_order.actions import BUY, RAISE
from spcviz.learning.hybrid import policy, trace
from spcviz.problems.hybrid.model import stored as models
from spcviz.problems.hybrid.model import times
from spcviz.problems.hybrid.model.times import BOTH
from spcviz.problems.hybrid.model.worlds import N_ORDERS
from spcviz.problems.hybrid.shown import SHOWN, HybridCourse, HybridWord, Step, opening_step
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as open_data
from spcviz.problems.open_words.data.word_images import TEST_FOLD
from spcviz.store import StoreError

N_OFFERED = 60
FIRST = {"ocr": "verdict", "open": "verdict", "dev": "weeks"}
"""The word offered first, where it exists. The page opens with the development words' one. It was chosen from
the words on offer with at most `WIDEST` letters whose reading never gets worse and is right from a point
between a quarter and two thirds of all actions on: the one with most letters wrong at the beginning and, of
several, the longest. A test repeats the choice.
"""
WIDEST = 8
"""The most letters that fit next to the curve."""
HAND = r"(\d{1,3}:([rb]\d{1,2}(\.|$))*)?"
"""Actions by hand as text: the number of the controller's before them, then r or b and the letter, from 1."""
KINDS = {"r": RAISE, "b": BUY}


def list_words(data):
    """Test words that can be shown: (place, text), words of 5 letters and more, no text twice."""
    if data == "ocr":
        words = letters.load_words()
        places = np.flatnonzero(words.folds == TEST_FOLD)
    else:
        words = _open(data)
        places = np.arange(len(words.lengths))
    place_of = {}
    for place in places[words.lengths[places] >= 5].tolist():
        place_of.setdefault(words.text(place), place)
        if len(place_of) == N_OFFERED:
            break
    opening = [FIRST[data]] if FIRST[data] in place_of else []
    return {place_of[text]: text for text in [*opening, *(text for text in place_of if text not in opening)]}


def _open(data):
    return open_data.load_set("dev" if data == "dev" else "unseen").words


def count_words(data):
    """Number of words of a kind, whether offered or not."""
    return len((letters.load_words() if data == "ocr" else _open(data)).lengths)


def pixels_of(data, place):
    """Letter images and letters of a word."""
    words = letters.load_words() if data == "ocr" else _open(data)
    span = slice(*words.starts[place : place + 2])
    return words.pixels[span], words.labels[span]


def read_hand(text):
    """(number of the controller's actions, actions by hand), None for an empty text; `ArgumentError` for an
    invalid one.

    >>> read_hand("2:r4.b3")
    (2, ((0, 3), (1, 2)))
    """
    if not isinstance(text, str) or not re.fullmatch(HAND, text):
        raise ArgumentError(f"hand must be like 2:r4.b3, got {text!r:.40}")
    if not text:
        return None
    begin, actions = text.split(":")
    parts = [part for part in actions.split(".") if part]
    return int(begin), tuple((KINDS[part[0]], int(part[1:]) - 1) for part in parts)


def word(model: models.HybridModel, data: str, place: int, hand: str = "") -> HybridWord:
    """A word under the controller and, with actions by `hand` (`ArgumentError` if invalid), under both."""
    pixels, truth = pixels_of(data, place)
    unary = models.scores_of(model, pixels)
    learned, hand_actions = model.learned.model, read_hand(hand)
    rule = policy.rule_of(learned, model.prices, BOTH, beta=model.learned.spc_pi)
    states = trace.trace(unary, learned, rule)
    courses = [_course(states, model)]
    if hand_actions is not None:
        n, actions = hand_actions
        if n >= len(states):
            raise ArgumentError(f"hand must begin at one of {len(states)} states, got {n}")
        forced = [state.done for state in states[1 : n + 1]] + list(actions)
        courses.append(_course(trace.trace(unary, learned, rule, forced), model))
    spelled, taken_at, by_hand = _spell_labels(truth), *(hand_actions or (-1, ()))
    opening = opening_step(courses[-1], spelled)
    about = int(place), spelled, np.array(pixels), SHOWN[data]
    return HybridWord(*about, tuple(courses), taken_at, len(by_hand), opening)


def _course(states, model):
    clock, length = model.clock, len(states[0].labels)
    us = length * (clock.score[0] + clock.letter) + clock.valued * states[0].work[2]
    bought, steps = times.bought_us(clock), []
    for state in states:
        if state.done is not None:
            us += clock.action + clock.made * state.work[0] + clock.passed * state.work[1]
            us += clock.valued * state.work[2] + bought[max(state.block - N_ORDERS + 2, 0)]
        steps.append(_step(state, us))
    return HybridCourse(tuple(steps))


def _step(state, us):
    return Step(
        state.order,
        state.tier,
        _spell_labels(state.labels),
        tuple(tuple(_spell_labels(gram) for gram in factor.grams) for factor in state.factors),
        tuple(factor.values for factor in state.factors),
        np.array([factor.count for factor in state.factors]),
        np.where(np.isfinite(state.values), state.values, np.nan),
        (-1, -1) if state.done is None else state.done,
        (state.n_in, state.n_kept),
        float(us),
    )


def _spell_labels(labels):
    return "".join(letters.ALPHABET[k] for k in labels)


def warmup(stored):
    """Compile what the page calls, with the stored model, if there is one."""
    with contextlib.suppress(StoreError):
        word(models.load(stored, "ocr"), "ocr", next(iter(list_words("ocr"))))
