"""State of the Trade-off page in its address, and the game of the day, which fixes a part of it.

A game's date is its seed. It is in the address, so that a link restores its game on any day; without a date,
the game is today's by UTC, the same for everybody. Purchases are kept from round to round: each round's
budget is the total that may have been spent by its end.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from spcviz.problems.budgets import facts
from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.budgets.task import TradeTask
from spcviz.web.classroom import games
from spcviz.web.ui.state import PIN, Field, StateTable, choice, flag, real, text, whole

MODE = "game"
PATTERN = r"(?:20[0-9]{2}-[01][0-9]-[0-3][0-9])?"
"""Pattern of a day in an address; one that is not in the calendar counts as no day."""
SHARES = (0.1, 0.25, 0.5)
"""Budgets of a game's rounds, as shares of the cost of everything."""
N_WORDS = 24
FIXED = {"task": "words", "vocabulary": "open", "words": N_WORDS, "extractor": "library", "kind": "units"}
"""Fields that the address cannot change in a game."""
SEEDS = 1_000_000

BROWSER_FIELDS = (
    real("budget", 0.1, 0.0, 1.0),
    text("method", "dms_pi", r"[a-z_]{1,24}"),
    choice("kind", "units", ("units", "us")),
    choice("mode", "policy", ("policy", "hand", MODE)),
    text("picks", "", r"(?:[0-9a-z]{1,2}(?:\.[0-9a-z]{1,2}){0,119})?"),
    flag("scored", False),
    text("day", "", PATTERN, longest=10),
    text("cuts", "", r"(?:[0-9a-z]{1,2}(?:\.[0-9a-z]{1,2}){0,2})?"),
    text("pin_a", "", PIN),
    text("pin_b", "", PIN),
)
SET_BY_BROWSER = tuple(field.name for field in BROWSER_FIELDS)
"""Fields that the browser owns in every task. `budget` is a share of the cost of everything; `picks` are
chains bought by hand (base 36); `day` and `cuts` are a game's date and the number of picks at the end of each
finished round; `pin_a` and `pin_b` are a method and a budget each, to compare. A task's `looks` follow."""
_DOORS = ("task", "controls")
"""Names that an address may have and still name no more than its task."""


class SpendingTable(StateTable):
    """A page's state whose address opens the task's own scene if it names no more than the task.

    An address that names anything else is taken literally, with the fields' defaults for the rest. A link
    thus keeps its meaning when the stored evidence, and with it the scene, changes.

    >>> fields = choice("task", "words", ("words",)), real("budget", 0.1, 0, 1), whole("seed", 0, 0, 9)
    >>> table = SpendingTable(*fields, scene=lambda task: {"budget": 0.5})
    >>> table.parse({})["budget"], table.parse({"seed": "3"})["budget"]
    (0.5, 0.1)
    >>> table.encode({"task": "words", "budget": 0.5, "seed": 0})
    {}
    >>> table.encode({"task": "words", "budget": 0.1, "seed": 0})
    {'budget': '0.1'}
    """

    def __init__(self, *fields: Field, scene: Callable[[str], Mapping[str, Any]]):
        super().__init__(*fields)
        self.scene = scene

    def parse(self, params: Mapping[str, str]) -> dict:
        """State from the URL's parameters, as in `StateTable.parse`."""
        params = getattr(params, "to_dict", lambda: params)()
        state = super().parse(params)
        is_door = not any(name in self.fields and name not in _DOORS for name in params)
        return self.clean(state | dict(self.scene(state["task"]))) if is_door else state

    def _encode_state(self, state, kept):
        """Only `_DOORS` in the task's own scene, else all fields that are not the default."""
        out = super()._encode_state(state, kept)
        door = {name: value for name, value in out.items() if name in _DOORS}
        if not kept and state == self.parse(door):
            return door
        return out | {"budget": repr(state["budget"])} if out == door else out


def trade_off_table(
    tasks: Mapping[str, TradeTask], scene: Callable[[str], Mapping[str, Any]] = lambda _: {}
) -> SpendingTable:
    """The Trade-off page's table for tasks by problem name; `scene` returns the state that a task opens with.

    Tasks name their own sizes, choices and looks: `ValueError` for a name that also means something else.
    """
    every = (kind for task in tasks.values() for kind in (*(task.kinds or {}), *(task.elsewhere or {})))
    kinds = tuple(dict.fromkeys(every)) or ("",)
    shared = (
        choice("task", next(iter(tasks)), tuple(tasks)),
        choice("vocabulary", kinds[0], kinds),
        whole("size", 0, 0, 999),
        whole("seed", 0, 0, 999_999),
        *BROWSER_FIELDS,
        flag("controls", True),
    )
    return SpendingTable(*shared, *_own_fields(tasks, {field.name for field in shared}), scene=scene)


def looks_of(tasks: Mapping[str, TradeTask]) -> tuple[str, ...]:
    """Names that any task's JavaScript keeps in the address."""
    return tuple(dict.fromkeys(name for task in tasks.values() for name in task.looks))


def _own_fields(tasks, taken):
    """The tasks' own fields, each name once."""
    fields = {}
    for key, task in tasks.items():
        for field in _fields_of(task):
            of = f"{field.name!r} of task {key!r}"
            if field.name in taken:
                raise ValueError(f"{of} must be a name of its own, got one of the page's")
            if fields.setdefault(field.name, field) != field:
                raise ValueError(f"{of} must be what it is of the others, got {field}")
    return fields.values()


def _fields_of(task):
    if task.size != "size":  # the shared name, 0 = the task's default
        first = next(iter(task.batches))
        yield whole(task.size, task.batch or first, min(task.batches), max(task.batches), tuple(task.batches))
    for one in task.choices:
        yield choice(one.name, next(iter(one.options)), tuple(one.options))
    for name, most in task.looks.items():
        yield whole(name, 0, 0, most)


def apply_game(state: Mapping[str, Any], today: date | None = None) -> dict[str, Any]:
    """A page's state with the fields its game fixes; in any other mode, unchanged."""
    if state["mode"] != MODE:
        return dict(state)
    day = day_of(state["day"], today)
    return dict(state) | FIXED | {"day": day.isoformat(), "seed": seed_of(day)}


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
