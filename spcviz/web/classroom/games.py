"""Games that a class plays in a room: tables of what every purchase costs and gains.

A phone reports its purchases; their result is computed here. The page of a game keeps its table under its
address while it is open, and a room that asks for the game takes the table with the question.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError

MOST_KEPT = 256
"""Games whose page was open recently; the least recent is evicted. A room keeps its own."""

_NUMBERS = re.compile(r"(?:[0-9a-z]{1,2}(?:\.[0-9a-z]{1,2}){0,119})?")
_EPS = 1e-9
_KEPT: dict[str, "Game"] = {}


class Game(NamedTuple):
    """W things that can be raised tier by tier, in R rounds: what is bought stays bought."""

    budgets: tuple[float, ...]  # what may have been spent by the end of each round
    base: float  # spent before the first purchase
    cost: np.ndarray  # (T, W): of raising a thing to a tier from the one below; row 0 is not used
    right: np.ndarray  # (T, W) int: parts that are right at a tier
    n_parts: int  # that can be right

    def best(self) -> int:
        """The largest conceivable result: all parts right in all rounds."""
        return len(self.budgets) * self.n_parts

    def result(self, picks: str, cuts: str) -> int:
        """Number of right parts at the ends of all rounds, summed over rounds.

        Parameters
        ----------
        picks : str
            Numbers of things in the order in which they were raised, in base 36, separated by dots.
        cuts : str
            How many of these had been made by the end of each round, in the same format.

        Raises
        ------
        ArgumentError
            For impossible purchases.
        """
        bought, ends = _numbers("picks", picks), _numbers("cuts", cuts)
        self._check(bought, ends)
        n_tiers, n_things = self.right.shape
        level, spent, total, at = np.zeros(n_things, dtype=np.int64), self.base, 0, np.arange(n_things)
        for number, (budget, begin, end) in enumerate(zip(self.budgets, [0, *ends], ends), start=1):
            for place in range(begin, end):
                thing = bought[place]
                if thing >= n_things or level[thing] + 1 >= n_tiers:
                    raise ArgumentError(f"picks must name what can be bought, got {thing} at {place + 1}")
                level[thing] += 1
                spent += float(self.cost[level[thing], thing])
                if spent > budget + _EPS * max(1.0, abs(budget)):
                    raise ArgumentError(
                        f"picks must cost at most {budget:g} by the end of round {number}, got {spent:g}"
                    )
            total += int(self.right[level, at].sum())
        return total

    def _check(self, bought, ends):
        if len(ends) != len(self.budgets):
            raise ArgumentError(f"cuts must hold one for each of {len(self.budgets)} rounds, got {len(ends)}")
        if ends != sorted(ends) or ends[-1] != len(bought):
            raise ArgumentError(f"cuts must rise to the number of picks, {len(bought)}, got {ends}")


def keep(address: str, game: Game) -> None:
    """Keep a game under its page's address, the part of a room's link before ``&in=``."""
    _KEPT.pop(address, None)
    _KEPT[address] = game
    while len(_KEPT) > MOST_KEPT:
        del _KEPT[next(iter(_KEPT))]


def find_game(link: str) -> Game | None:
    """The game that a room's link leads to; None where its page has not been open here."""
    return _KEPT.get(link.partition("&in=")[0])


def budgets_of(full: float, shares: Sequence[float]) -> tuple[float, ...]:
    """Budgets of rounds: shares of the full cost, rounded down to whole units.

    >>> budgets_of(101.0, (0.1, 0.5))
    (10.0, 50.0)
    """
    return tuple(float(math.floor(share * full)) for share in shares)


def _numbers(name, text):
    if not isinstance(text, str) or not _NUMBERS.fullmatch(text):
        raise ArgumentError(f"{name} must be numbers of base 36 with dots between, got {text!r:.40}")
    return [int(one, 36) for one in text.split(".") if one]
