"""Rooms of a class, in memory and without names: join, answer the lecturer's question, count.

A room has a number, which stands in its address, and a key, which only the browser that opened it knows:
whoever has the key asks, shows the truth and sees the counts, everybody else answers. A room holds one
question and its answers; the next question replaces both. Rooms, answers, texts and time are bounded.

Whoever floods takes nothing from others: nobody is refused because a room or the server is full, what is
least in use gives way. Of rooms that is the emptiest; of answers those of who came in a crowd, or has not
looked at the room since (a phone looks every second or two).
"""

import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from spcviz.web.classroom import games, question
from spcviz.web.classroom.desk import Desk, order_of
from spcviz.web.classroom.question import Question, RoomError
from spcviz.web.serving.tokens import Phone

MOST_ROOMS = 300
MOST_ANSWERS = 4000
"""Of a question: several times the seats of a large hall, so that what gives way has not looked for long."""

HERE_SECONDS = 90.0
"""So long after its last sign of life a lecturer's screen counts as there; it gives one every minute."""

HERE_BEFORE = 15.0
"""A phone that looked so long before a question was asked counts as there: a hall's do every second."""

MOST_FOUND = 3
"""Solving addresses that a question keeps for the wall."""

IDLE_SECONDS = 3 * 3600.0
"""A room whose lecturer has not been seen for so long is closed."""

FIRST, LAST = 1_000_000, 9_999_999
"""Numbers of rooms: too many to be tried."""


class NoRoomError(RoomError):
    """There is no room of that number, or no more."""

    status = 404


class NotYoursError(RoomError):
    """Only who opened a room may do that."""

    status = 403


class LateError(RoomError):
    """The question that was answered is not asked any more."""

    status = 409


class FullError(RoomError):
    """As many rooms as are kept, and in each a lecturer."""

    status = 429


@dataclass
class _Room:
    key: str
    seen: float  # when its lecturer was there last
    question: Question | None = None
    game: games.Game | None = None  # what the question's results are worked out by
    n: int = 0  # questions so far
    # by a phone's number; who has looked since they answered, or did not come in a crowd, stands in `settled`
    answers: dict[str, float] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    passing: dict[str, None] = field(default_factory=dict)  # the others who answered, first come first
    looked: dict[str, float] = field(default_factory=dict)  # when a phone looked last, the longest ago first
    asked_at: float = 0.0
    found: list[str] = field(default_factory=list)  # addresses that phones say solve it
    desk: Desk | None = None

    def forget_answers(self) -> None:
        self.answers, self.settled, self.passing, self.found = {}, set(), {}, []

    def look(self, phone: Phone, now: float) -> None:
        """A phone is there."""
        self.looked.pop(phone.number, None)
        self.looked[phone.number] = now
        if len(self.looked) > MOST_ANSWERS:
            del self.looked[next(iter(self.looked))]

    def n_here(self) -> int:
        """Phones that were there when the question was asked, or came since; who answered was."""
        here = {phone for phone, at in self.looked.items() if at >= self.asked_at - HERE_BEFORE}
        return len(here | set(self.answers))

    def settle(self, phone: Phone) -> None:
        """A phone looks: what it answered stays."""
        if not phone.in_crowd and phone.number in self.passing:
            del self.passing[phone.number]
            self.settled.add(phone.number)

    def make_way(self) -> None:
        """Forget one answer: of who has not looked, else the first."""
        gone = next(iter(self.passing), None) or next(iter(self.answers))
        self.passing.pop(gone, None)
        self.settled.discard(gone)
        del self.answers[gone]


