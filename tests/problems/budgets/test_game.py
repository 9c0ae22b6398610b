"""The game of the day: dates of hostile addresses, the oracle against enumeration, what its rounds count."""

import itertools
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.problems.budgets import game, task
from spcviz.problems.budgets.spending import trade_off_table
from spcviz.web.classroom.rooms import RoomError, Rooms
from spcviz.web.serving.tokens import Phone
from tests.node import needs_node, run_node
from tests.problems.budgets.test_view import UNPACK, batch, sent, wrong

TABLE = trade_off_table(task.trade_tasks())
TODAY = date(2026, 11, 27)


@pytest.mark.parametrize(
    "day",
    ["2026-02-30", "2026-13-01", "2026-00-10", "1999-01-01", "20260101", "2026-1-1", "٢٠٢٦-٠١-٠١",
     "2026-01-01T00", "<b>x</b>", "'; drop", "9" * 5000, "2026-01-01\n", ""],
)  # fmt: skip
def test_what_is_no_day_is_todays_game(day):
    state = game.played(TABLE.parse({"mode": "game", "day": day}), TODAY)
    assert (state["day"], state["seed"]) == ("2026-11-27", game.seed_of(TODAY))


@given(st.dates(date(2000, 1, 1), date(2099, 12, 31)))
def test_a_day_is_its_own_seed_and_its_address_restores_it(day):
    state = game.played(TABLE.parse({"mode": "game", "day": day.isoformat()}), TODAY)
    assert state["day"] == day.isoformat()
    assert state["seed"] == game.seed_of(day) < game.SEEDS
    assert TABLE.parse(TABLE.encode(state))["day"] == day.isoformat()
    assert (state["seed"] - game.seed_of(date(2000, 1, 1))) == (day - date(2000, 1, 1)).days


def test_an_address_changes_no_batch_of_a_game():
    asked = {"mode": "game", "day": "2026-11-27", "seed": "7", "words": "120", "task": "arms", "kind": "us"}
    state = game.played(TABLE.parse(asked))
    assert state | game.FIXED == state
    assert state["seed"] == game.seed_of(TODAY)
    assert game.played(TABLE.parse(asked | {"mode": "hand"}))["seed"] == 7


@needs_node
def test_the_oracle_is_the_best_of_all_whole_purchases(tmp_path):
    rng = np.random.default_rng(8)
    cases, budgets = [batch(rng, n_words=5) for _ in range(12)], [-1, 0, 1, 3, 7, 11, 100]
    body = (
        UNPACK
        + """
    process.stdout.write(JSON.stringify(data.batches.map((batch) => data.budgets.map((budget) =>
      core.oracleAt(batch, core.offsets(batch.truths), "units", budget).wrong))));"""
    )
    seen = run_node(
        tmp_path,
        "problems/budgets/view/trade_core.js",
        body,
        {"batches": [sent(case) for case in cases], "budgets": budgets},
    )
    for case, row in zip(cases, seen):
        upto = np.cumsum(case.hand_units, axis=0)
        every = list(itertools.product(range(3), repeat=5))
        for budget, found in zip(budgets, row):
            fits = [tiers for tiers in every if upto[tiers, range(5)].sum() <= budget] or [every[0]]
            best = min(wrong(case, [case.hand_readings[t][w] for w, t in enumerate(tiers)]) for tiers in fits)
            assert found == best


@needs_node
def test_rounds_of_an_address_are_those_that_can_be(tmp_path):
    cuts = [[], [3], [3, 5, 9], [5, 3], [9, 9, 9], [10], [1, 2, 3, 4], [None, 2]]
    body = "process.stdout.write(JSON.stringify(data.cuts.map((c) => core.roundsOf(c, 9, 3))));"
    seen = run_node(tmp_path, "problems/budgets/view/trade_core.js", body, {"cuts": cuts})
    assert seen == [[], [3], [3, 5, 9], [5], [9, 9, 9], [], [1, 2, 3], []]


def phone(number):
    return Phone(f"{number:032x}", False)


@pytest.fixture
def played():
    """A room in which a game is asked, with its key."""
    hall = Rooms()
    number, key = hall.open()
    hall.put(number, key, game.poll({"day": "2026-11-27"}, 100, str(number)) | {"code": "page/game"})
    return hall, number, key


def test_a_class_is_ranked_without_names(played):
    hall, number, key = played
    for at, right in enumerate((250, 280, 250, 199)):
        hall.answer(number, phone(at), 1, right)
    places = [hall.shown(number, "", phone(at))["place"] for at in range(4)]
    assert places == [2, 1, 2, 4]
    assert hall.shown(number, key)["ranking"] == [[280, 1], [250, 2], [199, 1]]
    stranger = hall.shown(number, "", phone(9))
    assert not {"place", "ranking", "guesses", "counts"} & set(stranger)
    assert "ranking" not in hall.shown(number, "", phone(0))
    assert f"in={number}" in stranger["link"]


@pytest.mark.parametrize("value", [301, -1, 1.5, 1e9, float("nan"), "5", None, True, [3], 10**40])
def test_what_is_no_result_of_a_game_is_refused(played, value):
    hall, number, key = played
    with pytest.raises(RoomError):
        hall.answer(number, phone(1), 1, value)
    assert hall.shown(number, key)["ranking"] == []


@pytest.mark.parametrize("most", [-1, 1.5, "3", True, None, [], 10**7, float("inf")])
def test_what_is_no_best_result_is_refused(most):
    hall = Rooms()
    number, key = hall.open()
    with pytest.raises(RoomError, match="most must be a whole number"):
        hall.put(number, key, {"code": "x", "ask": "x", "choices": [], "most": most})
    with pytest.raises(RoomError, match="most must go without choices"):
        hall.put(number, key, {"code": "x", "ask": "x", "choices": ["a", "b"], "most": 3})


def test_the_wall_shows_so_many_places():
    hall = Rooms()
    number, key = hall.open()
    hall.put(number, key, {"code": "x", "ask": "x", "choices": [], "most": 300})
    for at in range(100):
        hall.answer(number, phone(at), 1, at)
    assert [value for value, _ in hall.shown(number, key)["ranking"]] == list(range(99, 79, -1))
