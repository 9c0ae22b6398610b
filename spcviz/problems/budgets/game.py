"""The game of the day: one batch of words a date and three budgets, the same for all who open its address.

The date is the seed. It stands in the address, so that a link restores its game on any day; without one it is
today's by the clock of the world (UTC), the same for everybody. What is bought stays bought: each round's
budget is what may have been spent by its end.
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
"""Of a day in an address: what is no date of the calendar counts as none."""
SHARES = (0.1, 0.25, 0.5)
"""Budgets of the rounds, of buying everything."""
N_WORDS = 24
FIXED = {"task": "words", "vocabulary": "open", "words": N_WORDS, "extractor": "library", "kind": "units"}
"""What the address cannot change in a game."""
SEEDS = 1_000_000


def day_of(text: str, today: date | None = None) -> date:
    """The day of an address, today's where it names none.

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
    """Of the batch of a day: its number in the calendar.

    >>> seed_of(date(2026, 11, 28)) - seed_of(date(2026, 11, 27))
    1
    """
    return day.toordinal() % SEEDS


def apply_game(state: Mapping[str, Any], today: date | None = None) -> dict[str, Any]:
    """A page's state with what its game fixes; another mode's as it is."""
    if state["mode"] != MODE:
        return dict(state)
    day = day_of(state["day"], today)
    return dict(state) | FIXED | {"day": day.isoformat(), "seed": seed_of(day)}


def table(batch: TradeOff) -> games.Game:
    """What whole words cost and bring, by which a room works out the results of phones."""
    parts, count = batch.n_faults * np.array([len(truth) for truth in batch.truths]), facts.counter(batch)
    wrong = [[count(word, read) for word, read in enumerate(readings)] for readings in batch.hand_readings]
    budgets = games.budgets_of(batch.full_units, SHARES)
    right, costs = parts - np.array(wrong), np.asarray(batch.hand_units)
    return games.Game(budgets, float(batch.hand_base_units), costs, right, int(parts.sum()))


def poll(state: Mapping[str, Any], batch: TradeOff, room: str) -> dict[str, Any]:
    """What a class is asked: to play a batch; phones are led to it, and their results worked out by it."""
    day = day_of(state["day"]).isoformat()
    address, asked = f"trade_off?mode={MODE}&day={day}", table(batch)
    games.keep(address, asked)
    return {
        "ask": f"Beat the policy: the batch of {day}. How many letters can you get right?",
        "choices": [],
        "link": f"{address}&in={room}",
        "most": asked.best(),
    }
