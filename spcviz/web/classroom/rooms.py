"""Rooms of a class, in memory and without names: join, ask, answer, count, and steer the projector.

A room has a number, which is part of its address, and a key, known only to the browser that opened it: the
holder of the key asks, shows the truth and sees the counts, everybody else answers. A room holds one question
and its answers; the next question replaces both.

The hall's window, in the browser that has the room's key, reports what it shows; the holder of the desk's key
reads that, and leaves orders that the hall's window fetches. Messages are opaque here: they go from a
lecturer to the same lecturer.

Rooms, answers, orders, texts, keys and time are bounded.

Flooding takes nothing from others: nobody is refused because a room or the server is full; what is least in
use is evicted. Of rooms that is the emptiest; of answers those of phones that came in a crowd, or have not
polled the room since (a phone does so every second or two).
"""

import hmac
import re
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from spcviz.web.classroom import games, question
from spcviz.web.classroom.question import Question, RoomError
from spcviz.web.transport.clients import Phone

MOST_ROOMS = 300
MOST_ANSWERS = 4000
"""Answers to a question: several times the seats of a large hall, so that evicted ones are long idle."""

HERE_SECONDS = 90.0
"""A lecturer's screen counts as present for this long after its last sign of life; it sends one a minute."""

HERE_BEFORE = 15.0
"""A phone that polled at most this long before a question counts as present: a hall's do every second."""

MOST_FOUND = 3
"""Solving addresses that a question keeps for the wall."""

LONGEST_TOLD = 24_000
"""Bytes of a message of a hall's window: a tour's sentences and notes."""

MOST_ORDERS = 20
"""Orders that wait for the hall's window; beyond that the oldest are dropped."""

IDLE_SECONDS = 3 * 3600.0
"""A room whose lecturer has not been seen for this long is closed."""

FIRST, LAST = 1_000_000, 9_999_999
"""Numbers of rooms: too many to try them all."""


class NoRoomError(RoomError):
    """No room has that number, or it is closed."""

    status = 404


class NotYoursError(RoomError):
    """Only the browser that opened a room may do that."""

    status = 403


class ClosedQuestionError(RoomError):
    """The question that was answered is no longer open."""

    status = 409


class FullError(RoomError):
    """The maximum number of rooms is open, each with a lecturer."""

    status = 429


class Desk:
    """The hall's last message to its desk, and the desk's orders to the hall."""

    def __init__(self):
        self.key = secrets.token_urlsafe(16)
        self.told: dict = {}
        self.orders: deque[dict] = deque(maxlen=MOST_ORDERS)

    def is_own(self, key: str) -> bool:
        """Whether it is this desk's key."""
        return hmac.compare_digest(key.encode(), self.key.encode())

    def take(self) -> list[dict]:
        """Remove and return the waiting orders."""
        out = list(self.orders)
        self.orders.clear()
        return out


@dataclass
class _Room:
    key: str
    seen: float  # when its lecturer was last present
    question: Question | None = None
    game: games.Game | None = None  # computes the results of the question
    n: int = 0  # questions so far
    # by a phone's number; one that has polled since it answered, and did not come in a crowd, is in `settled`
    answers: dict[str, float] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    passing: dict[str, None] = field(default_factory=dict)  # other phones with an answer, the first first
    looked: dict[str, float] = field(default_factory=dict)  # when a phone last polled, the longest ago first
    asked_at: float = 0.0
    found: list[str] = field(default_factory=list)  # addresses reported by phones as solutions
    desk: Desk | None = None

    def forget_answers(self) -> None:
        self.answers, self.settled, self.passing, self.found = {}, set(), {}, []

    def look(self, phone: Phone, now: float) -> None:
        """Note that a phone is present."""
        self.looked.pop(phone.number, None)
        self.looked[phone.number] = now
        if len(self.looked) > MOST_ANSWERS:
            del self.looked[next(iter(self.looked))]

    def n_here(self) -> int:
        """Number of phones present when the question was asked, or since; all that answered count."""
        here = {phone for phone, at in self.looked.items() if at >= self.asked_at - HERE_BEFORE}
        return len(here | set(self.answers))

    def settle(self, phone: Phone) -> None:
        """Note that a phone polls: its answer is no longer among the first to be evicted."""
        if not phone.in_crowd and phone.number in self.passing:
            del self.passing[phone.number]
            self.settled.add(phone.number)

    def make_way(self) -> None:
        """Forget one answer: of a phone that has not polled since, else the first."""
        gone = next(iter(self.passing), None) or next(iter(self.answers))
        self.passing.pop(gone, None)
        self.settled.discard(gone)
        del self.answers[gone]


