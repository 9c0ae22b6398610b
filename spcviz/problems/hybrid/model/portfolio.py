"""A batch's budget divided between methods: the mixture of two that development words favour.

Words may be read by different methods, so any point between two methods' points can be had; the upper hull of
all points on development words says which two, and the test words follow it.
"""

from typing import NamedTuple

import numpy as np


class Option(NamedTuple):
    """A method at one of its budgets."""

    method: str
    us: float  # a letter
    right: float  # percent of letters
    right_words: float  # percent of words


def chosen(dev: list[Option]) -> list[int]:
    """Places of the options on the upper hull, from the cheapest to the most accurate.

    >>> chosen([Option("a", 1, 50, 0), Option("b", 2, 54, 0), Option("c", 3, 60, 0), Option("d", 4, 59, 0)])
    [0, 2]
    """
    hull: list[int] = []
    for i in sorted(range(len(dev)), key=lambda i: (dev[i].us, -dev[i].right)):
        if hull and dev[i].right <= dev[hull[-1]].right:
            continue
        while len(hull) > 1 and _gain(dev, hull[-2], hull[-1]) <= _gain(dev, hull[-2], i):
            hull.pop()
        hull.append(i)
    return hull


def _gain(options, i, j):
    """Points a microsecond between two options."""
    return (options[j].right - options[i].right) / max(options[j].us - options[i].us, 1e-12)


def mixed(options: list[Option], us: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Percent of letters and words right at budgets a letter, mixing neighbours; NaN before the first."""
    by_time = sorted(options, key=lambda option: option.us)
    spent = [option.us for option in by_time]
    right, words = (
        np.interp(us, spent, [getattr(option, key) for option in by_time], left=np.nan)
        for key in ("right", "right_words")
    )
    return right, words
