"""Rooms in which a class answers the question that a lecturer's tour asks; kept in memory, without names.

A room has a number, which stands in its address, and a key, which only the browser that opened it knows:
whoever has the key asks, shows the truth and sees the counts, everybody else answers. A room holds one
question and its answers; the next question replaces both. All of it is bounded: rooms, answers, texts, time.
"""

import hmac
import re
import secrets
import time
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from spcviz.engine.errors import SpcvizError

MOST_ROOMS = 300
MOST_ANSWERS = 600
"""Of a question; a large hall has fewer seats."""

IDLE_SECONDS = 3 * 3600.0
"""A room whose lecturer has not been seen for so long is closed."""

OPENED_AT_ONCE, OPENED_A_SECOND = 20, 0.5
"""Rooms that may be opened in a burst, and how fast the right to that comes back."""

FIRST, LAST = 10_000, 99_999
"""Numbers of rooms."""

LONGEST = {"code": 100, "say": 700, "ask": 400, "choice": 160, "why": 300, "truth": 800, "right": 160}
LONGEST |= {"link": 300}
MOST_CHOICES = 6
LARGEST = 1e15
"""The largest number that may be guessed."""

BINS = 8
"""Of the picture of guessed numbers."""

MANY_TIMES = 30.0
"""Guesses that differ by more than this factor are counted on a logarithmic scale."""

_LINK = re.compile(r"[a-z_]{0,40}\?[A-Za-z0-9_.~%=&+:,-]{0,260}")
_VOTER = re.compile(r"[A-Za-z0-9_-]{16,40}")


class RoomError(SpcvizError, ValueError):
    """Something that a room does not take; `status` is HTTP's word for it."""

    status = 400


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
    """As many rooms or answers as are kept."""

    status = 429


class Question(NamedTuple):
    """What a class is asked."""

    code: str  # tells the scene that asks from others
    ask: str
    choices: tuple[str, ...]  # none: a number is asked for
    truth: str = ""  # the answer as the lecturer's page says it, once it is shown
    right: str = ""  # the right choice, or a text with the right number in it
    say: str = ""  # the sentence that it follows: a phone has no wall
    # why each choice is wrong, by its place, once the truth is shown; "" of the right one
    why: tuple[str, ...] = ()
    link: str = ""  # where a phone solves it: an address of this app, "" for a question


@dataclass
class _Room:
    key: str
    seen: float  # when its lecturer was there last
    question: Question | None = None
    n: int = 0  # questions so far
    answers: dict[str, float] = field(default_factory=dict)  # by voter


class Rooms:
    """All rooms of a server. `now` gives seconds that only ever go on."""

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._rooms: dict[int, _Room] = {}
        self._may_open, self._opened = float(OPENED_AT_ONCE), now()

    def open(self) -> tuple[int, str]:
        """A new room, its number and its key; `FullError` if there are too many, or too many of just now."""
        now = self._now()
        self._rooms = {n: one for n, one in self._rooms.items() if now - one.seen < IDLE_SECONDS}
        self._may_open = min(OPENED_AT_ONCE, self._may_open + (now - self._opened) * OPENED_A_SECOND)
        self._opened = now
        if len(self._rooms) >= MOST_ROOMS or self._may_open < 1:
            raise FullError(f"{len(self._rooms)} rooms are open; another cannot be opened now")
        self._may_open -= 1
        number = next(
            n for n in iter(lambda: FIRST + secrets.randbelow(LAST + 1 - FIRST), 0) if n not in self._rooms
        )
        self._rooms[number] = _Room(secrets.token_urlsafe(16), now)
        return number, self._rooms[number].key

    def put(self, number: int, key: str, asked: Mapping) -> None:
        """Ask a question (the texts of a `Question`), show its truth, or, without a text to ask, neither."""
        room = self._room(number)
        if not self._is_lecturer(room, key):
            raise NotYoursError(f"room {number} was opened by another browser")
        new = _question(asked)
        old = room.question
        # As long as code and choices stay, so do the answers.
        is_same = old and new and (old.code, old.ask, old.choices) == (new.code, new.ask, new.choices)
        if not is_same and (old or new):
            room.answers = {}
            room.n += 1
        room.question = new

    def answer(self, number: int, voter: str, n: int, value: float) -> None:
        """Take a phone's answer to question `n`: the number of a choice, or a guess; the last one counts."""
        room = self._room(number)
        asked = room.question
        if asked is None or n != room.n or asked.truth:
            raise LateError(f"question {n!r} is not asked any more")
        if not isinstance(voter, str) or not _VOTER.fullmatch(voter):
            raise RoomError("voter must be 16 to 40 letters and digits")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RoomError(f"value must be a number, got {type(value).__name__}")
        is_choice = isinstance(value, int) and 0 <= value < len(asked.choices)
        is_guess = abs(value) <= LARGEST  # neither infinity nor what is no number
        if not (is_choice if asked.choices else is_guess):
            raise RoomError(f"value must be {_what(asked)}, got {value!r}")
        if voter not in room.answers and len(room.answers) >= MOST_ANSWERS:
            raise FullError(f"{MOST_ANSWERS} answers are kept, and there are as many")
        room.answers[voter] = value

    def shown(self, number: int, key: str = "") -> dict:
        """What a phone shows, or, with its key, what the lecturer's screen shows: JSON values.

        Phones see counts and the truth once the lecturer shows them.
        """
        room = self._room(number)
        is_yours = self._is_lecturer(room, key)
        asked = room.question
        out = {"n": room.n, "isYours": is_yours, "isAsking": asked is not None}
        if asked is None:
            return out
        values = list(room.answers.values())
        out |= {"ask": asked.ask, "choices": list(asked.choices), "answers": len(values)}
        out |= {"say": asked.say, "link": asked.link}
        out |= {"isOver": bool(asked.truth)}
        if asked.truth:
            out |= {"truth": asked.truth, "right": _right(asked), "why": list(asked.why)}
        if asked.truth or is_yours:
            out["counts"] = counts(values, len(asked.choices)) if asked.choices else None
            out["guesses"] = None if asked.choices else guesses(values)
        return out

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


