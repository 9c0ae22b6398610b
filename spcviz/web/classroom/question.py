"""A question to a class: read from JSON, its answers counted, guesses and places summarised.

This module keeps no state; `spcviz.web.classroom.rooms` does.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.web.classroom import games

LONGEST = {"code": 100, "say": 700, "ask": 400, "choice": 160, "why": 300, "truth": 800, "right": 160}
LONGEST |= {"link": 300, "picture": 300}
MOST_CHOICES = 6
LARGEST = 1e15
"""The largest number that may be guessed."""

LARGEST_RESULT = 1_000_000
"""The largest result of a game."""

MOST_PLACES = 20
"""Different results that the lecturer's screen shows, the best of them."""

BINS = 8
"""Bins of the histogram of guessed numbers."""

MANY_TIMES = 30.0
"""Guesses that differ by more than this factor are counted on a logarithmic scale."""

_LINK = re.compile(r"[a-z_]{0,40}\?[A-Za-z0-9_.~%=&+:,-]{0,260}")


class RoomError(SpcvizError, ValueError):
    """Something that a room does not accept; `status` is its HTTP status."""

    status = 400


class Question(NamedTuple):
    """A question to a class."""

    code: str  # tells the scene that asks from others
    ask: str
    choices: tuple[str, ...]  # empty: the answer is a number
    truth: str = ""  # the answer as the lecturer's page says it, once it is shown
    right: str = ""  # the right choice, or a text with the right number in it
    say: str = ""  # the sentence before it: a phone does not show the wall
    # why each choice is wrong, in their order, once the truth is shown; "" for the right one
    why: tuple[str, ...] = ()
    link: str = ""  # where a phone solves it: an address of this app, "" for a question
    picture: str = ""  # the scene that asks, as an address of this app: a phone opens it on request
    most: int = 0  # the best possible result of a game, whose results are ranked; 0 for a question


def counts(values: Sequence[float], n_choices: int) -> list[int]:
    """Number of answers per choice.

    >>> counts([0, 2, 2], 3)
    [1, 0, 2]
    """
    of = Counter(values)
    return [of[choice] for choice in range(n_choices)]


def guesses(values: Sequence[float]) -> dict:
    """Histogram of guessed numbers: bins of equal width, or of equal ratio where guesses are far apart.

    The outermost bins take all guesses beyond the middle 96 %: one wild guess does not squeeze the others.

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


def right_answer(asked):
    """The number of the right choice, or for a guess the right number; None if `asked` does not say."""
    if not asked.choices:
        number = re.search(r"-?\d[\d,]*(\.\d+)?", asked.right)
        return float(number[0].replace(",", "")) if number else None
    named = [
        at
        for at, choice in enumerate(asked.choices)
        if re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", asked.right, re.IGNORECASE)
    ]
    return named[0] if len(named) == 1 else None


def read_question(asked):
    """Read a `Question` from its texts, None if there is nothing to ask; `RoomError` if it is invalid."""
    names = ("code", "ask", "truth", "right", "say", "link", "picture")
    texts = {n: _text(asked.get(n, ""), n, LONGEST[n]) for n in names}
    for name in ("link", "picture"):
        check_address(texts[name], name)
    why = asked.get("why", [])
    if not isinstance(why, list) or len(why) > MOST_CHOICES:
        raise RoomError(f"why must be a list of at most {MOST_CHOICES} texts")
    texts["why"] = tuple(_text(reason, "why", LONGEST["why"]) for reason in why)
    most = asked.get("most", 0)
    if isinstance(most, bool) or not isinstance(most, int) or not 0 <= most <= LARGEST_RESULT:
        raise RoomError(f"most must be a whole number of at most {LARGEST_RESULT}")
    choices = asked.get("choices", [])
    if not isinstance(choices, list) or len(choices) > MOST_CHOICES:
        raise RoomError(f"choices must be a list of at most {MOST_CHOICES} texts")
    kept = tuple(dict.fromkeys(_text(choice, "choice", LONGEST["choice"]) for choice in choices))
    if most and kept:
        raise RoomError("most must go without choices: a game has results")
    return Question(choices=kept, most=most, **texts) if texts["ask"] else None


def find_game(asked):
    """The game that a question leads to."""
    game = games.find_game(asked.link)
    if game is None:
        raise RoomError("a game must be asked from its own page: load it anew and ask again")
    if asked.most != game.best():
        raise RoomError(f"most must be what this game can bring, {game.best()}, got {asked.most}")
    return game


def result_of(game, picks, cuts):
    """The result of a phone's purchases; `RoomError` if they are impossible."""
    try:
        return game.result(picks, cuts)
    except ArgumentError as error:
        raise RoomError(str(error)) from None


def rank_results(values, mine, most, is_yours):
    """Results of a game: for a player, their place; for the lecturer, how many have which result."""
    out = {"most": most}
    if mine is not None:
        out["place"] = 1 + sum(value > mine for value in values)
    if is_yours:
        every = sorted(Counter(values).items(), reverse=True)
        out["ranking"] = [[value, n] for value, n in every[:MOST_PLACES]]
    return out


def check_address(text, name):
    """An address of this app, or ""; `RoomError` for any other."""
    if not isinstance(text, str) or (text and not _LINK.fullmatch(text)):
        raise RoomError(f"{name} must be a page of this app with its state, got {str(text)[:60]!r}")
    return text


def _text(value, name, most):
    if not isinstance(value, str) or len(value) > most:
        raise RoomError(f"{name} must be a text of at most {most} characters")
    return "".join(c for c in value if c.isprintable())


def describe_kind(asked):
    """The values that answer a question, in words."""
    if asked.most:
        return f"a whole number of at most {asked.most}"
    if asked.choices:
        return f"the number of a choice, at most {len(asked.choices) - 1}"
    return f"a number of at most {LARGEST:.0e}"