class Rooms:
    """All rooms of a server. `now` is a monotonic clock in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._rooms: dict[int, _Room] = {}

    def open(self) -> tuple[int, str]:
        """Open a room; return its number and key. If all `MOST_ROOMS` are open, the emptiest is closed.

        `FullError` if each has a lecturer present and answers.
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
        """Close the emptiest room; among equals, the one whose lecturer was seen longest ago."""

        def use(item):
            _, room = item
            is_here = now - room.seen < HERE_SECONDS
            return bool(room.answers) and is_here, len(room.answers), room.question is not None, room.seen

        number, emptiest = min(self._rooms.items(), key=use)
        if use((number, emptiest))[0]:
            raise FullError(f"{len(self._rooms)} rooms are open, with a class in each; try again in a minute")
        del self._rooms[number]

    def close(self, number: int, key: str) -> None:
        """Close a room for good; `NotYoursError` for anybody but the browser that opened it."""
        self._own(number, key)
        del self._rooms[number]

    def clear(self, number: int, key: str) -> None:
        """Forget all answers to the question; everybody may answer again."""
        room = self._own(number, key)
        room.forget_answers()
        room.n += 1  # so phones no longer mark it as answered

    def is_own(self, number: int, key: str) -> bool:
        """Whether the room exists and this is its key."""
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
        # Answers stay as long as code and choices do.
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

        `found` is the address that solves a task, or ""; the wall can open it. `picks` and `cuts` are the
        purchases in a game (`games.Game.result`): the value must be their result.
        """
        room, found = self._room(number), question.check_address(found, "found")
        asked = room.question
        if asked is None or n != room.n or asked.truth:
            raise ClosedQuestionError(f"question {n!r} is not asked any more")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RoomError(f"value must be a number, got {type(value).__name__}")
        is_choice = isinstance(value, int) and 0 <= value < len(asked.choices)
        is_guess = abs(value) <= question.LARGEST  # neither infinite nor NaN
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
        """The content of a phone's page, or, with the room's key, of the lecturer's screen: JSON values.

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
        """Open the room's desk for the lecturer's own computer; return its key. An earlier one ends."""
        room = self._own(number, key)
        room.desk = Desk()
        return room.desk.key

    def tell(self, number: int, key: str, told: Mapping) -> list[dict]:
        """Tell the desk what the hall's window shows; return the desk's orders, none without a desk."""
        room = self._own(number, key)
        if room.desk is None:
            return []
        if told:
            room.desk.told = dict(told)
        return room.desk.take()

    def steer(self, number: int, desk_key: str, order: Mapping | None = None) -> dict:
        """Return what the hall's window shows, given the desk's key, and leave an `order` for it.

        `NotYoursError` with any other key, `RoomError` for an invalid order.
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


_PLACE = re.compile(r"(?:[0-9]{1,6}a?|end)", re.ASCII)


def order_of(said: Mapping) -> dict | None:
    """Read an order of a desk: next, back, to a scene, or a black screen; None for anything else.

    >>> order_of({"kind": "go", "by": 1}), order_of({"kind": "go", "to": "3a"}), order_of({"kind": "leave"})
    ({'kind': 'go', 'by': 1}, {'kind': 'go', 'to': '3a'}, None)
    """
    kind, by, to = said.get("kind"), said.get("by"), said.get("to")
    if kind == "black":
        return {"kind": "black"}
    if kind == "go" and isinstance(to, str) and _PLACE.fullmatch(to):
        return {"kind": "go", "to": to}
    if kind == "go" and type(by) is int and by in (-1, 1):
        return {"kind": "go", "by": by}
    return None


def number_in(text: str) -> int | None:
    """The room number in a text of seven plain digits; None for any other text.

    >>> number_in("1234567"), number_in("12345"), number_in("9" * 5000), number_in("１２３４５６７")
    (1234567, None, None, None)
    """
    return int(text) if re.fullmatch(r"[1-9][0-9]{6}", text, re.ASCII) else None
