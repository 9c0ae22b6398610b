"""Every door of the engine is tried, and the check catches the faults that it is made for."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from tests.robust import arguments


def test_every_door_has_a_good_call():
    assert set(arguments.doors()) <= set(arguments.valid())


def test_no_door_takes_a_bad_argument():
    for seed in range(4 * len(arguments.valid())):
        arguments.check_call(seed)


def taken(unary):
    return np.asarray(unary)


def unnamed(unary):
    raise ArgumentError("something is wrong")


def untyped(unary):
    raise IndexError("list index out of range")


def _what(seed):
    """Description of the bad value in a seed's case, for a call with one array."""
    rng = np.random.default_rng(seed)
    rng.choice(["unary"])
    return arguments._bad(np.ones((2, 2)), rng)[0]


@pytest.mark.parametrize(
    ("function", "said"), [(taken, "is taken"), (unnamed, "is not named"), (untyped, "raises IndexError")]
)
def test_the_check_catches(function, said, monkeypatch):
    monkeypatch.setattr(arguments, "valid", lambda: {"some.door": {"unary": np.ones((2, 2))}})
    monkeypatch.setattr(arguments, "function_of", lambda name: function)
    texts = next(seed for seed in range(99) if _what(seed) == "texts")
    with pytest.raises(AssertionError, match=rf"some.door\(unary: texts\) {said}"):
        arguments.check_call(texts)
