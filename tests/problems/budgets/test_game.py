"""The game of the day: dates of hostile addresses, the oracle against enumeration, counts of its rounds."""

import itertools
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.budgets import spending, task
from spcviz.problems.budgets.spending import trade_off_table
from spcviz.web.classroom import games
from spcviz.web.classroom.rooms import RoomError, Rooms
from spcviz.web.transport.clients import Phone
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
    state = spending.apply_game(TABLE.parse({"mode": "game", "day": day}), TODAY)
    assert (state["day"], state["seed"]) == ("2026-11-27", spending.seed_of(TODAY))


@given(st.dates(date(2000, 1, 1), date(2099, 12, 31)))
def test_a_day_is_its_own_seed_and_its_address_restores_it(day):
    state = spending.apply_game(TABLE.parse({"mode": "game", "day": day.isoformat()}), TODAY)
    assert state["day"] == day.isoformat()
    assert state["seed"] == spending.seed_of(day) < spending.SEEDS
    assert TABLE.parse(TABLE.encode(state))["day"] == day.isoformat()
    assert (state["seed"] - spending.seed_of(date(2000, 1, 1))) == (day - date(2000, 1, 1)).days


def test_an_address_changes_no_batch_of_a_game():
    asked = {"mode": "game", "day": "2026-11-27", "seed": "7", "words": "120", "task": "arms", "kind": "us"}
    state = spending.apply_game(TABLE.parse(asked))
    assert state | spending.FIXED == state
    assert state["seed"] == spending.seed_of(TODAY)
    assert spending.apply_game(TABLE.parse(asked | {"mode": "hand"}))["seed"] == 7


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


BATCH = batch(np.random.default_rng(3), n_words=24)
BATCH = BATCH._replace(faults=BATCH.faults & 1)  # a letter can be wrong in one way
STATE = {"day": "2026-11-27"}
TOY = games.Game((1.0, 3.0, 6.0), 0.0, np.array([[0, 0, 0], [1, 2, 1], [1, 9, 3]]),
                 np.array([[1, 0, 2], [2, 3, 2], [4, 3, 1]]), 10)  # fmt: skip


def code(numbers):
    return ".".join(np.base_repr(n, 36).lower() for n in numbers)


def purchases(table, rng):
    """A game played to its end at random: (picks, cuts) as a phone sends them."""
    level, spent, picks, cuts = np.zeros(table.cost.shape[1], dtype=int), table.base, [], []
    for budget in table.budgets:
        for _ in range(200):
            thing = int(rng.integers(len(level)))
            if level[thing] + 1 < len(table.cost) and spent + table.cost[level[thing] + 1, thing] <= budget:
                level[thing] += 1
                spent += table.cost[level[thing], thing]
                picks.append(thing)
            if len(picks) == 100:
                break
        cuts.append(len(picks))
    return code(picks), code(cuts)


@needs_node
def test_a_result_is_worked_out_as_the_phone_shows_it(tmp_path):
    """The same purchases give the sum that the page sends."""
    rng = np.random.default_rng(11)
    cases = [batch(rng, n_words=24) for _ in range(20)]
    tables = [spending.game_table(case) for case in cases]
    played = [purchases(table, rng) for table in tables]
    assert sum(len(picks) > 0 for picks, _ in played) > 15
    body = (
        UNPACK
        + """
    const parsed = (text) => (text ? text.split(".").map((n) => parseInt(n, 36)) : []);
    process.stdout.write(JSON.stringify(data.batches.map((batch, k) => {
      const [picks, cuts] = data.played[k].map(parsed), start = core.offsets(batch.truths);
      const at = (cut, r) => core.handState(batch, start, picks.slice(0, cut), "units", data.budgets[k][r]);
      return cuts.map((cut, r) => at(cut, r).wrong);
    })));"""
    )
    told = {
        "batches": [sent(case) for case in cases],
        "played": played,
        "budgets": [t.budgets for t in tables],
    }
    seen = run_node(tmp_path, "problems/budgets/view/trade_core.js", body, told)
    for table, (picks, cuts), wrongs in zip(tables, played, seen, strict=True):
        assert table.result(picks, cuts) == sum(table.n_parts - n for n in wrongs)


def test_a_result_counts_every_round():
    """No purchase gives 3 + 3 + 3; the first thing, again, then the second give 4, 6, 9 right."""
    assert TOY.result("", "0.0.0") == 9
    assert TOY.result("0.0.1", "1.2.3") == 4 + 6 + 9
    assert TOY.result("0.0.1", "0.0.3") == 3 + 3 + 9


@pytest.mark.parametrize(
    ("picks", "cuts", "message"),
    [
        ("", "", "cuts must hold one for each of 3 rounds, got 0"),
        ("0", "1.1", "cuts must hold one for each of 3 rounds, got 2"),
        ("0", "1.1.1.1", "cuts must hold one for each of 3 rounds, got 4"),
        ("0.0", "2.1.2", "cuts must rise to the number of picks, 2"),
        ("0", "0.0.9", "cuts must rise to the number of picks, 1"),
        ("0.0", "1.1.1", "cuts must rise to the number of picks, 2"),
        ("3", "0.0.1", "picks must name what can be bought, got 3 at 1"),
        ("zz", "0.0.1", "picks must name what can be bought, got 1295 at 1"),
        ("0.0.0", "0.0.3", "picks must name what can be bought, got 0 at 3"),
        ("1", "1.1.1", "picks must cost at most 1 by the end of round 1, got 2"),
        ("1.1", "0.0.2", "picks must cost at most 6 by the end of round 3, got 11"),
        ("0,0", "0.0.2", "picks must be numbers of base 36"),
        ("-1", "0.0.1", "picks must be numbers of base 36"),
        ("A", "0.0.1", "picks must be numbers of base 36"),
        ("٠", "0.0.1", "picks must be numbers of base 36"),
        ("0\n", "0.0.1", "picks must be numbers of base 36"),
        (".".join("0" * 500), "0.0.1", "picks must be numbers of base 36"),
        (["0"], "0.0.1", "picks must be numbers of base 36"),
        ("0", None, "cuts must be numbers of base 36"),
        ("0", 111, "cuts must be numbers of base 36"),
    ],
)
def test_what_nobody_can_have_bought_is_refused_by_a_sentence(picks, cuts, message):
    with pytest.raises(ArgumentError, match=message):
        TOY.result(picks, cuts)


