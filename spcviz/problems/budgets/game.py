"""The game of the day: one batch of words per date, three budgets, the same for all who open its address.

The date is the seed. It is in the address, so that a link restores its game on any day; without a date, the
game is today's by UTC, the same for everybody. Purchases are kept: each round's budget is the total that may
have been spent by its end.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from spcviz.problems.budgets import facts
from spcviz.problems.budgets.shown import TradeOff
from spcviz.web.classroom import games

MODE = "game"
PATTERN = r"(?:20[0-9]{2}-[01][0-9]-[0-3][0-9])?"
"""Pattern of a day in an address; one that is not in the calendar counts as no day."""
SHARES = (0.1, 0.25, 0.5)
"""Budgets of the rounds, as shares of the cost of everything."""
N_WORDS = 24
FIXED = {"task": "words", "vocabulary": "open", "words": N_WORDS, "extractor": "library", "kind": "units"}
"""Fields that the address cannot change in a game."""
SEEDS = 1_000_000


def day_of(text: str, today: date | None = None) -> date:
    """The day of an address, or today if it names none.

    >>> day_of("2026-11-27"), day_of("2026-02-30", date(2026, 3, 1))
    (datetime.date(2026, 11, 27), datetime.date(2026, 3, 1))
    """
    if text and re.fullmatch(PATTERN, text, re.ASCII):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass  # the 30th of February
    return today or datetime.now(UTC).date()


def seed_of(day: date) -> int:
    """Seed of a day's batch: the day's number in the calendar.

    >>> seed_of(date(2026, 11, 28)) - seed_of(date(2026, 11, 27))
    1
    """
    return day.toordinal() % SEEDS


def apply_game(state: Mapping[str, Any], today: date | None = None) -> dict[str, Any]:
    """A page's state with the fields its game fixes; in any other mode, unchanged."""
    if state["mode"] != MODE:
        return dict(state)
    day = day_of(state["day"], today)
    return dict(state) | FIXED | {"day": day.isoformat(), "seed": seed_of(day)}


def game_table(batch: TradeOff) -> games.Game:
    """Costs and right letters of whole words, from which a room computes the results of phones."""
    parts, count = batch.n_faults * np.array([len(truth) for truth in batch.truths]), facts.counter(batch)
    wrong = [[count(word, read) for word, read in enumerate(readings)] for readings in batch.hand_readings]
    budgets = games.budgets_of(batch.full_units, SHARES)
    right, costs = parts - np.array(wrong), np.asarray(batch.hand_units)
    return games.Game(budgets, float(batch.hand_base_units), costs, right, int(parts.sum()))


def poll(state: Mapping[str, Any], batch: TradeOff, room: str) -> dict[str, Any]:
    """A poll that asks a class to play a batch; phones are led to it, and it determines their results."""
    day = day_of(state["day"]).isoformat()
    address, asked = f"trade_off?mode={MODE}&day={day}", game_table(batch)
    games.keep(address, asked)
    return {
        "ask": f"Beat the policy: the batch of {day}. How many letters can you get right?",
        "choices": [],
        "link": f"{address}&in={room}",
        "most": asked.best(),
    }