def counts(values: Sequence[float], n_choices: int) -> list[int]:
    """How many chose each.

    >>> counts([0, 2, 2], 3)
    [1, 0, 2]
    """
    of = Counter(values)
    return [of[choice] for choice in range(n_choices)]


def guesses(values: Sequence[float]) -> dict:
    """A picture of guessed numbers: bins of equal width, or of equal ratio where guesses are far apart.

    The outermost bins take what lies beyond the middle 96 of a hundred: one wild guess squeezes no others.

    >>> guesses([1, 2, 3, 4, 9])["median"], guesses([1, 1000])["isLog"], guesses([])
    (3, True, {'bins': [], 'median': None, 'isLog': False})
    """
    if not values:
        return {"bins": [], "median": None, "isLog": False}
    ordered = sorted(values)
    cut = len(ordered) // 50
    low, high = ordered[cut], ordered[-1 - cut]
    is_log = low > 0 and high / low > MANY_TIMES
    if low == high:
        bins = [{"low": low, "high": high, "count": len(ordered)}]
    else:
        shares = [at / BINS for at in range(BINS + 1)]
        edges = [low * (high / low) ** x if is_log else low + (high - low) * x for x in shares]
        of = Counter(bisect(edges[1:-1], value) for value in ordered)
        bins = [{"low": edges[at], "high": edges[at + 1], "count": of[at]} for at in range(BINS)]
    return {"bins": bins, "median": median(ordered), "isLog": is_log}


def _right(asked):
    """The number of the right choice; of a guess the right number; None if the truth does not say."""
    if not asked.choices:
        number = re.search(r"-?\d[\d,]*(\.\d+)?", asked.right)
        return float(number[0].replace(",", "")) if number else None
    named = [
        at
        for at, choice in enumerate(asked.choices)
        if re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", asked.right, re.IGNORECASE)
    ]
    return named[0] if len(named) == 1 else None


def _question(asked):
    names = ("code", "ask", "truth", "right", "say", "link")
    texts = {n: _text(asked.get(n, ""), n, LONGEST[n]) for n in names}
    if texts["link"] and not _LINK.fullmatch(texts["link"]):
        raise RoomError(f"link must be a page of this app with its state, got {texts['link'][:60]!r}")
    why = asked.get("why", [])
    if not isinstance(why, list) or len(why) > MOST_CHOICES:
        raise RoomError(f"why must be a list of at most {MOST_CHOICES} texts")
    texts["why"] = tuple(_text(reason, "why", LONGEST["why"]) for reason in why)
    choices = asked.get("choices", [])
    if not isinstance(choices, list) or len(choices) > MOST_CHOICES:
        raise RoomError(f"choices must be a list of at most {MOST_CHOICES} texts")
    kept = tuple(dict.fromkeys(_text(choice, "choice", LONGEST["choice"]) for choice in choices))
    return Question(choices=kept, **texts) if texts["ask"] else None


def _text(value, name, most):
    if not isinstance(value, str) or len(value) > most:
        raise RoomError(f"{name} must be a text of at most {most} characters")
    return "".join(c for c in value if c.isprintable())


def _what(asked):
    if asked.choices:
        return f"the number of a choice, at most {len(asked.choices) - 1}"
    return f"a number of at most {LARGEST:.0e}"
