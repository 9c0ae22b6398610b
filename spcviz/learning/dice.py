"""What estimators take as ``random_state``, as a generator."""

from typing import Any

import numpy as np

from spcviz.engine.errors import ArgumentError


def generator(random_state: Any, name: str = "random_state") -> np.random.Generator:
    """A generator of a seed, of a generator (itself), or of None; `ArgumentError` for anything else.

    Of scikit-learn's older `numpy.random.RandomState` a seed is drawn.

    >>> int(generator(0).integers(10)) == int(generator(0).integers(10))
    True
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if hasattr(random_state, "randint") and hasattr(random_state, "get_state"):
        return np.random.default_rng(int(random_state.randint(2**31 - 1)))
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not is_whole or random_state < 0:
        raise ArgumentError(
            f"{name} must be None, a whole number from 0 or a numpy generator, got {random_state!r:.60}"
        )
    return np.random.default_rng(int(random_state))
