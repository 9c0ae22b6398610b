"""The page's word from the stored model: an empty budget, the end, actions by hand, bad requests."""

import itertools

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.problems.hybrid.model import stored
from spcviz.problems.hybrid.page import live
from spcviz.problems.hybrid.shown import opening_step
from spcviz.shared.folders import MODELS

pytestmark = pytest.mark.skipif(
    not (MODELS / f"{stored.NAME}.json").is_file(), reason="no model: python -m spcviz train hybrid"
)


@pytest.fixture(scope="module")
def model():
    return stored.load(MODELS, "ocr")


@pytest.fixture(scope="module")
def word(model):
    return live.word(model, "ocr", next(iter(live.list_words("ocr"))))


def test_a_course_begins_with_pairs_of_letters_and_costs_grow(word):
    steps = word.courses[0].steps
    assert steps[0].order.tolist() == [1] + [2] * (len(word.truth) - 1)
    assert steps[0].tier.tolist() == [0] * len(word.truth)
    assert (np.diff([step.us for step in steps]) > 0).all()
    assert len(word.courses) == 1
    for before, after in itertools.pairwise(steps):
        kind, i = after.action
        changed = (after.order - before.order, after.tier - before.tier)[kind]
        assert changed.tolist() == [j == i for j in range(len(word.truth))]
        assert after.filtered[1] <= after.filtered[0]
        assert before.values[i, kind] == np.nanmax(before.values)


def test_a_page_opens_where_the_word_is_right_to_stay_and_some_has_grown(model, word):
    course = word.courses[0]
    right = [step.reading == word.truth for step in course.steps]
    assert 0 < word.opening < len(right)
    assert word.opening == len(right) - 1 or (all(right[word.opening :]) and word.opening >= 4)
    steps = [course.steps[0]._replace(reading=reading) for reading in ("ab", "xb", "ab", "ab", "ab", "ab")]
    assert opening_step(course._replace(steps=steps), "ab", 0) == 2
    assert opening_step(course._replace(steps=steps), "ab", 4) == 4
    assert opening_step(course._replace(steps=steps), "zz", 0) == 5


def test_by_hand_the_course_is_the_controllers_until_then(model, word):
    n = len(word.truth)
    by_hand = live.word(model, "ocr", word.word_id, f"2:r{n}.b1")
    mine, other = by_hand.courses[1].steps, by_hand.courses[0].steps
    assert (by_hand.taken_at, by_hand.n_hand) == (2, 2)
    assert [step.action for step in mine[:3]] == [step.action for step in other[:3]]
    assert [step.action for step in mine[3:5]] == [(0, n - 1), (1, 0)]
    assert len(mine) >= 5


@pytest.mark.parametrize("hand", ["x", "0:r1", "999:b1", "0:b1.b1.b1", "0:b77", "0:b1 ", 7])
def test_impossible_actions_are_refused(model, word, hand):
    with pytest.raises(ArgumentError, match=r"hand must|forced must"):
        live.word(model, "ocr", word.word_id, hand)


def test_offered_words_are_of_the_test_fold_and_all_different():
    for data in ("ocr", "open", "dev"):
        offered = live.list_words(data)
        assert len(set(offered.values())) == len(offered) > 20
        assert min(map(len, offered.values())) >= 5
    for data in ("open", "dev"):
        assert next(iter(live.list_words(data).values())) == live.FIRST[data]