@given(st.text("0123az.-", max_size=12) | st.text(max_size=6), st.text("0123.", max_size=8))
def test_any_text_is_a_result_that_can_be_or_a_sentence(picks, cuts):
    try:
        result = TOY.result(picks, cuts)
    except ArgumentError as error:
        result = str(error)
    is_said = isinstance(result, str) and result.startswith(("picks must", "cuts must"))
    assert is_said or 0 <= result <= TOY.best()


@pytest.fixture
def played():
    """A room with a game as its question: (hall, number, key)."""
    hall = Rooms()
    number, key = hall.open()
    hall.put(number, key, spending.poll(STATE, BATCH, str(number)) | {"code": "page/game"})
    return hall, number, key


def several(n):
    """Different results, the best first, each with its purchases."""
    table, found, rng = spending.game_table(BATCH), {}, np.random.default_rng(5)
    while len(found) < n:
        picks, cuts = purchases(table, rng)
        found.setdefault(table.result(picks, cuts), (picks, cuts))
    return sorted(found.items(), reverse=True)


def tell(hall, number, who, result):
    value, bought = result
    hall.answer(number, who, 1, value, "", *bought)


def test_a_class_is_ranked_without_names(played):
    hall, number, key = played
    best, second, last = several(3)
    for at, result in enumerate((second, best, second, last)):
        tell(hall, number, phone(at), result)
    places = [hall.describe(number, "", phone(at))["place"] for at in range(4)]
    assert places == [2, 1, 2, 4]
    assert hall.describe(number, key)["ranking"] == [[best[0], 1], [second[0], 2], [last[0], 1]]
    stranger = hall.describe(number, "", phone(9))
    assert not {"place", "ranking", "guesses", "counts"} & set(stranger)
    assert "ranking" not in hall.describe(number, "", phone(0))
    assert f"in={number}" in stranger["link"]


@pytest.mark.parametrize("value", [10**5, -1, 1.5, 1e9, float("nan"), "5", None, True, [3], 10**40])
def test_what_is_no_result_of_a_game_is_refused(played, value):
    hall, number, key = played
    with pytest.raises(RoomError):
        hall.answer(number, phone(1), 1, value)
    assert hall.describe(number, key)["ranking"] == []


def test_a_result_that_was_not_played_is_refused(played):
    """A phone's claim must equal the result of its purchases, or it is refused."""
    hall, number, key = played
    ((value, bought),) = several(1)
    with pytest.raises(RoomError, match=f"must be what these purchases come to, {value}, got {value + 1}"):
        hall.answer(number, phone(1), 1, value + 1, "", *bought)
    with pytest.raises(RoomError, match="cuts must hold one for each of 3 rounds, got 0"):
        hall.answer(number, phone(1), 1, value)
    with pytest.raises(RoomError, match="cuts must rise to the number of picks"):
        hall.answer(number, phone(1), 1, value, "", bought[0] + ".zz", bought[1])
    assert hall.describe(number, key)["ranking"] == []
    tell(hall, number, phone(1), (value, bought))
    assert hall.describe(number, key)["ranking"] == [[value, 1]]


def test_a_room_asks_only_for_a_game_whose_page_is_open_here():
    hall = Rooms()
    number, key = hall.open()
    asked = spending.poll(STATE, BATCH, str(number)) | {"code": "x"}
    for link in ("", "trade_off?mode=game&day=1999-01-01&in=1234567", f"letters?in={number}"):
        with pytest.raises(RoomError, match="a game must be asked from its own page"):
            hall.put(number, key, asked | {"link": link})
    with pytest.raises(RoomError, match=f"most must be what this game can bring, {asked['most']}, got 5"):
        hall.put(number, key, asked | {"most": 5})
    assert not hall.describe(number, key)["isAsking"]


def test_games_are_bounded_and_a_room_keeps_its_own(played):
    hall, number, key = played
    for at in range(games.MOST_KEPT + 5):
        games.keep(f"trade_off?mode=game&day={at}", TOY)
    assert len(games._KEPT) == games.MOST_KEPT
    (result,) = several(1)
    tell(hall, number, phone(1), result)
    assert hall.describe(number, key)["ranking"] == [[result[0], 1]]
    games._KEPT.clear()


@pytest.mark.parametrize("most", [-1, 1.5, "3", True, None, [], 10**7, float("inf")])
def test_what_is_no_best_result_is_refused(most):
    hall = Rooms()
    number, key = hall.open()
    with pytest.raises(RoomError, match="most must be a whole number"):
        hall.put(number, key, {"code": "x", "ask": "x", "choices": [], "most": most})
    with pytest.raises(RoomError, match="most must go without choices"):
        hall.put(number, key, {"code": "x", "ask": "x", "choices": ["a", "b"], "most": 3})


def test_the_wall_shows_so_many_places(played):
    hall, number, key = played
    every = several(30)
    for at, result in enumerate(every):
        tell(hall, number, phone(at), result)
    assert [value for value, _ in hall.describe(number, key)["ranking"]] == [value for value, _ in every[:20]]