class Rooms:
    """All rooms of a server. `now` gives seconds that only ever go on."""

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._rooms: dict[int, _Room] = {}

    def open(self) -> tuple[int, str]:
        """A new room, its number and its key; where there are as many as are kept, the emptiest gives way.

        `FullError` if a lecturer is in each and all have answers.
        """
        now = self._now()
        self._rooms = {n: one for n, one in self._rooms.items() if now - one.seen < IDLE_SECONDS}
        if len(self._rooms) >= MOST_ROOMS:
            self._make_way(now)
        number = next(
            n for n in iter(lambda: FIRST + secrets.randbelow(LAST + 1 - FIRST), 0) if n not in self._rooms
        )
        self._rooms[number] = _Room(secrets.token_urlsafe(16), now)
        return number, self._rooms[number].key

    def _make_way(self, now):
        """Close the emptiest room, the one that has been alone longest among equals."""

        def use(item):
            _, room = item
            is_here = now - room.seen < HERE_SECONDS
            return bool(room.answers) and is_here, len(room.answers), room.question is not None, room.seen

        number, emptiest = min(self._rooms.items(), key=use)
        if use((number, emptiest))[0]:
            raise FullError(f"{len(self._rooms)} rooms are open, with a class in each; try again in a minute")
        del self._rooms[number]

    def close(self, number: int, key: str) -> None:
        """Close a room for good; `NotYoursError` for anybody but who opened it."""
        self._own(number, key)
        del self._rooms[number]

    def clear(self, number: int, key: str) -> None:
        """Forget all answers to the question; whoever has answered may answer again."""
        room = self._own(number, key)
        room.forget_answers()
        room.n += 1  # what phones have marked as answered is not any more

    def is_own(self, number: int, key: str) -> bool:
        """Whether there is such a room and this is its key."""
        room = self._rooms.get(number)
        return room is not None and hmac.compare_digest(key.encode(), room.key.encode())

    def _own(self, number, key):
        room = self._room(number)
        if not self._is_lecturer(room, key):
            raise NotYoursError(f"room {number} was opened by another browser")
        return room

    def put(self, number: int, key: str, asked: Mapping) -> None:
        """Ask a question (the texts of a `Question`), show its truth, or, without a text to ask, neither."""
        room = self._own(number, key)
        new = question.read_question(asked)
        old = room.question
        game = question.find_game(new) if new and new.most else None
        # As long as code and choices stay, so do the answers.
        is_same = old and new and old[:3] == new[:3] and old.most == new.most  # code, ask, choices
        if not is_same and (old or new):
            room.forget_answers()
            room.n += 1
        if not is_same:
            room.asked_at = self._now()
        room.question, room.game = new, game

    def answer(
        self,
        number: int,
        phone: Phone,
        n: int,
        value: float,
        found: str = "",
        picks: str = "",
        cuts: str = "",
    ) -> None:
        """Take a phone's answer to question `n`: the number of a choice, or a guess; the last one counts.

        `found` is the address that solves a task, "" without; the wall can open it. `picks` and `cuts` are
        what was bought in a game (`games.Game.result`): its value must be what they come to.
        """
        room, found = self._room(number), question.check_address(found, "found")
        asked = room.question
        if asked is None or n != room.n or asked.truth:
            raise LateError(f"question {n!r} is not asked any more")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RoomError(f"value must be a number, got {type(value).__name__}")
        is_choice = isinstance(value, int) and 0 <= value < len(asked.choices)
        is_guess = abs(value) <= question.LARGEST  # neither infinity nor what is no number
        if asked.most:
            is_guess = isinstance(value, int) and 0 <= value <= asked.most
        if not (is_choice if asked.choices else is_guess):
            raise RoomError(f"value must be {question.describe_kind(asked)}, got {value!r}")
        if room.game is not None and value != (result := question.result_of(room.game, picks, cuts)):
            raise RoomError(f"value must be what these purchases come to, {result}, got {value}")
        if phone.number not in room.answers:
            if len(room.answers) >= MOST_ANSWERS:
                room.make_way()
            room.passing[phone.number] = None
        room.answers[phone.number] = value
        if found and asked.link and found not in room.found and len(room.found) < MOST_FOUND:
            room.found.append(found)

    def describe(self, number: int, key: str = "", phone: Phone | None = None) -> dict:
        """What a phone shows, or, with its key, what the lecturer's screen shows: JSON values.

        Phones see counts and the truth once the lecturer shows them.
        """
        room = self._room(number)
        is_yours = self._is_lecturer(room, key)
        asked = room.question
        out = {"n": room.n, "isYours": is_yours, "isAsking": asked is not None}
        if asked is None:
            if phone is not None:
                room.look(phone, self._now())
            return out
        if phone is not None:
            room.settle(phone)
            room.look(phone, self._now())
            out["mine"] = room.answers.get(phone.number)
        values = list(room.answers.values())
        out |= {"ask": asked.ask, "choices": list(asked.choices), "answers": len(values)}
        out |= {"say": asked.say, "link": asked.link, "picture": asked.picture}
        out |= {"isOver": bool(asked.truth)}
        if asked.truth:
            out |= {"truth": asked.truth, "right": question.right_answer(asked), "why": list(asked.why)}
        if asked.most:
            out |= question.rank_results(values, out.get("mine"), asked.most, is_yours)
        if is_yours:
            out |= {"here": room.n_here(), "found": list(room.found)}
        if (asked.truth or is_yours) and not asked.most:
            out["counts"] = question.counts(values, len(asked.choices)) if asked.choices else None
            out["guesses"] = None if asked.choices else question.guesses(values)
        return out

    def desk(self, number: int, key: str) -> str:
        """The key of the room's desk, for the lecturer's own computer; a new one ends an earlier one."""
        room = self._own(number, key)
        room.desk = Desk()
        return room.desk.key

    def tell(self, number: int, key: str, told: Mapping) -> list[dict]:
        """What the hall's window shows, for the desk; returns the desk's orders, none without a desk."""
        room = self._own(number, key)
        if room.desk is None:
            return []
        if told:
            room.desk.told = dict(told)
        return room.desk.take()

    def steer(self, number: int, desk_key: str, order: Mapping | None = None) -> dict:
        """What the hall's window shows, to who has the desk's key; an order is left for it.

        `NotYoursError` with any other key, `RoomError` for what is no order.
        """
        room = self._room(number)
        if room.desk is None or not room.desk.is_own(desk_key):
            raise NotYoursError(f"room {number} has another desk; copy its link again in the hall's window")
        if order is not None:
            if (taken := order_of(order)) is None:
                raise RoomError("an order must be to go on or back, to a scene, or a black screen")
            room.desk.orders.append(taken)
        return room.desk.told

    def _room(self, number):
        room = self._rooms.get(number)
        if room is None or self._now() - room.seen >= IDLE_SECONDS:
            self._rooms.pop(number, None)
            raise NoRoomError(f"there is no room {number!r}")
        return room

    def _is_lecturer(self, room, key):
        is_yours = hmac.compare_digest(key.encode(), room.key.encode())
        room.seen = self._now() if is_yours else room.seen
        return is_yours


def number_in(text: str) -> int | None:
    """The number of a room that a text of seven plain digits is; None for any other text.

    >>> number_in("1234567"), number_in("12345"), number_in("9" * 5000), number_in("１２３４５６７")
    (1234567, None, None, None)
    """
    return int(text) if re.fullmatch(r"[1-9][0-9]{6}", text, re.ASCII) else None
